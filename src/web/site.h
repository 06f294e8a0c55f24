// site.h: the URLs of the server: the page's files, login, news, decisions.
// Invariant: without a secret only the page's own files and the login are served; every request passes check_request();
// no cookie is set. Not here: connections (http.h), the state that the page shows (view.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "web/http.h"
#include "web/login_tokens.h"
#include "web/plugin_review.h"
#include "web/rate_limiter.h"
#include "web/view.h"

namespace pinfold::web {

// What the page can do with sandboxes.
struct SandboxActions {
  std::function<Result<bool>(const std::string& sandbox, std::uint64_t request, ApprovalDecision decision)> decide;
  std::function<Result<void>(const std::string& sandbox, std::uint64_t grant)> revoke;
};

class Site {
 public:
  Site(View& view, LoginTokens& login_tokens, SandboxActions actions);
  // Shows the review of one plugin instead of sandboxes.
  Site(View& view, LoginTokens& login_tokens, PluginReview& review);
  Result<void> open(std::uint16_t port);
  std::uint16_t port() const { return port_; }
  // A new link, which works once.
  std::string new_link();
  void serve() { server_.serve(); }
  // Returns when the browser has the responses to the decisions that it sent, after two seconds at the latest.
  void finish_decisions() { server_.finish_posts(std::chrono::seconds(2)); }
  void close();

 private:
  using Handler = std::function<void(const httplib::Request&, httplib::Response&)>;
  // Wraps a handler with check_request() and, with kSecret, the check of the secret.
  enum class Auth { kNone, kSecret };
  Handler guarded(Auth auth, Handler handler);
  void serve_files(std::string_view front);
  void decide_plugin(const httplib::Request& request, httplib::Response& response, PluginReview& review);
  void log_in(const httplib::Request& request, httplib::Response& response);
  void news(const httplib::Request& request, httplib::Response& response);
  void decide_request(const httplib::Request& request, httplib::Response& response);
  void revoke(const httplib::Request& request, httplib::Response& response);

  View& view_;
  LoginTokens& login_tokens_;
  SandboxActions actions_;
  LocalServer server_;
  RateLimiter rate_limiter_{100, 400};
  std::atomic<std::size_t> waiting_ = 0;  // requests that wait for news
  std::uint16_t port_ = 0;
};

}  // namespace pinfold::web
