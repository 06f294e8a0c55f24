// own_directories.cc: keeps the ones of this environment, and marks the others as temporary.
#include "settings/own_directories.h"

#include "base/try.h"
#include "sys/files.h"

namespace pinfold::settings {

Result<std::shared_ptr<sys::MaskDirectories>> make_own_directories(const std::vector<policy::OwnDirectory>& missing) {
  auto temporary = std::make_shared<sys::MaskDirectories>();
  for (const policy::OwnDirectory& each : missing) {
    if (each.current)
      static_cast<void>(sys::make_directories(each.path));
    else
      PF_CHECK(temporary->make(each.path));
  }
  return temporary;
}

}  // namespace pinfold::settings
