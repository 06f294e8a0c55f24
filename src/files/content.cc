// content.cc: the kind of a file's content, and its line ends.
// Invariant: pure. Not here: reading files.
#include "files/content.h"

#include "base/utf8.h"

namespace pinfold::files {

using std::string_view;

bool looks_binary(string_view beginning) { return beginning.substr(0, kBinaryWindow).find('\0') != string_view::npos; }

Content content_of(string_view bytes) {
  if (looks_binary(bytes)) return Content::kBinary;
  return is_utf8(bytes) ? Content::kUtf8 : Content::kOther;
}

LineEnds line_ends_of(string_view bytes) {
  bool bare = false;
  bool carriage = false;
  for (std::size_t at = bytes.find('\n'); at != string_view::npos; at = bytes.find('\n', at + 1))
    (at > 0 && bytes[at - 1] == '\r' ? carriage : bare) = true;
  if (bare && carriage) return LineEnds::kMixed;
  return bare ? LineEnds::kLf : carriage ? LineEnds::kCrLf : LineEnds::kNone;
}

std::string with_line_ends(string_view text, LineEnds ends) {
  if (ends != LineEnds::kCrLf && ends != LineEnds::kLf) return std::string(text);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool pair = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    if (pair) continue;
    if (text[at] == '\n' && ends == LineEnds::kCrLf) out += '\r';
    out += text[at];
  }
  return out;
}

string_view word(Content content) {
  return content == Content::kUtf8 ? "utf-8" : content == Content::kOther ? "other" : "binary";
}

string_view word(LineEnds ends) {
  switch (ends) {
    case LineEnds::kLf: return "lf";
    case LineEnds::kCrLf: return "crlf";
    case LineEnds::kMixed: return "mixed";
    case LineEnds::kNone: break;
  }
  return "none";
}

}  // namespace pinfold::files
