// csrf_check.cc: checks each header.
#include "web/csrf_check.h"

#include <fmt/format.h>

namespace pinfold::web {
namespace {

bool is_json(std::string_view type) {
  const std::string_view kind = type.substr(0, type.find(';'));
  return kind == "application/json";
}

// Another site may link to the page itself as a top-level document: without a login token it shows nothing.
bool is_visit(const RequestHeaders& headers) {
  return headers.path == "/" && headers.mode == "navigate" && headers.destination == "document";
}

}  // namespace

Refusal check_request(const RequestHeaders& headers, std::uint16_t port) {
  if (headers.method != "GET" && headers.method != "POST") return {405, "only GET and POST"};
  if (headers.host.size() != 1 ||
      (headers.host[0] != fmt::format("127.0.0.1:{}", port) && headers.host[0] != fmt::format("localhost:{}", port)))
    return {421, "unknown host name"};
  if (headers.origin.size() > 1) return {403, "several origins"};
  if (!headers.origin.empty() && headers.origin[0] != "http://" + headers.host[0])
    return {403, "a request from another origin"};
  const bool by_site = !headers.site.empty() && headers.site != "same-origin" && headers.site != "none";
  if (by_site && !is_visit(headers)) return {403, "a request from another site"};
  const bool is_api = headers.path.starts_with("/api/");
  if (is_api && headers.site == "none") return {403, "this URL is not a page"};
  if (headers.method == "POST" && !is_json(headers.content_type)) return {415, "only application/json"};
  return {};
}

}  // namespace pinfold::web
