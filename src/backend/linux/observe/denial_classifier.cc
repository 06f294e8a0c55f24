// denial_classifier.cc: the plan's answer first, then what the bare host would have said.
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

using plan::Fate;
using plan::PathFate;

namespace {

bool only_reads(const Attempt& attempt) {
  return attempt.act == Act::kLook || attempt.act == Act::kEnter || attempt.act == Act::kTake ||
         (attempt.act == Act::kRead && !attempt.creates);
}

// A new name is enough for these: nothing has to be there.
bool makes(const Attempt& attempt) {
  switch (attempt.act) {
    case Act::kCreate:
    case Act::kMakeDirectory:
    case Act::kTemporary:
    case Act::kRenameTo:
    case Act::kBind: return true;
    default: return attempt.creates;
  }
}

bool is_any(const IpAddress& address) {
  return std::all_of(address.bytes.begin(), address.bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool is_loopback(const IpAddress& address) {
  return address.family == Family::kV4 ? address.bytes[0] == 127 : is_localhost(address);
}

}  // namespace

struct Observation::Case {
  const Attempt& attempt;
  const Inside& inside;
  PathFate fate;
};

Observation::Observation(const Plan& plan, Beyond beyond, HostView& host) : view_(plan), beyond_(beyond), host_(host) {
  if (beyond_ != Beyond::kMore) return;
  const auto lead_to = [&](std::string_view path) {
    while (path.size() > 1 && ways_.emplace(paths::parent(path)).second) path = paths::parent(path);
  };
  for (const Step& step : plan.steps) {
    if (const auto* show = std::get_if<ShowPath>(&step.body)) lead_to(show->at);
    if (const auto* directory = std::get_if<MakeDirectory>(&step.body)) lead_to(directory->at);
    if (const auto* link = std::get_if<MakeLink>(&step.body)) lead_to(link->at);
    if (const auto* file = std::get_if<MakeFile>(&step.body)) lead_to(file->at);
  }
}

// Directories on the way to something shown are there, though no step speaks of them.
bool Observation::leads_on(const std::string& path) const {
  return beyond_ == Beyond::kNothing || (beyond_ == Beyond::kMore && ways_.contains(path));
}

// A place that is shown as a whole cannot be taken away: that would be up to the directory around it.
PathFate Observation::fate_of(const Attempt& attempt, const Inside& inside) const {
  PathFate fate = view_.fate(inside.path);
  const bool shown = fate.fate == Fate::kWritable || fate.fate == Fate::kPrivate;
  if (changes_name(attempt.act) && shown && fate.at == inside.path && inside.path != "/")
    return view_.fate(paths::parent(inside.path));
  return fate;
}

bool Observation::is_allowed(const Attempt& attempt, const Inside& inside) const {
  if (attempt.act == Act::kRename && view_.pin(inside.path) != nullptr) return false;
  // Sockets that can be seen can be talked to.
  if (attempt.act == Act::kConnect && inside.kind == HostKind::kSocket && beyond_ == Beyond::kNothing) return true;
  const PathFate fate = fate_of(attempt, inside);
  const bool there = inside.kind != HostKind::kMissing;
  if (attempt.act == Act::kExecute) {
    const bool any = view_.exec() == nullptr || view_.exec()->mode == ExecMode::kAny;
    return any && fate.fate != Fate::kHidden && (fate.fate != Fate::kPrivate || there);
  }
  switch (fate.fate) {
    case Fate::kWritable: return true;
    case Fate::kReadOnly:
    case Fate::kProtected: return only_reads(attempt) || attempt.act == Act::kConnect;
    case Fate::kPrivate: return there || makes(attempt);
    case Fate::kKernel:
      return paths::at_or_beneath(inside.path, "/dev") ? there : !paths::at_or_beneath(inside.path, "/proc/sys");
    case Fate::kHidden: break;
  }
  return fate.step == nullptr && there && only_reads(attempt) && leads_on(inside.path);
}

bool Observation::is_kept_by_mount(const Inside& inside) const {
  return !is_writable(inside) && view_.fate(paths::parent(inside.path)).fate == Fate::kWritable;
}

// Where the host has what is shown at this path.
std::string Observation::on_host(const std::string& path, const PathFate& fate) const {
  const auto* show = fate.step == nullptr ? nullptr : std::get_if<ShowPath>(&fate.step->body);
  if (show == nullptr || show->host == show->at) return path;
  return paths::normal(show->host + "/" + std::string(paths::relative(path, show->at)));
}

std::string Observation::canonical(const std::string& path, Follow follow) {
  if (follow == Follow::kLinks)
    if (auto whole = host_.resolve(path)) return whole->canonical;
  if (auto parent = host_.resolve(std::string(paths::parent(path))))
    return paths::join(parent->canonical, paths::basename(path));
  return path;
}

std::optional<std::string> Observation::host_path(const Attempt& attempt, const Inside& inside) {
  const PathFate fate = view_.fate(inside.path);
  const bool there = inside.kind != HostKind::kMissing;
  if (fate.fate == Fate::kKernel || (fate.fate == Fate::kPrivate && there)) return std::nullopt;
  if (fate.fate == Fate::kHidden || fate.fate == Fate::kPrivate) return canonical(inside.path, attempt.follow);
  return on_host(inside.path, fate);
}

bool Observation::may_make_in(const std::string& directory) {
  return host_.kind(directory) == HostKind::kDirectory && host_.writable(directory);
}

bool Observation::is_empty(const std::string& directory) {
  const auto listed = host_.list_within(directory, ListBounds{1});
  return listed && listed->entries.empty();
}

std::optional<Denial> Observation::denied(const Case& each, const char* operation, const std::string& path,
                                          std::optional<Grant> grant) {
  Denial out;
  out.operation = operation;
  out.resource = path;
  out.rule = each.fate.rule;
  if (each.fate.own) grant.reset();
  if (grant) out.allow_with = plan::flag_of(*grant);
  out.grant = std::move(grant);
  out.source = DenialSource::kObserved;
  return out;
}

std::optional<Denial> Observation::denied_write(const Case& each, const char* operation, const std::string& path) {
  // Below a protected name, the name is what has to be granted; and where only the name is not writable, that one.
  const bool alone = each.fate.at == path && view_.fate(paths::parent(path)).fate == Fate::kWritable;
  const bool entry = changes_name(each.attempt.act) && each.fate.fate != Fate::kProtected && !alone;
  auto out = denied(each, operation, path,
                    entry ? plan::entry_grant(path, view_, host_) : plan::write_grant(path, each.fate, view_, host_));
  // Right below the home, the directory around it is more than anybody should give.
  if (!out->grant && !entry && !each.fate.own && host_.kind(path) == HostKind::kMissing)
    out->allow_with = plan::flag_once_made(path);
  return out;
}

std::optional<Denial> Observation::judge(const Attempt& attempt, const Inside& inside) {
  if (attempt.act == Act::kTake || is_allowed(attempt, inside)) return std::nullopt;
  const Case each{attempt, inside, fate_of(attempt, inside)};
  if (attempt.act == Act::kExecute) return judge_program(each);
  if (const Step* pin = view_.pin(inside.path); pin != nullptr && attempt.act == Act::kRename) {
    auto out = denied(each, "rename", inside.path, {});
    const auto* hide = std::get_if<HidePath>(&pin->body);
    out->rule = "protected: it holds " + (hide != nullptr ? hide->at : std::get<ProtectPath>(pin->body).at) + " (" +
                pin->origin.where + ")";
    return out;
  }
  switch (each.fate.fate) {
    case Fate::kWritable: return std::nullopt;
    case Fate::kReadOnly:
    case Fate::kProtected: return judge_shown(each);
    case Fate::kKernel: return judge_kernel(each);
    case Fate::kHidden:
    case Fate::kPrivate: return judge_hidden(each);
  }
  return std::nullopt;
}

// It is there to be read, and this would change it.
std::optional<Denial> Observation::judge_shown(const Case& each) {
  const auto& [attempt, inside, fate] = each;
  const std::string& path = inside.path;
  const std::string real = on_host(path, fate);
  const bool there = inside.kind != HostKind::kMissing;
  const auto if_changeable = [&](const char* operation) {
    return may_make_in(std::string(paths::parent(real))) ? denied_write(each, operation, path) : std::nullopt;
  };
  switch (attempt.act) {
    case Act::kRead:
    case Act::kWrite:
      if (!there) return attempt.creates && inside.parent_exists ? if_changeable("create") : std::nullopt;
      // Devices and pipes can be written to wherever they are seen; a directory never.
      if (attempt.act == Act::kRead || attempt.exclusive || inside.kind != HostKind::kFile) return std::nullopt;
      return host_.writable(real) ? denied_write(each, "write", path) : std::nullopt;
    case Act::kChange:
      return there && (host_.owned(real) || host_.writable(real)) ? denied_write(each, "write", path) : std::nullopt;
    case Act::kTemporary:
      return inside.kind == HostKind::kDirectory && may_make_in(real) ? denied_write(each, "create", path)
                                                                      : std::nullopt;
    case Act::kCreate:
    case Act::kMakeDirectory: return !there && inside.parent_exists ? if_changeable("create") : std::nullopt;
    case Act::kBind: return !there && inside.parent_exists ? if_changeable("bind") : std::nullopt;
    case Act::kDelete: return there && inside.kind != HostKind::kDirectory ? if_changeable("delete") : std::nullopt;
    case Act::kRemoveDirectory:
      return inside.kind == HostKind::kDirectory && is_empty(real) ? if_changeable("delete") : std::nullopt;
    case Act::kRename: return there ? if_changeable("rename") : std::nullopt;
    case Act::kRenameTo: return inside.parent_exists ? if_changeable("rename") : std::nullopt;
    default: return std::nullopt;
  }
}

// It is not there inside; what counts is what the host has.
std::optional<Denial> Observation::judge_hidden(const Case& each) {
  const auto& [attempt, inside, fate] = each;
  std::string path = canonical(inside.path, attempt.follow);
  // A hidden link to something that is shown: the link is what is missing.
  if (view_.fate(path).fate != Fate::kHidden) path = inside.path;
  const HostKind kind = host_.kind(path);
  const bool there = kind != HostKind::kMissing;
  const auto read = [&](const char* operation) {
    return denied(each, operation, path, plan::read_grant(path, view_.home()));
  };
  const auto if_changeable = [&](const char* operation) {
    return may_make_in(std::string(paths::parent(path))) ? denied_write(each, operation, path) : std::nullopt;
  };
  switch (attempt.act) {
    case Act::kLook:
      return there && beyond_ != Beyond::kNames ? read(beyond_ == Beyond::kMore ? "look" : "read") : std::nullopt;
    case Act::kEnter:
      if (kind != HostKind::kDirectory || beyond_ == Beyond::kNames || !host_.readable(path)) return std::nullopt;
      return read(beyond_ == Beyond::kMore ? "look" : "read");
    case Act::kRead:
    case Act::kWrite:
      if (!there) return attempt.creates ? if_changeable("create") : std::nullopt;
      if (attempt.exclusive) return std::nullopt;
      if (attempt.act == Act::kRead) return host_.readable(path) ? read("read") : std::nullopt;
      return kind != HostKind::kDirectory && host_.writable(path) ? denied_write(each, "write", path) : std::nullopt;
    case Act::kChange: return there && host_.owned(path) ? denied_write(each, "write", path) : std::nullopt;
    case Act::kTemporary: return may_make_in(path) ? denied_write(each, "create", path) : std::nullopt;
    case Act::kCreate: return there ? std::nullopt : if_changeable("create");
    // Programs make the directories that they need without asking whether they are there.
    case Act::kMakeDirectory:
      if (kind == HostKind::kDirectory && beyond_ == Beyond::kMore) return read("look");
      if (there && inside.kind == HostKind::kMissing && kind == HostKind::kDirectory)
        return denied_write(each, "create", path);
      return there ? std::nullopt : if_changeable("create");
    case Act::kBind: return there ? std::nullopt : if_changeable("bind");
    case Act::kDelete: return there && kind != HostKind::kDirectory ? if_changeable("delete") : std::nullopt;
    case Act::kRemoveDirectory:
      return kind == HostKind::kDirectory && is_empty(path) ? if_changeable("delete") : std::nullopt;
    case Act::kRename: return there ? if_changeable("rename") : std::nullopt;
    case Act::kRenameTo: return if_changeable("rename");
    case Act::kConnect: return kind == HostKind::kSocket && host_.writable(path) ? read("connect") : std::nullopt;
    default: return std::nullopt;
  }
}

// Devices that the sandbox does not have, and the kernel's switches. No flag gives either.
std::optional<Denial> Observation::judge_kernel(const Case& each) {
  const auto& [attempt, inside, fate] = each;
  const std::string& path = inside.path;
  if (paths::at_or_beneath(path, "/proc/sys"))
    return attempt.act == Act::kWrite && host_.writable(path) ? denied(each, "write", path, {}) : std::nullopt;
  if (!paths::at_or_beneath(path, "/dev") || inside.kind != HostKind::kMissing) return std::nullopt;
  if (attempt.act == Act::kConnect)
    return host_.kind(path) == HostKind::kSocket ? denied(each, "connect", path, {}) : std::nullopt;
  if (host_.kind(path) != HostKind::kDevice) return std::nullopt;
  if (attempt.act == Act::kWrite) return host_.writable(path) ? denied(each, "write", path, {}) : std::nullopt;
  return attempt.act == Act::kRead && host_.readable(path) ? denied(each, "read", path, {}) : std::nullopt;
}

std::optional<Denial> Observation::judge_program(const Case& each) {
  const auto& [attempt, inside, fate] = each;
  const bool there = inside.kind != HostKind::kMissing;
  if (inside.kind == HostKind::kDirectory) return std::nullopt;
  if (fate.fate == Fate::kKernel) return std::nullopt;
  if (fate.fate == Fate::kPrivate && there) {  // the run's own file
    auto kept = plan::not_started(view_, inside.path, inside.path);
    if (!kept) return std::nullopt;
    auto out = denied(each, "exec", inside.path, {});
    out->allow_with = "--exec any";
    out->rule = std::move(kept->rule);
    return out;
  }
  const std::string path = there && fate.fate != Fate::kHidden ? inside.path : canonical(inside.path, attempt.follow);
  const std::string real = on_host(path, fate);
  if (host_.kind(real) != HostKind::kFile || !host_.executable(real)) return std::nullopt;
  if (fate.fate == Fate::kHidden || fate.fate == Fate::kPrivate)
    return denied(each, "exec", path, plan::read_grant(path, view_.home()));
  auto kept = plan::not_started(view_, path, paths::basename(path));
  if (!kept) return std::nullopt;
  auto out = denied(each, "exec", path, {});
  out->allow_with = std::move(kept->flag);
  out->rule = std::move(kept->rule);
  return out;
}

bool Observation::may_be_denied(const Reach& reach) const {
  const Step* step = view_.network_step();
  const auto* network = step == nullptr ? nullptr : &std::get<Network>(step->body);
  // The C library asks which of several addresses has a route by connecting to port 0 of each, and sends nothing.
  if (network == nullptr || network->mode == NetworkMode::kFull || reach.port == 0) return false;
  // A name server on the host's loopback is not on the sandbox's own.
  const bool looks_up = network->mode == NetworkMode::kNone && reach.port == kDnsPort;
  if (is_any(reach.address) || (is_loopback(reach.address) && !looks_up)) return false;
  // Whom a made-up address stands for only the relay knows, which is told by whoever hears of this.
  return network->mode == NetworkMode::kNone || reach.datagram ||
         !decide(network->domains, reach.address, reach.port).allowed;
}

namespace {

// What it wanted is the host of that name; the name server was only in between.
void look_up(const Reach& reach, Denial& out) {
  out.allow_with = "--net NAME";
  if (reach.looks_up.empty()) return;
  out.operation = "connect";
  out.resource = out.host = reach.looks_up;
  out.address.clear();
  out.port = 0;
  out.allow_with = flags_for_name(reach.looks_up);
}

}  // namespace

std::optional<Denial> Observation::judge(const Reach& reach) const {
  if (!may_be_denied(reach) || (is_loopback(reach.address) && reach.looks_up.empty())) return std::nullopt;
  const Step* step = view_.network_step();
  const auto& network = std::get<Network>(step->body);
  const DomainDecision decision = decide(network.domains, reach.address, reach.port);
  Denial out;
  out.operation = reach.datagram ? "send" : "connect";
  out.resource = print_host(reach.address, reach.port);
  out.rule = network.mode == NetworkMode::kNone ? "network none (" + step->origin.where + ")" : decision.reason;
  out.allow_with = decision.allow_with;
  out.address = print_address(reach.address);
  out.port = reach.port;
  if (network.mode == NetworkMode::kNone && reach.port == kDnsPort) {
    look_up(reach, out);
  } else if (!reach.datagram) {
    out.grant = Grant{Grant::Kind::kNetwork, out.resource};
  } else {
    if (network.mode == NetworkMode::kDomains) out.rule = "rules by name and address are for TCP, and this is UDP";
    out.allow_with = "--net full";
  }
  out.source = DenialSource::kObserved;
  return out;
}

}  // namespace pinfold::backend::on_linux
