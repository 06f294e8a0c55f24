// main.cc: the program for macOS: its backends, the host, and the command line over them.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "backend/darwin/seatbelt.h"
#include "cli/cli.h"
#include "sys/host.h"
#include "sys/signals.h"

int main(int argc, char** argv) {
  // The caller may have closed descriptors 0, 1 or 2; no other file of this process may take their numbers.
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd <= 2);
  if (fd < 0) return 125;
  ::close(fd);
  pinfold::sys::survive_file_size_limit();
  pinfold::backend::Registry registry;
  registry.backends.push_back(pinfold::backend::darwin::make_seatbelt_backend());
  auto host = pinfold::sys::real_host();
  const int code = pinfold::cli::main(argc, argv, pinfold::cli::Context{registry, *host});
  std::fflush(nullptr);
  ::_exit(code);
}
