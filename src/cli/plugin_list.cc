// plugin_list.cc: `pinfold plugin list` and `plugin doctor`: lists plugins, and checks whether they could run.
// Invariant: a broken plugin is listed too; no code of a plugin is run.
// Not here: one plugin in detail (plugin_review.cc).
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

std::string why(const PluginInfo& info) {
  if (info.problem) return info.problem->text();
  if (info.status.state != State::kChanged) return {};
  std::string out;
  if (info.status.difference)
    out = fmt::format("asks for {} more, {} less", info.status.difference->added.size(),
                      info.status.difference->removed.size());
  if (info.status.code_changed) out += out.empty() ? "its code changed" : "; its code changed";
  return out;
}

std::string first_line(const std::string& text) {
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? text : text.substr(0, end) + " …";
}

std::string as_table(const std::vector<PluginInfo>& all, const std::string& home, report::TextFormat format) {
  std::vector<std::vector<Cell>> rows = {{}};
  for (const char* head : {"ID", "VERSION", "STATE", "RISK", "NAME"}) rows[0].push_back({head, Paint::kDim});
  for (const PluginInfo& info : all) {
    const auto& manifest = info.plugin->manifest;
    Cell risk{"-", Paint::kDim};
    if (manifest) {
      const RiskLevel level = plugin::risk_of(manifest->permissions, home).level;
      risk = {std::string(plugin::level_word(level)), paint_of(level)};
    }
    const std::string more = first_line(why(info));
    rows.push_back(
        {{visible(manifest ? manifest->id : info.plugin->name), Paint::kBold},
         {manifest ? visible(manifest->version) : "-"},
         {std::string(plugin::state_word(info.status.state)), paint_of(info.status.state)},
         std::move(risk),
         {!manifest ? visible(more) : visible(manifest->name) + (more.empty() ? "" : " (" + visible(more) + ")")}});
  }
  return report::table(rows, 0, format);
}

std::string no_plugins(const PluginCatalog& catalog) {
  return fmt::format("there are no plugins in {}\n  to import one: pinfold plugin import FILE [NAME]\n",
                     visible(catalog.directory));
}

Json row_of(const PluginInfo& info, const std::string& home) {
  const auto& manifest = info.plugin->manifest;
  Json row = {{"id", manifest ? Json(manifest->id) : Json(nullptr)},
              {"folder", valid_utf8(info.plugin->folder)},
              {"state", plugin::state_word(info.status.state)},
              {"name", nullptr},
              {"version", nullptr},
              {"risk", nullptr},
              {"points", nullptr},
              {"permissions_hash", nullptr},
              {"files_hash", nullptr},
              {"why", valid_utf8(why(info))}};
  if (manifest) {
    const plugin::PluginRisk risk = plugin::risk_of(manifest->permissions, home);
    row["name"] = valid_utf8(manifest->name);
    row["version"] = manifest->version;
    row["risk"] = plugin::level_word(risk.level);
    row["points"] = risk.score;
  }
  if (info.now) {
    row["permissions_hash"] = info.now->permissions_hash;
    row["files_hash"] = info.now->files_hash;
  }
  return row;
}

// Prints the problems that are not of one plugin; returns their exit code, or 0.
int print_problems_besides(const PluginCatalog& catalog, HostView& host) {
  int code = 0;
  for (const Error& problem : catalog.plugins.problems) code = complain(problem, host);
  if (!catalog.approvals) code = complain(catalog.approvals.error(), host);
  return code;
}

struct DoctorResult {
  const plugin::InstalledPlugin* plugin = nullptr;
  std::string runs_with;         // the interpreter, or the entry
  std::optional<Error> problem;  // none: it could run
};

// Does all steps up to the start: sets the sandbox up, and removes it again.
DoctorResult examine(const plugin::InstalledPlugin& one, const PluginCatalog& catalog, Context& context) {
  DoctorResult out;
  out.plugin = &one;
  const auto check = [&]() -> Result<void> {
    if (one.problem) return tl::unexpected<Error>(*one.problem);
    PF_CHECK(plugin::fingerprint_of(one));
    PF_TRY(start, plan_plugin(one, catalog.caller, context.host));
    out.runs_with = start.confined.interpreter.empty() ? start.confined.argv[0] : start.confined.interpreter;
    PF_TRY(candidates, find_candidates(context.registry, "auto"));
    supervisor::Choice choice(candidates, start.plan, supervisor::Choice::First::kRehearse);
    PF_CHECK(choice.make());
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

int plugin_list(const CommandLine& parsed, Context& context) {
  if (!parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "`pinfold plugin list` takes no names", "pinfold plugin show ID"),
                    context.host);
  auto catalog = open_plugins(parsed, context.host);
  if (!catalog) return complain(catalog.error(), context.host);
  std::vector<PluginInfo> all;
  for (const plugin::InstalledPlugin& one : catalog->plugins.all)
    all.push_back(inspect_plugin(one, Hashing::kAllFiles, *catalog, context.host));
  if (has_flag(parsed, Id::kJson)) {
    Json out = Json::array();
    for (const PluginInfo& info : all) out.push_back(row_of(info, catalog->caller.home));
    print(STDOUT_FILENO, out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (all.empty()) {
    print(STDOUT_FILENO, no_plugins(*catalog));
  } else {
    print(STDOUT_FILENO, as_table(all, catalog->caller.home, format_for(STDOUT_FILENO, context.host)));
  }
  return print_problems_besides(*catalog, context.host);
}

int plugin_doctor(const CommandLine& parsed, Context& context) {
  auto catalog = open_plugins(parsed, context.host);
  if (!catalog) return complain(catalog.error(), context.host);
  std::vector<DoctorResult> all;
  if (parsed.words.empty())
    for (const plugin::InstalledPlugin& one : catalog->plugins.all) all.push_back(examine(one, *catalog, context));
  for (const std::string& id : parsed.words) {
    const auto one = find_plugin(*catalog, id);
    if (!one) return complain(one.error(), context.host);
    all.push_back(examine(**one, *catalog, context));
  }
  bool broken = false;
  Json json = Json::array();
  std::vector<std::vector<Cell>> rows;
  for (const DoctorResult& one : all) {
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
  if (has_flag(parsed, Id::kJson))
    print(STDOUT_FILENO, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  else if (all.empty())
    print(STDOUT_FILENO, no_plugins(*catalog));
  else
    print(STDOUT_FILENO, report::table(rows, 0, colour_for(STDOUT_FILENO, context.host)));
  const int code = print_problems_besides(*catalog, context.host);
  return code != 0 ? code : broken ? 1 : 0;
}

}  // namespace pinfold::cli
