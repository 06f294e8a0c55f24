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

constexpr int kMostLinks = 40;  // as the kernel has it
constexpr ino_t kProcRoot = 1;

Place ended(Place::Kind kind) {
  Place out;
  out.kind = kind;
  return out;
}

// Would the program's own call fail for the same reason?
Place failed(int error) {
  const bool theirs = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == EBADF;
  return ended(theirs ? Place::Kind::kFails : Place::Kind::kUnknown);
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

// The caller's process and thread as the sandbox numbers them: the last number of each line.
struct Numbers {
  std::string process, thread;
};
Numbers numbers_inside(std::uint32_t pid) {
  Numbers out;
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

class PlaceWalk {
 public:
  PlaceWalk(std::uint32_t pid, Follow follow) : pid_(pid), process_("/proc/" + std::to_string(pid)), follow_(follow) {}

  Place from(int directory, const std::string& path) {
    if (path.empty()) return ended(Place::Kind::kFails);
    if (path.back() == '/') follow_ = Follow::kLinks;
    const std::string base = path[0] == '/'          ? "/root"
                             : directory == AT_FDCWD ? "/cwd"
                                                     : "/fd/" + std::to_string(directory);
    here_ = open_place(AT_FDCWD, process_ + base, 0);
    if (!here_.is_open()) return failed(errno);
    add_in_front(path);
    take_the_short_way();
    while (!rest_.empty())
      if (auto end = step()) return std::move(*end);
    Place out = ended(Place::Kind::kFound);
    out.target = std::move(here_);
    return out;
  }

 private:
  void add_in_front(const std::string& path) {
    std::deque<std::string> names;
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      if (end > at && path.compare(at, end - at, ".") != 0) names.push_back(path.substr(at, end - at));
      at = end + 1;
    }
    rest_.insert(rest_.begin(), names.begin(), names.end());
  }

  // Without any link on the way the kernel walks for us just as for the program.
  void take_the_short_way() {
    if (rest_.size() < 2) return;
    std::string way;
    for (std::size_t i = 0; i + 1 < rest_.size(); ++i) way += (i == 0 ? "" : "/") + rest_[i];
    auto parent = sys::open_under(here_.raw(), way.c_str(), O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
    if (!parent.is_open()) return;
    here_ = std::move(parent);
    rest_.erase(rest_.begin(), rest_.end() - 1);
  }

  std::optional<Place> go_up() {
    auto root = open_place(AT_FDCWD, process_ + "/root", O_DIRECTORY);
    if (!root.is_open()) return failed(errno);
    if (same(here_.raw(), root.raw())) return std::nullopt;
    auto up = open_place(here_.raw(), "..", O_DIRECTORY);
    if (!up.is_open()) return failed(errno);
    here_ = std::move(up);
    return std::nullopt;
  }

  // Nothing: the walk goes on.
  std::optional<Place> step() {
    const std::string name = std::move(rest_.front());
    rest_.pop_front();
    if (name == "..") return go_up();
    const bool last = rest_.empty();
    if (!last) {
      auto next = open_place(here_.raw(), name, O_DIRECTORY | O_NOFOLLOW);
      if (next.is_open()) return here_ = std::move(next), std::nullopt;
      if (errno != ENOTDIR) return failed(errno);
    }
    auto there = open_place(here_.raw(), name, O_NOFOLLOW);
    if (!there.is_open() && (errno != ENOENT || !last)) return failed(errno);
    struct stat info {};
    if (there.is_open() && ::fstat(there.raw(), &info) != 0) return failed(errno);
    const bool link = there.is_open() && S_ISLNK(info.st_mode);
    if (!link || (last && follow_ == Follow::kNotTheLast)) {
      if (!last) return ended(Place::Kind::kFails);  // a file where a directory should be
      Place out = ended(Place::Kind::kFound);
      out.parent = std::move(here_);
      out.name = name;
      out.target = std::move(there);
      return out;
    }
    if (++links_ > kMostLinks) return ended(Place::Kind::kFails);
    return follow(name, there.raw());
  }

  std::optional<Place> follow(const std::string& name, int link) {
    std::string text;
    if (is_on_proc(link)) {
      if (is_proc_root(here_.raw()) && (name == "self" || name == "thread-self")) {
        const Numbers numbers = numbers_inside(pid_);
        if (numbers.process.empty() || numbers.thread.empty()) return ended(Place::Kind::kUnknown);
        text = name == "self" ? numbers.process : numbers.process + "/task/" + numbers.thread;
      } else {
        auto plain = sys::open_under(here_.raw(), name.c_str(), O_PATH, RESOLVE_NO_MAGICLINKS);
        if (!plain.is_open() && errno == ELOOP) return jump(name);
        if (!plain.is_open() && errno != ENOENT) return ended(Place::Kind::kUnknown);
      }
    }
    if (text.empty()) {
      std::array<char, PATH_MAX> buffer{};
      const ssize_t size = ::readlinkat(link, "", buffer.data(), buffer.size());
      if (size <= 0) return ended(Place::Kind::kUnknown);
      text.assign(buffer.data(), static_cast<std::size_t>(size));
    }
    if (rest_.empty() && text.back() == '/') follow_ = Follow::kLinks;
    if (text[0] == '/') {
      here_ = open_place(AT_FDCWD, process_ + "/root", O_DIRECTORY);
      if (!here_.is_open()) return failed(errno);
    }
    add_in_front(text);
    return std::nullopt;
  }

  // A link of /proc that leads to an open file, not to a name.
  std::optional<Place> jump(const std::string& name) {
    auto there = open_place(here_.raw(), name, 0);
    struct stat info {};
    if (!there.is_open() || ::fstat(there.raw(), &info) != 0) return failed(errno);
    if (!rest_.empty() && !S_ISDIR(info.st_mode)) return ended(Place::Kind::kFails);
    here_ = std::move(there);
    return std::nullopt;
  }

  std::uint32_t pid_;
  std::string process_;
  Follow follow_;
  sys::Fd here_;
  std::deque<std::string> rest_;
  int links_ = 0;
};

}  // namespace

Place find_place(std::uint32_t pid, int directory, const std::string& path, Follow follow) {
  return PlaceWalk(pid, follow).from(directory, path);
}

}  // namespace pinfold::backend::on_linux
