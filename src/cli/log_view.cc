// log_view.cc: runs of the journal as text.
// Invariant: one run is one line, on a terminal cut to its width; its details follow, indented. Text that goes to a
// file or a pipe is never cut. Not here: choosing runs (log.cc), columns and colour (report/table.cc).
#include "cli/log_view.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

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
constexpr std::size_t kMaxText = 200;  // of a reason or a resource in the list of runs
constexpr std::size_t kMaxDirectory = 28;
constexpr std::size_t kPreferredCommandWidth = 40;  // below this width other columns are left out
constexpr std::size_t kMinCommandWidth = 24;        // columns, on however narrow a terminal

std::string cut(const std::string& text, std::size_t limit) {
  return text.size() <= limit ? text : std::string(utf8_head(text, limit - 1)) + "…";
}

// The details of one run as text. In the list of runs on a terminal: the first line of a text, at most kMaxText bytes.
// Otherwise: the whole text, escaped, on one line.
class DetailText {
 public:
  explicit DetailText(const LogView& view) : cuts_(view.detail == Detail::kShort && view.format.width > 0) {}
  std::string operator()(std::string_view text) {
    if (!cuts_) return visible(text);
    const std::size_t end = text.find('\n');
    const std::string first = visible(text.substr(0, end));
    was_cut_ = was_cut_ || end != std::string_view::npos || first.size() > kMaxText;
    return cut(first + (end == std::string_view::npos ? "" : " …"), kMaxText);
  }
  bool cuts() const { return cuts_; }
  bool was_cut() const { return was_cut_; }

 private:
  bool cuts_;
  bool was_cut_ = false;
};

std::string duration_text(std::chrono::milliseconds span) {
  const auto ms = span.count();
  if (ms < 1000) return fmt::format("{}ms", ms);
  if (ms < 60'000) return fmt::format("{}.{}s", ms / 1000, ms % 1000 / 100);
  if (ms < 3'600'000) return fmt::format("{}m{:02}s", ms / 60'000, ms / 1000 % 60);
  return fmt::format("{}h{:02}m", ms / 3'600'000, ms / 60'000 % 60);
}

// "~/project"; a long path is cut at its beginning.
std::string directory_text(const std::string& directory, const std::string& home) {
  std::string out = directory;
  if (home.size() > 1 && paths::at_or_beneath(directory, home)) out = "~" + directory.substr(home.size());
  out = visible(out);
  if (out.size() <= kMaxDirectory) return out;
  const std::size_t slash = out.find('/', out.size() - kMaxDirectory);
  return slash == std::string::npos ? cut(out, kMaxDirectory) : "…" + out.substr(slash);
}

// `pinfold shell` starts the shell through a script of its own, which would mean nothing to the user.
std::string command_text(const session::RunStart& started) {
  if (const auto shell = shell_of(started.argv)) return visible("pinfold shell (" + *shell + ")");
  return visible(text::shell_words(started.argv));
}

// The lines of a reason from the second on, indented like the first.
std::string further_lines(std::string_view text) {
  std::string out;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n')) {
    text.remove_prefix(at + 1);
    out += "    " + visible(text.substr(0, text.find('\n'))) + "\n";
  }
  return out;
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

// Does the process that wrote the start still run? A process with its pid that started later is another one.
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

void add_denials(const RunRecord& run, Detail detail, DetailText& shown, std::vector<std::vector<Cell>>& rows) {
  for (const session::RunDenial& one : run.denied) {
    if (detail == Detail::kShort && rows.size() == kShownDenials) break;
    std::string what = shown(one.denial.operation + " " + one.denial.resource);
    if (one.denial.count > 1) what += fmt::format(" (×{})", one.denial.count);
    const std::string& allow = one.denial.allow_with;
    rows.push_back({{"denied", Paint::kBad},
                    {std::move(what)},
                    {shown(one.denial.rule), Paint::kDim},
                    {allow.empty() ? "" : "allow: " + visible(allow), Paint::kGood}});
  }
}

std::string decision_text(const session::RunDecision& one) {
  static constexpr const char* kDecisions[] = {"denied", "allowed once", "allowed for this session", "allowed always"};
  if (one.by == "advice") return "advice denied it";
  if (one.by == "nobody") return "denied: no terminal";
  if (one.by == "--force-advice") return "allowed by --force-advice";
  return kDecisions[static_cast<std::size_t>(one.decision)];
}

void add_requests(const RunRecord& run, DetailText& shown, std::vector<std::vector<Cell>>& rows) {
  for (const session::RunApprovalRequest& asked : run.requests) {
    const auto same = [&](const session::RunDecision& one) { return one.request == asked.id; };
    const auto decision = std::find_if(run.decisions.begin(), run.decisions.end(), same);
    const bool is_decided = decision != run.decisions.end();
    rows.push_back({{asked.id == "advice" ? "advice" : "request", Paint::kBold},
                    {shown(asked.operation + " " + asked.resource)},
                    {shown(asked.because), Paint::kDim},
                    {is_decided ? decision_text(*decision) : "no decision",
                     is_decided && decision->decision != ApprovalDecision::kDeny ? Paint::kGood : Paint::kWarn}});
  }
}

void add_uses(const RunRecord& run, Detail detail, DetailText& shown, std::vector<std::vector<Cell>>& rows) {
  for (std::size_t i = 0; i < run.used.size(); ++i) {
    const session::RunHostUse& one = run.used[i];
    if (detail == Detail::kShort && i == kShownDenials) {
      rows.push_back({{"used", Paint::kBold}, {fmt::format("and {} more times", run.used.size() - i)}});
      break;
    }
    rows.push_back({{"used", Paint::kBold},
                    {shown(one.operation + " " + one.resource)},
                    {one.problem.empty() ? fmt::format("{} bytes", one.bytes) : shown(one.problem), Paint::kDim}});
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

std::string details_text(const RunRecord& run, const LogView& view) {
  std::string out;
  DetailText shown(view);
  if (const std::string why = run.ended ? std::visit(Reason{}, run.ended->outcome) : ""; !why.empty()) {
    const std::string first = shown.cuts() ? shown(why) : visible(std::string_view(why).substr(0, why.find('\n')));
    out += "    " + report::paint(first, Paint::kDim, view.format.colour) + "\n";
    if (!shown.cuts()) out += further_lines(why);
  }
  std::vector<std::vector<Cell>> rows;
  add_denials(run, view.detail, shown, rows);
  const std::size_t denials = rows.size();
  add_requests(run, shown, rows);
  add_uses(run, view.detail, shown, rows);
  out += report::table(rows, 4, view.format);
  const std::size_t all = std::max<std::size_t>(run.denied.size(), run.ended ? run.ended->denials : 0);
  const std::string whole = "pinfold log --run " + run.id.substr(0, kShownId);
  if (all > denials)
    out += view.detail == Detail::kShort ? fmt::format("    and {} more: {}\n", all - denials, whole)
                                         : fmt::format("    and {} more, which are not recorded\n", all - denials);
  else if (shown.was_cut())
    out += fmt::format("    the whole text: {}\n", whole);
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
                    {run->started ? directory_text(run->started->working_dir, view.home) : "", Paint::kDim}});
  // The command is the last column and gets the rest of the line; if that is too narrow, the directory and then the
  // profile are left out.
  std::size_t room = SIZE_MAX;
  for (int i = 0; i < 3 && view.format.width > 0; ++i) {
    const std::size_t taken = widest_line(report::table(rows, 0, report::Colour::kOff)) + 2;
    room = std::max(view.format.width - std::min(view.format.width, taken), kMinCommandWidth);
    if (room >= kPreferredCommandWidth || i == 2) break;
    for (std::vector<Cell>& row : rows) row.pop_back();
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string command = runs[i]->started ? command_text(*runs[i]->started) : "(start not recorded)";
    rows[i].push_back({view.detail == Detail::kAll ? command : cut(command, room), Paint::kBold});
  }
  const std::string lines = report::table(rows, 0, view.format.colour);
  std::string out;
  std::size_t at = 0;
  for (const RunRecord* run : runs) {
    const std::size_t end = lines.find('\n', at);
    out += lines.substr(at, end + 1 - at) + details_text(*run, view);
    at = end + 1;
  }
  return out;
}

}  // namespace pinfold::cli
