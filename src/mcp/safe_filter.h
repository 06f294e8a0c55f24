// safe_filter.h: redacts secrets and personal data in a server's output, and finds commands that advice denies.
// Invariant: JSON stays JSON of the same shape; values passed to the server are redacted in every common encoding.
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

  // A secret passed to the server. A short one cannot be distinguished from ordinary text and is not redacted.
  void add_value(std::string_view name, std::string_view value) { redactor_.add_value(name, value); }

  std::string text(OutputKind kind, std::string_view words) override;
  Json json(OutputKind kind, Json value) override;

  // The redactions so far: tag → count.
  const std::map<std::string, std::uint64_t>& counts() const { return redactor_.counts(); }

 private:
  redaction::Redactor redactor_;
};

// A model may follow commands in the result of a tool. Returns why to withhold this result: it contains a command that
// command advice denies, as a member "command", in a block of shell code, or as the only line of a text.
std::optional<std::string> blocked_command(const Json& result);

}  // namespace pinfold::mcp
