// journal_reader.cc: reads the journal, oldest line first.
// Invariant: files are opened from the newest to the oldest: if a rotation happens in between, a file appears twice,
// which its inode reveals, and none is missed. Not here: writing (journal.cc).
#include "session/journal_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/paths.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::session {
namespace {

constexpr std::size_t kChunk = 256 * 1024;

}  // namespace

Result<std::vector<JournalReader::File>> JournalReader::open_files() const {
  std::vector<File> files;
  auto directory = open_state_directory(directory_);
  if (!directory && directory.error().kind() == ErrorKind::kNotFound) return files;
  if (!directory) return tl::unexpected<Error>(std::move(directory).error());
  for (std::size_t i = 0; i <= kOldFiles; ++i) {
    File file;
    file.shown = paths::join(directory_, old_name(i));
    auto fd = open_journal_file(directory->raw(), old_name(i), O_RDONLY, file.shown);
    if (!fd && fd.error().kind() == ErrorKind::kNotFound) continue;
    if (!fd) return tl::unexpected<Error>(std::move(fd).error());
    struct stat info {};
    PF_TRY(known, sys::call("fstat", file.shown, [&] { return ::fstat(fd->raw(), &info); }));
    static_cast<void>(known);
    file.fd = std::move(*fd);
    file.device = info.st_dev;
    file.inode = info.st_ino;
    const auto same = [&](const File& one) { return one.inode == file.inode && one.device == file.device; };
    if (std::any_of(files.begin(), files.end(), same)) continue;
    files.push_back(std::move(file));
    // Older files were read before, or are not wanted.
    if (inode_ == 0 && files_ == Files::kNewest) break;
    if (files.back().inode == inode_ && files.back().device == device_) break;
  }
  return files;
}

Result<void> JournalReader::read_new(const Visit& visit) {
  PF_TRY(files, open_files());
  for (std::size_t i = files.size(); i-- > 0;)
    PF_CHECK(read_file(files[i], i == 0 ? Rest::kUnfinished : Rest::kTorn, visit));
  return {};
}

Result<void> JournalReader::read_file(const File& file, Rest rest, const Visit& visit) {
  if (file.inode != inode_ || file.device != device_) {
    inode_ = file.inode;
    device_ = file.device;
    offset_ = 0;
  }
  struct stat info {};
  if (::fstat(file.fd.raw(), &info) == 0 && static_cast<std::uint64_t>(info.st_size) < offset_) offset_ = 0;
  std::string carried;  // the beginning of a line that the last chunk ended in
  std::uint64_t at = offset_;
  std::string chunk(kChunk, '\0');
  while (true) {
    PF_TRY(size, sys::call("read", file.shown,
                           [&] { return ::pread(file.fd.raw(), chunk.data(), chunk.size(), static_cast<off_t>(at)); }));
    if (size == 0) break;
    at += static_cast<std::uint64_t>(size);
    std::string_view rest_of_chunk(chunk.data(), static_cast<std::size_t>(size));
    for (std::size_t end = rest_of_chunk.find('\n'); end != std::string_view::npos; end = rest_of_chunk.find('\n')) {
      if (carried.empty()) {
        take(rest_of_chunk.substr(0, end), visit);
      } else {
        carried.append(rest_of_chunk.substr(0, end));
        take(carried, visit);
        carried.clear();
      }
      rest_of_chunk.remove_prefix(end + 1);
    }
    carried.append(rest_of_chunk);
    offset_ = at - carried.size();
    // No writer makes such a long line: do not keep it in memory.
    if (carried.size() > 64 * kLongestLine) carried.assign(1, '?');
  }
  if (rest == Rest::kTorn && !carried.empty()) ++skipped_;
  return {};
}

void JournalReader::take(std::string_view line, const Visit& visit) {
  if (line.empty()) return;
  const auto entry = line.size() < kLongestLine ? entry_of(line) : std::nullopt;
  if (entry)
    visit(line, *entry);
  else
    ++skipped_;
}

}  // namespace pinfold::session
