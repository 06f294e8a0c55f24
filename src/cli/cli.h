// cli.h: the command line program: parsing, commands, output.
// Not here: naming concrete backends (src/app).
#pragma once

#include "backend/registry.h"
#include "base/host_view.h"

namespace pinfold::cli {

struct Context {
  backend::Registry& registry;
  HostView& host;
};

// Returns the process's exit code.
int main(int argc, char** argv, Context context);

}  // namespace pinfold::cli
