// privileged.cc: says what privilege a setuid file or a file capability gave to this process, and nothing else.
// Invariant: it only looks at itself: it is installed setuid root for the length of one test.
// Not here: every other attempt; a setuid program must not be able to do more.
#include <unistd.h>

#include <cstdio>
#include <cstring>

int main() {
  char effective[64] = "";
  if (FILE* status = std::fopen("/proc/self/status", "re")) {
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr) {
      if (std::strncmp(line, "CapEff:\t", 8) == 0) std::snprintf(effective, sizeof effective, "%.16s", line + 8);
    }
    std::fclose(status);
  }
  bool none = effective[0] != '\0' && std::strspn(effective, "0") == std::strlen(effective);
  bool same = ::geteuid() == ::getuid() && none;
  std::printf("%s euid %u of uid %u, capabilities %s\n", same ? "DENIED" : "REACHED", ::geteuid(), ::getuid(),
              effective);
  return same ? 1 : 0;
}
