// safe_filter.h: takes secrets and personal data out of what a server says, and finds commands that nobody should run.
// Invariant: JSON stays JSON of the same shape; values that were given to the server go in every common encoding.
// Not here: the rules (safety).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/filter.h"
#include "safety/redaction/redactor.h"

namespace pinfold::mcp {

class SafeFilter final : public Filter {
 public:
  SafeFilter() : redactor_(redaction::Only::kEverything) {}

  // A secret that the server was given; too short a one cannot be told from ordinary text, and stays.
  void add_value(std::string_view name, std::string_view value) { redactor_.add_value(name, value); }

  std::string text(Speech speech, std::string_view words) override;
  Json json(Speech speech, Json value) override;

  // What was taken out so far: tag → how often.
  const std::map<std::string, std::uint64_t>& counts() const { return redactor_.counts(); }

 private:
  redaction::Redactor redactor_;
};

// A model takes what a tool answers for advice. Why this answer is to be kept from it: it holds a command that command
// advice would refuse — as a member "command", in a block of shell code, or as the one line that a text consists of.
std::optional<std::string> blocked_command(const Json& result);

}  // namespace pinfold::mcp
