// arguments.cc: writes the profile, its parameters and the command as arguments of sandbox-exec.
// Invariant: see arguments.h. Not here: the text of the profile (sbpl.cc).
#include "backend/darwin/arguments.h"

namespace pinfold::backend::darwin {
namespace {

constexpr std::size_t kLongestProfile = 512 * 1024;  // arguments and environment share one megabyte

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

}  // namespace

Result<std::vector<std::string>> sandbox_arguments(const Profile& profile, const std::vector<std::string>& command) {
  if (profile.text.size() > kLongestProfile)
    return fail(ErrorKind::kUnavailable, "the profile is too long for this system", "use fewer rules");
  if (command.empty() || !command[0].starts_with('/'))
    return fail(ErrorKind::kInvalid, "the path of the command is not absolute", "name the program by its path");
  std::vector<std::string> argv = {kSandboxExec, "-p", profile.text};
  for (const auto& [name, value] : profile.parameters) {
    argv.emplace_back("-D");
    argv.push_back(name + "=" + value);
  }
  argv.insert(argv.end(), command.begin(), command.end());
  for (const std::string& word : argv)
    if (has_nul(word))
      return fail(ErrorKind::kInvalid, "a path or an argument holds a NUL byte, which would end it early",
                  "leave that rule or argument out");
  return argv;
}

}  // namespace pinfold::backend::darwin
