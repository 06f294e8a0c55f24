// stats.cc: `pinfold stats`: counts of runs, denials, questions and answers, by program and by resource.
// Invariant: text and JSON have the same numbers; the text has the first rows, the JSON all.
// Not here: counting (session/runs.cc).
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "cli/since.h"
#include "report/table.h"
#include "session/journal_reader.h"
#include "session/runs.h"
#include "settings/files.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using Json = nlohmann::ordered_json;
using report::Cell;
using report::Paint;
using session::Counts;
using session::Tally;

constexpr std::size_t kRows = 10;
constexpr std::size_t kMaxName = 100;

struct NamedCounts {
  std::string name;
  const Counts* counts;
};

// The most denied first, then the busiest, then by name.
void sort(std::vector<NamedCounts>& all) {
  std::stable_sort(all.begin(), all.end(), [](const NamedCounts& a, const NamedCounts& b) {
    return std::tuple(a.counts->denials, a.counts->hits, a.counts->runs) >
           std::tuple(b.counts->denials, b.counts->hits, b.counts->runs);
  });
}

std::vector<NamedCounts> programs_of(const Tally& tally) {
  std::vector<NamedCounts> out;
  for (const auto& [name, counts] : tally.programs) out.push_back({name, &counts});
  sort(out);
  return out;
}

std::vector<NamedCounts> resources_of(const Tally& tally) {
  std::vector<NamedCounts> out;
  for (const auto& [what, counts] : tally.resources) out.push_back({what.first + " " + what.second, &counts});
  sort(out);
  return out;
}

struct Column {
  const char* title;
  std::uint64_t Counts::*count;
};

// Numbers are aligned to the right.
std::string counts_table(const std::string& title, const std::vector<NamedCounts>& all, std::vector<Column> columns,
                         const Counts& total, report::Colour colour) {
  if (all.empty()) return {};
  // Leave out columns of zeros.
  std::erase_if(columns, [&](const Column& one) { return total.*one.count == 0; });
  std::vector<std::vector<std::string>> texts(1);
  for (const Column& one : columns) texts[0].emplace_back(one.title);
  for (std::size_t i = 0; i < std::min(all.size(), kRows); ++i) {
    texts.emplace_back();
    for (const Column& one : columns) texts.back().push_back(std::to_string(all[i].counts->*one.count));
  }
  std::vector<std::vector<Cell>> rows;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string name = i == 0 ? title : "  " + report::visible(all[i - 1].name);
    if (name.size() > kMaxName) name = std::string(utf8_head(name, kMaxName)) + "…";
    rows.push_back({{std::move(name), i == 0 ? Paint::kBold : Paint::kNone}});
    for (std::size_t column = 0; column < columns.size(); ++column) {
      std::size_t width = 0;
      for (const auto& row : texts) width = std::max(width, row[column].size());
      rows.back().push_back(
          {std::string(width - texts[i][column].size(), ' ') + texts[i][column], i == 0 ? Paint::kDim : Paint::kNone});
    }
  }
  std::string out = "\n" + report::table(rows, 0, colour);
  if (all.size() > kRows) out += fmt::format("  and {} more: pinfold stats --json\n", all.size() - kRows);
  return out;
}

std::string list_of(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [name, count] : order) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name);
  return report::visible(out);
}

std::string stats_text(const Tally& tally, report::TextFormat format) {
  std::uint64_t ended = 0;
  for (const auto& [word, count] : tally.outcomes) ended += count;
  auto outcomes = tally.outcomes;
  if (tally.all.runs > ended) outcomes["without an end"] = tally.all.runs - ended;
  std::vector<std::vector<Cell>> rows;
  const auto row = [&](const char* name, std::uint64_t count, std::string says) {
    rows.push_back({{name, Paint::kBold}, {fmt::format("{:>7}", count)}, {std::move(says), Paint::kDim}});
  };
  row("runs", tally.all.runs, list_of(outcomes));
  row("denials", tally.all.denials,
      tally.all.hits > 0 ? fmt::format("tried {} time{}", tally.all.hits, tally.all.hits == 1 ? "" : "s") : "");
  row("requests", tally.all.requests, "");
  row("decisions", tally.all.decisions, list_of(tally.decisions));
  std::string out = report::table(rows, 0, format);
  out += counts_table("by program", programs_of(tally),
                      {{"runs", &Counts::runs},
                       {"denials", &Counts::denials},
                       {"hits", &Counts::hits},
                       {"requests", &Counts::requests},
                       {"decisions", &Counts::decisions}},
                      tally.all, format.colour);
  out += counts_table("by resource", resources_of(tally),
                      {{"denials", &Counts::denials},
                       {"hits", &Counts::hits},
                       {"requests", &Counts::requests},
                       {"decisions", &Counts::decisions}},
                      tally.all, format.colour);
  return out;
}

void put_counts(Json& out, const Counts& counts) {
  out["denials"] = counts.denials;
  out["hits"] = counts.hits;
  out["questions"] = counts.requests;
  out["answers"] = counts.decisions;
}

std::string stats_json(const Tally& tally, const std::optional<Moment>& since) {
  Json out = {{"schema", "pinfold.stats/1"}, {"since", since ? Json(timestamp(*since)) : Json(nullptr)}};
  out["runs"] = tally.all.runs;
  put_counts(out, tally.all);
  out["outcomes"] = tally.outcomes;
  out["answered"] = tally.decisions;
  out["programs"] = Json::array();
  for (const NamedCounts& one : programs_of(tally)) {
    out["programs"].push_back({{"program", one.name}, {"runs", one.counts->runs}});
    put_counts(out["programs"].back(), *one.counts);
  }
  out["resources"] = Json::array();
  for (const auto& [what, counts] : tally.resources) {
    out["resources"].push_back({{"operation", what.first}, {"resource", what.second}});
    put_counts(out["resources"].back(), counts);
  }
  return out.dump(2, ' ', true) + "\n";
}

}  // namespace

int stats(const CommandLine& parsed, Context& context) {
  if (!parsed.words.empty())
    return complain(
        Error(ErrorKind::kInvalid, fmt::format("stats takes no argument, but got {}", text::shown(parsed.words[0])),
              "pinfold stats --since 7d"),
        context.host);
  const auto since = read_since(parsed);
  if (!since) return complain(since.error(), context.host);
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  session::JournalReader reader(settings::state_directory(*caller, context.host));
  Tally tally(since->value_or(Moment::min()));
  const auto done = reader.read_new([&](std::string_view, const session::JournalEntry& entry) { tally.add(entry); });
  if (!done) return complain(done.error(), context.host);
  if (has_flag(parsed, Id::kJson))
    print(STDOUT_FILENO, stats_json(tally, *since));
  else if (tally.all.runs == 0 && tally.outcomes.empty() && tally.programs.empty())
    print(STDOUT_FILENO, *since ? "nothing is recorded since then\n" : "nothing is recorded yet\n");
  else
    print(STDOUT_FILENO, stats_text(tally, format_for(STDOUT_FILENO, context.host)));
  return 0;
}

}  // namespace pinfold::cli
