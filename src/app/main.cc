// main.cc: the program: standard streams, backends, the host, and the command line over them.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>

#include "app/registry.h"
#include "backend/linux/child/bwrap_entry.h"
#include "cli/cli.h"
#include "sys/host.h"
#include "sys/signals.h"

namespace {

namespace first = pinfold::backend::on_linux::child;

// The caller may have closed descriptors 0, 1 or 2; no other file of this process may take their numbers.
bool fill_stdio() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 ? fd <= 2 : errno == EINTR);
  if (fd > 2) ::close(fd);
  return fd >= 0;
}

}  // namespace

int main(int argc, char** argv) {
  // The kernel places the arguments one after the other in memory.
  std::span<char> arguments;
  if (argc > 0)
    arguments = {argv[0], static_cast<std::size_t>(argv[argc - 1] - argv[0]) + std::strlen(argv[argc - 1]) + 1};
  if (first::is_init_invocation(argc, argv)) first::run_as_init(arguments.data(), arguments.size());
  if (!fill_stdio()) {
    std::fprintf(stderr, "pinfold: error: open(/dev/null): %s\n", std::strerror(errno));
    return 125;
  }
  pinfold::sys::survive_file_size_limit();
  pinfold::backend::Registry registry =
      pinfold::app::default_registry(arguments, "/proc/self/exe", pinfold::app::Children::kOwn);
  auto host = pinfold::sys::real_host();
  int code = pinfold::cli::main(argc, argv, pinfold::cli::Context{registry, *host});
  std::fflush(nullptr);
  ::_exit(code);  // skips destructors: the kernel frees the memory faster
}
