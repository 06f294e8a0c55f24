// mask_directory.cc: on macOS, makes no directories for a mask.
#include "sys/mask_directory.h"

namespace pinfold::sys {

Result<void> MaskDirectories::make(const std::string&) { return {}; }
Result<void> MaskDirectories::hold() { return {}; }
bool MaskDirectories::remove() { return true; }
bool MaskDirectories::is_mask_or_missing(const std::string&) { return false; }

}  // namespace pinfold::sys
