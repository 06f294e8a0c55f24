// loaders.cc: the paths at which C libraries install them.
#include "backend/linux/lower/loaders.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "sys/call.h"

namespace pinfold::backend::on_linux {

Result<void> allow_loaders(LoweredPlan& out) {
  std::size_t count = 0;
  for (const char* loader : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-linux.so.2",
                             "/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"}) {
    std::array<char, PATH_MAX> real{};
    if (::realpath(loader, real.data()) != nullptr)
      out.blueprint.landlock_execute[count++] = out.text.emplace_back(real.data()).c_str();
    else if (errno == ENOMEM || errno == EIO)
      return tl::unexpected<Error>(sys::os_error("realpath", loader, errno));
  }
  return {};
}

}  // namespace pinfold::backend::on_linux
