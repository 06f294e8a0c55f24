// client.h: one MCP server: starts it, sends requests to it, restarts it when it exits, stops it.
// Invariant: each request gets exactly one answer, even when the server exits; a call is never sent a second time, not
// even after a restart. All output of the server passes the filter. Single-threaded, on one event loop.
// Not here: the protocol (conversation.h), the sandbox (behind Starter), which tools may be used (pin.h, gateway).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mcp/conversation.h"
#include "mcp/filter.h"
#include "mcp/starter.h"
#include "mcp/stderr_ring.h"
#include "mcp/stdio_transport.h"
#include "mcp/timer.h"
#include "mcp/tools.h"

namespace pinfold::mcp {

namespace state {
struct Idle {};  // not started, or stopped by stop()
struct Starting {};
struct Ready {};
struct Ending {};  // being stopped: end of input, then SIGTERM, then SIGKILL
struct Backoff {
  milliseconds pause;
  std::string why;
};
struct Failed {
  std::string why;
};
}  // namespace state
using State = std::variant<state::Idle, state::Starting, state::Ready, state::Ending, state::Backoff, state::Failed>;

enum class Arguments { kChecked, kUnchecked };

struct Call {
  std::string tool;
  Json arguments = Json::object();
  Arguments check = Arguments::kUnchecked;
  std::optional<RequestTimeouts> timeouts;
  std::function<void(const Progress&)> progress;
  // When the call answers an InputRequired: its state.
  std::optional<std::string> state;
  Json input_responses;  // null: none
};

class Client {
 public:
  // A handler that is not set does nothing.
  struct Events {
    std::function<void(const State&)> state_changed = [](const State&) {};
    std::function<void(const ServerFacts&)> ready = [](const ServerFacts&) {};
    std::function<void(const ToolList&)> tools = [](const ToolList&) {};  // the first list, and each after a change
    std::function<void(const Notification&)> notified = [](const Notification&) {};
    std::function<void(const std::string&)> stderr_line = [](const std::string&) {};  // a line on stderr
    std::function<void(const std::string&)> ignored = [](const std::string&) {};      // ignored input, for a log
  };

  // Event handlers and answer callbacks must not destroy the client.
  Client(sys::EventLoop& loop, Starter& starter, Filter& filter, Settings settings, Events events);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();  // kills the server; each pending request fails

  void start();
  void stop(std::function<void()> done);

  // A refusal is returned; every other outcome goes to `done`. While the server starts, calls are queued.
  tl::expected<RequestId, Failure> call(Call call, std::function<void(CallOutcome)> done);
  // For methods that this folder does not implement (resources, prompts). The answer has passed the filter.
  tl::expected<RequestId, Failure> request(std::string method, Json params, std::optional<RequestTimeouts> timeouts,
                                           std::function<void(Answer)> done);
  void cancel(RequestId id, const std::string& reason);
  void refresh_tools();

  const State& state() const { return state_; }
  const ToolList& tools() const { return tools_; }
  // To store for the next start: settings.known_family.
  std::optional<ProtocolFamily> family() const { return settings_.known_family; }
  const StderrRing& errors() const { return errors_; }
  // For the server process that runs now; null if none runs.
  const Conversation* conversation() const { return conversation_.get(); }

 private:
  void launch();
  void begin_conversation();
  void set_state(State state);
  void become_ready(const ServerFacts& facts);
  void take_notification(const Notification& notification);
  void end_process();
  void escalate();
  void process_ended(const std::string& how);
  void after_failure(const std::string& why);
  void arm();
  void send(const std::string& line);
  tl::expected<RequestId, Failure> ask(PendingRequest pending, Json params);
  void refresh_soon();
  void request_page(const std::shared_ptr<ToolPages>& pages, const std::string& cursor);
  void finish_refresh();
  void subscribe();
  CallOutcome filtered(CallOutcome outcome);
  Failure filtered(Failure failure);
  void ignore(std::string_view story, std::string_view line);

  sys::EventLoop& loop_;
  Starter& starter_;
  Filter& filter_;
  Settings settings_;
  Events events_;
  State state_;
  StderrRing errors_;
  ToolList tools_;
  RequestId next_id_ = 1;
  int failures_ = 0;
  std::optional<Time> ready_since_;
  std::string end_reason_;  // why the client stopped the server; takes precedence over its exit status
  bool never_retry_ = false;
  std::vector<std::function<void()>> stop_callbacks_;
  bool stopping_ = false;

  std::unique_ptr<ServerProcess> process_;
  std::unique_ptr<StdioTransport> transport_;
  std::unique_ptr<Conversation> conversation_;
  enum class EndStage { kNone, kInputClosed, kTerminated, kKilled };
  EndStage end_stage_ = EndStage::kNone;
  bool refreshing_ = false;
  bool refresh_again_ = false;
  Time last_refresh_{};

  Timer deadline_, end_timer_, back_off_, refresh_, subscription_, cleanup_;
  std::optional<Time> armed_;
};

}  // namespace pinfold::mcp
