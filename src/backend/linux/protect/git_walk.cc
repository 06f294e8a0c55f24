// git_walk.cc: walks breadth first, by names below each root.
#include "backend/linux/protect/git_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <string_view>

#include "backend/linux/child/kernel.h"
#include "backend/linux/protect/dir_entry.h"
#include "backend/linux/protect/quarantine.h"

namespace pinfold::backend::on_linux {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostUnlocked = 256;
constexpr std::size_t kMostNamed = 5;

class RepositoryWalk {
 public:
  RepositoryWalk(const GitContext& context, const WalkBounds& bounds, const std::function<void(const GitMatch&)>& found)
      : context_(context), left_(bounds.entries), end_(Clock::now() + bounds.time), found_(found) {}

  UnsearchedDirectories run() {
    for (const GitRoot& root : context_.roots) {
      if (root.directory.is_open())
        open_.push_back({&root, ""});
      else
        not_searched({&root, ""}, std::strerror(root.error));
    }
    for (; !open_.empty() && bound_ == nullptr; open_.pop_front()) visit(open_.front());
    for (const Open& left : open_) not_searched(left, bound_);
    return std::move(unsearched_);
  }

 private:
  struct Open {
    const GitRoot* root;
    std::string below;
  };

  struct Unlocked {
    sys::Fd place;
    std::unique_ptr<OwnerAccess> rights;  // destroyed first
  };

  static std::string path_of(const Open& open) {
    return open.below.empty() ? open.root->path : open.root->path + "/" + open.below;
  }

  void not_searched(const Open& open, const char* why) {
    if (++unsearched_.count <= kMostNamed) unsearched_.named.push_back(path_of(open) + " (" + why + ")");
  }

  sys::Fd open_at(const Open& open, std::uint64_t flags) {
    const char* path = open.below.empty() ? "." : open.below.c_str();
    return sys::Fd::adopt(kernel::open_no_links(open.root->directory.raw(), path, flags, RESOLVE_BENEATH));
  }

  // A directory that the run has closed to its owner is opened for the walk, and restored afterwards. One that was
  // closed before the run stays closed: no process inside could enter it.
  bool unlock(const Open& open) {
    sys::Fd place = open_at(open, O_PATH | O_DIRECTORY);
    if (!place.is_open() && (errno == ENOENT || errno == ENOTDIR)) return false;
    struct stat info {};
    if (!place.is_open() || ::fstat(place.raw(), &info) != 0) return not_searched(open, std::strerror(errno)), false;
    if (!context_.is_later(info.st_ctim, info.st_dev)) return false;
    if (unlocked_.size() >= kMostUnlocked) return not_searched(open, "too many closed directories"), false;
    const int raw = place.raw();
    unlocked_.push_back({std::move(place), std::make_unique<OwnerAccess>(raw)});
    return true;
  }

  void visit(const Open& open) {
    sys::Fd directory = open_at(open, O_RDONLY | O_DIRECTORY);
    struct stat info {};
    const bool closed = directory.is_open()
                            ? ::fstat(directory.raw(), &info) == 0 && (info.st_mode & S_IRWXU) != S_IRWXU
                            : errno == EACCES;
    if (!directory.is_open() && !closed && errno != ENOENT && errno != ENOTDIR)
      return not_searched(open, std::strerror(errno));
    if (closed && unlock(open) && !directory.is_open()) {
      directory = open_at(open, O_RDONLY | O_DIRECTORY);
      if (!directory.is_open()) return not_searched(open, std::strerror(errno));
    }
    if (directory.is_open()) list(open, directory.raw());
  }

  static bool is_directory(int at, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
    const DirEntry found = look_up(at, entry.d_name);
    return found.is_directory() || found.is_unknown();  // opening it says more
  }

  void list(const Open& open, int directory) {
    const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    std::unique_ptr<DIR, int (*)(DIR*)> stream(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
    if (!stream) return not_searched(open, std::strerror(errno));
    git::Layout layout;
    errno = 0;
    while (const dirent* entry = ::readdir(stream.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      layout.note(name);
      if (left_ == 0) bound_ = "too many files";
      if (left_ != 0 && --left_ % 1024 == 0 && Clock::now() > end_) bound_ = "it took too long";
      if (bound_ != nullptr) break;
      if (is_directory(directory, *entry))
        open_.push_back({open.root, open.below.empty() ? std::string(name) : open.below + "/" + std::string(name)});
      errno = 0;
    }
    const char* cut = bound_ != nullptr ? bound_ : errno != 0 ? std::strerror(errno) : nullptr;
    if (cut != nullptr) {
      not_searched(open, cut);
      layout = layout_of(directory,
                         UnknownNames::kCount);  // looks git's few names up one by one, without the rest of the listing
    }
    if (!layout.has_dot_git() && !layout.is_git_directory()) return;
    const std::string path = path_of(open);
    found_({directory, path, layout.has_dot_git(), layout.is_git_directory()});
  }

  const GitContext& context_;
  std::size_t left_;
  Clock::time_point end_;
  const std::function<void(const GitMatch&)>& found_;
  std::deque<Open> open_;
  std::deque<Unlocked> unlocked_;
  const char* bound_ = nullptr;  // the reason why the walk ended early
  UnsearchedDirectories unsearched_;
};

}  // namespace

UnsearchedDirectories walk_for_git(const GitContext& context, const WalkBounds& bounds,
                                   const std::function<void(const GitMatch&)>& found) {
  return RepositoryWalk(context, bounds, found).run();
}

}  // namespace pinfold::backend::on_linux
