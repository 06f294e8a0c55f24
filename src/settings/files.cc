// files.cc: finds policy files and checks their owners.
// Invariant: owner and permissions are those of the text that was read.
// Not here: their content (policy/document.h), consent (trust.h).
#include "settings/files.h"

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "base/windows_paths.h"

namespace pinfold::settings {
namespace {

using text::shell_word;
using text::shown;

constexpr std::size_t kLongestFile = 256 * 1024;

enum class AllowedOwner { kCaller, kCallerOrRoot };

Result<void> check_owner(const HostFile& file, const std::string& path, AllowedOwner owner, HostView& host) {
  const HostIdentity me = host.identity();
  const bool mine = file.uid == me.uid || (owner == AllowedOwner::kCallerOrRoot && file.uid == 0);
  if (!mine)
    return fail(
        ErrorKind::kRefused,
        shown(path) + " belongs to another user (uid " + std::to_string(file.uid) + "), so Pinfold does not use it",
        "look at it, then: chown " + std::to_string(me.uid) + " " + shell_word(path));
  // With a group of one's own, as most distributions give, the group's right to write is the owner's.
  const bool own_group = file.gid == me.gid && me.gid == me.uid;
  const bool others = (file.mode & 0002U) != 0;
  if (others || ((file.mode & 0020U) != 0 && !own_group && file.gid != 0))
    return fail(
        ErrorKind::kRefused,
        shown(path) + " can be written by " + (others ? "every user" : "its group") + ", so Pinfold does not use it",
        "look at it, then: chmod go-w " + shell_word(path));
  return {};
}

// "~/…" below the home directory, a relative path below the working directory.
std::string short_name(const std::string& path, const Caller& caller) {
  if (paths::beneath(path, caller.working_dir)) return std::string(paths::relative(path, caller.working_dir));
  if (caller.home.size() > 1 && paths::beneath(path, caller.home))
    return "~/" + std::string(paths::relative(path, caller.home));
  return path;
}

Result<PolicyFile> read(const std::string& path, const Caller& caller, HostView& host) {
  const std::string directory(paths::parent(path));
  PF_TRY(file, host.read_owned(directory, std::string(paths::basename(path)), Links::kStayInside, kLongestFile));
  PF_CHECK(check_owner(file, path, AllowedOwner::kCaller, host));
  return PolicyFile{path, short_name(path, caller), directory, std::move(file.text)};
}

std::string own_directory(const char* variable, const char* below_home, const Caller& caller, HostView& host) {
  const std::string base = host.variable(variable).value_or("");
  if (base.starts_with('/')) return paths::normal(base + "/pinfold");
  if (!caller.home.starts_with('/')) return {};
  return paths::normal(caller.home + below_home + "/pinfold");
}

Error with_fix(Error error) {
  if (!error.fix().empty() || error.kind() != ErrorKind::kRefused) return error;
  return {error.kind(), error.text(), "remove it, or go on without it: --no-project-file"};
}

}  // namespace

std::string config_directory(const Caller& caller, HostView& host) {
  return own_directory("XDG_CONFIG_HOME", "/.config", caller, host);
}

std::string state_directory(const Caller& caller, HostView& host) {
  return own_directory("XDG_STATE_HOME", "/.local/state", caller, host);
}

std::string grants_directory(const Caller& caller, HostView& host) {
  if (caller.platform != Platform::kWindows) return {};
  const auto local = windows_paths::to_core(host.variable("LOCALAPPDATA").value_or(""));
  return local && local->starts_with('/') ? paths::normal(*local + "/pinfold/sandboxes") : std::string();
}

Result<std::optional<PolicyFile>> find_user_file(const Caller& caller, HostView& host) {
  const std::string directory = config_directory(caller, host);
  if (directory.empty()) return std::nullopt;
  auto file = host.read_owned(directory, "config.toml", Links::kAnywhere, kLongestFile);
  if (!file && file.error().kind() == ErrorKind::kNotFound) return std::nullopt;
  if (!file) return tl::unexpected<Error>(std::move(file).error());
  const std::string path = paths::join(directory, "config.toml");
  PF_CHECK(check_owner(*file, path, AllowedOwner::kCallerOrRoot, host));
  return PolicyFile{path, short_name(path, caller), {}, std::move(file->text)};
}

Result<std::optional<PolicyFile>> find_project_file(const Caller& caller, HostView& host) {
  for (std::string_view directory = caller.working_dir;; directory = paths::parent(directory)) {
    const std::string path = paths::join(directory, kProjectFile);
    if (host.kind(path) != HostKind::kMissing) {
      auto file = read(path, caller, host);
      if (!file) return tl::unexpected<Error>(with_fix(std::move(file).error()));
      return std::move(*file);
    }
    if (directory == "/") return std::nullopt;
  }
}

Result<PolicyFile> read_project_file(const std::string& path, const Caller& caller, HostView& host) {
  auto file = read(path, caller, host);
  // kNotFound is for commands; a named file that does not exist is a mistake on the command line.
  if (!file && file.error().kind() == ErrorKind::kNotFound) return fail(ErrorKind::kInvalid, file.error().text());
  return file;
}

}  // namespace pinfold::settings
