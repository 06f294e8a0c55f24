// conversation.h: the client's side of the protocol with one server, from its first line to its last; both eras.
// Invariant: does no I/O and asks no clock: lines and times come in, lines and events go out. Every request is answered
// once. Not here: descriptors (stdio_transport.h), processes, restarts (client.h), what tools are (tools.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/token_bucket.h"
#include "mcp/protocol_version.h"
#include "mcp/limits.h"
#include "mcp/pending.h"

namespace pinfold::mcp {

struct Root {
  std::string uri;  // file:///…
  std::string name;
};

struct Settings {
  std::string client_name = "pinfold";
  std::string client_version = PINFOLD_VERSION;
  Json capabilities = Json::object();      // beyond roots
  std::optional<std::vector<Root>> roots;  // none: not declared
  std::optional<Era> known_era;            // what this server was found to speak before
  RequestId first_id = 1;
  Limits limits;
  Durations durations;
};

// What was ignored or survived, and what was done.
struct Counts {
  std::uint64_t messages = 0, requests = 0, notifications = 0;
  std::uint64_t noise = 0;      // lines that are no messages
  std::uint64_t overlong = 0;   // lines passed over
  std::uint64_t misshapen = 0;  // JSON, and no message
  std::uint64_t late = 0, duplicate = 0, unknown = 0;
  std::uint64_t refused_requests = 0;  // of the server to us
};

class Conversation {
 public:
  struct Events {
    std::function<void(std::string line)> send;  // without its newline
    std::function<void(const ServerFacts&)> ready;
    std::function<void(Error)> failed;  // there will be no conversation
    std::function<void(const Notification&)> notified;
    std::function<void(std::string_view story, std::string_view line)> ignored;
  };

  // What an event or an answer leads to must not destroy the conversation.
  Conversation(Settings settings, Events events);

  void begin(Time now);
  void receive(std::string_view line, Time now);
  void receive_overlong(std::uint64_t bytes, const std::optional<std::string>& id, Time now);
  void tick(Time now);
  // The server is gone, or will be: whatever waits fails with this story.
  void close(const std::string& story);

  // Sent as soon as the server is ready. Refused ones are not told otherwise.
  tl::expected<RequestId, Failure> request(Waiting waiting, Json params, Time now);
  // The server is told; its answer, should it come, is dropped.
  void cancel(RequestId id, const std::string& reason);

  bool is_ready() const { return phase_ == Phase::kReady; }
  // Has sent server/discover and heard nothing yet. Some legacy servers end at that.
  bool is_probing() const { return phase_ == Phase::kProbing; }
  const ServerFacts& facts() const { return facts_; }
  const Counts& counts() const { return counts_; }
  RequestId next_id() const { return pending_.next_id(); }
  std::size_t in_flight() const { return pending_.size(); }
  std::optional<Time> next_deadline() const { return pending_.next_deadline(); }
  // How long the server should not be read from: it says too much unasked.
  milliseconds debt() const { return unasked_.debt(); }

 private:
  enum class Phase { kSilent, kProbing, kInitializing, kReady, kOver };
  struct Unsent {
    RequestId id;
    Json params;
  };

  void take(Request request);
  void take(const Notification& notification, Time now);
  void take(Reply reply);
  void take(ErrorReply reply);
  void take(Unreadable unreadable, std::string_view line);
  void take_progress(const Json& params, Time now);
  std::optional<Waiting> waiting_for(const Id& id);
  void ignore_stray(const Id& id, std::string_view what);
  void ignore(std::string_view story, std::string_view line = {});

  void probe();
  void judge(const Verdict& verdict);
  void initialize();
  void finish_initialize(Answer answer);
  void become_ready(ServerFacts facts);
  void give_up(Error error);
  Json client_info() const;
  Json client_capabilities() const;

  RequestId send_request(Waiting waiting, const Json& params);
  tl::expected<void, Failure> send_line(RequestId id, std::string_view method, Json params);
  void tell(std::string_view method, const Json& params);

  Settings settings_;
  Events events_;
  Phase phase_ = Phase::kSilent;
  Time now_{};
  ServerFacts facts_;
  Counts counts_;
  Pending pending_;
  std::vector<Unsent> unsent_;
  RequestId probe_id_ = 0, initialize_id_ = 0;
  Allowance unasked_;
};

}  // namespace pinfold::mcp
