// log.cc: `pinfold log`: what ran, and what it was denied.
// Invariant: only reads; a line is shown whole or not at all, also while others write and rotate.
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
#include "cli/since.h"
#include "cli/process_io.h"
#include "session/journal_reader.h"
#include "settings/files.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using session::Entry;
using session::RunRecord;

constexpr std::size_t kUsualRuns = 50;
constexpr int kPause = 200;  // milliseconds between two looks of --follow

struct Wanted {
  std::optional<Moment> since;
  std::string run;  // the beginning of its id
  std::optional<std::size_t> limit;
  bool denied = false;

  bool is_run(const std::string& id) const { return id.starts_with(run); }
  bool takes(const RunRecord& record) const {
    return is_run(record.id) && (!since || record.time >= *since) && (!denied || record.was_denied());
  }
  // Line by line: what was denied, or that all was.
  bool takes(const Entry& entry) const {
    if (!is_run(entry.run) || (since && entry.time < *since)) return false;
    const auto* ended = std::get_if<session::RunEnded>(&entry.what);
    return !denied || std::holds_alternative<session::RunDenied>(entry.what) ||
           (ended != nullptr && std::holds_alternative<Refused>(ended->outcome));
  }
};

Result<Wanted> read_wanted(const Parsed& parsed) {
  Wanted wanted;
  if (!parsed.words.empty())
    return fail(ErrorKind::kInvalid, fmt::format("log takes no argument, but got {}", text::shown(parsed.words[0])),
                "one run: pinfold log --run ID");
  for (const Given& one : parsed.flags) {
    if (one.flag->id == Id::kDenied) wanted.denied = true;
    if (one.flag->id == Id::kLimit) {
      PF_TRY(limit, units::parse_count(one.value), "--limit");
      wanted.limit = limit;
    }
    if (one.flag->id != Id::kOneRun) continue;
    wanted.run = one.value;
    if (wanted.run.empty() || wanted.run.find_first_not_of("0123456789abcdef") != std::string::npos)
      return fail(ErrorKind::kInvalid, fmt::format("--run: \"{}\" is not the id of a run", text::shown(one.value)),
                  "it is the second column of: pinfold log");
  }
  PF_TRY(since, read_since(parsed), "");
  wanted.since = since;
  return wanted;
}

// False: whoever reads us is gone.
bool wait_a_moment() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, kPause) <= 0 || (out.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

void tell_skipped(const session::JournalReader& reader) {
  if (reader.skipped() == 0) return;
  print(STDERR_FILENO, fmt::format("pinfold: note: {} damaged line{} of the journal could not be read\n",
                                   reader.skipped(), reader.skipped() == 1 ? "" : "s"));
}

// The lines as they are.
Result<void> print_lines(const Wanted& wanted, session::JournalReader& reader, bool follow) {
  std::vector<std::pair<std::string, std::string>> kept;  // run and line, when only the newest runs count
  std::string out;
  PF_CHECK(reader.read_new([&](std::string_view line, const Entry& entry) {
    if (!wanted.takes(entry)) return;
    if (!wanted.limit) {
      out.append(line).append("\n");
      if (out.size() < std::size_t{1} << 20U) return;
      print(STDOUT_FILENO, out);
      out.clear();
      return;
    }
    kept.emplace_back(entry.run, line);
  }),
           "");
  std::unordered_set<std::string> newest;
  for (auto one = kept.rbegin(); one != kept.rend() && newest.size() < *wanted.limit; ++one) newest.insert(one->first);
  for (const auto& [run, line] : kept)
    if (newest.contains(run)) out += line + "\n";
  print(STDOUT_FILENO, out);
  while (follow && wait_a_moment())
    PF_CHECK(reader.read_new([&](std::string_view line, const Entry& entry) {
      if (wanted.takes(entry)) print(STDOUT_FILENO, std::string(line) + "\n");
    }),
             "");
  return {};
}

Result<void> print_runs(const Wanted& wanted, session::JournalReader& reader, bool follow, const std::string& home,
                        const std::string& directory, HostView& host) {
  const std::size_t limit = wanted.limit.value_or(kUsualRuns);
  session::Runs runs(SIZE_MAX, session::Lines::kDrop);
  const auto gather = [&](std::string_view line, const Entry& entry) {
    if (wanted.is_run(entry.run)) runs.add(line, entry);
  };
  // The newest runs are in the newest file, as a rule; the others are read only if that is not enough.
  reader = session::JournalReader(directory, session::JournalReader::Files::kNewest);
  PF_CHECK(reader.read_new(gather), "");
  const auto fitting = std::count_if(runs.all().begin(), runs.all().end(),
                                     [&](const RunRecord& one) { return one.started && wanted.takes(one); });
  const bool enough = static_cast<std::size_t>(fitting) > limit;
  if (!enough) {
    runs = session::Runs(SIZE_MAX, session::Lines::kDrop);
    reader = session::JournalReader(directory);
    PF_CHECK(reader.read_new(gather), "");
  }
  std::vector<const RunRecord*> chosen;
  for (const RunRecord& one : runs.all())
    if (wanted.takes(one) && (one.ended || !follow) && (one.started || !enough)) chosen.push_back(&one);
  const std::size_t older = chosen.size() > limit ? chosen.size() - limit : 0;
  chosen.erase(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(older));
  const LogView view{paper_for(STDOUT_FILENO, host), home, wanted.run.empty() ? Detail::kShort : Detail::kAll};
  if (chosen.empty() && !follow)
    print(STDOUT_FILENO,
          runs.all().empty() && wanted.run.empty()
              ? fmt::format("nothing is recorded yet: runs will appear here after the next `pinfold run` "
                            "({})\n",
                            report::visible(directory))
              : "no recorded run fits\n");
  if (older > 0 && !wanted.limit)
    print(STDERR_FILENO, fmt::format("pinfold: note: older runs are not shown: pinfold log --limit {}\n", 10 * limit));
  print(STDOUT_FILENO, runs_text(chosen, view, host));
  while (follow && wait_a_moment())
    PF_CHECK(reader.read_new([&](std::string_view line, const Entry& entry) {
      RunRecord* run = wanted.is_run(entry.run) ? runs.add(line, entry) : nullptr;
      if (run != nullptr && std::holds_alternative<session::RunEnded>(entry.what) && wanted.takes(*run))
        print(STDOUT_FILENO, runs_text({run}, view, host));
    }),
             "");
  return {};
}

}  // namespace

int log(const Parsed& parsed, Context& context) {
  const auto wanted = read_wanted(parsed);
  if (!wanted) return complain(wanted.error(), context.host);
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  const std::string directory = settings::state_directory(*caller, context.host);
  session::JournalReader reader(directory);
  const bool follow = given(parsed, Id::kFollow);
  const auto done = given(parsed, Id::kJson)
                        ? print_lines(*wanted, reader, follow)
                        : print_runs(*wanted, reader, follow, caller->home, directory, context.host);
  if (!done) return complain(done.error(), context.host);
  tell_skipped(reader);
  return 0;
}

}  // namespace pinfold::cli
