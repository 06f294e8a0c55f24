// sbpl.h: a plan as a profile for sandbox-exec, in Apple's profile language (SBPL). Pure: the same text on every host.
// Invariant: operations that no rule allows are denied. The last rule that matches decides, so path rules come shallow
// to deep and denials last. Every path goes through sbpl_string(). The profile uses only forms of Apple's own or of
// widely used profiles: one unknown word makes sandbox-exec refuse all of it.
// Not here: starting processes (launcher.h), coverage (coverage.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::darwin {

// Paths of one run, which the plan does not have. sandbox-exec gets them with -D: the profile text is the same in all
// runs.
struct RunPaths {
  std::string tmp{};       // the run's own directory for TMPDIR; empty: the host's
  std::string terminal{};  // /dev/ttys007, or empty
};

struct Profile {
  std::string text;
  std::vector<std::pair<std::string, std::string>> parameters;  // -D name=value
};

// `tag` marks the denials of this run in the system log. `proxy_port`: the run's proxy on loopback; 0 without one.
Profile make_profile(const Plan& plan, const RunPaths& run_paths, const std::string& tag, std::uint16_t proxy_port);

// The directory that becomes HOME, if the plan has one: a path step whose path inside differs from the host's.
const ShowPath* private_home(const Plan& plan);

}  // namespace pinfold::backend::darwin
