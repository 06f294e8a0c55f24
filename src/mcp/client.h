// client.h: one server and its life: started, asked, restarted when it ends, ended for good.
// Invariant: whoever asks is answered once, also when the server dies; a call is sent at most once, never again after a
// restart. Everything the server says passes the filter. Single-threaded, on one event loop.
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
#include "mcp/timer.h"
#include "mcp/tools.h"
#include "mcp/stdio_transport.h"

namespace pinfold::mcp {

namespace state {
struct Idle {};  // not started, or stopped as asked
struct Starting {};
struct Ready {};
struct Ending {};  // the ladder: end of input, SIGTERM, SIGKILL
struct BackingOff {
  milliseconds pause;
  std::string why;
};
struct GivenUp {
  std::string why;
};
}  // namespace state
using State =
    std::variant<state::Idle, state::Starting, state::Ready, state::Ending, state::BackingOff, state::GivenUp>;

enum class Arguments { kChecked, kUnchecked };

struct Call {
  std::string tool;
  Json arguments = Json::object();
  Arguments check = Arguments::kUnchecked;
  std::optional<Patience> patience;
  std::function<void(const Progress&)> progress;
  // Of an InputRequired that is answered now.
  std::optional<std::string> state;
  Json input_responses;  // null: none
};

class Client {
 public:
  // Those that nobody sets do nothing.
  struct Events {
    std::function<void(const State&)> changed = [](const State&) {};
    std::function<void(const ServerFacts&)> ready = [](const ServerFacts&) {};
    std::function<void(const ToolList&)> tools = [](const ToolList&) {};  // the first list, and each after a change
    std::function<void(const Notification&)> notified = [](const Notification&) {};
    std::function<void(const std::string&)> said = [](const std::string&) {};     // a line on stderr
    std::function<void(const std::string&)> ignored = [](const std::string&) {};  // what was survived, for a log
  };

  // What an event or an answer leads to must not destroy the client.
  Client(sys::EventLoop& loop, Starter& starter, Filter& filter, Settings settings, Events events);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();  // ends the server at once; whoever waits is told

  void start();
  void stop(std::function<void()> done);

  // A refusal is returned, everything else is told to `done`. While the server starts, calls wait.
  tl::expected<RequestId, Failure> call(Call call, std::function<void(CallOutcome)> done);
  // For methods this room knows nothing of (resources, prompts). The filter has seen the answer.
  tl::expected<RequestId, Failure> request(std::string method, Json params, std::optional<Patience> patience,
                                           std::function<void(Answer)> done);
  void cancel(RequestId id, const std::string& reason);
  void refresh_tools();

  const State& state() const { return state_; }
  const ToolList& tools() const { return tools_; }
  // What to remember for the next time: settings.known_era.
  std::optional<Era> era() const { return settings_.known_era; }
  const StderrRing& errors() const { return errors_; }
  // Of this run of the server; none when it does not run.
  const Conversation* conversation() const { return conversation_.get(); }

 private:
  void launch();
  void begin_conversation();
  void become(State state);
  void become_ready(const ServerFacts& facts);
  void take_notification(const Notification& notification);
  void end_process();
  void climb();
  void run_ended(const std::string& how);
  void after_failure(const std::string& why);
  void arm();
  void send(const std::string& line);
  tl::expected<RequestId, Failure> ask(Waiting waiting, Json params);
  void refresh_soon();
  void ask_for_page(const std::shared_ptr<ToolPages>& pages, const std::string& cursor);
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
  std::string why_ended_;  // by us: more to the point than how it then ended
  bool hopeless_ = false;
  std::vector<std::function<void()>> stopped_;
  bool stopping_ = false;

  std::unique_ptr<Running> running_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<Conversation> conversation_;
  enum class Rung { kNone, kInputClosed, kTerminated, kKilled };
  Rung rung_ = Rung::kNone;
  bool refreshing_ = false;
  bool refresh_again_ = false;
  Time last_refresh_{};

  Timer deadline_, ladder_, back_off_, refresh_, subscription_, retired_;
  std::optional<Time> armed_;
};

}  // namespace pinfold::mcp
