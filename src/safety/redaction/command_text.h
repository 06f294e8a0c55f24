// command_text.h: takes secrets out of command lines and messages before they are stored.
// Invariant: linear in the text; in doubt more is taken out than a Redactor would: nobody reads a command line for the
// value of --token. Not here: text in general (redactor.h), files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pinfold::redaction {

inline constexpr std::string_view kRedacted = "[redacted]";

// Prose: messages, paths, addresses. Command: a line of shell, where `--token VALUE` is a flag and its value.
enum class TextKind { kProse, kCommand };

// Values of names that say secret (PASSWORD=x, "api_key": "x", Authorization: x), bearer tokens, passwords in addresses
// (https://ada:x@host), and keys that are known by their shape.
std::string redact(std::string_view text, TextKind kind);

// The same word by word; a flag that says secret takes the next word with it, and so do the flags of known programs
// (curl -u, sshpass -p). The value of `--env NAME=VALUE` is always taken out.
std::vector<std::string> redact_argv(const std::vector<std::string>& argv);

}  // namespace pinfold::redaction
