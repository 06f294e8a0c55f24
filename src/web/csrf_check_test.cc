// csrf_check_test.cc: what our own page sends passes; what anybody else's browser sends does not.
#include "web/csrf_check.h"

#include <gtest/gtest.h>

namespace pinfold::web {
namespace {

Heading visit() { return {"GET", "/", {"127.0.0.1:8000"}, {}, "none", "navigate", "document", ""}; }
Heading post() {
  return {"POST", "/api/answer", {"127.0.0.1:8000"}, {"http://127.0.0.1:8000"}, "same-origin",
          "cors", "empty",       "application/json"};
}
int status(const Heading& heading) { return judge(heading, 8000).status; }

TEST(Guard, OurOwnPagePasses) {
  EXPECT_EQ(status(visit()), 0);
  EXPECT_EQ(status(post()), 0);
  Heading by_name = post();
  by_name.host = {"localhost:8000"};
  by_name.origin = {"http://localhost:8000"};
  EXPECT_EQ(status(by_name), 0);
  EXPECT_EQ(status({"GET", "/page.js", {"127.0.0.1:8000"}, {}, "same-origin", "no-cors", "script", ""}), 0);
  EXPECT_EQ(status({"GET", "/api/news", {"127.0.0.1:8000"}, {}, "", "", "", ""}), 0);  // no browser: the secret decides
}

TEST(Guard, ALinkOnAnotherSiteLeadsToThePageAndToNothingElse) {
  Heading link = visit();
  link.site = "cross-site";
  EXPECT_EQ(status(link), 0);
  link.destination = "iframe";
  EXPECT_EQ(status(link), 403);
  link.destination = "document";
  link.path = "/api/news";
  EXPECT_EQ(status(link), 403);
}

TEST(Guard, ARefusedHostIsAnyButOurs) {
  for (const char* host : {"evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:80000", "localhost", "",
                           "127.0.0.1:8000.evil.example", "[::1]:8000", "LOCALHOST:8000", "0.0.0.0:8000"}) {
    Heading heading = visit();
    heading.host = {host};
    EXPECT_EQ(status(heading), 421) << host;
  }
  Heading heading = visit();
  heading.host = {};
  EXPECT_EQ(status(heading), 421);
  heading.host = {"127.0.0.1:8000", "127.0.0.1:8000"};
  EXPECT_EQ(status(heading), 421);
}

TEST(Guard, AnotherOriginIsRefused) {
  for (const char* origin : {"null", "http://evil.example", "http://127.0.0.1:8001", "https://127.0.0.1:8000",
                             "http://localhost:8000", "http://127.0.0.1:8000/", ""}) {
    Heading heading = post();
    heading.origin = {origin};
    EXPECT_EQ(status(heading), 403) << origin;
  }
  Heading twice = post();
  twice.origin = {"http://127.0.0.1:8000", "http://127.0.0.1:8000"};
  EXPECT_EQ(status(twice), 403);
}

TEST(Guard, AnotherSitesRequestIsRefusedAlsoWithoutAnOrigin) {
  for (const char* site : {"cross-site", "same-site", "whatever"}) {
    Heading heading = post();
    heading.origin = {};
    heading.site = site;
    EXPECT_EQ(status(heading), 403) << site;
  }
}

TEST(Guard, AFormCannotPost) {
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                           "text/plain; application/json", "application/jsonp"}) {
    Heading heading = post();
    heading.content_type = type;
    EXPECT_EQ(status(heading), 415) << type;
  }
  Heading charset = post();
  charset.content_type = "application/json; charset=utf-8";
  EXPECT_EQ(status(charset), 0);
}

TEST(Guard, OtherMethodsAreRefused) {
  for (const char* method : {"OPTIONS", "PUT", "DELETE", "PATCH", "HEAD", "CONNECT"}) {
    Heading heading = post();
    heading.method = method;
    EXPECT_EQ(status(heading), 405) << method;
  }
}

}  // namespace
}  // namespace pinfold::web
