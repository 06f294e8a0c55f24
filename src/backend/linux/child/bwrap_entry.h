// bwrap_entry.h: this program as init of a sandbox that bubblewrap has made.
// Not here: the work of init (init.cc).
#pragma once

#include <cstddef>

namespace pinfold::backend::on_linux::child {

// True if bubblewrap started this program as init. The caller must check this before anything else.
bool is_init_invocation(int count, char** arguments) noexcept;

// `arguments` is the memory of argv, which is wiped. If a user starts it by hand, it prints an error and exits with
// 125.
[[noreturn]] void run_as_init(char* arguments, std::size_t size) noexcept;

}  // namespace pinfold::backend::on_linux::child
