// csrf_check_test.cc: requests of the server's own page pass; requests of other sites are refused.
#include "web/csrf_check.h"

#include <gtest/gtest.h>

namespace pinfold::web {
namespace {

RequestHeaders visit() { return {"GET", "/", {"127.0.0.1:8000"}, {}, "none", "navigate", "document", ""}; }
RequestHeaders post() {
  return {"POST", "/api/answer", {"127.0.0.1:8000"}, {"http://127.0.0.1:8000"}, "same-origin",
          "cors", "empty",       "application/json"};
}
int status(const RequestHeaders& headers) { return check_request(headers, 8000).status; }

TEST(CsrfCheck, AllowsPinfoldsOwnPage) {
  EXPECT_EQ(status(visit()), 0);
  EXPECT_EQ(status(post()), 0);
  RequestHeaders by_name = post();
  by_name.host = {"localhost:8000"};
  by_name.origin = {"http://localhost:8000"};
  EXPECT_EQ(status(by_name), 0);
  EXPECT_EQ(status({"GET", "/page.js", {"127.0.0.1:8000"}, {}, "same-origin", "no-cors", "script", ""}), 0);
  EXPECT_EQ(status({"GET", "/api/news", {"127.0.0.1:8000"}, {}, "", "", "", ""}), 0);  // no browser: the secret decides
}

TEST(CsrfCheck, ACrossSiteLinkMayOnlyOpenThePage) {
  RequestHeaders link = visit();
  link.site = "cross-site";
  EXPECT_EQ(status(link), 0);
  link.destination = "iframe";
  EXPECT_EQ(status(link), 403);
  link.destination = "document";
  link.path = "/api/news";
  EXPECT_EQ(status(link), 403);
}

TEST(CsrfCheck, RefusesForeignHostHeaders) {
  for (const char* host : {"evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:80000", "localhost", "",
                           "127.0.0.1:8000.evil.example", "[::1]:8000", "LOCALHOST:8000", "0.0.0.0:8000"}) {
    RequestHeaders headers = visit();
    headers.host = {host};
    EXPECT_EQ(status(headers), 421) << host;
  }
  RequestHeaders headers = visit();
  headers.host = {};
  EXPECT_EQ(status(headers), 421);
  headers.host = {"127.0.0.1:8000", "127.0.0.1:8000"};
  EXPECT_EQ(status(headers), 421);
}

TEST(CsrfCheck, RefusesForeignOrigins) {
  for (const char* origin : {"null", "http://evil.example", "http://127.0.0.1:8001", "https://127.0.0.1:8000",
                             "http://localhost:8000", "http://127.0.0.1:8000/", ""}) {
    RequestHeaders headers = post();
    headers.origin = {origin};
    EXPECT_EQ(status(headers), 403) << origin;
  }
  RequestHeaders twice = post();
  twice.origin = {"http://127.0.0.1:8000", "http://127.0.0.1:8000"};
  EXPECT_EQ(status(twice), 403);
}

TEST(CsrfCheck, RefusesCrossSiteRequestsWithoutAnOrigin) {
  for (const char* site : {"cross-site", "same-site", "whatever"}) {
    RequestHeaders headers = post();
    headers.origin = {};
    headers.site = site;
    EXPECT_EQ(status(headers), 403) << site;
  }
}

TEST(CsrfCheck, RefusesFormPosts) {
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                           "text/plain; application/json", "application/jsonp"}) {
    RequestHeaders headers = post();
    headers.content_type = type;
    EXPECT_EQ(status(headers), 415) << type;
  }
  RequestHeaders charset = post();
  charset.content_type = "application/json; charset=utf-8";
  EXPECT_EQ(status(charset), 0);
}

TEST(CsrfCheck, RefusesOtherMethods) {
  for (const char* method : {"OPTIONS", "PUT", "DELETE", "PATCH", "HEAD", "CONNECT"}) {
    RequestHeaders headers = post();
    headers.method = method;
    EXPECT_EQ(status(headers), 405) << method;
  }
}

}  // namespace
}  // namespace pinfold::web
