// builder.cc: PolicyBuilder: rules from flags, files and code on top of a preset.
// Invariant: every problem is kept, with its origin and fix; a policy comes out only if there is none.
// Not here: the network (builder_network.cc), limits and other single values (builder_values.cc), presets (presets.cc),
// queries to the host (scope.cc).
#include <algorithm>

#include "base/edit_distance.h"
#include "base/glob.h"
#include "base/paths.h"
#include "base/text.h"
#include "pinfold/policy.h"
#include "policy/presets.h"
#include "policy/rank.h"

namespace pinfold {
namespace {

using policy::kFullAccessPreset;
using std::string_view;
using text::shown;

// The kernel refuses a longer argument or variable (MAX_ARG_STRLEN).
constexpr std::size_t kLongestValue = 128 * 1024 - 1;

bool is_trusted(Source source) { return source == Source::kFlag || source == Source::kApi; }

bool is_name_start(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

bool is_variable_name(string_view name) {
  return !name.empty() && is_name_start(name[0]) && std::all_of(name.begin(), name.end(), is_name_part);
}

string_view word(ExecMode mode) {
  return mode == ExecMode::kAny ? "any" : mode == ExecMode::kNone ? "none" : "a list of commands";
}

}  // namespace

PolicyBuilder::PolicyBuilder(string_view preset, Caller caller, Origin origin) : caller_(std::move(caller)) {
  if (!caller_.home.empty() && caller_.home[0] == '/') caller_.home = paths::normal(caller_.home);
  if (!policy::apply_preset(preset, caller_, policy_)) {
    const auto near = closest_word(preset, preset_names());
    std::string known;
    for (const string_view name : preset_names()) known += (known.empty() ? "" : ", ") + std::string(name);
    problem(origin, "there is no profile \"" + shown(preset) + "\"",
            near ? "did you mean " + std::string(*near) + "?" : "the profiles are " + known);
  }
  if (preset == kFullAccessPreset) full_access_asked_ = std::move(origin);
}

PolicyBuilder& PolicyBuilder::problem(const Origin& origin, std::string what, std::string fix) {
  std::string line = origin.where.empty() ? std::string("policy") : shown(origin.where);
  line += ": " + std::move(what);
  if (!fix.empty()) line += " (" + std::move(fix) + ")";
  problems_.push_back(std::move(line));
  return *this;
}

std::optional<std::string> PolicyBuilder::absolute(string_view text, const Origin& origin) {
  const auto bad = [&](std::string what, std::string fix) {
    problem(origin, std::move(what), std::move(fix));
    return std::nullopt;
  };
  if (text.empty()) return bad("the path is empty", "name a file or directory");
  if (text.find('\0') != string_view::npos) return bad("the path " + shown(text) + " contains a NUL byte", "remove it");
  std::string full;
  if (text[0] == '/') {
    full = text;
  } else if (text[0] == '~') {
    if (text.size() > 1 && text[1] != '/')
      return bad(shown(text) + ": ~user is not supported", "write the whole path, or ./" + shown(text) + " for a file");
    if (caller_.home.empty() || caller_.home[0] != '/')
      return bad(shown(text) + ": the home directory is not known", "write the whole path");
    full = caller_.home + std::string(text.substr(1));
  } else {
    if (caller_.working_dir.empty() || caller_.working_dir[0] != '/')
      return bad(shown(text) + ": the working directory is not known", "write the whole path");
    full = paths::join(caller_.working_dir, text);
  }
  full = paths::normal(full);
  if (full.size() > paths::kLongestPath)
    return bad("the path " + shown(full.substr(0, 40)) + "… is longer than 4095 bytes", "name a shorter path");
  for (std::size_t begin = 1; begin < full.size();) {
    const std::size_t end = std::min(full.find('/', begin), full.size());
    if (end - begin > paths::kLongestName)
      return bad("the name " + shown(full.substr(begin, 40)) + "… in a path is longer than 255 bytes",
                 "no file can have it; check the path");
    begin = end + 1;
  }
  return full;
}

void PolicyBuilder::path_rule(string_view text, Access access, Origin origin, Missing missing) {
  auto path = absolute(text, origin);
  if (!path) return;
  const auto refuse = [&](std::string what, std::string fix) { problem(origin, std::move(what), std::move(fix)); };
  const auto covers = [&](string_view top) { return paths::at_or_beneath(*path, top); };
  if (access != Access::kHide) {
    if (covers("/proc") || *path == "/dev")
      return refuse(shown(*path) + " cannot be shown: the sandbox has its own /proc and /dev",
                    "leave it out, or name one device");
    if (access == Access::kWrite && covers("/sys"))
      return refuse(shown(*path) + " cannot be writable: it controls the host's kernel",
                    "use --read " + text::shell_word(*path));
    if (access == Access::kWrite && *path == "/" && policy_.profile != kFullAccessPreset)
      return refuse("/ would make the whole system writable",
                    "name the directories, or use --profile danger-full-access");
  }
  policy_.paths.push_back({std::move(*path), access, missing, std::move(origin)});
}

PolicyBuilder& PolicyBuilder::workspace(string_view dir, const Origin& origin) {
  auto path = absolute(dir, origin);
  if (!path) {
    workspace_origin_ = origin;
    return *this;
  }
  if (workspace_origin_ && !overrides(origin, *workspace_origin_)) return *this;
  if (workspace_origin_ && !same_layer(origin, *workspace_origin_)) {
    policy_.workspaces.clear();
    std::erase_if(policy_.paths, [](const PathRule& rule) { return rule.workspace; });
  }
  workspace_origin_ = origin;
  if (std::find(policy_.workspaces.begin(), policy_.workspaces.end(), *path) != policy_.workspaces.end()) return *this;
  policy_.workspaces.push_back(*path);
  policy_.paths.push_back({std::move(*path), policy_.workspace_access, Missing::kError, origin, true});
  return *this;
}

PolicyBuilder& PolicyBuilder::workspace_access(Access access, Origin origin) {
  if (access == Access::kHide) return problem(origin, "a workspace cannot be hidden", "use read or write");
  if (!overrides(origin, policy_.workspace_access_origin)) return *this;
  policy_.workspace_access = access;
  policy_.workspace_access_origin = std::move(origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::read(string_view path, Origin origin, Missing missing) {
  path_rule(path, Access::kRead, std::move(origin), missing);
  return *this;
}

PolicyBuilder& PolicyBuilder::write(string_view path, Origin origin, Missing missing) {
  path_rule(path, Access::kWrite, std::move(origin), missing);
  return *this;
}

PolicyBuilder& PolicyBuilder::hide_path(string_view path, Origin origin, Missing missing) {
  path_rule(path, Access::kHide, std::move(origin), missing);
  return *this;
}

PolicyBuilder& PolicyBuilder::hide(string_view path_or_glob, Origin origin) {
  if (!is_pattern(path_or_glob)) {
    path_rule(path_or_glob, Access::kHide, std::move(origin), Missing::kError);
    return *this;
  }
  // A file may really be called "a[1]": it is hidden by that name too, where it exists.
  auto literal = absolute(path_or_glob, origin);
  if (!literal) return *this;
  std::string pattern(path_or_glob);
  if (path_or_glob[0] == '~')
    pattern = paths::normal(Glob::escaped(caller_.home) + std::string(path_or_glob.substr(1)));
  const auto glob = Glob::parse(pattern);
  if (!glob) {
    problem(origin, glob.error().text(), glob.error().fix());
    return *this;
  }
  policy_.paths.push_back({std::move(*literal), Access::kHide, Missing::kSkip, origin});
  policy_.patterns.push_back({std::move(pattern), std::move(origin)});
  return *this;
}

PolicyBuilder& PolicyBuilder::protect(string_view name_or_path, Origin origin) {
  const bool rooted = !name_or_path.empty() && (name_or_path[0] == '/' || name_or_path[0] == '~');
  auto path = absolute(name_or_path, origin);
  if (!path) return *this;
  if (!rooted) {
    // A relative name applies in every writable root, so it may not depend on the caller's directory.
    int level = 0;
    for (std::size_t begin = 0; begin < name_or_path.size();) {
      const std::size_t end = std::min(name_or_path.find('/', begin), name_or_path.size());
      const string_view part = name_or_path.substr(begin, end - begin);
      if (part == "..")
        --level;
      else if (!part.empty() && part != ".")
        ++level;
      if (level < 0) break;
      begin = end + 1;
    }
    if (level <= 0) {
      problem(origin, shown(name_or_path) + " is not a name inside a writable directory",
              "use a name such as .vscode, or a whole path");
      return *this;
    }
    path = paths::normal("/" + std::string(name_or_path)).substr(1);
  } else if (*path == "/") {
    problem(origin, "/ cannot be protected", "use --profile read-only");
    return *this;
  }
  policy_.protect.push_back({std::move(*path), std::move(origin)});
  return *this;
}

PolicyBuilder& PolicyBuilder::allow(const danger::HostNetwork& reason, const Origin& origin) {
  if (reason.why().empty())
    return problem(origin, "full network needs a reason", "pass the reason to danger::HostNetwork");
  network_mode(NetworkMode::kFull, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::allow(const danger::FullAccess& reason, const Origin& origin) {
  if (reason.why().empty())
    problem(origin, "full access needs a reason", "pass the reason to danger::FullAccess");
  else
    full_access_granted_ = true;
  return *this;
}

bool PolicyBuilder::exec_mode(ExecMode mode, const Origin& origin) {
  ExecRule& rule = policy_.exec;
  if (!overrides(origin, rule.origin)) return false;
  if (policy::contradicts(origin, rule.origin) && rule.mode != mode) {
    problem(origin, "exec " + std::string(word(mode)) + " and " + std::string(word(rule.mode)) + " are both asked for",
            "use any, or none, or only names of commands");
    return false;
  }
  if (rule.mode != mode || !same_layer(rule.origin, origin)) rule = {mode, {}, origin};
  return true;
}

PolicyBuilder& PolicyBuilder::exec_any(const Origin& origin) {
  exec_mode(ExecMode::kAny, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::exec_none(const Origin& origin) {
  exec_mode(ExecMode::kNone, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::exec_command(string_view command, const Origin& origin) {
  if (command.empty() || command.find('\0') != string_view::npos) {
    problem(origin, "the command is empty or contains a NUL byte", "use any, none, or the name of a command");
    return *this;
  }
  std::string entry(command);
  if (command.find('/') != string_view::npos || command[0] == '~') {
    auto path = absolute(command, origin);
    if (!path) return *this;
    entry = std::move(*path);
  }
  if (exec_mode(ExecMode::kList, origin)) policy_.exec.commands.push_back(std::move(entry));
  return *this;
}

PolicyBuilder& PolicyBuilder::env(string_view name_or_assignment, Origin origin) {
  const std::size_t equals = name_or_assignment.find('=');
  const string_view name = name_or_assignment.substr(0, equals);
  const bool sets = equals != string_view::npos;
  const bool wild = !name.empty() && name.back() == '*';
  const string_view stem = wild ? name.substr(0, name.size() - 1) : name;
  const auto bad = [&](std::string what, std::string fix) -> PolicyBuilder& {
    problem(origin, std::move(what), std::move(fix));
    return *this;
  };
  if (!is_variable_name(stem) && !(wild && stem.empty()))
    return bad("\"" + shown(name) + "\" is not a variable's name", "use NAME, NAME=VALUE or PREFIX_*");
  if (wild && sets) return bad(shown(name) + ": a pattern cannot have a value", "name one variable");
  if (wild && stem.empty() && !is_trusted(origin.source))
    return bad("* would pass every variable, with all secrets in them", "name the variables");
  if (name == "PINFOLD" || name == "PINFOLD_NETWORK")
    return bad(std::string(name) + " is set by Pinfold, so that programs can tell where they are", "leave it out");
  if (policy::runs_code(name) && !is_trusted(origin.source))
    return bad(std::string(name) + " can make programs run other code, so a file cannot declare it",
               "use --env " + std::string(name));
  std::optional<std::string> value;
  if (sets) {
    value = name_or_assignment.substr(equals + 1);
    if (value->find('\0') != std::string::npos)
      return bad("the value of " + std::string(name) + " contains a NUL byte", "remove it");
    if (value->size() + name.size() + 1 > kLongestValue)
      return bad("the value of " + std::string(name) + " is longer than 128K", "put it in a file and use --read");
  }
  policy_.environment.push_back({std::string(name), std::move(value), std::move(origin)});
  return *this;
}

Result<Policy> PolicyBuilder::build() && {
  const Origin preset{Source::kPreset, "preset " + policy_.profile};
  if (!workspace_origin_) workspace(caller_.working_dir, {Source::kPreset, "the working directory"});
  for (PathRule& rule : policy_.paths)
    if (rule.workspace) rule.access = policy_.workspace_access;
  if (policy_.tmp == TmpMode::kHost && policy_.profile != kFullAccessPreset)
    for (const char* path : {"/tmp", "/var/tmp"})
      policy_.paths.push_back({path, Access::kWrite, Missing::kSkip, policy_.tmp_origin});
  if (full_access_asked_ && !full_access_granted_)
    problem(
        *full_access_asked_, "danger-full-access lets the command do all that you can do",
        "a file or a variable can only ask for it; say so yourself with --profile danger-full-access, or in code with "
        "allow(danger::FullAccess(reason))");
  // Often a symlink into /run, which no preset shows; without it names do not resolve.
  if (policy_.network.mode == NetworkMode::kFull)
    policy_.paths.push_back({"/etc/resolv.conf", Access::kRead, Missing::kSkip, preset});
  if (policy_.network.mode == NetworkMode::kDomains) {
    const auto& list = policy_.network.domains;
    if (std::all_of(list.begin(), list.end(), [](const DomainRule& one) { return one.action == RuleAction::kDeny; }))
      problem(policy_.network.origin, "every name is denied and none is allowed",
              "add what ! narrows, such as *.example.org, or use none");
    for (const char* path : policy::kNameServices)
      policy_.paths.push_back({path, Access::kHide, Missing::kSkip, preset});
  }
  if (problems_.empty()) return std::move(policy_);
  std::string all;
  for (const std::string& line : problems_) all += (all.empty() ? "" : "\n") + line;
  return fail(ErrorKind::kInvalid, std::move(all));
}

}  // namespace pinfold
