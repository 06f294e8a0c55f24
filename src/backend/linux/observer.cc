// observer.cc: look, let go, judge, tell.
#include "backend/linux/observer.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <utility>

#include "sys/host.h"

namespace pinfold::backend::on_linux {
namespace {

// Whose memory was read is still the caller's: nobody else has got its number meanwhile.
bool still_waits(int listener, const seccomp_notif& call) {
  std::uint64_t id = call.id;
  return ::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

bool is_datagram(std::uint32_t process, int number) {
  const sys::Fd socket = take_descriptor(process, number);
  int type = 0;
  socklen_t size = sizeof type;
  return socket.is_open() && ::getsockopt(socket.raw(), SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM;
}

}  // namespace

Observer::Observer(const Plan& plan, Beyond beyond, Questions* questions)
    : host_(sys::real_host()), beyond_(beyond), questions_(questions) {
  judge_by(plan);
}

void Observer::judge_by(const Plan& plan) { observation_.emplace(plan, beyond_, *host_); }

bool Observer::answer(int listener, const seccomp_notif& call, SandboxEvents& events) {
  Attempts attempts = attempts_of(call);
  if (attempts.reach && observation_->may_be_denied(*attempts.reach)) {
    answer_reach(listener, call, std::move(attempts), events);
    return true;
  }
  return answer_files(listener, call, attempts, events);
}

bool Observer::answer_files(int listener, const seccomp_notif& call, const Attempts& attempts, SandboxEvents& events) {
  for (const Attempt& each : attempts.files) {
    const auto inside = inside_.find(call.pid, each.directory, each.named, each.follow);
    if (!inside) return false;
    if (observation_->is_allowed(each, *inside)) {
      if (questions_ != nullptr && is_stale(call, each, *inside)) {
        const auto deed = deed_for(call, attempts);
        if (deed && still_waits(listener, call)) return questions_->carry_out(*deed, listener, call);
      }
      // What is to be renamed or linked is not there: the rest does not matter.
      if (inside->kind == HostKind::kMissing && (each.act == Act::kRename || each.act == Act::kTake)) return false;
      continue;
    }
    Who who = who_is(call.pid);
    if (!still_waits(listener, call)) return false;
    const bool may_ask = questions_ != nullptr && each.act != Act::kLook;
    if (!may_ask) answer_call(listener, call, Answer::kContinue);
    auto denial = observation_->judge(each, *inside);
    if (denial) note_who(*denial, std::move(who), each.named);
    if (may_ask && denial && ask(listener, call, attempts, *denial, events)) return true;
    if (may_ask) answer_call(listener, call, Answer::kContinue);
    if (denial) events.denied(std::move(*denial));
    return true;
  }
  return false;
}

bool Observer::ask(int listener, const seccomp_notif& call, const Attempts& attempts, const Denial& denial,
                   SandboxEvents& events) {
  const bool relative = !attempts.files.empty() && !attempts.files.front().named.starts_with('/');
  return questions_->ask({listener, call, deed_for(call, attempts), relative, denial}, events);
}

bool Observer::is_stale(const seccomp_notif& call, const Attempt& attempt, const Inside& inside) const {
  if (attempt.named.starts_with('/') || !questions_->has_granted(inside.path)) return false;
  const std::string process = "/proc/" + std::to_string(call.pid);
  const std::string base = attempt.directory == Attempt::kWorkingDirectory
                               ? process + "/cwd"
                               : process + "/fd/" + std::to_string(attempt.directory);
  return mount_of(AT_FDCWD, base) != inside_.mount_of_parent(inside.path);
}

// Only where every name leads to a place that the host has, too.
std::optional<Deed> Observer::deed_for(const seccomp_notif& call, const Attempts& attempts) {
  std::vector<std::string> on_host;
  for (const Attempt& each : attempts.files) {
    const auto inside = inside_.find(call.pid, each.directory, each.named, each.follow);
    auto path = inside ? observation_->host_path(each, *inside) : std::nullopt;
    if (!path) return std::nullopt;
    on_host.push_back(std::move(*path));
  }
  return Deed::of(call, attempts, on_host);
}

void Observer::answer_reach(int listener, const seccomp_notif& call, Attempts attempts, SandboxEvents& events) {
  Who who = who_is(call.pid);
  attempts.reach->datagram = is_datagram(who.pid, attempts.socket);
  auto denial = still_waits(listener, call) ? observation_->judge(*attempts.reach) : std::nullopt;
  if (denial) note_who(*denial, std::move(who), denial->resource);
  if (denial && questions_ != nullptr && ask(listener, call, attempts, *denial, events)) return;
  answer_call(listener, call, Answer::kContinue);
  if (denial) events.denied(std::move(*denial));
}

}  // namespace pinfold::backend::on_linux
