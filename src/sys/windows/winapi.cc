// winapi.cc: error texts, text and path conversions for Windows calls; also the error texts of call.h.
#include "sys/windows/winapi.h"

#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf16.h"
#include "base/windows_paths.h"
#include "sys/call.h"

namespace pinfold::sys {

static_assert(sizeof(wchar_t) == sizeof(char16_t));

std::wstring wide(std::u16string_view text) { return {text.begin(), text.end()}; }
std::wstring wide(std::string_view utf8) { return wide(to_utf16(utf8).value_or(u"")); }
std::string narrow(std::wstring_view text) { return to_utf8(std::u16string(text.begin(), text.end())).value_or(""); }

Error win_error(std::string_view name, std::string_view subject, unsigned long error) {
  std::wstring words(512, L'\0');
  const DWORD length = ::FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error,
                                        MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), words.data(),
                                        static_cast<DWORD>(words.size()), nullptr);
  words.resize(length);
  while (!words.empty() && (words.back() == L'\n' || words.back() == L'\r' || words.back() == L' ')) words.pop_back();
  const bool missing = error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
  return {missing ? ErrorKind::kNotFound : ErrorKind::kSystem,
          fmt::format("{}({}): {} ({})", name, text::shown(subject), text::shown(narrow(words)), error)};
}

Result<std::wstring> call_path(std::string_view core) {
  auto path = windows_paths::to_windows(core);
  if (!path) return tl::unexpected<Error>(std::move(path).error());
  return wide("\\\\?\\" + *path);
}

Result<std::string> core_path(std::wstring_view windows) {
  std::string text = narrow(windows);
  if (text.empty()) return fail(ErrorKind::kInvalid, "a path of this host is not well-formed UTF-16", "rename it");
  std::string_view path = text;
  if (path.starts_with("\\\\?\\") && !path.starts_with("\\\\?\\UNC\\")) path.remove_prefix(4);
  while (path.size() > 3 && path.back() == '\\') path.remove_suffix(1);
  return windows_paths::to_core(path);
}

Error os_error(std::string_view name, std::string_view subject, int error) {
  return {error == ENOENT ? ErrorKind::kNotFound : ErrorKind::kSystem,
          fmt::format("{}({}): {}", name, text::shown(subject), errno_text(error))};
}
std::string errno_name(int error) { return fmt::format("errno {}", error); }
std::string errno_text(int error) { return std::strerror(error); }

}  // namespace pinfold::sys
