// table.h: rows of cells as aligned text; the only code that handles columns and colour codes.
// Invariant: cells must already be visible(); width is counted in characters, so alignment survives accents.
// Not here: the content of cells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/render.h"

namespace pinfold::report {

enum class Paint { kNone, kGood, kWarn, kBad, kDim, kBold };

std::string paint(std::string_view text, Paint paint, Colour colour);

struct Cell {
  std::string text;
  Paint paint = Paint::kNone;
};

// Two spaces between columns, `indent` before each row, no trailing blanks, a newline after each row.
// How wide a text is on a terminal, colours apart.
std::size_t columns(std::string_view text);
std::string table(const std::vector<std::vector<Cell>>& rows, std::size_t indent, Colour colour);
// The same; a last column that does not fit goes on below itself, broken at blanks.
std::string table(const std::vector<std::vector<Cell>>& rows, std::size_t indent, TextFormat format);

}  // namespace pinfold::report
