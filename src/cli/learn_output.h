// learn_output.h: where what was learned goes: a file, or stdout.
// Invariant: whether it can be written is known before the command runs; its directory is held open from then on, so
// that nothing the command does to the path redirects the write; what exists is replaced only with --force; a reader
// sees the old text or the new one.
// Not here: the text (learn/profile.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "cli/own_stdout.h"
#include "cli/parse.h"
#include "learn/profile.h"
#include "pinfold/policy.h"
#include "sys/fd.h"

namespace pinfold::cli {

class LessonFile {
 public:
  // From here on the command's stdout is stderr, where stdout is for the lesson.
  static Result<LessonFile> choose(const Parsed& parsed, const Caller& caller,
                                   const std::vector<std::string>& workspaces, HostView& host);

  const std::string& path() const { return path_; }  // absolute, also where nothing is written
  std::string directory() const;
  std::string shown() const;  // below the working directory: relative
  bool is_stdout() const { return to_stdout_; }
  bool is_written() const { return written_; }

  // The policy to the file, or to stdout; with --json what was learned to stdout as well.
  Result<void> write(const learn::Profile& profile, int exit_code);

 private:
  Result<void> hold(const std::string& around);
  Result<void> write_file(const std::string& text);

  std::string path_;
  std::string working_dir_;
  bool named_ = false;  // by --output
  bool to_stdout_ = false;
  bool json_ = false;
  bool force_ = false;
  bool written_ = false;
  sys::Fd held_;           // opened before the run: the directory of the file, or the one to make that in
  std::string held_path_;  // empty: stdout
  std::optional<OwnStdout> stdout_;
};

}  // namespace pinfold::cli
