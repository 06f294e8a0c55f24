// remount.cc: the work of mount_setattr, done with mount(2), one mount after the other.
// Invariant: no allocation, no exceptions. Changes a mount only by a descriptor whose mount id it has compared with the
// kernel's table: if a name is renamed in between, it tries again and then fails; it never skips a mount.
// Not here: kernels that have the call.
#include "backend/linux/child/remount.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/scoped_fd.h"

namespace pinfold::backend::on_linux::child {
namespace {

constexpr int kAttempts = 8;               // host processes may rename entries in between
constexpr std::size_t kMostMounts = 4096;  // in one tree
constexpr unsigned long kNoSymlinkFollow = 256;
constexpr unsigned long kShownNoSymlinkFollow = 0x2000;

// MOUNT_ATTR_*, MS_* and the flags of statfs have the same values.
constexpr unsigned long kKept = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
static_assert(MOUNT_ATTR_RDONLY == MS_RDONLY && MOUNT_ATTR_NOSUID == MS_NOSUID && MOUNT_ATTR_NODEV == MS_NODEV &&
              MOUNT_ATTR_NOEXEC == MS_NOEXEC);

bool change(int mount_root, unsigned long flags) noexcept {
  char path[32] = "/proc/self/fd/";
  std::size_t at = std::strlen(path);
  char digits[12];
  std::size_t count = 0;
  for (auto rest = static_cast<unsigned>(mount_root); count == 0 || rest > 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) path[at++] = digits[--count];
  path[at] = '\0';
  return ::mount("none", path, nullptr, flags, nullptr) == 0;
}

// A remount replaces all flags, so those that the mount has are repeated; a user namespace may not clear them. If no
// access time flag is given, the kernel keeps the current one.
bool add(int mount_root, unsigned long attributes) noexcept {
  struct statfs now {};
  if (::fstatfs(mount_root, &now) != 0) return false;
  auto flags = static_cast<unsigned long>(now.f_flags);
  unsigned long kept = (flags & kKept) | ((flags & kShownNoSymlinkFollow) != 0 ? kNoSymlinkFollow : 0);
  return change(mount_root, MS_REMOUNT | MS_BIND | kept | attributes);
}

bool mount_id(int fd, std::uint64_t& id) noexcept {
  struct statx about {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &about) != 0) return false;
  errno = ENOSYS;
  id = about.stx_mnt_id;
  return (about.stx_mask & STATX_MNT_ID) != 0;
}

// One line of /proc/self/mountinfo: "36 35 98:0 /root /mount\040point options…".
struct MountInfoLine {
  std::uint64_t id;
  std::uint64_t parent;
  char path[4096];
  std::size_t length;
};

class MountInfoReader {
 public:
  MountInfoReader() noexcept : file_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) { failed_ = file_.bad(); }

  bool next(MountInfoLine& line) noexcept {
    if (!number(line.id) || !number(line.parent)) return false;
    skip_word();
    skip_word();
    if (!path(line)) return false;
    for (int each = get(); each != '\n'; each = get())
      if (each < 0) return false;
    return true;
  }
  bool failed() const noexcept { return failed_; }  // a read error, not end of file

 private:
  int get() noexcept {
    if (at_ == size_) {
      ssize_t got = failed_ ? -1 : ::read(file_.raw(), buffer_, sizeof buffer_);
      if (got <= 0) {
        failed_ = failed_ || got < 0;
        return -1;
      }
      at_ = 0;
      size_ = static_cast<std::size_t>(got);
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }

  bool number(std::uint64_t& value) noexcept {
    value = 0;
    int each = get();
    for (; each >= '0' && each <= '9'; each = get()) value = value * 10 + static_cast<unsigned>(each - '0');
    return each == ' ';
  }

  void skip_word() noexcept {
    for (int each = get(); each >= 0 && each != ' ';) each = get();
  }

  // Blanks and backslashes come as three octal digits.
  bool path(MountInfoLine& line) noexcept {
    line.length = 0;
    for (int each = get(); each != ' '; each = get()) {
      if (each == '\\') {
        each = 0;
        for (int digit = 0; digit < 3; ++digit) each = each * 8 + (get() - '0');
      }
      if (each < 0 || line.length + 1 >= sizeof line.path) {
        errno = ENAMETOOLONG;
        failed_ = true;
        return false;
      }
      line.path[line.length++] = static_cast<char>(each);
    }
    line.path[line.length] = '\0';
    return true;
  }

  ScopedFd file_;
  bool failed_ = false;
  char buffer_[4096];
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

// The mounts below one, from the kernel's table. Paths do not identify them: the new root lies over the old one, so a
// copy and its original have the same paths.
class MountTree {
 public:
  bool read(std::uint64_t top) noexcept {
    entries_[0] = Entry{top, 0, 0};
    size_ = 1;
    top_length_ = 0;
    for (std::size_t before = 0; before != size_;) {  // repeated until no parent follows its child
      before = size_;
      MountInfoReader reader;
      while (reader.next(line_))
        if (!record_line()) return false;
      if (reader.failed()) return false;
    }
    errno = ENOENT;
    return top_length_ > 0;
  }

  // `root` is the root of the top mount.
  bool add_to_all(int root, unsigned long attributes) noexcept {
    MountInfoReader reader;
    while (reader.next(line_)) {
      std::size_t index = find(line_.id);
      if (index == 0 || index == size_ || is_out_of_reach(index)) continue;
      // A mount over the top's own root would hide it. (On "/" there is one, which enter_root() detaches.)
      std::size_t skipped = top_length_ == 1 ? 1 : top_length_ + 1;
      errno = EBUSY;
      if (line_.length < skipped) return false;
      ScopedFd place(kernel::open_no_links(root, line_.path + skipped, O_PATH, RESOLVE_BENEATH));
      std::uint64_t id = 0;
      if (place.bad() || !mount_id(place.raw(), id)) return false;
      errno = ESTALE;
      if (id != line_.id || !add(place.raw(), attributes)) return false;
    }
    return !reader.failed();
  }

 private:
  struct Entry {
    std::uint64_t id;
    std::uint64_t parent;
    std::uint64_t path;  // its hash
  };

  bool record_line() noexcept {
    std::uint64_t path = 14695981039346656037U;
    for (std::size_t i = 0; i < line_.length; ++i)
      path = (path ^ static_cast<unsigned char>(line_.path[i])) * 1099511628211U;
    if (line_.id == entries_[0].id) {
      entries_[0].path = path;
      top_length_ = line_.length;
      return true;
    }
    if (find(line_.id) != size_ || find(line_.parent) == size_) return true;
    errno = E2BIG;
    if (size_ == kMostMounts) return false;
    entries_[size_++] = Entry{line_.id, line_.parent, path};
    return true;
  }

  std::size_t find(std::uint64_t id) const noexcept {
    std::size_t index = 0;
    while (index < size_ && entries_[index].id != id) ++index;
    return index;
  }

  bool is_covered(std::size_t index) const noexcept {
    for (std::size_t i = 1; i < size_; ++i)
      if (entries_[i].parent == entries_[index].id && entries_[i].path == entries_[index].path) return true;
    return false;
  }

  // Covered by another mount that no process inside can unmount; autofs leaves its own mounts covered like this.
  bool is_out_of_reach(std::size_t index) const noexcept {
    if (is_covered(index)) return true;
    for (std::size_t child = index; child != 0;) {
      std::size_t above = find(entries_[child].parent);
      bool is_cover = entries_[child].path == entries_[above].path;
      if (above == 0) return is_cover && top_length_ == 1;
      if (is_covered(above) && !is_cover) return true;
      child = above;
    }
    return false;
  }

  Entry entries_[kMostMounts] = {};
  std::size_t size_ = 0;
  std::size_t top_length_ = 0;
  MountInfoLine line_ = {};
};

}  // namespace

bool remount(int tree, std::uint64_t attributes, Depth depth) noexcept {
  static constinit MountTree below{};  // too big for a stack, and touched only on kernels before 5.12
  errno = EINVAL;
  if ((attributes & ~std::uint64_t{kKept}) != 0) return false;
  if (!add(tree, attributes)) return false;
  if (depth == Depth::kOneMount) return true;
  std::uint64_t top = 0;
  if (!mount_id(tree, top)) return false;
  for (int attempt = 0; attempt < kAttempts; ++attempt)
    if (below.read(top) && below.add_to_all(tree, attributes)) return true;
  return false;
}

bool make_private(int tree, Depth depth) noexcept {
  return change(tree, MS_PRIVATE | (depth == Depth::kWholeTree ? std::uint64_t{MS_REC} : 0));
}

}  // namespace pinfold::backend::on_linux::child
