// memory.h: giving back what a waiting program does not need.
#pragma once

namespace pinfold::cli {

// Drops this program's own code and constants from its page tables, and free heap: what is needed next is mapped again
// from the page cache. Most of what a supervisor touches it touches once, at the start.
void release_what_was_for_starting();

}  // namespace pinfold::cli
