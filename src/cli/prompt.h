// prompt.h: asks the person at the terminal.
// Invariant: no terminal, no answer, anything but "y" or "yes": no.
// Not here: when to ask (supervisor, policy_trust.cc).
#pragma once

#include <optional>
#include <string>

#include "base/host_view.h"
#include "pinfold/question.h"

namespace pinfold::cli {

// `question` is printed as it is; the answer is on the same line.
bool ask(const std::string& question);
// The line that is typed; nothing without a terminal, or if it ends first.
std::optional<std::string> ask_line(const std::string& question);

// Answers the supervisor's questions by asking that person.
class TerminalDecider final : public Decider {
 public:
  explicit TerminalDecider(HostView& host) : host_(host) {}
  Answer decide(const Question& question) override;

 private:
  HostView& host_;
};

}  // namespace pinfold::cli
