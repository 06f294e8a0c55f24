// learn_output.h: the destination of the learned profile: a file, or stdout.
// Invariant: the directory is checked for writing before the command runs, and held open from then on, so that the
// command cannot redirect the write; an existing file is replaced only with --force; a reader sees the old text or the
// new one, never a part.
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

class LearnOutput {
 public:
  // If the profile goes to stdout, this redirects the command's stdout to stderr.
  static Result<LearnOutput> choose(const CommandLine& parsed, const Caller& caller,
                                    const std::vector<std::string>& workspaces, HostView& host);

  const std::string& path() const { return path_; }  // absolute, even if no file is written
  std::string directory() const;
  std::string shown() const;  // relative, if it is below the working directory
  bool is_stdout() const { return to_stdout_; }
  bool is_written() const { return written_; }

  // Writes the profile to the file or to stdout; with --json also prints it as JSON on stdout.
  Result<void> write(const learn::Profile& profile, int exit_code);

 private:
  Result<void> open_directory(const std::string& around);
  Result<void> write_file(const std::string& text);

  std::string path_;
  std::string working_dir_;
  bool named_ = false;  // by --output
  bool to_stdout_ = false;
  bool json_ = false;
  bool force_ = false;
  bool written_ = false;
  sys::Fd directory_;           // opened before the run: the file's directory, or the parent in which to create it
  std::string directory_path_;  // empty: stdout
  std::optional<ReservedStdout> stdout_;
};

}  // namespace pinfold::cli
