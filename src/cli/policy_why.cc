// policy_why.cc: `pinfold policy why X…`: prints the rule that decides about each subject, and the flag to change it.
// Invariant: explains `pinfold run` with the same flags; --json has the same content.
// Not here: finding the rules (why.cc), changing anything.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/try.h"
#include "base/windows_paths.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "cli/why.h"
#include "plan/compile.h"
#include "report/render.h"
#include "report/table.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using report::visible;
using Json = nlohmann::ordered_json;

std::string text_of(const RuleExplanation& answer, report::Colour colour) {
  std::string out =
      report::paint(visible(answer.subject), report::Paint::kBold, colour) + ": " + visible(answer.decision) + "\n";
  if (!answer.because.empty()) out += "  because: " + visible(answer.because) + "\n";
  if (!answer.change.flag.empty()) out += "  to change: " + visible(answer.change.flag) + "\n";
  if (!answer.change.toml.empty()) out += "  in a policy file: " + visible(answer.change.toml) + "\n";
  return out;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string json_of(const std::vector<RuleExplanation>& all) {
  Json out = Json::array();
  for (const RuleExplanation& one : all) {
    Json change = nullptr;
    if (!one.change.flag.empty() || !one.change.toml.empty())
      change = {{"flag", text_or_null(one.change.flag)}, {"toml", text_or_null(one.change.toml)}};
    out.push_back({{"subject", one.subject},
                   {"decision", one.decision},
                   {"because", text_or_null(one.because)},
                   {"change", std::move(change)}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Converts only words that are written as Windows paths, not hosts, programs or variables.
Result<std::string> in_core(const std::string& word, const Caller& caller) {
  const bool is_path = word.find('\\') != std::string::npos || (word.size() > 1 && word[1] == ':');
  if (caller.platform != Platform::kWindows || !is_path) return word;
  return windows_paths::to_core(word, {caller.working_dir, caller.home});
}

Result<std::string> explain(const CommandLine& parsed, Context& context) {
  if (parsed.words.empty() || std::count(parsed.words.begin(), parsed.words.end(), "") > 0)
    return fail(ErrorKind::kInvalid, "policy why needs a path, host, variable or program", "pinfold policy why ~/.ssh");
  PF_TRY(effective, load_effective_policy(parsed, context));
  std::vector<RuleExplanation> all;
  for (const auto& word : parsed.words) {
    PF_TRY(subject, in_core(word, effective.caller));
    for (RuleExplanation& each :
         explain_subject({subject, effective.caller, effective.read.scope, effective.plan, context.host}))
      all.push_back(std::move(each));
  }
  return has_flag(parsed, Id::kJson) ? json_of(all) : explanations_text(all, colour_for(STDOUT_FILENO, context.host));
}

}  // namespace

Result<EffectivePolicy> load_effective_policy(const CommandLine& parsed, Context& context) {
  PF_TRY(caller, sys::find_caller(context.host));
  PF_TRY(read, load_scope(parsed, caller, context.host));
  plan::Invocation invocation;
  invocation.working_dir = plan::default_working_dir(caller, read.scope.workspaces());
  PF_TRY(plan, plan::compile(read.scope, context.host, invocation));
  return EffectivePolicy{std::move(caller), std::move(read), std::move(plan)};
}

std::string explanations_text(const std::vector<RuleExplanation>& all, report::Colour colour) {
  std::string out;
  for (const RuleExplanation& answer : all) out += text_of(answer, colour);
  return out;
}

int policy_why(const CommandLine& parsed, Context& context) {
  auto text = explain(parsed, context);
  if (!text) return complain(text.error(), context.host);
  print(STDOUT_FILENO, *text);
  return 0;
}

}  // namespace pinfold::cli
