// descriptors.h: the limit of open descriptors of this process (RLIMIT_NOFILE).
// Not here: the users of descriptors.
#pragma once

#include <cstddef>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold::sys {

inline constexpr std::string_view kMoreDescriptors = "allow more open files: ulimit -n 65536";

std::size_t descriptor_limit();
// Text: "this process may have 64 open files, too few for WHAT", with the fix.
Error too_few_descriptors(std::string_view what);

// Raises the soft limit to the hard limit and returns the old soft limit. Programs executed later inherit the higher
// limit, and select() fails for descriptors from 1024 on: start such programs before, or restore the limit for them.
std::size_t raise_descriptor_limit();
void lower_descriptor_limit(std::size_t before);  // to the result of raise_descriptor_limit()

}  // namespace pinfold::sys
