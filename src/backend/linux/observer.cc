// observer.cc: look, let go, judge, tell.
#include "backend/linux/observer.h"

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

Observer::Observer(const Plan& plan, Beyond beyond) : host_(sys::real_host()), observation_(plan, beyond, *host_) {}

bool Observer::answer(int listener, const seccomp_notif& call, SandboxEvents& events) {
  Attempts attempts = attempts_of(call);
  if (attempts.reach && observation_.may_be_denied(*attempts.reach)) {
    answer_reach(listener, call, std::move(attempts), events);
    return true;
  }
  return answer_files(listener, call, attempts.files, events);
}

bool Observer::answer_files(int listener, const seccomp_notif& call, const std::vector<Attempt>& files,
                            SandboxEvents& events) {
  for (const Attempt& each : files) {
    const auto inside = inside_.find(call.pid, each.directory, each.named, each.follow);
    if (!inside) return false;
    if (observation_.is_allowed(each, *inside)) {
      // What is to be renamed or linked is not there: the rest does not matter.
      if (inside->kind == HostKind::kMissing && (each.act == Act::kRename || each.act == Act::kTake)) return false;
      continue;
    }
    Who who = who_is(call.pid);
    if (!still_waits(listener, call)) return false;
    answer_call(listener, call, Answer::kContinue);
    if (auto denial = observation_.judge(each, *inside)) {
      note_who(*denial, std::move(who), each.named);
      events.denied(std::move(*denial));
    }
    return true;
  }
  return false;
}

void Observer::answer_reach(int listener, const seccomp_notif& call, Attempts attempts, SandboxEvents& events) {
  Who who = who_is(call.pid);
  attempts.reach->datagram = is_datagram(who.pid, attempts.socket);
  auto denial = still_waits(listener, call) ? observation_.judge(*attempts.reach) : std::nullopt;
  answer_call(listener, call, Answer::kContinue);
  if (!denial) return;
  note_who(*denial, std::move(who), denial->resource);
  events.denied(std::move(*denial));
}

}  // namespace pinfold::backend::on_linux
