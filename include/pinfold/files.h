// files.h: read, write, edit, list, find and search files inside what a policy allows.
// Invariant: no path ("..", symlinks, absolute or strange names) and no rename by another process makes a call read
// outside of the visible paths or write outside of the writable paths. A write replaces the whole file or nothing. An
// error of kind kRefused names the rule, and its fix() the grant that allows the access.
// Not here: running commands (run.h). One Files object must be used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pinfold/export.h"
#include "pinfold/policy.h"
#include "pinfold/scope.h"

namespace pinfold {

enum class Content { kUtf8, kOther, kBinary };      // kOther: text that is not UTF-8
enum class LineEnds { kNone, kLf, kCrLf, kMixed };  // kNone: the text has no line end
enum class EntryType { kFile, kDirectory, kSymlink, kOther };

struct ReadOptions {
  std::size_t offset = 1;       // number of the first line to return
  std::size_t lines = 2000;     // at most this many lines
  std::size_t bytes = 1 << 18;  // at most this many bytes; a longer line is cut
};
struct FileText {
  std::string path;   // canonical, symlinks resolved
  std::string bytes;  // the lines, unchanged; of a binary file the first bytes
  std::uint64_t size = 0;
  Content content = Content::kUtf8;
  LineEnds ends = LineEnds::kNone;
  std::size_t first_line = 1;
  std::size_t lines = 0;
  bool more = false;  // the file goes on after these lines
  bool cut = false;   // the last line is cut
};

struct WriteOptions {
  bool create_only = false;  // fail if the file exists
  bool parents = false;      // create missing parent directories
  bool dry_run = false;      // return the result without changing anything
  bool exact = false;        // write the bytes unchanged, even if the existing file has "\r\n" line ends
};
// Replaces old_text, which must occur exactly once, or every occurrence with `all`. "\n" in it matches the file's line
// end.
struct Edit {
  std::string old_text;
  std::string new_text;
  bool all = false;
};
struct FileChange {
  std::string path;
  std::string diff;  // unified diff; empty: no change, or a binary file
  std::uint64_t size = 0;
  std::size_t replaced = 0;  // occurrences that edits replaced
  bool created = false;
  std::vector<std::string> notes;  // attributes that could not be preserved, such as the owner
};

struct ListingEntry {
  std::string name;
  EntryType type = EntryType::kOther;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // seconds since 1970
  std::uint32_t mode = 0;     // permission bits
  std::string target;         // of a symlink, unresolved
  bool ignored = false;       // by a .gitignore rule
};
struct Listing {
  std::string path;
  std::vector<ListingEntry> entries;  // by name
  std::size_t withheld = 0;           // entries left out: hidden by the policy, or ignored by git without `all`
};

struct GlobOptions {
  std::string below;      // the directory to search; empty: the working directory
  std::size_t limit = 0;  // 0: all
};
struct GlobResult {
  std::vector<std::string> paths;  // relative if below the working directory; sorted
  bool more = false;
  std::vector<std::string> notes;
};

struct SearchOptions {
  std::vector<std::string> paths;  // files and directories; empty: the working directory
  bool fixed = false;              // the pattern is literal text
  bool ignore_case = false;
  bool words = false;
  std::size_t context = 0;
  std::vector<std::string> globs;  // .gitignore syntax: search only these files; "!x" excludes
  bool names_only = false;         // stop at the first match in each file
  bool counts_only = false;        // return counts instead of lines
  std::size_t per_file = 0;        // at most this many matching lines in one file; 0: all
  std::size_t limit = 0;           // at most this many in all files together; 0: all
};
struct Line {
  std::size_t number = 0;
  std::string text;                                       // without its line end
  std::vector<std::pair<std::size_t, std::size_t>> hits;  // begin and length in bytes; empty: context line
};
struct FileMatches {
  std::string path;
  std::size_t count = 0;  // matching lines
  std::vector<Line> lines;
};
struct SearchResult {
  std::vector<FileMatches> files;  // by path
  std::size_t lines = 0;           // matching lines
  std::size_t searched = 0;        // files that were read
  std::size_t binary = 0;          // files skipped because they contain NUL bytes
  std::size_t unreadable = 0;      // files skipped because open or read failed
  std::size_t ignored = 0;         // files and directories skipped: ignored by git, or private
  bool more = false;               // a limit was reached
};

// Sent to the callback of set_asker() with Ignored::kAsk. True allows this path for the lifetime of the Files object.
struct FileApprovalRequest {
  std::string path;
  Access access = Access::kRead;
  std::string reason;  // "git-ignored (.gitignore:3: build/)"
};

class PINFOLD_API Files {
 public:
  // Opens the policy's roots and keeps their descriptors. Fails in the same cases as Scope::open().
  static Result<Files> open(const Policy& policy) noexcept;
  Files(Files&& other) noexcept;
  Files& operator=(Files&& other) noexcept;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files();

  // Without a callback every request is denied.
  void set_asker(std::function<bool(const FileApprovalRequest&)> asker) noexcept;

  // The canonical path and the access that the policy gives to it; an error if it is not visible. Opens nothing.
  Result<PathDecision> resolve(std::string_view path) noexcept;
  // Whether the policy allows this access; the same decision as in resolve() and the calls below.
  bool allowed(std::string_view path, Access wanted) noexcept;

  Result<FileText> read(std::string_view path, const ReadOptions& options = {}) noexcept;
  Result<FileChange> write(std::string_view path, std::string_view bytes, const WriteOptions& options = {}) noexcept;
  // Applies all edits in order, or none.
  Result<FileChange> edit(std::string_view path, const std::vector<Edit>& edits,
                          const WriteOptions& options = {}) noexcept;
  Result<Listing> list(std::string_view directory, bool all = false) noexcept;
  Result<GlobResult> glob(std::string_view pattern, const GlobOptions& options = {}) noexcept;
  Result<SearchResult> search(std::string_view pattern, const SearchOptions& options = {}) noexcept;

 private:
  struct Body;
  explicit Files(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> body_;
};

}  // namespace pinfold
