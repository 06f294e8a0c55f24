// profile.cc: the AppArmor profile that `pinfold doctor --fix-hints` would print for the program at a path.
// Not here: what AppArmor makes of it (run).
#include <cstdio>

#include "report/hints.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::fputs(pinfold::report::apparmor_profile(argv[1]).c_str(), stdout);
}
