// grants_why.cc: `pinfold grants why X…`: which grant allows one path or host; where none does, what the policy says.
// Invariant: a grant is named only if the run's own decision rests on it.
// Not here: what the policy says (why.cc), the store (session/grant_store.cc).
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

// The rule that shows the path, or lets the host be reached; null: none does.
const Origin* allowed_by(const WhyQuestion& question) {
  const NetworkRule& network = question.scope.policy().network;
  const HostAsked asked = meant_as_host(question);
  if (asked.host.empty()) {
    const policy::Decision decision = question.scope.decide(path_meant(question));
    const bool rule_decides = decision.pattern == nullptr && decision.protection == nullptr;
    return decision.access != Access::kHide && rule_decides && decision.rule != nullptr ? &decision.rule->origin
                                                                                        : nullptr;
  }
  const auto host = parse_host(asked.host);
  if (!host || network.mode != NetworkMode::kDomains) return nullptr;
  return std::visit(
      [&](const auto& to) -> const Origin* {
        const auto ports = granted_ports(network.domains, to);
        if (!asked.port && ports.empty()) return nullptr;
        const DomainDecision decision = decide(network.domains, to, asked.port.value_or(ports.empty() ? 0 : ports[0]));
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

Result<std::string> explain(const Parsed& parsed, Context& context) {
  if (parsed.words.empty() || std::count(parsed.words.begin(), parsed.words.end(), "") > 0)
    return fail(ErrorKind::kInvalid, "grants why needs a path or a host", "pinfold grants why ~/data");
  PF_TRY(held, obeyed(parsed, context), "");
  const auto stored = session::GrantStore(held.caller, context.host).list({true, held.read.scope.workspaces()});
  const report::Colour colour = colour_for(STDOUT_FILENO, context.host);
  std::string out;
  for (const std::string& word : parsed.words) {
    const WhyQuestion question{word, held.caller, held.read.scope, held.plan, context.host};
    if (const StoredGrant* one = grant_behind(allowed_by(question), stored.grants))
      out += fmt::format("{}: allowed by {}\n  to take it back: pinfold grants revoke {}\n",
                         report::paint(visible(word), report::Paint::kBold, colour), describe(*one), one->number);
    else
      out += "no grant decides; " + in_words(answers(question), colour);
  }
  return out;
}

}  // namespace

int grants_why(const Parsed& parsed, Context& context) {
  const auto text = explain(parsed, context);
  if (!text) return complain(text.error(), context.host);
  print(STDOUT_FILENO, *text);
  return 0;
}

}  // namespace pinfold::cli
