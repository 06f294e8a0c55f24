// live_session.cc: makes and removes the sandbox, its network and its socket.
#include "session/live_session.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <utility>

#include "base/try.h"
#include "report/hints.h"
#include "report/outcome.h"
#include "supervisor/admit.h"
#include "sys/call.h"

namespace pinfold::session {

LiveSession::~LiveSession() {
  if (server_) server_->end_commands(end_reason_);
  network_.reset();
  if (signals_.is_open()) loop_.remove(signals_.raw());
  if (options_.owner.is_open()) loop_.remove(options_.owner.raw());
  choice_.reset();  // kills every process inside
  directory_.reset();
  server_.reset();  // closes the connections of clients that wait for the end
}

bool LiveSession::open(Report& report) {
  choice_.emplace(options_.candidates, *options_.plan, supervisor::Choice::First::kRehearse);
  auto made = choice_->make();
  report.choice = choice_->candidates();
  if (!made) {
    report.fixes = report::fixes(host_, report.choice, {});
    report.outcome = report::outcome_of(made.error());
    return false;
  }
  report.backend = choice_->name();
  report.coverage = choice_->sandbox()->coverage();
  supervisor::RunRequest request;
  request.plan = options_.plan;
  request.decider = options_.decider;
  request.warn = options_.warn;
  if (auto refused = supervisor::admit(request, *choice_, host_, report)) {
    report.outcome = std::move(*refused);
    return false;
  }
  if (auto serving = start_serving(); !serving) {
    report.outcome = report::outcome_of(serving.error());
    return false;
  }
  return true;
}

Result<void> LiveSession::start_serving() {
  started_at_ = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  choice_->sandbox()->attach(loop_, *this);
  PF_CHECK(start_network());
  sigset_t watched;
  ::sigemptyset(&watched);
  for (int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::sigaddset(&watched, number);
  sigset_t blocked = watched;
  ::sigaddset(&blocked, SIGPIPE);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  PF_TRY(signals, sys::call_fd("signalfd", "", [&] { return ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK); }));
  signals_ = std::move(signals);
  PF_CHECK(loop_.add(signals_.raw(), sys::EventLoop::Interest::kRead, [this] { end("a signal ended the session"); }));
  if (options_.owner.is_open())
    PF_CHECK(loop_.add(options_.owner.raw(), sys::EventLoop::Interest::kRead,
                       [this] { end("the process that started the session has ended"); }),
             "watching the session's owner");
  PF_TRY(runtime, control::RuntimeDir::open(host_));
  PF_TRY(directory, control::SessionDir::create(std::move(runtime), options_.name));
  directory_.emplace(std::move(directory));
  PF_TRY(listening, directory_->listen());
  server_.emplace(loop_, std::move(listening), static_cast<control::Session&>(*this), host_);
  return server_->start();
}

Result<void> LiveSession::start_network() {
  for (const Step& step : options_.plan->steps) {
    const auto* network = std::get_if<Network>(&step.body);
    if (network == nullptr || network->mode != NetworkMode::kDomains) continue;
    network_.emplace(
        loop_, *choice_->sandbox(), *network, [this](Denial denial) { denied(std::move(denial)); }, nullptr);
    return network_->start();
  }
  return {};
}

void LiveSession::serve() {
  if (end_reason_.empty()) static_cast<void>(loop_.run());
}

void LiveSession::end(std::string why) {
  if (end_reason_.empty()) end_reason_ = std::move(why);
  loop_.stop();
}

control::event::Description LiveSession::describe() const {
  control::event::Description out;
  out.id = entry().id;
  out.name = entry().name;
  out.backend = backend();
  out.workspace = options_.workspace;
  out.started_at = started_at_;
  out.commands = server_->commands();
  out.pid = static_cast<std::uint64_t>(::getpid());
  out.coverage = choice_->sandbox()->coverage();
  return out;
}

void LiveSession::denied(Denial denial) {
  if (server_) server_->denied(denial);
}

// A process got past the guard of protected names, so the session ends.
void LiveSession::breached(Denial denial, std::string note) {
  denied(std::move(denial));
  end(std::move(note));
}

}  // namespace pinfold::session
