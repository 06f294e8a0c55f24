// effects.h: the changes that a run made on the host, compared with those of its bare control.
// Invariant: each kind of trace is kept apart, so that one that a row attacks never hides another.
// Not here: how to look (host.h), what follows (verdict.h).
#pragma once

#include "host.h"
#include "world.h"

namespace escape {

struct Effects {
  Texts changes = {};            // in the scratch tree, as differences() names them
  Texts outside = {};            // paths that must not exist
  std::string survivors = {};    // processes
  std::string harm = {};         // to the canary
  std::string hits = {};         // on its listeners
  std::string left_behind = {};  // mounts, cgroups, files of Pinfold's own
  bool executed = false;         // a host command ran the planted program
};

// Processes, canary, mounts and cgroups; ends the survivors. `before` is nullptr where no sandbox ran.
Effects traces(World& world, const Machine* before);
// Those of `boxed` that `bare` has none of the like of: no row attacks these.
Effects beyond(const Effects& boxed, const Effects& bare);
// "; survivors: 1(x); changed: …", or nothing.
std::string in_words(const Effects& effects);
std::string joined(const Texts& texts);

}  // namespace escape
