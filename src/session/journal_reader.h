// journal_reader.h: reads the journal, oldest line first, also while it is written and rotated.
// Invariant: a line is handed over once and whole; no line is missed because a file was renamed in between; a torn line
// is counted and skipped. Not here: writing (journal.h), which lines are wanted (cli).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "session/journal.h"

namespace pinfold::session {

class JournalReader {
 public:
  // kNewest: what was rotated away before the first look is left out.
  enum class Files { kAll, kNewest };
  explicit JournalReader(std::string directory, Files files = Files::kAll)
      : directory_(std::move(directory)), files_(files) {}

  // The line without its newline, and what it says.
  using Visit = std::function<void(std::string_view line, const Entry& entry)>;

  // Every line that was not there the last time. A journal that does not exist is an empty one.
  Result<void> read_new(const Visit& visit);

  std::uint64_t skipped() const { return skipped_; }  // lines that could not be read

 private:
  struct File {
    sys::Fd fd;
    dev_t device = 0;
    ino_t inode = 0;
    std::string shown{};
  };
  // A last line without its newline is torn once there is a newer file, and unfinished until then.
  enum class Rest { kTorn, kUnfinished };

  Result<std::vector<File>> open_files() const;
  Result<void> read_file(const File& file, Rest rest, const Visit& visit);
  void take(std::string_view line, const Visit& visit);

  std::string directory_;
  Files files_;
  dev_t device_ = 0;  // the newest file that was read, and how far
  ino_t inode_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace pinfold::session
