// files.h: read, write, edit, list, find and search files inside what a policy allows.
// Invariant: whatever a path says ("..", symlinks, absolute or strange names) and whatever is moved meanwhile, nothing
// outside of what the policy shows is read, and nothing outside of what it makes writable is changed. A file is written
// whole or not at all. An error of kind kRefused names the rule, and its fix() the grant that would help.
// Not here: running commands (run.h). One Files is for one thread at a time.
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

enum class Content { kUtf8, kOther, kBinary };      // kOther: text, but no UTF-8
enum class LineEnds { kNone, kLf, kCrLf, kMixed };  // kNone: there is no line end
enum class EntryType { kFile, kDirectory, kSymlink, kOther };

struct ReadOptions {
  std::size_t offset = 1;       // the first line wanted
  std::size_t lines = 2000;     // how many at most
  std::size_t bytes = 1 << 18;  // and how many bytes of them; a line that is longer is cut
};
struct FileText {
  std::string path;   // canonical: where it really lies
  std::string bytes;  // the lines, as they are in the file; of a binary file the first bytes
  std::uint64_t size = 0;
  Content content = Content::kUtf8;
  LineEnds ends = LineEnds::kNone;
  std::size_t first_line = 1;
  std::size_t lines = 0;
  bool more = false;  // there is more behind them
  bool cut = false;   // the last line is not whole
};

struct WriteOptions {
  bool create_only = false;  // refuse if there is such a file
  bool parents = false;      // make the directories on the way
  bool dry_run = false;      // answer as if, and change nothing
  bool exact = false;        // these very bytes, also where the lines of the file there end with "\r\n"
};
// Exactly this text, found once, or everywhere with `all`. "\n" in it stands for whatever the file's lines end with.
struct Edit {
  std::string old_text;
  std::string new_text;
  bool all = false;
};
struct Changed {
  std::string path;
  std::string diff;  // unified; empty: nothing changed, or it is binary
  std::uint64_t size = 0;
  std::size_t replaced = 0;  // by edits
  bool created = false;
  std::vector<std::string> notes;  // what could not be kept: the owner, say
};

struct Entry {
  std::string name;
  EntryType type = EntryType::kOther;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // seconds since 1970
  std::uint32_t mode = 0;     // permission bits
  std::string target;         // of a symlink, as text
  bool ignored = false;       // by git
};
struct Listed {
  std::string path;
  std::vector<Entry> entries;  // by name
  std::size_t withheld = 0;    // entries that the policy hides, or that git ignores and were not asked for
};

struct GlobOptions {
  std::string below;      // a directory; empty: the working directory
  std::size_t limit = 0;  // 0: all
};
struct Found {
  std::vector<std::string> paths;  // relative to the working directory where they lie below it; sorted
  bool more = false;
  std::vector<std::string> notes;
};

struct SearchOptions {
  std::vector<std::string> paths;  // files and directories; none: the working directory
  bool fixed = false;              // the pattern is text
  bool ignore_case = false;
  bool words = false;
  std::size_t context = 0;
  std::vector<std::string> globs;  // as lines of a .gitignore: only these files; "!x": not these
  bool names_only = false;         // stop at the first match of a file
  bool counts_only = false;        // no lines, only how many there are
  std::size_t per_file = 0;        // matching lines at most; 0: all
  std::size_t limit = 0;           // of all files together; 0: all
};
struct Line {
  std::size_t number = 0;
  std::string text;                                       // without its end
  std::vector<std::pair<std::size_t, std::size_t>> hits;  // begin and length in bytes; none: a line of context
};
struct FileMatches {
  std::string path;
  std::size_t count = 0;  // matching lines
  std::vector<Line> lines;
};
struct Searched {
  std::vector<FileMatches> files;  // by path
  std::size_t lines = 0;           // that match
  std::size_t searched = 0;        // files looked into
  std::size_t binary = 0;          // left out: they have NUL bytes
  std::size_t unreadable = 0;      // left out: the system says no
  std::size_t ignored = 0;         // files and directories left out: git ignores them, or they are private
  bool more = false;               // a limit was reached
};

// What is asked about, with Ignored::kAsk; true is a yes, for this path and as long as the Files lives.
struct FileQuestion {
  std::string path;
  Access access = Access::kRead;
  std::string reason;  // "git-ignored (.gitignore:3: build/)"
};

class PINFOLD_API Files {
 public:
  // Pins the roots of the policy. Refused as Scope::open() is.
  static Result<Files> open(const Policy& policy) noexcept;
  Files(Files&& other) noexcept;
  Files& operator=(Files&& other) noexcept;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files();

  // Who is asked; nobody at first, which means no.
  void set_asker(std::function<bool(const FileQuestion&)> asker) noexcept;

  // Where a path leads and what may be done there; an error if it leads out of what is shown. Opens nothing.
  Result<PathDecision> resolve(std::string_view path) noexcept;
  // May this be done there? What resolve() and the calls below obey.
  bool allowed(std::string_view path, Access wanted) noexcept;

  Result<FileText> read(std::string_view path, const ReadOptions& options = {}) noexcept;
  Result<Changed> write(std::string_view path, std::string_view bytes, const WriteOptions& options = {}) noexcept;
  // All of them, one after the other, or none.
  Result<Changed> edit(std::string_view path, const std::vector<Edit>& edits,
                       const WriteOptions& options = {}) noexcept;
  Result<Listed> list(std::string_view directory, bool all = false) noexcept;
  Result<Found> glob(std::string_view pattern, const GlobOptions& options = {}) noexcept;
  Result<Searched> search(std::string_view pattern, const SearchOptions& options = {}) noexcept;

 private:
  struct Body;
  explicit Files(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> body_;
};

}  // namespace pinfold
