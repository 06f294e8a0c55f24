// report_path.cc: one openat2 for the directory and one fstatat for the last name; more calls only for missing names.
#include "backend/linux/notify/report_path.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "sys/open_how.h"

namespace pinfold::backend::on_linux {
namespace {

using std::string_view;

constexpr int kMostLinks = 40;  // the kernel's MAXSYMLINKS
constexpr string_view kDeleted = " (deleted)";

HostKind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return HostKind::kFile;
    case S_IFDIR: return HostKind::kDirectory;
    case S_IFLNK: return HostKind::kSymlink;
    case S_IFSOCK: return HostKind::kSocket;
    case S_IFCHR:
    case S_IFBLK: return HostKind::kDevice;
    default: return HostKind::kOther;
  }
}

// The path that a magic link of /proc shows; empty for pipes, sockets and deleted files.
std::string magic_link_path(const std::string& link) {
  std::string path = read_link(link);
  return path.starts_with("/") && !path.ends_with(kDeleted) ? path : std::string();
}

bool is_number(string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == string_view::npos; }

// "a/b/c" → "a", leaving "b/c".
string_view take_name(string_view& rest) {
  const std::size_t slash = rest.find('/');
  const string_view name = rest.substr(0, slash);
  rest = slash == string_view::npos ? string_view() : rest.substr(slash + 1);
  return name;
}

// Resolves paths that name an open descriptor: /dev/fd/N, /proc/self/fd/N and the like. nullopt: not such a path.
// Empty: the descriptor has no path.
std::optional<std::string> through_descriptor(std::uint32_t pid, string_view path, int root) {
  for (const auto& [alias, number] : {std::pair{"/dev/stdin", "0"}, {"/dev/stdout", "1"}, {"/dev/stderr", "2"}})
    if (path == alias) return magic_link_path("/proc/" + std::to_string(pid) + "/fd/" + number);
  std::string process = "/proc/" + std::to_string(pid);
  string_view rest = path;
  if (path.starts_with("/dev/fd/")) {
    rest.remove_prefix(string_view("/dev/").size());
  } else if (path.starts_with("/proc/")) {
    rest.remove_prefix(string_view("/proc/").size());
    const string_view who = take_name(rest);
    if (is_number(who)) {
      process = "/proc/self/fd/" + std::to_string(root) + "/proc/" +
                std::string(who);  // a pid of the sandbox's pid namespace
    } else if (who != "self" && who != "thread-self") {
      return std::nullopt;
    }
    if (rest.starts_with("task/")) {
      rest.remove_prefix(string_view("task/").size());
      take_name(rest);
    }
  } else {
    return std::nullopt;
  }
  const string_view what = take_name(rest);
  std::string link = process + "/" + std::string(what);
  if (what == "fd") {
    const string_view number = take_name(rest);
    if (!is_number(number)) return std::nullopt;
    link += "/" + std::string(number);
  } else if (what != "cwd" && what != "root" && what != "exe") {
    return std::nullopt;
  }
  const std::string place = magic_link_path(link);
  return place.empty() || rest.empty() ? place : place + "/" + std::string(rest);
}

std::vector<string_view> names_of(string_view path) {
  std::vector<string_view> names;
  while (!path.empty()) {
    const string_view name = take_name(path);
    if (!name.empty() && name != ".") names.push_back(name);
  }
  return names;
}

std::string joined(const std::vector<string_view>& names, std::size_t first, std::size_t last) {
  std::string out;
  for (std::size_t i = first; i < last; ++i) out.append(i == first ? "" : "/").append(names[i]);
  return out;
}

std::string link_target(int directory, const std::string& name) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t size = ::readlinkat(directory, name.c_str(), buffer.data(), buffer.size());
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
}

}  // namespace

std::uint64_t mount_of(int directory, const std::string& path) {
  struct statx info {};
  return ::statx(directory, path.c_str(), AT_EMPTY_PATH, STATX_MNT_ID, &info) == 0 ? info.stx_mnt_id : 0;
}

std::uint64_t SandboxPathView::mount_at(const std::string& directory) const {
  const sys::Fd found = open(directory, O_DIRECTORY);
  return found.is_open() ? mount_of(found.raw(), "") : 0;
}

struct SandboxPathView::Walk {
  std::uint32_t pid;
  Follow follow;
  std::string path;  // still to be resolved: absolute
  bool has_next = false;
};

sys::Fd SandboxPathView::open(const std::string& path, std::uint64_t flags) const {
  const char* from_root = path.empty() ? "." : path.c_str();
  return sys::open_under(root_.raw(), from_root, O_PATH | flags, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

std::optional<ReportPath> SandboxPathView::resolve(std::uint32_t pid, int directory, const std::string& name,
                                                   Follow follow) {
  if (name.empty()) return std::nullopt;
  const std::string process = "/proc/" + std::to_string(pid);
  if (!root_.is_open()) root_ = sys::Fd::adopt(::open((process + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root_.is_open()) return std::nullopt;
  Walk walk{pid, follow, name};
  if (name[0] != '/') {
    const std::string base =
        magic_link_path(directory == AT_FDCWD ? process + "/cwd" : process + "/fd/" + std::to_string(directory));
    if (base.empty()) return std::nullopt;
    walk.path = base + "/" + name;
  }
  if (name.back() == '/') walk.follow = Follow::kLinks;
  for (int links = 0; links <= kMostLinks; ++links) {
    if (auto place = through_descriptor(pid, walk.path, root_.raw())) {
      if (place->empty()) return std::nullopt;
      walk.path = std::move(*place);
    }
    walk.has_next = false;
    auto found = step(walk);
    if (!walk.has_next) return found;
  }
  return std::nullopt;
}

// Resolves to the end, or up to a symbolic link that must be followed.
std::optional<ReportPath> SandboxPathView::step(Walk& walk) const {
  const auto names = names_of(walk.path);
  if (names.empty()) return ReportPath{"/", HostKind::kDirectory};
  const bool whole = names.back() == "..";
  const std::string last(whole ? "." : names.back());
  const sys::Fd parent = open(joined(names, 0, whole ? names.size() : names.size() - 1), O_DIRECTORY);
  if (!parent.is_open()) return errno == ENAMETOOLONG ? std::nullopt : missing(walk);
  const std::string at = path_of(parent);
  if (at.empty()) return std::nullopt;
  if (whole) return ReportPath{at, HostKind::kDirectory};
  ReportPath out{paths::join(at, last)};
  struct stat info {};
  if (::fstatat(parent.raw(), last.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? std::optional(std::move(out)) : std::nullopt;
  out.kind = kind_of(info.st_mode);
  if (out.kind != HostKind::kSymlink || walk.follow == Follow::kNotTheLast) return out;
  const std::string target = link_target(parent.raw(), last);
  if (target.empty()) return std::nullopt;
  walk.path = target[0] == '/' ? target : at + "/" + target;
  walk.has_next = true;
  return std::nullopt;
}

// A directory on the way does not exist, or a symbolic link dangles. If a directory can be opened, so can all above it:
// a binary search finds the deepest one that exists.
std::optional<ReportPath> SandboxPathView::missing(Walk& walk) const {
  const auto names = names_of(walk.path);
  std::size_t there = 0;
  for (std::size_t not_there = names.size() - 1; not_there - there > 1;) {
    const std::size_t middle = (there + not_there) / 2;
    (open(joined(names, 0, middle), O_DIRECTORY).is_open() ? there : not_there) = middle;
  }
  const sys::Fd deepest = open(joined(names, 0, there), O_DIRECTORY);
  const std::string at = deepest.is_open() ? path_of(deepest) : std::string();
  const std::string next(names[there]);
  if (at.empty() || next == "..") return std::nullopt;
  const std::string rest = joined(names, there + 1, names.size());
  const std::string target = link_target(deepest.raw(), next);
  if (!target.empty()) {
    walk.path = (target[0] == '/' ? target : at + "/" + target) + "/" + rest;
    walk.has_next = true;
    return std::nullopt;
  }
  struct stat info {};
  // A file in place of a directory: ENOTDIR under any policy.
  if (::fstatat(deepest.raw(), next.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) return std::nullopt;
  return ReportPath{paths::normal(paths::join(at, next) + "/" + rest), HostKind::kMissing, rest.empty()};
}

}  // namespace pinfold::backend::on_linux
