// library.cc: the composition root of the library: the same backends as the program's.
// Not here: the Runner itself (library/runner.cc).
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "app/registry.h"
#include "base/guarded.h"
#include "base/paths.h"
#include "library/runner.h"
#include "sys/host.h"

namespace pinfold {
namespace {

// The memory of this process's own arguments, which PID 1 of a sandbox must not show: fields 48 and 49 of its stat.
// Empty without /proc; but then no sandbox can be created either.
std::span<char> own_arguments() {
  auto stat = sys::real_host()->read_file("/proc/self/stat", 4096);
  if (!stat) return {};
  // The name, in parentheses, may contain any byte; field 3 follows it.
  std::size_t at = stat->rfind(')');
  for (int field = 2; field < 48 && at != std::string::npos; ++field) at = stat->find(' ', at + 1);
  if (at == std::string::npos) return {};
  char* rest = nullptr;
  const auto begin = static_cast<std::uintptr_t>(std::strtoull(stat->c_str() + at, &rest, 10));
  const auto end = static_cast<std::uintptr_t>(std::strtoull(rest, nullptr, 10));
  if (begin == 0 || end <= begin) return {};
  return {reinterpret_cast<char*>(begin), end - begin};  // NOLINT(performance-no-int-to-ptr)
}

// The program that was installed with this library, or empty.
std::string program_beside_library() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&program_beside_library), &info) == 0 || info.dli_fname == nullptr)
    return {};
  auto library = sys::real_host()->resolve(info.dli_fname);
  if (!library) return {};
  auto program =
      sys::real_host()->resolve(paths::join(paths::parent(library->canonical), PINFOLD_PROGRAM_FROM_LIBRARY));
  return program ? program->canonical : std::string();
}

}  // namespace

Result<Runner> Runner::create() noexcept {
  return guarded([]() -> Result<Runner> {
    return Runner(std::make_unique<Body>(
        Body{[] { return app::default_registry(own_arguments(), program_beside_library(), app::Children::kOfHost); },
             nullptr}));
  });
}

}  // namespace pinfold
