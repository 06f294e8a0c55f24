// client.h: a command in a session that another process keeps, as a backend of one candidate.
// Invariant: connecting and starting is one round trip; when this process ends, in whatever way, the session ends the
// command with its tree. Not here: the session's side (server.h), streams and time (supervisor).
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

// One question, one answer, on a connection of its own.
Result<tell::Described> describe(const Place& place, const std::string& name);
// False: it came too late, or was not on offer.
Result<bool> answer(const Place& place, const std::string& name, std::uint64_t question, Answer answer);
Result<void> revoke(const Place& place, const std::string& name, std::uint64_t grant);
// Who it is, the questions that wait, the grants, and then whatever happens, until the other side ends: kNotFound.
class Watch {
 public:
  static Result<Watch> start(const Place& place, const std::string& name);
  int raw() const { return channel_.raw(); }
  // Blocks until something is told.
  Result<Told> next();

 private:
  explicit Watch(Channel channel) : channel_(std::move(channel)) {}
  Channel channel_;
};
// Returns once the session is gone.
Result<void> stop(const Place& place, const std::string& name);

class RemoteBackend final : public backend::Backend {
 public:
  enum class Tell { kNothing, kCoverage };
  // `directory`: see message.h, for Launch::working_dir. `tell`: coverage costs one more round trip.
  RemoteBackend(Place& place, std::string session, ask::Directory directory, Tell tell)
      : place_(place), session_(std::move(session)), directory_(directory), tell_(tell) {}

  std::string_view name() const override { return backend_; }
  Result<std::unique_ptr<backend::Sandbox>> prepare(const Plan& plan) override;

  // What the command writes to stderr: the session, which has the plan, says whether it speaks of a denial.
  void look_at(std::string_view bytes);
  // The session's own limits on each command. Where start() has failed and these are there, nothing is wrong: it is to
  // be run again, with a plan that has them.
  const std::vector<LimitStep>* limits() const { return limits_ ? &*limits_ : nullptr; }

 private:
  class Room;
  Place& place_;
  std::string session_;
  ask::Directory directory_;
  Tell tell_;
  std::string backend_ = "session";
  std::optional<std::vector<LimitStep>> limits_;
  std::vector<Denial> denials_;  // why it could not be started
  std::string partial_;
  std::vector<std::string> complaints_;
};

}  // namespace pinfold::control
