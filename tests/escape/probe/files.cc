// files.cc: attempts on files: read, write, create, link, list, through descriptors and handles.
// Invariant: `open-write` never writes; it is for kernel switches, where opening already proves the gap.
// Not here: modes, device nodes and attributes (modes.cc), races (races.cc).
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

Result read_file(const Args& args) { return read_path(args[0]); }

// Says only how much was read: for real secrets and raw disks.
Result read_amount(const Args& args) {
  int fd = ::open(args[0].c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return denied();
  char buffer[512];
  ssize_t got = ::read(fd, buffer, sizeof buffer);
  if (got < 0) return denied();
  if (got == 0) return denied("empty");
  return reached(std::to_string(got) + " bytes read");
}

Result find_in_list(const Args& args) {
  DIR* dir = ::opendir(args[0].c_str());
  if (dir == nullptr) return denied();
  while (dirent* entry = ::readdir(dir)) {
    if (args[1] == entry->d_name) {
      ::closedir(dir);
      return reached("saw the name " + args[1]);
    }
  }
  ::closedir(dir);
  return denied("not listed");
}

Result stat_file(const Args& args) {
  struct stat info {};
  if (::lstat(args[0].c_str(), &info) < 0) return denied();
  return reached("size " + std::to_string(info.st_size));
}

Result open_write(const Args& args) {
  int fd = ::open(args[0].c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return denied();
  ::close(fd);
  return reached("opened for writing");
}

Result append_to(const char* path) {
  int fd = ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return denied();
  if (::write(fd, "planted\n", 8) != 8) return denied();
  ::close(fd);
  return reached("appended a line");
}
Result append(const Args& args) { return append_to(args[0].c_str()); }

void make_parents(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0755);
  }
}

Result create(const Args& args) {
  make_parents(args[0]);
  int fd = ::open(args[0].c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
  if (fd < 0) return denied();
  if (::write(fd, "planted\n", 8) != 8) return denied();
  ::close(fd);
  return reached("created " + args[0].substr(args[0].rfind('/') + 1));
}

Result symlink_then_read(const Args& args) {
  if (::symlink(args[1].c_str(), args[0].c_str()) < 0) return cannot("symlink");
  Result result = read_path(args[0]);
  ::unlink(args[0].c_str());
  return result;
}

Result link_then_read(const Args& args) {
  if (::link(args[0].c_str(), args[1].c_str()) < 0) return denied();
  Result result = read_path(args[1]);
  ::unlink(args[1].c_str());
  return result;
}

// By an O_PATH descriptor and its /proc name, which skips the source's own directory.
Result link_by_descriptor(const Args& args) {
  int fd = ::open(args[0].c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return denied();
  std::string name = "/proc/self/fd/" + std::to_string(fd);
  if (::linkat(AT_FDCWD, name.c_str(), AT_FDCWD, args[1].c_str(), AT_SYMLINK_FOLLOW) < 0) return denied();
  Result result = append_to(args[1].c_str());
  ::unlink(args[1].c_str());
  return result;
}

Result link_then_append(const Args& args) {
  if (::link(args[0].c_str(), args[1].c_str()) < 0) return denied();
  Result result = append_to(args[1].c_str());
  ::unlink(args[1].c_str());
  return result;
}

Result inherited_descriptors(const Args&) {
  std::string seen;
  for (int fd = 3; fd < 4096; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) seen.append(" ").append(std::to_string(fd));
  }
  if (seen.empty()) return denied("only 0-2 are open");
  return reached("descriptors" + seen);
}

// What `ls /proc/self/fd` would show, without the descriptor of the listing itself.
Result listed_descriptors(const Args&) {
  DIR* dir = ::opendir("/proc/self/fd");
  if (dir == nullptr) return cannot("opendir /proc/self/fd");
  std::string seen;
  while (dirent* entry = ::readdir(dir)) {
    if (entry->d_name[0] == '.' || number(entry->d_name) == ::dirfd(dir) || number(entry->d_name) <= 2) continue;
    seen += ' ';
    seen += entry->d_name;
  }
  ::closedir(dir);
  if (seen.empty()) return denied("only 0-2 are listed");
  return reached("descriptors" + seen);
}

Result read_inherited(const Args& args) {
  int fd = static_cast<int>(number(args[0]));
  ::lseek(fd, 0, SEEK_SET);
  return read_descriptor(fd);
}

Result read_below_inherited(const Args& args) {
  if (::fchdir(static_cast<int>(number(args[0]))) < 0) return denied();
  return read_path(args[1]);
}

// 0–2 are open, but is any of them a way to a directory or to a file's siblings?
Result read_beside_stdio(const Args& args) {
  for (int fd = 0; fd <= 2; ++fd) {
    int file = ::openat(fd, args[0].c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) return read_descriptor(file);
  }
  return denied();
}

Result rename_onto(const Args& args) {
  if (::rename(args[0].c_str(), args[1].c_str()) < 0) return denied();
  return reached("renamed");
}

Result remove_file(const Args& args) {
  if (::unlink(args[0].c_str()) < 0) return denied();
  return reached("removed");
}

Result truncate_file(const Args& args) {
  if (::truncate(args[0].c_str(), 0) < 0) return denied();
  return reached("emptied");
}

// The descriptor is kept while the host moves the directory away; `..` must not lead to its new neighbours.
Result up_from_moved(const Args& args) {
  if (::chdir(args[0].c_str()) < 0) return cannot("chdir");
  int flag = ::open("ready", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (flag < 0) return cannot("open ready");
  ::close(flag);
  for (int i = 0; i < 300 && ::access("moved", F_OK) < 0; ++i) nap_ms(10);
  if (::access("moved", F_OK) < 0) return cannot("the host did not move it");
  return read_path(args[1]);
}

constexpr Attempt kAttempts[] = {
    {"read", 1, read_file},
    {"read-amount", 1, read_amount},
    {"find-in-list", 2, find_in_list},
    {"stat", 1, stat_file},
    {"open-write", 1, open_write},
    {"append", 1, append},
    {"create", 1, create},
    {"symlink-then-read", 2, symlink_then_read},
    {"link-then-read", 2, link_then_read},
    {"link-by-descriptor", 2, link_by_descriptor},
    {"link-then-append", 2, link_then_append},
    {"inherited-descriptors", 0, inherited_descriptors},
    {"listed-descriptors", 0, listed_descriptors},
    {"read-inherited", 1, read_inherited},
    {"read-below-inherited", 2, read_below_inherited},
    {"read-beside-stdio", 1, read_beside_stdio},
    {"rename", 2, rename_onto},
    {"remove", 1, remove_file},
    {"truncate", 1, truncate_file},
    {"up-from-moved", 2, up_from_moved},
};

}  // namespace

std::span<const Attempt> file_attempts() { return kAttempts; }

}  // namespace probe
