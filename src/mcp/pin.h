// pin.h: detects that a tool differs from the approved one.
// Invariant: pure. Two tools have the same pin only if every field that a model can see is equal; pins that cannot be
// read, or whose hash does not match their text, are an error and never "nothing pinned". Not here: storage of pins,
// the reaction to a changed tool.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/tools.h"

namespace pinfold::mcp {

struct Pin {
  std::string hash;  // "sha256/v1:…"
  std::string text;  // canonical JSON, the input of the hash; stored so that a change can be shown
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
  // "- …" and "+ …", with invisible characters escaped.
  std::vector<std::string> lines;
};
std::vector<PinChange> compare_pins(const Pins& approved, const Pins& now);

// Invisible and text-reordering characters: the field that has them, escaped. Line ends and tabs do not count.
std::vector<std::string> hidden_characters(const Tool& tool);
std::vector<std::string> hidden_characters(std::string_view where, std::string_view text);

}  // namespace pinfold::mcp
