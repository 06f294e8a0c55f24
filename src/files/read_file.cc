// read_file.cc: some lines of a file, and the entries of a directory.
// Invariant: memory holds only the requested lines, for any size of the file.
// Not here: where they lie and whether they may be seen (tools.cc).
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "files/content.h"
#include "files/entries.h"
#include "files/ignore_finder.h"
#include "files/tools.h"
#include "sys/call.h"

namespace pinfold::files {
namespace {

using std::string_view;
using text::shown;

constexpr std::size_t kChunk = 65536;
constexpr int kTries = 100;  // gives up if another process replaces the file each time

class LineReader {
 public:
  LineReader(int fd, const ReadOptions& options, FileText& out) : fd_(fd), options_(options), out_(out) {}

  Result<void> run() {
    const auto chunk = std::make_unique<char[]>(kChunk);  // NOLINT: bytes for read
    for (bool first = true;; first = false) {
      PF_TRY(got, sys::call("read", shown(out_.path), [&] { return ::read(fd_, chunk.get(), kChunk); }));
      if (got == 0) break;
      const string_view bytes(chunk.get(), static_cast<std::size_t>(got));
      if (first && looks_binary(bytes)) return binary(bytes);
      if (!take(bytes)) break;
    }
    out_.content = content_of(out_.bytes);
    out_.ends = line_ends_of(out_.bytes);
    return {};
  }

 private:
  Result<void> binary(string_view bytes) {
    out_.content = Content::kBinary;
    out_.lines = 0;
    while (true) {
      out_.bytes.append(bytes.substr(0, options_.bytes - std::min(options_.bytes, out_.bytes.size())));
      if (out_.bytes.size() >= options_.bytes) break;
      char more[4096];
      PF_TRY(got, sys::call("read", shown(out_.path), [&] { return ::read(fd_, more, sizeof more); }));
      if (got == 0) return {};
      bytes = string_view();
      out_.bytes.append(more, std::min(static_cast<std::size_t>(got), options_.bytes - out_.bytes.size()));
    }
    out_.more = out_.size > out_.bytes.size();
    return {};
  }

  // False: enough.
  bool take(string_view bytes) {
    while (!bytes.empty()) {
      if (line_ < options_.offset) {
        const std::size_t end = bytes.find('\n');
        if (end == string_view::npos) return true;
        ++line_;
        bytes.remove_prefix(end + 1);
        continue;
      }
      if (out_.lines >= options_.lines && at_start_) {
        out_.more = true;
        return false;
      }
      const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
      const std::size_t room = options_.bytes - out_.bytes.size();
      if (at_start_) ++out_.lines;
      at_start_ = bytes[end - 1] == '\n';
      out_.bytes.append(bytes.substr(0, std::min(end, room)));
      if (end > room) {
        out_.more = true;
        out_.cut = true;
        return false;
      }
      bytes.remove_prefix(end);
    }
    return true;
  }

  int fd_;
  const ReadOptions& options_;
  FileText& out_;
  std::size_t line_ = 1;
  bool at_start_ = true;
};

}  // namespace

Result<FileText> Tools::read(string_view path, const ReadOptions& options) {
  if (options.offset == 0 || options.lines == 0 || options.bytes == 0)
    return fail(ErrorKind::kInvalid, "lines are counted from 1, and at least one line and byte is read");
  for (int tries = 0; tries < kTries; ++tries) {
    PF_TRY(entry, reach(path, Access::kRead, LastLink::kFollow));
    PF_CHECK(check_regular(entry, Access::kRead, path));
    PF_TRY(fd, open_regular(entry));
    if (!fd.is_open()) continue;
    FileText out;
    out.path = entry.path;
    out.size = static_cast<std::uint64_t>(entry.info.st_size);
    out.first_line = options.offset;
    PF_CHECK(LineReader(fd.raw(), options, out).run());
    return out;
  }
  return fail(ErrorKind::kSystem, shown(path) + " keeps changing: another process writes to it", "try again");
}

Result<Listing> Tools::list(string_view directory, bool all) {
  PF_TRY(listed, reach(directory, Access::kRead, LastLink::kFollow));
  if (!listed.exists()) return fail(ErrorKind::kNotFound, shown(directory) + ": No such file or directory");
  if (!listed.is_directory())
    return fail(ErrorKind::kInvalid, shown(directory) + " is no directory",
                "pinfold files read " + text::shell_word(directory));
  // The held directory itself, opened for reading.
  const sys::Fd fd = sys::Fd::adopt(::openat(listed.self.raw(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return tl::unexpected<Error>(sys::os_error("open", shown(listed.path), errno));
  const Ignores ignores = ignores_down_to(walker_, listed.path, nullptr);
  Listing out;
  out.path = listed.path;
  const int error = each_entry(fd.raw(), [&](string_view name, EntryType type) {
    ListingEntry entry;
    entry.name = name;
    entry.type = type;
    const std::string child = paths::join(listed.path, name);
    if (!access_.shows(child) || (access_.ignored() == Ignored::kAsk && access_.private_by(child) != nullptr)) {
      ++out.withheld;
      return true;
    }
    const EntryKind kind = type == EntryType::kDirectory ? EntryKind::kDirectory : EntryKind::kOther;
    entry.ignored = static_cast<bool>(ignored_by(ignores, child, kind)) && !access_.named(child, child.size());
    if (entry.ignored && !all && access_.ignored() != Ignored::kAllow) {
      ++out.withheld;
      return true;
    }
    struct stat info {};
    if (::fstatat(fd.raw(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return true;  // removed since
    entry.type = type_of(info.st_mode);
    entry.size = static_cast<std::uint64_t>(info.st_size);
    entry.modified = info.st_mtim.tv_sec;
    entry.mode = info.st_mode & 07777U;
    if (entry.type == EntryType::kSymlink) {
      char target[PATH_MAX];
      const ssize_t size = ::readlinkat(fd.raw(), entry.name.c_str(), target, sizeof target);
      if (size > 0) entry.target.assign(target, static_cast<std::size_t>(size));
    }
    out.entries.push_back(std::move(entry));
    return true;
  });
  if (error != 0) return tl::unexpected<Error>(sys::os_error("getdents", shown(listed.path), error));
  std::sort(out.entries.begin(), out.entries.end(),
            [](const ListingEntry& a, const ListingEntry& b) { return a.name < b.name; });
  return out;
}

}  // namespace pinfold::files
