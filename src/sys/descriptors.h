// descriptors.h: how many descriptors this process may have open.
// Not here: who uses them.
#pragma once

#include <cstddef>

namespace pinfold::sys {

std::size_t descriptor_limit();

// To what the hard limit allows; answers what the limit was. Whatever is executed later inherits the higher limit, and
// programs that use select() cannot live with that: start them before, or give them the old one back.
std::size_t raise_descriptor_limit();

}  // namespace pinfold::sys
