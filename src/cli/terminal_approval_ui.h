// terminal_approval_ui.h: shows approval requests at the terminal while a command runs, and reads a letter and Enter.
// Invariant: keys typed before a request was on the screen do not decide it, nor does input that the terminal sends by
// itself; only an offered letter allows; terminal modes are restored; text from the sandbox is escaped. A terminal that
// takes no output delays only the request. Not here: the queue of requests (session/approval_queue.h), applying a
// decision (supervisor).
#pragma once

#include <termios.h>

#include <deque>
#include <optional>
#include <string>

#include "base/host_view.h"
#include "cli/typed_line.h"
#include "report/render.h"
#include "session/approval_queue.h"
#include "sys/event_loop.h"
#include "sys/fd.h"
#include "sys/outbox.h"

namespace pinfold::cli {

// The whole request, with the letters that decide it.
std::string request_text(const ApprovalRequest& request, const std::string& command, report::TextFormat format);

class TerminalApprovalUi final : public session::ApprovalUi {
 public:
  // `command`: the running command, shown in each request.
  TerminalApprovalUi(session::ApprovalQueue& queue, std::string command, HostView& host);
  TerminalApprovalUi(const TerminalApprovalUi&) = delete;
  TerminalApprovalUi& operator=(const TerminalApprovalUi&) = delete;
  ~TerminalApprovalUi() override { close(); }

  // This process has a controlling terminal.
  static bool is_available();

  void begin(sys::EventLoop& loop, supervisor::Streams& streams) override;
  void end() override { close(); }
  void requested(const ApprovalRequest& request) override;
  void settled(const ApprovalRequest& request, std::optional<ApprovalDecision> decision) override;

 private:
  bool is_in_foreground() const;
  void show_next();
  void hide(const std::string& last_words);
  void start_reading(std::uint64_t request);
  void read_keys();
  void act_on(TypedLine::Step step, char key);
  void take_held_keys();
  void decide();
  void settle_shown(ApprovalDecision decision);
  void close();
  void say(const std::string& text) { screen_.say(text); }

  session::ApprovalQueue& queue_;
  std::string command_;
  HostView& host_;
  sys::EventLoop* loop_ = nullptr;
  supervisor::Streams* streams_ = nullptr;
  sys::Fd terminal_;
  std::deque<ApprovalRequest> waiting_;
  std::optional<ApprovalRequest> shown_;
  termios before_{};
  TypedLine typed_;
  sys::Outbox screen_;  // does not block if the terminal is stopped (Ctrl-S) or not read
  std::optional<sys::EventLoop::TimerId> fence_timer_;
  bool reading_ = false;
  bool answers_fence_ = true;  // false after a fence without a reply
};

}  // namespace pinfold::cli
