// id_finder.h: the id of a message that is too long, too deep or too broken to be read.
// Invariant: a few hundred bytes of memory, whatever comes; the cuts between the pieces make no difference.
// Not here: reading messages (message.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pinfold::mcp {

class IdFinder {
 public:
  void feed(std::string_view piece);
  // The first member "id" at the top, as it is written: a string with its quotes, or a whole number.
  std::optional<std::string> found() const;

 private:
  enum class At { kStart, kKey, kColon, kValue, kAfter, kLost };
  void take(char byte);
  void take_in_string(char byte);
  void take_outside(char byte);
  void end_of_value();

  At at_ = At::kStart;  // only while depth_ is 1
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool wanted_ = false;  // the value now read belongs to "id"
  bool complete_ = false;
  std::string token_;
};

}  // namespace pinfold::mcp
