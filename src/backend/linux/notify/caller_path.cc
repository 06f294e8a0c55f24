// caller_path.cc: one openat2 where no link is on the way, otherwise name by name.
#include "backend/linux/notify/caller_path.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "sys/open_how.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr int kMostLinks = 40;  // the kernel's MAXSYMLINKS
constexpr ino_t kProcRoot = 1;

CallerPath path_of_kind(CallerPath::Kind kind) {
  CallerPath out;
  out.kind = kind;
  return out;
}

// These errors come from the path itself, so the caller's own call fails with them, too.
CallerPath failed(int error) {
  const bool theirs = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == EBADF;
  return path_of_kind(theirs ? CallerPath::Kind::kFails : CallerPath::Kind::kUnknown);
}

sys::Fd open_place(int at, const std::string& name, int flags) {
  return sys::Fd::adopt(::openat(at, name.c_str(), O_PATH | O_CLOEXEC | flags));
}

bool same(int one, int other) {
  struct stat a {};
  struct stat b {};
  return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_on_proc(int fd) {
  struct statfs info {};
  return ::fstatfs(fd, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

bool is_proc_root(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && info.st_ino == kProcRoot && is_on_proc(fd);
}

// The caller's pid and tid in its own pid namespace: the last number of each line.
struct NamespacePids {
  std::string process, thread;
};
NamespacePids namespace_pids(std::uint32_t pid) {
  NamespacePids out;
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(("/proc/" + std::to_string(pid) + "/status").c_str(), "re"),
                                             std::fclose);
  std::array<char, 512> line{};
  while (file && std::fgets(line.data(), line.size(), file.get()) != nullptr) {
    std::string_view text(line.data());
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    const auto last = text.find_last_of(" \t");
    if (last == std::string_view::npos) continue;
    if (text.starts_with("NStgid:")) out.process = text.substr(last + 1);
    if (text.starts_with("NSpid:")) out.thread = text.substr(last + 1);
  }
  return out;
}

class CallerPathWalk {
 public:
  CallerPathWalk(std::uint32_t pid, Follow follow)
      : pid_(pid), process_("/proc/" + std::to_string(pid)), follow_(follow) {}

  CallerPath from(int directory, const std::string& path) {
    if (path.empty()) return path_of_kind(CallerPath::Kind::kFails);
    if (path.back() == '/') follow_ = Follow::kLinks;
    const std::string base = path[0] == '/'          ? "/root"
                             : directory == AT_FDCWD ? "/cwd"
                                                     : "/fd/" + std::to_string(directory);
    current_ = open_place(AT_FDCWD, process_ + base, 0);
    if (!current_.is_open()) return failed(errno);
    prepend(path);
    open_without_links();
    while (!remaining_.empty())
      if (auto end = step()) return std::move(*end);
    CallerPath out = path_of_kind(CallerPath::Kind::kFound);
    out.target = std::move(current_);
    return out;
  }

 private:
  void prepend(const std::string& path) {
    std::deque<std::string> names;
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      if (end > at && path.compare(at, end - at, ".") != 0) names.push_back(path.substr(at, end - at));
      at = end + 1;
    }
    remaining_.insert(remaining_.begin(), names.begin(), names.end());
  }

  // Without a symbolic link on the way, one openat2 resolves the path as it does for the caller.
  void open_without_links() {
    if (remaining_.size() < 2) return;
    std::string directory;
    for (std::size_t i = 0; i + 1 < remaining_.size(); ++i) directory += (i == 0 ? "" : "/") + remaining_[i];
    auto parent = sys::open_under(current_.raw(), directory.c_str(), O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
    if (!parent.is_open()) return;
    current_ = std::move(parent);
    remaining_.erase(remaining_.begin(), remaining_.end() - 1);
  }

  std::optional<CallerPath> go_up() {
    auto root = open_place(AT_FDCWD, process_ + "/root", O_DIRECTORY);
    if (!root.is_open()) return failed(errno);
    if (same(current_.raw(), root.raw())) return std::nullopt;
    auto up = open_place(current_.raw(), "..", O_DIRECTORY);
    if (!up.is_open()) return failed(errno);
    current_ = std::move(up);
    return std::nullopt;
  }

  // nullopt: not at the end of the path yet.
  std::optional<CallerPath> step() {
    const std::string name = std::move(remaining_.front());
    remaining_.pop_front();
    if (name == "..") return go_up();
    const bool last = remaining_.empty();
    if (!last) {
      auto next = open_place(current_.raw(), name, O_DIRECTORY | O_NOFOLLOW);
      if (next.is_open()) return current_ = std::move(next), std::nullopt;
      if (errno != ENOTDIR) return failed(errno);
    }
    auto there = open_place(current_.raw(), name, O_NOFOLLOW);
    if (!there.is_open() && (errno != ENOENT || !last)) return failed(errno);
    struct stat info {};
    if (there.is_open() && ::fstat(there.raw(), &info) != 0) return failed(errno);
    const bool link = there.is_open() && S_ISLNK(info.st_mode);
    if (!link || (last && follow_ == Follow::kNotTheLast)) {
      if (!last) return path_of_kind(CallerPath::Kind::kFails);  // a file where a directory should be
      CallerPath out = path_of_kind(CallerPath::Kind::kFound);
      out.parent = std::move(current_);
      out.name = name;
      out.target = std::move(there);
      return out;
    }
    if (++links_ > kMostLinks) return path_of_kind(CallerPath::Kind::kFails);
    return follow(name, there.raw());
  }

  std::optional<CallerPath> follow(const std::string& name, int link) {
    std::string text;
    if (is_on_proc(link)) {
      if (is_proc_root(current_.raw()) && (name == "self" || name == "thread-self")) {
        const NamespacePids numbers = namespace_pids(pid_);
        if (numbers.process.empty() || numbers.thread.empty()) return path_of_kind(CallerPath::Kind::kUnknown);
        text = name == "self" ? numbers.process : numbers.process + "/task/" + numbers.thread;
      } else {
        auto plain = sys::open_under(current_.raw(), name.c_str(), O_PATH, RESOLVE_NO_MAGICLINKS);
        if (!plain.is_open() && errno == ELOOP) return follow_magic_link(name);
        if (!plain.is_open() && errno != ENOENT) return path_of_kind(CallerPath::Kind::kUnknown);
      }
    }
    if (text.empty()) {
      std::array<char, PATH_MAX> buffer{};
      const ssize_t size = ::readlinkat(link, "", buffer.data(), buffer.size());
      if (size <= 0) return path_of_kind(CallerPath::Kind::kUnknown);
      text.assign(buffer.data(), static_cast<std::size_t>(size));
    }
    if (remaining_.empty() && text.back() == '/') follow_ = Follow::kLinks;
    if (text[0] == '/') {
      current_ = open_place(AT_FDCWD, process_ + "/root", O_DIRECTORY);
      if (!current_.is_open()) return failed(errno);
    }
    prepend(text);
    return std::nullopt;
  }

  // A link of /proc that names an open file, not a path.
  std::optional<CallerPath> follow_magic_link(const std::string& name) {
    auto there = open_place(current_.raw(), name, 0);
    struct stat info {};
    if (!there.is_open() || ::fstat(there.raw(), &info) != 0) return failed(errno);
    if (!remaining_.empty() && !S_ISDIR(info.st_mode)) return path_of_kind(CallerPath::Kind::kFails);
    current_ = std::move(there);
    return std::nullopt;
  }

  std::uint32_t pid_;
  std::string process_;
  Follow follow_;
  sys::Fd current_;
  std::deque<std::string> remaining_;
  int links_ = 0;
};

}  // namespace

CallerPath resolve_caller_path(std::uint32_t pid, int directory, const std::string& path, Follow follow) {
  return CallerPathWalk(pid, follow).from(directory, path);
}

}  // namespace pinfold::backend::on_linux
