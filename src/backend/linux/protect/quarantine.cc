// quarantine.cc: see quarantine.h.
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

// fchmod() does not take a descriptor that is only a place.
std::string by_descriptor(int directory) { return "/proc/self/fd/" + std::to_string(directory); }

}  // namespace

OwnersRights::OwnersRights(int directory) : directory_(directory) {
  struct stat info {};
  if (::fstat(directory, &info) != 0 || !S_ISDIR(info.st_mode) || (info.st_mode & S_IRWXU) == S_IRWXU) return;
  if (::chmod(by_descriptor(directory).c_str(), (info.st_mode & 07777) | S_IRWXU) == 0) before_ = info.st_mode & 07777;
}

OwnersRights::~OwnersRights() {
  if (!before_) return;
  const int error = errno;
  static_cast<void>(::chmod(by_descriptor(directory_).c_str(), *before_));
  errno = error;
}

bool with_rights(int directory, const std::function<bool()>& change) {
  if (change()) return true;
  if (errno != EACCES && errno != EPERM) return false;
  const OwnersRights rights(directory);
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

std::string set_aside(int directory, const std::string& name, std::string_view tag) {
  // A name may have 255 bytes; what is cut off is not lost on anybody.
  const std::string start = name.substr(0, 255 - tag.size() - 17) + std::string(tag) + "-";
  std::string aside;
  const auto rename = [&] {
    for (int i = 0; i < kMostTries; ++i) {
      aside = start + random_digits();
      if (::syscall(SYS_renameat2, directory, name.c_str(), directory, aside.c_str(), kNoReplace) == 0) return true;
      if (errno == EINVAL || errno == ENOSYS)  // a file system without it
        return ::renameat(directory, name.c_str(), directory, aside.c_str()) == 0;
      if (errno != EEXIST) return false;
    }
    return false;
  };
  return with_rights(directory, rename) ? aside : std::string();
}

}  // namespace pinfold::backend::on_linux
