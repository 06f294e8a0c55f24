// options.cc: turns flags into a policy and run options.
// Invariant: contradictory flags are an error, never resolved silently; danger tokens are made only here, from typed
// flags. Not here: the table of flags (flags.h), looking up paths on the host (policy::Scope).
#include "cli/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "base/windows_paths.h"

namespace pinfold::cli {

namespace {

using text::shown;

constexpr std::string_view kFullAccess = "danger-full-access";

const FlagValue* find(const CommandLine& parsed, Id id) {
  for (const FlagValue& one : parsed.flags)
    if (one.flag->id == id) return &one;
  return nullptr;
}

}  // namespace

Result<std::string> absolute(std::string_view value, std::string_view flag, const Caller& caller) {
  if (value.empty()) return fail(ErrorKind::kInvalid, fmt::format("{}: the path is empty", flag), "name a directory");
  std::string said(value);
  if (caller.platform == Platform::kWindows) {
    PF_TRY(path, windows_paths::to_core(value, {caller.working_dir, caller.home}), flag);
    said = std::move(path);
  }
  value = said;
  if (value == "~" || value.starts_with("~/")) return paths::normal(caller.home + std::string(value.substr(1)));
  if (value[0] == '/') return paths::normal(value);
  return paths::normal(paths::join(caller.working_dir, value));
}

namespace {

Result<void> read_argv(const CommandLine& parsed, RunOptions& options) {
  const FlagValue* text = find(parsed, Id::kCommandText);
  const FlagValue* shell = find(parsed, Id::kShell);
  options.force_advice = find(parsed, Id::kForceAdvice) != nullptr;
  if (text == nullptr) {
    if (shell != nullptr)
      return fail(ErrorKind::kInvalid, "--shell is only used with -c", "pinfold run --shell SH -c 'TEXT'");
    if (options.force_advice)
      return fail(ErrorKind::kInvalid, "--force-advice is only used with -c: advice is about a shell's text",
                  "leave it out");
    if (parsed.words.empty())
      return fail(ErrorKind::kInvalid, "there is no command to run",
                  "pinfold run -- COMMAND, or pinfold run -c 'TEXT'");
    if (parsed.words[0].empty())
      return fail(ErrorKind::kInvalid, "the command's name is empty", "pinfold run -- COMMAND");
    options.argv = parsed.words;
    return {};
  }
  if (!parsed.words.empty())
    return fail(ErrorKind::kInvalid, fmt::format("-c and a command ({}) are both given", shown(parsed.words[0])),
                "use one: -c 'TEXT', or -- COMMAND");
  if (shell != nullptr && shell->value.empty())
    return fail(ErrorKind::kInvalid, "--shell: the name is empty", "--shell /bin/bash");
  // The text is one element of argv: it is neither quoted nor joined.
  options.argv = {shell == nullptr ? "/bin/sh" : std::string(shell->value), "-c", std::string(text->value)};
  options.implied_shell = true;
  options.is_text = true;
  return {};
}

Result<void> read_backend(const CommandLine& parsed, RunOptions& options) {
  const FlagValue* backend = find(parsed, Id::kBackend);
  const bool off = find(parsed, Id::kNoSandbox) != nullptr;
  if (off && find(parsed, Id::kSandbox) != nullptr)
    return fail(ErrorKind::kInvalid, "--sandbox and --no-sandbox are both given", "keep one of them");
  options.backend = backend == nullptr ? "auto" : std::string(backend->value);
  options.confinement = off ? Confinement::kNone : Confinement::kSandbox;
  if (options.backend == "passthrough" && !off)
    return fail(ErrorKind::kInvalid, "--backend passthrough enforces nothing", "add --no-sandbox to confirm");
  if (off && options.backend != "auto" && options.backend != "passthrough")
    return fail(ErrorKind::kInvalid,
                fmt::format("--no-sandbox and --backend {} are both given", shown(options.backend)),
                "keep one of them");
  return {};
}

// The policy key that a flag sets, if any.
std::optional<policy::Key> key_of(Id id) {
  using policy::Key;
  switch (id) {
    case Id::kWorkspace: return Key::kWorkspace;
    case Id::kRead: return Key::kRead;
    case Id::kWrite: return Key::kWrite;
    case Id::kHide: return Key::kHide;
    case Id::kProtect: return Key::kProtect;
    case Id::kNet:
    case Id::kAllowNetwork: return Key::kNetwork;
    case Id::kResolve: return Key::kResolve;
    case Id::kExec: return Key::kExec;
    case Id::kEnv: return Key::kEnv;
    case Id::kTmp: return Key::kTmp;
    case Id::kTimeout: return Key::kTimeout;
    case Id::kMemory: return Key::kMemory;
    case Id::kProcesses: return Key::kProcesses;
    case Id::kCpuTime: return Key::kCpuTime;
    case Id::kFileSize: return Key::kFileSize;
    case Id::kOutputLimit: return Key::kOutputLimit;
    case Id::kDebuggers: return Key::kDebuggers;
    case Id::kObserve: return Key::kObserve;
    case Id::kOnUnavailable: return Key::kOnUnavailable;
    case Id::kIgnored: return Key::kIgnored;
    case Id::kAllowAbsolute: return Key::kAllowAbsolute;
    default: return std::nullopt;
  }
}

Result<AskMode> read_ask(const CommandLine& parsed) {
  const FlagValue* asked = find(parsed, Id::kAsk);
  if (asked == nullptr) return parsed.command == Command::kShell ? AskMode::kTerminal : AskMode::kNever;
  if (asked->value == "terminal") return AskMode::kTerminal;
  if (asked->value == "web") return AskMode::kWeb;
  if (asked->value == "never") return AskMode::kNever;
  return fail(ErrorKind::kInvalid, fmt::format("--ask {}: unknown value", shown(asked->value)),
              "use terminal, web or never");
}

}  // namespace

Result<RunOptions> read_run_options(const CommandLine& parsed, const Caller& caller) {
  RunOptions options;
  if (parsed.command == Command::kRun || parsed.command == Command::kLearn) {
    PF_CHECK(read_argv(parsed, options));
  } else if (!parsed.words.empty()) {
    return fail(ErrorKind::kInvalid,
                fmt::format("`pinfold {}` takes no command ({})", info(parsed.command).name, shown(parsed.words[0])),
                parsed.command == Command::kShell ? "pinfold run -- COMMAND" : "pinfold session exec NAME -- COMMAND");
  }
  if (const FlagValue* shell = find(parsed, Id::kShell)) options.shell = shell->value;
  PF_CHECK(read_backend(parsed, options));
  if (const FlagValue* cwd = find(parsed, Id::kCwd)) {
    PF_TRY(directory, absolute(cwd->value, "--cwd", caller));
    options.working_dir = std::move(directory);
  }
  if (find(parsed, Id::kExplain) != nullptr) options.mode = Mode::kExplain;
  if (find(parsed, Id::kQuiet) != nullptr) options.verbosity = Verbosity::kQuiet;
  options.journal = !has_flag(parsed, Id::kNoJournal);
  PF_TRY(ask, read_ask(parsed));
  options.ask = ask;
  options.ask_given = has_flag(parsed, Id::kAsk);
  options.on_unavailable_given = has_flag(parsed, Id::kOnUnavailable);
  options.sandbox_flag_given = has_flag(parsed, Id::kSandbox) || has_flag(parsed, Id::kNoSandbox);
  if (const FlagValue* report = find(parsed, Id::kReport)) {
    if (options.mode == Mode::kExplain)
      return fail(ErrorKind::kInvalid, "--explain runs nothing, so --report has nothing to write", "keep one of them");
    PF_TRY(file, absolute(report->value == "-" ? "/dev/stdout" : report->value, "--report", caller));
    // normal() removed the trailing slash, which means a directory.
    if (report->value.back() == '/')
      return fail(ErrorKind::kInvalid, fmt::format("--report {} is a directory", shown(report->value)),
                  "name a file in it");
    options.report = std::move(file);
  }
  return options;
}

const FlagValue* find_flag_value(const CommandLine& parsed, Id id) { return find(parsed, id); }

bool has_flag(const CommandLine& parsed, Id id) { return find(parsed, id) != nullptr; }

std::vector<policy::Setting> settings_of(const CommandLine& parsed) {
  std::vector<policy::Setting> out;
  for (const FlagValue& one : parsed.flags)
    if (const auto key = key_of(one.flag->id)) {
      const std::string_view implied = *key == policy::Key::kDebuggers ? "true" : "full";
      out.push_back({*key, std::string(takes_value(*one.flag) ? one.value : implied), std::string(one.spelling)});
    }
  return out;
}

Result<settings::Sources> sources_of(const CommandLine& parsed, const Caller& caller, HostView& host) {
  settings::Sources sources;
  policy::Layers& layers = sources.layers;
  layers.caller = caller;
  layers.flags = settings_of(parsed);
  const FlagValue* profile = find(parsed, Id::kProfile);
  const FlagValue* off = find(parsed, Id::kNoSandbox);
  // Without a sandbox a preset adds nothing; other flags and an explicit profile still count.
  if (profile != nullptr)
    layers.profile = {policy::Key::kProfile, std::string(profile->value), std::string(profile->spelling)};
  else if (off != nullptr)
    layers.profile = {policy::Key::kProfile, std::string(kFullAccess), std::string(off->spelling)};
  if (layers.profile && layers.profile->value == kFullAccess)
    layers.full_access = danger::FullAccess(layers.profile->where + " on the command line");
  if (has_flag(parsed, Id::kNoUserFile)) sources.user_file = settings::SourceUse::kIgnore;
  if (has_flag(parsed, Id::kNoProjectFile) || parsed.command == Command::kLearn)
    sources.project_file = settings::SourceUse::kIgnore;
  if (const FlagValue* file = find(parsed, Id::kPolicy)) {
    if (has_flag(parsed, Id::kNoProjectFile))
      return fail(ErrorKind::kInvalid, "--policy and --no-project-file are both given",
                  "keep one of them: --policy takes the place of the project's file");
    PF_TRY(path, absolute(file->value, "--policy", caller));
    PF_TRY(named, settings::read_project_file(path, caller, host), "--policy");
    sources.named = std::move(named);
  }
  return sources;
}

std::optional<NetworkMode> expected_network(const CommandLine& parsed) {
  for (const Id id : {Id::kProfile, Id::kAllowNetwork})
    if (find(parsed, id) != nullptr) return std::nullopt;
  const auto* net = find(parsed, Id::kNet);
  if (net == nullptr || net->value == "none") return NetworkMode::kNone;
  return net->value == "full" ? NetworkMode::kFull : NetworkMode::kDomains;
}

}  // namespace pinfold::cli
