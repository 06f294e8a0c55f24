// report_file.h: the file of --report: known to be writable before the run, written whole after it.
// Invariant: a reader sees the old content or the new, never a part; only the owner can read it; a symlink is replaced,
// not followed; if the command put another directory in its place, nothing is written. Not here: what is written
// (report/json.cc).
#pragma once

#include <string>
#include <string_view>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::cli {

class ReportFile {
 public:
  // `path` is absolute. A pipe or a device (/dev/fd/3) is written to directly.
  static Result<ReportFile> open(const std::string& path);
  Result<void> write(std::string_view text);

 private:
  std::string path_;
  std::string name_;
  sys::Fd directory_;  // pinned before the run, so that nothing the command does to the path matters
  sys::Fd stream_;     // instead, for what is not a regular file
};

}  // namespace pinfold::cli
