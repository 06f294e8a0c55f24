// owner_file.cc: one access() if the file exists.
#include "sys/owner_file.h"

#include <unistd.h>

#include "base/paths.h"
#include "base/try.h"
#include "sys/files.h"

namespace pinfold::sys {

Result<void> write_owner(const std::string& directory, const std::string& name, const std::string& owner) {
  const std::string path = paths::join(directory, name);
  if (::access(path.c_str(), F_OK) == 0) return {};
  PF_TRY(made, make_directory(directory));
  return publish_file(made.raw(), name, owner, path);
}

}  // namespace pinfold::sys
