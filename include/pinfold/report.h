// report.h: what happened, as values; exit codes derive from the outcome.
// Invariant: an outcome carries all its own data; nothing is encoded in one integer.
// Not here: text for people (src/report).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pinfold/coverage.h"
#include "pinfold/export.h"
#include "pinfold/grant.h"

namespace pinfold {

struct Exited {
  int code = 0;
};
struct Signaled {
  int signal = 0;
  std::string by;  // empty, or the limit that sent it: "limit.memory"
};
struct TimedOut {
  std::chrono::milliseconds after{0};
};
// The policy, a gap in enforcement, or command advice said no before the command ran (or the command itself may not be
// executed).
enum class RefusedBy { kPolicy, kEnforcement, kAdvice };
PINFOLD_API std::string_view name_of(RefusedBy by);  // "policy", "enforcement", "advice"
struct Refused {
  RefusedBy by = RefusedBy::kPolicy;
  std::string reason;
  std::string fix;
};
enum class SetupStage { kSandbox, kNotFound };
struct SetupFailed {
  SetupStage stage = SetupStage::kSandbox;
  std::string reason;
  std::string fix;
};
using Outcome = std::variant<Exited, Signaled, TimedOut, Refused, SetupFailed>;

enum class DenialSource { kKernel, kInferred, kObserved };

struct Denial {
  std::string operation;   // "read", "write", "create", "delete", "rename", "exec", "connect", "send", "bind", "limit"
  std::string resource;    // path, address, or limit
  std::string rule;        // the rule that denied it, with its origin
  std::string allow_with;  // the one flag that would allow it, or empty
  DenialSource source = DenialSource::kInferred;
  std::uint64_t count = 1;
  // Of a connection: what was asked for by name, the address that it led to, and the port (0: only looked up).
  std::string host{};
  std::string address{};
  std::uint16_t port = 0;
  // With kObserved, where it is known; of the first time.
  std::string named{};           // as the program named it, if that is not the resource itself
  std::uint32_t pid = 0;         // the process that tried, as the host counts processes; 0: not known
  std::string program{};         // its program, without directories
  std::optional<Grant> grant{};  // what `allow_with` adds to the policy, where that is a path or a rule of the network
};

// One connection that was relayed: a program inside talked to what a rule of the network grants.
struct Connection {
  std::string host;     // empty: reached by address
  std::string address;  // the one connected to outside; empty: none took the connection
  std::uint16_t port = 0;
  std::uint64_t bytes_up = 0;    // sandbox → outside
  std::uint64_t bytes_down = 0;  // outside → sandbox
  std::chrono::milliseconds duration{0};
  std::string end;  // "finished", "reset by the other side", …
};

struct Usage {
  std::chrono::microseconds wall{0};
  std::chrono::microseconds cpu{0};
  std::uint64_t peak_memory = 0;    // bytes
  std::uint64_t processes = 0;      // started in the sandbox, threads included
  std::uint64_t trapped_calls = 0;  // system calls that waited for the supervisor to look at them
};

// One backend that was tried for the run, in the order of trying, and why it was taken or not.
struct Candidate {
  std::string backend;
  bool chosen = false;
  bool stands = false;  // its walls can be raised on this host, with or without a gap
  std::string why;
  std::string fix;  // what would let it stand on this host, or empty
};

struct Report {
  Outcome outcome;
  std::string backend;            // the chosen one; empty when none was
  std::vector<Candidate> choice;  // every backend that was tried
  std::vector<Coverage> coverage;
  std::vector<Coverage> accepted_gaps;  // required, not fully enforced, and run in spite of it
  std::vector<std::string> fixes;       // commands that would let this host enforce more, when it refused or warned
  std::vector<Denial> denials;
  std::vector<Connection> connections;  // in the order in which they ended; the first thousand
  std::uint64_t more_connections = 0;   // beyond these
  std::vector<std::string> notes;       // what was undone
  Usage usage;
  std::chrono::system_clock::time_point started_at;
};

// 124 timed out, 125 Pinfold failed or cannot enforce, 126 refused by policy, 127 not found, 128+n signal.
PINFOLD_API int exit_code(const Outcome& outcome);

// One object as docs/report.schema.json says; ends with a newline.
PINFOLD_API std::string to_json(const Report& report);

}  // namespace pinfold
