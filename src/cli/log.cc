// log.cc: `pinfold log`: lists recorded runs and their denials.
// Invariant: only reads; a line is shown whole or not at all, even while other processes write and rotate the journal.
// Not here: layout (log_view.cc), files (session/journal_reader.cc).
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/log_view.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "cli/since.h"
#include "session/journal_reader.h"
#include "settings/files.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using session::JournalEntry;
using session::RunRecord;

constexpr std::size_t kDefaultRuns = 50;
constexpr int kPause = 200;  // milliseconds between two reads of --follow

struct LogFilter {
  std::optional<Moment> since;
  std::string run;  // the beginning of its id
  std::optional<std::size_t> limit;
  bool denied = false;

  bool is_run(const std::string& id) const { return id.starts_with(run); }
  bool takes(const RunRecord& record) const {
    return is_run(record.id) && (!since || record.time >= *since) && (!denied || record.was_denied());
  }
  // With --denied: denials, and the end of a refused run.
  bool takes(const JournalEntry& entry) const {
    if (!is_run(entry.run) || (since && entry.time < *since)) return false;
    const auto* ended = std::get_if<session::RunEnd>(&entry.event);
    return !denied || std::holds_alternative<session::RunDenial>(entry.event) ||
           (ended != nullptr && std::holds_alternative<Refused>(ended->outcome));
  }
};

Result<LogFilter> read_filter(const CommandLine& parsed) {
  LogFilter filter;
  if (!parsed.words.empty())
    return fail(ErrorKind::kInvalid, fmt::format("log takes no argument, but got {}", text::shown(parsed.words[0])),
                "one run: pinfold log --run ID");
  for (const FlagValue& one : parsed.flags) {
    if (one.flag->id == Id::kDenied) filter.denied = true;
    if (one.flag->id == Id::kLimit) {
      PF_TRY(limit, units::parse_count(one.value), "--limit");
      filter.limit = limit;
    }
    if (one.flag->id != Id::kOneRun) continue;
    filter.run = one.value;
    if (filter.run.empty() || filter.run.find_first_not_of("0123456789abcdef") != std::string::npos)
      return fail(ErrorKind::kInvalid, fmt::format("--run: \"{}\" is not the id of a run", text::shown(one.value)),
                  "use an id from the second column of: pinfold log");
  }
  PF_TRY(since, read_since(parsed));
  filter.since = since;
  return filter;
}

// Waits kPause milliseconds; false if the reader of stdout has closed its end.
bool wait_for_next_look() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, kPause) <= 0 || (out.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

void print_skipped(const session::JournalReader& reader) {
  if (reader.skipped() == 0) return;
  print(STDERR_FILENO, fmt::format("pinfold: note: {} damaged line{} of the journal could not be read\n",
                                   reader.skipped(), reader.skipped() == 1 ? "" : "s"));
}

// Prints the journal's lines unchanged.
Result<void> print_lines(const LogFilter& filter, session::JournalReader& reader, bool follow) {
  std::vector<std::pair<std::string, std::string>> kept;  // run and line, for --limit
  std::string out;
  PF_CHECK(reader.read_new([&](std::string_view line, const JournalEntry& entry) {
    if (!filter.takes(entry)) return;
    if (!filter.limit) {
      out.append(line).append("\n");
      if (out.size() < std::size_t{1} << 20U) return;
      print(STDOUT_FILENO, out);
      out.clear();
      return;
    }
    kept.emplace_back(entry.run, line);
  }));
  std::unordered_set<std::string> newest;
  for (auto one = kept.rbegin(); one != kept.rend() && newest.size() < *filter.limit; ++one) newest.insert(one->first);
  for (const auto& [run, line] : kept)
    if (newest.contains(run)) out += line + "\n";
  print(STDOUT_FILENO, out);
  while (follow && wait_for_next_look())
    PF_CHECK(reader.read_new([&](std::string_view line, const JournalEntry& entry) {
      if (filter.takes(entry)) print(STDOUT_FILENO, std::string(line) + "\n");
    }));
  return {};
}

Result<void> print_runs(const LogFilter& filter, session::JournalReader& reader, bool follow, const std::string& home,
                        const std::string& directory, HostView& host) {
  const std::size_t limit = filter.limit.value_or(kDefaultRuns);
  session::Runs runs(SIZE_MAX, session::Lines::kDrop);
  const auto gather = [&](std::string_view line, const JournalEntry& entry) {
    if (filter.is_run(entry.run)) runs.add(line, entry);
  };
  // The newest runs are usually in the newest file; the older files are read only if it has too few.
  reader = session::JournalReader(directory, session::JournalReader::Files::kNewest);
  PF_CHECK(reader.read_new(gather));
  const auto fitting = std::count_if(runs.all().begin(), runs.all().end(),
                                     [&](const RunRecord& one) { return one.started && filter.takes(one); });
  const bool enough = static_cast<std::size_t>(fitting) > limit;
  if (!enough) {
    runs = session::Runs(SIZE_MAX, session::Lines::kDrop);
    reader = session::JournalReader(directory);
    PF_CHECK(reader.read_new(gather));
  }
  std::vector<const RunRecord*> chosen;
  for (const RunRecord& one : runs.all())
    if (filter.takes(one) && (one.ended || !follow) && (one.started || !enough)) chosen.push_back(&one);
  const std::size_t older = chosen.size() > limit ? chosen.size() - limit : 0;
  chosen.erase(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(older));
  const LogView view{format_for(STDOUT_FILENO, host), home, filter.run.empty() ? Detail::kShort : Detail::kAll};
  if (chosen.empty() && !follow)
    print(STDOUT_FILENO,
          runs.all().empty() && filter.run.empty()
              ? fmt::format("nothing is recorded yet: `pinfold run` records in {}\n", report::visible(directory))
              : "no recorded run matches\n");
  if (older > 0 && !filter.limit)
    print(STDERR_FILENO, fmt::format("pinfold: note: older runs are not shown: pinfold log --limit {}\n", 10 * limit));
  print(STDOUT_FILENO, runs_text(chosen, view, host));
  while (follow && wait_for_next_look())
    PF_CHECK(reader.read_new([&](std::string_view line, const JournalEntry& entry) {
      RunRecord* run = filter.is_run(entry.run) ? runs.add(line, entry) : nullptr;
      if (run != nullptr && std::holds_alternative<session::RunEnd>(entry.event) && filter.takes(*run))
        print(STDOUT_FILENO, runs_text({run}, view, host));
    }));
  return {};
}

}  // namespace

int log(const CommandLine& parsed, Context& context) {
  const auto filter = read_filter(parsed);
  if (!filter) return complain(filter.error(), context.host);
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  const std::string directory = settings::state_directory(*caller, context.host);
  session::JournalReader reader(directory);
  const bool follow = has_flag(parsed, Id::kFollow);
  const auto done = has_flag(parsed, Id::kJson)
                        ? print_lines(*filter, reader, follow)
                        : print_runs(*filter, reader, follow, caller->home, directory, context.host);
  if (!done) return complain(done.error(), context.host);
  print_skipped(reader);
  return 0;
}

}  // namespace pinfold::cli
