// remove_tree.cc: moves every directory that is not empty to the top first, so that no entry is more than two levels
// deep and no path gets too long.
#include "sys/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>

#include "sys/call.h"
#include "sys/fd.h"

namespace pinfold::sys {
namespace {

// Makes the directory writable if its mode forbids it: a rename changes its "..", which needs write permission.
Fd open_directory(int at, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  auto fd = Fd::adopt(::openat(at, name, kFlags));
  if (!fd.is_open() && errno == EACCES) {
    // By descriptor: a name may become a symbolic link, which chmod() would follow.
    const auto path_fd = Fd::adopt(::openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!path_fd.is_open()) return fd;
    static_cast<void>(::chmod(("/proc/self/fd/" + std::to_string(path_fd.raw())).c_str(), S_IRWXU));
    fd = Fd::adopt(::openat(at, name, kFlags));
  }
  struct stat info {};
  if (fd.is_open() && ::fstat(fd.raw(), &info) == 0 && (info.st_mode & S_IRWXU) != S_IRWXU)
    static_cast<void>(::fchmod(fd.raw(), S_IRWXU));
  return fd;
}

class TreeRemover {
 public:
  explicit TreeRemover(Fd top) : top_(std::move(top)) {}

  // Every round removes the directories that the one before moved up; a round without a change ends the removal.
  bool empty() {
    do {
      changed_ = false;
      left_ = 0;
      for_each(top_.raw(), [this](const char* name) { remove_at_top(name); });
    } while (changed_ && left_ > 0);
    return left_ == 0;
  }
  int error() const { return error_; }

 private:
  template <typename Each>
  void for_each(int directory, Each&& each) {
    const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    std::unique_ptr<DIR, int (*)(DIR*)> stream(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
    if (!stream) return fail();
    while (const dirent* entry = ::readdir(stream.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") each(entry->d_name);
    }
  }

  void fail() {
    error_ = errno;
    ++left_;
  }

  // Removes a file or an empty directory.
  bool remove_one(int at, const char* name) {
    if (::unlinkat(at, name, 0) != 0 && ::unlinkat(at, name, AT_REMOVEDIR) != 0 && errno != ENOENT) return false;
    return changed_ = true;
  }

  void remove_at_top(const char* name) {
    if (remove_one(top_.raw(), name)) return;
    const Fd directory = open_directory(top_.raw(), name);
    if (!directory.is_open()) return fail();
    for_each(directory.raw(), [&](const char* each) {
      if (!remove_one(directory.raw(), each)) move_up(directory.raw(), each);
    });
    if (!remove_one(top_.raw(), name)) fail();
  }

  void move_up(int from, const char* name) {
    const Fd directory = open_directory(from, name);
    if (!directory.is_open()) return fail();
    const std::string moved = ".removed-" + std::to_string(::getpid()) + "-" + std::to_string(next_++);
    if (::renameat(from, name, top_.raw(), moved.c_str()) != 0) return fail();
    changed_ = true;
    ++left_;  // for the next round, unless this round reaches it
  }

  Fd top_;
  std::uint64_t next_ = 0;
  std::uint64_t left_ = 0;
  bool changed_ = false;
  int error_ = 0;
};

}  // namespace

Result<void> remove_tree(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  if (::rmdir(path.c_str()) == 0) return {};
  Fd top = open_directory(AT_FDCWD, path.c_str());
  if (!top.is_open()) return tl::unexpected<Error>(os_error("open", path, errno));
  TreeRemover remover(std::move(top));
  if (!remover.empty()) return tl::unexpected<Error>(os_error("remove", path, remover.error()));
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
  return tl::unexpected<Error>(os_error("rmdir", path, errno));
}

}  // namespace pinfold::sys
