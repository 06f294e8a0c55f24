// hints.h: what an administrator can do so that this host enforces more, as text to copy into a shell.
// Invariant: pure; the same facts give the same hints. A hint never tells anyone to switch off a protection of the
// whole host where less will do. Not here: gathering the facts (host_facts.h), finding out what stands (backend).
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

// What is missing, read from what the backends said.
struct Needs {
  bool namespaces = false;  // the walls of `native`
  bool landlock = false;
  bool cgroup = false;  // a limit that only a cgroup can hold for a whole tree
};

Needs needs_of(const std::vector<Candidate>& choice, const std::vector<Coverage>& coverage);

std::vector<Hint> hints(const HostFacts& facts, const Needs& needs);

// All of them as one script with comments; says so when there is nothing to do.
std::string hint_script(const std::vector<Hint>& hints, const HostFacts& facts);

// One line each, for a refusal or a warning: from the hints, or else what the backends themselves advise.
std::vector<std::string> fixes(HostView& host, const std::vector<Candidate>& choice,
                               const std::vector<Coverage>& coverage);

// AppArmor's profile that lets the program at this path make user namespaces, and changes nothing else for it.
std::string apparmor_profile(std::string_view program);

}  // namespace pinfold::report
