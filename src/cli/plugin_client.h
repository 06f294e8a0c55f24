// plugin_client.h: a plugin that was allowed, started confined, and spoken to.
// Invariant: only what the user allowed starts; a tool that is not what it was when it was allowed is not called;
// everything the plugin says went through redaction, and an answer with a command that advice refuses is kept back.
// Not here: the protocol (mcp), the sandbox (`plugin run`, a process of its own between us and the plugin).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/plugins.h"
#include "mcp/client.h"
#include "mcp/pin.h"
#include "mcp/process_starter.h"
#include "mcp/safe_filter.h"
#include "sys/event_loop.h"

namespace pinfold::cli {

// kOnce: somebody waits for one answer, and that the plugin does not start is said at once. kAgain: a plugin that ends
// is started again, after a pause that grows, until it has failed five times in a row.
enum class Restart { kOnce, kAgain };

class PluginTalk {
 public:
  // Starts the plugin and reads its tools. What it says on stderr is part of an error.
  static Result<std::unique_ptr<PluginTalk>> open(const Parsed& parsed, const std::string& id, Restart restart,
                                                  Context& context);
  PluginTalk(const PluginTalk&) = delete;
  PluginTalk& operator=(const PluginTalk&) = delete;
  ~PluginTalk();  // ends it: first its input, then SIGTERM, then SIGKILL

  const std::vector<mcp::Tool>& tools() const { return client_->tools().tools; }
  // Tools, and "" for the server's instructions, that are not as they were when the plugin was allowed.
  const std::vector<mcp::PinChange>& changes() const { return changes_; }
  const mcp::PinChange* change_of(const std::string& tool) const;

  // Blocks. Refused: a tool that is not there or was changed; an answer that holds a command advice would refuse, which
  // is recorded in the journal, too.
  Result<mcp::CallResult> call(const std::string& tool, mcp::Json arguments);
  bool gave_up() const { return !gave_up_.empty(); }
  // For whatever else is waited for meanwhile: the plugin is served until `done`.
  sys::EventLoop& loop() { return loop_; }
  Result<void> serve_until(const bool& done) { return run_until(done, Unless::kNothing); }

  std::string said() const;  // on stderr lately, as lines
  const mcp::SafeFilter& filter() const { return filter_; }

 private:
  PluginTalk(sys::EventLoop loop, std::vector<std::string> argv, PluginDesk desk, HostView& host);
  Result<void> begin(Restart restart, const std::string& files_hash);
  Result<void> check_pins();
  enum class Unless { kGaveUp, kNothing };
  Result<void> run_until(const bool& done, Unless unless = Unless::kGaveUp);
  void record_withheld(const std::string& tool, const std::string& why);

  sys::EventLoop loop_;
  mcp::ProcessStarter starter_;
  mcp::SafeFilter filter_;
  PluginDesk desk_;
  HostView& host_;
  std::string id_;
  std::string instructions_;
  std::string gave_up_;
  bool listed_ = false;               // since it was started last
  std::optional<Error> pin_problem_;  // what its tools were cannot be told any more
  std::vector<mcp::PinChange> changes_;
  std::unique_ptr<mcp::Client> client_;
};

}  // namespace pinfold::cli
