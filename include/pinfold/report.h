// report.h: the result of a run, as values; exit codes derive from the outcome.
// Invariant: an outcome carries all its own data; nothing is encoded in one integer.
// Not here: text output (src/report).
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
// The reason why the command was refused before it ran: the policy (also: the program may not be executed), a gap in
// enforcement, or command advice.
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
  std::string allow_with;  // the flag that would allow it, quoted for a shell; or empty
  DenialSource source = DenialSource::kInferred;
  std::uint64_t count = 1;
  // Of a connection: the name that was asked for, the address that it resolved to, and the port (0: only a DNS query).
  std::string host{};
  std::string address{};
  std::uint16_t port = 0;
  // With kObserved, if known; of the first attempt.
  std::string named{};           // the program's argument, if it differs from the resource
  std::uint32_t pid = 0;         // the process in the host's pid namespace; 0: not known
  std::string program{};         // its program, without the directory
  std::string allow_note{};      // a condition of `allow_with`, or a way to allow it that is not a flag; not in reports
  std::optional<Grant> grant{};  // the equivalent of `allow_with`, if that is a path or a network rule
};

// One relayed connection from the sandbox to a destination that a network rule grants.
struct Connection {
  std::string host;     // empty: connected by address
  std::string address;  // the address connected to; empty: every attempt failed
  std::uint16_t port = 0;
  std::uint64_t bytes_up = 0;    // sandbox → destination
  std::uint64_t bytes_down = 0;  // destination → sandbox
  std::chrono::milliseconds duration{0};
  std::string end;  // "finished", "reset by the other side", …
};

struct Usage {
  std::chrono::microseconds wall{0};
  std::chrono::microseconds cpu{0};
  std::uint64_t peak_memory = 0;    // bytes
  std::uint64_t processes = 0;      // started in the sandbox, threads included
  std::uint64_t trapped_calls = 0;  // system calls that waited for the supervisor's handler
};

// One backend that was tried for the run, and why it was chosen or not; in the order of the attempts.
struct Candidate {
  std::string backend;
  bool chosen = false;
  bool usable = false;  // it can make a sandbox on this host, with or without a gap
  std::string why;
  std::string fix;  // a command that makes it usable on this host, or empty
};

struct Report {
  Outcome outcome;
  std::string backend;            // the chosen one; empty: none was chosen
  std::vector<Candidate> choice;  // every backend that was tried
  std::vector<Coverage> coverage;
  std::vector<Coverage> accepted_gaps;  // required and not fully enforced; the command ran anyway
  std::vector<std::string> fixes;       // after a refusal or warning: commands that let this host enforce more
  std::vector<Denial> denials;
  std::vector<Connection> connections;  // in the order in which they ended; at most 1,000
  std::uint64_t more_connections = 0;   // not in `connections`
  std::vector<std::string> notes;       // changes that Pinfold undid, and other remarks
  Usage usage;
  std::chrono::system_clock::time_point started_at;
};

// 124: timed out; 125: Pinfold failed or cannot enforce; 126: refused by policy; 127: not found; 128 + n: signal n.
PINFOLD_API int exit_code(const Outcome& outcome);

// One object in the format of docs/reference/report.schema.json; ends with a newline.
PINFOLD_API std::string to_json(const Report& report);

}  // namespace pinfold
