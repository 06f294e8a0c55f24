// line_reader.h: splits a byte stream into lines.
// Invariant: keeps at most one line of the allowed length; the result does not depend on how the input is split; a
// longer line is skipped and reported once, with its id if it contains one. Not here: the content of a line
// (message.h).
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
  struct Handlers {
    // Without the newline and a CR before it; never empty. Valid only during the call.
    std::function<void(std::string_view)> line;
    std::function<void(std::uint64_t bytes, const std::optional<std::string>& id)> overlong;
  };

  explicit LineReader(std::size_t longest) : longest_(longest) {}

  void feed(std::string_view bytes, const Handlers& handlers);
  // End of input: the bytes after the last newline are a line, too.
  void finish(const Handlers& handlers);

 private:
  void keep(std::string_view piece);
  void end_line(std::string_view rest, const Handlers& handlers);

  std::size_t longest_;
  std::string partial_;
  std::uint64_t skipped_bytes_ = 0;  // bytes so far of a line that is too long
  IdFinder finder_;
};

}  // namespace pinfold::mcp
