// observer.cc: look, let go, judge, tell.
#include "backend/linux/observe/observer.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "base/dns_question.h"
#include "base/paths.h"
#include "sys/host.h"

namespace pinfold::backend::on_linux {
namespace {

// C libraries have the query on their stack by the time that they connect. Without a network they never send it.
std::string name_looked_up(std::uint32_t thread) {
  constexpr std::size_t kPiece = 4096;
  constexpr std::size_t kMost = 8;
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(("/proc/" + std::to_string(thread) + "/syscall").c_str(), "re"),
                                             std::fclose);
  unsigned long long stack = 0;
  if (!file || std::fscanf(file.get(), "%*s %*s %*s %*s %*s %*s %*s %llx", &stack) != 1) return {};
  std::string bytes;
  for (std::size_t i = 0; i < kMost; ++i) {
    const auto piece = read_bytes(thread, stack + bytes.size(), kPiece - (stack + bytes.size()) % kPiece);
    if (!piece) break;
    bytes += *piece;
  }
  return find_dns_question(bytes).value_or("");
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

// Each name is followed once: what is judged, asked about and done is one and the same place, whatever the name becomes
// meanwhile.
bool Observer::answer_files(int listener, const seccomp_notif& call, const Attempts& attempts, SandboxEvents& events) {
  std::vector<Inside> places;
  bool by_us = false;
  for (const Attempt& each : attempts.files) {
    auto found = inside_.find(call.pid, each.directory, each.named, each.follow);
    if (!found) return false;
    const Inside& inside = places.emplace_back(std::move(*found));
    if (observation_->is_allowed(each, inside)) {
      // What is to be renamed or linked is not there: the rest does not matter.
      if (inside.kind == HostKind::kMissing && (each.act == Act::kRename || each.act == Act::kTake)) return false;
      by_us = by_us || (questions_ != nullptr &&
                        (is_stale(call, each) || (changes_name(each.act) && questions_->is_place(inside.path))));
      continue;
    }
    Who who = who_is(call.pid);
    if (!still_waits(listener, call)) return false;
    const bool may_ask = questions_ != nullptr && each.act != Act::kLook;
    if (!may_ask) answer_call(listener, call, Answer::kContinue);
    auto denial = observation_->judge(each, inside);
    if (denial) note_who(*denial, std::move(who), each.named);
    if (may_ask && denial && ask(listener, call, attempts, std::move(places), *denial, events)) return true;
    if (may_ask) answer_call(listener, call, Answer::kContinue);
    if (denial) events.denied(std::move(*denial));
    return true;
  }
  if (!by_us) return false;
  const auto deed = deed_for(call, attempts, places);
  return deed && still_waits(listener, call) && questions_->carry_out(*deed, listener, call);
}

bool Observer::ask(int listener, const seccomp_notif& call, const Attempts& attempts, std::vector<Inside> places,
                   Denial denial, SandboxEvents& events) {
  const auto& files = attempts.files;
  for (std::size_t i = places.size(); i < files.size(); ++i) {
    auto found = inside_.find(call.pid, files[i].directory, files[i].named, files[i].follow);
    if (!found) break;
    places.push_back(std::move(*found));
  }
  if (files.size() == 2 && places.size() == 2 && files[0].act == Act::kRename)
    denial.named = places[0].path + " to " + places[1].path;
  const bool relative = !files.empty() && !files.front().named.starts_with('/');
  auto deed = deed_for(call, attempts, places);
  Once once = deed && deed->is_plain() ? Once::kOffered : Once::kNotOffered;
  if (once == Once::kOffered && loses_protection(attempts, places)) {
    once = Once::kNotOffered;
    denial.rule += "; not for once: no rule would protect what takes its place";
  }
  return questions_->ask({listener, call, std::move(deed), relative, once, denial}, events);
}

// Where a mount protects or hides a name of a directory that the sandbox may write, that mount goes with the file. The
// command could then put anything in its place, or write to the new file through a descriptor or a second name.
bool Observer::loses_protection(const Attempts& attempts, const std::vector<Inside>& places) const {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (changes_name(attempts.files[i].act) && observation_->is_kept_by_mount(places[i])) return true;
  return false;
}

bool Observer::is_stale(const seccomp_notif& call, const Attempt& attempt) const {
  if (attempt.named.starts_with('/')) return false;
  const std::string process = "/proc/" + std::to_string(call.pid);
  const std::string base = attempt.directory == Attempt::kWorkingDirectory
                               ? process + "/cwd"
                               : process + "/fd/" + std::to_string(attempt.directory);
  const std::string path = read_link(base);
  return questions_->has_granted(path) && mount_of(AT_FDCWD, base) != inside_.mount_at(path);
}

// Only where every name leads to a place that the host has, too; and what somebody was not asked about is allowed, or
// lies beside what they were asked about.
std::optional<Deed> Observer::deed_for(const seccomp_notif& call, const Attempts& attempts,
                                       const std::vector<Inside>& places) {
  // A connection has an address and no file.
  if (places.empty() || places.size() != attempts.files.size()) return std::nullopt;
  std::vector<std::string> on_host;
  std::size_t denied = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto path = observation_->host_path(attempts.files[i], places[i]);
    if (!path) return std::nullopt;
    if (!observation_->is_allowed(attempts.files[i], places[i])) ++denied;
    on_host.push_back(std::move(*path));
  }
  // A second name for a file that may only be read would be a way to write it.
  if (attempts.files.front().act == Act::kTake && !observation_->is_writable(places.front())) return std::nullopt;
  if (denied > 1 && paths::parent(on_host.front()) != paths::parent(on_host.back())) return std::nullopt;
  return Deed::of(call, attempts, on_host);
}

void Observer::answer_reach(int listener, const seccomp_notif& call, Attempts attempts, SandboxEvents& events) {
  Who who = who_is(call.pid);
  attempts.reach->datagram = is_datagram(who.pid, attempts.socket);
  if (attempts.reach->port == kDnsPort) attempts.reach->looks_up = name_looked_up(call.pid);
  auto denial = still_waits(listener, call) ? observation_->judge(*attempts.reach) : std::nullopt;
  if (denial) note_who(*denial, std::move(who), denial->resource);
  if (denial && questions_ != nullptr && ask(listener, call, attempts, {}, *denial, events)) return;
  answer_call(listener, call, Answer::kContinue);
  if (denial) events.denied(std::move(*denial));
}

}  // namespace pinfold::backend::on_linux
