// why_host.h: explains whether a host can be reached, by which rule, and which flag changes it.
// Invariant: uses decide(), as the relay does.
// Not here: paths, variables and programs (why.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/why.h"

namespace pinfold::cli {

struct HostQuery {
  std::string host;                   // as typed, without brackets; empty: the subject is not a host
  std::optional<std::uint16_t> port;  // typed, or the scheme's
};

// "example.com", "example.com:443", "https://example.com/x", "127.0.0.1", "[::1]:80", "::1", "localhost".
HostQuery parse_host_query(std::string_view subject);

// The host of the query's subject; empty if a file of that name exists here.
HostQuery host_query(const RuleQuery& rule_query);

RuleExplanation about_host(const RuleQuery& rule_query, const HostQuery& query);

}  // namespace pinfold::cli
