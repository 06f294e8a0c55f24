// shapes.h: keys that are known by how they look: AKIA…, ghp_…, sk-…, xoxb-…, JSON Web Tokens, private keys.
// Invariant: looks ahead no further than the match; a match begins where it is asked for.
// Not here: names (secret_names.h), what is done with a match (redact.cc).
#pragma once

#include <cstddef>
#include <string_view>

namespace pinfold::safety {

// The length of the secret that begins at `at`, which must be the start of a word; 0: none does.
std::size_t secret_shape(std::string_view text, std::size_t at);

// What may stand in a token after "Bearer ": letters, digits and ._~+/=-.
bool is_token_char(char c);

}  // namespace pinfold::safety
