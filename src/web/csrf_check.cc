// csrf_check.cc: one header after the other.
#include "web/csrf_check.h"

#include <fmt/format.h>

namespace pinfold::web {
namespace {

bool is_json(std::string_view type) {
  const std::string_view kind = type.substr(0, type.find(';'));
  return kind == "application/json";
}

// Another site may lead to the page itself, as a whole window: it shows nothing to whoever has no link.
bool is_visit(const Heading& heading) {
  return heading.path == "/" && heading.mode == "navigate" && heading.destination == "document";
}

}  // namespace

Refusal judge(const Heading& heading, std::uint16_t port) {
  if (heading.method != "GET" && heading.method != "POST") return {405, "only GET and POST"};
  if (heading.host.size() != 1 ||
      (heading.host[0] != fmt::format("127.0.0.1:{}", port) && heading.host[0] != fmt::format("localhost:{}", port)))
    return {421, "this server has no such name"};
  if (heading.origin.size() > 1) return {403, "several origins"};
  if (!heading.origin.empty() && heading.origin[0] != "http://" + heading.host[0])
    return {403, "a request of another origin"};
  const bool by_site = !heading.site.empty() && heading.site != "same-origin" && heading.site != "none";
  if (by_site && !is_visit(heading)) return {403, "a request of another site"};
  const bool is_api = heading.path.starts_with("/api/");
  if (is_api && heading.site == "none") return {403, "not a page to visit"};
  if (heading.method == "POST" && !is_json(heading.content_type)) return {415, "only application/json"};
  return {};
}

}  // namespace pinfold::web
