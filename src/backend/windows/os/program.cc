// program.cc: searches the sandbox's PATH.
#include "backend/windows/os/program.h"

#include "backend/windows/command_line.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "base/windows_paths.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {
namespace {

bool is_file(const std::string& path) {
  const auto name = sys::call_path(path);
  if (!name) return false;
  const DWORD attributes = ::GetFileAttributesW(name->c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

// Tries .exe and .com first, then .bat and .cmd, so that the error can say that Pinfold does not start those.
std::string find_with_extension(const std::string& path) {
  for (const char* extension : {"", ".exe", ".com", ".bat", ".cmd"})
    if (is_file(path + extension)) return path + extension;
  return {};
}

std::string search_path(const Plan& plan) {
  for (const Step& step : plan.steps)
    if (const auto* environment = std::get_if<Environment>(&step.body))
      for (const Variable& one : environment->variables)
        if (one.name == "PATH") return one.value;
  return {};
}

}  // namespace

Result<std::string> find_program(const std::string& command, const Plan& plan, const std::string& working_dir) {
  PF_TRY(core_command, windows_paths::to_core(command, {working_dir, {}}));
  std::string found;
  if (core_command.find('/') != std::string::npos) {
    found = find_with_extension(
        paths::normal(core_command[0] == '/' ? core_command : paths::join(working_dir, core_command)));
  } else {
    const std::string list = search_path(plan);
    for (std::size_t begin = 0; begin <= list.size() && found.empty();) {
      const std::size_t end = std::min(list.find(':', begin), list.size());
      const std::string directory = list.substr(begin, end - begin);
      begin = end + 1;
      if (directory.starts_with('/')) found = find_with_extension(paths::join(directory, core_command));
    }
  }
  if (found.empty())
    return fail(ErrorKind::kNotFound, text::shown(command) + ": command not found in the sandbox's view",
                "check the name, or write its whole path");
  PF_CHECK(check_program(found));
  return found;
}

}  // namespace pinfold::backend::on_windows
