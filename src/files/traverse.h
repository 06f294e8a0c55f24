// traverse.h: every file below a directory that may be read, by several threads.
// Invariant: directories are entered by name below a held descriptor, symlinks never; entries that the policy hides,
// git ignores or a preset marks private are left out (and counted), ".git" always. The order is not defined.
// Not here: processing the files.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/ignore_finder.h"
#include "files/walk.h"

namespace pinfold::files {

// A directory that is held open while anything in it is still to be done.
struct OpenDirectory {
  sys::Fd fd;
  std::string path;  // canonical
  Ignores ignores;
  std::size_t ignored_claim =
      0;                     // inside something ignored, which is entered only for paths below it that a rule names
  bool look_at_each = true;  // rules below it decide differently
};

// One file: its name in a held directory. `worker` counts from 0 and is one thread's own.
struct VisitedFile {
  const OpenDirectory& directory;
  const std::string& name;
  EntryType type;
  std::size_t worker;
  std::string path() const;
};

struct SkipCounts {
  std::atomic<std::size_t> ignored{0};
  std::atomic<std::size_t> unreadable{0};
};

class Traversal {
 public:
  Traversal(const AccessCheck& access, const Walker& walker) : access_(access), walker_(walker) {}

  static std::size_t workers();  // how many threads, this one included
  // Returns when all is done, or soon after `stop` became true.
  void run(DirectoryEntry start, const std::function<void(const VisitedFile&)>& visit, const std::atomic<bool>& stop);
  const SkipCounts& skipped() const { return skipped_; }

  // Is this entry left out? Also for a file that stands alone.
  bool leaves_out(const OpenDirectory& directory, std::string_view name, const std::string& path, EntryType type) const;

 private:
  friend class WorkerPool;
  const AccessCheck& access_;
  const Walker& walker_;
  SkipCounts skipped_;
};

}  // namespace pinfold::files
