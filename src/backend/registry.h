// registry.h: the backends of this program, by name, strongest first. Filled by src/app, which alone names concrete
// ones.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace pinfold::backend {

struct Registry {
  std::vector<std::unique_ptr<Backend>> backends;  // candidates for `auto`, best first
  std::unique_ptr<Backend> passthrough;            // only ever used by --no-sandbox

  Backend* find(std::string_view name) const {
    for (const auto& backend : backends)
      if (backend->name() == name) return backend.get();
    return nullptr;
  }
};

}  // namespace pinfold::backend
