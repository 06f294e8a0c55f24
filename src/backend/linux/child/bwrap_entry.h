// bwrap_entry.h: this program as the first process of a sandbox that another program has made.
// Not here: what a first process does (init.cc).
#pragma once

#include <cstddef>

namespace pinfold::backend::on_linux::child {

// Is this what the program was started for? To be asked before anything else.
bool is_first_process(int count, char** arguments) noexcept;

// `arguments` is the memory of argv, which is wiped. Started by hand, it says so and ends.
[[noreturn]] void be_first_process(char* arguments, std::size_t size) noexcept;

}  // namespace pinfold::backend::on_linux::child
