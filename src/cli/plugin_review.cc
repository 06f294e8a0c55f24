// plugin_review.cc: `pinfold plugin show`, `review`, `allow`, `deny` and `revoke`: one plugin at length, and the
// user's decision about it. Invariant: what is recorded is what was shown; nobody is taken to agree who did not type
// the word or say --yes. Not here: the facts (plugin/review.h), the page (src/web).
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plugins.h"
#include "cli/prompt.h"
#include "cli/process_io.h"
#include "cli/web_program.h"
#include "report/table.h"

namespace pinfold::cli {

namespace {

using Json = nlohmann::ordered_json;
using plugin::Approvals;
using report::visible;

enum class Decision { kAllow, kDeny, kNone };

Result<void> record(const PluginDesk& desk, HostView& host, const std::function<void(Approvals&)>& edit) {
  PF_TRY(changed, plugin::ApprovalStore(desk.caller, host).change(edit), "");
  if (changed.set_aside)
    print_warning("the approvals could not be read; they were set aside, and count no more: " + *changed.set_aside,
                  "allow again what you trust", host);
  return {};
}

void tell(const Parsed& parsed, const std::string& id, std::string_view state, const std::string& words) {
  if (given(parsed, Id::kJson))
    print(STDOUT_FILENO, Json{{"id", id}, {"state", state}}.dump(2) + "\n");
  else
    print(STDOUT_FILENO, words + "\n");
}

Decision asked_at_terminal() {
  const auto word = ask_line(
      "\nI understand this plugin can access the resources listed above.\n"
      "Type allow to let it run, deny to refuse it for good; anything else decides nothing: ");
  return word == "allow" ? Decision::kAllow : word == "deny" ? Decision::kDeny : Decision::kNone;
}

// The page, until the person there has decided.
Result<Decision> asked_on_page(const plugin::Review& facts) {
  std::string line = Json::parse(plugin::review_json(facts)).dump() + "\n";
  PF_TRY(face, WebFace::start_review(line), "");
  print(STDOUT_FILENO, face.link() + "\n");
  print(STDERR_FILENO, "Open it in your browser: it works once. Ctrl-C ends the page.\n");
  PF_TRY(word, face.await_decision(), "");
  return word == "allow" ? Decision::kAllow : word == "deny" ? Decision::kDeny : Decision::kNone;
}

Decision decision_of(const Parsed& parsed) {
  if (parsed.command == Command::kPluginAllow && given(parsed, Id::kYes)) return Decision::kAllow;
  return asked_at_terminal();
}

Result<void> settle(const Parsed& parsed, const SeenPlugin& seen, const PluginDesk& desk, Decision decision,
                    HostView& host) {
  const plugin::Manifest& manifest = *seen.plugin->manifest;
  switch (decision) {
    case Decision::kAllow:
      PF_CHECK(record(desk, host, [&](Approvals& all) { plugin::approve(all, manifest, *seen.now); }), "");
      tell(parsed, manifest.id, "approved", fmt::format("allowed: {} {}", manifest.id, manifest.version));
      return {};
    case Decision::kDeny:
      PF_CHECK(record(desk, host, [&](Approvals& all) { plugin::deny(all, manifest.id); }), "");
      tell(parsed, manifest.id, "denied", "denied: " + manifest.id);
      return {};
    case Decision::kNone: break;
  }
  return fail(
      ErrorKind::kRefused, "nothing was decided about " + manifest.id,
      is_terminal(STDIN_FILENO)
          ? ""
          : fmt::format("without a terminal: pinfold plugin allow --yes {0}, or pinfold plugin deny {0}", manifest.id));
}

Result<void> review(const Parsed& parsed, Context& context) {
  PF_TRY(id, one_id(parsed), "");
  PF_TRY(desk, open_plugins(parsed, context.host), "");
  PF_TRY(one, find_plugin(desk, id), "");
  const SeenPlugin seen = look_at(*one, Files::kRead, desk, context.host);
  if (seen.problem) return tl::unexpected<Error>(*seen.problem);
  if (!desk.approvals) print_warning(desk.approvals.error().text(), desk.approvals.error().fix(), context.host);
  const plugin::Review facts = review_of(seen, desk, context.host);
  const bool json = given(parsed, Id::kJson);
  if (parsed.command != Command::kPluginAllow && json) {
    print(STDOUT_FILENO, plugin::review_json(facts));
    return {};
  }
  if (parsed.command == Command::kPluginShow) {
    print(STDOUT_FILENO, plugin::review_text(facts, paper_for(STDOUT_FILENO, context.host)));
    return {};
  }
  if (given(parsed, Id::kOnPage)) {
    PF_TRY(decision, asked_on_page(facts), "");
    return settle(parsed, seen, desk, decision, context.host);
  }
  print(STDERR_FILENO, plugin::review_text(facts, paper_for(STDERR_FILENO, context.host)));
  return settle(parsed, seen, desk, decision_of(parsed), context.host);
}

Result<void> deny_or_revoke(const Parsed& parsed, Context& context) {
  if (parsed.words.empty())
    return fail(ErrorKind::kInvalid, fmt::format("`pinfold {}` needs the id of a plugin", info(parsed.command).name),
                "see: pinfold plugin list");
  PF_TRY(desk, open_plugins(parsed, context.host), "");
  // Also what is not installed, or broken: a decision is about an id.
  for (const std::string& id : parsed.words)
    if (!plugin::is_plugin_id(id))
      return fail(ErrorKind::kInvalid, text::shown(id) + " is not the id of a plugin", "see: pinfold plugin list");
  const bool denies = parsed.command == Command::kPluginDeny;
  std::vector<std::string> unknown;
  PF_CHECK(record(desk, context.host,
                  [&](Approvals& all) {
                    for (const std::string& id : parsed.words)
                      if (denies)
                        plugin::deny(all, id);
                      else if (!plugin::forget(all, id))
                        unknown.push_back(id);
                  }),
           "");
  for (const std::string& id : parsed.words) {
    const bool was = std::find(unknown.begin(), unknown.end(), id) == unknown.end();
    tell(parsed, id, denies ? "denied" : "new",
         denies ? "denied: " + id
         : was  ? "forgotten: " + id
                : id + " was neither allowed nor denied");
  }
  return {};
}

}  // namespace

int plugin_review(const Parsed& parsed, Context& context) {
  const auto done = review(parsed, context);
  return done ? 0 : complain(done.error(), context.host);
}

int plugin_decide(const Parsed& parsed, Context& context) {
  const auto done = deny_or_revoke(parsed, context);
  return done ? 0 : complain(done.error(), context.host);
}

}  // namespace pinfold::cli
