// glob_expression.cc: a pattern as a regular expression, for backends that match names by one.
// Invariant: matches the same relative paths as Glob::matches(), byte by byte. A class that not every regex engine
// reads the same way becomes "any character": the expression matches more, never less. Not here: quoting it (backend).
#include "base/glob.h"
#include "base/glob_class.h"

namespace pinfold {
namespace {

using std::string;
using std::string_view;

// Regex engines differ in the meaning of these inside [].
constexpr string_view kUnsure = "]\\^-[";

void put_range(int low, int high, string& out) {
  out += static_cast<char>(low);
  if (high > low + 1) out += '-';
  if (high > low) out += static_cast<char>(high);
}

// `text` is a class with its brackets; `holds(byte)` is true if the class matches the byte.
template <typename Holds>
string class_expression(string_view text, Holds&& holds) {
  const bool negated = text[1] == '!' || text[1] == '^';
  string listed, apart;
  for (int c = 1; c < 256; ++c) {
    const auto in_list = [&](int byte) {
      return byte < 256 && byte != '/' && kUnsure.find(static_cast<char>(byte)) == string_view::npos &&
             holds(static_cast<char>(byte)) != negated;
    };
    if (kUnsure.find(static_cast<char>(c)) != string_view::npos && holds(static_cast<char>(c)) != negated) {
      apart += (apart.empty() ? "" : "|") + regex_literal(string(1, static_cast<char>(c)));
    } else if (in_list(c)) {
      int end = c;
      while (in_list(end + 1)) ++end;
      put_range(c, end, listed);
      c = end;
    }
  }
  if (negated) return apart.empty() ? "[^" + listed + "/]" : "[^/]";
  if (apart.empty()) return listed.empty() ? "[^/]" : "[" + listed + "]";
  return "(" + (listed.empty() ? "" : "[" + listed + "]|") + apart + ")";
}

}  // namespace

string regex_literal(string_view text) {
  constexpr string_view kMeaningful = R"(.*+?()[{|^$\)";  // POSIX leaves a backslash before other characters undefined
  string out;
  for (const char c : text) {
    if (kMeaningful.find(c) != string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

string Glob::segment_expression(const Segment& segment) {
  if (segment.literal) return regex_literal(segment.text);
  const string_view text = segment.text;
  string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '*') {
      out += "[^/]*";
    } else if (text[i] == '?') {
      out += "[^/]";
    } else if (text[i] == '\\') {
      out += regex_literal(text.substr(++i, 1));
    } else if (text[i] == '[') {
      const std::size_t end = glob_class::class_end(text, i);
      const string_view whole = text.substr(i, end - i);
      out += class_expression(whole,
                              [&](char c) { return glob_class::class_matches(whole.substr(1, whole.size() - 2), c); });
      i = end - 1;
    } else {
      out += regex_literal(text.substr(i, 1));
    }
  }
  return out;
}

string Glob::expression() const {
  string out;
  for (const Alternative& alternative : alternatives_) {
    string one;
    for (std::size_t i = 0; i < alternative.size(); ++i) {
      const bool last = i + 1 == alternative.size();
      if (alternative[i].any_depth)
        one += last ? ".+" : "(.*/)?";
      else
        one += segment_expression(alternative[i]) + (last ? "" : "/");
    }
    out += (out.empty() ? "" : "|") + one;
  }
  return alternatives_.size() > 1 ? "(" + out + ")" : out;
}

}  // namespace pinfold
