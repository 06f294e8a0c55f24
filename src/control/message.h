// message.h: the control protocol: requests of clients and events of a session, as values and as versioned JSON.
// Invariant: a message is parsed completely or refused: unknown keys, missing keys, numbers out of range and another
// version are errors. Bytes that are not UTF-8 are sent as base64. Not here: packets and descriptors (channel.h),
// handling (client.cc, server.cc).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backend/backend.h"
#include "pinfold/approval.h"
#include "pinfold/coverage.h"
#include "pinfold/report.h"

namespace pinfold::control {

inline constexpr int kVersion = 1;
inline constexpr std::size_t kLongestMessage = std::size_t{16} << 20;

// Requests of a client. One connection runs at most one command.
namespace request {
enum class Directory { kWanted, kIfShown };  // kIfShown: use the session's directory if this one is not visible
struct Run {
  backend::Launch launch;  // sent with the descriptors of streams that are not terminals, in their order
  Directory directory = Directory::kWanted;
  bool knows_limits = false;  // false: the session responds with its limits first
};
struct Signal {
  int number = 0;
};
struct Terminate {};
struct Kill {};
struct Usage {};
struct InferDenials {
  std::vector<std::string> complaints;  // error messages in the command's stderr
};
struct Drain {
};  // sent with a stream that the command has left open: the session reads it to its end and drops the data
struct Describe {};
struct Stop {};
struct Watch {};  // from now on send the pending requests, the grants, and then every event
struct Decide {
  std::uint64_t request = 0;
  pinfold::ApprovalDecision decision = pinfold::ApprovalDecision::kDeny;
};
struct Revoke {
  std::uint64_t grant = 0;
};
}  // namespace request
using Request = std::variant<request::Run, request::Signal, request::Terminate, request::Kill, request::Usage,
                             request::InferDenials, request::Drain, request::Describe, request::Stop, request::Watch,
                             request::Decide, request::Revoke>;

enum class SandboxKind { kSession, kRun };  // kRun: the sandbox of one `pinfold run`, which takes no other commands

// A session or always grant of a running sandbox.
struct GrantInForce {
  std::uint64_t id = 0;
  Grant grant;
  ApprovalDecision decision = ApprovalDecision::kSession;
  std::int64_t since = 0;  // seconds since 1970
};

// Responses and events of a session.
namespace event {
struct CommandStart {
  std::string backend;
  bool has_terminal = false;  // sent with the master side of the pseudo-terminal
};
struct Failure {
  Error error{ErrorKind::kSystem, ""};
  std::vector<Denial> denials;
};
struct Limits {  // the command was not started: send the request again with these limits
  std::vector<LimitStep> limits;
};
struct CommandEnd {
  int wait_status = 0;
  Usage usage;
};
struct CommandStop {};
struct AccessDenial {
  Denial denial;
};
struct Breach {
  Denial denial;
  std::string note;
};
struct SandboxEnd {
  std::string why;
};
struct TreeUsage {
  std::optional<backend::TreeUsage> usage;
};
struct InferredDenials {
  std::vector<Denial> denials;
};
struct Description {
  SandboxKind kind = SandboxKind::kSession;
  std::vector<std::string> argv;  // of a run: its command
  std::string id;
  std::string name;
  std::string backend;
  std::string workspace;
  std::int64_t started_at = 0;  // seconds since 1970
  std::uint64_t commands = 0;   // running now
  std::uint64_t pid = 0;        // of the session's own process
  std::vector<Coverage> coverage;
};
struct PendingRequest {
  ApprovalRequest request;
};
struct RequestEnd {
  std::uint64_t request = 0;
  std::optional<ApprovalDecision> decision;  // nullopt: the requesting process has exited
};
struct ConnectionEnd {
  Connection connection;
};
struct Grants {
  std::vector<GrantInForce> grants;  // the complete list
};
struct Acknowledgement {
  bool counted = false;  // false: the decision came too late, or was not offered
};
}  // namespace event
using Event = std::variant<event::CommandStart, event::Failure, event::Limits, event::CommandEnd, event::CommandStop,
                           event::AccessDenial, event::Breach, event::SandboxEnd, event::TreeUsage,
                           event::InferredDenials, event::Description, event::PendingRequest, event::RequestEnd,
                           event::ConnectionEnd, event::Grants, event::Acknowledgement>;

std::string to_text(const Request& message);
std::string to_text(const Event& message);
Result<Request> parse_request(std::string_view text);
Result<Event> parse_event(std::string_view text);

}  // namespace pinfold::control
