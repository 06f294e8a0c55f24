// grants_view.h: a stored grant as text.
// Not here: the table and the commands (grants.cc).
#pragma once

#include <string>

#include "session/grant_store.h"

namespace pinfold::cli {

// "grant 3: read /srv/data, everywhere, since 2026-11-16, asked by /usr/bin/cat"
std::string describe(const session::StoredGrant& one);

}  // namespace pinfold::cli
