// files.h: reads files with their owner; writes them whole or not at all; locks.
// Invariant: owner and mode are those of the very file that was read; a reader of a published name sees the old text or
// the new one, also after a crash. Not here: which files, and which owners are accepted.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/host_view.h"
#include "sys/fd.h"

namespace pinfold::sys {

Result<void> write_all(int fd, std::string_view text, const std::string& shown);

// A random name, for a file that is about to be renamed.
std::string temporary_name();
// 128 random bits from getrandom() as hexadecimal digits; never fewer.
Result<std::string> fresh_secret();

// Writes beside `name`, then renames; owner-only (0600). A symlink of that name is replaced, not followed.
Result<void> publish_file(int directory, const std::string& name, std::string_view text, const std::string& shown);

// For files written after a command ran: `directory` was opened at `path` before it. kRefused if another directory has
// that path now: the reader of `path` would find a file that the command put there. kGone: nothing has that path now.
enum class HeldName { kUnchanged, kGone };
Result<HeldName> check_not_replaced(int directory, const std::string& path);

// publish_file() into `target`, which is `directory` or a directory in it. If `directory` has lost its name `path`, the
// file is written all the same, and the error (kRefused) has the path that it has now.
Result<void> publish_after_run(int directory, const std::string& path, int target, const std::string& name,
                               std::string_view text, const std::string& shown);

Result<HostFile> read_file_below(const std::string& directory, const std::string& name, Links links, std::size_t limit);

// A sealed file in memory with these bytes; no process can change it.
Result<Fd> sealed_file(std::string_view bytes);

// Makes the directory and those above it, owner-only, and opens it.
Result<Fd> make_directory(const std::string& path);
Result<void> make_directories(const std::string& path);  // not opened

// Limit of the wait for a lock that another process holds. Pinfold's own commands hold one for milliseconds.
inline constexpr std::chrono::milliseconds kLockTimeout{10'000};
enum class Lock { kShared, kExclusive };

// flock(), but never for longer than `timeout`: after that an error of kind kSystem names the file
// and, if /proc/locks lists it, the process that holds the lock.
Result<void> take_lock(int fd, Lock lock, const std::string& path, std::chrono::milliseconds timeout = kLockTimeout);

// The lock is held until the Fd is closed. `shown` is the path of the directory.
Result<Fd> lock_file(int directory, const std::string& name, const std::string& shown,
                     std::chrono::milliseconds timeout = kLockTimeout);

// Creates a new file; an error of kind kInvalid if an entry of any kind has the name.
Result<void> create_file(const std::string& path, std::string_view text);

}  // namespace pinfold::sys
