// backend.h: the backend under test: how it is chosen, and what the suite may dare on it.
// Invariant: nothing here says what a backend enforces: its own coverage does, run by run.
// Not here: reading coverage (verdict.h).
#pragma once

#include <optional>
#include <string>

#include "support.h"
#include "verdict.h"

namespace escape {

// How the probe makes sure that it is confined before it tries what could hurt the host.
enum class Guard {
  kNamespaces,     // it stands in other pid and mount namespaces than the suite
  kSyscallFilter,  // no namespaces: it has a system call filter, and cannot read the unreadable file
};

struct Backend {
  std::string name;
  Texts flags;  // for pinfold run
  Guard guard;
  Tolerance tolerance;
};

inline std::optional<Backend> backend_called(const std::string& name) {
  // The suite calls native as users do: native refuses a policy that it cannot enforce. No attempt may get through.
  if (name == "native") return Backend{name, {"--backend", name}, Guard::kNamespaces, Tolerance::kNone};
  const Texts warned = {"--backend", name, "--on-unavailable", "warn"};
  if (name == "bubblewrap") return Backend{name, warned, Guard::kNamespaces, Tolerance::kKnownGaps};
  if (name == "landlock") return Backend{name, warned, Guard::kSyscallFilter, Tolerance::kKnownGaps};
  // Enforces nothing and says so: what the suite's own rules are tried on.
  if (name == "passthrough")
    return Backend{name, {"--backend", name, "--no-sandbox"}, Guard::kSyscallFilter, Tolerance::kKnownGaps};
  return std::nullopt;
}

}  // namespace escape
