// journal_reader.h: reads the journal, oldest line first, also while others write and rotate it.
// Invariant: passes each whole line to the visitor once, also across renames; counts and skips incomplete lines.
// Not here: writing (journal.h), filtering lines (cli).
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
  // kNewest: leaves out files that were rotated before the first read.
  enum class Files { kAll, kNewest };
  explicit JournalReader(std::string directory, Files files = Files::kAll)
      : directory_(std::move(directory)), files_(files) {}

  // The line without its newline, and its value.
  using Visit = std::function<void(std::string_view line, const JournalEntry& entry)>;

  // Every line since the last call. A missing journal is an empty one.
  Result<void> read_new(const Visit& visit);

  std::uint64_t skipped() const { return skipped_; }  // lines that could not be parsed

 private:
  struct File {
    sys::Fd fd;
    dev_t device = 0;
    ino_t inode = 0;
    std::string shown{};
  };
  // A last line without its newline is unfinished in the newest file, and torn in an older one.
  enum class Rest { kTorn, kUnfinished };

  Result<std::vector<File>> open_files() const;
  Result<void> read_file(const File& file, Rest rest, const Visit& visit);
  void take(std::string_view line, const Visit& visit);

  std::string directory_;
  Files files_;
  dev_t device_ = 0;  // the newest file that was read, and the offset in it
  ino_t inode_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace pinfold::session
