// entries.h: the entries of a directory, by descriptor.
// Not here: which of them may be seen.
#pragma once

#include <functional>
#include <string_view>

#include "pinfold/files.h"

namespace pinfold::files {

EntryType type_of(unsigned mode);

// Without "." and ".."; false from `visit` ends it. The descriptor must be open for reading and at its beginning. 0, or
// an errno.
int each_entry(int directory, const std::function<bool(std::string_view name, EntryType type)>& visit);

}  // namespace pinfold::files
