// hints.h: commands by which an administrator makes this host enforce more, as text to copy into a shell.
// Invariant: pure; the same facts give the same hints. A hint never switches off a protection of the
// whole host if a smaller change is enough. Not here: gathering the facts (host_facts.h), probing mechanisms (backend).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pinfold/report.h"
#include "report/host_facts.h"

namespace pinfold::report {

struct Hint {
  std::string problem;              // one sentence
  std::vector<std::string> advice;  // more of them, one per line
  std::string brief;                // one line for a refusal: the command, or where to find it
  std::string script;               // lines for a shell; empty: there is nothing to type on this host
};

// The mechanisms that are missing, by the backends' own reports.
struct MissingMechanisms {
  bool namespaces = false;  // the namespaces and mounts of `native`
  bool landlock = false;
  bool cgroup = false;  // a limit that only a cgroup can hold for a whole tree
};

MissingMechanisms missing_mechanisms(const std::vector<Candidate>& choice, const std::vector<Coverage>& coverage);

std::vector<Hint> hints(const HostFacts& facts, const MissingMechanisms& needs);

// All of them as one script with comments; one comment when there is nothing to do.
std::string hint_script(const std::vector<Hint>& hints, const HostFacts& facts);

// One line each, for a refusal or a warning: from the hints, or else the backends' own advice.
std::vector<std::string> fixes(HostView& host, const std::vector<Candidate>& choice,
                               const std::vector<Coverage>& coverage);

// AppArmor's profile that lets the program at this path make user namespaces, and changes nothing else for it.
std::string apparmor_profile(std::string_view program);

}  // namespace pinfold::report
