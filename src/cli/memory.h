// memory.h: releases memory that a waiting process does not need.
#pragma once

namespace pinfold::cli {

// Drops this program's code and constants from its page tables, and trims the heap; the kernel maps pages from the page
// cache again when they are used. A supervisor touches most of its pages once, at the start.
void release_startup_memory();

}  // namespace pinfold::cli
