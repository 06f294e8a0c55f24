// events.h: events of the relay: denials, ended connections, statistics.
// Invariant: every denial is reported once with the rule and the flag that would allow it; repeats are only counted.
// Not here: reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "net/address.h"

namespace pinfold::net {

struct NetDenial {
  enum class Reason {
    kName,        // the name is not granted
    kPort,        // the name is granted, but not this port
    kAddress,     // the address is not granted, or a granted name resolves to one that needs its own grant
    kServerName,  // TLS to a granted address, with another server name
    kHost,        // the same in plain HTTP
    kLimit,       // too many connections or names
  };
  Reason reason = Reason::kName;
  std::string name;  // empty: reached by address
  std::optional<Address> address;
  std::uint16_t port = 0;  // 0: only a DNS query
  std::string why;
  std::string allow_with;  // the flag; empty if none would
};

enum class End {
  kFinished,  // both sides closed
  kResetInside,
  kResetOutside,
  kUnresolved,   // the name has no address outside
  kUnreachable,  // no address took the connection
  kIdle,
  kDenied,
  kGrantRemoved,
  kRelayEnded,
};

// One connection that was accepted inside, reported when it ended.
struct ConnectionRecord {
  std::string name;
  std::optional<Address> address;  // the one connected to outside
  std::uint16_t port = 0;
  std::uint64_t bytes_up = 0;    // sandbox → outside
  std::uint64_t bytes_down = 0;  // outside → sandbox
  std::chrono::milliseconds duration{0};
  End end = End::kFinished;
};

// "finished", "reset by the other side", …
const char* words_for(End end);

struct Statistics {
  std::uint64_t connections = 0;  // open now
  // Of these, with a program that may still send, or that sent bytes that are not forwarded yet.
  std::uint64_t sending = 0;
  std::uint64_t most_connections = 0;
  std::uint64_t accepted = 0;     // ever
  std::uint64_t turned_away = 0;  // because of a limit
  std::uint64_t listeners = 0;
  std::uint64_t names = 0;
  std::uint64_t pipes = 0;  // made, idle ones included
  std::uint64_t bytes_up = 0;
  std::uint64_t bytes_down = 0;
  std::uint64_t denials = 0;  // reported and repeated
  std::uint64_t queries = 0;
  std::uint64_t waiting_queries = 0;
};

class Events {
 public:
  virtual ~Events() = default;
  virtual void denied(const NetDenial& denial) = 0;
  virtual void closed(const ConnectionRecord& record) = 0;
};

}  // namespace pinfold::net
