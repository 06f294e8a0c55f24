// command_table.h: every command, once, with its help text; and the sets of commands that flags belong to.
// Invariant: a command that is not in this table does not exist. The order here is the order in help.
// Not here: flags (flags.h), the functions of the commands (commands.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace pinfold::cli {

enum class Command : std::uint8_t {
  kRun,
  kShell,
  kLearn,
  kSessionStart,
  kSessionExec,
  kSessionList,
  kSessionStop,
  kWeb,
  kCheck,
  kInit,
  kPolicyShow,
  kPolicyWhy,
  kPolicyCheck,
  kPolicyTrust,
  kGrantsList,
  kGrantsRevoke,
  kGrantsClear,
  kGrantsWhy,
  kDoctor,
  kLog,
  kStats,
  kRedact,
  kCompletions,
  kManPage,
  kHelp,
  kVersion,
  kFilesRead,
  kFilesWrite,
  kFilesEdit,
  kFilesList,
  kFilesGlob,
  kFilesSearch,
  kPluginList,
  kPluginShow,
  kPluginReview,
  kPluginAllow,
  kPluginDeny,
  kPluginRevoke,
  kPluginImport,
  kPluginDoctor,
  kPluginRun,
  kPluginTools,
  kPluginCall
};

// Commands a flag belongs to, as a set.
using Commands = std::uint64_t;
constexpr Commands in(Command command) { return Commands{1} << static_cast<unsigned>(command); }
inline constexpr Commands kOnlyRun = in(Command::kRun);
inline constexpr Commands kOnlyLearn = in(Command::kLearn);
inline constexpr Commands kWithSandbox =
    in(Command::kRun) | in(Command::kShell) | in(Command::kLearn) | in(Command::kSessionStart);
inline constexpr Commands kRunPolicy = kWithSandbox | in(Command::kPolicyShow) | in(Command::kPolicyWhy);
inline constexpr Commands kFilesRead = in(Command::kFilesRead);
inline constexpr Commands kFilesWrite = in(Command::kFilesWrite);
inline constexpr Commands kFilesEdit = in(Command::kFilesEdit);
inline constexpr Commands kFilesList = in(Command::kFilesList);
inline constexpr Commands kFilesGlob = in(Command::kFilesGlob);
inline constexpr Commands kFilesSearch = in(Command::kFilesSearch);
inline constexpr Commands kFileTools = kFilesRead | kFilesWrite | kFilesEdit | kFilesList | kFilesGlob | kFilesSearch;
inline constexpr Commands kWithPolicy = kRunPolicy | kFileTools;  // flags about paths
inline constexpr Commands kWithReport = in(Command::kRun) | in(Command::kShell) | in(Command::kSessionExec);
inline constexpr Commands kReadsProjectFile = kWithPolicy & ~kOnlyLearn;  // a learned profile replaces the file
inline constexpr Commands kPerCommand = kRunPolicy | in(Command::kSessionExec);
inline constexpr Commands kCanAsk = in(Command::kRun) | in(Command::kShell);
inline constexpr Commands kOnlyLog = in(Command::kLog);
inline constexpr Commands kJournalCommands = in(Command::kLog) | in(Command::kStats);
inline constexpr Commands kOnlyTrust = in(Command::kPolicyTrust);
inline constexpr Commands kOnlyClear = in(Command::kGrantsClear);
inline constexpr Commands kPluginCommands =
    in(Command::kPluginList) | in(Command::kPluginShow) | in(Command::kPluginReview) | in(Command::kPluginAllow) |
    in(Command::kPluginDeny) | in(Command::kPluginRevoke) | in(Command::kPluginImport) | in(Command::kPluginDoctor) |
    in(Command::kPluginTools) | in(Command::kPluginCall);
inline constexpr Commands kAllCommands = ~Commands{0};

struct CommandInfo {
  Command command;
  std::string_view name;   // "policy show"
  std::string_view usage;  // without "pinfold "
  std::string_view summary;
};

inline constexpr CommandInfo kCommands[] = {
    {Command::kRun, "run", "run [flags] -- COMMAND [ARGUMENT]…\n  pinfold run [flags] -c 'TEXT' [--shell SH]",
     "run a command confined to the files, network and variables you allow"},
    {Command::kShell, "shell", "shell [flags]", "start an interactive shell in a sandbox"},
    {Command::kLearn, "learn", "learn [flags] -- COMMAND [ARGUMENT]…\n  pinfold learn [flags] -c 'TEXT' [--shell SH]",
     "watch a command and write the smallest profile that lets it succeed"},
    {Command::kSessionStart, "session start", "session start [--name NAME] [--detach] [flags]",
     "create a sandbox that stays, for many commands"},
    {Command::kSessionExec, "session exec", "session exec SESSION [flags] -- COMMAND [ARGUMENT]…",
     "run a command in a session, beside those that run there already"},
    {Command::kSessionList, "session list", "session list [--json]", "list your sessions"},
    {Command::kSessionStop, "session stop", "session stop SESSION…", "end a session and every process in it"},
    {Command::kWeb, "web", "web [--port N] [--expires 10m]",
     "open a local web page: answer approval requests, watch your sandboxes"},
    {Command::kCheck, "check", "check [--shell SHELL] [--json] -- 'TEXT'\n  pinfold check [flags] < LINES",
     "rate a command line: safe, ask or deny; runs nothing"},
    {Command::kInit, "init", "init [DIR]", "write a commented pinfold.toml that fits the project"},
    {Command::kPolicyShow, "policy show", "policy show [flags]", "show every permission and the rule it comes from"},
    {Command::kPolicyWhy, "policy why", "policy why [flags] PATH|DOMAIN|VARIABLE|COMMAND…",
     "explain which rule allows or denies a path, host, variable or program"},
    {Command::kPolicyCheck, "policy check", "policy check FILE…", "list every mistake in a policy file, with its line"},
    {Command::kPolicyTrust, "policy trust", "policy trust [DIR|FILE] [--yes|--revoke]\n  pinfold policy trust --list",
     "trust a project's pinfold.toml, with the permissions that it asks for"},
    {Command::kGrantsList, "grants list", "grants list [--all] [--json]", "list permanent grants"},
    {Command::kGrantsRevoke, "grants revoke", "grants revoke NUMBER…", "revoke permanent grants"},
    {Command::kGrantsClear, "grants clear", "grants clear [--project|--user|--all] [--yes]",
     "revoke all permanent grants; rename unreadable grant files aside"},
    {Command::kGrantsWhy, "grants why", "grants why PATH|DOMAIN…", "show which grant allows a path or host"},
    {Command::kFilesRead, "files read", "files read PATH [flags]", "read a file that the policy shows"},
    {Command::kFilesWrite, "files write", "files write PATH [flags] < TEXT", "write a file, whole or not at all"},
    {Command::kFilesEdit, "files edit", "files edit PATH --old TEXT --new TEXT [flags]",
     "replace an exact piece of a file and show the difference"},
    {Command::kFilesList, "files list", "files list [DIR] [flags]", "list a directory"},
    {Command::kFilesGlob, "files glob", "files glob PATTERN [DIR] [flags]", "find files by name: '**/*.cc'"},
    {Command::kFilesSearch, "files search", "files search PATTERN [PATH]… [flags]",
     "search lines of files by regular expression"},
    {Command::kPluginList, "plugin list", "plugin list [--json]", "list plugins and their approval status"},
    {Command::kPluginShow, "plugin show", "plugin show ID", "show a plugin, its permissions and its risk"},
    {Command::kPluginReview, "plugin review", "plugin review ID [--web]",
     "show a plugin, then ask you to allow or deny it"},
    {Command::kPluginAllow, "plugin allow", "plugin allow ID [--yes]",
     "allow a plugin to run with the permissions it asks for now"},
    {Command::kPluginDeny, "plugin deny", "plugin deny ID…", "deny a plugin: it does not run until you allow it"},
    {Command::kPluginRevoke, "plugin revoke", "plugin revoke ID…",
     "delete your decision about a plugin: it is new again"},
    {Command::kPluginImport, "plugin import", "plugin import FILE [NAME]",
     "import an MCPB bundle, or a server from a client's configuration"},
    {Command::kPluginDoctor, "plugin doctor", "plugin doctor [ID…]", "check whether each plugin can run here"},
    {Command::kPluginRun, "plugin run", "plugin run ID [flags]",
     "start a plugin confined to its permissions, on this command's stdin and stdout"},
    {Command::kPluginTools, "plugin tools", "plugin tools ID [--json]", "start a plugin and list its tools"},
    {Command::kPluginCall, "plugin call", "plugin call ID TOOL [JSON]\n  pinfold plugin call ID --calls < LINES",
     "start a plugin and call a tool; secrets in its result are redacted"},
    {Command::kDoctor, "doctor", "doctor [flags]",
     "check how well this machine can enforce each step, with a fix for each gap"},
    {Command::kLog, "log", "log [flags]", "list recorded runs and their denials"},
    {Command::kStats, "stats", "stats [flags]", "count runs and denials by program and by resource"},
    {Command::kRedact, "redact", "redact [flags] < IN > OUT", "remove secrets and personal data from text"},
    {Command::kCompletions, "completions", "completions bash|zsh|fish", "print a completion script for your shell"},
    {Command::kManPage, "man-page", "man-page", "print the manual page, for man(1)"},
    {Command::kHelp, "help", "help [COMMAND]", "show help for a command"},
    {Command::kVersion, "version", "version", "print the version"},
};

// The first words of commands of two words.
struct Noun {
  std::string_view word;
  std::string_view summary;
};
inline constexpr Noun kNouns[] = {
    {"session", "one sandbox for many commands: start, exec, list or stop"},
    {"policy", "the policy: show, explain, check or trust it"},
    {"files", "read, write, edit, list, find and search files that the policy shows"},
    {"grants", "permanent grants: list, revoke, clear or explain them"},
    {"plugin", "programs that serve an agent, each confined to the permissions you allowed"},
};

// "show" of "policy show"; empty: not a command of this noun.
constexpr std::string_view verb_of(const CommandInfo& command, std::string_view noun) {
  const std::string_view name = command.name;
  const bool fits = name.size() > noun.size() + 1 && name.starts_with(noun) && name[noun.size()] == ' ';
  return fits ? name.substr(noun.size() + 1) : std::string_view{};
}

constexpr const CommandInfo& info(Command command) {
  for (const CommandInfo& one : kCommands)
    if (one.command == command) return one;
  return kCommands[0];
}

}  // namespace pinfold::cli
