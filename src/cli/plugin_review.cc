// plugin_review.cc: `pinfold plugin show`, `review`, `allow`, `deny` and `revoke`: one plugin in detail, and the user's
// decision about it. Invariant: the recorded approval is for exactly the files that were shown; it needs the typed word
// or --yes. Not here: the facts (plugin/review.h), the page (src/web).
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plugins.h"
#include "cli/process_io.h"
#include "cli/prompt.h"
#include "cli/web_program.h"
#include "report/table.h"

namespace pinfold::cli {

namespace {

using Json = nlohmann::ordered_json;
using plugin::Approvals;
using report::visible;

enum class Decision { kAllow, kDeny, kNone };

Result<void> record(const PluginCatalog& catalog, HostView& host, const std::function<void(Approvals&)>& edit) {
  PF_TRY(changed, plugin::ApprovalStore(catalog.caller, host).change(edit));
  if (changed.set_aside)
    print_warning(
        "the approvals could not be read, so none is in force; the file was renamed aside: " + *changed.set_aside,
        "allow each plugin that you trust again: pinfold plugin allow ID", host);
  return {};
}

void print_state(const CommandLine& parsed, const std::string& id, std::string_view state, const std::string& words) {
  if (has_flag(parsed, Id::kJson))
    print(STDOUT_FILENO, Json{{"id", id}, {"state", state}}.dump(2) + "\n");
  else
    print(STDOUT_FILENO, words + "\n");
}

Decision ask_at_terminal() {
  const auto word = ask_line(
      "\nI understand this plugin can access the resources listed above.\n"
      "Type allow to let it run, or deny to refuse it; anything else leaves it undecided: ");
  return word == "allow" ? Decision::kAllow : word == "deny" ? Decision::kDeny : Decision::kNone;
}

// Shows the web page, and waits for the user's decision.
Result<Decision> ask_on_page(const plugin::Review& facts) {
  std::string line = Json::parse(plugin::review_json(facts)).dump() + "\n";
  PF_TRY(program, WebProgram::start_review(line));
  print(STDOUT_FILENO, program.link() + "\n");
  print(STDERR_FILENO, "Open this link in your browser; it works once. Ctrl-C ends the page.\n");
  PF_TRY(word, program.await_decision());
  return word == "allow" ? Decision::kAllow : word == "deny" ? Decision::kDeny : Decision::kNone;
}

Decision decision_of(const CommandLine& parsed) {
  if (parsed.command == Command::kPluginAllow && has_flag(parsed, Id::kYes)) return Decision::kAllow;
  return ask_at_terminal();
}

Result<void> apply_decision(const CommandLine& parsed, const PluginInfo& info, const PluginCatalog& catalog,
                            Decision decision, HostView& host) {
  const plugin::Manifest& manifest = *info.plugin->manifest;
  switch (decision) {
    case Decision::kAllow:
      PF_CHECK(record(catalog, host, [&](Approvals& all) { plugin::approve(all, manifest, *info.now); }));
      print_state(parsed, manifest.id, "approved", fmt::format("allowed: {} {}", manifest.id, manifest.version));
      return {};
    case Decision::kDeny:
      PF_CHECK(record(catalog, host, [&](Approvals& all) { plugin::deny(all, manifest.id); }));
      print_state(parsed, manifest.id, "denied", "denied: " + manifest.id);
      return {};
    case Decision::kNone: break;
  }
  return fail(
      ErrorKind::kRefused, "no decision was made about " + manifest.id,
      is_terminal(STDIN_FILENO)
          ? ""
          : fmt::format("without a terminal: pinfold plugin allow --yes {0}, or pinfold plugin deny {0}", manifest.id));
}

Result<void> review(const CommandLine& parsed, Context& context) {
  PF_TRY(id, required_id(parsed));
  PF_TRY(catalog, open_plugins(parsed, context.host));
  PF_TRY(one, find_plugin(catalog, id));
  const PluginInfo info = inspect_plugin(*one, Hashing::kAllFiles, catalog, context.host);
  if (info.problem) return tl::unexpected<Error>(*info.problem);
  if (!catalog.approvals)
    print_warning(catalog.approvals.error().text(), catalog.approvals.error().fix(), context.host);
  const plugin::Review facts = review_of(info, catalog, context.host);
  const bool json = has_flag(parsed, Id::kJson);
  if (parsed.command != Command::kPluginAllow && json) {
    print(STDOUT_FILENO, plugin::review_json(facts));
    return {};
  }
  if (parsed.command == Command::kPluginShow) {
    print(STDOUT_FILENO, plugin::review_text(facts, format_for(STDOUT_FILENO, context.host)));
    return {};
  }
  if (has_flag(parsed, Id::kOnPage)) {
    PF_TRY(decision, ask_on_page(facts));
    return apply_decision(parsed, info, catalog, decision, context.host);
  }
  print(STDERR_FILENO, plugin::review_text(facts, format_for(STDERR_FILENO, context.host)));
  return apply_decision(parsed, info, catalog, decision_of(parsed), context.host);
}

Result<void> deny_or_revoke(const CommandLine& parsed, Context& context) {
  if (parsed.words.empty())
    return fail(ErrorKind::kInvalid, fmt::format("`pinfold {}` needs the id of a plugin", info(parsed.command).name),
                "see: pinfold plugin list");
  PF_TRY(catalog, open_plugins(parsed, context.host));
  // Also for plugins that are broken or not installed: a decision is about an id.
  for (const std::string& id : parsed.words)
    if (!plugin::is_plugin_id(id))
      return fail(ErrorKind::kInvalid, text::shown(id) + " is not the id of a plugin", "see: pinfold plugin list");
  const bool denies = parsed.command == Command::kPluginDeny;
  std::vector<std::string> unknown;
  PF_CHECK(record(catalog, context.host, [&](Approvals& all) {
    for (const std::string& id : parsed.words)
      if (denies)
        plugin::deny(all, id);
      else if (!plugin::forget(all, id))
        unknown.push_back(id);
  }));
  for (const std::string& id : parsed.words) {
    const bool was = std::find(unknown.begin(), unknown.end(), id) == unknown.end();
    print_state(parsed, id, denies ? "denied" : "new",
                denies ? "denied: " + id
                : was  ? "decision deleted: " + id
                       : id + " was neither allowed nor denied");
  }
  return {};
}

}  // namespace

int plugin_review(const CommandLine& parsed, Context& context) {
  const auto done = review(parsed, context);
  return done ? 0 : complain(done.error(), context.host);
}

int plugin_decide(const CommandLine& parsed, Context& context) {
  const auto done = deny_or_revoke(parsed, context);
  return done ? 0 : complain(done.error(), context.host);
}

}  // namespace pinfold::cli
