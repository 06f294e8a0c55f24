// observer.cc: resolves the paths of a call, compares them with the plan, lets the call continue or holds it, reports.
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

// C libraries have built the DNS query on their stack before they connect. Without a network they never send it.
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

Observer::Observer(const Plan& plan, UngrantedPaths ungranted, PendingApprovals* approvals, CallHandler& guard)
    : host_(sys::real_host()), ungranted_(ungranted), approvals_(approvals), guard_(guard) {
  set_plan(plan);
}

void Observer::continue_call(int listener, const seccomp_notif& call) {
  guard_.before_continue(call);
  answer_call(listener, call, CallResponse::kContinue);
}

void Observer::set_plan(const Plan& plan) { classifier_.emplace(plan, ungranted_, *host_); }

bool Observer::answer(int listener, const seccomp_notif& call, SandboxEvents& events) {
  SyscallRequest request = read_syscall_request(call);
  if (request.network && classifier_->may_be_denied(*request.network)) {
    answer_network(listener, call, std::move(request), events);
    return true;
  }
  return answer_files(listener, call, request, events);
}

// Resolves each name once: classification, approval request and brokered call use the same file, even if the name
// changes in between.
bool Observer::answer_files(int listener, const seccomp_notif& call, const SyscallRequest& request,
                            SandboxEvents& events) {
  std::vector<ReportPath> targets;
  bool needs_broker = false;
  for (const PathRequest& each : request.paths) {
    auto found = path_view_.resolve(call.pid, each.directory, each.named, each.follow);
    if (!found) return false;
    ReportPath& target = targets.emplace_back(std::move(*found));
    if (classifier_->is_allowed(each, target)) {
      // The source of the rename or link does not exist: the call fails, and its target does not matter.
      if (target.kind == HostKind::kMissing &&
          (each.operation == PathOperation::kRename || each.operation == PathOperation::kLinkSource))
        return false;
      needs_broker =
          needs_broker ||
          (approvals_ != nullptr &&
           (is_stale(call, each) || (changes_name(each.operation) && approvals_->has_mount_at(target.path))));
      continue;
    }
    CallerRef caller = caller_of(call.pid);
    if (!still_waits(listener, call)) return false;
    const bool may_ask = approvals_ != nullptr && each.operation != PathOperation::kStat;
    if (!may_ask) continue_call(listener, call);
    if (may_ask) classifier_->resolve_on_host(each, target);
    auto denial = classifier_->classify(each, target);
    if (denial) set_caller(*denial, std::move(caller), each.named);
    if (may_ask && denial && ask(listener, call, request, std::move(targets), *denial, events)) return true;
    if (may_ask) continue_call(listener, call);
    if (denial) events.denied(std::move(*denial));
    return true;
  }
  if (!needs_broker) return false;
  const auto brokered = brokered_call_for(call, request, targets);
  return brokered && still_waits(listener, call) && approvals_->perform(*brokered, listener, call);
}

bool Observer::ask(int listener, const seccomp_notif& call, const SyscallRequest& request,
                   std::vector<ReportPath> targets, Denial denial, SandboxEvents& events) {
  const auto& files = request.paths;
  for (std::size_t i = targets.size(); i < files.size(); ++i) {
    auto found = path_view_.resolve(call.pid, files[i].directory, files[i].named, files[i].follow);
    if (!found) break;
    classifier_->resolve_on_host(files[i], targets.emplace_back(std::move(*found)));
  }
  if (files.size() == 2 && targets.size() == 2 && files[0].operation == PathOperation::kRename)
    denial.named = targets[0].path + " to " + targets[1].path;
  const bool relative = !files.empty() && !files.front().named.starts_with('/');
  auto brokered = brokered_call_for(call, request, targets);
  OnceOption once = brokered && brokered->is_plain() ? OnceOption::kOffered : OnceOption::kNotOffered;
  if (once == OnceOption::kOffered && loses_protection(request, targets)) {
    once = OnceOption::kNotOffered;
    denial.rule += "; not offered once: no rule would protect the file that replaces it";
  }
  return approvals_->ask({listener, call, std::move(brokered), relative, once, denial}, events);
}

// A mount that protects or hides a name in a writable directory goes away with its file. The command could then create
// any file under that name, or write to the new file through a descriptor or a second name.
bool Observer::loses_protection(const SyscallRequest& request, const std::vector<ReportPath>& targets) const {
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (changes_name(request.paths[i].operation) && classifier_->is_protected_by_mount(targets[i])) return true;
  return false;
}

bool Observer::is_stale(const seccomp_notif& call, const PathRequest& request) const {
  if (request.named.starts_with('/')) return false;
  const std::string process = "/proc/" + std::to_string(call.pid);
  const std::string base = request.directory == PathRequest::kWorkingDirectory
                               ? process + "/cwd"
                               : process + "/fd/" + std::to_string(request.directory);
  const std::string path = read_link(base);
  return approvals_->is_granted(path) && mount_of(AT_FDCWD, base) != path_view_.mount_at(path);
}

// Only if every path exists, or can exist, on the host, and every path that the approval request does not name is
// allowed or lies in the same directory as the one that it names.
std::optional<BrokeredCall> Observer::brokered_call_for(const seccomp_notif& call, const SyscallRequest& request,
                                                        const std::vector<ReportPath>& targets) {
  // A connection has an address and no file.
  if (targets.empty() || targets.size() != request.paths.size()) return std::nullopt;
  std::vector<std::string> on_host;
  std::size_t denied = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    auto path = classifier_->host_path(request.paths[i], targets[i]);
    if (!path) return std::nullopt;
    if (!classifier_->is_allowed(request.paths[i], targets[i])) ++denied;
    on_host.push_back(std::move(*path));
  }
  // With a second name in a writable directory, a read-only file could be written.
  if (request.paths.front().operation == PathOperation::kLinkSource && !classifier_->is_writable(targets.front()))
    return std::nullopt;
  if (denied > 1 && paths::parent(on_host.front()) != paths::parent(on_host.back())) return std::nullopt;
  const bool writable = classifier_->is_writable(targets.front());
  return BrokeredCall::of(call, request, on_host, writable ? LiveMounts::Access::kWrite : LiveMounts::Access::kRead);
}

void Observer::answer_network(int listener, const seccomp_notif& call, SyscallRequest request, SandboxEvents& events) {
  CallerRef caller = caller_of(call.pid);
  request.network->datagram = is_datagram(caller.pid, request.socket);
  if (request.network->port == kDnsPort) request.network->looks_up = name_looked_up(call.pid);
  auto denial = still_waits(listener, call) ? classifier_->classify(*request.network) : std::nullopt;
  if (denial) set_caller(*denial, std::move(caller), denial->resource);
  if (denial && approvals_ != nullptr && ask(listener, call, request, {}, *denial, events)) return;
  continue_call(listener, call);
  if (denial) events.denied(std::move(*denial));
}

}  // namespace pinfold::backend::on_linux
