// plugin_client.h: starts an approved plugin confined, and calls its tools.
// Invariant: only an approved plugin starts; a tool that changed since the approval is not called; all output of the
// plugin is redacted, and a result with a command that advice refuses is withheld.
// Not here: the protocol (mcp), the sandbox (`plugin run`, a process between this one and the plugin).
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

// kOnce: for one call; a plugin that does not start is an error at once. kAgain: a plugin that ends is started again,
// after a growing pause, until it has failed five times in a row.
enum class Restart { kOnce, kAgain };

class PluginClient {
 public:
  // Starts the plugin and reads its tools. An error contains the plugin's stderr.
  static Result<std::unique_ptr<PluginClient>> open(const CommandLine& parsed, const std::string& id, Restart restart,
                                                    Context& context);
  PluginClient(const PluginClient&) = delete;
  PluginClient& operator=(const PluginClient&) = delete;
  ~PluginClient();  // closes the plugin's stdin, then sends SIGTERM, then SIGKILL

  const std::vector<mcp::Tool>& tools() const { return client_->tools().tools; }
  // The tools, and "" for the server's instructions, that changed since the plugin was approved.
  const std::vector<mcp::PinChange>& changes() const { return changes_; }
  const mcp::PinChange* change_of(const std::string& tool) const;

  // Blocks. An error for a missing or changed tool, and for a result with a command that advice refuses; the latter is
  // recorded in the journal.
  Result<mcp::CallResult> call(const std::string& tool, mcp::Json arguments);
  bool gave_up() const { return !gave_up_.empty(); }
  // For other events: serve_until() runs the loop, and so serves the plugin, until `done`.
  sys::EventLoop& loop() { return loop_; }
  Result<void> serve_until(const bool& done) { return run_until(done, Unless::kNothing); }

  std::string stderr_text() const;  // the last lines of the plugin's stderr
  const mcp::SafeFilter& filter() const { return filter_; }

 private:
  PluginClient(sys::EventLoop loop, std::vector<std::string> argv, PluginCatalog catalog, HostView& host);
  Result<void> begin(Restart restart, const std::string& files_hash);
  Result<void> check_pins();
  enum class Unless { kGaveUp, kNothing };
  Result<void> run_until(const bool& done, Unless unless = Unless::kGaveUp);
  void record_withheld(const std::string& tool, const std::string& why);

  sys::EventLoop loop_;
  mcp::ProcessStarter starter_;
  mcp::SafeFilter filter_;
  PluginCatalog catalog_;
  HostView& host_;
  std::string id_;
  std::string instructions_;
  std::string gave_up_;
  bool listed_ = false;               // since its last start
  std::optional<Error> pin_problem_;  // why its tools cannot be compared with their pins
  std::vector<mcp::PinChange> changes_;
  std::unique_ptr<mcp::Client> client_;
};

}  // namespace pinfold::cli
