// help.cc: help text, examples first.
// Invariant: every flag that the parser accepts is shown, because both read one table.
// Not here: the table itself (flags.h).
#include "cli/help.h"

#include <vector>

#include <fmt/format.h>

#include "report/table.h"

#ifndef PINFOLD_VERSION
#define PINFOLD_VERSION "0.0.0"
#endif

namespace pinfold::cli {

namespace {

constexpr std::size_t kWidth = 100;

constexpr Example kExamples[] = {
    {Command::kRun, "pinfold run -- make test", "this directory is writable, home is hidden, no network"},
    {Command::kRun, "pinfold run -c 'npm ci && npm test' --net full", "a shell command line, with network"},
    {Command::kRun, "pinfold run --read ~/.foo --env API_URL -- ./script", "one more path, one more variable"},
    {Command::kRun, "pinfold run --timeout 30s --report r.json -- ./x", "a time limit, and a report for scripts"},
    {Command::kRun, "pinfold run --explain -- make", "print the plan and its coverage; runs nothing"},
    {Command::kShell, "pinfold shell", "this directory is writable, home is hidden; the prompt shows (pinfold)"},
    {Command::kLearn, "pinfold learn -- make test", "writes .pinfold/learned.toml"},
    {Command::kLearn, "pinfold run --policy .pinfold/learned.toml -- make test", "run with the learned profile"},
    {Command::kLearn, "pinfold learn --verify -- npm ci --offline",
     "repeat until it succeeds with the learned profile"},
    {Command::kLearn, "pinfold learn --profile strict --exec-list -o - -- ./x",
     "start from another profile; print the result"},
    {Command::kSessionStart, "pinfold session start --name work --net localhost:5432",
     "prints the session's name; it ends with this shell"},
    {Command::kSessionStart, "s=$(pinfold session start --detach)", "stays until it is stopped"},
    {Command::kSessionExec, "pinfold session exec work -- npm test", "beside commands that run there already"},
    {Command::kSessionExec, "pinfold session exec work --timeout 10s -- ./x", "a limit for this command alone"},
    {Command::kSessionList, "pinfold session list", ""},
    {Command::kSessionStop, "pinfold session stop work", "ends every process in it"},
    {Command::kWeb, "pinfold web", "prints a link that works once; Ctrl-C ends the page"},
    {Command::kWeb, "pinfold web --port 8080", "on a port of your choice, for a tunnel"},
    {Command::kPolicyShow, "pinfold policy show", "the policy of `pinfold run` in this directory"},
    {Command::kPolicyShow, "pinfold policy show --profile strict --read /data", "the same for other flags"},
    {Command::kCheck, "pinfold check -- 'curl https://example.org/i.sh | sh'",
     "the verdict, its reason and a safer way"},
    {Command::kCheck, "pinfold check --json < commands.txt", "one result per line, for a program"},
    {Command::kInit, "pinfold init", "a pinfold.toml for this directory, with comments"},
    {Command::kPolicyShow, "pinfold policy show --json", "for a program"},
    {Command::kPolicyWhy, "pinfold policy why ~/.ssh", "hidden or not, and by which rule"},
    {Command::kPolicyWhy, "pinfold policy why AWS_SECRET_ACCESS_KEY", "is this variable passed on?"},
    {Command::kPolicyWhy, "pinfold policy why node", "is this program visible, and may it be started?"},
    {Command::kPolicyWhy, "pinfold policy why example.com", "can this host be reached?"},
    {Command::kPolicyCheck, "pinfold policy check pinfold.toml", "every mistake, with its line and a fix"},
    {Command::kPolicyTrust, "pinfold policy trust", "shows the permissions that pinfold.toml asks for, and asks you"},
    {Command::kPolicyTrust, "pinfold policy trust --list", "the files that you trust"},
    {Command::kPolicyTrust, "pinfold policy trust --revoke ~/project", "stops trusting the file"},
    {Command::kGrantsList, "pinfold grants list", "grants for all projects and for this one"},
    {Command::kGrantsList, "pinfold grants list --all --json", "grants of every project, as JSON"},
    {Command::kGrantsRevoke, "pinfold grants revoke 3", "the next run asks again"},
    {Command::kGrantsClear, "pinfold grants clear --project", "shows this project's grants, and asks first"},
    {Command::kGrantsWhy, "pinfold grants why ~/data/x.csv", ""},
    {Command::kGrantsWhy, "pinfold grants why example.org:443", "which grant allows this host?"},
    {Command::kFilesRead, "pinfold files read src/main.cc", "the first 2000 lines"},
    {Command::kFilesRead, "pinfold files read -n --offset 100 --limit 20 src/main.cc", "twenty lines, with numbers"},
    {Command::kFilesWrite, "pinfold files write notes.txt < notes", "replaces the whole file, or nothing"},
    {Command::kFilesWrite, "pinfold files write --parents --create-only a/b.txt < text", "a new file"},
    {Command::kFilesEdit, "pinfold files edit main.c --old 'int x;' --new 'long x;'", "shows the difference"},
    {Command::kFilesEdit, "pinfold files edit --dry-run main.c < edits.json", "shows the result of a list of edits"},
    {Command::kFilesList, "pinfold files list src", ""},
    {Command::kFilesGlob, "pinfold files glob '**/*.{cc,h}'", "without files that git ignores"},
    {Command::kFilesSearch, "pinfold files search 'TODO|FIXME' src", "by regular expression"},
    {Command::kFilesSearch, "pinfold files search -F -C 2 'a[0]' -g '*.c'", "plain text, with lines around it"},
    {Command::kPluginList, "pinfold plugin list", "new, approved, denied, changed or broken"},
    {Command::kPluginShow, "pinfold plugin show org.example.weather", "permissions, risk and command"},
    {Command::kPluginReview, "pinfold plugin review org.example.weather", "shows the plugin, then asks you"},
    {Command::kPluginReview, "pinfold plugin review org.example.weather --web", "the same in your browser"},
    {Command::kPluginAllow, "pinfold plugin allow org.example.weather", "you type allow; in scripts: --yes"},
    {Command::kPluginDeny, "pinfold plugin deny org.example.weather", ""},
    {Command::kPluginRevoke, "pinfold plugin revoke org.example.weather", ""},
    {Command::kPluginImport, "pinfold plugin import ~/.config/client/mcp.json github",
     "the copy has no permissions yet"},
    {Command::kPluginImport, "pinfold plugin import bundle/manifest.json", "an unpacked MCPB bundle"},
    {Command::kPluginDoctor, "pinfold plugin doctor", "runs nothing"},
    {Command::kPluginTools, "pinfold plugin tools org.example.weather",
     "changed tools are marked; Pinfold does not call them"},
    {Command::kPluginCall, "pinfold plugin call org.example.weather forecast '{\"city\": \"Oslo\"}'", ""},
    {Command::kPluginRun, "pinfold plugin run org.example.weather", "as the command of any MCP client"},
    {Command::kDoctor, "pinfold doctor", "how well each step is enforced here"},
    {Command::kDoctor, "pinfold doctor --fix-hints", "commands that close the gaps"},
    {Command::kLog, "pinfold log", "the newest runs, the last one at the end"},
    {Command::kLog, "pinfold log --denied --since 1h", "runs with denials in the last hour"},
    {Command::kLog, "pinfold log --run 4f2a", "everything about one run"},
    {Command::kLog, "pinfold log --json --follow", "line by line, for a program"},
    {Command::kStats, "pinfold stats --since 7d", "denials by program and by resource"},
    {Command::kRedact, "pinfold redact < build.log > clean.log",
     "removes keys, passwords, card numbers, mail addresses"},
    {Command::kRedact, "pinfold redact --json --secrets-from API_KEY < answer.json", "redacts strings, keeps the JSON"},
    {Command::kRedact, "pinfold redact --list", "the rules"},
    {Command::kCompletions, "source <(pinfold completions bash)", "for this shell; a line for ~/.bashrc"},
    {Command::kCompletions, "pinfold completions fish | source", "the same in fish"},
    {Command::kManPage, "pinfold man-page | man -l -", "read it now"},
    {Command::kHelp, "pinfold help run", "all flags of `pinfold run`"},
    {Command::kVersion, "pinfold version", ""},
};

// Breaks at blanks; the first line starts at `column` already.
std::string wrapped(std::string_view text, std::size_t column) {
  std::string out;
  std::size_t at = column;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    if (at > column && at + 1 + word.size() > kWidth) {
      out += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    if (blank == std::string_view::npos) break;
    text.remove_prefix(blank + 1);
  }
  return out;
}

std::string flags_of(Command command) {
  constexpr std::size_t kColumn = 30;
  std::string out;
  const Flag* previous = nullptr;
  for (const Flag& flag : kFlags) {
    if ((flag.commands & in(command)) == 0) continue;
    if (previous == nullptr || previous->group != flag.group) out += fmt::format("\n{}\n", title(flag.group));
    previous = &flag;
    std::string left = "  " + spelling(flag);
    if (left.size() + 2 > kColumn)
      left += "\n" + std::string(kColumn, ' ');
    else
      left.append(kColumn - left.size(), ' ');
    out += left + wrapped(flag_help(flag, command), kColumn) + "\n";
  }
  return out;
}

std::string examples_of(Command command) {
  std::vector<std::vector<report::Cell>> rows;
  for (const Example& example : kExamples)
    if (example.command == command) rows.push_back({{std::string(example.line)}, {std::string(example.description)}});
  return report::table(rows, 2, report::Colour::kOff);
}

}  // namespace

std::span<const Example> examples() { return kExamples; }

std::string_view title(Group group) {
  switch (group) {
    case Group::kCommand: return "Command";
    case Group::kFiles: return "Files";
    case Group::kOther: return "Network, programs, variables";
    case Group::kLimits: return "Limits";
    case Group::kRun: return "This run";
    case Group::kOutput: return "Output and selection";
    case Group::kInformation: break;
  }
  return "Information";
}

std::string spelling(const Flag& flag) {
  std::string out(flag.name);
  for (const std::string_view alias : flag.aliases)
    if (!alias.empty()) out += fmt::format(", {}", alias);
  if (takes_value(flag)) out += fmt::format(" {}", flag.argument);
  return out;
}

std::string overview() {
  std::string out =
      "Pinfold runs a command you do not trust, confined to the files, network and programs you allow.\n\nExamples\n";
  out += examples_of(Command::kRun);
  out += "\nCommands\n";
  std::vector<std::vector<report::Cell>> rows;
  for (const CommandInfo& one : kCommands)
    rows.push_back({{"pinfold " + std::string(one.name)}, {std::string(one.summary)}});
  out += report::table(rows, 2, report::Colour::kOff);
  out +=
      "\nExit codes: the command's own; 124 timed out, 125 Pinfold failed or cannot enforce,\n"
      "126 refused by policy, 127 not found, 128+n ended by signal n.\n";
  return out;
}

std::string help(Command command) {
  const CommandInfo& one = info(command);
  std::string out = fmt::format("pinfold {}: {}\n\nExamples\n{}", one.name, one.summary, examples_of(command));
  out += fmt::format("\nUsage\n  pinfold {}\n", one.usage);
  return out + flags_of(command);
}

std::string group_help(const Noun& noun) {
  std::string out = fmt::format("pinfold {}: {}\n\nCommands\n", noun.word, noun.summary);
  std::vector<std::vector<report::Cell>> rows;
  for (const CommandInfo& one : kCommands)
    if (!verb_of(one, noun.word).empty())
      rows.push_back({{"pinfold " + std::string(one.name)}, {std::string(one.summary)}});
  out += report::table(rows, 2, report::Colour::kOff);
  return out + fmt::format("\nExamples and flags of all of them: pinfold help {0}; of one: pinfold help {0} COMMAND\n",
                           noun.word);
}

std::string version() { return "pinfold " PINFOLD_VERSION "\n"; }

}  // namespace pinfold::cli
