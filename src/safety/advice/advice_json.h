// advice_json.h: the names of shells, and advice as members of a JSON object.
// Invariant: valid JSON, in this order: verdict, complete, findings. Not here: the command itself, which may not
// be UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pinfold/advice.h"

namespace pinfold::advice {

// "auto", "bash", "powershell", and their other names.
std::optional<Shell> shell_called(std::string_view name);

// Without braces: the caller adds the members to its own object.
std::string json_members(const Advice& advice);

}  // namespace pinfold::advice
