// quarantine.cc: renames a file within its directory; see quarantine.h.
#include "backend/linux/protect/quarantine.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

namespace pinfold::backend::on_linux {
namespace {

constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
constexpr int kMostTries = 16;

// fchmod() refuses O_PATH descriptors.
std::string by_descriptor(int directory) { return "/proc/self/fd/" + std::to_string(directory); }

}  // namespace

OwnerAccess::OwnerAccess(int directory) : directory_(directory) {
  struct stat info {};
  if (::fstat(directory, &info) != 0 || !S_ISDIR(info.st_mode) || (info.st_mode & S_IRWXU) == S_IRWXU) return;
  if (::chmod(by_descriptor(directory).c_str(), (info.st_mode & 07777) | S_IRWXU) == 0) before_ = info.st_mode & 07777;
}

OwnerAccess::~OwnerAccess() {
  if (!before_) return;
  const int error = errno;
  static_cast<void>(::chmod(by_descriptor(directory_).c_str(), *before_));
  errno = error;
}

bool with_owner_access(int directory, const std::function<bool()>& change) {
  if (change()) return true;
  if (errno != EACCES && errno != EPERM) return false;
  const OwnerAccess rights(directory);
  return change();
}

std::string random_digits() {
  std::array<unsigned char, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    auto ticks = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(ticks), ticks >>= 8U;
  }
  std::string out;
  for (unsigned char byte : bytes) {
    out += "0123456789abcdef"[byte >> 4U];
    out += "0123456789abcdef"[byte & 15U];
  }
  return out;
}

std::string quarantine(int directory, const std::string& name, std::string_view tag) {
  return quarantine_in(directory, name, directory, name, tag);
}

std::string quarantine_in(int target, const std::string& start, int directory, const std::string& name,
                          std::string_view tag) {
  // A name may have 255 bytes; the end of a longer one is cut off.
  const std::string stem = start.substr(0, 255 - tag.size() - 17) + std::string(tag) + "-";
  std::string new_name;
  const auto rename = [&] {
    for (int i = 0; i < kMostTries; ++i) {
      new_name = stem + random_digits();
      if (::syscall(SYS_renameat2, directory, name.c_str(), target, new_name.c_str(), kNoReplace) == 0) return true;
      if (errno == EINVAL || errno == ENOSYS)  // this file system lacks the flag
        return ::renameat(directory, name.c_str(), target, new_name.c_str()) == 0;
      if (errno != EEXIST) return false;
    }
    return false;
  };
  return with_owner_access(directory, rename) ? new_name : std::string();
}

}  // namespace pinfold::backend::on_linux
