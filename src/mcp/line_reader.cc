// line_reader.cc: cuts at newlines.
#include "mcp/line_reader.h"

#include <utility>

namespace pinfold::mcp {
namespace {

// More than this is given back once the line is done: long lines are rare.
constexpr std::size_t kKeptCapacity = std::size_t{64} << 10;

void hand_out(std::string_view line, const LineReader::Sink& sink) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!line.empty()) sink.line(line);
}

}  // namespace

void LineReader::feed(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return keep(bytes);
    end_line(bytes.substr(0, end), sink);
    bytes.remove_prefix(end + 1);
  }
}

void LineReader::finish(const Sink& sink) { end_line({}, sink); }

void LineReader::keep(std::string_view piece) {
  if (passed_over_ == 0 && begun_.size() + piece.size() <= longest_) {
    begun_ += piece;
    return;
  }
  finder_.feed(begun_);
  finder_.feed(piece);
  passed_over_ += begun_.size() + piece.size();
  begun_ = {};
}

void LineReader::end_line(std::string_view rest, const Sink& sink) {
  if (passed_over_ == 0 && begun_.empty() && rest.size() <= longest_) return hand_out(rest, sink);
  keep(rest);
  if (passed_over_ > 0) {
    const IdFinder finder = std::exchange(finder_, IdFinder());
    sink.overlong(std::exchange(passed_over_, 0), finder.found());
    return;
  }
  // The handler may lead to another feed(): nothing of this line may be left here by then.
  std::string line = std::move(begun_);
  begun_.clear();
  hand_out(line, sink);
  if (begun_.empty() && line.capacity() <= kKeptCapacity) {
    line.clear();
    begun_ = std::move(line);
  }
}

}  // namespace pinfold::mcp
