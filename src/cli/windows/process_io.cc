// process_io.cc: the process's streams and console on Windows.
// Invariant: changes nothing, only prints. Not here: the host's files (HostView).
#include "cli/process_io.h"

#include <io.h>
#include <unistd.h>

#include <fmt/format.h>

#include "report/outcome.h"
#include "report/table.h"
#include "sys/windows/winapi.h"

namespace pinfold::cli {
namespace {

HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(::_get_osfhandle(fd)); }

// One per process, like its streams.
std::optional<Error>& first_write_error() {
  static std::optional<Error> first;
  return first;
}

}  // namespace

bool is_terminal(int fd) {
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(fd), &mode) != 0;
}

report::Colour colour_for(int fd, HostView& host) {
  DWORD mode = 0;
  const auto no_colour = host.variable("NO_COLOR");
  const bool wanted = !no_colour || no_colour->empty();
  const bool able = ::GetConsoleMode(handle_of(fd), &mode) != 0 && (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
  return able && wanted ? report::Colour::kOn : report::Colour::kOff;
}

report::TextFormat format_for(int fd, HostView& host) {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  const bool known = ::GetConsoleScreenBufferInfo(handle_of(fd), &info) != 0 && info.dwSize.X > 0;
  return {colour_for(fd, host), known ? static_cast<std::size_t>(info.dwSize.X) : std::size_t{0}};
}

void print(int fd, std::string_view text) {
  while (!text.empty()) {
    DWORD written = 0;
    const DWORD piece = static_cast<DWORD>(std::min<std::size_t>(text.size(), 1U << 20U));
    if (::WriteFile(handle_of(fd), text.data(), piece, &written, nullptr) == 0 || written == 0) {
      const DWORD error = ::GetLastError();
      if (error != ERROR_BROKEN_PIPE && error != ERROR_NO_DATA && !first_write_error())
        first_write_error() = Error(ErrorKind::kSystem, "writing the output failed: error " + std::to_string(error));
      return;
    }
    text.remove_prefix(written);
  }
}

std::optional<Error> output_error() { return first_write_error(); }

void print_error(std::string_view what, std::string_view fix, HostView& host) {
  const SetupFailed failed{SetupStage::kSandbox, std::string(what), std::string(fix)};
  print(STDERR_FILENO, report::outcome_message(failed, colour_for(STDERR_FILENO, host)));
}

void print_warning(std::string_view what, std::string_view fix, HostView& host) {
  std::string out = report::paint("pinfold: warning:", report::Paint::kWarn, colour_for(STDERR_FILENO, host)) + " " +
                    report::visible(what) + "\n";
  if (!fix.empty()) out += "  fix: " + report::visible(fix) + "\n";
  print(STDERR_FILENO, out);
}

std::string working_directory() { return {}; }

// GetVersion depends on the program's manifest; RtlGetVersion returns the kernel's own version.
std::string kernel_release() {
  using AskVersion = LONG(WINAPI*)(OSVERSIONINFOW*);
  const HMODULE ntdll = ::GetModuleHandleW(L"ntdll.dll");
  if (ntdll == nullptr) return "unknown";
  const auto ask = reinterpret_cast<AskVersion>(reinterpret_cast<void*>(::GetProcAddress(ntdll, "RtlGetVersion")));
  OSVERSIONINFOW version{};
  version.dwOSVersionInfoSize = sizeof version;
  if (ask == nullptr || ask(&version) != 0) return "unknown";
  const bool wine = ::GetProcAddress(ntdll, "wine_get_version") != nullptr;
  return fmt::format("Windows {}.{}.{}{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber,
                     wine ? " (wine)" : "");
}

}  // namespace pinfold::cli
