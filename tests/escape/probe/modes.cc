// modes.cc: attempts on what a file is: device nodes, setuid bits by every door, capabilities, attributes.
// Invariant: each attempt leaves its file for the suite to look at; the node is only opened for reading.
// Not here: contents (files.cc).
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "probe.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

namespace probe {
namespace {

Result make_node(const Args& args) {
  mode_t type = args[1] == "block" ? S_IFBLK : S_IFCHR;
  dev_t device = ::makedev(static_cast<unsigned>(number(args[2])), static_cast<unsigned>(number(args[3])));
  if (::mknod(args[0].c_str(), type | 0600, device) < 0) return denied();
  return reached("made a " + args[1] + " device node");
}

Result bits_of(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) < 0) return denied();
  if ((info.st_mode & (S_ISUID | S_ISGID)) == 0) return denied("the bits were dropped");
  return reached((info.st_mode & S_ISUID) != 0 ? "a setuid file" : "a setgid file");
}

void make_plain(const std::string& path) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  if (fd >= 0) ::close(fd);
}

// args: PATH, MODE
Result by_chmod(const Args& args) {
  make_plain(args[0]);
  if (::syscall(SYS_chmod, args[0].c_str(), number(args[1])) < 0) return denied();
  return bits_of(args[0]);
}
Result by_fchmod(const Args& args) {
  make_plain(args[0]);
  int fd = ::open(args[0].c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return cannot("open");
  if (::syscall(SYS_fchmod, fd, number(args[1])) < 0) return denied();
  return bits_of(args[0]);
}
Result by_fchmodat(const Args& args) {
  make_plain(args[0]);
  if (::syscall(SYS_fchmodat, AT_FDCWD, args[0].c_str(), number(args[1])) < 0) return denied();
  return bits_of(args[0]);
}
Result by_fchmodat2(const Args& args) {
  make_plain(args[0]);
  if (::syscall(SYS_fchmodat2, AT_FDCWD, args[0].c_str(), number(args[1]), 0) < 0) return denied();
  return bits_of(args[0]);
}
Result by_creat(const Args& args) {
  if (::syscall(SYS_creat, args[0].c_str(), number(args[1])) < 0) return denied();
  return bits_of(args[0]);
}
Result by_open(const Args& args) {
  if (::syscall(SYS_open, args[0].c_str(), O_WRONLY | O_CREAT | O_EXCL, number(args[1])) < 0) return denied();
  return bits_of(args[0]);
}
Result by_openat(const Args& args) {
  if (::syscall(SYS_openat, AT_FDCWD, args[0].c_str(), O_WRONLY | O_CREAT | O_EXCL, number(args[1])) < 0) {
    return denied();
  }
  return bits_of(args[0]);
}
// The mode is in memory here, where a filter cannot look.
Result by_openat2(const Args& args) {
  open_how how{};
  how.flags = O_WRONLY | O_CREAT | O_EXCL;
  how.mode = static_cast<std::uint64_t>(number(args[1]));
  if (::syscall(SYS_openat2, AT_FDCWD, args[0].c_str(), &how, sizeof how) < 0) return denied();
  return bits_of(args[0]);
}
Result by_mknod(const Args& args) {
  if (::syscall(SYS_mknod, args[0].c_str(), S_IFREG | static_cast<mode_t>(number(args[1])), 0) < 0) return denied();
  return bits_of(args[0]);
}
Result by_mknodat(const Args& args) {
  if (::syscall(SYS_mknodat, AT_FDCWD, args[0].c_str(), S_IFREG | static_cast<mode_t>(number(args[1])), 0) < 0) {
    return denied();
  }
  return bits_of(args[0]);
}

Result change_mode(const Args& args) {
  if (::chmod(args[0].c_str(), static_cast<mode_t>(number(args[1]))) < 0) return denied();
  return reached("changed the mode");
}

Result change_times(const Args& args) {
  timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  if (::utimensat(AT_FDCWD, args[0].c_str(), times, 0) < 0) return denied();
  return reached("changed the times");
}

Result set_attribute(const Args& args) {
  if (::setxattr(args[0].c_str(), args[1].c_str(), "planted", 7, 0) < 0) return denied();
  return reached("set " + args[1]);
}

Result give_attribute(const Args& args) {
  if (::setxattr(args[0].c_str(), args[1].c_str(), args[2].data(), args[2].size(), 0) < 0) return denied();
  return reached("set " + args[1]);
}

// By its path: an open file's attributes are read where the file itself is.
Result read_attribute(const Args& args) {
  char value[256];
  ssize_t size = ::getxattr(args[0].c_str(), args[1].c_str(), value, sizeof value);
  if (size < 0) size = ::lgetxattr(args[0].c_str(), args[1].c_str(), value, sizeof value);
  if (size < 0) return denied();
  return reached(std::string(value, static_cast<std::size_t>(size)));
}

Result set_file_capability(const Args& args) {
  make_plain(args[0]);
  vfs_cap_data data{};
  data.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  data.data[0].permitted = 1U << CAP_NET_RAW;
  if (::setxattr(args[0].c_str(), "security.capability", &data, sizeof data, 0) < 0) return denied();
  return reached("set a file capability");
}

Result change_owner(const Args& args) {
  make_plain(args[0]);
  if (::chown(args[0].c_str(), static_cast<uid_t>(number(args[1])), static_cast<gid_t>(number(args[1]))) < 0) {
    return denied();
  }
  return reached("gave the file away");
}

constexpr Attempt kAttempts[] = {
    {"make-node", 4, make_node},
    {"setuid-by-chmod", 2, by_chmod},
    {"setuid-by-fchmod", 2, by_fchmod},
    {"setuid-by-fchmodat", 2, by_fchmodat},
    {"setuid-by-fchmodat2", 2, by_fchmodat2},
    {"setuid-by-creat", 2, by_creat},
    {"setuid-by-open", 2, by_open},
    {"setuid-by-openat", 2, by_openat},
    {"setuid-by-openat2", 2, by_openat2},
    {"setuid-by-mknod", 2, by_mknod},
    {"setuid-by-mknodat", 2, by_mknodat},
    {"change-mode", 2, change_mode},
    {"change-times", 1, change_times},
    {"set-attribute", 2, set_attribute},
    {"give-attribute", 3, give_attribute},
    {"read-attribute", 2, read_attribute},
    {"set-file-capability", 1, set_file_capability},
    {"change-owner", 2, change_owner},
};

}  // namespace

std::span<const Attempt> mode_attempts() { return kAttempts; }

}  // namespace probe
