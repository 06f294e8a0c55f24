// sbpl_text.cc: quotes strings, writes case-insensitive expressions, and maps paths to the kernel's names of them.
// Invariant: any bytes of a path read back as exactly that path. Not here: the rules (sbpl.cc).
#include "backend/darwin/sbpl_text.h"

#include <array>

#include "base/glob.h"
#include "base/paths.h"

namespace pinfold::backend::darwin {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

std::string sbpl_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string any_case(std::string_view parent, std::string_view name) {
  std::string out = "^" + regex_literal(parent == "/" ? std::string_view() : parent) + "/";
  for (const char c : name) {
    if (!is_letter(c)) {
      out += regex_literal({&c, 1});
    } else if (lower(c) == 's' || lower(c) == 'k') {
      // \u017f and \u212a fold to s and k. The expression stays ASCII: it matches any non-ASCII bytes here.
      ((((out += "([") += lower(c)) += upper(c)) += "]|[^ -~]+)");
    } else {
      (((out += '[') += lower(c)) += upper(c)) += ']';
    }
  }
  return out + "(/|$)";
}

std::string canonical(std::string_view path) {
  constexpr std::string_view kData = "/System/Volumes/Data";
  if (paths::beneath(path, kData)) path.remove_prefix(kData.size());
  for (const std::string_view top : std::to_array<std::string_view>({"/tmp", "/var", "/etc"}))
    if (paths::at_or_beneath(path, top)) return "/private" + std::string(path);
  return std::string(path);
}

}  // namespace pinfold::backend::darwin
