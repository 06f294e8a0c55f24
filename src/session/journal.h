// journal.h: the journal files: appends whole lines and rotates the files by size.
// Invariant: a line is written by one write() with O_APPEND, so writers never interleave; only the holder of the newest
// file's lock rotates; a file or directory that another user can write is refused; a writer waits for a lock for about
// 40 ms. Not here: the lines (journal_entry.h), reading (journal_reader.h), the setting that turns it on (settings).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/result.h"
#include "safety/redaction/redactor.h"
#include "session/journal_entry.h"
#include "sys/fd.h"

namespace pinfold::session {

inline constexpr const char* kJournalFile = "journal.jsonl";
inline constexpr std::size_t kOldFiles = 4;  // journal.jsonl.1 (the newest) to journal.jsonl.4

// Twelve hexadecimal digits.
std::string new_run_id();

class Journal {
 public:
  // `directory`: settings::state_directory(), which is created with mode 0700 if missing; a home directory is never
  // created. `rotate_at`: bytes. `held`: the directory's descriptor, opened before the run, if it existed.
  static Result<Journal> open(const std::string& directory, std::uint64_t rotate_at = kRotateAt, sys::Fd held = {});
  static constexpr std::uint64_t kRotateAt = std::uint64_t{8} << 20;
  // Opens the directory for `held`; not open if it does not exist.
  static sys::Fd hold(const std::string& directory);

  // Removes a secret of the run from all later lines, in any common encoding.
  void hide(std::string_view name, std::string_view value);

  Result<void> append(const std::vector<JournalEntry>& entries);

 private:
  Journal() = default;
  Result<void> open_newest();
  bool is_newest() const;
  Result<void> write(std::string_view lines);
  void rotate();

  std::string path_;  // for error messages
  std::optional<redaction::Redactor> hidden_;
  std::uint64_t rotate_at_ = 0;
  sys::Fd directory_;
  sys::Fd file_;
};

// For writer and reader: open the directory, and a file in it. Refused unless the caller owns it and no other user can
// write it. kNotFound: it does not exist.
Result<sys::Fd> open_state_directory(const std::string& directory);
Result<sys::Fd> open_journal_file(int directory, const std::string& name, int flags, const std::string& shown);
std::string old_name(std::size_t number);  // "journal.jsonl.1"; 0: the newest

}  // namespace pinfold::session
