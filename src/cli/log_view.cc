// log_view.cc: runs of the journal as lines for people.
// Invariant: one run is one line, cut to the terminal; what is below it is indented.
// Not here: choosing runs (log.cc), columns and colour (report/table.cc).
#include "cli/log_view.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/shell.h"
#include "cli/since.h"
#include "report/table.h"

namespace pinfold::cli {

namespace {

using report::Cell;
using report::Paint;
using report::visible;
using session::RunRecord;

constexpr std::size_t kShownDenials = 10;
constexpr std::size_t kShownId = 8;
constexpr std::size_t kLongestText = 200;  // of a reason or a resource
constexpr std::size_t kLongestPlace = 28;
constexpr std::size_t kComfortable = 40;  // columns for a command, before other things give way
constexpr std::size_t kNarrowest = 24;    // columns that it gets however narrow the terminal is

std::string cut(const std::string& text, std::size_t limit) {
  return text.size() <= limit ? text : std::string(utf8_head(text, limit - 1)) + "…";
}

std::string duration_text(std::chrono::milliseconds span) {
  const auto ms = span.count();
  if (ms < 1000) return fmt::format("{}ms", ms);
  if (ms < 60'000) return fmt::format("{}.{}s", ms / 1000, ms % 1000 / 100);
  if (ms < 3'600'000) return fmt::format("{}m{:02}s", ms / 60'000, ms / 1000 % 60);
  return fmt::format("{}h{:02}m", ms / 3'600'000, ms / 60'000 % 60);
}

// "~/project"; of a long path the end, which tells more.
std::string place_text(const std::string& directory, const std::string& home) {
  std::string out = directory;
  if (home.size() > 1 && paths::at_or_beneath(directory, home)) out = "~" + directory.substr(home.size());
  out = visible(out);
  if (out.size() <= kLongestPlace) return out;
  const std::size_t slash = out.find('/', out.size() - kLongestPlace);
  return slash == std::string::npos ? cut(out, kLongestPlace) : "…" + out.substr(slash);
}

// A shell of ours is started by a script that nobody typed.
std::string command_text(const session::RunStarted& started) {
  if (const auto shell = shell_started(started.argv)) return visible("pinfold shell (" + *shell + ")");
  return visible(text::shell_words(started.argv));
}

double number_after(std::string_view text, std::size_t field) {
  for (std::size_t i = 0; i < field; ++i) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos) return -1;
    text.remove_prefix(blank + 1);
  }
  double value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Is the process that wrote the start still there? One of the same number that began later is another one.
bool is_running(const RunRecord& run, HostView& host) {
  const auto stat = host.read_file(fmt::format("/proc/{}/stat", run.started->pid), 4096);
  const auto uptime = host.read_file("/proc/uptime", 256);
  if (!stat || !uptime) return false;
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos) return false;
  // After "(name) " come the fields from the third on; the 22nd is the start, in ticks since boot.
  const double ticks = number_after(std::string_view(*stat).substr(std::min(name_end + 2, stat->size())), 19);
  const double age = number_after(*uptime, 0) - ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const std::chrono::duration<double> since = std::chrono::system_clock::now() - run.time;
  return ticks >= 0 && age + 2 >= since.count();
}

Cell outcome_cell(const RunRecord& run, HostView& host) {
  if (!run.ended) {
    const bool running = run.started && is_running(run, host);
    return {running ? "running" : "no end", running ? Paint::kBold : Paint::kWarn};
  }
  const auto* exited = std::get_if<Exited>(&run.ended->outcome);
  const Paint paint = exited == nullptr ? Paint::kBad : exited->code == 0 ? Paint::kGood : Paint::kWarn;
  return {visible(session::outcome_word(run.ended->outcome)), paint};
}

void add_denials(const RunRecord& run, Detail detail, std::vector<std::vector<Cell>>& rows) {
  for (const session::RunDenied& one : run.denied) {
    if (detail == Detail::kShort && rows.size() == kShownDenials) break;
    std::string what = cut(visible(one.denial.operation + " " + one.denial.resource), kLongestText);
    if (one.denial.count > 1) what += fmt::format(" (×{})", one.denial.count);
    const std::string& allow = one.denial.allow_with;
    rows.push_back({{"denied", Paint::kBad},
                    {std::move(what)},
                    {cut(visible(one.denial.rule), kLongestText), Paint::kDim},
                    {allow.empty() ? "" : "allow: " + visible(allow), Paint::kGood}});
  }
}

void add_questions(const RunRecord& run, std::vector<std::vector<Cell>>& rows) {
  static constexpr const char* kAnswers[] = {"no", "yes, once", "yes, for this session", "yes, always"};
  for (const session::QuestionAsked& asked : run.questions) {
    const auto same = [&](const session::AnswerGiven& one) { return one.question == asked.question; };
    const auto given = std::find_if(run.answers.begin(), run.answers.end(), same);
    const bool answered = given != run.answers.end();
    rows.push_back({{"asked", Paint::kBold},
                    {cut(visible(asked.operation + " " + asked.resource), kLongestText)},
                    {cut(visible(asked.because), kLongestText), Paint::kDim},
                    {answered ? kAnswers[static_cast<std::size_t>(given->answer)] : "no answer",
                     answered && given->answer != Answer::kDeny ? Paint::kGood : Paint::kWarn}});
  }
}

void add_uses(const RunRecord& run, Detail detail, std::vector<std::vector<Cell>>& rows) {
  for (std::size_t i = 0; i < run.used.size(); ++i) {
    const session::RunUsed& one = run.used[i];
    if (detail == Detail::kShort && i == kShownDenials) {
      rows.push_back({{"used", Paint::kBold}, {fmt::format("and {} times more", run.used.size() - i)}});
      break;
    }
    rows.push_back({{"used", Paint::kBold},
                    {cut(visible(one.operation + " " + one.resource), kLongestText)},
                    {one.problem.empty() ? fmt::format("{} bytes", one.bytes) : cut(visible(one.problem), kLongestText),
                     Paint::kDim}});
  }
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  std::size_t width = 0;
  for (const char c : text) {
    if (c == '\n')
      width = 0;
    else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
      ++width;
    widest = std::max(widest, width);
  }
  return widest;
}

struct Reason {
  std::string operator()(const Refused& o) const { return o.reason; }
  std::string operator()(const SetupFailed& o) const { return o.reason; }
  template <typename T>
  std::string operator()(const T&) const {
    return {};
  }
};

std::string below(const RunRecord& run, const LogView& view) {
  std::string out;
  if (const std::string why = run.ended ? std::visit(Reason{}, run.ended->outcome) : ""; !why.empty())
    out += "    " + report::paint(cut(visible(why), kLongestText), Paint::kDim, view.paper.colour) + "\n";
  std::vector<std::vector<Cell>> rows;
  add_denials(run, view.detail, rows);
  const std::size_t shown = rows.size();
  add_questions(run, rows);
  add_uses(run, view.detail, rows);
  out += report::table(rows, 4, view.paper);
  const std::size_t all = std::max<std::size_t>(run.denied.size(), run.ended ? run.ended->denials : 0);
  if (all > shown)
    out += view.detail == Detail::kShort
               ? fmt::format("    and {} more: pinfold log --run {}\n", all - shown, run.id.substr(0, kShownId))
               : fmt::format("    and {} more, which are not recorded\n", all - shown);
  return out;
}

}  // namespace

std::string runs_text(const std::vector<const RunRecord*>& runs, const LogView& view, HostView& host) {
  std::vector<std::vector<Cell>> rows;
  rows.reserve(runs.size());
  for (const RunRecord* run : runs)
    rows.push_back({{local_time(run->time), Paint::kDim},
                    {visible(run->id.substr(0, kShownId)), Paint::kDim},
                    outcome_cell(*run, host),
                    {run->ended ? duration_text(run->ended->duration) : ""},
                    {run->started ? visible(run->started->profile) : ""},
                    {run->started ? place_text(run->started->working_dir, view.home) : "", Paint::kDim}});
  // The command comes last and gets what is left of the line; where that is too little, place and profile give way.
  std::size_t room = kLongestText;
  for (int i = 0; i < 3 && view.paper.width > 0; ++i) {
    const std::size_t taken = widest_line(report::table(rows, 0, report::Colour::kOff)) + 2;
    room = std::max(view.paper.width - std::min(view.paper.width, taken), kNarrowest);
    if (room >= kComfortable || i == 2) break;
    for (std::vector<Cell>& row : rows) row.pop_back();
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string command = runs[i]->started ? command_text(*runs[i]->started) : "(its start is not recorded)";
    rows[i].push_back({view.detail == Detail::kAll ? command : cut(command, room), Paint::kBold});
  }
  const std::string lines = report::table(rows, 0, view.paper.colour);
  std::string out;
  std::size_t at = 0;
  for (const RunRecord* run : runs) {
    const std::size_t end = lines.find('\n', at);
    out += lines.substr(at, end + 1 - at) + below(*run, view);
    at = end + 1;
  }
  return out;
}

}  // namespace pinfold::cli
