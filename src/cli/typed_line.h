// typed_line.h: tells what a person types from what a terminal sends by itself, and gathers the line that answers.
// Invariant: nothing inside a control sequence, however it is cut into reads, ever becomes part of the line; a key
// counts if it came after the fence had come back and the terminal had been silent for kSilence. Where the fence never
// comes back the keys typed in between count as if it had. A key that does not count is reported once (kDropped).
// Not here: the terminal (terminal_approval_ui.h), what the line means.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "sys/event_loop.h"

namespace pinfold::cli {

// Input of a terminal, byte by byte, across reads: keys on one side, sequences (7 and 8 bit) on the other.
class SequenceFilter {
 public:
  enum class Kind { kNothing, kKey, kStatus };  // kStatus: the answer to kFence
  Kind take(char byte);
  void reset() { state_ = State::kPlain, utf8_left_ = 0, mouse_left_ = 0, pasting_ = false; }
  bool is_inside() const { return state_ != State::kPlain || mouse_left_ > 0 || pasting_; }

 private:
  enum class State { kPlain, kEscape, kCsi, kString, kStringEscape, kOneMore };
  Kind begin(unsigned char introducer);
  Kind end_csi(char last);
  bool is_inside_character(unsigned char byte);

  State state_ = State::kPlain;
  int utf8_left_ = 0;
  int mouse_left_ = 0;
  bool pasting_ = false;
  std::string parameters_;
};

class TypedLine {
 public:
  enum class Event { kNothing, kEcho, kErase, kLine, kGone, kInterrupt, kDropped };
  struct Step {
    Event event = Event::kNothing;
    std::size_t erase = 0;  // for kErase: how many characters
  };
  // Asks every terminal for a sign of life; what it sends before that was asked for before.
  static constexpr std::string_view kFence = "\x1b[5n";
  static constexpr auto kSilence = std::chrono::milliseconds(300);
  static constexpr auto kFencePatience = std::chrono::seconds(2);

  enum class Fence { kSent, kNone };
  void start(Fence fence, sys::Clock::time_point now);
  // What to do about one byte that came at `now`.
  Step take(char byte, sys::Clock::time_point now);
  // To be called kFencePatience after start(): the keys held back, if the fence has not come back. Each goes through
  // press() then.
  std::string give_up_on_fence();
  bool is_fence_out() const { return fence_until_.has_value(); }
  // A key that counts.
  Step press(char key);
  const std::string& line() const { return line_; }
  void clear() { line_.clear(); }

 private:
  bool listens(sys::Clock::time_point now);
  Step drop();

  SequenceFilter filter_;
  std::string line_;
  std::string held_;  // keys typed while the fence is out
  bool has_told_ = false;
  std::optional<sys::Clock::time_point> fence_until_;
  sys::Clock::time_point last_{};
  bool listening_ = false;
};

}  // namespace pinfold::cli
