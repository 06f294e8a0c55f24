// typed_line.cc: parses ECMA-48 control sequences as far as needed to find their ends.
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
constexpr std::size_t kMaxLine = 16;
constexpr std::size_t kMaxParameters = 64;
// A terminal sends a sequence in one write. One that began this long ago has lost its end, and must not swallow keys.
constexpr auto kSequenceTimeout = std::chrono::seconds(3);

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
      // ESC with intermediates ("ESC ( B") continues; ESC with a letter is a key with Alt, which is ignored.
      state_ = introducer >= 0x20 && introducer < 0x30 ? State::kEscape : State::kPlain;
      // Escape and then Enter or Ctrl-C are two keys.
      if (introducer < 0x20) return Kind::kKey;
  }
  return Kind::kNothing;
}

SequenceFilter::Kind SequenceFilter::end_csi(char last) {
  state_ = State::kPlain;
  if (last == 'M' && parameters_.empty()) mouse_left_ = 3;  // three bytes follow, which can be letters
  if (last == '~' && parameters_ == "200") pasting_ = true;
  if (last == '~' && parameters_ == "201") pasting_ = false;
  return last == 'n' && parameters_ == "0" ? Kind::kStatus : Kind::kNothing;
}

// The continuation bytes of a UTF-8 character look like 8-bit controls.
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
  // 0xc2 precedes an 8-bit control in UTF-8, and has no meaning of its own.
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
      if (parameters_.size() < kMaxParameters) parameters_ += taken;
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
  has_reported_drop_ = false;
  fence_until_.reset();
  if (fence == Fence::kSent) fence_until_ = now + kFenceTimeout;
  last_ = now;
  accepting_ = false;
}

bool TypedLine::accepts_key(sys::Clock::time_point now) {
  const bool silent = now - last_ >= kSilence;
  if (filter_.is_inside() && now - last_ >= kSequenceTimeout) filter_.reset();
  last_ = now;
  if (silent && !filter_.is_inside()) accepting_ = true;
  return accepting_;
}

TypedLine::Step TypedLine::take(char byte, sys::Clock::time_point now) {
  const bool accepting = accepts_key(now);
  const SequenceFilter::Kind kind = filter_.take(byte);
  if (kind == SequenceFilter::Kind::kStatus && is_fence_pending()) {
    fence_until_.reset();
    accepting_ = false;
    // A terminal replies in order: these keys were typed before the request was on the screen.
    if (!std::exchange(held_, {}).empty()) return drop();
    return {};
  }
  if (kind != SequenceFilter::Kind::kKey) return {};
  if (byte == 3) return {Event::kInterrupt};
  if (!accepting) return drop();
  if (!is_fence_pending()) return press(byte);
  if (held_.size() < kMaxLine) held_ += byte;
  return {};
}

std::string TypedLine::give_up_on_fence() {
  if (!is_fence_pending()) return {};
  fence_until_.reset();
  return std::exchange(held_, {});
}

TypedLine::Step TypedLine::drop() {
  if (std::exchange(has_reported_drop_, true)) return {};
  return {Event::kDropped};
}

TypedLine::Step TypedLine::press(char byte) {
  if (byte == '\n' || byte == '\r') return {Event::kLine};
  if (byte == 4) return {Event::kEndOfInput};
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
  if (byte < ' ' || line_.size() == kMaxLine) return {};
  line_ += byte;
  return {Event::kEcho};
}

}  // namespace pinfold::cli
