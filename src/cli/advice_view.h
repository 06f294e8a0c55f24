// advice_view.h: advice about a command line as text and as JSON.
// Invariant: text from the command line is escaped before it is shown. Not here: the advice itself
// (safety/advice/advice.h).
#pragma once

#include <string>
#include <string_view>

#include "pinfold/result.h"
#include "report/table.h"
#include "safety/advice/advice.h"

namespace pinfold::cli {

// "auto", "bash", "powershell"…
Result<advice::Shell> shell_named(std::string_view name);

// Each finding with its words underlined, the reason and a safer way; one line for a safe text.
std::string advice_text(std::string_view command, const advice::Advice& advice, report::Colour colour);
// The command and its advice as one line of JSON.
std::string advice_json(std::string_view command, const advice::Advice& advice);

}  // namespace pinfold::cli
