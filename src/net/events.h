// events.h: what the relay tells about its work: refusals, connections that ended, numbers.
// Invariant: every refusal is told once with the rule and the flag that would allow it; repeats are only counted.
// Not here: how a report shows them.
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
    kPort,        // the name is, this port of it is not
    kAddress,     // the address is not granted, or a granted name leads to one that must be granted by itself
    kServerName,  // TLS to a granted address, for another name
    kHost,        // the same in plain HTTP
    kLimit,       // too many connections or names
  };
  Reason reason = Reason::kName;
  std::string name;  // empty: reached by address
  std::optional<Address> address;
  std::uint16_t port = 0;  // 0: only asked for in DNS
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

// One connection that was accepted inside, told when it ended.
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
  std::uint64_t sending = 0;      // those of them whose program may still send, or has sent what is not handed on yet
  std::uint64_t most_connections = 0;
  std::uint64_t accepted = 0;     // ever
  std::uint64_t turned_away = 0;  // for want of room
  std::uint64_t listeners = 0;
  std::uint64_t names = 0;
  std::uint64_t pipes = 0;  // made, idle ones included
  std::uint64_t bytes_up = 0;
  std::uint64_t bytes_down = 0;
  std::uint64_t denials = 0;  // told and repeated
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
