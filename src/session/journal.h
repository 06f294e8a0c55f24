// journal.h: the journal on the disk: lines are appended whole, files are rotated by size.
// Invariant: a line is one write with O_APPEND, so writers never interleave; whoever holds the lock of the newest file,
// and nobody else, rotates; a file or directory that somebody else could have written is refused. Nobody waits long
// for a lock. Not here: what is in a line (journal_entry.h), reading (journal_reader.h), whether it is wanted (settings).
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
inline constexpr std::size_t kOldFiles = 4;  // journal.jsonl.1, the newest of them, to journal.jsonl.4

// Twelve hexadecimal digits.
std::string new_run_id();

class Journal {
 public:
  // Of settings::state_directory(); makes it, owner-only, if there is none; never a home directory. `rotate_at`: bytes.
  // `held`: the directory itself, opened before the run, if it was there.
  static Result<Journal> open(const std::string& directory, std::uint64_t rotate_at = kRotateAt, sys::Fd held = {});
  static constexpr std::uint64_t kRotateAt = std::uint64_t{8} << 20;
  // The directory for `held`; not open if there is none.
  static sys::Fd hold(const std::string& directory);

  // A secret that the run was given: from here on no line holds it, in any common encoding.
  void hide(std::string_view name, std::string_view value);

  Result<void> append(const std::vector<Entry>& entries);

 private:
  Journal() = default;
  Result<void> open_newest();
  bool is_newest() const;
  Result<void> write(std::string_view lines);
  void rotate();

  std::string path_;  // for messages
  std::optional<redaction::Redactor> hidden_;
  std::uint64_t rotate_at_ = 0;
  sys::Fd directory_;
  sys::Fd file_;
};

// For both sides: the pinned directory, and a file in it, each only if it is the caller's own and nobody else's to
// write. kNotFound: there is none.
Result<sys::Fd> open_state_directory(const std::string& directory);
Result<sys::Fd> open_journal_file(int directory, const std::string& name, int flags, const std::string& shown);
std::string old_name(std::size_t number);  // "journal.jsonl.1"; 0: the newest

}  // namespace pinfold::session
