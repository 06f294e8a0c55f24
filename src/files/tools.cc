// tools.cc: from a path as the caller wrote it to an entry that the policy allows.
// Invariant: the entry that was reached is checked, not its spelling; regular files with one name only.
// Not here: the operations (read_file.cc, change_file.cc, find_files.cc).
#include "files/tools.h"

#include <fcntl.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "files/ignore_finder.h"
#include "policy/resolver.h"
#include "sys/call.h"

namespace pinfold::files {

using std::string_view;
using text::shown;

Result<Tools> Tools::open(const Policy& policy, Caller caller, HostView& host) {
  PF_TRY(access, AccessCheck::build(policy, host));
  PF_TRY(walker, Walker::pin(access));
  // $PWD may go through symlinks; the canonical directory counts.
  PF_TRY(directory, policy::canonical_path(caller.working_dir, host));
  caller.working_dir = std::move(directory);
  return Tools(std::move(access), std::move(walker), std::move(caller));
}

Result<std::string> Tools::absolute(string_view path) const {
  if (path.empty()) return fail(ErrorKind::kInvalid, "the path is empty", "name a file or directory");
  if (path.find('\0') != string_view::npos)
    return fail(ErrorKind::kInvalid, "the path " + shown(path) + " contains a NUL byte", "remove it");
  const bool home = path == "~" || path.starts_with("~/");
  if (path[0] != '/' && !home) return paths::join(caller_.working_dir, path);
  const Policy& policy = access_.policy();
  if (policy.absolute_paths == AbsolutePaths::kRefused)
    return fail(
        ErrorKind::kRefused,
        shown(path) + " is absolute; allow_absolute = false (" + shown(policy.absolute_paths_origin.where) + ")",
        "name it from " + shown(caller_.working_dir) +
            ", or use --allow-absolute yes, or set allow_absolute = true in your policy file");
  if (!home) return std::string(path);
  if (!caller_.home.starts_with('/'))
    return fail(ErrorKind::kInvalid, shown(path) + ": the home directory is not known", "write the whole path");
  return caller_.home + std::string(path.substr(1));
}

std::string Tools::shown_path(string_view canonical) const {
  if (canonical == caller_.working_dir) return ".";
  if (!paths::beneath(canonical, caller_.working_dir)) return std::string(canonical);
  return std::string(paths::relative(canonical, caller_.working_dir));
}

Result<void> Tools::check_overrides(const DirectoryEntry& entry, Access wanted, string_view spelled) {
  if (access_.ignored() == Ignored::kAllow) return {};
  if (const HidePattern* pattern = access_.private_by(entry.path))
    PF_CHECK(access_.check_override(
        entry.path, wanted, "private: pattern " + shown(pattern->glob) + " (" + shown(pattern->origin.where) + ")",
        spelled));
  const EntryKind kind = entry.is_directory() ? EntryKind::kDirectory : EntryKind::kOther;
  const IgnoredPath ignored = find_ignored(walker_, entry.path, kind);
  if (!ignored || access_.named(entry.path, ignored.claim)) return {};
  return access_.check_override(entry.path, wanted, ignored.words, spelled);
}

Result<DirectoryEntry> Tools::reach(string_view path, Access wanted, LastLink last, Parents parents) {
  PF_TRY(whole, absolute(path));
  // Nothing is made before the place is known to be writable.
  PF_TRY(entry,
         walker_.walk(access_, whole, last, {path, wanted}, parents == Parents::kMake ? Parents::kAssume : parents));
  if (access_.policy().absolute_paths == AbsolutePaths::kRefused &&
      walker_.around(entry.path) != walker_.around(caller_.working_dir))
    return fail(ErrorKind::kRefused,
                shown(path) + " leads to " + shown(entry.path) +
                    ", out of the directory it starts in; allow_absolute = " + "false (" +
                    shown(access_.policy().absolute_paths_origin.where) + ")",
                "--allow-absolute yes, or in your policy file: allow_absolute = true");
  PF_CHECK(access_.check(entry.path, wanted, path));
  PF_CHECK(check_overrides(entry, wanted, path));
  if (parents != Parents::kMake || entry.directory.is_open()) return entry;
  PF_TRY(made, walker_.walk(access_, whole, last, {path, wanted}, Parents::kMake));
  if (made.path != entry.path)
    return fail(ErrorKind::kRefused, shown(path) + " was changed while it was being reached", "try again");
  return made;
}

Result<void> Tools::check_regular(const DirectoryEntry& entry, Access wanted, string_view spelled) const {
  if (!entry.exists()) return fail(ErrorKind::kNotFound, shown(spelled) + ": No such file or directory");
  const auto refuse = [&](const char* what) {
    return fail(ErrorKind::kRefused, shown(spelled) + " is " + what + ", no regular file");
  };
  switch (entry.info.st_mode & S_IFMT) {
    case S_IFREG: break;
    case S_IFDIR:
      return fail(ErrorKind::kInvalid, shown(spelled) + " is a directory",
                  "pinfold files list " + text::shell_word(spelled));
    case S_IFLNK: return refuse("a symlink");
    case S_IFIFO: return refuse("a pipe");
    case S_IFSOCK: return refuse("a socket");
    default: return refuse("a device");
  }
  // In a writable directory a command can have made a hard link to a file elsewhere; in a read-only one it cannot.
  const bool suspect = entry.info.st_nlink > 1 && access_.scope().look_up(entry.path).access == Access::kWrite &&
                       !access_.named(entry.path, entry.path.size());
  if (!suspect) return {};
  const std::string flag = wanted == Access::kWrite ? "--write " : "--read ";
  return fail(ErrorKind::kRefused,
              shown(spelled) + " has " + std::to_string(entry.info.st_nlink) +
                  " names (hard links), and another of them may be outside the visible paths",
              "if you know them: " + flag + text::shell_word(entry.path));
}

Result<sys::Fd> Tools::open_regular(const DirectoryEntry& entry) const {
  // The pinned file is known to be regular; only the very same one is used.
  sys::Fd fd = sys::Fd::adopt(open_name(entry.directory.raw(), entry.name, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) {
    if (errno == ENOENT || errno == ELOOP) return sys::Fd();
    return tl::unexpected<Error>(sys::os_error("open", shown(entry.path), errno));
  }
  struct stat info {};
  if (::fstat(fd.raw(), &info) != 0) return tl::unexpected<Error>(sys::os_error("fstat", shown(entry.path), errno));
  if (info.st_ino != entry.info.st_ino || info.st_dev != entry.info.st_dev) return sys::Fd();
  return fd;
}

Result<PathDecision> Tools::resolve(string_view path) {
  PF_TRY(whole, absolute(path));
  PF_TRY(entry, walker_.walk(access_, whole, LastLink::kFollow, {path}, Parents::kAssume));
  const policy::Decision found = access_.scope().decide(entry.path);
  PathDecision out;
  out.path = entry.path;
  out.access = found.access;
  out.rule = found.reason;
  out.allow_with = found.allow_with;
  if (found.protection != nullptr)
    out.origin = found.protection->origin;
  else if (found.rule != nullptr)
    out.origin = found.rule->origin;
  if (out.access == Access::kWrite) {
    if (auto checked = access_.check(entry.path, Access::kWrite, path); !checked) {
      out.access = Access::kRead;
      out.rule = checked.error().text();
    }
  }
  if (auto checked = check_overrides(entry, Access::kRead, path); !checked) {
    out.access = Access::kHide;
    out.rule = checked.error().text();
    out.allow_with = "--ignored allow";
  }
  return out;
}

}  // namespace pinfold::files
