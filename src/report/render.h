// render.h: a report as text for people.
// Invariant: everything that came from the sandbox is escaped before it reaches a terminal.
// Not here: JSON, which is public (include/pinfold/report.h), writing files, deciding about colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pinfold/report.h"

namespace pinfold::report {

enum class Colour { kOff, kOn };

// How text is laid out.
struct TextFormat {
  Colour colour = Colour::kOff;
  std::size_t width = 0;  // columns; 0: lines are as long as they get
};

// The flag that would allow it, with its condition; the way to allow it if that is no flag; or empty.
std::string allow_text(const Denial& denial);
std::string denial_summary(const Report& report, TextFormat format);  // empty when nothing was denied or noted
std::string outcome_message(const Outcome& outcome,
                            Colour colour);  // for refused, setup_failed, timed_out, killed by a limit; else empty
std::string coverage_table(const std::vector<Coverage>& rows, TextFormat format);

// An array of rows, each as in a report.
std::string coverage_json_text(const std::vector<Coverage>& rows);
// One object, as in a report.
std::string denial_json_text(const Denial& denial);
std::string outcome_json_text(const Outcome& outcome);

// Control, bidi and zero-width characters and invalid UTF-8 as visible escapes.
std::string visible(std::string_view text);
// The same, but lines stay lines: for Pinfold's own messages of several lines.
std::string visible_lines(std::string_view text);

}  // namespace pinfold::report
