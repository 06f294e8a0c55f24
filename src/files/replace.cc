// replace.cc: one exact piece of a text for another.
// Invariant: pure; nothing is guessed. Not here: files.
#include "files/replace.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "files/content.h"

namespace pinfold::files {
namespace {

using std::string_view;

std::vector<std::size_t> places_of(string_view text, string_view piece) {
  std::vector<std::size_t> out;
  for (std::size_t at = text.find(piece); at != string_view::npos; at = text.find(piece, at + piece.size()))
    out.push_back(at);
  return out;
}

std::size_t line_at(string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// The most frequent mistake, of people and models: the right words with other blanks.
std::string squeezed(string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

Error not_there(string_view text, string_view piece) {
  const std::string bare = squeezed(piece);
  const bool near =
      !bare.empty() && text.size() < (std::size_t{4} << 20) && squeezed(text).find(bare) != std::string::npos;
  return Error(ErrorKind::kNotFound, "the text to replace is not in the file",
               near ? "the same words are there with other blanks or line ends: copy them exactly"
                    : "read the file again: it may have changed");
}

}  // namespace

Result<Replacement> replace_exact(string_view text, const Edit& edit) {
  if (edit.old_text.empty())
    return fail(ErrorKind::kInvalid, "the text to replace is empty", "to write the whole file: pinfold files write");
  if (edit.old_text == edit.new_text)
    return fail(ErrorKind::kInvalid, "the old and the new text are the same",
                "give a new text that differs from the old one");
  std::string piece = edit.old_text;
  std::vector<std::size_t> places = places_of(text, piece);
  LineEnds ends = LineEnds::kNone;
  if (line_ends_of(piece) == LineEnds::kCrLf || (places.empty() && piece.find('\n') != std::string::npos)) {
    // Written with the other kind of line ends than the file has.
    for (const LineEnds kind : {LineEnds::kCrLf, LineEnds::kLf}) {
      if (!places.empty()) break;
      piece = with_line_ends(edit.old_text, kind);
      places = places_of(text, piece);
    }
  }
  if (line_ends_of(text) == LineEnds::kCrLf || line_ends_of(piece) == LineEnds::kCrLf) ends = LineEnds::kCrLf;
  if (places.empty()) return tl::unexpected<Error>(not_there(text, edit.old_text));
  if (places.size() > 1 && !edit.all) {
    std::string lines;
    for (std::size_t i = 0; i < places.size() && i < 5; ++i)
      lines += (i == 0 ? "" : ", ") + std::to_string(line_at(text, places[i]));
    return fail(ErrorKind::kInvalid,
                "the text to replace is there " + std::to_string(places.size()) + " times (lines " + lines +
                    (places.size() > 5 ? "…" : "") + ")",
                "give more of the text around it, or replace all of them: --all");
  }
  const std::string instead = with_line_ends(edit.new_text, ends);
  Replacement out;
  out.places = places.size();
  std::size_t from = 0;
  for (const std::size_t at : places) {
    out.text.append(text.substr(from, at - from)).append(instead);
    from = at + piece.size();
  }
  out.text.append(text.substr(from));
  return out;
}

}  // namespace pinfold::files
