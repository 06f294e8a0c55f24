// terminal_approval_ui.h: puts questions to the person at the terminal while a command runs, and reads a letter and Enter.
// Invariant: what was typed before a question was on the screen is no answer to it, nor is anything that the terminal
// sends by itself; anything but a clear yes is no; the terminal is left as it was found. Whatever came from the sandbox
// is shown escaped. A terminal that takes no output delays the question, and nothing else. Not here: which questions
// there are (session/approval_queue.h), what a yes changes (supervisor).
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

// The whole question, with the letters that answer it.
std::string question_text(const AccessQuestion& question, const std::string& command, report::Paper paper);

class TerminalFace final : public session::Face {
 public:
  // `command`: what runs, for the question.
  TerminalFace(session::Board& board, std::string command, HostView& host);
  TerminalFace(const TerminalFace&) = delete;
  TerminalFace& operator=(const TerminalFace&) = delete;
  ~TerminalFace() override { close(); }

  // There is a terminal, and somebody may be at it.
  static bool is_there();

  void begin(sys::EventLoop& loop, supervisor::Streams& streams) override;
  void end() override { close(); }
  void asked(const AccessQuestion& question) override;
  void settled(const AccessQuestion& question, std::optional<Answer> answer) override;

 private:
  bool is_ours() const;
  void show_next();
  void hide(const std::string& last_words);
  void start_reading(std::uint64_t question);
  void read_keys();
  void act_on(TypedLine::Step step, char key);
  void take_held_keys();
  void decide();
  void take(Answer answer);
  void close();
  void say(const std::string& text) { screen_.say(text); }

  session::Board& board_;
  std::string command_;
  HostView& host_;
  sys::EventLoop* loop_ = nullptr;
  supervisor::Streams* streams_ = nullptr;
  sys::Fd terminal_;
  std::deque<AccessQuestion> waiting_;
  std::optional<AccessQuestion> shown_;
  termios before_{};
  TypedLine typed_;
  sys::Outbox screen_;  // a terminal may be stopped (Ctrl-S), or its other side may not be read
  std::optional<sys::EventLoop::TimerId> fence_timer_;
  bool reading_ = false;
  bool answers_fence_ = true;  // until a fence does not come back
};

}  // namespace pinfold::cli
