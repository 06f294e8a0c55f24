// id_finder.cc: tracks strings and brackets only.
#include "mcp/id_finder.h"

namespace pinfold::mcp {
namespace {

constexpr std::size_t kLongestId = 256;

bool is_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

bool is_whole_number(std::string_view token) {
  if (token.starts_with('-')) token.remove_prefix(1);
  return !token.empty() && token.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

void IdFinder::feed(std::string_view piece) {
  for (const char byte : piece) {
    if (complete_ || position_ == Position::kLost) return;
    take(byte);
  }
}

std::optional<std::string> IdFinder::found() const {
  if (!complete_ || token_.size() > kLongestId) return std::nullopt;
  if (!token_.starts_with('"') && !is_whole_number(token_)) return std::nullopt;
  return token_;
}

void IdFinder::take(char byte) {
  if (in_string_)
    take_in_string(byte);
  else
    take_outside(byte);
}

void IdFinder::take_in_string(char byte) {
  const bool keeps = depth_ == 1 && (position_ == Position::kKey || wanted_);
  if (keeps && token_.size() <= kLongestId) token_ += byte;
  if (escaped_) {
    escaped_ = false;
  } else if (byte == '\\') {
    escaped_ = true;
  } else if (byte == '"') {
    in_string_ = false;
    if (depth_ != 1) return;
    if (position_ == Position::kKey)
      position_ = Position::kColon;
    else
      end_of_value();
  }
}

void IdFinder::end_of_value() {
  if (wanted_) complete_ = true;
  position_ = Position::kAfter;
}

void IdFinder::take_outside(char byte) {
  if (position_ == Position::kStart) {
    if (is_space(byte)) return;
    position_ = byte == '{' ? Position::kKey : Position::kLost;
    depth_ = 1;
    return;
  }
  if (byte == '"') {
    in_string_ = true;
    if (depth_ == 1 && (position_ == Position::kKey || wanted_)) token_ = "\"";
    return;
  }
  if (depth_ == 1 && wanted_ && position_ == Position::kValue) {
    const bool ends = byte == ',' || byte == '}' || is_space(byte);
    if (!ends && token_.size() <= kLongestId) token_ += byte;
    if (ends && !token_.empty()) return end_of_value();
  }
  if (byte == '{' || byte == '[') {
    ++depth_;
  } else if (byte == '}' || byte == ']') {
    if (--depth_ == 0)
      position_ = Position::kLost;
    else if (depth_ == 1)
      end_of_value();
  } else if (depth_ == 1 && byte == ':') {
    wanted_ = token_ == "\"id\"";
    token_.clear();
    position_ = Position::kValue;
  } else if (depth_ == 1 && byte == ',') {
    wanted_ = false;
    position_ = Position::kKey;
  }
}

}  // namespace pinfold::mcp
