// table.cc: aligned columns.
// Invariant: padding goes outside of colour codes, so a coloured table lines up like a plain one.
// Not here: the content of cells.
#include "report/table.h"

#include <algorithm>
#include <vector>

namespace pinfold::report {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

namespace {

constexpr std::size_t kNarrowest = 20;  // columns below which a broken text is worse than a long line

// `text` in pieces of at most `limit` columns, broken at blanks; a word that is longer stays whole. 0: no limit.
std::vector<std::string_view> lines(std::string_view text, std::size_t limit) {
  std::vector<std::string_view> out;
  while (limit > 0 && columns(text) > limit) {
    std::size_t cut = std::string_view::npos;
    for (std::size_t at = text.find(' '); at != std::string_view::npos; at = text.find(' ', at + 1)) {
      if (cut != std::string_view::npos && columns(text.substr(0, at)) > limit) break;
      cut = at;
    }
    if (cut == std::string_view::npos) break;
    out.push_back(text.substr(0, cut));
    text.remove_prefix(cut + 1);
  }
  out.push_back(text);
  return out;
}

const char* code(Paint paint) {
  switch (paint) {
    case Paint::kGood: return "\x1b[32m";
    case Paint::kWarn: return "\x1b[33m";
    case Paint::kBad: return "\x1b[31m";
    case Paint::kDim: return "\x1b[2m";
    case Paint::kBold: return "\x1b[1m";
    case Paint::kNone: break;
  }
  return "";
}

}  // namespace

std::string paint(std::string_view text, Paint paint, Colour colour) {
  if (colour == Colour::kOff || paint == Paint::kNone || text.empty()) return std::string(text);
  return std::string(code(paint)) + std::string(text) + "\x1b[0m";
}

std::string table(const std::vector<std::vector<Cell>>& rows, std::size_t indent, Colour colour) {
  return table(rows, indent, TextFormat{colour, 0});
}

std::string table(const std::vector<std::vector<Cell>>& rows, std::size_t indent, TextFormat format) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i].text));
  }
  std::string out;
  for (const auto& row : rows) {
    std::size_t last = row.size();
    while (last > 0 && row[last - 1].text.empty()) --last;
    out.append(last == 0 ? 0 : indent, ' ');
    std::size_t column = indent;
    for (std::size_t i = 0; i < last; ++i) {
      const Cell& cell = row[i];
      const bool wraps = i + 1 == row.size() && format.width >= column + kNarrowest;
      std::string gap = "\n" + std::string(column, ' ');
      for (const std::string_view line : lines(cell.text, wraps ? format.width - column : 0)) {
        if (line.data() != cell.text.data()) out += gap;
        out += paint(line, cell.paint, format.colour);
      }
      if (i + 1 < last) out.append(widths[i] - columns(cell.text) + 2, ' ');
      column += widths[i] + 2;
    }
    out += '\n';
  }
  return out;
}

}  // namespace pinfold::report
