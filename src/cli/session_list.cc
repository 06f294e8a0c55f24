// session_list.cc: `pinfold session list` and `pinfold session stop`.
// Not here: starting one (session_start.cc), the protocol of its socket (control/client.h).
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "control/client.h"
#include "report/table.h"

namespace pinfold::cli {
namespace {

struct SessionRow {
  control::SandboxEntry entry;
  Result<control::event::Description> described;
};

// kNotFound: it has no socket yet. kUnavailable: its process is stopped, or hangs.
std::string_view state_of(const SessionRow& one) {
  if (one.described) return "running";
  if (one.described.error().kind() == ErrorKind::kNotFound) return "starting";
  return one.described.error().kind() == ErrorKind::kUnavailable ? "unresponsive" : "unreachable";
}

Result<std::vector<SessionRow>> list_sessions(HostView& host) {
  PF_TRY(place, control::RuntimeDir::open(host));
  PF_TRY(entries, place.list());
  std::vector<SessionRow> out;
  for (const control::SandboxEntry& entry : entries) {
    if (entry.kind != control::SandboxKind::kSession) continue;
    out.push_back({entry, control::describe(place, entry.id)});
  }
  return out;
}

std::int64_t age_of(const control::event::Description& described) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return std::max<std::int64_t>(now - described.started_at, 0);
}

// "12s", "5m", "3h", "2d"
std::string age_text(std::int64_t seconds) {
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m", seconds / 60);
  if (seconds < 86400) return fmt::format("{}h", seconds / 3600);
  return fmt::format("{}d", seconds / 86400);
}

std::string as_table(const std::vector<SessionRow>& all, report::TextFormat format) {
  using report::Cell;
  using report::Paint;
  std::vector<std::vector<Cell>> rows = {{{"NAME", Paint::kDim},
                                          {"ID", Paint::kDim},
                                          {"AGE", Paint::kDim},
                                          {"RUNNING", Paint::kDim},
                                          {"BACKEND", Paint::kDim},
                                          {"WORKSPACE", Paint::kDim}}};
  for (const SessionRow& one : all) {
    const Cell name{report::visible(one.entry.name), Paint::kBold};
    if (!one.described)
      rows.push_back({name, {one.entry.id}, {std::string(state_of(one))}, {""}, {""}, {""}});
    else
      rows.push_back({name,
                      {one.entry.id},
                      {age_text(age_of(*one.described))},
                      {std::to_string(one.described->commands)},
                      {report::visible(one.described->backend)},
                      {report::visible(one.described->workspace)}});
  }
  return report::table(rows, 0, format.colour);
}

std::string as_json(const std::vector<SessionRow>& all) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const SessionRow& one : all) {
    nlohmann::ordered_json row = {{"name", one.entry.name}, {"id", one.entry.id}, {"state", state_of(one)}};
    if (one.described) {
      row["age_seconds"] = age_of(*one.described);
      row["commands"] = one.described->commands;
      row["backend"] = one.described->backend;
      row["workspace"] = valid_utf8(one.described->workspace);
      row["pid"] = one.described->pid;
    }
    out.push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

// Prints why a session does not respond, and the fix.
void print_problems(const std::vector<SessionRow>& all) {
  for (const SessionRow& one : all) {
    if (one.described || one.described.error().kind() == ErrorKind::kNotFound) continue;
    const Error& error = one.described.error();
    print(STDERR_FILENO, fmt::format("pinfold: session {}: {}\n  {}\n", report::visible(one.entry.name),
                                     report::visible(error.text()), report::visible(error.fix())));
  }
}

Result<void> stop_one(control::RuntimeDir& place, const std::string& name) {
  PF_TRY(entry, place.find(name));
  return control::stop(place, entry.id);
}

}  // namespace

int session_list(const CommandLine& parsed, Context& context) {
  if (!parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "`pinfold session list` takes no names", "pinfold session list"),
                    context.host);
  const auto all = list_sessions(context.host);
  if (!all) return complain(all.error(), context.host);
  if (has_flag(parsed, Id::kJson))
    print(STDOUT_FILENO, as_json(*all));
  else if (all->empty())
    print(STDERR_FILENO, "no session; start one with: pinfold session start\n");
  else
    print(STDOUT_FILENO, as_table(*all, format_for(STDOUT_FILENO, context.host)));
  print_problems(*all);
  return 0;
}

int session_stop(const CommandLine& parsed, Context& context) {
  if (parsed.words.empty())
    return complain(
        Error(ErrorKind::kInvalid, "no session is named", "pinfold session stop NAME; see: pinfold session list"),
        context.host);
  auto place = control::RuntimeDir::open(context.host);
  if (!place) return complain(place.error(), context.host);
  for (const std::string& name : parsed.words)
    if (auto stopped = stop_one(*place, name); !stopped) return complain(stopped.error(), context.host);
  return 0;
}

}  // namespace pinfold::cli
