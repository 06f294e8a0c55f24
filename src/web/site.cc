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

RequestHeaders headers_of(const Request& request) {
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

// Parses the body by `read`. If it is invalid, sends status 400 and returns false.
template <typename Read>
bool understood(const Request& request, Response& response, Read read) {
  const Json json = Json::parse(request.body, nullptr, false);
  Fields fields(json);
  read(fields);
  const auto finished = fields.finish();
  if (!finished) refuse(response, 400, "invalid request: " + text::shown(finished.error().text()));
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
                guarded(Auth::kNone, [&asset](const Request&, Response& response) {
                  response.set_content(asset.text.data(), asset.text.size(), std::string(asset.type));
                }));
  }
  server_.Post("/api/enter",
               guarded(Auth::kNone, [this](const Request& request, Response& response) { log_in(request, response); }));
}

Site::Site(View& view, LoginTokens& login_tokens, PluginReview& review) : view_(view), login_tokens_(login_tokens) {
  serve_files("/review");
  server_.Get("/api/review", guarded(Auth::kSecret, [&review](const Request&, Response& response) {
                response.set_content(review.text(), kJsonType);
              }));
  server_.Post("/api/decide", guarded(Auth::kSecret, [this, &review](const Request& request, Response& response) {
                 decide_plugin(request, response, review);
               }));
}

Site::Site(View& view, LoginTokens& login_tokens, SandboxActions actions)
    : view_(view), login_tokens_(login_tokens), actions_(std::move(actions)) {
  serve_files("/");
  server_.Get("/api/news",
              guarded(Auth::kSecret, [this](const Request& request, Response& response) { news(request, response); }));
  server_.Post("/api/answer", guarded(Auth::kSecret, [this](const Request& request, Response& response) {
                 decide_request(request, response);
               }));
  server_.Post("/api/revoke", guarded(Auth::kSecret, [this](const Request& request, Response& response) {
                 revoke(request, response);
               }));
  server_.Post("/api/link", guarded(Auth::kSecret, [this](const Request&, Response& response) {
                 reply(response, 200, {{"token", login_tokens_.new_token()}});
               }));
}

Result<void> Site::open(std::uint16_t port) {
  auto bound = server_.bind(port);
  if (!bound) return tl::unexpected<Error>(std::move(bound).error());
  port_ = *bound;
  return {};
}

std::string Site::new_link() { return fmt::format("http://127.0.0.1:{}/#{}", port_, login_tokens_.new_token()); }

void Site::close() {
  view_.close();
  server_.stop_serving();
}

Site::Handler Site::guarded(Auth auth, Handler handler) {
  return [this, auth, handler = std::move(handler)](const Request& request, Response& response) {
    if (const Refusal refusal = check_request(headers_of(request), port_); refusal.status != 0)
      return refuse(response, refusal.status, refusal.why);
    if (auth == Auth::kSecret && !login_tokens_.is_valid_secret(secret_of(request)))
      return refuse(response, 401, "open the link that Pinfold printed");
    // Only requests with a secret count: requests without one are cheap, and must not use up the user's rate.
    if (auth == Auth::kSecret && !rate_limiter_.allow()) return refuse(response, 429, "too many requests");
    handler(request, response);
  };
}

void Site::log_in(const Request& request, Response& response) {
  std::string token;
  if (!understood(request, response, [&](Fields& fields) { token = fields.bytes("token"); })) return;
  const LoginTokens::LoginResult login = login_tokens_.log_in(token);
  Json out = {{"verdict", word_of(login.status)}};
  if (login.status == LoginStatus::kLoggedIn) out["secret"] = login.secret;
  reply(response, login.status == LoginStatus::kLoggedIn ? 200 : 403, out);
}

void Site::news(const Request& request, Response& response) {
  const std::string text = request.get_param_value("since");
  std::uint64_t since = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), since);
  if (error != std::errc() || end != text.data() + text.size())
    return refuse(response, 400, "since must be a version number");
  // With too many open tabs the last ones poll instead of waiting, so that a worker is free for decisions.
  const bool may_wait = ++waiting_ <= kMostWaiting;
  const std::string news = view_.news(since, may_wait ? kPatience : std::chrono::seconds(0));
  --waiting_;
  response.set_content(news, kJsonType);
}

void Site::decide_request(const Request& request, Response& response) {
  std::string sandbox;
  std::uint64_t approval = 0;
  ApprovalDecision decision = ApprovalDecision::kDeny;
  if (!understood(request, response, [&](Fields& fields) {
        sandbox = fields.bytes("sandbox");
        approval = fields.count("question");
        decision = control::read_decision(fields, "answer");
      }))
    return;
  const auto counted = actions_.decide(sandbox, approval, decision);
  if (!counted) return refuse(response, status_of(counted.error()), text::shown(counted.error().text()));
  reply(response, 200, {{"counted", *counted}});
}

void Site::decide_plugin(const Request& request, Response& response, PluginReview& review) {
  PluginDecision decision;
  if (!understood(request, response, [&](Fields& fields) {
        decision.decision = fields.bytes("decision");
        decision.understood = fields.flag("understood");
        decision.permissions_hash = fields.bytes("permissions_hash");
        decision.files_hash = fields.bytes("files_hash");
      }))
    return;
  if (const auto decided = review.decide(decision); !decided) return refuse(response, 409, decided.error().text());
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
  const auto revoked = actions_.revoke(sandbox, grant);
  if (!revoked) return refuse(response, status_of(revoked.error()), text::shown(revoked.error().text()));
  reply(response, 200, {{"revoked", true}});
}

}  // namespace pinfold::web
