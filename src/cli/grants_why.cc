// grants_why.cc: `pinfold grants why X…`: prints the grant that allows a path or host, or else the policy's decision.
// Invariant: a grant is named only if the run's own decision comes from it.
// Not here: the policy's decision (why.cc), the store (session/grant_store.cc).
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/domain.h"
#include "base/paths.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/grants_view.h"
#include "cli/process_io.h"
#include "cli/why.h"
#include "cli/why_host.h"
#include "policy/grants.h"
#include "report/table.h"
#include "session/apply_grants.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using report::visible;
using session::StoredGrant;

// The origin of the rule that allows the path or host; null if no rule does.
const Origin* allowed_by(const RuleQuery& rule_query) {
  const NetworkRule& network = rule_query.scope.policy().network;
  const HostQuery query = host_query(rule_query);
  if (query.host.empty()) {
    const policy::Decision decision = rule_query.scope.decide(canonical_subject(rule_query));
    const bool rule_decides = decision.pattern == nullptr && decision.protection == nullptr;
    return decision.access != Access::kHide && rule_decides && decision.rule != nullptr ? &decision.rule->origin
                                                                                        : nullptr;
  }
  const auto host = parse_host(query.host);
  if (!host || network.mode != NetworkMode::kDomains) return nullptr;
  return std::visit(
      [&](const auto& to) -> const Origin* {
        const auto ports = granted_ports(network.domains, to);
        if (!query.port && ports.empty()) return nullptr;
        const DomainDecision decision = decide(network.domains, to, query.port.value_or(ports.empty() ? 0 : ports[0]));
        return decision.allowed ? &decision.rule->origin : nullptr;
      },
      *host);
}

const StoredGrant* grant_behind(const Origin* origin, const std::vector<StoredGrant>& all) {
  if (origin == nullptr) return nullptr;
  const auto found = std::find_if(all.begin(), all.end(), [&](const StoredGrant& one) {
    const Origin by = policy::grant_origin(one.number, session::date_of(one));
    return same_layer(by, *origin) && by.where == origin->where;
  });
  return found == all.end() ? nullptr : &*found;
}

Result<std::string> explain(const CommandLine& parsed, Context& context) {
  if (parsed.words.empty() || std::count(parsed.words.begin(), parsed.words.end(), "") > 0)
    return fail(ErrorKind::kInvalid, "grants why needs a path or a host", "pinfold grants why ~/data");
  PF_TRY(effective, load_effective_policy(parsed, context));
  const auto stored =
      session::GrantStore(effective.caller, context.host).list({true, effective.read.scope.workspaces()});
  const report::Colour colour = colour_for(STDOUT_FILENO, context.host);
  std::string out;
  for (const std::string& word : parsed.words) {
    const RuleQuery rule_query{word, effective.caller, effective.read.scope, effective.plan, context.host};
    if (const StoredGrant* one = grant_behind(allowed_by(rule_query), stored.grants))
      out += fmt::format("{}: allowed by {}\n  to revoke it: pinfold grants revoke {}\n",
                         report::paint(visible(word), report::Paint::kBold, colour), describe(*one), one->number);
    else
      out += "no grant applies; " + explanations_text(explain_subject(rule_query), colour);
  }
  return out;
}

}  // namespace

int grants_why(const CommandLine& parsed, Context& context) {
  const auto text = explain(parsed, context);
  if (!text) return complain(text.error(), context.host);
  print(STDOUT_FILENO, *text);
  return 0;
}

}  // namespace pinfold::cli
