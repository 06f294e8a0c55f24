// web_program.h: the web program: found, and started for one sandbox.
// Invariant: it ends with whoever started it; the link is in no argument or variable of any process.
// Not here: the page (src/web), the sandbox's side of it (session/live_approvals.h).
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::cli {

// Beside this program, or where `cmake --install` may lay what users do not call themselves.
Result<std::string> find_web_program();

// The page of one sandbox, until it is dropped.
class WebFace {
 public:
  // `sandbox`: the id of a place that somebody listens at (LiveBoard::id()). Returns when the page can be opened.
  static Result<WebFace> start(const std::string& sandbox);
  // The page of one review of a plugin, which is one line of JSON.
  static Result<WebFace> start_review(const std::string& line);
  WebFace(WebFace&& other) noexcept
      : process_(std::exchange(other.process_, -1)), life_(std::move(other.life_)), link_(std::move(other.link_)) {}
  WebFace& operator=(WebFace&&) = delete;
  WebFace(const WebFace&) = delete;
  WebFace& operator=(const WebFace&) = delete;
  ~WebFace();

  // Works once.
  const std::string& link() const { return link_; }
  // Of a review: waits for "allow" or "deny"; an error if the page ends without.
  Result<std::string> await_decision();

 private:
  WebFace(pid_t process, sys::Fd life) : process_(process), life_(std::move(life)) {}
  static Result<WebFace> launch(const std::vector<std::string>& words, const std::string& first);
  Result<void> await_link();

  pid_t process_;
  sys::Fd life_;  // closed: it ends
  std::string link_;
};

}  // namespace pinfold::cli
