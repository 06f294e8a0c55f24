// command_text.h: redacts secrets in command lines and messages before they are stored.
// Invariant: linear in the text; if in doubt it redacts more than a Redactor: the value of --token is not needed in a
// stored command line. Not here: text in general (redactor.h), files.
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

// The same for argv; after a flag named like a secret the next word is redacted, too, and so for flags of known
// programs (curl -u, sshpass -p). The value of `--env NAME=VALUE` is always taken out.
std::vector<std::string> redact_argv(const std::vector<std::string>& argv);

}  // namespace pinfold::redaction
