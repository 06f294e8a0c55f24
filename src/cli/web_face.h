// web_face.h: the web program: found, and started for one sandbox.
// Invariant: it ends with whoever started it; the link is in no argument or variable of any process.
// Not here: the page (src/web), the sandbox's side of it (session/live_board.h).
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

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
  WebFace(WebFace&& other) noexcept
      : process_(std::exchange(other.process_, -1)), life_(std::move(other.life_)), link_(std::move(other.link_)) {}
  WebFace& operator=(WebFace&&) = delete;
  WebFace(const WebFace&) = delete;
  WebFace& operator=(const WebFace&) = delete;
  ~WebFace();

  // Works once.
  const std::string& link() const { return link_; }

 private:
  WebFace(pid_t process, sys::Fd life) : process_(process), life_(std::move(life)) {}
  Result<void> await_link();

  pid_t process_;
  sys::Fd life_;  // closed: it ends
  std::string link_;
};

}  // namespace pinfold::cli
