// dns_question.h: finds a query for a host's address in bytes of unknown meaning.
// Invariant: a hint for reports, not evidence: the process that owns the bytes can forge a query. Linear time; finds
// only names that a host can have. Not here: parsing real queries (net/dns_message.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pinfold {

// The name in the first query, in lower case, without the trailing dot.
std::optional<std::string> find_dns_question(std::string_view bytes);

}  // namespace pinfold
