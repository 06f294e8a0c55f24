// site.h: what is behind each address: the page, the door, news, answers.
// Invariant: nothing but the page's own files is given to whoever does not show a secret; every request passes the
// guard; no cookie is ever set. Not here: connections (http.h), what is shown (view.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "web/login_tokens.h"
#include "web/http.h"
#include "web/rate_limiter.h"
#include "web/review_desk.h"
#include "web/view.h"

namespace pinfold::web {

// What can be done about sandboxes.
struct Hands {
  std::function<Result<bool>(const std::string& sandbox, std::uint64_t question, Answer answer)> answer;
  std::function<Result<void>(const std::string& sandbox, std::uint64_t grant)> revoke;
};

class Site {
 public:
  Site(View& view, Door& door, Hands hands);
  // Instead of sandboxes: one plugin, and whether it may run.
  Site(View& view, Door& door, ReviewDesk& desk);
  Result<void> open(std::uint16_t port);
  std::uint16_t port() const { return port_; }
  // A new link, to be used once.
  std::string new_link();
  void serve() { server_.serve(); }
  // Returns when the browser has the responses to the decisions that it sent, after two seconds at the latest.
  void finish_decisions() { server_.finish_posts(std::chrono::seconds(2)); }
  void close();

 private:
  using Handler = std::function<void(const httplib::Request&, httplib::Response&)>;
  // After the guard; `inside`: with a secret, too.
  enum class Needs { kNothing, kSecret };
  Handler guarded(Needs needs, Handler handler);
  void serve_files(std::string_view front);
  void decide(const httplib::Request& request, httplib::Response& response, ReviewDesk& desk);
  void enter(const httplib::Request& request, httplib::Response& response);
  void news(const httplib::Request& request, httplib::Response& response);
  void answer(const httplib::Request& request, httplib::Response& response);
  void revoke(const httplib::Request& request, httplib::Response& response);

  View& view_;
  Door& door_;
  Hands hands_;
  LocalServer server_;
  Pace pace_{100, 400};
  std::atomic<std::size_t> waiting_ = 0;  // for news
  std::uint16_t port_ = 0;
};

}  // namespace pinfold::web
