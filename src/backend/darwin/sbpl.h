// sbpl.h: a plan as a profile for sandbox-exec, in Apple's profile language (SBPL). Pure: the same text on every host.
// Invariant: everything is denied that no rule allows; of the rules that match, the last decides, so path rules come
// shallow to deep and denials last; every path goes through sbpl_string(); only forms that Apple's own profiles or
// widely used ones have are used, since one unknown word makes the whole profile fail. Not here: starting anything
// (launcher.h), how well it covers the plan (coverage.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::darwin {

// What the run has that the plan cannot know; handed to sandbox-exec with -D, so that the text does not change with it.
struct RunPlaces {
  std::string tmp{};       // the run's own directory for TMPDIR; empty: the host's
  std::string terminal{};  // /dev/ttys007, or empty
};

struct Profile {
  std::string text;
  std::vector<std::pair<std::string, std::string>> parameters;  // -D name=value
};

// `tag` marks every denial of this run in the system's log. `proxy_port`: where names are asked for, 0 without.
Profile make_profile(const Plan& plan, const RunPlaces& places, const std::string& tag, std::uint16_t proxy_port);

// The directory that takes the place of the made-up home, if the plan has one: caches, shown elsewhere than they lie.
const ShowPath* private_home(const Plan& plan);

}  // namespace pinfold::backend::darwin
