// options.cc: what each flag means.
// Invariant: contradictions are errors, never settled in silence; danger tokens are made only here, from what was
// typed. Not here: the table of flags (flags.h), the host's answers about paths (policy::Scope).
#include "cli/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"

namespace pinfold::cli {

namespace {

using text::shown;

constexpr std::string_view kDefaultProfile = "moderate";
constexpr std::string_view kFullAccess = "danger-full-access";

const Given* find(const Parsed& parsed, Id id) {
  for (const Given& given : parsed.flags)
    if (given.flag->id == id) return &given;
  return nullptr;
}

Result<std::string> absolute(std::string_view value, std::string_view flag, const Caller& caller) {
  if (value.empty()) return fail(ErrorKind::kInvalid, fmt::format("{}: the path is empty", flag), "name a directory");
  if (value == "~" || value.starts_with("~/")) return paths::normal(caller.home + std::string(value.substr(1)));
  if (value[0] == '/') return paths::normal(value);
  return paths::normal(paths::join(caller.working_dir, value));
}

Result<void> read_argv(const Parsed& parsed, RunOptions& options) {
  const Given* text = find(parsed, Id::kCommandText);
  const Given* shell = find(parsed, Id::kShell);
  if (text == nullptr) {
    if (shell != nullptr)
      return fail(ErrorKind::kInvalid, "--shell is only used with -c", "pinfold run --shell SH -c 'TEXT'");
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
  // The text is one element of argv: no quoting, no joining, nothing to get wrong.
  options.argv = {shell == nullptr ? "/bin/sh" : std::string(shell->value), "-c", std::string(text->value)};
  options.implied_shell = true;
  return {};
}

Result<void> read_backend(const Parsed& parsed, RunOptions& options) {
  const Given* backend = find(parsed, Id::kBackend);
  const bool off = find(parsed, Id::kNoSandbox) != nullptr;
  if (off && find(parsed, Id::kSandbox) != nullptr)
    return fail(ErrorKind::kInvalid, "--sandbox and --no-sandbox are both given", "keep one of them");
  options.backend = backend == nullptr ? "auto" : std::string(backend->value);
  options.walls = off ? Walls::kNone : Walls::kSandbox;
  if (options.backend == "passthrough" && !off)
    return fail(ErrorKind::kInvalid, "--backend passthrough enforces nothing", "say so: add --no-sandbox");
  if (off && options.backend != "auto" && options.backend != "passthrough")
    return fail(ErrorKind::kInvalid,
                fmt::format("--no-sandbox and --backend {} are both given", shown(options.backend)),
                "keep one of them");
  return {};
}

// What is wrong with the words of --net, if anything; the builder finds contradictions.
std::optional<Error> apply_net(PolicyBuilder& builder, const Given& given, const Origin& origin) {
  if (given.value == "none") {
    builder.no_network(origin);
  } else if (given.value == "full") {
    builder.allow(danger::HostNetwork("--net full on the command line"), origin);
  } else if (given.value.find('.') != std::string_view::npos || given.value.find(':') != std::string_view::npos ||
             given.value == "localhost") {
    return Error(ErrorKind::kInvalid, fmt::format("--net {}: network by domain is not built yet", shown(given.value)),
                 "use --net none or --net full");
  } else {
    return Error(ErrorKind::kInvalid,
                 fmt::format("--net {}: not a kind of network{}", shown(given.value),
                             did_you_mean(given.value, {"none", "full"})),
                 "use --net none or --net full");
  }
  return std::nullopt;
}

std::optional<Error> apply(PolicyBuilder& builder, const Given& given) {
  const Origin origin{Source::kFlag, std::string(given.spelling)};
  const std::string_view value = given.value;
  switch (given.flag->id) {
    case Id::kWorkspace: builder.workspace(value, origin); break;
    case Id::kRead: builder.read(value, origin); break;
    case Id::kWrite: builder.write(value, origin); break;
    case Id::kHide: builder.hide(value, origin); break;
    case Id::kProtect: builder.protect(value, origin); break;
    case Id::kNet: return apply_net(builder, given, origin);
    case Id::kAllowNetwork:
      builder.allow(danger::HostNetwork("--sandbox-allow-network on the command line"), origin);
      break;
    case Id::kExec:
      if (value == "any")
        builder.exec_any(origin);
      else if (value == "none")
        builder.exec_none(origin);
      else
        builder.exec_command(value, origin);
      break;
    case Id::kEnv: builder.env(value, origin); break;
    case Id::kTimeout: builder.timeout(value, origin); break;
    case Id::kMemory: builder.memory(value, origin); break;
    case Id::kProcesses: builder.processes(value, origin); break;
    case Id::kCpuTime: builder.cpu_time(value, origin); break;
    case Id::kFileSize: builder.file_size(value, origin); break;
    case Id::kOutputLimit: builder.output_limit(value, origin); break;
    case Id::kOnUnavailable: builder.on_unavailable(value, origin); break;
    case Id::kProfile:  // the builder started from it
    case Id::kCommandText:
    case Id::kShell:
    case Id::kCwd:
    case Id::kBackend:
    case Id::kReport:
    case Id::kExplain:
    case Id::kQuiet:
    case Id::kSandbox:
    case Id::kNoSandbox:
    case Id::kHelp:
    case Id::kVersion: break;
  }
  return std::nullopt;
}

}  // namespace

Result<RunOptions> read_run_options(const Parsed& parsed, const Caller& caller) {
  RunOptions options;
  PF_CHECK(read_argv(parsed, options), "");
  PF_CHECK(read_backend(parsed, options), "");
  if (const Given* cwd = find(parsed, Id::kCwd)) {
    PF_TRY(directory, absolute(cwd->value, "--cwd", caller), "");
    options.working_dir = std::move(directory);
  }
  if (find(parsed, Id::kExplain) != nullptr) options.mode = Mode::kExplain;
  if (find(parsed, Id::kQuiet) != nullptr) options.verbosity = Verbosity::kQuiet;
  options.gap_answer_given = find(parsed, Id::kOnUnavailable) != nullptr;
  if (const Given* report = find(parsed, Id::kReport)) {
    if (options.mode == Mode::kExplain)
      return fail(ErrorKind::kInvalid, "--explain runs nothing, so --report has nothing to tell", "keep one of them");
    PF_TRY(file, absolute(report->value, "--report", caller), "");
    // The trailing slash that normal() removed would have said "a directory".
    if (report->value.back() == '/')
      return fail(ErrorKind::kInvalid, fmt::format("--report {} is a directory", shown(report->value)),
                  "name a file in it");
    options.report = std::move(file);
  }
  return options;
}

Result<Policy> read_policy(const Parsed& parsed, const Caller& caller) {
  const Given* profile = find(parsed, Id::kProfile);
  const Given* off = find(parsed, Id::kNoSandbox);
  // Without walls there is nothing that a preset could add; flags and an explicit profile are still heard.
  const std::string_view name = profile != nullptr ? profile->value : off != nullptr ? kFullAccess : kDefaultProfile;
  const Given* from = profile != nullptr ? profile : off;
  PolicyBuilder builder(
      name, caller,
      from == nullptr ? Origin{Source::kPreset, "default"} : Origin{Source::kFlag, std::string(from->spelling)});
  if (name == kFullAccess && from != nullptr)
    builder.allow(danger::FullAccess(profile != nullptr ? "--profile danger-full-access on the command line"
                                                        : "--no-sandbox on the command line"),
                  {Source::kFlag, std::string(from->spelling)});
  for (const Given& given : parsed.flags)
    if (auto error = apply(builder, given)) return tl::unexpected<Error>(std::move(*error));
  return std::move(builder).build();
}

std::optional<NetworkMode> network_at_a_glance(const Parsed& parsed) {
  for (const Id id : {Id::kProfile, Id::kNet, Id::kAllowNetwork})
    if (find(parsed, id) != nullptr) return std::nullopt;
  return NetworkMode::kNone;
}

std::string default_working_dir(const Caller& caller, const std::vector<std::string>& workspaces) {
  for (const std::string& workspace : workspaces)
    if (paths::at_or_beneath(caller.working_dir, workspace)) return caller.working_dir;
  return workspaces.empty() ? caller.working_dir : workspaces.front();
}

}  // namespace pinfold::cli
