// change_file.cc: writing and editing a file.
// Invariant: whole or not at all (store.h); two edits at once happen one after the other, because each holds the lock
// of the file that it read until its own has taken the name; lines keep the ends that they had. Not here: where it lies
// and whether it may be changed (tools.cc).
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "files/content.h"
#include "files/replace.h"
#include "files/store.h"
#include "files/tools.h"
#include "files/unified_diff.h"
#include "sys/call.h"

namespace pinfold::files {
namespace {

using std::string_view;
using text::shown;

constexpr std::size_t kLargestEdit = std::size_t{64} << 20;
constexpr std::size_t kLargestDiff = std::size_t{4} << 20;
constexpr auto kLockPatience = std::chrono::seconds(20);
constexpr int kTries = 10000;  // each time another process changed the file first

Result<std::string> whole_text(int fd, const std::string& path, std::size_t limit) {
  std::string out;
  constexpr std::size_t kChunk = 65536;
  const auto chunk = std::make_unique<char[]>(kChunk);  // NOLINT: bytes for read
  for (;;) {
    PF_TRY(got, sys::call("read", shown(path), [&] { return ::read(fd, chunk.get(), kChunk); }));
    if (got == 0) return out;
    out.append(chunk.get(), static_cast<std::size_t>(got));
    if (out.size() > limit)
      return fail(ErrorKind::kRefused, shown(path) + " is longer than " + std::to_string(limit >> 20) + " MiB",
                  "edit it with a program made for that, in the sandbox");
  }
}

// Misleading names (control, bidi characters) are never created; existing ones can be read.
Result<void> check_new_names(const std::string& path, const DirectoryEntry& entry) {
  // With an open directory, only the last name is new.
  string_view fresh = entry.directory.is_open() ? string_view(entry.name) : string_view(path);
  if (shown(fresh) == fresh) return {};
  return fail(ErrorKind::kInvalid,
              "the name " + shown(fresh) + " has control, invisible or direction characters, or is no UTF-8",
              "choose a plain name");
}

Result<void> check_user_may(const DirectoryEntry& entry) {
  if (::faccessat(entry.directory.raw(), entry.name.c_str(), W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0) return {};
  if (errno == ENOENT || errno == EINVAL || errno == ENOSYS) return {};
  return fail(ErrorKind::kSystem, shown(entry.path) + " may not be written by this user: " + sys::errno_text(errno),
              "chmod u+w " + text::shell_word(entry.path));
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// Does the name still lead to this file, as it was?
bool unchanged(const DirectoryEntry& entry, const struct stat& before) {
  struct stat now {};
  return ::fstatat(entry.directory.raw(), entry.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 && same_file(before, now);
}

Result<void> lock(int fd, const std::string& path) {
  const auto until = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return {};  // a file system without locks: the check before the rename remains
    if (std::chrono::steady_clock::now() > until)
      return fail(ErrorKind::kSystem, shown(path) + " is locked by another program", "try again");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return {};
}

std::string diff_of(string_view before, string_view after, const std::string& name, OldFile was) {
  if (before.size() > kLargestDiff || after.size() > kLargestDiff) return {};
  if (looks_binary(before) || looks_binary(after)) return {};
  return unified_diff(before, after, name, was);
}

}  // namespace

// A file that exists is replaced, with the ends of its lines.
Result<FileChange> Tools::put(const DirectoryEntry& entry, string_view bytes, const WriteOptions& options) {
  FileChange out;
  out.path = entry.path;
  out.created = !entry.exists();
  if (out.created) {
    if (!entry.directory.is_open())
      return fail(ErrorKind::kNotFound, shown(paths::parent(entry.path)) + ": No such directory",
                  "create it: --parents");
    out.diff = diff_of({}, bytes, shown_path(entry.path), OldFile::kMissing);
    out.size = bytes.size();
    if (options.dry_run) return out;
    PF_TRY(stored, create_file(entry, bytes));
    out.notes = std::move(stored.notes);
    return out;
  }
  PF_CHECK(check_user_may(entry));
  PF_TRY(fd, open_regular(entry));
  std::string before;
  if (fd.is_open() && static_cast<std::size_t>(entry.info.st_size) <= kLargestDiff) {
    PF_TRY(text, whole_text(fd.raw(), entry.path, kLargestDiff * 2));
    before = std::move(text);
  }
  std::string kept;
  if (!options.exact && line_ends_of(before) == LineEnds::kCrLf && line_ends_of(bytes) == LineEnds::kLf &&
      !looks_binary(bytes)) {
    kept = with_line_ends(bytes, LineEnds::kCrLf);
    bytes = kept;
    out.notes.emplace_back("its lines end with CRLF, as before");
  }
  out.size = bytes.size();
  out.diff = diff_of(before, bytes, shown_path(entry.path), OldFile::kPresent);
  if (options.dry_run) return out;
  PF_TRY(stored, replace_file(entry, bytes));
  out.notes.insert(out.notes.end(), stored.notes.begin(), stored.notes.end());
  return out;
}

Result<FileChange> Tools::write(string_view path, string_view bytes, const WriteOptions& options) {
  for (int tries = 0; tries < kTries; ++tries) {
    const Parents parents = options.parents && !options.dry_run ? Parents::kMake : Parents::kAssume;
    // Before anything is created: every new name must be readable.
    PF_TRY(seen, reach(path, Access::kWrite, LastLink::kFollow, Parents::kAssume));
    if (seen.exists()) {
      if (options.create_only)
        return fail(ErrorKind::kInvalid, shown(path) + " exists already", "leave --create-only out to replace it");
      PF_CHECK(check_regular(seen, Access::kWrite, path));
      return put(seen, bytes, options);
    }
    PF_CHECK(check_new_names(seen.path, seen));
    if (options.dry_run && options.parents && !seen.directory.is_open()) {
      FileChange out;
      out.path = seen.path;
      out.created = true;
      out.size = bytes.size();
      out.diff = diff_of({}, bytes, shown_path(seen.path), OldFile::kMissing);
      return out;
    }
    PF_TRY(entry, reach(path, Access::kWrite, LastLink::kFollow, parents));
    if (entry.exists()) continue;
    auto done = put(entry, bytes, options);
    // Another process created the file since: it is replaced, unless the caller wants a new file.
    if (!done && done.error().kind() == ErrorKind::kInvalid && !options.create_only) continue;
    return done;
  }
  return fail(ErrorKind::kSystem, shown(path) + " keeps changing: another process writes to it", "try again");
}

// None: another process changed the file since it was opened.
Result<std::optional<FileChange>> Tools::try_edit(string_view path, const std::vector<Edit>& edits,
                                                  const WriteOptions& options) {
  PF_TRY(entry, reach(path, Access::kWrite, LastLink::kFollow));
  PF_CHECK(check_regular(entry, Access::kWrite, path));
  PF_CHECK(check_user_may(entry));
  PF_TRY(fd, open_regular(entry));
  if (!fd.is_open()) return std::nullopt;
  PF_CHECK(lock(fd.raw(), entry.path));
  struct stat locked {};
  if (::fstat(fd.raw(), &locked) != 0) return tl::unexpected<Error>(sys::os_error("fstat", shown(entry.path), errno));
  if (!unchanged(entry, locked)) return std::nullopt;
  entry.info = locked;
  PF_TRY(before, whole_text(fd.raw(), entry.path, kLargestEdit));
  if (looks_binary(before))
    return fail(ErrorKind::kRefused, shown(path) + " is a binary file",
                "write it whole: pinfold files write --base64 " + text::shell_word(path));
  FileChange out;
  out.path = entry.path;
  std::string after = before;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    PF_TRY(replaced, replace_exact(after, edits[i]),
           edits.size() == 1 ? shown(path) : shown(path) + ": edit " + std::to_string(i + 1));
    after = std::move(replaced.text);
    out.replaced += replaced.places;
  }
  out.size = after.size();
  out.diff = diff_of(before, after, shown_path(entry.path), OldFile::kPresent);
  if (options.dry_run) return out;
  if (!unchanged(entry, locked)) return std::nullopt;
  PF_TRY(stored, replace_file(entry, after));
  out.notes = std::move(stored.notes);
  return out;
}

Result<FileChange> Tools::edit(string_view path, const std::vector<Edit>& edits, const WriteOptions& options) {
  if (edits.empty()) return fail(ErrorKind::kInvalid, "there is nothing to replace", "name the old and the new text");
  for (int tries = 0; tries < kTries; ++tries) {
    PF_TRY(done, try_edit(path, edits, options));
    if (done) return std::move(*done);
  }
  return fail(ErrorKind::kSystem, shown(path) + " keeps changing: another process writes to it", "try again");
}

}  // namespace pinfold::files
