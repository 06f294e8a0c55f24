// approval.h: requests for a decision, about gaps and about denied calls, and the interface that decides.
// Invariant: without a decider, and if the decider throws or returns kDeny, the request is denied.
// Not here: the terminal prompt (cli/prompt.h).
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
struct GapRequest {
  std::vector<Coverage> gaps;        // the rows that are required and not enforced
  std::string backend{};             // the backend that has them: the one with the fewest gaps
  std::vector<std::string> fixes{};  // commands that would close them on this host, if any are known
};

enum class RiskLevel { kLow, kMedium, kHigh };
struct Risk {
  RiskLevel level = RiskLevel::kLow;
  std::string words;  // one sentence about the consequences of an approval
};

// A sandboxed program waits in a call that the policy denies and that an approval would let succeed.
struct ApprovalRequest {
  std::uint64_t id = 0;   // unique in its sandbox
  std::string operation;  // as in a denial: "read", "write", "create", "connect"…
  std::string resource;   // path, name or address; untrusted text
  std::string named{};    // the program's argument, if it differs from the resource
  std::string program{};
  std::uint32_t pid = 0;
  std::string rule{};            // the rule that denies it
  std::optional<Grant> grant{};  // the grant of kSession and kAlways; nullopt: neither is offered
  bool once = true;              // kOnce is offered
  Risk risk{};
};

// A closed set. A decider must return kDeny for a kind that it does not know.
using DecisionRequest = std::variant<GapRequest, ApprovalRequest>;

// kOnce allows one operation, kSession the lifetime of the sandbox, kAlways also later runs. For a gap, which is
// requested before each run, the three are equal.
enum class ApprovalDecision { kDeny, kOnce, kSession, kAlways };

class Decider {
 public:
  virtual ~Decider() = default;
  // Called on the thread that runs the command, while the command waits; it may block.
  virtual ApprovalDecision decide(const DecisionRequest& request) = 0;
};

}  // namespace pinfold
