// line_diff.cc: longest common subsequence of lines.
// Invariant: at most kMostCells steps.
// Not here: colour.
#include "base/line_diff.h"

#include <algorithm>

namespace pinfold {
namespace {

constexpr std::size_t kMostCells = 4'000'000;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

std::vector<DiffLine> whole_diff(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::vector<DiffLine> out;
  const std::size_t rows = a.size();
  const std::size_t columns = b.size();
  if ((rows + 1) * (columns + 1) > kMostCells) {
    for (const auto line : a) out.push_back({Change::kRemoved, std::string(line)});
    for (const auto line : b) out.push_back({Change::kAdded, std::string(line)});
    return out;
  }
  // common[i][j]: how many lines a[i…] and b[j…] share.
  std::vector<std::uint32_t> common((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return common[i * (columns + 1) + j]; };
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t j = columns; j-- > 0;)
      at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && a[i] == b[j]) {
      out.push_back({Change::kKept, std::string(a[i++])});
      ++j;
    } else if (j == columns || (i < rows && at(i + 1, j) >= at(i, j + 1))) {
      out.push_back({Change::kRemoved, std::string(a[i++])});
    } else {
      out.push_back({Change::kAdded, std::string(b[j++])});
    }
  }
  return out;
}

}  // namespace

std::vector<DiffLine> line_diff(std::string_view before, std::string_view after, std::size_t context) {
  const std::vector<DiffLine> all = whole_diff(lines_of(before), lines_of(after));
  std::vector<bool> wanted(all.size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].change == Change::kKept) continue;
    const std::size_t from = i > context ? i - context : 0;
    const std::size_t to = std::min(all.size(), i + context + 1);
    std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(from), wanted.begin() + static_cast<std::ptrdiff_t>(to),
              true);
  }
  std::vector<DiffLine> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted[i]) out.push_back(all[i]);
  return out;
}

}  // namespace pinfold
