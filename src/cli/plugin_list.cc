// plugin_list.cc: `pinfold plugin list` and `plugin doctor`: which plugins there are, and could they run?
// Invariant: a plugin that is broken is a line like any other; nothing of a plugin is run.
// Not here: one plugin at length (plugin_review.cc).
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plugin_start.h"
#include "cli/plugins.h"
#include "cli/process_io.h"
#include "report/gaps.h"
#include "report/outcome.h"
#include "report/table.h"
#include "supervisor/choose.h"

namespace pinfold::cli {

namespace {

using Json = nlohmann::ordered_json;
using plugin::State;
using report::Cell;
using report::Paint;
using report::visible;

Paint paint_of(State state) {
  switch (state) {
    case State::kApproved: return Paint::kGood;
    case State::kNew: return Paint::kBold;
    case State::kChanged: return Paint::kWarn;
    default: return Paint::kBad;
  }
}

Paint paint_of(RiskLevel level) {
  return level == RiskLevel::kHigh ? Paint::kBad : level == RiskLevel::kMedium ? Paint::kWarn : Paint::kGood;
}

std::string why(const SeenPlugin& seen) {
  if (seen.problem) return seen.problem->text();
  if (seen.standing.state != State::kChanged) return {};
  std::string out;
  if (seen.standing.difference)
    out = fmt::format("asks for {} more, {} less", seen.standing.difference->added.size(),
                      seen.standing.difference->removed.size());
  if (seen.standing.code_changed) out += out.empty() ? "its code changed" : "; its code changed";
  return out;
}

std::string first_line(const std::string& text) {
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? text : text.substr(0, end) + " …";
}

std::string as_table(const std::vector<SeenPlugin>& all, const std::string& home, report::Paper paper) {
  std::vector<std::vector<Cell>> rows = {{}};
  for (const char* head : {"ID", "VERSION", "STATE", "RISK", "NAME"}) rows[0].push_back({head, Paint::kDim});
  for (const SeenPlugin& seen : all) {
    const auto& manifest = seen.plugin->manifest;
    Cell risk{"-", Paint::kDim};
    if (manifest) {
      const RiskLevel level = plugin::risk_of(manifest->permissions, home).level;
      risk = {std::string(plugin::level_word(level)), paint_of(level)};
    }
    const std::string more = first_line(why(seen));
    rows.push_back(
        {{visible(manifest ? manifest->id : seen.plugin->name), Paint::kBold},
         {manifest ? visible(manifest->version) : "-"},
         {std::string(plugin::state_word(seen.standing.state)), paint_of(seen.standing.state)},
         std::move(risk),
         {!manifest ? visible(more) : visible(manifest->name) + (more.empty() ? "" : " (" + visible(more) + ")")}});
  }
  return report::table(rows, 0, paper);
}

std::string no_plugins(const PluginDesk& desk) {
  return fmt::format("there are no plugins in {}\n  to take one over: pinfold plugin import FILE [NAME]\n",
                     visible(desk.directory));
}

Json row_of(const SeenPlugin& seen, const std::string& home) {
  const auto& manifest = seen.plugin->manifest;
  Json row = {{"id", manifest ? Json(manifest->id) : Json(nullptr)},
              {"folder", valid_utf8(seen.plugin->folder)},
              {"state", plugin::state_word(seen.standing.state)},
              {"name", nullptr},
              {"version", nullptr},
              {"risk", nullptr},
              {"points", nullptr},
              {"permissions_hash", nullptr},
              {"files_hash", nullptr},
              {"why", valid_utf8(why(seen))}};
  if (manifest) {
    const plugin::PluginRisk risk = plugin::risk_of(manifest->permissions, home);
    row["name"] = valid_utf8(manifest->name);
    row["version"] = manifest->version;
    row["risk"] = plugin::level_word(risk.level);
    row["points"] = risk.score;
  }
  if (seen.now) {
    row["permissions_hash"] = seen.now->permissions_hash;
    row["files_hash"] = seen.now->files_hash;
  }
  return row;
}

// What is wrong besides the plugins themselves; the exit code that it means.
int tell_problems(const PluginDesk& desk, HostView& host) {
  int code = 0;
  for (const Error& problem : desk.plugins.problems) code = complain(problem, host);
  if (!desk.approvals) code = complain(desk.approvals.error(), host);
  return code;
}

struct Finding {
  const plugin::Installed* plugin = nullptr;
  std::string runs_with;         // the interpreter, or the entry
  std::optional<Error> problem;  // none: it could run
};

// Everything up to the start: the walls are raised, and taken down again.
Finding examine(const plugin::Installed& one, const PluginDesk& desk, Context& context) {
  Finding out;
  out.plugin = &one;
  const auto check = [&]() -> Result<void> {
    if (one.problem) return tl::unexpected<Error>(*one.problem);
    PF_CHECK(plugin::fingerprint_of(one), "");
    PF_TRY(start, plan_plugin(one, desk.caller, context.host), "");
    out.runs_with = start.confined.interpreter.empty() ? start.confined.argv[0] : start.confined.interpreter;
    PF_TRY(candidates, find_candidates(context.registry, "auto"), "");
    supervisor::Choice choice(candidates, start.plan, supervisor::Choice::First::kRehearse);
    PF_CHECK(choice.make(), "");
    const std::vector<Coverage> gaps = gaps_that_refuse(choice.sandbox()->coverage());
    if (gaps.empty()) return {};
    return fail(ErrorKind::kUnavailable,
                fmt::format("{} is required and not fully enforced here: {}", gaps[0].step, gaps[0].gap),
                "see: pinfold doctor");
  };
  if (auto fine = check(); !fine) out.problem = std::move(fine).error();
  return out;
}

}  // namespace

int plugin_list(const Parsed& parsed, Context& context) {
  if (!parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "`pinfold plugin list` takes no names", "pinfold plugin show ID"),
                    context.host);
  auto desk = open_plugins(parsed, context.host);
  if (!desk) return complain(desk.error(), context.host);
  std::vector<SeenPlugin> all;
  for (const plugin::Installed& one : desk->plugins.all) all.push_back(look_at(one, Files::kRead, *desk, context.host));
  if (given(parsed, Id::kJson)) {
    Json out = Json::array();
    for (const SeenPlugin& seen : all) out.push_back(row_of(seen, desk->caller.home));
    print(STDOUT_FILENO, out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (all.empty()) {
    print(STDOUT_FILENO, no_plugins(*desk));
  } else {
    print(STDOUT_FILENO, as_table(all, desk->caller.home, paper_for(STDOUT_FILENO, context.host)));
  }
  return tell_problems(*desk, context.host);
}

int plugin_doctor(const Parsed& parsed, Context& context) {
  auto desk = open_plugins(parsed, context.host);
  if (!desk) return complain(desk.error(), context.host);
  std::vector<Finding> all;
  if (parsed.words.empty())
    for (const plugin::Installed& one : desk->plugins.all) all.push_back(examine(one, *desk, context));
  for (const std::string& id : parsed.words) {
    const auto one = find_plugin(*desk, id);
    if (!one) return complain(one.error(), context.host);
    all.push_back(examine(**one, *desk, context));
  }
  bool broken = false;
  Json json = Json::array();
  std::vector<std::vector<Cell>> rows;
  for (const Finding& one : all) {
    const std::string id = one.plugin->manifest ? one.plugin->manifest->id : one.plugin->name;
    const bool fine = !one.problem;
    broken = broken || !fine;
    json.push_back({{"id", valid_utf8(id)},
                    {"ok", fine},
                    {"runs_with", valid_utf8(one.runs_with)},
                    {"problem", fine ? Json(nullptr) : Json(valid_utf8(one.problem->text()))},
                    {"fix", fine ? Json(nullptr) : Json(valid_utf8(one.problem->fix()))}});
    const std::string story = fine ? "starts " + one.runs_with : one.problem->text();
    for (std::size_t at = 0; at <= story.size();) {
      const std::size_t end = std::min(story.find('\n', at), story.size());
      const bool first = at == 0;
      rows.push_back({{first ? visible(id) : "", Paint::kBold},
                      {!first ? ""
                       : fine ? "ok"
                              : "broken",
                       fine ? Paint::kGood : Paint::kBad},
                      {visible(story.substr(at, end - at))}});
      at = end + 1;
    }
    if (!fine && !one.problem->fix().empty())
      rows.push_back({{""}, {"fix", Paint::kDim}, {visible(one.problem->fix())}});
  }
  if (given(parsed, Id::kJson))
    print(STDOUT_FILENO, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  else if (all.empty())
    print(STDOUT_FILENO, no_plugins(*desk));
  else
    print(STDOUT_FILENO, report::table(rows, 0, colour_for(STDOUT_FILENO, context.host)));
  const int code = tell_problems(*desk, context.host);
  return code != 0 ? code : broken ? 1 : 0;
}

}  // namespace pinfold::cli
