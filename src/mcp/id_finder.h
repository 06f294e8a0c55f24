// id_finder.h: finds the id of a message that is too long, too deeply nested or too damaged to parse.
// Invariant: uses at most a few hundred bytes of memory; the result does not depend on how the input is split.
// Not here: parsing messages (message.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pinfold::mcp {

class IdFinder {
 public:
  void feed(std::string_view piece);
  // The first top-level member "id", verbatim: a string with its quotes, or an integer.
  std::optional<std::string> found() const;

 private:
  enum class Position { kStart, kKey, kColon, kValue, kAfter, kLost };
  void take(char byte);
  void take_in_string(char byte);
  void take_outside(char byte);
  void end_of_value();

  Position position_ = Position::kStart;  // only while depth_ is 1
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool wanted_ = false;  // the current value belongs to "id"
  bool complete_ = false;
  std::string token_;
};

}  // namespace pinfold::mcp
