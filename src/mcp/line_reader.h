// line_reader.h: bytes as they come → lines.
// Invariant: keeps at most one line of the allowed length; the cuts between the pieces make no difference; a longer
// line is passed over and told once, with its id if it shows one. Not here: what is in a line (message.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/id_finder.h"

namespace pinfold::mcp {

class LineReader {
 public:
  struct Sink {
    // Without its newline and a CR before that; never empty. Valid only during the call.
    std::function<void(std::string_view)> line;
    std::function<void(std::uint64_t bytes, const std::optional<std::string>& id)> overlong;
  };

  explicit LineReader(std::size_t longest) : longest_(longest) {}

  void feed(std::string_view bytes, const Sink& sink);
  // There will be no more: what has no newline yet is a line, too.
  void finish(const Sink& sink);

 private:
  void keep(std::string_view piece);
  void end_line(std::string_view rest, const Sink& sink);

  std::size_t longest_;
  std::string begun_;
  std::uint64_t passed_over_ = 0;  // bytes of a line that is too long, this far
  IdFinder finder_;
};

}  // namespace pinfold::mcp
