// typed_line.cc: ECMA-48's sequences, as far as one must know them to find their ends.
#include "cli/typed_line.h"

#include <utility>

namespace pinfold::cli {
namespace {

constexpr unsigned char kEscape = 27;
constexpr unsigned char kBell = 7;
constexpr unsigned char kCancel = 24;
constexpr unsigned char kSubstitute = 26;
constexpr unsigned char kDelete = 127;
constexpr unsigned char kC1ToEscape = 0x40;  // 0x9b, or ESC [
constexpr std::size_t kLongestLine = 16;
constexpr std::size_t kLongestParameters = 64;
// A terminal sends a sequence in one go. What was begun so long ago has lost its end, and must not swallow keys.
constexpr auto kForgotten = std::chrono::seconds(3);

}  // namespace

SequenceFilter::Kind SequenceFilter::begin(unsigned char introducer) {
  switch (introducer) {
    case '[':
      state_ = State::kCsi;
      parameters_.clear();
      break;
    case ']':  // OSC
    case 'P':  // DCS
    case '_':  // APC
    case '^':  // PM
    case 'X':  // SOS
      state_ = State::kString;
      break;
    case 'N':  // SS2
    case 'O':  // SS3: function keys
      state_ = State::kOneMore;
      break;
    case kEscape: state_ = State::kEscape; break;
    default:
      // ESC and intermediates ("ESC ( B") go on; ESC and a letter is a key with Alt, which is no answer.
      state_ = introducer >= 0x20 && introducer < 0x30 ? State::kEscape : State::kPlain;
      // Escape and then Enter or Ctrl-C are two keys.
      if (introducer < 0x20) return Kind::kKey;
  }
  return Kind::kNothing;
}

SequenceFilter::Kind SequenceFilter::end_csi(char last) {
  state_ = State::kPlain;
  if (last == 'M' && parameters_.empty()) mouse_left_ = 3;  // three bytes follow that may be letters
  if (last == '~' && parameters_ == "200") pasting_ = true;
  if (last == '~' && parameters_ == "201") pasting_ = false;
  return last == 'n' && parameters_ == "0" ? Kind::kStatus : Kind::kNothing;
}

// The bytes behind the first of a character in UTF-8 look like 8 bit controls.
bool SequenceFilter::is_inside_character(unsigned char byte) {
  if (utf8_left_ > 0 && (byte & 0xc0) == 0x80) {
    --utf8_left_;
    return true;
  }
  utf8_left_ = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc3 ? 1 : 0;
  return utf8_left_ > 0;
}

SequenceFilter::Kind SequenceFilter::take(char taken) {
  const auto byte = static_cast<unsigned char>(taken);
  if (mouse_left_ > 0) {
    --mouse_left_;
    return Kind::kNothing;
  }
  if (is_inside_character(byte)) return Kind::kNothing;
  if (byte == kCancel || byte == kSubstitute) {
    state_ = State::kPlain;
    return Kind::kNothing;
  }
  // 0xc2 comes before an 8 bit control in UTF-8, and says nothing by itself.
  if (byte == 0xc2) return Kind::kNothing;
  if (state_ == State::kString) {
    if (byte == kBell || byte == 0x9c) state_ = State::kPlain;
    if (byte == kEscape) state_ = State::kStringEscape;
    return Kind::kNothing;
  }
  if (state_ == State::kStringEscape) {
    state_ = State::kPlain;
    if (byte != '\\') static_cast<void>(begin(byte));
    return Kind::kNothing;
  }
  if (byte >= 0x80 && byte < 0xa0) {
    state_ = State::kPlain;
    return begin(static_cast<unsigned char>(byte - kC1ToEscape));
  }
  switch (state_) {
    case State::kEscape: return begin(byte);
    case State::kCsi:
      if (byte == kEscape) return begin(byte);
      if (byte >= 0x40 && byte < kDelete) return end_csi(taken);
      if (parameters_.size() < kLongestParameters) parameters_ += taken;
      return Kind::kNothing;
    case State::kOneMore: state_ = State::kPlain; return Kind::kNothing;
    default: break;
  }
  if (byte == kEscape) return begin(byte);
  return pasting_ || byte >= 0x80 ? Kind::kNothing : Kind::kKey;
}

void TypedLine::start(Fence fence, sys::Clock::time_point now) {
  filter_.reset();
  line_.clear();
  held_.clear();
  has_told_ = false;
  fence_until_.reset();
  if (fence == Fence::kSent) fence_until_ = now + kFencePatience;
  last_ = now;
  listening_ = false;
}

bool TypedLine::listens(sys::Clock::time_point now) {
  const bool silent = now - last_ >= kSilence;
  if (filter_.is_inside() && now - last_ >= kForgotten) filter_.reset();
  last_ = now;
  if (silent && !filter_.is_inside()) listening_ = true;
  return listening_;
}

TypedLine::Step TypedLine::take(char byte, sys::Clock::time_point now) {
  const bool listening = listens(now);
  const SequenceFilter::Kind kind = filter_.take(byte);
  if (kind == SequenceFilter::Kind::kStatus && is_fence_out()) {
    fence_until_.reset();
    listening_ = false;
    // Terminals answer in order: these keys were typed before the question was on the screen.
    if (!std::exchange(held_, {}).empty()) return drop();
    return {};
  }
  if (kind != SequenceFilter::Kind::kKey) return {};
  if (byte == 3) return {Event::kInterrupt};
  if (!listening) return drop();
  if (!is_fence_out()) return press(byte);
  if (held_.size() < kLongestLine) held_ += byte;
  return {};
}

std::string TypedLine::give_up_on_fence() {
  if (!is_fence_out()) return {};
  fence_until_.reset();
  return std::exchange(held_, {});
}

TypedLine::Step TypedLine::drop() {
  if (std::exchange(has_told_, true)) return {};
  return {Event::kDropped};
}

TypedLine::Step TypedLine::press(char byte) {
  if (byte == '\n' || byte == '\r') return {Event::kLine};
  if (byte == 4) return {Event::kGone};
  if (byte == 8 || byte == static_cast<char>(kDelete)) {
    if (line_.empty()) return {};
    line_.pop_back();
    return {Event::kErase, 1};
  }
  if (byte == 21) {  // Ctrl-U
    const std::size_t size = line_.size();
    line_.clear();
    return {Event::kErase, size};
  }
  if (byte < ' ' || line_.size() == kLongestLine) return {};
  line_ += byte;
  return {Event::kEcho};
}

}  // namespace pinfold::cli
