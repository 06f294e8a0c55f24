// entries.cc: the entries of a directory, by descriptor.
// Invariant: where a file system does not report types, each entry is queried with fstatat; no entry is reported twice.
// Not here: which of them may be seen.
#include "files/entries.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace pinfold::files {
namespace {

constexpr std::size_t kBuffer = 32768;

// The record that getdents64 writes.
struct Record {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];  // and more: the kernel's own shape
};

}  // namespace

EntryType type_of(unsigned mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return EntryType::kFile;
    case S_IFDIR: return EntryType::kDirectory;
    case S_IFLNK: return EntryType::kSymlink;
    default: return EntryType::kOther;
  }
}

int each_entry(int directory, const std::function<bool(std::string_view name, EntryType type)>& visit) {
  const auto buffer = std::make_unique<char[]>(kBuffer);  // NOLINT: bytes for the kernel
  for (;;) {
    const long got = ::syscall(SYS_getdents64, directory, buffer.get(), kBuffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? 0 : errno;
    for (long at = 0; at < got;) {
      const auto* one = reinterpret_cast<const Record*>(buffer.get() + at);
      at += one->length;
      const std::string_view name(one->name);
      if (name == "." || name == "..") continue;
      EntryType type = EntryType::kOther;
      if (one->type == DT_UNKNOWN) {
        struct stat info {};
        if (::fstatat(directory, one->name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        type = type_of(info.st_mode);
      } else {
        type = type_of(static_cast<unsigned>(DTTOIF(one->type)));
      }
      if (!visit(name, type)) return 0;
    }
  }
}

}  // namespace pinfold::files
