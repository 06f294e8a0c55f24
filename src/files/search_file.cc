// search_file.cc: the matching lines of one open file, with lines around them.
// Invariant: the buffer holds whole lines, and as many lines before them as the context needs.
// Not here: which files (find_files.cc), matching (matcher.cc).
#include "files/search_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "files/content.h"
#include "files/literal.h"
#include "sys/call.h"

namespace pinfold::files {

using std::string_view;

namespace {

constexpr std::size_t kFirst = std::size_t{256} << 10;
constexpr std::size_t kLargest = std::size_t{64} << 20;  // a line that is longer is cut
constexpr std::size_t kShownLine = std::size_t{1} << 20;

}  // namespace

FileSearcher::FileSearcher(Matcher matcher, const SearchOptions& options)
    : matcher_(std::move(matcher)), options_(options) {}

bool FileSearcher::room_for(std::size_t bytes) {
  if (bytes <= capacity_) return true;
  if (bytes > kLargest) return false;
  const std::size_t wanted = std::min(kLargest, std::max({bytes, kFirst, capacity_ * 2}));
  std::unique_ptr<char[]> larger(new char[wanted]);  // NOLINT: not cleared: read fills it
  if (capacity_ > 0) std::memcpy(larger.get(), buffer_.get(), capacity_);
  buffer_ = std::move(larger);
  capacity_ = wanted;
  return true;
}

FileSearcher::Outcome FileSearcher::search(int fd, std::size_t size, FileMatches& out) {
  lines_before_ = counted_ = counted_lines_ = shown_to_ = searched_to_ = owed_ = 0;
  std::size_t held = 0;
  room_for(kFirst);
  for (bool first = true;; first = false) {
    const auto got = sys::call("read", "file", [&] { return ::read(fd, buffer_.get() + held, capacity_ - held); });
    if (!got) return Outcome::kUnreadable;
    const auto fresh = static_cast<std::size_t>(*got);
    if (first && looks_binary({buffer_.get(), fresh})) return Outcome::kBinary;
    held += fresh;
    // A small file that has its expected size needs no second read().
    const bool end = fresh == 0 || (first && fresh == size && fresh < capacity_);
    const string_view all(buffer_.get(), held);
    std::size_t whole = held;
    if (!end) {
      const void* last = held == 0 ? nullptr : ::memrchr(buffer_.get(), '\n', held);
      whole = last == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(last) - buffer_.get()) + 1;
      if (whole <= searched_to_) {
        // Not one more line end: a longer buffer, or, at the end of patience, a cut.
        if (held < capacity_) continue;
        if (room_for(capacity_ + 1)) continue;
        whole = held;
      }
    }
    if (!take(all.substr(0, whole), out) || end) return Outcome::kSearched;
    const std::size_t keep = back_by_context(all, whole);
    lines_before_ += count_lines(all.substr(0, keep));
    counted_ = counted_lines_ = 0;
    std::memmove(buffer_.get(), buffer_.get() + keep, held - keep);
    held -= keep;
    searched_to_ = whole - keep;
    shown_to_ -= std::min(shown_to_, keep);
    if (held == capacity_ && !room_for(capacity_ + 1)) {
      // A line of context that fills everything: give it up.
      lines_before_ += count_lines({buffer_.get(), held});
      held = searched_to_ = shown_to_ = 0;
    }
  }
}

std::size_t FileSearcher::back_by_context(string_view text, std::size_t end) const {
  for (std::size_t lines = 0; end > 0; ++lines) {
    if (lines == options_.context) return end;
    const void* found = end < 2 ? nullptr : ::memrchr(text.data(), '\n', end - 1);
    end = found == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
  }
  return 0;
}

void FileSearcher::add_line(string_view text, std::size_t begin, bool matches, FileMatches& out) {
  counted_lines_ += count_lines(text.substr(counted_, begin - counted_));
  counted_ = begin;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  string_view line = text.substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  Line one;
  one.number = lines_before_ + counted_lines_ + 1;
  if (matches) one.hits = matcher_.hits(line.substr(0, kShownLine));
  if (matches && one.hits.empty()) one.hits.emplace_back(0, 0);
  one.text = line.substr(0, kShownLine);
  out.lines.push_back(std::move(one));
  shown_to_ = std::min(end + 1, text.size());
}

bool FileSearcher::take(string_view text, FileMatches& out) {
  const auto context_until = [&](std::size_t until) {
    while (owed_ > 0 && shown_to_ < until) {
      add_line(text, shown_to_, false, out);
      --owed_;
    }
  };
  for (std::size_t from = searched_to_; from < text.size();) {
    if (options_.per_file > 0 && out.count >= options_.per_file) {
      // The following lines are context, also if they match.
      context_until(text.size());
      return owed_ > 0;
    }
    const std::size_t begin = matcher_.next_line(text, from);
    context_until(std::min(begin, text.size()));
    if (begin == string_view::npos) break;
    ++out.count;
    if (options_.names_only) return false;
    const std::size_t next = std::min(text.find('\n', begin), text.size() - 1) + 1;
    if (options_.counts_only) {
      from = next;
      continue;
    }
    std::size_t back = options_.context == 0 ? begin : back_by_context(text, begin);
    for (back = std::max(back, shown_to_); back < begin; back = shown_to_) add_line(text, back, false, out);
    add_line(text, begin, true, out);
    owed_ = options_.context;
    from = next;
  }
  return true;
}

}  // namespace pinfold::files
