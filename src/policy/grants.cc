// grants.cc: grants become rules.
// Invariant: a value that the builder would refuse in a flag is refused here.
// Not here: which grants hold (session/apply_grants.cc).
#include "policy/grants.h"

#include <algorithm>

#include "base/domain.h"
#include "base/paths.h"
#include "base/text.h"
#include "policy/presets.h"
#include "policy/rank.h"
#include "policy/scope.h"

namespace pinfold::policy {
namespace {

using text::shown;

Result<void> check_network(const std::string& text) {
  auto rule = parse_rule(text, {});
  if (!rule) return tl::unexpected<Error>(std::move(rule).error());
  if (rule->action == RuleAction::kDeny) return fail(ErrorKind::kInvalid, shown(text) + " denies, and a grant allows");
  return {};
}

// The builder's error for the same flag, if any.
Result<void> check_flag(const Grant& grant, const Caller& caller) {
  PolicyBuilder builder(kEmptyPreset, caller, {});
  if (grant.kind == Grant::Kind::kWrite)
    builder.write(grant.resource, {});
  else
    builder.read(grant.resource, {});
  if (builder.problems().empty()) return {};
  std::string why = builder.problems()[0];
  if (why.starts_with("policy: ")) why.erase(0, std::string_view("policy: ").size());
  return fail(ErrorKind::kInvalid, std::move(why));
}

Result<void> check_path(const std::string& path, Grant::Kind kind, const Caller& caller) {
  if (!path.starts_with('/') || path.find('\0') != std::string::npos || paths::normal(path) != path)
    return fail(ErrorKind::kInvalid, shown(path) + " is not a whole path in its plain spelling");
  if (path == "/") return fail(ErrorKind::kInvalid, "/ would open the whole system");
  if (caller.home.starts_with('/') && paths::at_or_beneath(paths::normal(caller.home), path))
    return fail(ErrorKind::kInvalid, shown(path) + " would open the whole home directory");
  return check_flag({kind, path}, {caller.home, "/"});
}

void add_name(Policy& policy, const StandingGrant& one) {
  NetworkRule& network = policy.network;
  const bool typed = network.origin.source >= Source::kFlag && !is_grant(network.origin);
  if (network.mode == NetworkMode::kFull || (network.mode == NetworkMode::kNone && typed)) return;
  auto rule = parse_rule(one.grant.resource, one.origin);
  if (!rule) return;
  if (network.mode == NetworkMode::kNone) {
    network = {NetworkMode::kDomains, {}, one.origin};
    for (const char* path : kNameServices)
      policy.paths.push_back({path, Access::kHide, Missing::kSkip, {Source::kPreset, "preset " + policy.profile}});
  }
  auto& list = network.domains;
  if (std::none_of(list.begin(), list.end(), [&](const DomainRule& each) { return same_rule(each, *rule); }))
    list.push_back(std::move(*rule));
}

}  // namespace

Origin grant_origin(std::uint64_t number, const std::string& date) {
  return {Source::kFlag, "grant " + std::to_string(number) + ", always, " + date, kGrantLayer};
}

Result<void> check_grant(const Grant& grant, const Caller& caller) {
  if (grant.kind == Grant::Kind::kNetwork) return check_network(grant.resource);
  return check_path(grant.resource, grant.kind, caller);
}

void add_grants(Policy& policy, const std::vector<StandingGrant>& grants) {
  if (policy.profile == kFullAccessPreset) return;
  for (const StandingGrant& one : grants) {
    if (one.grant.kind == Grant::Kind::kNetwork) {
      add_name(policy, one);
      continue;
    }
    // Within one layer the stricter rule wins; but of two grants for one path the wider one must hold.
    const Grant wider{Grant::Kind::kWrite, one.grant.resource};
    const bool written =
        std::any_of(grants.begin(), grants.end(), [&](const auto& each) { return each.grant == wider; });
    if (one.grant.kind == Grant::Kind::kRead && written) continue;
    const Access access = written ? Access::kWrite : Access::kRead;
    policy.paths.push_back({one.grant.resource, access, Missing::kSkip, one.origin});
  }
}

namespace {

PathRule live_rule(const Grant& grant) {
  const bool writes = grant.kind == Grant::Kind::kWrite;
  return {grant.resource,
          writes ? Access::kWrite : Access::kRead,
          Missing::kError,
          {Source::kApi, writes ? "--write, granted during the run" : "--read, granted during the run", kLiveLayer}};
}

}  // namespace

Result<void> add_live_grants(Policy& policy, const std::vector<Grant>& grants, HostView& host) {
  std::vector<Grant> inner;  // those in a directory that was granted for writing, too
  for (const Grant& one : grants) {
    if (one.kind == Grant::Kind::kNetwork) continue;
    if (auto checked = check_flag(one, {"/", "/"}); !checked) return checked;
    const auto written = [&](auto&& covers) {
      return std::any_of(grants.begin(), grants.end(),
                         [&](const Grant& each) { return each.kind == Grant::Kind::kWrite && covers(each.resource); });
    };
    if (one.kind == Grant::Kind::kRead && written([&](const std::string& at) { return at == one.resource; })) continue;
    if (written([&](const std::string& at) { return paths::beneath(one.resource, at); }))
      inner.push_back(one);
    else
      policy.paths.push_back(live_rule(one));
  }
  if (inner.empty()) return {};
  // A path that is hidden or protected keeps its own grant; for other paths the narrower grant would be a limit.
  auto around = Scope::build(policy, host);
  if (!around) return tl::unexpected<Error>(std::move(around).error());
  for (const Grant& one : inner)
    if (around->decide(one.resource).access != Access::kWrite) policy.paths.push_back(live_rule(one));
  return {};
}

}  // namespace pinfold::policy
