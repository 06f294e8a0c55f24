// rules.h: the interfaces that the relay needs: decisions of the policy, and sockets inside the sandbox.
// Invariant: names are canonical here (lower case, A-labels, no trailing dot); the relay never interprets a rule
// itself. Not here: parsing rules, canonicalising, the sandbox.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/address.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::net {

struct Decision {
  enum class Outcome {
    kAllowed,
    kDenied,
    kWait,  // an approval request is pending; then Relay::reconsider(). Only for names in DNS.
  };
  Outcome outcome = Outcome::kDenied;
  std::string why;         // the rule: "network = [...] has no such name"
  std::string allow_with;  // "--net example.org:443"
};

// A grant by address: 10.1.2.3:22, or a network.
struct AddressGrant {
  Address network;
  unsigned prefix = 32;
  std::uint16_t port = 0;
};

class Rules {
 public:
  virtual ~Rules() = default;
  // May this name be resolved at all?
  virtual Decision decide(std::string_view name) const = 0;
  virtual Decision decide(std::string_view name, std::uint16_t port) const = 0;
  // Granted as an address. A name that resolves to loopback or private space needs this, too.
  virtual Decision decide(const Address& address, std::uint16_t port) const = 0;
  // The ports of a name for which decide() answers kAllowed. "localhost" is a name here.
  virtual std::vector<std::uint16_t> ports(std::string_view name) const = 0;
  virtual std::vector<AddressGrant> addresses() const = 0;
};

// Makes sockets in the sandbox's network namespace. All are non-blocking and close-on-exec, and IPv6 alone where IPv6.
// All have SO_REUSEPORT: a port that is granted for a network has a socket on all addresses beside those of names.
class SandboxSockets {
 public:
  virtual ~SandboxSockets() = default;
  virtual Result<sys::Fd> listen(const Address& address, std::uint16_t port) = 0;
  virtual Result<sys::Fd> datagram(const Address& address, std::uint16_t port) = 0;
};

// The same on the host: for tests, and for backends without a network namespace.
class HostSockets : public SandboxSockets {
 public:
  Result<sys::Fd> listen(const Address& address, std::uint16_t port) override;
  Result<sys::Fd> datagram(const Address& address, std::uint16_t port) override;
};

}  // namespace pinfold::net
