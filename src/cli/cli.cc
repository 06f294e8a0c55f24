// cli.cc: chooses the command and calls its function.
// Invariant: every return value is an exit code from docs/reference/exit-codes.md.
// Not here: the commands themselves.
#include "cli/cli.h"

#include <unistd.h>

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/clipboard_command.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/process_io.h"

namespace pinfold::cli {

namespace {

int help_about(const CommandLine& parsed, Context& context) {
  if (parsed.words.empty()) {
    print(STDOUT_FILENO, overview());
    return 0;
  }
  std::string wanted = parsed.words[0];
  for (std::size_t i = 1; i < parsed.words.size(); ++i) wanted += " " + parsed.words[i];
  for (const Noun& noun : kNouns) {
    if (wanted != noun.word) continue;
    std::string all = group_help(noun);
    for (const CommandInfo& one : kCommands)
      if (!verb_of(one, noun.word).empty()) all += "\n" + help(one.command);
    print(STDOUT_FILENO, all);
    return 0;
  }
  std::vector<std::string_view> names;
  for (const CommandInfo& one : kCommands) {
    if (one.name == wanted) {
      print(STDOUT_FILENO, help(one.command));
      return 0;
    }
    names.push_back(one.name);
  }
  return complain(
      Error(ErrorKind::kInvalid, fmt::format("unknown command {}{}", text::shown(wanted), did_you_mean(wanted, names)),
            "see: pinfold help"),
      context.host);
}

// The exit code of these is the confined command's own; the report explains it.
bool runs_a_command(Command command) {
  return command == Command::kRun || command == Command::kShell || command == Command::kLearn ||
         command == Command::kSessionExec || command == Command::kPluginRun;
}

int run_words(int argc, char** argv, Context context, bool& own_code) {
  if (const auto code = clipboard_command(argc, argv)) return *code;
  std::vector<std::string_view> arguments;
  for (int i = 1; i < argc; ++i) arguments.emplace_back(argv[i]);
  auto parsed = parse(arguments);
  if (!parsed) return complain(parsed.error(), context.host);
  for (const FlagValue& flag_value : parsed->flags)
    if (flag_value.flag->id == Id::kVersion) parsed->command = Command::kVersion;
  for (const Noun& noun : kNouns) {
    if (!parsed->help || parsed->group != noun.word) continue;
    print(STDOUT_FILENO, group_help(noun));
    return 0;
  }
  if (parsed->help && parsed->command != Command::kHelp && parsed->command != Command::kVersion) {
    print(STDOUT_FILENO, help(parsed->command));
    return 0;
  }
  own_code = !runs_a_command(parsed->command);
  switch (parsed->command) {
    case Command::kRun:
    case Command::kShell: return run_command(*parsed, context);
    case Command::kLearn: return learn_command(*parsed, context);
    case Command::kSessionStart: return session_start(*parsed, context);
    case Command::kSessionExec: return session_exec(*parsed, context);
    case Command::kSessionList: return session_list(*parsed, context);
    case Command::kSessionStop: return session_stop(*parsed, context);
    case Command::kWeb: return web(*parsed, context);
    case Command::kPolicyShow: return policy_show(*parsed, context);
    case Command::kPolicyWhy: return policy_why(*parsed, context);
    case Command::kPolicyCheck: return policy_check(*parsed, context);
    case Command::kPolicyTrust: return policy_trust(*parsed, context);
    case Command::kGrantsList: return grants_list(*parsed, context);
    case Command::kGrantsRevoke: return grants_revoke(*parsed, context);
    case Command::kGrantsClear: return grants_clear(*parsed, context);
    case Command::kGrantsWhy: return grants_why(*parsed, context);
    case Command::kCheck: return check(*parsed, context);
    case Command::kFilesRead: return files_read(*parsed, context);
    case Command::kFilesWrite: return files_write(*parsed, context);
    case Command::kFilesEdit: return files_edit(*parsed, context);
    case Command::kFilesList: return files_list(*parsed, context);
    case Command::kFilesGlob: return files_glob(*parsed, context);
    case Command::kFilesSearch: return files_search(*parsed, context);
    case Command::kInit: return init(*parsed, context);
    case Command::kDoctor: return doctor(*parsed, context);
    case Command::kLog: return log(*parsed, context);
    case Command::kStats: return stats(*parsed, context);
    case Command::kRedact: return redact(*parsed, context);
    case Command::kCompletions: return completions(*parsed, context);
    case Command::kManPage: return man_page(*parsed, context);
    case Command::kPluginList: return plugin_list(*parsed, context);
    case Command::kPluginShow:
    case Command::kPluginReview:
    case Command::kPluginAllow: return plugin_review(*parsed, context);
    case Command::kPluginDeny:
    case Command::kPluginRevoke: return plugin_decide(*parsed, context);
    case Command::kPluginImport: return plugin_import(*parsed, context);
    case Command::kPluginDoctor: return plugin_doctor(*parsed, context);
    case Command::kPluginTools: return plugin_tools(*parsed, context);
    case Command::kPluginCall: return plugin_call(*parsed, context);
    case Command::kPluginRun: return plugin_run(*parsed, context);
    case Command::kVersion: print(STDOUT_FILENO, version()); return 0;
    case Command::kHelp: break;
  }
  if (arguments.empty()) {
    // `pinfold` alone: at a terminal the user wants help, in a script it is a mistake. Print help, return an error.
    print(STDERR_FILENO, overview());
    return kUsageError;
  }
  return help_about(*parsed, context);
}

}  // namespace

int main(int argc, char** argv, Context context) {
  bool own_code = true;
  const int code = run_words(argc, argv, context, own_code);
  if (const auto lost = output_error(); code == 0 && lost) return complain(*lost, context.host);
  // HostView reported a file that it could not stat as missing: the result may be wrong, or this is its cause.
  const auto trouble = context.host.take_host_error();
  if (!own_code || !trouble) return code;
  const int failed = complain(*trouble, context.host);
  return code == 0 ? failed : code;
}

}  // namespace pinfold::cli
