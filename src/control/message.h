// message.h: what a session and its clients say to each other, as values and as versioned JSON.
// Invariant: whatever the other side sends is either understood wholly or an error: unknown words, missing ones,
// numbers out of range and another version are refused. Bytes that are not UTF-8 travel as base64. Not here: packets
// and descriptors (channel.h), what is done about a message (client.cc, server.cc).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backend/backend.h"
#include "pinfold/coverage.h"
#include "pinfold/question.h"
#include "pinfold/report.h"

namespace pinfold::control {

inline constexpr int kVersion = 1;
inline constexpr std::size_t kLongestMessage = std::size_t{16} << 20;

// What a client asks for. One connection is for one command.
namespace ask {
enum class Directory { kWanted, kIfShown };  // kIfShown: otherwise the session's own
struct Run {
  backend::Launch launch;  // its descriptors come along, those of streams that are no terminal, in their order
  Directory directory = Directory::kWanted;
  bool knows_limits = false;  // or is to be told them first
};
struct Signal {
  int number = 0;
};
struct Terminate {};
struct Kill {};
struct Usage {};
struct Judge {
  std::vector<std::string> complaints;  // lines of the command's stderr
};
struct Drain {};  // a stream comes along that the command has left open: it is read to its end and dropped
struct Describe {};
struct Stop {};
struct Watch {};  // from now on: the questions that wait, the grants, and then whatever happens
struct Answer {
  std::uint64_t question = 0;
  pinfold::Answer answer = pinfold::Answer::kDeny;
};
struct Revoke {
  std::uint64_t grant = 0;
};
}  // namespace ask
using Asked = std::variant<ask::Run, ask::Signal, ask::Terminate, ask::Kill, ask::Usage, ask::Judge, ask::Drain,
                           ask::Describe, ask::Stop, ask::Watch, ask::Answer, ask::Revoke>;

enum class SandboxKind { kSession, kRun };  // a run is one command's own sandbox: nothing else can be run in it

// A yes for longer than once, as it holds in a running sandbox.
struct GrantInForce {
  std::uint64_t id = 0;
  Grant grant;
  Answer answer = Answer::kSession;
  std::int64_t since = 0;  // seconds since 1970
};

// What a session answers or tells.
namespace tell {
struct Started {
  std::string backend;
  bool has_terminal = false;  // its master side comes along
};
struct Failed {
  Error error{ErrorKind::kSystem, ""};
  std::vector<Denial> denials;
};
struct Limits {  // nothing was started: ask again, knowing these
  std::vector<LimitStep> limits;
};
struct Ended {
  int wait_status = 0;
  Usage usage;
};
struct Stopped {};
struct Denied {
  Denial denial;
};
struct Breached {
  Denial denial;
  std::string note;
};
struct Gone {
  std::string why;
};
struct Used {
  std::optional<backend::TreeUsage> usage;
};
struct Judged {
  std::vector<Denial> denials;
};
struct Described {
  SandboxKind kind = SandboxKind::kSession;
  std::vector<std::string> argv;  // of a run: its command
  std::string id;
  std::string name;
  std::string backend;
  std::string workspace;
  std::int64_t started_at = 0;  // seconds since 1970
  std::uint64_t commands = 0;   // that run now
  std::uint64_t pid = 0;        // of the session's own process
  std::vector<Coverage> coverage;
};
struct Question {
  AccessQuestion question;
};
struct Settled {
  std::uint64_t question = 0;
  std::optional<Answer> answer;  // nothing: whoever waited is gone
};
struct Connected {
  Connection connection;
};
struct Grants {
  std::vector<GrantInForce> grants;  // all of them
};
struct Taken {
  bool counted = false;  // or it came too late, or was not on offer
};
}  // namespace tell
using Told = std::variant<tell::Started, tell::Failed, tell::Limits, tell::Ended, tell::Stopped, tell::Denied,
                          tell::Breached, tell::Gone, tell::Used, tell::Judged, tell::Described, tell::Question,
                          tell::Settled, tell::Connected, tell::Grants, tell::Taken>;

std::string to_text(const Asked& message);
std::string to_text(const Told& message);
Result<Asked> parse_asked(std::string_view text);
Result<Told> parse_told(std::string_view text);

}  // namespace pinfold::control
