// advice_json.h: the names of shells, and advice as members of a JSON object.
// Invariant: valid JSON, in this order: verdict, complete, findings. Not here: the command itself, whose bytes may be
// no text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pinfold/advice.h"

namespace pinfold::advice {

// "auto", "bash", "powershell", and what else these go by.
std::optional<Shell> shell_called(std::string_view name);

// Without braces, for the object of whoever answers.
std::string json_members(const Advice& advice);

}  // namespace pinfold::advice
