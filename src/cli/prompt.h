// prompt.h: asks the user at the terminal.
// Invariant: without a terminal, without a line, or with another line than "y" or "yes", the answer is no.
// Not here: when to ask (supervisor, policy_trust.cc).
#pragma once

#include <optional>
#include <string>

#include "base/host_view.h"
#include "pinfold/approval.h"

namespace pinfold::cli {

// Prints `question` unescaped, and reads the answer on the same line.
bool ask(const std::string& question);
// The typed line; empty without a terminal, or at the end of the input.
std::optional<std::string> ask_line(const std::string& question);

// Decides about gaps by asking the user at the terminal.
class TerminalDecider final : public Decider {
 public:
  explicit TerminalDecider(HostView& host) : host_(host) {}
  ApprovalDecision decide(const DecisionRequest& question) override;

 private:
  HostView& host_;
};

}  // namespace pinfold::cli
