// report_file.h: the file of --report: checked for writing before the run, written atomically after it.
// Invariant: a reader sees the old content or the new, never a part; only the owner can read it; a symlink is replaced,
// not followed; if the command replaced the directory, nothing is written; if the directory lost its name, the report
// is written into it and write() fails. Not here: the report's text (report/json.cc).
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
  sys::Fd directory_;  // pinned before the run, so that the command cannot redirect the write
  sys::Fd stream_;     // instead, for a pipe, a device or an open descriptor
};

}  // namespace pinfold::cli
