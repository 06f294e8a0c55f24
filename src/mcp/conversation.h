// conversation.h: the client's side of the protocol with one server process; both protocol families.
// Invariant: does no I/O and reads no clock: lines and times come in, lines and events go out. Every request is
// answered once. Not here: descriptors (stdio_transport.h), processes, restarts (client.h), the form of tools
// (tools.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/token_bucket.h"
#include "mcp/limits.h"
#include "mcp/pending.h"
#include "mcp/protocol_version.h"

namespace pinfold::mcp {

struct Root {
  std::string uri;  // file:///…
  std::string name;
};

struct Settings {
  std::string client_name = "pinfold";
  std::string client_version = PINFOLD_VERSION;
  Json capabilities = Json::object();          // beyond roots
  std::optional<std::vector<Root>> roots;      // none: not declared
  std::optional<ProtocolFamily> known_family;  // the family that this server used before
  RequestId first_id = 1;
  Limits limits;
  Durations durations;
};

// Messages and requests, and the input that was ignored.
struct Counts {
  std::uint64_t messages = 0, requests = 0, notifications = 0;
  std::uint64_t noise = 0;      // lines that are not messages
  std::uint64_t overlong = 0;   // lines that were skipped
  std::uint64_t malformed = 0;  // JSON, but not a message
  std::uint64_t late = 0, duplicate = 0, unknown = 0;
  std::uint64_t refused_requests = 0;  // from the server to the client
};

class Conversation {
 public:
  struct Events {
    std::function<void(std::string line)> send;  // without its newline
    std::function<void(const ServerFacts&)> ready;
    std::function<void(Error)> failed;  // the handshake failed
    std::function<void(const Notification&)> notified;
    std::function<void(std::string_view story, std::string_view line)> ignored;
  };

  // Event handlers and answer callbacks must not destroy the conversation.
  Conversation(Settings settings, Events events);

  void begin(Time now);
  void receive(std::string_view line, Time now);
  void receive_overlong(std::uint64_t bytes, const std::optional<std::string>& id, Time now);
  void tick(Time now);
  // The server has exited or will exit: every pending request fails with this story.
  void close(const std::string& story);

  // Sent as soon as the server is ready. For a refused request only the return value says so.
  tl::expected<RequestId, Failure> request(PendingRequest pending, Json params, Time now);
  // Sends notifications/cancelled; a later answer is dropped.
  void cancel(RequestId id, const std::string& reason);

  bool is_ready() const { return phase_ == Phase::kReady; }
  // server/discover was sent and not answered yet. Some legacy servers exit on that request.
  bool is_probing() const { return phase_ == Phase::kProbing; }
  const ServerFacts& facts() const { return facts_; }
  const Counts& counts() const { return counts_; }
  RequestId next_id() const { return pending_.next_id(); }
  std::size_t in_flight() const { return pending_.size(); }
  std::optional<Time> next_deadline() const { return pending_.next_deadline(); }
  // How long not to read from the server, because it sent too many unsolicited messages.
  milliseconds debt() const { return unsolicited_.debt(); }

 private:
  enum class Phase { kSilent, kProbing, kInitializing, kReady, kOver };
  struct QueuedRequest {
    RequestId id;
    Json params;
  };

  void take(Request request);
  void take(const Notification& notification, Time now);
  void take(Reply reply);
  void take(ErrorReply reply);
  void take(InvalidMessage invalid, std::string_view line);
  void take_progress(const Json& params, Time now);
  std::optional<PendingRequest> take_pending(const Id& id);
  void ignore_stray(const Id& id, std::string_view what);
  void ignore(std::string_view story, std::string_view line = {});

  void probe();
  void choose_protocol(const DiscoveryResult& discovery);
  void initialize();
  void finish_initialize(Answer answer);
  void become_ready(ServerFacts facts);
  void give_up(Error error);
  Json client_info() const;
  Json client_capabilities() const;

  RequestId send_request(PendingRequest pending, const Json& params);
  tl::expected<void, Failure> send_line(RequestId id, std::string_view method, Json params);
  void send_notification(std::string_view method, const Json& params);

  Settings settings_;
  Events events_;
  Phase phase_ = Phase::kSilent;
  Time now_{};
  ServerFacts facts_;
  Counts counts_;
  PendingRequests pending_;
  std::vector<QueuedRequest> queued_;
  RequestId probe_id_ = 0, initialize_id_ = 0;
  TokenBucket unsolicited_;
};

}  // namespace pinfold::mcp
