// descriptors.h: how many descriptors this process may have open.
// Not here: who uses them.
#pragma once

#include <cstddef>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold::sys {

inline constexpr std::string_view kMoreDescriptors = "allow more open files: ulimit -n 65536";

std::size_t descriptor_limit();
// "this process may have 64 open files, too few for WHAT", with the fix.
Error too_few_descriptors(std::string_view what);

// To what the hard limit allows; answers what the limit was. Whatever is executed later inherits the higher limit, and
// programs that use select() cannot live with that: start them before, or give them the old one back.
std::size_t raise_descriptor_limit();
void lower_descriptor_limit(std::size_t before);  // to what raise_descriptor_limit() answered

}  // namespace pinfold::sys
