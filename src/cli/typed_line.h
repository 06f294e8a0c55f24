// typed_line.h: separates typed keys from input that a terminal sends by itself, and collects the typed line.
// Invariant: bytes of a control sequence, however reads split it, never become part of the line; a key counts only
// after the reply to the fence and after kSilence without input. If the reply never comes, the keys typed since count
// after kFenceTimeout. A key that does not count is reported once (kDropped). Not here: the terminal
// (terminal_approval_ui.h), the meaning of the line.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "sys/event_loop.h"

namespace pinfold::cli {

// Splits a terminal's input, byte by byte and across reads, into keys and control sequences (7 and 8 bit).
class SequenceFilter {
 public:
  enum class Kind { kNothing, kKey, kStatus };  // kStatus: the reply to kFence
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
  enum class Event { kNothing, kEcho, kErase, kLine, kEndOfInput, kInterrupt, kDropped };
  struct Step {
    Event event = Event::kNothing;
    std::size_t erase = 0;  // for kErase: how many characters
  };
  // DSR (device status report), to which every terminal replies; input before the reply belongs to earlier sequences.
  static constexpr std::string_view kFence = "\x1b[5n";
  static constexpr auto kSilence = std::chrono::milliseconds(300);
  static constexpr auto kFenceTimeout = std::chrono::seconds(2);

  enum class Fence { kSent, kNone };
  void start(Fence fence, sys::Clock::time_point now);
  // Handles one byte that arrived at `now`.
  Step take(char byte, sys::Clock::time_point now);
  // Call it kFenceTimeout after start(): returns the held keys if no reply to the fence came. Pass each to press().
  std::string give_up_on_fence();
  bool is_fence_pending() const { return fence_until_.has_value(); }
  // A key that counts.
  Step press(char key);
  const std::string& line() const { return line_; }
  void clear() { line_.clear(); }

 private:
  bool accepts_key(sys::Clock::time_point now);
  Step drop();

  SequenceFilter filter_;
  std::string line_;
  std::string held_;  // keys typed before the reply to the fence
  bool has_reported_drop_ = false;
  std::optional<sys::Clock::time_point> fence_until_;
  sys::Clock::time_point last_{};
  bool accepting_ = false;
};

}  // namespace pinfold::cli
