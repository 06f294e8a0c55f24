// table.cc: aligned columns.
// Invariant: padding goes outside of colour codes, so a coloured table lines up like a plain one.
// Not here: wrapping; a long last column simply runs on.
#include "report/table.h"

#include <algorithm>

namespace pinfold::report {

namespace {

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
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
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i].text));
  }
  std::string out;
  for (const auto& row : rows) {
    std::size_t last = row.size();
    while (last > 0 && row[last - 1].text.empty()) --last;
    out.append(last == 0 ? 0 : indent, ' ');
    for (std::size_t i = 0; i < last; ++i) {
      out += paint(row[i].text, row[i].paint, colour);
      if (i + 1 < last) out.append(widths[i] - width(row[i].text) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace pinfold::report
