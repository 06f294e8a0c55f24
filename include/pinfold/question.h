// question.h: what Pinfold asks while it works, and who answers.
// Invariant: no decider, a decider that throws, and kDeny all mean no.
// Not here: how a person is asked (cli/prompt.h), what needs no question.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "pinfold/coverage.h"

namespace pinfold {

// This host cannot fully enforce what the policy requires, and the policy says `on_unavailable = "prompt"`.
struct GapQuestion {
  std::vector<Coverage> gaps;        // the rows that are required and not enforced
  std::string backend{};             // whose they are: the one with the fewest
  std::vector<std::string> fixes{};  // commands that would close them on this host, if any are known
};

// A closed set. Paths and domains that a running command asks for will be further kinds; a decider that does not know
// a kind answers kDeny.
using Question = std::variant<GapQuestion>;

// For how long a yes is meant. A gap is asked about before each run, so there every yes counts once.
enum class Answer { kDeny, kOnce, kSession, kAlways };

class Decider {
 public:
  virtual ~Decider() = default;
  // Called on the thread that runs the command, while it waits; it may take its time.
  virtual Answer decide(const Question& question) = 0;
};

}  // namespace pinfold
