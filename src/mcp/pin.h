// pin.h: is a tool still what was approved?
// Invariant: pure. Two tools have the same pin only if all that a model is told of them is the same; pins that cannot
// be read, or whose text and hash do not belong together, are an error and never "nothing pinned". Not here: where pins
// are kept, what happens to a changed tool.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/tools.h"

namespace pinfold::mcp {

struct Pin {
  std::string hash;  // "sha256/v1:…"
  std::string text;  // canonical JSON: what the hash is of, kept so that a change can be shown
  bool operator==(const Pin&) const = default;
};

struct Pins {
  std::map<std::string, Pin, std::less<>> tools;
  Pin instructions;
  bool operator==(const Pins&) const = default;
};

Pin pin_of(std::string_view install_id, const Tool& tool);
Pins pins_of(std::string_view install_id, const std::vector<Tool>& tools, std::string_view instructions);

std::string write_pins(const Pins& pins);
Result<Pins> read_pins(std::string_view text);

struct PinChange {
  enum class Kind { kNew, kChanged, kGone };
  Kind kind = Kind::kChanged;
  std::string tool;  // empty: the server's instructions
  // "- …" and "+ …" with everything invisible escaped.
  std::vector<std::string> lines;
};
std::vector<PinChange> compare_pins(const Pins& approved, const Pins& now);

// Characters that nobody sees, or that turn text around: where they are, escaped. Line ends and tabs are none of them.
std::vector<std::string> hidden_characters(const Tool& tool);
std::vector<std::string> hidden_characters(std::string_view where, std::string_view text);

}  // namespace pinfold::mcp
