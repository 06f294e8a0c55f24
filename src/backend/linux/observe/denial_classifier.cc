// denial_classifier.cc: compares a request with the plan first, then with the bare host.
#include "backend/linux/observe/denial_classifier.h"

#include <algorithm>
#include <utility>

#include "base/address.h"
#include "base/domain.h"
#include "base/name_flags.h"
#include "base/paths.h"
#include "base/text.h"
#include "plan/grants.h"

namespace pinfold::backend::on_linux {

using plan::PathLookup;
using plan::PathState;

namespace {

bool only_reads(const PathRequest& request) {
  return request.operation == PathOperation::kStat || request.operation == PathOperation::kChangeDirectory ||
         request.operation == PathOperation::kLinkSource ||
         (request.operation == PathOperation::kRead && !request.creates);
}

// These operations create a name; the file need not exist.
bool makes(const PathRequest& request) {
  switch (request.operation) {
    case PathOperation::kCreate:
    case PathOperation::kMakeDirectory:
    case PathOperation::kTemporaryFile:
    case PathOperation::kRenameTo:
    case PathOperation::kBind: return true;
    default: return request.creates;
  }
}

bool is_any(const IpAddress& address) {
  return std::all_of(address.bytes.begin(), address.bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool is_loopback(const IpAddress& address) {
  return address.family == Family::kV4 ? address.bytes[0] == 127 : is_localhost(address);
}

}  // namespace

struct DenialClassifier::Case {
  const PathRequest& request;
  const ReportPath& target;
  PathLookup lookup;
};

DenialClassifier::DenialClassifier(const Plan& plan, UngrantedPaths ungranted, HostView& host)
    : view_(plan), ungranted_(ungranted), host_(host) {
  if (ungranted_ != UngrantedPaths::kUsable) return;
  const auto lead_to = [&](std::string_view path) {
    while (path.size() > 1 && ancestors_.emplace(paths::parent(path)).second) path = paths::parent(path);
  };
  for (const Step& step : plan.steps) {
    if (const auto* show = std::get_if<ShowPath>(&step.body)) lead_to(show->at);
    if (const auto* directory = std::get_if<MakeDirectory>(&step.body)) lead_to(directory->at);
    if (const auto* link = std::get_if<MakeLink>(&step.body)) lead_to(link->at);
    if (const auto* file = std::get_if<MakeFile>(&step.body)) lead_to(file->at);
  }
}

// Directories above a shown path exist, though no step names them.
bool DenialClassifier::is_visible_ancestor(const std::string& path) const {
  return ungranted_ == UngrantedPaths::kAbsent || (ungranted_ == UngrantedPaths::kUsable && ancestors_.contains(path));
}

// A call that adds or removes a name changes its parent directory, so for a path with a rule of its own the parent's
// rule decides.
PathLookup DenialClassifier::look_up(const PathRequest& request, const ReportPath& target) const {
  PathLookup lookup = view_.look_up(target.path);
  const bool shown = lookup.state == PathState::kWritable || lookup.state == PathState::kPrivate;
  if (changes_name(request.operation) && shown && lookup.at == target.path && target.path != "/")
    return view_.look_up(paths::parent(target.path));
  return lookup;
}

bool DenialClassifier::is_allowed(const PathRequest& request, const ReportPath& target) const {
  if (request.operation == PathOperation::kRename && view_.pin(target.path) != nullptr) return false;
  // In a mount namespace, every visible socket can be connected to.
  if (request.operation == PathOperation::kConnect && target.kind == HostKind::kSocket &&
      ungranted_ == UngrantedPaths::kAbsent)
    return true;
  const PathLookup lookup = look_up(request, target);
  const bool there = target.kind != HostKind::kMissing;
  if (request.operation == PathOperation::kExecute) {
    const bool any = view_.exec() == nullptr || view_.exec()->mode == ExecMode::kAny;
    return any && lookup.state != PathState::kHidden && (lookup.state != PathState::kPrivate || there);
  }
  switch (lookup.state) {
    case PathState::kWritable: return true;
    case PathState::kReadOnly:
    case PathState::kProtected: return only_reads(request) || request.operation == PathOperation::kConnect;
    case PathState::kPrivate: return there || makes(request);
    case PathState::kKernel:
      return paths::at_or_beneath(target.path, "/dev") ? there : !paths::at_or_beneath(target.path, "/proc/sys");
    case PathState::kHidden: break;
  }
  return lookup.step == nullptr && there && only_reads(request) && is_visible_ancestor(target.path);
}

bool DenialClassifier::is_protected_by_mount(const ReportPath& target) const {
  return !is_writable(target) && view_.look_up(paths::parent(target.path)).state == PathState::kWritable;
}

// The host path of the file that the sandbox shows at this path.
std::string DenialClassifier::on_host(const std::string& path, const PathLookup& lookup) const {
  const auto* show = lookup.step == nullptr ? nullptr : std::get_if<ShowPath>(&lookup.step->body);
  if (show == nullptr || show->host == show->at) return path;
  return paths::normal(show->host + "/" + std::string(paths::relative(path, show->at)));
}

std::string DenialClassifier::canonical(const PathRequest& request, const ReportPath& target) {
  if (!target.on_host.empty()) return target.on_host;
  const std::string& path = target.path;
  if (request.follow == Follow::kLinks)
    if (auto whole = host_.resolve(path)) return whole->canonical;
  if (auto parent = host_.resolve(std::string(paths::parent(path))))
    return paths::join(parent->canonical, paths::basename(path));
  return path;
}

void DenialClassifier::resolve_on_host(const PathRequest& request, ReportPath& target) {
  const PathState state = view_.look_up(target.path).state;
  if (state == PathState::kHidden || state == PathState::kPrivate) target.on_host = canonical(request, target);
}

std::optional<std::string> DenialClassifier::host_path(const PathRequest& request, const ReportPath& target) {
  const PathLookup lookup = view_.look_up(target.path);
  const bool there = target.kind != HostKind::kMissing;
  if (lookup.state == PathState::kKernel || (lookup.state == PathState::kPrivate && there)) return std::nullopt;
  if (lookup.state == PathState::kHidden || lookup.state == PathState::kPrivate) return canonical(request, target);
  return on_host(target.path, lookup);
}

bool DenialClassifier::may_make_in(const std::string& directory) {
  return host_.kind(directory) == HostKind::kDirectory && host_.writable(directory);
}

bool DenialClassifier::is_empty(const std::string& directory) {
  const auto listed = host_.list_within(directory, ListBounds{1});
  return listed && listed->entries.empty();
}

std::optional<Denial> DenialClassifier::make_denial(const Case& each, const char* operation, const std::string& path,
                                                    std::optional<Grant> grant) {
  Denial out;
  out.operation = operation;
  out.resource = path;
  out.rule = each.lookup.rule;
  if (each.lookup.own) grant.reset();
  if (grant) out.allow_with = plan::flag_of(*grant);
  out.grant = std::move(grant);
  out.source = DenialSource::kObserved;
  return out;
}

std::optional<Denial> DenialClassifier::make_write_denial(const Case& each, const char* operation,
                                                          const std::string& path) {
  // Below a protected name, the protected name must be granted; if only the path itself is not writable, the path.
  const bool alone = each.lookup.at == path && view_.look_up(paths::parent(path)).state == PathState::kWritable;
  const bool entry = changes_name(each.request.operation) && each.lookup.state != PathState::kProtected && !alone;
  auto out =
      make_denial(each, operation, path,
                  entry ? plan::entry_grant(path, view_, host_) : plan::write_grant(path, each.lookup, view_, host_));
  // Directly below the home directory, the grant for the parent would be the whole home.
  if (!out->grant && !entry && !each.lookup.own && host_.kind(path) == HostKind::kMissing)
    plan::allow_once_made(path, *out);
  return out;
}

std::optional<Denial> DenialClassifier::classify(const PathRequest& request, const ReportPath& target) {
  if (request.operation == PathOperation::kLinkSource || is_allowed(request, target)) return std::nullopt;
  const Case each{request, target, look_up(request, target)};
  if (request.operation == PathOperation::kExecute) return classify_program(each);
  if (const Step* pin = view_.pin(target.path); pin != nullptr && request.operation == PathOperation::kRename) {
    auto out = make_denial(each, "rename", target.path, {});
    const auto* hide = std::get_if<HidePath>(&pin->body);
    out->rule = "protected: it holds " + (hide != nullptr ? hide->at : std::get<ProtectPath>(pin->body).at) + " (" +
                pin->origin.where + ")";
    return out;
  }
  switch (each.lookup.state) {
    case PathState::kWritable: return std::nullopt;
    case PathState::kReadOnly:
    case PathState::kProtected: return classify_visible(each);
    case PathState::kKernel: return classify_kernel(each);
    case PathState::kHidden:
    case PathState::kPrivate: return classify_hidden(each);
  }
  return std::nullopt;
}

// The path is readable, and the request would change it.
std::optional<Denial> DenialClassifier::classify_visible(const Case& each) {
  const auto& [request, target, lookup] = each;
  const std::string& path = target.path;
  const std::string real = on_host(path, lookup);
  const bool there = target.kind != HostKind::kMissing;
  const auto if_changeable = [&](const char* operation) {
    return may_make_in(std::string(paths::parent(real))) ? make_write_denial(each, operation, path) : std::nullopt;
  };
  switch (request.operation) {
    case PathOperation::kRead:
    case PathOperation::kWrite:
      if (!there) return request.creates && target.parent_exists ? if_changeable("create") : std::nullopt;
      // A visible device or pipe is writable on any mount; a directory never.
      if (request.operation == PathOperation::kRead || request.exclusive || target.kind != HostKind::kFile)
        return std::nullopt;
      return host_.writable(real) ? make_write_denial(each, "write", path) : std::nullopt;
    case PathOperation::kSetAttributes:
      return there && (host_.owned(real) || host_.writable(real)) ? make_write_denial(each, "write", path)
                                                                  : std::nullopt;
    case PathOperation::kTemporaryFile:
      return target.kind == HostKind::kDirectory && may_make_in(real) ? make_write_denial(each, "create", path)
                                                                      : std::nullopt;
    case PathOperation::kCreate:
    case PathOperation::kMakeDirectory: return !there && target.parent_exists ? if_changeable("create") : std::nullopt;
    case PathOperation::kBind: return !there && target.parent_exists ? if_changeable("bind") : std::nullopt;
    case PathOperation::kDelete:
      return there && target.kind != HostKind::kDirectory ? if_changeable("delete") : std::nullopt;
    case PathOperation::kRemoveDirectory:
      return target.kind == HostKind::kDirectory && is_empty(real) ? if_changeable("delete") : std::nullopt;
    case PathOperation::kRename: return there ? if_changeable("rename") : std::nullopt;
    case PathOperation::kRenameTo: return target.parent_exists ? if_changeable("rename") : std::nullopt;
    default: return std::nullopt;
  }
}

// The path does not exist in the sandbox, so the host's file decides.
std::optional<Denial> DenialClassifier::classify_hidden(const Case& each) {
  const auto& [request, target, lookup] = each;
  std::string path = canonical(request, target);
  // A hidden link to a shown file: the link is missing in the sandbox.
  if (view_.look_up(path).state != PathState::kHidden) path = target.path;
  const HostKind kind = host_.kind(path);
  const bool there = kind != HostKind::kMissing;
  const auto read = [&](const char* operation) {
    return make_denial(each, operation, path, plan::read_grant(path, view_.home()));
  };
  const auto if_changeable = [&](const char* operation) {
    return may_make_in(std::string(paths::parent(path))) ? make_write_denial(each, operation, path) : std::nullopt;
  };
  switch (request.operation) {
    case PathOperation::kStat:
      return there && ungranted_ != UngrantedPaths::kVisible
                 ? read(ungranted_ == UngrantedPaths::kUsable ? "look" : "read")
                 : std::nullopt;
    case PathOperation::kChangeDirectory:
      if (kind != HostKind::kDirectory || ungranted_ == UngrantedPaths::kVisible || !host_.readable(path))
        return std::nullopt;
      return read(ungranted_ == UngrantedPaths::kUsable ? "look" : "read");
    case PathOperation::kRead:
    case PathOperation::kWrite:
      if (!there) return request.creates ? if_changeable("create") : std::nullopt;
      if (request.exclusive) return std::nullopt;
      if (request.operation == PathOperation::kRead) return host_.readable(path) ? read("read") : std::nullopt;
      return kind != HostKind::kDirectory && host_.writable(path) ? make_write_denial(each, "write", path)
                                                                  : std::nullopt;
    case PathOperation::kSetAttributes:
      return there && host_.owned(path) ? make_write_denial(each, "write", path) : std::nullopt;
    case PathOperation::kTemporaryFile:
      return may_make_in(path) ? make_write_denial(each, "create", path) : std::nullopt;
    case PathOperation::kCreate: return there ? std::nullopt : if_changeable("create");
    // Programs call mkdir() for directories that they need without checking whether they exist.
    case PathOperation::kMakeDirectory:
      if (kind == HostKind::kDirectory && ungranted_ == UngrantedPaths::kUsable) return read("look");
      if (there && target.kind == HostKind::kMissing && kind == HostKind::kDirectory)
        return make_write_denial(each, "create", path);
      return there ? std::nullopt : if_changeable("create");
    case PathOperation::kBind: return there ? std::nullopt : if_changeable("bind");
    case PathOperation::kDelete: return there && kind != HostKind::kDirectory ? if_changeable("delete") : std::nullopt;
    case PathOperation::kRemoveDirectory:
      return kind == HostKind::kDirectory && is_empty(path) ? if_changeable("delete") : std::nullopt;
    case PathOperation::kRename: return there ? if_changeable("rename") : std::nullopt;
    case PathOperation::kRenameTo: return if_changeable("rename");
    case PathOperation::kConnect:
      return kind == HostKind::kSocket && host_.writable(path) ? read("connect") : std::nullopt;
    default: return std::nullopt;
  }
}

// Devices that the sandbox does not have, and the sysctls of /proc/sys. No flag grants either.
std::optional<Denial> DenialClassifier::classify_kernel(const Case& each) {
  const auto& [request, target, lookup] = each;
  const std::string& path = target.path;
  if (paths::at_or_beneath(path, "/proc/sys"))
    return request.operation == PathOperation::kWrite && host_.writable(path) ? make_denial(each, "write", path, {})
                                                                              : std::nullopt;
  if (!paths::at_or_beneath(path, "/dev") || target.kind != HostKind::kMissing) return std::nullopt;
  if (request.operation == PathOperation::kConnect)
    return host_.kind(path) == HostKind::kSocket ? make_denial(each, "connect", path, {}) : std::nullopt;
  if (host_.kind(path) != HostKind::kDevice) return std::nullopt;
  if (request.operation == PathOperation::kWrite)
    return host_.writable(path) ? make_denial(each, "write", path, {}) : std::nullopt;
  return request.operation == PathOperation::kRead && host_.readable(path) ? make_denial(each, "read", path, {})
                                                                           : std::nullopt;
}

std::optional<Denial> DenialClassifier::classify_program(const Case& each) {
  const auto& [request, target, lookup] = each;
  const bool there = target.kind != HostKind::kMissing;
  if (target.kind == HostKind::kDirectory) return std::nullopt;
  if (lookup.state == PathState::kKernel) return std::nullopt;
  if (lookup.state == PathState::kPrivate && there) {  // the run's own file
    auto kept = plan::exec_denial(view_, target.path, target.path);
    if (!kept) return std::nullopt;
    auto out = make_denial(each, "exec", target.path, {});
    out->allow_with = "--exec any";
    out->rule = std::move(kept->rule);
    return out;
  }
  const std::string path = there && lookup.state != PathState::kHidden ? target.path : canonical(request, target);
  const std::string real = on_host(path, lookup);
  if (host_.kind(real) != HostKind::kFile || !host_.executable(real)) return std::nullopt;
  if (lookup.state == PathState::kHidden || lookup.state == PathState::kPrivate)
    return make_denial(each, "exec", path, plan::read_grant(path, view_.home()));
  auto kept = plan::exec_denial(view_, path, paths::basename(path));
  if (!kept) return std::nullopt;
  auto out = make_denial(each, "exec", path, {});
  out->allow_with = std::move(kept->flag);
  out->rule = std::move(kept->rule);
  return out;
}

bool DenialClassifier::may_be_denied(const NetworkRequest& request) const {
  const Step* step = view_.network_step();
  const auto* network = step == nullptr ? nullptr : &std::get<Network>(step->body);
  // The C library connects to port 0 of each address to see which has a route, and sends nothing.
  if (network == nullptr || network->mode == NetworkMode::kFull || request.port == 0) return false;
  // A name server on the host's loopback cannot be reached from the sandbox's own loopback.
  const bool looks_up = network->mode == NetworkMode::kNone && request.port == kDnsPort;
  if (is_any(request.address) || (is_loopback(request.address) && !looks_up)) return false;
  // Only the relay knows the host name behind a synthetic address; the receiver of the denial asks the relay.
  return network->mode == NetworkMode::kNone || request.datagram ||
         !decide(network->domains, request.address, request.port).allowed;
}

namespace {

// Reports the host name that the caller looks up, and not the name server.
void report_looked_up_host(const NetworkRequest& request, Denial& out) {
  out.allow_with.clear();
  if (request.looks_up.empty()) {
    out.allow_note = "--net NAME";
    return;
  }
  out.operation = "connect";
  out.resource = out.host = request.looks_up;
  out.address.clear();
  out.port = 0;
  out.allow_with = flags_for_name(request.looks_up);
}

}  // namespace

std::optional<Denial> DenialClassifier::classify(const NetworkRequest& request) const {
  if (!may_be_denied(request) || (is_loopback(request.address) && request.looks_up.empty())) return std::nullopt;
  const Step* step = view_.network_step();
  const auto& network = std::get<Network>(step->body);
  const DomainDecision decision = decide(network.domains, request.address, request.port);
  Denial out;
  out.operation = request.datagram ? "send" : "connect";
  out.resource = print_host(request.address, request.port);
  out.rule = network.mode == NetworkMode::kNone ? "network none (" + step->origin.where + ")" : decision.reason;
  out.allow_with = decision.allow_with;
  out.address = print_address(request.address);
  out.port = request.port;
  if (network.mode == NetworkMode::kNone && request.port == kDnsPort) {
    report_looked_up_host(request, out);
  } else if (!request.datagram) {
    out.grant = Grant{Grant::Kind::kNetwork, out.resource};
  } else {
    if (network.mode == NetworkMode::kDomains) out.rule = "rules by name and address are for TCP, and this is UDP";
    out.allow_with = "--net full";
  }
  out.source = DenialSource::kObserved;
  return out;
}

}  // namespace pinfold::backend::on_linux
