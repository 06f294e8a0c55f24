// command_table.h: every command, once, with its words for help; and the sets of commands that flags belong to.
// Invariant: a command that is not in this table does not exist. The order here is the order in help.
// Not here: flags (flags.h), what a command does (commands.h).
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
inline constexpr Commands kWithPolicy = kRunPolicy | kFileTools;  // which paths
inline constexpr Commands kWithReport = in(Command::kRun) | in(Command::kShell) | in(Command::kSessionExec);
inline constexpr Commands kOfItsFile = kWithPolicy & ~kOnlyLearn;  // what is learned takes the place of its file
inline constexpr Commands kPerCommand = kRunPolicy | in(Command::kSessionExec);
inline constexpr Commands kWhoAsks = in(Command::kRun) | in(Command::kShell);
inline constexpr Commands kOnlyLog = in(Command::kLog);
inline constexpr Commands kOfJournal = in(Command::kLog) | in(Command::kStats);
inline constexpr Commands kOnlyTrust = in(Command::kPolicyTrust);
inline constexpr Commands kOnlyClear = in(Command::kGrantsClear);
inline constexpr Commands kOfPlugins =
    in(Command::kPluginList) | in(Command::kPluginShow) | in(Command::kPluginReview) | in(Command::kPluginAllow) |
    in(Command::kPluginDeny) | in(Command::kPluginRevoke) | in(Command::kPluginImport) | in(Command::kPluginDoctor) |
    in(Command::kPluginTools) | in(Command::kPluginCall);
inline constexpr Commands kEvery = ~Commands{0};

struct CommandInfo {
  Command command;
  std::string_view name;   // "policy show"
  std::string_view usage;  // what follows "pinfold "
  std::string_view summary;
};

inline constexpr CommandInfo kCommands[] = {
    {Command::kRun, "run", "run [flags] -- COMMAND [ARGUMENT]…\n  pinfold run [flags] -c 'TEXT' [--shell SH]",
     "run a command that can touch only what was allowed"},
    {Command::kShell, "shell", "shell [flags]", "an interactive shell in a sandbox"},
    {Command::kLearn, "learn", "learn [flags] -- COMMAND [ARGUMENT]…\n  pinfold learn [flags] -c 'TEXT' [--shell SH]",
     "watch a command, and write the smallest profile that lets it pass"},
    {Command::kSessionStart, "session start", "session start [--name NAME] [--detach] [flags]",
     "make a sandbox that stays, for many commands"},
    {Command::kSessionExec, "session exec", "session exec SESSION [flags] -- COMMAND [ARGUMENT]…",
     "run a command in it, beside what runs there already"},
    {Command::kSessionList, "session list", "session list [--json]", "your sessions"},
    {Command::kSessionStop, "session stop", "session stop SESSION…", "end a session and everything in it"},
    {Command::kWeb, "web", "web [--port N] [--expires 10m]",
     "a local page: questions to answer, what happens in your sandboxes"},
    {Command::kCheck, "check", "check [--shell SHELL] [--json] -- 'TEXT'\n  pinfold check [flags] < LINES",
     "is a command line safe, to be asked about, or to be refused? Nothing is run"},
    {Command::kInit, "init", "init [DIR]", "write a commented pinfold.toml that fits the project"},
    {Command::kPolicyShow, "policy show", "policy show [flags]", "what is allowed, and which rule says so"},
    {Command::kPolicyWhy, "policy why", "policy why [flags] PATH|DOMAIN|VARIABLE|COMMAND…",
     "which rule decides about one thing"},
    {Command::kPolicyCheck, "policy check", "policy check FILE…", "every mistake in a policy file, with its place"},
    {Command::kPolicyTrust, "policy trust", "policy trust [DIR|FILE] [--yes|--revoke]\n  pinfold policy trust --list",
     "agree to what a project's file asks for"},
    {Command::kGrantsList, "grants list", "grants list [--all] [--json]", "what you allowed for always"},
    {Command::kGrantsRevoke, "grants revoke", "grants revoke NUMBER…", "take a grant back"},
    {Command::kGrantsClear, "grants clear", "grants clear [--project|--user|--all] [--yes]",
     "take all of them back, and set aside what cannot be read"},
    {Command::kGrantsWhy, "grants why", "grants why PATH|DOMAIN…", "which grant allows one thing, if one does"},
    {Command::kFilesRead, "files read", "files read PATH [flags]", "read a file inside what is allowed"},
    {Command::kFilesWrite, "files write", "files write PATH [flags] < TEXT", "write a file, whole or not at all"},
    {Command::kFilesEdit, "files edit", "files edit PATH --old TEXT --new TEXT [flags]",
     "replace an exact piece of a file, and show the difference"},
    {Command::kFilesList, "files list", "files list [DIR] [flags]", "what is in a directory"},
    {Command::kFilesGlob, "files glob", "files glob PATTERN [DIR] [flags]", "files by name: '**/*.cc'"},
    {Command::kFilesSearch, "files search", "files search PATTERN [PATH]… [flags]",
     "lines of files by regular expression"},
    {Command::kPluginList, "plugin list", "plugin list [--json]", "the plugins there are, and how they stand with you"},
    {Command::kPluginShow, "plugin show", "plugin show ID", "what a plugin is and what it asks for"},
    {Command::kPluginReview, "plugin review", "plugin review ID [--web]",
     "the same, and then you decide: allow it, deny it, or neither"},
    {Command::kPluginAllow, "plugin allow", "plugin allow ID [--yes]", "let it run with what it asks for now"},
    {Command::kPluginDeny, "plugin deny", "plugin deny ID…", "it does not run until you allow it"},
    {Command::kPluginRevoke, "plugin revoke", "plugin revoke ID…", "forget what you decided; it is new again"},
    {Command::kPluginImport, "plugin import", "plugin import FILE [NAME]",
     "take over an MCPB bundle, or a server of a client's configuration"},
    {Command::kPluginDoctor, "plugin doctor", "plugin doctor [ID…]", "could each of them run here, and if not, why"},
    {Command::kPluginRun, "plugin run", "plugin run ID [flags]",
     "start it, confined to its permissions, on this command's own input and output"},
    {Command::kPluginTools, "plugin tools", "plugin tools ID [--json]", "start it, and list the tools it offers"},
    {Command::kPluginCall, "plugin call", "plugin call ID TOOL [JSON]\n  pinfold plugin call ID --calls < LINES",
     "start it, and call a tool: its answer without secrets"},
    {Command::kDoctor, "doctor", "doctor [flags]", "what this machine can enforce, and the fix for each gap"},
    {Command::kLog, "log", "log [flags]", "what ran, and what it was denied"},
    {Command::kStats, "stats", "stats [flags]", "counts of runs and denials, by program and by resource"},
    {Command::kRedact, "redact", "redact [flags] < IN > OUT", "text without secrets and personal data"},
    {Command::kCompletions, "completions", "completions bash|zsh|fish", "a script that completes this for your shell"},
    {Command::kManPage, "man-page", "man-page", "the manual page, for man(1)"},
    {Command::kHelp, "help", "help [COMMAND]", "help for a command"},
    {Command::kVersion, "version", "version", "the version"},
};

// The first words of commands of two words.
struct Noun {
  std::string_view word;
  std::string_view summary;
};
inline constexpr Noun kNouns[] = {
    {"session", "one sandbox for many commands: start, exec, list or stop"},
    {"policy", "what is allowed: show, explain, check or trust it"},
    {"files", "read, write, edit, list, find and search files inside what is allowed"},
    {"grants", "what you allowed for always: list, revoke, clear or explain it"},
    {"plugin", "programs that serve an agent, each confined to what you allowed it"},
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
