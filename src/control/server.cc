// server.cc: accepts connections, checks the peer, and handles the requests of each connection.
#include "control/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "control/peer.h"
#include "plan/plan_view.h"
#include "report/infer.h"
#include "sys/call.h"

namespace pinfold::control {
namespace {

constexpr std::size_t kMostConnections = 1000;
constexpr std::size_t kMostWaiting = 1000;           // queued messages for a client that does not read
constexpr std::size_t kMostForWatchers = 10 * 1000;  // a burst of denials must not disconnect a watcher
constexpr auto kAcceptAgain = std::chrono::milliseconds(50);

std::vector<LimitStep> limits_for_each(const Plan& plan) {
  std::vector<LimitStep> out;
  for (const Step& step : plan.steps)
    if (const auto* limit = std::get_if<LimitStep>(&step.body))
      if (limit->kind == LimitKind::kWallTime || limit->kind == LimitKind::kOutputSize ||
          limit->kind == LimitKind::kCpuTime || limit->kind == LimitKind::kMemory)
        out.push_back(*limit);
  return out;
}

}  // namespace

class Server::Connection final : public backend::SandboxEvents {
 public:
  Connection(Server& server, Channel channel) : server_(server), channel_(std::move(channel)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override { close_channel(); }

  Result<void> start() {
    return loop().add(channel_.raw(), sys::EventLoop::Interest::kRead, [this] { serve(); });
  }
  void end(const std::string& why) {
    if (is_running()) send(event::SandboxEnd{why});
    sandbox_.reset();
  }
  bool is_running() const { return sandbox_ != nullptr && !has_ended_; }
  bool watches() const { return watches_; }

  void send(const Event& event, const std::vector<int>& fds = {}) {
    if (!channel_.is_open()) return;
    if (waiting_.size() >= (watches_ ? kMostForWatchers : kMostWaiting)) {
      // A watcher that missed an event would show an old state, so it must reconnect.
      if (watches_) close_after_command();
      return;
    }
    std::string text = to_text(event);
    if (waiting_.empty()) {
      auto sent = channel_.send(text, fds, Wait::kNever);
      if (!sent || *sent) return;  // a closed connection is detected by reading
    }
    waiting_.push_back(std::move(text));
    loop().set_interest(channel_.raw(), sys::EventLoop::Interest::kBoth);
  }

  void command_ended(const backend::CommandExit& ended) override {
    has_ended_ = true;
    std::vector<std::string> notes;
    std::vector<Denial> denials;
    const Usage usage = sandbox_->finish(notes, denials);
    for (Denial& each : denials) denied(std::move(each));
    send(event::CommandEnd{ended.wait_status, usage});
    if (!channel_.is_open()) return close_after_command();
    loop().after(std::chrono::milliseconds(0), [sandbox = std::shared_ptr<backend::Sandbox>(std::move(sandbox_))] {});
  }
  void command_stopped() override { send(event::CommandStop{}); }
  void denied(Denial denial) override {
    if (!server_.session_.is_denied(denial)) return;
    const event::AccessDenial event{std::move(denial)};
    send(event);
    server_.notify_watchers(event);
  }
  void breached(Denial denial, std::string note) override { send(event::Breach{std::move(denial), std::move(note)}); }
  void sandbox_gone(std::string why) override {
    has_ended_ = true;
    send(event::SandboxEnd{std::move(why)});
    server_.session_.command_supervisor_killed();
  }

 private:
  sys::EventLoop& loop() { return server_.loop_; }

  void close_channel() {
    if (!channel_.is_open()) return;
    loop().remove(channel_.raw());
    channel_.close();
  }

  // Drops the connection after the command's process tree has ended, and from the event loop, because a caller still
  // uses it.
  void close_after_command() {
    close_channel();
    if (is_running())
      sandbox_->kill();
    else if (!std::exchange(is_closing_, true))
      loop().after(std::chrono::milliseconds(0), [this, alive = std::weak_ptr(server_.alive_)] {
        if (!alive.expired()) server_.drop(*this);
      });
  }

  void serve() {
    while (!waiting_.empty()) {
      auto sent = channel_.send(waiting_.front(), {}, Wait::kNever);
      if (!sent) return close_after_command();
      if (!*sent) break;
      waiting_.pop_front();
      if (waiting_.empty()) loop().set_interest(channel_.raw(), sys::EventLoop::Interest::kRead);
    }
    auto packet = channel_.receive(Wait::kNever);
    if (packet && !*packet) return;
    auto request = packet ? parse_request((*packet)->text) : tl::unexpected<Error>(packet.error());
    if (!request) {
      if (request.error().kind() == ErrorKind::kInvalid) send(event::Failure{request.error(), {}});
      return close_after_command();
    }
    act_on(*request, (*packet)->fds);
  }

  void act_on(Request& request, std::vector<sys::Fd>& fds) {
    if (auto* run = std::get_if<request::Run>(&request)) return begin(*run, fds);
    if (std::holds_alternative<request::Describe>(request)) return send(server_.session_.describe());
    if (std::holds_alternative<request::Stop>(request)) return stop();
    if (std::holds_alternative<request::Watch>(request)) return watch();
    if (const auto* decide = std::get_if<request::Decide>(&request))
      return send(event::Acknowledgement{server_.session_.decide(decide->request, decide->decision)});
    if (const auto* revoke = std::get_if<request::Revoke>(&request)) return take_back(revoke->grant);
    if (auto* judge = std::get_if<request::InferDenials>(&request))
      return send(event::InferredDenials{infer_denials(judge->complaints)});
    if (std::holds_alternative<request::Usage>(request))
      return send(event::TreeUsage{is_running() ? sandbox_->usage() : std::nullopt});
    if (std::holds_alternative<request::Drain>(request) && fds.size() == 1)
      return server_.session_.keep_reading(std::move(fds[0]));
    if (!is_running()) return;
    if (const auto* signal = std::get_if<request::Signal>(&request)) sandbox_->signal(signal->number);
    if (std::holds_alternative<request::Terminate>(request)) sandbox_->terminate();
    if (std::holds_alternative<request::Kill>(request)) sandbox_->kill();
  }

  std::vector<Denial> infer_denials(const std::vector<std::string>& complaints) {
    report::Inference inference(server_.session_.plan(), server_.host_);
    for (const std::string& line : complaints) inference.feed(line + "\n");
    return std::move(inference).finish();
  }

  void stop() {
    if (auto may = server_.session_.takes_commands(); !may) return send(event::Failure{may.error(), {}});
    server_.session_.stop();
  }

  void watch() {
    watches_ = true;
    for (ApprovalRequest& each : server_.session_.waiting()) send(event::PendingRequest{std::move(each)});
    send(event::Grants{server_.session_.grants()});
  }

  void take_back(std::uint64_t grant) {
    auto taken = server_.session_.revoke(grant);
    if (taken) return send(event::Acknowledgement{true});
    send(event::Failure{taken.error(), {}});
  }

  void begin(request::Run& run, const std::vector<sys::Fd>& fds) {
    if (auto may = server_.session_.takes_commands(); !may) return send(event::Failure{may.error(), {}});
    if (!run.knows_limits && !has_run_) {
      auto limits = limits_for_each(server_.session_.plan());
      if (!limits.empty()) return send(event::Limits{std::move(limits)});
    }
    auto started = start_command(run, fds);
    if (!started) return send(refusal(run, std::move(started).error()));
    event::CommandStart start{std::string(server_.session_.backend()), started->terminal.is_open()};
    if (started->terminal.is_open())
      send(start, {started->terminal.raw()});
    else
      send(start);
    sandbox_->attach(loop(), *this);
  }

  Result<backend::StartResult> start_command(request::Run& run, const std::vector<sys::Fd>& fds) {
    if (std::exchange(has_run_, true)) return fail(ErrorKind::kInvalid, "a connection can run only one command");
    std::size_t next = 0;
    for (int i = 0; i < 3; ++i) {
      if (run.launch.stdio[i] != backend::StdioKind::kPass) continue;
      if (next == fds.size()) return fail(ErrorKind::kInvalid, "a standard stream is missing from the request");
      run.launch.fds[i] = fds[next++].raw();
    }
    PF_CHECK(place_command(run));
    PF_TRY(sandbox, server_.session_.open_command_sandbox());
    PF_TRY(started, sandbox->start(run.launch));
    sandbox_ = std::move(sandbox);
    return started;
  }

  // A working directory grants no access: it must be visible in the plan.
  Result<void> place_command(request::Run& run) {
    std::string& directory = run.launch.working_dir;
    if (directory.empty()) return {};
    const plan::PathState state = plan::PlanView(server_.session_.plan()).look_up(directory).state;
    // A private directory (kPrivate) is not the client's directory of that name, either.
    const bool is_shown = state != plan::PathState::kHidden && state != plan::PathState::kPrivate;
    if (run.directory == request::Directory::kIfShown) {
      if (!is_shown) directory.clear();
      return {};
    }
    if (state != plan::PathState::kHidden) return {};
    return fail(ErrorKind::kInvalid, "--cwd " + directory + " is not visible in this session",
                "name a visible directory, or start a session with --read " + directory);
  }

  event::Failure refusal(const request::Run& run, Error error) {
    event::Failure failed{std::move(error), {}};
    if (failed.error.kind() != ErrorKind::kNotFound) return failed;
    report::Inference inference(server_.session_.plan(), server_.host_);
    inference.program_missing(run.launch.argv[0]);
    failed.denials = std::move(inference).finish();
    if (!failed.denials.empty())
      failed.error = Error(failed.error.kind(), failed.error.text(),
                           failed.denials[0].resource + " is not visible in this session; start one with " +
                               failed.denials[0].allow_with);
    return failed;
  }

  Server& server_;
  Channel channel_;
  std::deque<std::string> waiting_;
  std::unique_ptr<backend::Sandbox> sandbox_;
  bool has_run_ = false;
  bool has_ended_ = false;
  bool watches_ = false;
  bool is_closing_ = false;
};

bool Session::decide(std::uint64_t request, ApprovalDecision decision) {
  static_cast<void>(request), static_cast<void>(decision);
  return false;
}

Result<void> Session::revoke(std::uint64_t grant) {
  static_cast<void>(grant);
  return fail(ErrorKind::kNotFound, "there is no such grant");
}

Server::Server(sys::EventLoop& loop, sys::Fd listening, Session& session, HostView& host)
    : loop_(loop), listening_(std::move(listening)), session_(session), host_(host) {}

Server::~Server() { loop_.remove(listening_.raw()); }

Result<void> Server::start() {
  return loop_.add(listening_.raw(), sys::EventLoop::Interest::kRead, [this] { accept(); });
}

void Server::accept() {
  auto socket = sys::Fd::adopt(::accept4(listening_.raw(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.is_open()) {
    if (errno != EMFILE && errno != ENFILE) return;
    // The socket stays readable: accept again later, when a descriptor may be free.
    loop_.set_interest(listening_.raw(), sys::EventLoop::Interest::kNone);
    loop_.after(kAcceptAgain, [this, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) loop_.set_interest(listening_.raw(), sys::EventLoop::Interest::kRead);
    });
    return;
  }
  if (connections_.size() >= kMostConnections) return;
  const auto checked = check_peer(socket.raw());
  Channel channel(std::move(socket));
  if (!checked) {
    Error why = Error(checked.error()).within("the session refuses the connection");
    static_cast<void>(channel.send(to_text(event::Failure{std::move(why), {}}), {}, Wait::kNever));
    return;
  }
  auto connection = std::make_unique<Connection>(*this, std::move(channel));
  if (connection->start()) connections_.emplace(connection.get(), std::move(connection));
}

void Server::drop(Connection& connection) { connections_.erase(&connection); }

std::size_t Server::commands() const {
  std::size_t count = 0;
  for (const auto& [key, connection] : connections_) count += connection->is_running() ? 1U : 0U;
  return count;
}

void Server::denied(const Denial& denial) {
  Denial seen = denial;
  if (!session_.is_denied(seen)) return;
  const event::AccessDenial event{std::move(seen)};
  for (const auto& [key, connection] : connections_)
    if (connection->is_running()) connection->send(event);
  notify_watchers(event);
}

void Server::notify_watchers(const Event& event) {
  for (const auto& [key, connection] : connections_)
    if (connection->watches()) connection->send(event);
}

void Server::end_commands(const std::string& why) {
  for (const auto& [key, connection] : connections_) connection->end(why);
}

}  // namespace pinfold::control
