// windows_paths.cc: reads Windows paths by their text alone.
// Invariant: a result names the same file as the input on every version of Windows; otherwise the input is refused.
// Not here: the host.
#include "base/windows_paths.h"

#include <algorithm>
#include <array>

#include "base/paths.h"
#include "base/text.h"
#include "base/utf8.h"

namespace pinfold::windows_paths {
namespace {

using std::string;
using std::string_view;
using text::shown;

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_separator(char c) { return c == '/' || c == '\\'; }

auto refuse(string_view text, string_view why, string fix) {
  return fail(ErrorKind::kInvalid, shown(text) + ": " + string(why), std::move(fix));
}

// "/c", "/c/…": absolute in the core.
bool has_drive(string_view core) {
  return core.size() >= 2 && core[0] == '/' && is_letter(core[1]) && (core.size() == 2 || core[2] == '/');
}

// Checks every name of "a/b/c". Skips empty names, "." and "..", which the core resolves.
Result<void> check_names(string_view path, string_view whole) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const string_view name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == "." || name == "..") continue;
    if (auto fine = check_name(name); !fine)
      return tl::unexpected<Error>(Error(fine.error()).within(name == whole ? string() : shown(whole)));
  }
  return {};
}

// Whether ".." in `path`, which starts `above` names below the list of drives, leads to that list.
bool leaves_drive(string_view path, std::size_t above) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const string_view name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    above = name == ".." ? above - 1 : above + 1;
    if (above == 0) return true;
  }
  return false;
}

auto refuse_above(string_view text) {
  return refuse(text, "leads above the top of its drive: Windows stays at the top there",
                "write the whole path: C:\\…");
}

template <typename Each>
void split(string_view list, char separator, Each each) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    each(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

bool is_device_name(string_view name) {
  string stem;
  for (const char c : name.substr(0, name.find_first_of(".:"))) stem += upper(c);
  stem.erase(stem.find_last_not_of(' ') + 1);
  for (const string_view one :
       std::to_array<string_view>({"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$", "CONFIG$"}))
    if (stem == one) return true;
  if (!stem.starts_with("COM") && !stem.starts_with("LPT")) return false;
  const string_view rest = string_view(stem).substr(3);
  // Windows accepts the superscripts one, two and three as digits.
  return (rest.size() == 1 && rest[0] >= '0' && rest[0] <= '9') || rest == "\xC2\xB9" || rest == "\xC2\xB2" ||
         rest == "\xC2\xB3";
}

bool looks_short(string_view name) {
  const string_view stem = name.substr(0, name.find('.'));
  const string_view extension = stem.size() == name.size() ? string_view{} : name.substr(stem.size() + 1);
  const std::size_t tilde = stem.find('~');
  if (tilde == string_view::npos || tilde == 0 || stem.size() > 8 || extension.size() > 3) return false;
  const string_view digits = stem.substr(tilde + 1);
  return !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<void> check_name(string_view name) {
  if (name.empty()) return refuse(name, "the name is empty", "write a file's name");
  if (!is_utf8(name)) return refuse(name, "the name is not UTF-8", "rename the file");
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20 || string_view("<>\"|?*/\\").find(c) != string_view::npos)
      return refuse(name, "no file of Windows can have such a name", "check the path");
  if (name.find(':') != string_view::npos)
    return refuse(name, "names a stream of a file (a name with a colon)", "name the file itself");
  if (name.back() == '.' || name.back() == ' ')
    return refuse(name, "Windows drops the dot or space at the end, so that it names another file",
                  "write the name without it");
  if (is_device_name(name)) return refuse(name, "is a device on Windows, not a file", "rename the file");
  if (looks_short(name))
    return refuse(name, "may be the short name of another file, which cannot be told from its text",
                  "write the long name");
  return {};
}

Result<string> to_core(string_view text) {
  if (text.find('\0') != string_view::npos) return refuse(text, "the path contains a NUL byte", "remove it");
  string path(text);
  std::replace(path.begin(), path.end(), '\\', '/');
  if (path.starts_with("//?/") || path.starts_with("//./") || path.starts_with("/?\?/"))
    return refuse(text, "is a path that Windows does not check or that names a device", "write the path as C:\\…");
  if (path.starts_with("//"))
    return refuse(text, "lies on another machine: nothing there can be granted", "copy it to a local disk");
  if (path.size() >= 2 && is_letter(path[0]) && path[1] == ':') {
    if (path.size() > 2 && path[2] != '/')
      return refuse(text, "is relative to the working directory of that drive, which only some programs know",
                    "write the whole path: " + string(1, path[0]) + ":\\…");
    path = "/" + string(1, lower(path[0])) + path.substr(2);
    if (path.size() == 3) path.pop_back();
  } else if (path.starts_with('/')) {
    if (text[0] == '\\')
      return refuse(text, "starts at the top of a drive, but does not say which", "write the drive, too: C:\\…");
    if (!has_drive(path) && path != "/")
      return refuse(text, "is not below a drive", "write C:\\…, or /c/… for the same");
    if (path.size() > 1) path[1] = lower(path[1]);
  }
  const string_view names = path.starts_with('~') ? string_view(path).substr(1)
                            : has_drive(path)     ? string_view(path).substr(2)
                                                  : string_view(path);
  if (auto fine = check_names(names, text); !fine) return tl::unexpected<Error>(std::move(fine).error());
  if (has_drive(path) && leaves_drive(names, 1)) return refuse_above(text);
  return path;
}

Result<string> to_core(string_view text, const BaseDirectories& base) {
  auto path = to_core(text);
  if (!path || path->starts_with('/')) return path;
  const bool at_home = *path == "~" || path->starts_with("~/");
  const string_view start = at_home ? base.home : base.directory;
  if (!start.empty() && leaves_drive(string_view(*path).substr(at_home ? 1 : 0), paths::depth(start)))
    return refuse_above(text);
  return path;
}

Result<string> to_windows(string_view core) {
  if (!has_drive(core)) return refuse(core, "is not below a drive", "name a path such as /c/Users");
  if (auto fine = check_names(core.substr(2), core); !fine) return tl::unexpected<Error>(std::move(fine).error());
  string out = string(1, upper(core[1])) + ":" + string(core.substr(2));
  if (out.size() == 2) out += '/';
  std::replace(out.begin(), out.end(), '/', '\\');
  return out;
}

string search_to_core(string_view list) {
  string out;
  split(list, ';', [&](string_view one) {
    if (one.size() >= 2 && one.front() == '"' && one.back() == '"') one = one.substr(1, one.size() - 2);
    while (one.size() > 3 && is_separator(one.back())) one.remove_suffix(1);
    const auto path = to_core(one);
    if (!path || !has_drive(*path)) return;
    if (!out.empty()) out += ':';
    out += paths::normal(*path);
  });
  return out;
}

string search_to_windows(string_view list) {
  string out;
  split(list, ':', [&](string_view one) {
    const auto path = to_windows(one);
    if (!path) return;
    if (!out.empty()) out += ';';
    out += *path;
  });
  return out;
}

}  // namespace pinfold::windows_paths
