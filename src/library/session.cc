// session.cc: one sandbox for many commands, in the calling process.
// Invariant: the event loop outlives the sandbox and runs while a command runs; a sandbox that has ended takes no
// commands. Not here: sessions for other processes, over a socket (src/session).
#include <optional>
#include <utility>

#include "base/guarded.h"
#include "base/paths.h"
#include "base/try.h"
#include "library/runner.h"
#include "plan/compile.h"
#include "supervisor/admit.h"
#include "supervisor/choose.h"
#include "supervisor/network.h"
#include "supervisor/supervisor.h"
#include "sys/host.h"

namespace pinfold {

namespace {

// The backend of each command: starts it in the session's sandbox.
class SessionCommandBackend final : public backend::Backend {
 public:
  explicit SessionCommandBackend(supervisor::Choice& choice) : choice_(choice) {}
  std::string_view name() const override { return choice_.name(); }
  Result<std::unique_ptr<backend::Sandbox>> prepare(const Plan&) override {
    return choice_.sandbox()->open_command_sandbox();
  }

 private:
  supervisor::Choice& choice_;
};

}  // namespace

struct Session::Body final : backend::SandboxEvents {
  Body(std::unique_ptr<HostView> host_view, backend::Registry backends, Plan planned, sys::EventLoop served)
      : host(std::move(host_view)), registry(std::move(backends)), plan(std::move(planned)), loop(std::move(served)) {}
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() override {
    network.reset();
    choice.reset();
  }

  Result<void> start(Decider* decider) {
    choice.emplace(registry.all(), plan, supervisor::Choice::First::kRehearse);
    PF_CHECK(choice->make());
    supervisor::RunRequest request;
    request.plan = &plan;
    request.decider = decider;
    Report report;
    if (auto refused = supervisor::admit(request, *choice, *host, report))
      return fail(ErrorKind::kUnavailable, refused->reason, refused->fix);
    plan.on_unavailable = OnUnavailable::kWarn;  // the gaps were accepted for all commands
    choice->sandbox()->attach(loop, *this);
    for (const Step& step : plan.steps) {
      const auto* named = std::get_if<Network>(&step.body);
      if (named == nullptr || named->mode != NetworkMode::kDomains) continue;
      network.emplace(
          loop, *choice->sandbox(), *named, [this](Denial each) { denied(std::move(each)); }, nullptr);
      PF_CHECK(network->start());
    }
    return {};
  }

  void command_ended(const backend::CommandExit&) override {}
  void command_stopped() override {}
  void denied(Denial denial) override { denials.push_back(std::move(denial)); }
  void breached(Denial denial, std::string note) override {
    denied(std::move(denial));
    ended = std::move(note);
  }
  void sandbox_gone(std::string why) override { ended = std::move(why); }

  std::unique_ptr<HostView> host;
  backend::Registry registry;
  Plan plan;
  sys::EventLoop loop;
  std::optional<supervisor::Choice> choice;
  std::optional<supervisor::NetworkByName> network;
  std::vector<Denial> denials;  // of the network, which cannot tell commands apart
  std::string ended;            // why the sandbox has ended; empty: it runs
};

Session::Session(std::unique_ptr<Body> body) noexcept : body_(std::move(body)) {}
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(Session&& other) noexcept = default;
Session::~Session() = default;

const std::vector<Coverage>& Session::coverage() const noexcept { return body_->choice->sandbox()->coverage(); }

Result<RunResult> Session::run(const Command& command) noexcept {
  return guarded([&]() -> Result<RunResult> {
    PF_CHECK(check(command));
    if (!body_->ended.empty()) return fail(ErrorKind::kUnavailable, "the session has ended: " + body_->ended);
    SessionCommandBackend command_backend(*body_->choice);
    supervisor::Capture capture{command.input, command.capture_limit};
    supervisor::RunRequest request;
    request.plan = &body_->plan;
    request.candidates = {&command_backend};
    request.argv = command.argv;
    if (command.working_dir) request.working_dir = paths::normal(*command.working_dir);
    request.signals = supervisor::Signals::kLeave;
    request.leftovers = supervisor::Leftovers::kLeave;
    if (command.output == Output::kCapture) request.capture = &capture;
    body_->denials.clear();
    RunResult result;
    result.report = supervisor::run(request, *body_->host, body_->loop);
    for (Denial& each : body_->denials) result.report.denials.push_back(std::move(each));
    result.out = std::move(capture.out);
    result.err = std::move(capture.err);
    result.truncated = capture.truncated;
    return result;
  });
}

Result<Session> Runner::start(const Policy& policy) const noexcept {
  return guarded([&]() -> Result<Session> {
    auto host = sys::real_host();
    backend::Registry registry = body_->backends();
    if (!registry.backends.empty()) registry.backends[0]->begin(policy.network.mode);
    PF_TRY(scope, policy::Scope::build(policy, *host));
    PF_TRY(caller, sys::find_caller(*host));
    plan::Invocation invocation;
    invocation.working_dir = plan::default_working_dir(caller, scope.workspaces());
    PF_TRY(plan, plan::compile(scope, *host, invocation));
    PF_TRY(temporary, library::make_own_directories(plan, *host));
    if (temporary) {
      PF_TRY(again, policy::Scope::build(policy, *host));
      PF_TRY(plan_again, plan::compile(again, *host, invocation));
      plan = std::move(plan_again);
    }
    library::keep_cache_owner(plan, scope.workspaces());
    PF_TRY(loop, sys::EventLoop::create());
    auto body = std::make_unique<Session::Body>(std::move(host), std::move(registry), std::move(plan), std::move(loop));
    const std::shared_ptr<Decider> decider = body_->decider;
    PF_CHECK(body->start(decider.get()));
    return Session(std::move(body));
  });
}

}  // namespace pinfold
