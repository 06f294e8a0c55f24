// files_hash.cc: walks a folder by descriptors, and hashes or copies its entries.
// Invariant: no link is followed; names are sorted by their bytes.
// Not here: the reaction to a change (approval_status.h).
#include "plugin/files_hash.h"

#include <dirent.h>
#include <fcntl.h>
#include <sodium/crypto_hash_sha256.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <functional>
#include <memory>
#include <vector>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "plugin/manifest.h"
#include "settings/trust.h"
#include "sys/call.h"
#include "sys/fd.h"
#include "sys/files.h"

namespace pinfold::plugin {
namespace {

using sys::Fd;
using text::shown;

struct TreeEntry {
  int directory = -1;
  std::string name;
  std::string path;  // relative to the folder
  struct stat info {};
};

class Walk {
 public:
  using Visit = std::function<Result<void>(const TreeEntry& entry)>;
  Walk(std::string folder, FolderBounds bounds, Visit visit)
      : folder_(std::move(folder)), bounds_(bounds), visit_(std::move(visit)) {}

  Result<void> run() {
    PF_TRY(top,
           sys::call_fd("open", folder_, [&] { return ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    return directory(std::move(top), "", 0);
  }

 private:
  Result<void> too_big(const std::string& what) const {
    return fail(ErrorKind::kRefused, shown(folder_) + " holds " + what + ", more than a plugin may",
                "remove files that it does not need to run");
  }

  Result<void> directory(Fd at, const std::string& path, std::size_t depth) {
    if (depth > bounds_.depth) return too_big("directories that are nested too deeply");
    PF_TRY(names, names_in(at.raw(), path));
    for (const std::string& name : names) {
      TreeEntry entry{at.raw(), name, path.empty() ? name : path + "/" + name};
      PF_TRY(known, sys::call("fstatat", paths::join(folder_, entry.path),
                              [&] { return ::fstatat(at.raw(), name.c_str(), &entry.info, AT_SYMLINK_NOFOLLOW); }));
      static_cast<void>(known);
      if (S_ISREG(entry.info.st_mode)) {
        bytes_ += static_cast<std::uint64_t>(entry.info.st_size);
        if (bytes_ > bounds_.bytes) return too_big("more than " + std::to_string(bounds_.bytes >> 20U) + " MiB");
      } else if (!S_ISDIR(entry.info.st_mode) && !S_ISLNK(entry.info.st_mode)) {
        return fail(ErrorKind::kRefused,
                    shown(paths::join(folder_, entry.path)) + " is neither a file nor a directory nor a link",
                    "remove it");
      }
      PF_CHECK(visit_(entry));
      if (!S_ISDIR(entry.info.st_mode)) continue;
      PF_TRY(inner, sys::call_fd("openat", paths::join(folder_, entry.path), [&] {
               return ::openat(at.raw(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
             }));
      PF_CHECK(directory(std::move(inner), entry.path, depth + 1));
    }
    return {};
  }

  Result<std::vector<std::string>> names_in(int at, const std::string& path) {
    // A descriptor of its own: closedir() closes its descriptor.
    PF_TRY(again, sys::call_fd("openat", paths::join(folder_, path),
                               [&] { return ::openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.raw()), &::closedir);
    if (stream == nullptr) return tl::unexpected<Error>(sys::os_error("fdopendir", folder_, errno));
    static_cast<void>(again.release());
    std::vector<std::string> names;
    for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (++entries_ > bounds_.entries) {
        auto refused = too_big("more than " + std::to_string(bounds_.entries) + " files");
        return tl::unexpected<Error>(std::move(refused).error());
      }
      names.emplace_back(name);
    }
    if (errno != 0) return tl::unexpected<Error>(sys::os_error("readdir", paths::join(folder_, path), errno));
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string folder_;
  FolderBounds bounds_;
  Visit visit_;
  std::size_t entries_ = 0;
  std::uint64_t bytes_ = 0;
};

Result<std::string> link_target(const TreeEntry& entry) {
  std::array<char, PATH_MAX> buffer{};
  PF_TRY(size, sys::call("readlinkat", entry.path, [&] {
           return ::readlinkat(entry.directory, entry.name.c_str(), buffer.data(), buffer.size());
         }));
  return std::string(buffer.data(), static_cast<std::size_t>(size));
}

// Reads to the end, at most `most` bytes: the bound also holds for a file that grows while it is read.
template <typename Take>
Result<void> each_block(const TreeEntry& entry, std::uint64_t most, Take take) {
  PF_TRY(fd, sys::call_fd("openat", entry.path, [&] {
           return ::openat(entry.directory, entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
         }));
  std::vector<char> block(std::size_t{1} << 18U);
  for (std::uint64_t all = 0;;) {
    PF_TRY(size, sys::call("read", entry.path, [&] { return ::read(fd.raw(), block.data(), block.size()); }));
    if (size == 0) return {};
    all += static_cast<std::uint64_t>(size);
    if (all > most) return fail(ErrorKind::kRefused, shown(entry.path) + " grew while it was read", "try again");
    PF_CHECK(take(std::string_view(block.data(), static_cast<std::size_t>(size))));
  }
}

Result<std::string> content_hash(const TreeEntry& entry, std::uint64_t most) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  PF_CHECK(each_block(entry, most, [&](std::string_view bytes) -> Result<void> {
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    return {};
  }));
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256_final(&state, digest.data());
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

// Each field has its length in front, so that two different folders never give the same text.
void add_field(std::string& out, std::string_view field) {
  out += std::to_string(field.size()) + ":";
  out += field;
}

bool leads_out(const TreeEntry& link, std::string_view target) {
  if (target.starts_with('/')) return true;
  std::ptrdiff_t level = std::count(link.path.begin(), link.path.end(), '/');
  for (std::size_t begin = 0; begin < target.size();) {
    const std::size_t end = std::min(target.find('/', begin), target.size());
    const std::string_view part = target.substr(begin, end - begin);
    if (part == "..")
      --level;
    else if (!part.empty() && part != ".")
      ++level;
    if (level < 0) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

Result<std::string> files_hash(const std::string& folder, const std::string& start, FolderBounds bounds) {
  std::string all = "pinfold-plugin-files/1\n";
  add_field(all, start);
  Walk walk(folder, bounds, [&](const TreeEntry& entry) -> Result<void> {
    if (entry.path == kManifestFile) return {};
    const mode_t mode = entry.info.st_mode;
    all += S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : (mode & 0111U) != 0 ? 'x' : 'f';
    add_field(all, entry.path);
    if (S_ISLNK(mode)) {
      PF_TRY(target, link_target(entry));
      add_field(all, target);
    } else if (S_ISREG(mode)) {
      PF_TRY(hash, content_hash(entry, bounds.bytes));
      add_field(all, hash);
    }
    return {};
  });
  PF_CHECK(walk.run());
  return settings::hash_of(all);
}

Result<FolderMetadata> read_folder_metadata(const std::string& folder, const std::string& start, FolderBounds bounds) {
  FolderMetadata out;
  std::string all = "pinfold-plugin-glance/1\n";
  add_field(all, start);
  const auto nanoseconds = [](const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  Walk walk(folder, bounds, [&](const TreeEntry& entry) -> Result<void> {
    if (entry.path == kManifestFile) return {};
    const struct stat& info = entry.info;
    const std::int64_t changed = nanoseconds(info.st_ctim);
    out.newest_change = std::max(out.newest_change, changed);
    if (S_ISREG(info.st_mode)) out.bytes += static_cast<std::uint64_t>(info.st_size);
    add_field(all, entry.path);
    for (const std::int64_t number : {static_cast<std::int64_t>(info.st_mode), static_cast<std::int64_t>(info.st_dev),
                                      static_cast<std::int64_t>(info.st_ino), static_cast<std::int64_t>(info.st_size),
                                      nanoseconds(info.st_mtim), changed})
      all += std::to_string(number) + ",";
    return {};
  });
  PF_CHECK(walk.run());
  out.hash = settings::hash_of(all);
  return out;
}

Result<void> copy_folder(const std::string& from, const std::string& to, FolderBounds bounds) {
  PF_TRY(made, sys::call("mkdir", to, [&] { return ::mkdir(to.c_str(), 0755); }));
  static_cast<void>(made);
  Walk walk(from, bounds, [&](const TreeEntry& entry) -> Result<void> {
    const std::string target = paths::join(to, entry.path);
    if (S_ISDIR(entry.info.st_mode)) {
      PF_TRY(directory, sys::call("mkdir", target, [&] { return ::mkdir(target.c_str(), 0755); }));
      static_cast<void>(directory);
      return {};
    }
    if (S_ISLNK(entry.info.st_mode)) {
      PF_TRY(text, link_target(entry));
      if (leads_out(entry, text))
        return fail(ErrorKind::kRefused,
                    shown(paths::join(from, entry.path)) + " is a link that leads out of the plugin",
                    "copy the link's target into the folder");
      PF_TRY(linked, sys::call("symlink", target, [&] { return ::symlink(text.c_str(), target.c_str()); }));
      static_cast<void>(linked);
      return {};
    }
    const mode_t mode = (entry.info.st_mode & 0111U) != 0 ? 0755 : 0644;
    PF_TRY(out, sys::call_fd("open", target, [&] {
             return ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
           }));
    return each_block(entry, bounds.bytes,
                      [&](std::string_view bytes) { return sys::write_all(out.raw(), bytes, target); });
  });
  return walk.run();
}

}  // namespace pinfold::plugin
