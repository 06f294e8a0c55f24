// server.cc: accepts, checks who it is, and does for each connection what it asks.
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
constexpr std::size_t kMostWaiting = 1000;           // messages for a client that does not read
constexpr std::size_t kMostForWatchers = 10 * 1000;  // a flood of denials must not send them away at once
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
  ~Connection() override { hang_up(); }

  Result<void> start() {
    return loop().add(channel_.raw(), sys::EventLoop::Interest::kRead, [this] { serve(); });
  }
  void end(const std::string& why) {
    if (is_running()) say(tell::Gone{why});
    room_.reset();
  }
  bool is_running() const { return room_ != nullptr && !has_ended_; }
  bool watches() const { return watches_; }

  void say(const Told& told, const std::vector<int>& fds = {}) {
    if (!channel_.is_open()) return;
    if (waiting_.size() >= (watches_ ? kMostForWatchers : kMostWaiting)) {
      // A watcher that missed something would show what is no longer so: it has to come again.
      if (watches_) leave();
      return;
    }
    std::string text = to_text(told);
    if (waiting_.empty()) {
      auto sent = channel_.send(text, fds, Wait::kNever);
      if (!sent || *sent) return;  // one that is gone is noticed by reading
    }
    waiting_.push_back(std::move(text));
    loop().set_interest(channel_.raw(), sys::EventLoop::Interest::kBoth);
  }

  void command_ended(const backend::Ended& ended) override {
    has_ended_ = true;
    std::vector<std::string> notes;
    std::vector<Denial> denials;
    const Usage usage = room_->finish(notes, denials);
    for (Denial& each : denials) denied(std::move(each));
    say(tell::Ended{ended.wait_status, usage});
    if (!channel_.is_open()) return leave();
    loop().after(std::chrono::milliseconds(0), [room = std::shared_ptr<backend::Sandbox>(std::move(room_))] {});
  }
  void command_stopped() override { say(tell::Stopped{}); }
  void denied(Denial denial) override {
    if (!server_.session_.is_denied(denial)) return;
    const tell::Denied told{std::move(denial)};
    say(told);
    server_.tell_watchers(told);
  }
  void breached(Denial denial, std::string note) override { say(tell::Breached{std::move(denial), std::move(note)}); }
  void sandbox_gone(std::string why) override {
    has_ended_ = true;
    say(tell::Gone{std::move(why)});
    server_.session_.lost_keeper();
  }

 private:
  sys::EventLoop& loop() { return server_.loop_; }

  void hang_up() {
    if (!channel_.is_open()) return;
    loop().remove(channel_.raw());
    channel_.close();
  }

  // Not before the command's tree is gone; never from below one of our own calls.
  void leave() {
    hang_up();
    if (is_running())
      room_->kill();
    else if (!std::exchange(is_leaving_, true))
      loop().after(std::chrono::milliseconds(0), [this, alive = std::weak_ptr(server_.alive_)] {
        if (!alive.expired()) server_.drop(*this);
      });
  }

  void serve() {
    while (!waiting_.empty()) {
      auto sent = channel_.send(waiting_.front(), {}, Wait::kNever);
      if (!sent) return leave();
      if (!*sent) break;
      waiting_.pop_front();
      if (waiting_.empty()) loop().set_interest(channel_.raw(), sys::EventLoop::Interest::kRead);
    }
    auto packet = channel_.receive(Wait::kNever);
    if (packet && !*packet) return;
    auto asked = packet ? parse_asked((*packet)->text) : tl::unexpected<Error>(packet.error());
    if (!asked) {
      if (asked.error().kind() == ErrorKind::kInvalid) say(tell::Failed{asked.error(), {}});
      return leave();
    }
    act_on(*asked, (*packet)->fds);
  }

  void act_on(Asked& asked, std::vector<sys::Fd>& fds) {
    if (auto* run = std::get_if<ask::Run>(&asked)) return begin(*run, fds);
    if (std::holds_alternative<ask::Describe>(asked)) return say(server_.session_.describe());
    if (std::holds_alternative<ask::Stop>(asked)) return stop();
    if (std::holds_alternative<ask::Watch>(asked)) return watch();
    if (const auto* answer = std::get_if<ask::Answer>(&asked))
      return say(tell::Taken{server_.session_.answer(answer->question, answer->answer)});
    if (const auto* revoke = std::get_if<ask::Revoke>(&asked)) return take_back(revoke->grant);
    if (auto* judge = std::get_if<ask::Judge>(&asked)) return say(tell::Judged{judged(judge->complaints)});
    if (std::holds_alternative<ask::Usage>(asked)) return say(tell::Used{is_running() ? room_->usage() : std::nullopt});
    if (std::holds_alternative<ask::Drain>(asked) && fds.size() == 1)
      return server_.session_.keep_reading(std::move(fds[0]));
    if (!is_running()) return;
    if (const auto* signal = std::get_if<ask::Signal>(&asked)) room_->signal(signal->number);
    if (std::holds_alternative<ask::Terminate>(asked)) room_->terminate();
    if (std::holds_alternative<ask::Kill>(asked)) room_->kill();
  }

  std::vector<Denial> judged(const std::vector<std::string>& complaints) {
    report::Inference inference(server_.session_.plan(), server_.host_);
    for (const std::string& line : complaints) inference.feed(line + "\n");
    return std::move(inference).finish();
  }

  void stop() {
    if (auto may = server_.session_.takes_commands(); !may) return say(tell::Failed{may.error(), {}});
    server_.session_.stop();
  }

  void watch() {
    watches_ = true;
    for (AccessQuestion& each : server_.session_.waiting()) say(tell::Question{std::move(each)});
    say(tell::Grants{server_.session_.grants()});
  }

  void take_back(std::uint64_t grant) {
    auto taken = server_.session_.revoke(grant);
    if (taken) return say(tell::Taken{true});
    say(tell::Failed{taken.error(), {}});
  }

  void begin(ask::Run& run, const std::vector<sys::Fd>& fds) {
    if (auto may = server_.session_.takes_commands(); !may) return say(tell::Failed{may.error(), {}});
    if (!run.knows_limits && !has_run_) {
      auto limits = limits_for_each(server_.session_.plan());
      if (!limits.empty()) return say(tell::Limits{std::move(limits)});
    }
    auto started = start_command(run, fds);
    if (!started) return say(refusal(run, std::move(started).error()));
    tell::Started told{std::string(server_.session_.backend()), started->terminal.is_open()};
    if (started->terminal.is_open())
      say(told, {started->terminal.raw()});
    else
      say(told);
    room_->attach(loop(), *this);
  }

  Result<backend::Started> start_command(ask::Run& run, const std::vector<sys::Fd>& fds) {
    if (std::exchange(has_run_, true)) return fail(ErrorKind::kInvalid, "a connection is for one command");
    std::size_t next = 0;
    for (int i = 0; i < 3; ++i) {
      if (run.launch.stdio[i] != backend::StdioKind::kPass) continue;
      if (next == fds.size()) return fail(ErrorKind::kInvalid, "a stream of the command did not come along");
      run.launch.fds[i] = fds[next++].raw();
    }
    PF_CHECK(place_command(run), "");
    PF_TRY(room, server_.session_.open_room(), "");
    PF_TRY(started, room->start(run.launch), "");
    room_ = std::move(room);
    return started;
  }

  // The working directory widens nothing: it must be one that the plan shows.
  Result<void> place_command(ask::Run& run) {
    std::string& directory = run.launch.working_dir;
    if (directory.empty()) return {};
    const plan::Fate fate = plan::PlanView(server_.session_.plan()).fate(directory).fate;
    // What is private has the client's own directory of that name no more than what is hidden.
    const bool is_shown = fate != plan::Fate::kHidden && fate != plan::Fate::kPrivate;
    if (run.directory == ask::Directory::kIfShown) {
      if (!is_shown) directory.clear();
      return {};
    }
    if (fate != plan::Fate::kHidden) return {};
    return fail(ErrorKind::kInvalid, "--cwd " + directory + " is hidden in this session",
                "name a directory that it shows, or start a session with --read " + directory);
  }

  tell::Failed refusal(const ask::Run& run, Error error) {
    tell::Failed failed{std::move(error), {}};
    if (failed.error.kind() != ErrorKind::kNotFound) return failed;
    report::Inference inference(server_.session_.plan(), server_.host_);
    inference.program_missing(run.launch.argv[0]);
    failed.denials = std::move(inference).finish();
    if (!failed.denials.empty())
      failed.error = Error(
          failed.error.kind(), failed.error.text(),
          failed.denials[0].resource + " is hidden in this session; start one with " + failed.denials[0].allow_with);
    return failed;
  }

  Server& server_;
  Channel channel_;
  std::deque<std::string> waiting_;
  std::unique_ptr<backend::Sandbox> room_;
  bool has_run_ = false;
  bool has_ended_ = false;
  bool watches_ = false;
  bool is_leaving_ = false;
};

bool Session::answer(std::uint64_t question, Answer answer) {
  static_cast<void>(question), static_cast<void>(answer);
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
    // It stays ready: look again when a descriptor may be free.
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
    static_cast<void>(channel.send(to_text(tell::Failed{std::move(why), {}}), {}, Wait::kNever));
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
  const tell::Denied told{std::move(seen)};
  for (const auto& [key, connection] : connections_)
    if (connection->is_running()) connection->say(told);
  tell_watchers(told);
}

void Server::tell_watchers(const Told& told) {
  for (const auto& [key, connection] : connections_)
    if (connection->watches()) connection->say(told);
}

void Server::end_commands(const std::string& why) {
  for (const auto& [key, connection] : connections_) connection->end(why);
}

}  // namespace pinfold::control
