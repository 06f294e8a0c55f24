// question.h: what Pinfold asks while it works, and who answers.
// Invariant: no decider, a decider that throws, and kDeny all mean no.
// Not here: how a person is asked (cli/prompt.h), what needs no question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pinfold/coverage.h"
#include "pinfold/grant.h"

namespace pinfold {

// This host cannot fully enforce what the policy requires, and the policy says `on_unavailable = "prompt"`.
struct GapQuestion {
  std::vector<Coverage> gaps;        // the rows that are required and not enforced
  std::string backend{};             // whose they are: the one with the fewest
  std::vector<std::string> fixes{};  // commands that would close them on this host, if any are known
};

enum class RiskLevel { kLow, kMedium, kHigh };
struct Risk {
  RiskLevel level = RiskLevel::kLow;
  std::string words;  // what could come of a yes, in one sentence
};

// A program in the sandbox waits: it tries what the policy does not allow, and with a yes it would succeed.
struct AccessQuestion {
  std::uint64_t id = 0;   // among the questions of its sandbox
  std::string operation;  // as in a denial: "read", "write", "create", "connect"…
  std::string resource;   // path, name or address; untrusted text
  std::string named{};    // as the program named it, if that is not the resource itself
  std::string program{};
  std::uint32_t pid = 0;
  std::string rule{};            // what denies it
  std::optional<Grant> grant{};  // what a yes for the session or for always gives; nothing: only once can be offered
  bool once = true;              // this operation alone can be allowed
  Risk risk{};
};

// A closed set. A decider that does not know a kind answers kDeny.
using Question = std::variant<GapQuestion, AccessQuestion>;

// For how long a yes is meant. A gap is asked about before each run, so there every yes counts once.
enum class Answer { kDeny, kOnce, kSession, kAlways };

class Decider {
 public:
  virtual ~Decider() = default;
  // Called on the thread that runs the command, while it waits; it may take its time.
  virtual Answer decide(const Question& question) = 0;
};

}  // namespace pinfold
