// walk.cc: the pinned roots of a policy, and where a name leads below them.
// Invariant: above the roots the host is not queried: a name there leads to a root, or is refused without a look.
// Not here: the decision (access_check.cc).
#include "files/walk.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/open_how.h"

namespace pinfold::files {
namespace {

using std::string_view;
using text::shown;

constexpr int kMostLinks = 40;  // as the kernel's own bound
constexpr int kPin = O_PATH | O_NOFOLLOW | O_CLOEXEC;

int open_beneath(int directory, const std::string& path, int flags, unsigned mode) {
  constexpr auto kRules = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
  return sys::open_under(directory, path.c_str(), static_cast<unsigned>(flags), kRules, mode).release();
}

// An absolute path without a symlink in it, from the top.
int open_canonical(const std::string& path) {
  if (path == "/") return ::open("/", kPin | O_DIRECTORY);
  const sys::Fd top = sys::Fd::adopt(::open("/", kPin | O_DIRECTORY));
  const int found = open_beneath(top.raw(), path.substr(1), kPin, 0);
  if (found >= 0 || (errno != ENOSYS && errno != EPERM)) return found;
  // Before 5.6, or under a filter: name by name.
  sys::Fd at = sys::Fd::adopt(::fcntl(top.raw(), F_DUPFD_CLOEXEC, 0));
  for (std::size_t from = 1; from <= path.size() && at.is_open();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    at = sys::Fd::adopt(::openat(at.raw(), path.substr(from, end - from).c_str(), kPin));
    from = end + 1;
  }
  return at.release();
}

Result<std::string> link_text(int link, const std::string& path) {
  std::array<char, PATH_MAX> buffer{};
  PF_TRY(size, sys::call("readlink", path, [&] { return ::readlinkat(link, "", buffer.data(), buffer.size()); }));
  if (static_cast<std::size_t>(size) >= buffer.size())
    return fail(ErrorKind::kRefused, shown(path) + " leads to a name that is too long");
  return std::string(buffer.data(), static_cast<std::size_t>(size));
}

Error system_error(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR)
    return Error(ErrorKind::kNotFound, shown(path) + ": " + sys::errno_text(error));
  return sys::os_error("open", shown(path), error);
}

}  // namespace

int open_name(int directory, const std::string& name, int flags, unsigned mode) {
  if (name.empty() || name == ".." || name.find('/') != std::string::npos) {
    errno = EINVAL;
    return -1;
  }
  for (;;) {
    int found = open_beneath(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    if (found < 0 && (errno == ENOSYS || errno == EPERM))
      found = ::openat(directory, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode);
    if (found >= 0 || errno != EINTR) return found;
  }
}

Result<Walker> Walker::pin(const AccessCheck& access) {
  Walker out;
  for (const policy::ScopeRule& rule : access.scope().rules()) {
    if (rule.access == Access::kHide || !access.shows(rule.path)) continue;
    if (rule.path != "/" && access.shows(paths::parent(rule.path))) continue;
    Root root;
    root.path = rule.path;
    root.directory = rule.kind == HostKind::kDirectory;
    const std::string pinned = root.directory ? root.path : std::string(paths::parent(root.path));
    root.fd = sys::Fd::adopt(open_canonical(pinned));
    struct stat info {};
    const bool stands = root.fd.is_open() && ::fstat(root.fd.raw(), &info) == 0 && S_ISDIR(info.st_mode);
    if (!stands) {
      if (rule.origin.source == Source::kPreset) continue;
      return fail(ErrorKind::kInvalid, shown(rule.path) + " changed while it was being opened", "try again");
    }
    out.index_.emplace(root.path, out.roots_.size());
    out.roots_.push_back(std::move(root));
  }
  for (const HostLink& link : access.scope().links()) out.links_.emplace(link.at, link.target);
  return out;
}

const Root* Walker::around(string_view canonical) const {
  const Root* deepest = nullptr;
  paths::each_at_or_above(canonical, [&](string_view prefix) {
    const auto found = index_.find(prefix);
    if (found != index_.end()) deepest = &roots_[found->second];
  });
  return deepest;
}

// The state of one walk: the descriptors so far and the names that remain.
class Walk {
 public:
  Walk(const Walker& walker, const AccessCheck& access, AccessRequest request, Parents parents)
      : walker_(walker), access_(access), spelled_(request.spelled), wanted_(request.wanted), parents_(parents) {}

  Result<DirectoryEntry> run(string_view absolute, LastLink last) {
    push(absolute);
    PF_CHECK(settle());
    while (!todo_.empty()) {
      const std::string name = std::move(todo_.back());
      todo_.pop_back();
      if (name.empty() || name == ".") continue;
      if (name == "..") {
        PF_CHECK(back());
        continue;
      }
      // "a/" and "a/." name a directory: the last real name is followed, for any type of file.
      bool rest = false;
      for (const std::string& one : todo_) rest = rest || (!one.empty() && one != ".");
      PF_TRY(found, step(name, rest ? LastLink::kFollow : last, rest));
      if (found) return std::move(*found);
    }
    return here();
  }

 private:
  struct Level {
    sys::Fd own;  // not open: a root's own descriptor
    int raw;
  };

  void push(string_view path) {
    std::vector<std::string> names;
    for (std::size_t from = 0; from <= path.size();) {
      const std::size_t end = std::min(path.find('/', from), path.size());
      names.emplace_back(path.substr(from, end - from));
      from = end + 1;
    }
    todo_.insert(todo_.end(), std::make_move_iterator(names.rbegin()), std::make_move_iterator(names.rend()));
    if (path.starts_with('/')) {
      at_ = "/";
      levels_.clear();
    }
  }

  // The message and its grant name the whole requested path: less than the directory where the walk ended.
  tl::unexpected<Error> refuse(const std::string& path) const {
    std::string whole = path;
    for (auto name = todo_.rbegin(); name != todo_.rend() && *name != ".."; ++name)
      if (!name->empty() && *name != ".") whole = paths::join(whole, *name);
    return tl::unexpected<Error>(access_.refusal(access_.shows(whole) ? path : whole, wanted_, spelled_));
  }

  // Comes to stand on at_ itself, from its root; or above all roots.
  Result<void> settle() {
    levels_.clear();
    if (!access_.shows(at_)) return {};
    const Root* root = walker_.around(at_);
    if (root == nullptr || !root->directory) return {};
    levels_.push_back({sys::Fd(), root->fd.raw()});
    const string_view rest = paths::relative(at_, root->path);
    for (std::size_t from = 0; from < rest.size();) {
      const std::size_t end = std::min(rest.find('/', from), rest.size());
      const int next = open_name(levels_.back().raw, std::string(rest.substr(from, end - from)), O_PATH | O_DIRECTORY);
      if (next < 0) return tl::unexpected<Error>(system_error(at_, errno));
      levels_.push_back({sys::Fd::adopt(next), next});
      from = end + 1;
    }
    return {};
  }

  Result<void> back() {
    at_ = paths::parent(at_);
    if (levels_.size() > 1) {
      levels_.pop_back();
      return {};
    }
    return settle();
  }

  Result<std::optional<DirectoryEntry>> step(const std::string& name, LastLink last, bool rest) {
    if (name.size() > paths::kLongestName)
      return fail(ErrorKind::kInvalid, "a name in " + shown(spelled_) + " is longer than 255 bytes", "shorten it");
    const std::string next = paths::join(at_, name);
    if (next.size() > paths::kLongestPath)
      return fail(ErrorKind::kInvalid, shown(spelled_) + " leads to a path that is too long", "shorten it");
    if (levels_.empty()) return step_above(next);
    if (!access_.shows(next)) {
      if (!access_.rule_below(next)) return refuse(next);
      at_ = next;
      levels_.clear();
      return std::nullopt;
    }
    return open_step(levels_.back().raw, name, next, last, rest);
  }

  // Above the roots: names lead on only if something shown lies below.
  Result<std::optional<DirectoryEntry>> step_above(const std::string& next) {
    const auto link = walker_.links_.find(next);
    if (link != walker_.links_.end()) {
      PF_CHECK(count_link());
      push(link->second);
      PF_CHECK(settle());
      return std::nullopt;
    }
    if (access_.shows(next)) {
      const Root* root = walker_.around(next);
      if (root == nullptr) return refuse(next);
      if (!root->directory)
        return open_step(root->fd.raw(), std::string(paths::basename(next)), next, LastLink::kKeep, false);
    } else if (!access_.rule_below(next)) {
      return refuse(next);
    }
    at_ = next;
    PF_CHECK(settle());
    return std::nullopt;
  }

  Result<void> count_link() {
    if (++links_ > kMostLinks)
      return fail(ErrorKind::kRefused, shown(spelled_) + ": too many symlinks, or a circle of them");
    return {};
  }

  Result<std::optional<DirectoryEntry>> open_step(int directory, const std::string& name, const std::string& next,
                                                  LastLink last, bool rest) {
    DirectoryEntry entry;
    int found = open_name(directory, name, O_PATH);
    if (found < 0 && errno == ENOENT && rest && parents_ == Parents::kMake) {
      PF_CHECK(access_.check(next, Access::kWrite, spelled_));
      if (::mkdirat(directory, name.c_str(), 0777) != 0 && errno != EEXIST)
        return tl::unexpected<Error>(sys::os_error("mkdir", shown(next), errno));
      found = open_name(directory, name, O_PATH);
    }
    if (found < 0 && errno == ENOENT && rest && parents_ == Parents::kAssume) return assumed(next);
    if (found < 0 && (errno != ENOENT || rest)) return tl::unexpected<Error>(system_error(next, errno));
    entry.self = sys::Fd::adopt(found);
    entry.path = next;
    entry.name = name;
    if (found >= 0 && ::fstat(found, &entry.info) != 0)
      return tl::unexpected<Error>(sys::os_error("fstat", shown(next), errno));
    const mode_t type = found < 0 ? 0 : entry.info.st_mode & S_IFMT;
    const bool trailing = !rest && !todo_.empty();  // "a/": a directory, or an error
    if (type == S_IFLNK && (last == LastLink::kFollow || trailing)) {
      PF_CHECK(count_link());
      PF_TRY(target, link_text(found, next));
      if (target.empty()) return tl::unexpected<Error>(system_error(next, ENOENT));
      push(target);
      return std::nullopt;
    }
    if (rest || (trailing && type == S_IFDIR)) {
      if (type != S_IFDIR) return tl::unexpected<Error>(system_error(next, ENOTDIR));
      levels_.push_back({std::move(entry.self), found});
      at_ = next;
      return std::nullopt;
    }
    if (trailing) return tl::unexpected<Error>(system_error(next, found < 0 ? ENOENT : ENOTDIR));
    entry.directory = sys::Fd::adopt(::fcntl(directory, F_DUPFD_CLOEXEC, 0));
    if (!entry.directory.is_open()) return tl::unexpected<Error>(sys::os_error("dup", shown(next), errno));
    return entry;
  }

  // A directory on the way is missing: appends the rest as if it existed.
  Result<std::optional<DirectoryEntry>> assumed(std::string path) {
    DirectoryEntry entry;
    for (; !todo_.empty(); todo_.pop_back()) {
      const std::string& name = todo_.back();
      if (name.empty() || name == ".") continue;
      if (name == "..") return tl::unexpected<Error>(system_error(path, ENOENT));
      path = paths::join(path, name);
      if (!access_.shows(path)) return refuse(path);
    }
    entry.path = std::move(path);
    entry.name = paths::basename(entry.path);
    return entry;
  }

  // A directory that was reached by "..", by a slash at the end, or is a root.
  Result<DirectoryEntry> here() {
    if (levels_.empty()) return refuse(at_);
    DirectoryEntry entry;
    entry.path = at_;
    entry.name = paths::basename(at_);
    entry.self = sys::Fd::adopt(::fcntl(levels_.back().raw, F_DUPFD_CLOEXEC, 0));
    if (!entry.self.is_open() || ::fstat(entry.self.raw(), &entry.info) != 0)
      return tl::unexpected<Error>(sys::os_error("fstat", shown(at_), errno));
    return entry;
  }

  const Walker& walker_;
  const AccessCheck& access_;
  string_view spelled_;
  Access wanted_;
  Parents parents_;
  std::string at_ = "/";
  std::vector<Level> levels_;      // empty: above the roots
  std::vector<std::string> todo_;  // the next name last
  int links_ = 0;
};

Result<DirectoryEntry> Walker::walk(const AccessCheck& access, string_view absolute, LastLink last,
                                    AccessRequest request, Parents parents) const {
  if (absolute.find('\0') != string_view::npos)
    return fail(ErrorKind::kInvalid, "the path " + shown(request.spelled) + " contains a NUL byte", "remove it");
  return Walk(*this, access, request, parents).run(absolute, last);
}

}  // namespace pinfold::files
