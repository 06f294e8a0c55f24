// site.cc: one function for each address.
#include "web/site.h"

#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "control/fields.h"
#include "control/values.h"
#include "web/assets.h"
#include "web/csrf_check.h"

namespace pinfold::web {
namespace {

using control::Fields;
using control::Json;
using httplib::Request;
using httplib::Response;

constexpr auto kPatience = std::chrono::seconds(25);
constexpr std::size_t kMostWaiting = LocalServer::kWorkers / 2;
constexpr const char* kJsonType = "application/json";

const httplib::Headers kHeaders = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"},
    {"X-Frame-Options", "DENY"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Embedder-Policy", "require-corp"},
    {"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
};

void reply(Response& response, int status, const Json& json) {
  response.status = status;
  response.set_content(json.dump(), kJsonType);
}

void refuse(Response& response, int status, std::string_view why) { reply(response, status, {{"error", why}}); }

std::vector<std::string> every(const Request& request, const char* name) {
  std::vector<std::string> out;
  const auto [first, last] = request.headers.equal_range(name);
  for (auto each = first; each != last; ++each) out.push_back(each->second);
  return out;
}

Heading heading_of(const Request& request) {
  return {request.method,
          request.path,
          every(request, "Host"),
          every(request, "Origin"),
          request.get_header_value("Sec-Fetch-Site"),
          request.get_header_value("Sec-Fetch-Mode"),
          request.get_header_value("Sec-Fetch-Dest"),
          request.get_header_value("Content-Type")};
}

std::string secret_of(const Request& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string value = request.get_header_value("Authorization");
  return value.starts_with(kBearer) ? value.substr(kBearer.size()) : std::string();
}

// Reads the body by `read`; whatever is wrong with it is answered, and the result false.
template <typename Read>
bool understood(const Request& request, Response& response, Read read) {
  const Json json = Json::parse(request.body, nullptr, false);
  Fields fields(json);
  read(fields);
  const auto finished = fields.finish();
  if (!finished) refuse(response, 400, "not understood: " + text::shown(finished.error().text()));
  return finished.has_value();
}

int status_of(const Error& error) { return error.kind() == ErrorKind::kNotFound ? 404 : 502; }

}  // namespace

// `front`: the file behind "/".
void Site::serve_files(std::string_view front) {
  server_.set_default_headers(kHeaders);
  for (const Asset& asset : assets()) {
    const bool is_front = asset.path == front;
    if (!is_front && asset.path == "/") continue;
    server_.Get(is_front ? "/" : std::string(asset.path),
                guarded(Needs::kNothing, [&asset](const Request&, Response& response) {
                  response.set_content(asset.text.data(), asset.text.size(), std::string(asset.type));
                }));
  }
  server_.Post("/api/enter", guarded(Needs::kNothing,
                                     [this](const Request& request, Response& response) { enter(request, response); }));
}

Site::Site(View& view, Door& door, ReviewDesk& desk) : view_(view), door_(door) {
  serve_files("/review");
  server_.Get("/api/review", guarded(Needs::kSecret, [&desk](const Request&, Response& response) {
                response.set_content(desk.text(), kJsonType);
              }));
  server_.Post("/api/decide", guarded(Needs::kSecret, [this, &desk](const Request& request, Response& response) {
                 decide(request, response, desk);
               }));
}

Site::Site(View& view, Door& door, Hands hands) : view_(view), door_(door), hands_(std::move(hands)) {
  serve_files("/");
  server_.Get("/api/news",
              guarded(Needs::kSecret, [this](const Request& request, Response& response) { news(request, response); }));
  server_.Post("/api/answer", guarded(Needs::kSecret, [this](const Request& request, Response& response) {
                 answer(request, response);
               }));
  server_.Post("/api/revoke", guarded(Needs::kSecret, [this](const Request& request, Response& response) {
                 revoke(request, response);
               }));
  server_.Post("/api/link", guarded(Needs::kSecret, [this](const Request&, Response& response) {
                 reply(response, 200, {{"token", door_.new_token()}});
               }));
}

Result<void> Site::open(std::uint16_t port) {
  auto bound = server_.bind(port);
  if (!bound) return tl::unexpected<Error>(std::move(bound).error());
  port_ = *bound;
  return {};
}

std::string Site::new_link() { return fmt::format("http://127.0.0.1:{}/#{}", port_, door_.new_token()); }

void Site::close() {
  view_.close();
  server_.stop_serving();
}

Site::Handler Site::guarded(Needs needs, Handler handler) {
  return [this, needs, handler = std::move(handler)](const Request& request, Response& response) {
    if (const Refusal refusal = judge(heading_of(request), port_); refusal.status != 0)
      return refuse(response, refusal.status, refusal.why);
    if (needs == Needs::kSecret && !door_.is_in(secret_of(request)))
      return refuse(response, 401, "open the link that Pinfold printed");
    // Only requests with a secret count: others could use up the user's share of requests, and cost little.
    if (needs == Needs::kSecret && !pace_.may_go()) return refuse(response, 429, "too many requests");
    handler(request, response);
  };
}

void Site::enter(const Request& request, Response& response) {
  std::string token;
  if (!understood(request, response, [&](Fields& fields) { token = fields.bytes("token"); })) return;
  const Door::Entered entered = door_.enter(token);
  Json out = {{"verdict", word_of(entered.verdict)}};
  if (entered.verdict == Verdict::kIn) out["secret"] = entered.secret;
  reply(response, entered.verdict == Verdict::kIn ? 200 : 403, out);
}

void Site::news(const Request& request, Response& response) {
  const std::string text = request.get_param_value("since");
  std::uint64_t since = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), since);
  if (error != std::errc() || end != text.data() + text.size()) return refuse(response, 400, "since what?");
  // With too many tabs open the last ones have to ask again and again, so that answers always find a worker.
  const bool may_wait = ++waiting_ <= kMostWaiting;
  const std::string news = view_.news(since, may_wait ? kPatience : std::chrono::seconds(0));
  --waiting_;
  response.set_content(news, kJsonType);
}

void Site::answer(const Request& request, Response& response) {
  std::string sandbox;
  std::uint64_t question = 0;
  Answer answer = Answer::kDeny;
  if (!understood(request, response, [&](Fields& fields) {
        sandbox = fields.bytes("sandbox");
        question = fields.count("question");
        answer = control::read_answer(fields, "answer");
      }))
    return;
  const auto counted = hands_.answer(sandbox, question, answer);
  if (!counted) return refuse(response, status_of(counted.error()), text::shown(counted.error().text()));
  reply(response, 200, {{"counted", *counted}});
}

void Site::decide(const Request& request, Response& response, ReviewDesk& desk) {
  PluginDecision decision;
  if (!understood(request, response, [&](Fields& fields) {
        decision.decision = fields.bytes("decision");
        decision.understood = fields.flag("understood");
        decision.permissions_hash = fields.bytes("permissions_hash");
        decision.files_hash = fields.bytes("files_hash");
      }))
    return;
  if (const auto decided = desk.decide(decision); !decided) return refuse(response, 409, decided.error().text());
  reply(response, 200, {{"decided", decision.decision}});
}

void Site::revoke(const Request& request, Response& response) {
  std::string sandbox;
  std::uint64_t grant = 0;
  if (!understood(request, response, [&](Fields& fields) {
        sandbox = fields.bytes("sandbox");
        grant = fields.count("grant");
      }))
    return;
  const auto revoked = hands_.revoke(sandbox, grant);
  if (!revoked) return refuse(response, status_of(revoked.error()), text::shown(revoked.error().text()));
  reply(response, 200, {{"revoked", true}});
}

}  // namespace pinfold::web
