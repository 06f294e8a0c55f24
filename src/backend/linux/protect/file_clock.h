// file_clock.h: how far the clock of a directory's file system is behind this host's. NFS, SMB and FUSE servers mark
// files with a clock of their own.
// Invariant: leaves nothing in the directory. Not here: what a time means (git_disarm.cc).
#pragma once

#include <cstdint>

namespace pinfold::backend::on_linux {

struct FileClock {
  std::int64_t behind_ns = 0;  // 0: not behind; else at least as much as it is
  int error = 0;               // why it could not be measured; only for file systems that may have a clock of their own
};

// Makes a nameless file, or, where the file system has none of those, makes and removes a directory.
FileClock measure_clock(int directory);

}  // namespace pinfold::backend::on_linux
