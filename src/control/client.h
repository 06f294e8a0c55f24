// client.h: runs a command in a session of another process, as a backend for the supervisor.
// Invariant: connecting and starting is one round trip; when this process ends, even by SIGKILL, the session kills the
// command's process tree. Not here: the session's side (server.h), streams and time (supervisor).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "control/channel.h"
#include "control/message.h"
#include "control/runtime_dir.h"

namespace pinfold::control {

// Each sends one request and receives its response, on a connection of its own.
Result<event::Description> describe(const RuntimeDir& runtime, const std::string& name);
// False: the decision came too late, or was not offered.
Result<bool> decide(const RuntimeDir& runtime, const std::string& name, std::uint64_t request,
                    ApprovalDecision decision);
Result<void> revoke(const RuntimeDir& runtime, const std::string& name, std::uint64_t grant);
// Receives the sandbox's description, its pending requests and grants, then its events until it ends (kNotFound).
class Watch {
 public:
  static Result<Watch> start(const RuntimeDir& runtime, const std::string& name);
  int raw() const { return channel_.raw(); }
  // Blocks until there is an event.
  Result<Event> next();

 private:
  explicit Watch(Channel channel) : channel_(std::move(channel)) {}
  Channel channel_;
};
// Returns when the session has ended.
Result<void> stop(RuntimeDir& runtime, const std::string& id);

class RemoteBackend final : public backend::Backend {
 public:
  enum class Fetch { kNothing, kCoverage };
  // `directory`: see message.h, for Launch::working_dir. `fetch`: coverage costs one more round trip.
  RemoteBackend(RuntimeDir& runtime, std::string session, request::Directory directory, Fetch fetch)
      : runtime_(runtime), session_(std::move(session)), directory_(directory), fetch_(fetch) {}

  std::string_view name() const override { return backend_; }
  Result<std::unique_ptr<backend::Sandbox>> prepare(const Plan& plan) override;

  // Takes what the command writes to stderr. The session, which has the plan, infers denials from it.
  void look_at(std::string_view bytes);
  // The session's limits on each command. If start() failed and this is not null, run again with a plan that has these
  // limits.
  const std::vector<LimitStep>* limits() const { return limits_ ? &*limits_ : nullptr; }

 private:
  class RemoteSandbox;
  RuntimeDir& runtime_;
  std::string session_;
  request::Directory directory_;
  Fetch fetch_;
  std::string backend_ = "session";
  std::optional<std::vector<LimitStep>> limits_;
  std::vector<Denial> denials_;  // why the command could not be started
  std::string partial_;
  std::vector<std::string> error_lines_;
};

}  // namespace pinfold::control
