// web_program.h: finds pinfold-web, and starts it for one sandbox.
// Invariant: it ends with the process that started it; the link is in no argument or variable of any process.
// Not here: the page (src/web), the sandbox's side of it (session/live_approvals.h).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::cli {

// Its path: beside this program, or in ../libexec/pinfold.
Result<std::string> find_web_program();

// The running page of one sandbox; the destructor ends it.
class WebProgram {
 public:
  static constexpr std::chrono::milliseconds kLinkTimeout{30'000};  // until the program must have printed its link

  // `sandbox`: the id of an open control socket (session::LiveApprovals::id()). Returns at once: when link_socket() is
  // readable, call read_link().
  static Result<WebProgram> start(const std::string& sandbox);
  // The page of one plugin review; `line` is the review as one line of JSON. Returns when the page can be opened.
  static Result<WebProgram> start_review(const std::string& line);
  WebProgram(WebProgram&& other) noexcept
      : process_(std::exchange(other.process_, -1)), socket_(std::move(other.socket_)), link_(std::move(other.link_)) {}
  WebProgram& operator=(WebProgram&&) = delete;
  WebProgram(const WebProgram&) = delete;
  WebProgram& operator=(const WebProgram&) = delete;
  ~WebProgram();

  int link_socket() const { return socket_.raw(); }
  // Reads once. True: link() is complete.
  Result<bool> read_link();
  // The link works once.
  const std::string& link() const { return link_; }
  // For a review: waits for "allow" or "deny"; an error if the page ends without a decision.
  Result<std::string> await_decision();

 private:
  WebProgram(pid_t process, sys::Fd socket_end) : process_(process), socket_(std::move(socket_end)) {}
  static Result<WebProgram> launch(const std::vector<std::string>& flags);
  Result<void> await_link();

  pid_t process_;
  sys::Fd socket_;        // the program ends when this is closed
  std::string received_;  // the bytes before the end of the first line
  std::string link_;
};

}  // namespace pinfold::cli
