// stderr_ring.cc: splits into lines, drops the oldest.
#include "mcp/stderr_ring.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/utf8.h"

namespace pinfold::mcp {
namespace {

constexpr std::size_t kLongestLine = 4096;

}  // namespace

void StderrRing::feed(std::string_view bytes) {
  seen_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    const std::size_t room = kLongestLine - partial_.size();
    partial_ += piece.substr(0, room);
    cut_ = cut_ || piece.size() > room;
    if (end == std::string_view::npos) return;
    end_line();
    bytes.remove_prefix(end + 1);
  }
}

void StderrRing::finish() {
  if (!partial_.empty()) end_line();
}

void StderrRing::end_line() {
  std::string line = std::exchange(partial_, {});
  if (line.ends_with('\r')) line.pop_back();
  if (std::exchange(cut_, false)) line = std::string(utf8_head(line, kLongestLine - 4)) + "…";
  line = clean_(valid_utf8(line));
  show_(line);
  held_ += line.size() + 1;
  lines_.push_back(std::move(line));
  while (held_ > most_ && !lines_.empty()) {
    held_ -= lines_.front().size() + 1;
    lines_.pop_front();
  }
}

}  // namespace pinfold::mcp
