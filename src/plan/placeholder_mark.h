// placeholder_mark.h: what a placeholder contains, so that a run can tell its own kind from a user's file.
#pragma once

#include <string_view>

namespace pinfold::plan {

inline constexpr std::string_view kPlaceholderMark =
    "Placeholder of a running pinfold sandbox; removed when the run ends.\n";

}  // namespace pinfold::plan
