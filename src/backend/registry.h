// registry.h: the backends of this program by name, the quickest first. src/app fills it: no other folder names a
// concrete backend.
// Not here: choosing among them (supervisor/choose.h).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace pinfold::backend {

struct Registry {
  std::vector<std::unique_ptr<Backend>> backends;  // candidates for `auto`: the first without a gap is chosen
  std::unique_ptr<Backend> passthrough;            // used by --no-sandbox only

  std::vector<Backend*> all() const {
    std::vector<Backend*> out;
    for (const auto& backend : backends) out.push_back(backend.get());
    return out;
  }

  Backend* find(std::string_view name) const {
    for (const auto& backend : backends)
      if (backend->name() == name) return backend.get();
    return nullptr;
  }
};

}  // namespace pinfold::backend
