// line_reader.cc: splits at newlines.
#include "mcp/line_reader.h"

#include <utility>

namespace pinfold::mcp {
namespace {

// A larger buffer is freed after its line: long lines are rare.
constexpr std::size_t kKeptCapacity = std::size_t{64} << 10;

void deliver(std::string_view line, const LineReader::Handlers& handlers) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!line.empty()) handlers.line(line);
}

}  // namespace

void LineReader::feed(std::string_view bytes, const Handlers& handlers) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return keep(bytes);
    end_line(bytes.substr(0, end), handlers);
    bytes.remove_prefix(end + 1);
  }
}

void LineReader::finish(const Handlers& handlers) { end_line({}, handlers); }

void LineReader::keep(std::string_view piece) {
  if (skipped_bytes_ == 0 && partial_.size() + piece.size() <= longest_) {
    partial_ += piece;
    return;
  }
  finder_.feed(partial_);
  finder_.feed(piece);
  skipped_bytes_ += partial_.size() + piece.size();
  partial_ = {};
}

void LineReader::end_line(std::string_view rest, const Handlers& handlers) {
  if (skipped_bytes_ == 0 && partial_.empty() && rest.size() <= longest_) return deliver(rest, handlers);
  keep(rest);
  if (skipped_bytes_ > 0) {
    const IdFinder finder = std::exchange(finder_, IdFinder());
    handlers.overlong(std::exchange(skipped_bytes_, 0), finder.found());
    return;
  }
  // The handler may call feed() again: the members must not hold this line by then.
  std::string line = std::move(partial_);
  partial_.clear();
  deliver(line, handlers);
  if (partial_.empty() && line.capacity() <= kKeptCapacity) {
    line.clear();
    partial_ = std::move(line);
  }
}

}  // namespace pinfold::mcp
