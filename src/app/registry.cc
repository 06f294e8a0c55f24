// registry.cc: the composition root: the only place that names concrete backends, for the program and for the library.
#include "app/registry.h"

#include <utility>

#include "backend/linux/bubblewrap/bubblewrap.h"
#include "backend/linux/landlock/landlock_backend.h"
#include "backend/linux/native/native.h"
#include "backend/passthrough/passthrough.h"

namespace pinfold::app {

backend::Registry default_registry(std::span<char> arguments, std::string program, Children children) {
  backend::Registry registry;
  registry.backends.push_back(backend::on_linux::make_native_backend(arguments));
  registry.backends.push_back(backend::on_linux::make_bubblewrap_backend(std::move(program)));
  registry.backends.push_back(backend::on_linux::make_landlock_backend(
      arguments,
      children == Children::kOwn ? backend::on_linux::Orphans::kAdopted : backend::on_linux::Orphans::kLeft));
  registry.passthrough = backend::make_passthrough_backend();
  return registry;
}

}  // namespace pinfold::app
