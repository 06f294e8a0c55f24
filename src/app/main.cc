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

// A caller may start us with 0, 1 or 2 closed; no descriptor of ours may ever take their place.
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
  // The kernel lays the arguments out one after the other.
  std::span<char> arguments;
  if (argc > 0)
    arguments = {argv[0], static_cast<std::size_t>(argv[argc - 1] - argv[0]) + std::strlen(argv[argc - 1]) + 1};
  if (first::is_first_process(argc, argv)) first::be_first_process(arguments.data(), arguments.size());
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
  ::_exit(code);  // nothing is left to do but give memory back, which the kernel does faster
}
