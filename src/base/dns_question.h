// dns_question.h: finds a query for a host's address in bytes of unknown meaning.
// Invariant: a hint, for reports: whoever owns the bytes can write there what it likes. Linear in the bytes; only names
// that a host can have are found. Not here: the reader of real queries (net/dns_message.h), whose bytes these are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pinfold {

// The name that the first one asks for, in small letters, without the dot at its end.
std::optional<std::string> find_dns_question(std::string_view bytes);

}  // namespace pinfold
