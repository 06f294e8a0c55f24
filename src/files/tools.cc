// tools.cc: from a path as somebody wrote it to a place that may be touched.
// Invariant: the place that was reached is judged, not its spelling; regular files with one name only.
// Not here: what is done there (read_file.cc, change_file.cc, find_files.cc, search_files.cc).
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
  PF_TRY(gate, Gate::build(policy, host), "");
  PF_TRY(walker, Walker::pin(gate), "");
  // The shell's own spelling may go through symlinks; what counts is where it is.
  PF_TRY(directory, policy::canonical_path(caller.working_dir, host), "");
  caller.working_dir = std::move(directory);
  return Tools(std::move(gate), std::move(walker), std::move(caller));
}

Result<std::string> Tools::absolute(string_view path) const {
  if (path.empty()) return fail(ErrorKind::kInvalid, "the path is empty", "name a file or directory");
  if (path.find('\0') != string_view::npos)
    return fail(ErrorKind::kInvalid, "the path " + shown(path) + " contains a NUL byte", "remove it");
  const bool home = path == "~" || path.starts_with("~/");
  if (path[0] != '/' && !home) return paths::join(caller_.working_dir, path);
  const Policy& policy = gate_.policy();
  if (policy.absolute_paths == AbsolutePaths::kRefused)
    return fail(
        ErrorKind::kRefused,
        shown(path) + " is absolute; allow_absolute = false (" + shown(policy.absolute_paths_origin.where) + ")",
        "name it from " + shown(caller_.working_dir) +
            ", or say --allow-absolute yes, or in your policy file: allow_absolute = true");
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

Result<void> Tools::check_overrides(const Place& place, Access wanted, string_view spelled) {
  if (gate_.ignored() == Ignored::kAllow) return {};
  if (const HidePattern* pattern = gate_.private_by(place.path))
    PF_CHECK(gate_.check_override(
                 place.path, wanted,
                 "private: pattern " + shown(pattern->glob) + " (" + shown(pattern->origin.where) + ")", spelled),
             "");
  const EntryKind kind = place.is_directory() ? EntryKind::kDirectory : EntryKind::kOther;
  const IgnoredPath ignored = find_ignored(walker_, place.path, kind);
  if (!ignored || gate_.named(place.path, ignored.claim)) return {};
  return gate_.check_override(place.path, wanted, ignored.words, spelled);
}

Result<Place> Tools::reach(string_view path, Access wanted, LastLink last, Parents parents) {
  PF_TRY(whole, absolute(path), "");
  // Nothing is made before the place is known to be writable.
  PF_TRY(place,
         walker_.walk(gate_, whole, last, {path, wanted}, parents == Parents::kMake ? Parents::kImagine : parents), "");
  if (gate_.policy().absolute_paths == AbsolutePaths::kRefused &&
      walker_.around(place.path) != walker_.around(caller_.working_dir))
    return fail(ErrorKind::kRefused,
                shown(path) + " leads to " + shown(place.path) +
                    ", out of the directory it starts in; allow_absolute = " + "false (" +
                    shown(gate_.policy().absolute_paths_origin.where) + ")",
                "--allow-absolute yes, or in your policy file: allow_absolute = true");
  PF_CHECK(gate_.check(place.path, wanted, path), "");
  PF_CHECK(check_overrides(place, wanted, path), "");
  if (parents != Parents::kMake || place.directory.is_open()) return place;
  PF_TRY(made, walker_.walk(gate_, whole, last, {path, wanted}, Parents::kMake), "");
  if (made.path != place.path)
    return fail(ErrorKind::kRefused, shown(path) + " was changed while it was being reached", "try again");
  return made;
}

Result<void> Tools::check_regular(const Place& place, Access wanted, string_view spelled) const {
  if (!place.exists()) return fail(ErrorKind::kNotFound, shown(spelled) + ": No such file or directory");
  const auto refuse = [&](const char* what) {
    return fail(ErrorKind::kRefused, shown(spelled) + " is " + what + ", no regular file");
  };
  switch (place.info.st_mode & S_IFMT) {
    case S_IFREG: break;
    case S_IFDIR:
      return fail(ErrorKind::kInvalid, shown(spelled) + " is a directory",
                  "pinfold files list " + text::shell_word(spelled));
    case S_IFLNK: return refuse("a symlink");
    case S_IFIFO: return refuse("a pipe");
    case S_IFSOCK: return refuse("a socket");
    default: return refuse("a device");
  }
  // Where commands may write, they may have linked what lies elsewhere; in what is only read nobody could.
  const bool suspect = place.info.st_nlink > 1 && gate_.scope().look(place.path).access == Access::kWrite &&
                       !gate_.named(place.path, place.path.size());
  if (!suspect) return {};
  const std::string flag = wanted == Access::kWrite ? "--write " : "--read ";
  return fail(ErrorKind::kRefused,
              shown(spelled) + " has " + std::to_string(place.info.st_nlink) +
                  " names (hard links), and another may lie outside of what is shown",
              "if you know them: " + flag + text::shell_word(place.path));
}

Result<sys::Fd> Tools::open_regular(const Place& place) const {
  // The pinned file is known to be regular; only the very same one is used.
  sys::Fd fd = sys::Fd::adopt(open_name(place.directory.raw(), place.name, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) {
    if (errno == ENOENT || errno == ELOOP) return sys::Fd();
    return tl::unexpected<Error>(sys::os_error("open", shown(place.path), errno));
  }
  struct stat info {};
  if (::fstat(fd.raw(), &info) != 0) return tl::unexpected<Error>(sys::os_error("fstat", shown(place.path), errno));
  if (info.st_ino != place.info.st_ino || info.st_dev != place.info.st_dev) return sys::Fd();
  return fd;
}

Result<PathDecision> Tools::resolve(string_view path) {
  PF_TRY(whole, absolute(path), "");
  PF_TRY(place, walker_.walk(gate_, whole, LastLink::kFollow, {path}, Parents::kImagine), "");
  const policy::Decision found = gate_.scope().decide(place.path);
  PathDecision out;
  out.path = place.path;
  out.access = found.access;
  out.rule = found.reason;
  out.allow_with = found.allow_with;
  if (found.protection != nullptr)
    out.origin = found.protection->origin;
  else if (found.rule != nullptr)
    out.origin = found.rule->origin;
  if (out.access == Access::kWrite) {
    if (auto checked = gate_.check(place.path, Access::kWrite, path); !checked) {
      out.access = Access::kRead;
      out.rule = checked.error().text();
    }
  }
  if (auto checked = check_overrides(place, Access::kRead, path); !checked) {
    out.access = Access::kHide;
    out.rule = checked.error().text();
    out.allow_with = "--ignored allow";
  }
  return out;
}

}  // namespace pinfold::files
