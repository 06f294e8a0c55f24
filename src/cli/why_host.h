// why_host.h: can a host be reached, by which rule, and what changes it?
// Invariant: asks decide(), the same that the relay obeys.
// Not here: paths, variables and programs (why.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/why.h"

namespace pinfold::cli {

struct HostAsked {
  std::string host;                   // as it was written, without brackets; empty: this is not about a host
  std::optional<std::uint16_t> port;  // said, or the scheme's
};

// "example.com", "example.com:443", "https://example.com/x", "127.0.0.1", "[::1]:80", "::1", "localhost".
HostAsked host_asked(std::string_view subject);

// The same for what is asked about, if no file here has that name.
HostAsked meant_as_host(const WhyQuestion& question);

WhyAnswer about_host(const WhyQuestion& question, const HostAsked& asked);

}  // namespace pinfold::cli
