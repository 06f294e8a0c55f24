// host.cc: implements HostView for the running system.
// Invariant: reads only; symlinks are resolved one by one, so that the caller gets the path of each.
// Not here: any decision, any descriptor that stays open after a call.
#include "sys/host.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#else
#include <sys/sysctl.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/try.h"
#include "sys/call.h"
#include "sys/files.h"

extern char** environ;

namespace pinfold::sys {
namespace {

constexpr int kMaxLinks = 40;  // the kernel's MAXSYMLINKS

HostKind kind_of_mode(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return HostKind::kFile;
    case S_IFDIR: return HostKind::kDirectory;
    case S_IFLNK: return HostKind::kSymlink;
    case S_IFSOCK: return HostKind::kSocket;
    case S_IFCHR:
    case S_IFBLK: return HostKind::kDevice;
    default: return HostKind::kOther;
  }
}

HostKind kind_of_dirent(unsigned char type) {
  switch (type) {
    case DT_REG: return HostKind::kFile;
    case DT_DIR: return HostKind::kDirectory;
    case DT_LNK: return HostKind::kSymlink;
    case DT_SOCK: return HostKind::kSocket;
    case DT_CHR:
    case DT_BLK: return HostKind::kDevice;
    default: return HostKind::kOther;
  }
}

// One field of the caller's line in /etc/passwd. Without NSS: a static program cannot load its modules.
std::string passwd_field(std::string_view text, uid_t uid, int wanted) {
  const std::string id = std::to_string(uid);
  while (!text.empty()) {
    auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    std::array<std::string_view, 7> fields{};
    std::size_t count = 0;
    while (count < fields.size()) {
      auto colon = line.find(':');
      fields[count++] = line.substr(0, colon);
      if (colon == std::string_view::npos) break;
      line = line.substr(colon + 1);
    }
    if (count == fields.size() && fields[2] == id) return std::string(fields[static_cast<std::size_t>(wanted)]);
  }
  return {};
}

#ifdef __linux__
// Whether the kernel itself may compare names of this file system without case, so that it treats both spellings as one
// name. ext4, f2fs and tmpfs do in directories with the casefold flag, the others always or by a mount option.
bool folds_in_kernel(const std::string& directory) {
  struct statfs info {};
  if (::statfs(directory.c_str(), &info) != 0) return false;
  switch (static_cast<std::uint32_t>(info.f_type)) {
    case EXT4_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case MSDOS_SUPER_MAGIC:
    case EXFAT_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC: return true;
    default: return false;
  }
}
#endif

class RealHost final : public HostView {
 public:
  HostIdentity identity() override {
    if (identity_) return *identity_;
    HostIdentity out;
    out.uid = ::getuid();
    out.gid = ::getgid();
    if (const char* home = ::getenv("HOME"); home != nullptr && home[0] == '/') out.home = home;
    if (const char* user = ::getenv("USER"); user != nullptr) out.user = user;
    if (out.home.empty() || out.user.empty()) {
      auto text = read_file("/etc/passwd", 1 << 20);
      if (text && out.home.empty()) out.home = passwd_field(*text, out.uid, 5);
      if (text && out.user.empty()) out.user = passwd_field(*text, out.uid, 0);
    }
    identity_ = out;
    return out;
  }

  HostKind kind(const std::string& path) override {
    const HostKind kind = reach(path);
    return kind == HostKind::kUnreachable ? HostKind::kMissing : kind;
  }
  HostKind reach(const std::string& path) override {
    struct stat info {};
    if (ask(path, [&] { return ::lstat(path.c_str(), &info); }) != 0)
      return errno == EACCES ? HostKind::kUnreachable : HostKind::kMissing;
    return kind_of_mode(info.st_mode);
  }

#ifdef __linux__
  std::string other_spelling(const std::string& path) override {
    const std::size_t name = path.rfind('/') + 1;
    std::string other = path;
    for (std::size_t i = name; i < other.size() && other == path; ++i)
      if (std::isalpha(static_cast<unsigned char>(other[i])) != 0) other[i] = static_cast<char>(other[i] ^ 0x20);
    if (other == path || kind(other) == HostKind::kMissing) return {};
    // If the directory lists the other spelling, it is another file.
    const auto listed = list(path.substr(0, name));
    if (listed && std::any_of(listed->begin(), listed->end(), [&](const HostEntry& entry) {
          return entry.name == std::string_view(other).substr(name);
        }))
      return {};
    return folds_in_kernel(path.substr(0, name)) ? std::string() : other;
  }
#endif

  Result<HostPathInfo> resolve(const std::string& path) override {
    if (path.empty() || path[0] != '/') return fail(ErrorKind::kInvalid, "resolving " + path + ": not absolute");
    HostPathInfo info;
    std::string rest = path.substr(1);
    std::string at;                                               // canonical so far; "" is "/"
    std::vector<std::pair<std::string, std::size_t>> open_links;  // path of the link, and how much of `rest` follows it
    info.kind = HostKind::kDirectory;
    int followed = 0;
    while (!rest.empty()) {
      auto slash = rest.find('/');
      std::string name = rest.substr(0, slash);
      rest = slash == std::string::npos ? std::string() : rest.substr(slash + 1);
      if (name.empty() || name == ".") continue;
      if (name == "..") {
        at.erase(at.empty() ? 0 : at.rfind('/'));
        info.kind = HostKind::kDirectory;
        close_links(info, open_links, at, rest.size());
        continue;
      }
      std::string next = at + "/" + name;
      struct stat stat_info {};
      if (ask(next, [&] { return ::lstat(next.c_str(), &stat_info); }) != 0) {
        int error = errno;
        return tl::unexpected<Error>(
            Error(error == ENOENT || error == ENOTDIR ? ErrorKind::kNotFound : ErrorKind::kSystem,
                  next + ": " + errno_text(error)));
      }
      info.kind = kind_of_mode(stat_info.st_mode);
      if (info.kind == HostKind::kSymlink) {
        if (++followed > kMaxLinks) return fail(ErrorKind::kInvalid, path + ": too many symbolic links");
        PF_TRY(target, read_link(next));
        open_links.emplace_back(next, rest.size());
        rest = rest.empty() ? target : target + "/" + rest;
        if (target[0] == '/') at.clear();
        continue;
      }
      at = next;
      close_links(info, open_links, at, rest.size());
    }
    close_links(info, open_links, at, 0);
    info.canonical = at.empty() ? "/" : at;
    return info;
  }

  Result<std::string> read_link(const std::string& path) override {
    std::array<char, 4096> buffer{};
    PF_TRY(size, call("readlink", path, [&] {
             return ask(path, [&] { return ::readlink(path.c_str(), buffer.data(), buffer.size()); });
           }));
    if (size == 0) return fail(ErrorKind::kSystem, "readlink(" + path + "): empty");
    return std::string(buffer.data(), static_cast<std::size_t>(size));
  }

  Result<HostListing> list_within(const std::string& directory, ListBounds bounds) override {
    Fd fd = Fd::adopt(
        ask(directory, [&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW); }));
    if (!fd.is_open()) {
      const int error = errno;
      Error why = os_error("open", directory, error).within("listing");
      if (error == EACCES) why = Error(ErrorKind::kRefused, why.text(), why.fix());
      return tl::unexpected<Error>(std::move(why));
    }
#ifdef __linux__
    HostListing out;
    std::vector<HostEntry>& entries = out.entries;
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-c-arrays): the kernel fills it
    alignas(dirent64) char buffer[32768];
    for (int calls = 0;; ++calls) {
      if (calls >= 2 && (entries.size() >= bounds.entries || is_over(bounds))) {
        out.complete = false;
        return out;
      }
      PF_TRY(size,
             call("getdents64", directory,
                  [&] {
                    return ask(directory, [&] { return ::syscall(SYS_getdents64, fd.raw(), buffer, sizeof buffer); });
                  }),
             "listing");
      if (size == 0) return out;
      for (long offset = 0; offset < size;) {
        auto* entry = reinterpret_cast<dirent64*>(buffer + offset);
        offset += entry->d_reclen;
        std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        HostEntry found{std::string(name), kind_of_dirent(entry->d_type)};
        if (entry->d_type == DT_UNKNOWN) {
          // Each lstat() may be a round trip to a remote file system.
          if (is_over(bounds)) {
            out.complete = false;
            return out;
          }
          found.kind = kind(directory + "/" + found.name);
        }
        entries.push_back(std::move(found));
      }
    }
#else
    HostListing out;
    DIR* stream = ::fdopendir(fd.raw());
    if (stream == nullptr) return tl::unexpected<Error>(os_error("fdopendir", directory, errno).within("listing"));
    static_cast<void>(fd.release());  // the stream owns it now
    while (const dirent* entry = ::readdir(stream)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (out.entries.size() >= bounds.entries || (out.entries.size() % 256 == 255 && is_over(bounds))) {
        out.complete = false;
        break;
      }
      HostEntry found{std::string(name), kind_of_dirent(entry->d_type)};
      if (entry->d_type == DT_UNKNOWN) found.kind = kind(directory + "/" + found.name);
      out.entries.push_back(std::move(found));
    }
    ::closedir(stream);
    return out;
#endif
  }

  Result<std::string> read_file(const std::string& path, std::size_t limit) override {
    PF_TRY(fd,
           call_fd("open", path,
                   [&] {
                     return ask(path,
                                [&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
                   }),
           "reading");
    struct stat info {};
    if (ask(path, [&] { return ::fstat(fd.raw(), &info); }) != 0 || !S_ISREG(info.st_mode))
      return fail(ErrorKind::kInvalid, path + ": not a regular file");
    std::string text;
    std::array<char, 16384> buffer{};
    while (text.size() < limit) {
      PF_TRY(
          size,
          call("read", path, [&] { return ask(path, [&] { return ::read(fd.raw(), buffer.data(), buffer.size()); }); }),
          "reading");
      if (size == 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    if (text.size() > limit) text.resize(limit);
    return text;
  }

  Result<HostFile> read_owned(const std::string& directory, const std::string& name, Links links,
                              std::size_t limit) override {
    return read_file_below(directory, name, links, limit);
  }

  bool readable(const std::string& path) override { return may(path, R_OK); }
  bool writable(const std::string& path) override { return may(path, W_OK); }
  bool owned(const std::string& path) override {
    struct stat info {};
    return ask(path, [&] { return ::lstat(path.c_str(), &info); }) == 0 &&
           (::geteuid() == 0 || info.st_uid == ::geteuid());
  }
  bool executable(const std::string& path) override { return may(path, X_OK); }

  std::vector<HostMount> kernel_mounts() override {
    std::vector<HostMount> mounts;
    const std::string table = "/proc/self/mountinfo";
    auto opened =
        call_fd("open", table, [&] { return ask(table, [&] { return ::open(table.c_str(), O_RDONLY | O_CLOEXEC); }); });
    if (!opened) return mounts;
    std::string text;
    std::array<char, 32768> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): each page touched is a fault
    for (;;) {
      auto size = call("read", table,
                       [&] { return ask(table, [&] { return ::read(opened->raw(), buffer.data(), buffer.size()); }); });
      if (!size || *size == 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(*size));
    }
    std::string_view left = text;
    while (!left.empty()) {
      auto end = left.find('\n');
      add_kernel_mount(left.substr(0, end), mounts);
      left = end == std::string_view::npos ? std::string_view{} : left.substr(end + 1);
    }
    return mounts;
  }

  std::optional<std::string> variable(const std::string& name) override {
    const char* value = ::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }

  std::vector<std::string> variable_names() override {
    std::vector<std::string> names;
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
      const char* equals = std::strchr(*each, '=');
      if (equals != nullptr && equals != *each) names.emplace_back(*each, static_cast<std::size_t>(equals - *each));
    }
    return names;
  }

  std::uint64_t memory_size() override {
#ifdef __linux__
    struct sysinfo info {};
    if (::sysinfo(&info) != 0) return std::uint64_t{1} << 30;
    return std::uint64_t{info.totalram} * info.mem_unit;
#else
    std::uint64_t bytes = 0;
    std::size_t size = sizeof bytes;
    return ::sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) == 0 ? bytes : std::uint64_t{1} << 30;
#endif
  }

  // Excludes the time that this thread spent in the run queue: bounds are for its own work and for waiting on disks and
  // networks, and the load of the machine must not change the policy. The queue time is read every 10 ms at most.
  std::uint64_t now_ms() override {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const std::uint64_t wall =
        static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
    if (queue_checked_at_ == 0) queued_before_ = milliseconds_in_queue();
    if (queue_checked_at_ == 0 || wall - queue_checked_at_ >= kQueueCheckInterval) {
      queue_checked_at_ = wall;
      queued_ = milliseconds_in_queue() - queued_before_;
    }
    return wall - queued_;
  }

  std::optional<Error> take_host_error() override { return std::exchange(host_error_, std::nullopt); }

 private:
  // Runs a call about a path, retries on EINTR, and keeps the first error that says nothing about the path (EIO,
  // ENOMEM, EMFILE, ENFILE). Keeps the call's errno.
  template <typename Body>
  auto ask(const std::string& path, Body body) -> decltype(body()) {
    auto answer = body();
    while (answer == -1 && errno == EINTR) answer = body();
    if (answer != -1) return answer;
    const int error = errno;
    if (!host_error_ && (error == EIO || error == ENOMEM || error == EMFILE || error == ENFILE))
      host_error_ = Error(ErrorKind::kSystem, path + ": " + errno_text(error), os_error("", "", error).fix());
    errno = error;
    return answer;
  }

  bool may(const std::string& path, int how) {
    return ask(path, [&] { return ::faccessat(AT_FDCWD, path.c_str(), how, AT_EACCESS); }) == 0;
  }

  static constexpr std::uint64_t kQueueCheckInterval = 10;  // milliseconds

  // Time that this thread has waited in the run queue.
  static std::uint64_t milliseconds_in_queue() {
    auto fd = Fd::adopt(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
    std::array<char, 128> text{};
    if (!fd.is_open() || ::read(fd.raw(), text.data(), text.size() - 1) <= 0) return 0;
    const char* second = std::strchr(text.data(), ' ');
    return second == nullptr ? 0 : std::strtoull(second, nullptr, 10) / 1'000'000;
  }

  bool is_over(const ListBounds& bounds) { return bounds.until_ms != UINT64_MAX && now_ms() >= bounds.until_ms; }

  // The text of a link is consumed once only the text after it is left: `at` is then its canonical target.
  static void close_links(HostPathInfo& info, std::vector<std::pair<std::string, std::size_t>>& open,
                          const std::string& at, std::size_t left) {
    while (!open.empty() && left <= open.back().second) {
      info.links.push_back(HostLink{open.back().first, at.empty() ? "/" : at});
      open.pop_back();
    }
  }

  static std::string unescape(std::string_view field) {
    std::string text;
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] == '\\' && i + 3 < field.size()) {
        text += static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 + (field[i + 3] - '0'));
        i += 3;
      } else {
        text += field[i];
      }
    }
    return text;
  }

  // "36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/root rw": field 5: mount point; type: after " - ".
  static void add_kernel_mount(std::string_view line, std::vector<HostMount>& mounts) {
    static constexpr std::array<std::string_view, 18> kTypes = {
        "proc", "sysfs",  "devtmpfs", "devpts",   "cgroup",   "cgroup2", "securityfs",  "debugfs", "tracefs",
        "bpf",  "mqueue", "fusectl",  "configfs", "efivarfs", "pstore",  "binfmt_misc", "autofs",  "nsfs"};
    auto dash = line.find(" - ");
    if (dash == std::string_view::npos) return;
    std::string_view type = line.substr(dash + 3);
    type = type.substr(0, type.find(' '));
    bool wanted = false;
    for (auto each : kTypes) wanted = wanted || each == type;
    if (!wanted) return;
    std::size_t start = 0;
    for (int field = 0; field < 4; ++field) {
      start = line.find(' ', start);
      if (start == std::string_view::npos) return;
      ++start;
    }
    mounts.push_back(HostMount{unescape(line.substr(start, line.find(' ', start) - start)), std::string(type)});
  }

  std::optional<HostIdentity> identity_;
  std::optional<Error> host_error_;
  std::uint64_t queue_checked_at_ = 0;  // for now_ms()
  std::uint64_t queued_before_ = 0;
  std::uint64_t queued_ = 0;
};

}  // namespace

std::unique_ptr<HostView> real_host() { return std::make_unique<RealHost>(); }

Result<Caller> find_caller(HostView& host) {
  std::array<char, PATH_MAX + 16> buffer{};
  // getcwd() returns "(unreachable)/…" for a directory outside this process's root.
  const char* found = ::getcwd(buffer.data(), buffer.size());
  if (found == nullptr && errno != ENOENT)
    return tl::unexpected<Error>(os_error("getcwd", "the working directory", errno));
  if (found == nullptr || buffer[0] != '/')
    return fail(ErrorKind::kInvalid, "the working directory was removed or cannot be reached",
                "cd to a directory that exists");
  return Caller{host.identity().home, buffer.data(), kThisPlatform};
}

}  // namespace pinfold::sys
