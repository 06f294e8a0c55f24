// advice_view.h: advice about a command line, for people and for programs.
// Invariant: what the command line holds is made safe to show. Not here: the advice itself (safety/advice/advice.h).
#pragma once

#include <string>
#include <string_view>

#include "pinfold/result.h"
#include "report/table.h"
#include "safety/advice/advice.h"

namespace pinfold::cli {

// "auto", "bash", "powershell"…
Result<advice::Shell> shell_named(std::string_view name);

// Each finding with the words it speaks of underlined, the reason and a safer way; one line for what is safe.
std::string advice_text(std::string_view command, const advice::Advice& advice, report::Colour colour);
// With its command, as one line of JSON.
std::string advice_json(std::string_view command, const advice::Advice& advice);

}  // namespace pinfold::cli
