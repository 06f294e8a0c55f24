// man_page.h: the manual page as roff text, made from the tables.
// Not here: the tables (flags.h, policy/keys.h), installing it.
#pragma once

#include <string>

namespace pinfold::cli {

std::string man_page_text();

}  // namespace pinfold::cli
