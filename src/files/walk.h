// walk.h: the pinned roots of a policy, and resolving a path below them.
// Invariant: every step is one name below a descriptor that is held (openat2 beneath, no symlinks, no magic links);
// symlinks are read as text and followed by us, and ".." goes back along the descriptors we came by. So no path outside
// the roots is ever opened, also not if a directory is replaced during the walk; DirectoryEntry::path is the path that
// was really walked. Not here: the decision (access_check.h).
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text_map.h"
#include "files/access_check.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::files {

// One name in a held directory; never more than one, so that no symlink can be followed on the way.
int open_name(int directory, const std::string& name, int flags, unsigned mode = 0);

struct Root {
  std::string path;  // canonical
  sys::Fd fd;        // O_PATH; of a root that is no directory: of the directory that holds it
  bool directory = true;
};

// The result of a walk: an entry of a held directory.
struct DirectoryEntry {
  std::string path;   // canonical
  sys::Fd directory;  // that holds it; not open where the entry is a root that is a directory
  std::string name;   // its name there
  sys::Fd self;       // O_PATH; not open: it does not exist
  struct stat info {};
  bool exists() const { return self.is_open(); }
  bool is_directory() const { return exists() && S_ISDIR(info.st_mode); }
};

enum class LastLink { kFollow, kKeep };
// Missing directories on the way: an error; created; or assumed to exist (DirectoryEntry::directory is not open).
enum class Parents { kMustExist, kMake, kAssume };

// The requested path and access, for messages.
struct AccessRequest {
  std::string_view spelled;
  Access wanted = Access::kRead;
};

class Walker {
 public:
  static Result<Walker> pin(const AccessCheck& access);

  // `absolute` as it was spelled, not normalised: "a/../b" goes through a.
  Result<DirectoryEntry> walk(const AccessCheck& access, std::string_view absolute, LastLink last,
                              AccessRequest request, Parents parents = Parents::kMustExist) const;

  // The deepest root at or above the path, or null.
  const Root* around(std::string_view canonical) const;

 private:
  friend class Walk;
  std::vector<Root> roots_;  // the top of each region that is shown
  TextMap<std::size_t> index_;
  TextMap<std::string> links_;  // symlinks above the roots, which the policy's own paths go through
};

}  // namespace pinfold::files
