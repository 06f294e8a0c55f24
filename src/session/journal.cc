// journal.cc: appends whole lines and rotates.
// Invariant: an entry begins on a new line, also after a writer that was killed in the middle of one.
// Not here: the lines (journal_entry.cc), reading (journal_reader.cc).
#include "session/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "safety/redaction/json_redactor.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::session {
namespace {

using text::shell_word;
using text::shown;

constexpr std::size_t kMostAtOnce = 64 * 1024;  // bytes of one write
// A writer that is stopped (SIGSTOP) while it holds the lock must not block other runs.
constexpr int kLockTries = 40;
constexpr long kLockPause = 1'000'000;  // nanoseconds

Result<void> check_owner(int fd, const std::string& path) {
  struct stat info {};
  PF_TRY(known, sys::call("fstat", path, [&] { return ::fstat(fd, &info); }));
  static_cast<void>(known);
  if (info.st_uid != ::geteuid())
    return fail(ErrorKind::kRefused, fmt::format("{} belongs to user {}", shown(path), info.st_uid),
                "look at it, then remove it: the next run makes a new one");
  if ((info.st_mode & 0022U) != 0)
    return fail(ErrorKind::kRefused, shown(path) + " can be written by others",
                "look at it, then: chmod go-w " + shell_word(path));
  return {};
}

// Held until LOCK_UN or close(); false: another process has held the lock for all tries.
bool lock(int fd) {
  for (int i = 0; i < kLockTries; ++i) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    const std::timespec pause{0, kLockPause};
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

// Whether the file ends in the middle of a line.
Result<bool> is_torn(int fd, std::uint64_t size, const std::string& path) {
  char last = '\n';
  if (size == 0) return false;
  PF_TRY(got, sys::call("read", path, [&] { return ::pread(fd, &last, 1, static_cast<off_t>(size - 1)); }));
  return got == 1 && last != '\n';
}

}  // namespace

std::string new_run_id() {
  std::array<unsigned char, 6> bits{};
  if (::getrandom(bits.data(), bits.size(), GRND_NONBLOCK) != static_cast<ssize_t>(bits.size())) {
    std::timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto mixed = static_cast<std::uint64_t>(now.tv_nsec) ^ (static_cast<std::uint64_t>(::getpid()) << 24U);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<unsigned char>(mixed >> (8 * i));
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : bits) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

std::string old_name(std::size_t number) {
  return number == 0 ? std::string(kJournalFile) : std::string(kJournalFile) + "." + std::to_string(number);
}

Result<sys::Fd> open_state_directory(const std::string& directory) {
  sys::Fd fd = Journal::hold(directory);
  if (!fd.is_open() && errno == ENOENT) return fail(ErrorKind::kNotFound, shown(directory) + ": no such directory");
  if (!fd.is_open() && (errno == ELOOP || errno == ENOTDIR))
    return fail(ErrorKind::kRefused, shown(directory) + " is a symlink or no directory",
                "look at it, then remove it: the next run makes a new one");
  if (!fd.is_open()) return tl::unexpected<Error>(sys::os_error("open", directory, errno));
  PF_CHECK(check_owner(fd.raw(), directory));
  return fd;
}

Result<sys::Fd> open_journal_file(int directory, const std::string& name, int flags, const std::string& shown_as) {
  // O_NONBLOCK: opening a FIFO of this name must not block.
  const int raw = ::openat(directory, name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
  if (raw < 0 && errno == ENOENT) return fail(ErrorKind::kNotFound, shown(shown_as) + ": no such file");
  if (raw < 0 && errno == ELOOP)
    return fail(ErrorKind::kRefused, shown(shown_as) + " is a symlink", "look at it, then remove it");
  if (raw < 0) return tl::unexpected<Error>(sys::os_error("open", shown_as, errno));
  sys::Fd fd = sys::Fd::adopt(raw);
  struct stat info {};
  if (::fstat(fd.raw(), &info) != 0 || !S_ISREG(info.st_mode))
    return fail(ErrorKind::kRefused, shown(shown_as) + " is not a regular file", "look at it, then remove it");
  PF_CHECK(check_owner(fd.raw(), shown_as));
  return fd;
}

sys::Fd Journal::hold(const std::string& directory) {
  return sys::Fd::adopt(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Result<Journal> Journal::open(const std::string& directory, std::uint64_t rotate_at, sys::Fd held) {
  if (directory.empty())
    return fail(ErrorKind::kInvalid, "the home directory is not known", "set HOME or XDG_STATE_HOME");
  Journal journal;
  journal.path_ = paths::join(directory, kJournalFile);
  journal.rotate_at_ = rotate_at;
  if (held.is_open()) {
    PF_CHECK(check_owner(held.raw(), directory));
    journal.directory_ = std::move(held);
    return journal;
  }
  auto opened = open_state_directory(directory);
  if (!opened && opened.error().kind() == ErrorKind::kNotFound) {
    // ~/.local/state/pinfold is created, a home directory is not.
    const std::string home(paths::parent(paths::parent(paths::parent(directory))));
    if (::access(home.c_str(), F_OK) != 0)
      return fail(ErrorKind::kInvalid, shown(home) + " does not exist", "make it, or set XDG_STATE_HOME");
    PF_TRY(made, sys::make_directory(directory));
    static_cast<void>(made);
    opened = open_state_directory(directory);
  }
  if (!opened) return tl::unexpected<Error>(std::move(opened).error());
  journal.directory_ = std::move(*opened);
  return journal;
}

Result<void> Journal::open_newest() {
  PF_TRY(fd, open_journal_file(directory_.raw(), kJournalFile, O_RDWR | O_APPEND | O_CREAT, path_));
  file_ = std::move(fd);
  return {};
}

bool Journal::is_newest() const {
  struct stat mine {};
  struct stat named {};
  return ::fstat(file_.raw(), &mine) == 0 &&
         ::fstatat(directory_.raw(), kJournalFile, &named, AT_SYMLINK_NOFOLLOW) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

void Journal::hide(std::string_view name, std::string_view value) {
  if (!hidden_) hidden_.emplace(redaction::Only::kSecrets);
  hidden_->add_value(name, value);
}

Result<void> Journal::append(const std::vector<JournalEntry>& entries) {
  std::string lines;
  for (const JournalEntry& entry : entries) {
    std::string line = line_of(entry);
    if (hidden_) line = redaction::redact_json(*hidden_, line);
    if (lines.size() + line.size() > kMostAtOnce) {
      PF_CHECK(write(lines));
      lines.clear();
    }
    lines += line;
  }
  return lines.empty() ? Result<void>{} : write(lines);
}

Result<void> Journal::write(std::string_view lines) {
  bool held = false;
  constexpr int kTries = 16;  // a try fails only if another process rotated in between
  for (int i = 0; i < kTries; ++i) {
    if (!file_.is_open()) PF_CHECK(open_newest());
    held = lock(file_.raw());
    if (is_newest()) break;
    file_.reset();
    held = false;
  }
  if (!file_.is_open()) PF_CHECK(open_newest());
  struct stat info {};
  PF_TRY(known, sys::call("fstat", path_, [&] { return ::fstat(file_.raw(), &info); }));
  static_cast<void>(known);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  PF_TRY(torn, is_torn(file_.raw(), size, path_));
  std::string text;
  if (torn) text = "\n";
  text += lines;
  auto written = sys::write_all(file_.raw(), text, path_);
  // RLIMIT_FSIZE and a full disk cut a write short before they refuse the rest. With the lock held no other process
  // has written since.
  if (!written && held) static_cast<void>(::ftruncate(file_.raw(), info.st_size));
  if (held && size + text.size() >= rotate_at_) rotate();
  if (held && file_.is_open()) ::flock(file_.raw(), LOCK_UN);
  return written;
}

// Under the lock of the newest file. Waiting writers then find that it is not the newest any more.
void Journal::rotate() {
  if (!is_newest()) return;
  // A writer that was killed here leaves a gap in the numbers: only the files below the gap are renamed.
  std::size_t free = 1;
  struct stat info {};
  while (free < kOldFiles && ::fstatat(directory_.raw(), old_name(free).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
    ++free;
  for (std::size_t i = free; i > 0; --i)
    if (::renameat(directory_.raw(), old_name(i - 1).c_str(), directory_.raw(), old_name(i).c_str()) != 0) return;
  file_.reset();
}

}  // namespace pinfold::session
