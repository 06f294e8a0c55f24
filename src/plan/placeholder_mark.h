// placeholder_mark.h: the content of a placeholder, by which a run distinguishes it from a user's file.
#pragma once

#include <string_view>

namespace pinfold::plan {

inline constexpr std::string_view kPlaceholderMark =
    "Placeholder of a running pinfold sandbox; removed when the run ends.\n";

}  // namespace pinfold::plan
