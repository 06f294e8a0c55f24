// rules.cc: turns shown paths into rules, and leaves hidden ones out of them.
#include "backend/linux/landlock/rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <set>

#include "backend/linux/child/blueprint.h"
#include "backend/linux/child/kernel.h"
#include "backend/linux/landlock_abi.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kMostRules = 50'000;

bool is_below(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.size() > 1;
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

bool is_writable(View view) { return view == View::kWrite || view == View::kWriteExec; }

// Hiding a file that the user cannot read has no effect: no process inside has the capability to read it.
bool is_readable(const std::string& path) { return ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0; }

// A socket that a rule shows by its own path may be connected to.
std::uint64_t socket_right(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode) ? LANDLOCK_ACCESS_FS_RESOLVE_UNIX : 0;
}

class RuleMaker {
 public:
  RuleMaker(const Plan& plan, const ScratchHome& scratch) : plan_(plan), scratch_(scratch) {}

  Result<Rules> run() && {
    for (const Step& step : plan_.steps) std::visit([&](const auto& body) { this->note(body, step); }, step.body);
    for (const ShownPath& shown : shows_) PF_CHECK(show(shown), "making Landlock's rules");
    // An executable program must not be writable.
    for (const ShownPath& program : programs_)
      if (is_inside_writable(program.path)) protect(program.path, program.origin);
    for (const HiddenPath& hidden : hides_) record_open_path(hidden);
    PF_CHECK(allow(scratch_.tmp(), landlock_rights(View::kWriteExec, EntryKind::kDirectory)));
    out_.access.add(scratch_.tmp(), PathAccess::kWritable, {});
    if (!scratch_.home().empty()) PF_CHECK(allow(scratch_.home(), landlock_rights(View::kRead, EntryKind::kDirectory)));
    return std::move(out_);
  }

 private:
  struct ShownPath {
    std::string path;
    View view;
    EntryKind kind;
    Origin origin;
  };
  struct HiddenPath {
    std::string path;
    bool by_pattern;
    bool own;
  };

  void note(const ShowPath& step, const Step& whole) {
    shows_.push_back({step.host, step.view, step.kind, whole.origin});
    out_.access.add(step.host, is_writable(step.view) ? PathAccess::kWritable : PathAccess::kReadOnly, whole.origin);
  }
  void note(const HidePath& step, const Step& whole) {
    out_.access.add(step.at, PathAccess::kHidden, whole.origin);
    if (step.own || is_readable(step.at)) hides_.push_back({step.at, !step.pattern.empty(), step.own});
  }
  void note(const ProtectPath& step, const Step& whole) { protect(step.at, whole.origin); }
  void note(const ProtectName& step, const Step& whole) {
    if (step.guard == NameGuard::kPlaceholder) protect(step.parent + "/" + step.name, whole.origin);
  }
  // Paths that other backends replace with mounts of their own are not shown from the host.
  void note(const PrivateTmp& step, const Step&) {
    for (const std::string& at : step.at) replaced_.insert(at);
  }
  void note(const Devices&, const Step&) {
    replaced_.insert("/dev");
    for (const char* device : child::kDevices) out_.rules.push_back({device, landlock_device_rights()});
    for (const char* ptmx : {"/dev/ptmx", "/dev/pts/ptmx"}) {
      std::array<char, PATH_MAX> real{};
      if (::realpath(ptmx, real.data()) != nullptr) out_.rules.push_back({real.data(), landlock_device_rights()});
    }
  }
  // Only for reading: writable files there are the kernel's settings, and other processes' entries.
  void note(const Processes&, const Step&) {
    replaced_.insert("/proc");
    out_.rules.push_back({"/proc", landlock_rights(View::kRead, EntryKind::kDirectory)});
  }
  void note(const ExecLimit& step, const Step& whole) {
    if (step.mode == ExecMode::kAny) return;
    for (const std::string& directory : step.libraries)
      shows_.push_back({directory, View::kRead, EntryKind::kDirectory, whole.origin});
    for (const std::string& program : step.programs) {
      out_.rules.push_back({program, landlock_rights(View::kReadExec, EntryKind::kFile)});
      programs_.push_back({program, View::kRead, EntryKind::kFile, whole.origin});
    }
  }
  void note(const MakeFile& step, const Step&) {
    if (!scratch_.contains(step.at)) out_.not_made.push_back(step.at);
  }
  template <typename Other>
  void note(const Other&, const Step&) {}

  void protect(const std::string& path, const Origin& origin) {
    out_.access.add(path, PathAccess::kProtected, origin);
    out_.guarded_only.push_back(path);
  }

  bool is_inside_writable(const std::string& path) const {
    return std::any_of(shows_.begin(), shows_.end(),
                       [&](const ShownPath& other) { return is_writable(other.view) && is_below(path, other.path); });
  }

  Result<void> show(const ShownPath& shown) {
    if (!is_writable(shown.view) && is_inside_writable(shown.path)) {
      protect(shown.path, shown.origin);
      return {};
    }
    // A rule for a writable directory covers everything below it. If one of Pinfold's own directories is there, each
    // entry beside it gets a rule instead, and no new names can be made beside it.
    const bool apart = is_writable(shown.view) ? holds_own(shown.path) : holds_something_hidden(shown.path);
    if (apart && is_writable(shown.view)) out_.no_new_names.push_back(shown.path);
    if (!apart) return allow(shown.path, landlock_rights(shown.view, shown.kind) | socket_right(shown.path));
    return allow_entries(shown.path, shown.view);
  }

  bool is_hidden(const std::string& path) const {
    return replaced_.contains(path) ||
           std::any_of(hides_.begin(), hides_.end(), [&](const HiddenPath& each) { return each.path == path; });
  }
  bool holds_something_hidden(const std::string& path) const {
    return std::any_of(hides_.begin(), hides_.end(),
                       [&](const HiddenPath& each) { return is_below(each.path, path); }) ||
           std::any_of(replaced_.begin(), replaced_.end(), [&](const auto& each) { return is_below(each, path); });
  }

  bool holds_own(const std::string& path) const {
    return std::any_of(hides_.begin(), hides_.end(),
                       [&](const HiddenPath& each) { return each.own && is_below(each.path, path); });
  }

  // Every entry of the directory except hidden ones. Listing it is allowed: its names are visible anyway.
  Result<void> allow_entries(const std::string& directory, View view) {
    auto fd =
        sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0));
    if (!fd.is_open()) return tl::unexpected<Error>(sys::os_error("open", directory, errno));
    std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd.raw()), ::closedir);
    if (!stream) return tl::unexpected<Error>(sys::os_error("fdopendir", directory, errno));
    static_cast<void>(fd.release());
    PF_CHECK(allow(directory, LANDLOCK_ACCESS_FS_READ_DIR));
    while (const dirent* entry = ::readdir(stream.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      const std::string path = directory == "/" ? "/" + name : directory + "/" + name;
      struct stat info {};
      if (is_hidden(path) || ::fstatat(::dirfd(stream.get()), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISLNK(info.st_mode)) continue;  // following a link needs no right
      if (S_ISDIR(info.st_mode) && (is_writable(view) ? holds_own(path) : holds_something_hidden(path))) {
        PF_CHECK(allow_entries(path, view));
        continue;
      }
      auto kind = S_ISDIR(info.st_mode) ? EntryKind::kDirectory : EntryKind::kFile;
      PF_CHECK(allow(path, landlock_rights(view, kind)));
    }
    return {};
  }

  Result<void> allow(const std::string& path, std::uint64_t rights) {
    out_.rules.push_back({path, rights});
    if (out_.rules.size() <= kMostRules) return {};
    return fail(ErrorKind::kUnavailable, "too many entries beside hidden files in " + path,
                "hide whole directories instead of single files");
  }

  // Below a writable directory everything is allowed, hidden paths included.
  void record_open_path(const HiddenPath& hidden) {
    if (!hidden.own && is_inside_writable(hidden.path))
      (hidden.by_pattern ? out_.open_patterns : out_.open_hidden).push_back(hidden.path);
  }

  const Plan& plan_;
  const ScratchHome& scratch_;
  Rules out_;
  std::vector<ShownPath> shows_;
  std::vector<ShownPath> programs_;
  std::vector<HiddenPath> hides_;
  std::set<std::string> replaced_;
};

}  // namespace

Result<Rules> make_rules(const Plan& plan, const ScratchHome& scratch) { return RuleMaker(plan, scratch).run(); }

}  // namespace pinfold::backend::on_linux
