// unified_diff.cc: two texts as a unified diff.
// Invariant: pure; lines that both begin and end with are not compared twice, so a small change in a large file is
// cheap. Not here: colour, files.
#include "files/unified_diff.h"

#include <algorithm>
#include <vector>

#include "base/line_diff.h"

namespace pinfold::files {
namespace {

using std::string_view;

constexpr std::size_t kContext = 3;
// Stands at the end of a last line that has no newline, so that it is another line than the one that has.
constexpr char kNoNewline = '\0';

std::vector<string_view> lines_of(string_view text) {
  std::vector<string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    out.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string joined(const std::vector<string_view>& lines, std::size_t from, std::size_t to) {
  std::string out;
  for (std::size_t i = from; i < to; ++i) {
    out += lines[i];
    if (!lines[i].ends_with('\n')) (out += kNoNewline) += '\n';
  }
  return out;
}

std::string text_of(string_view line) {
  std::string out(line.ends_with('\n') ? line.substr(0, line.size() - 1) : line);
  if (!line.ends_with('\n')) out += kNoNewline;
  return out;
}

std::string range(std::size_t first, std::size_t count) {
  if (count == 0) return std::to_string(first - 1) + ",0";
  return count == 1 ? std::to_string(first) : std::to_string(first) + "," + std::to_string(count);
}

void put(std::string& out, char mark, string_view line) {
  const bool open = line.ends_with(kNoNewline);
  if (open) line.remove_suffix(1);
  ((out += mark) += line) += '\n';
  if (open) out += "\\ No newline at end of file\n";
}

}  // namespace

std::string unified_diff(string_view before, string_view after, string_view name, OldFile was) {
  if (before == after && was == OldFile::kPresent) return {};
  const auto a = lines_of(before);
  const auto b = lines_of(after);
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;

  std::vector<DiffLine> all;
  const std::size_t lead = std::min(head, kContext);
  for (std::size_t i = head - lead; i < head; ++i) all.push_back({Change::kKept, text_of(a[i])});
  for (DiffLine& line : line_diff(joined(a, head, a.size() - tail), joined(b, head, b.size() - tail), SIZE_MAX / 2))
    all.push_back(std::move(line));
  for (std::size_t i = a.size() - tail; i < std::min(a.size(), a.size() - tail + kContext); ++i)
    all.push_back({Change::kKept, text_of(a[i])});

  std::string out = was == OldFile::kMissing ? "--- /dev/null\n" : "--- a/" + std::string(name) + "\n";
  out += "+++ b/" + std::string(name) + "\n";
  std::size_t old_line = head - lead + 1;
  std::size_t new_line = old_line;
  for (std::size_t at = 0; at < all.size();) {
    if (all[at].change == Change::kKept) {
      ++at, ++old_line, ++new_line;
      continue;
    }
    const std::size_t back = std::min(at, kContext);
    std::size_t from = at;
    while (from > at - back && all[from - 1].change == Change::kKept) --from;
    std::size_t end = at;
    for (std::size_t kept = 0; end < all.size() && kept <= 2 * kContext; ++end)
      kept = all[end].change == Change::kKept ? kept + 1 : 0;
    std::size_t trailing = 0;
    while (end > at && all[end - 1].change == Change::kKept) --end, ++trailing;
    end += std::min(trailing, kContext);
    std::string body;
    std::size_t removed = 0;
    std::size_t added = 0;
    for (std::size_t i = from; i < end; ++i) {
      const Change change = all[i].change;
      put(body, change == Change::kKept ? ' ' : change == Change::kRemoved ? '-' : '+', all[i].text);
      removed += change != Change::kAdded ? 1 : 0;
      added += change != Change::kRemoved ? 1 : 0;
    }
    const std::size_t led = at - from;
    out += "@@ -" + range(old_line - led, removed) + " +" + range(new_line - led, added) + " @@\n" + body;
    old_line += removed - led;
    new_line += added - led;
    at = end;
  }
  return out;
}

}  // namespace pinfold::files
