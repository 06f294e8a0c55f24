// visible.cc: text from outside as text that is safe on a terminal.
// Invariant: the result has no control, bidi, zero-width or invalid character; escaping twice changes nothing.
// Not here: the escaping itself (base/text.h), layout and colour (table.h).
#include "base/text.h"
#include "report/render.h"

namespace pinfold::report {

std::string visible(std::string_view text) { return text::shown(text); }

std::string visible_lines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += visible(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace pinfold::report
