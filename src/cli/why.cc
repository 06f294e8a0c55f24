// why.cc: finds the rule that decides about a path, variable or program.
// Invariant: a flag or a line of TOML is suggested only if adding it changes the decision: within one source the
// stricter rule wins, and a file does not override a variable or a flag. Not here: printing (policy_why.cc), hosts
// (why_host.cc).
#include "cli/why.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/domain.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/why_host.h"
#include "plan/plan_view.h"
#include "policy/presets.h"
#include "policy/print.h"
#include "policy/resolver.h"

namespace pinfold::cli {

namespace {

using std::string_view;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_variable_name(string_view name) {
  return !name.empty() && !is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

std::string absolute(string_view name, const Caller& caller) {
  if (name == "~" || name.starts_with("~/")) return paths::normal(caller.home + std::string(name.substr(1)));
  return paths::normal(name.starts_with("/") ? std::string(name) : paths::join(caller.working_dir, name));
}

std::string canonical(const std::string& path, HostView& host) {
  return policy::canonical_path(path, host).value_or(path);
}

// A line for a policy file: key = ["value", …]; empty if a value is not UTF-8, which TOML requires.
std::string toml_list(string_view key, const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& one : values) {
    if (!is_utf8(one)) return {};
    out += (out.empty() ? "" : ", ") + policy::toml_string(one);
  }
  return fmt::format("{} = [{}]", key, out);
}

// Can a line in a policy file override this origin? Files override presets, but neither variables nor flags.
bool file_can_override(const Origin& by) { return by.source < Source::kEnvironment; }

// The origin of the rule for exactly this path; null if the rule is for a directory above, or there is none.
const Origin* deciding_origin(const policy::Decision& decision, const std::string& path) {
  if (decision.pattern != nullptr) return &decision.pattern->origin;
  if (decision.protection != nullptr) return &decision.protection->origin;
  return decision.rule != nullptr && decision.rule->path == path ? &decision.rule->origin : nullptr;
}

SuggestedChange change_of(const policy::Decision& decision, const std::string& path) {
  SuggestedChange out{decision.allow_with, {}};
  if (out.flag.empty()) return out;
  // A file's own rule for the same path would win over a weaker one added to that file.
  const Origin* by = deciding_origin(decision, path);
  if (by == nullptr || by->source == Source::kPreset)
    out.toml = toml_list(decision.access == Access::kHide ? "read" : "write", {path});
  return out;
}

// A run cannot create a protected name at the top of a writable root, or one that --protect names by path; deeper down
// it can. The plan has a step for each guarded name.
bool is_guarded(const Plan& plan, const std::string& path) {
  auto holds = [&path](const std::string& at) {
    return path == at || (path.starts_with(at) && path[at.size()] == '/');
  };
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    if (const auto* kept = std::get_if<ProtectPath>(&step.body)) return holds(kept->at);
    const auto* name = std::get_if<ProtectName>(&step.body);
    return name != nullptr && holds(name->parent + "/" + name->name);
  });
}

// The step that puts a generated file at this path, or null.
const Step* maker_of(const Plan& plan, const std::string& path) {
  const auto found = std::find_if(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* file = std::get_if<MakeFile>(&step.body);
    return file != nullptr && file->at == path;
  });
  return found == plan.steps.end() ? nullptr : &*found;
}

RuleExplanation about_path(const RuleQuery& rule_query, const std::string& typed_path) {
  const std::string path = canonical(typed_path, rule_query.host);
  RuleExplanation answer;
  answer.subject = path == typed_path ? path : fmt::format("{} → {}", typed_path, path);
  const policy::Decision decision = rule_query.scope.decide(path);
  switch (decision.access) {
    case Access::kHide: answer.decision = "hidden"; break;
    case Access::kRead: answer.decision = "readable, not writable"; break;
    case Access::kWrite: answer.decision = "readable and writable"; break;
  }
  const bool missing = rule_query.host.kind(path) == HostKind::kMissing;
  answer.because = decision.reason;
  answer.change = change_of(decision, path);
  if (missing && decision.protection != nullptr && !is_guarded(rule_query.plan, path)) {
    answer.decision = "readable and writable";
    answer.because += ": an existing file is protected; a new one only at the top of a writable root";
    answer.change = {};
  }
  if (missing) answer.decision += " (it does not exist now)";
  if (const Step* maker = maker_of(rule_query.plan, path)) {
    answer.decision = "generated for the sandbox, read-only";
    answer.because = maker->origin.where;
    answer.change = {};
    return answer;
  }
  if (decision.access != Access::kHide) return answer;
  // Private and generated paths of the sandbox come from the plan, not from a rule.
  const plan::PathLookup lookup = plan::PlanView(rule_query.plan).look_up(path);
  if (lookup.state == plan::PathState::kPrivate) {
    answer.decision = "private: writable, in memory, deleted after the run; the host's files there are hidden";
    answer.because = lookup.rule;
  } else if (lookup.state == plan::PathState::kKernel) {
    answer.decision = "the sandbox's own";
    answer.because = lookup.rule;
    answer.change = {};
  } else if (lookup.state == plan::PathState::kReadOnly || lookup.state == plan::PathState::kWritable) {
    answer.decision = lookup.state == plan::PathState::kWritable ? "private to the sandbox, writable"
                                                                 : "generated for the sandbox, read-only";
    answer.because = lookup.step->origin.where;
  }
  return answer;
}

SuggestedChange variable_change(const std::string& name, const std::string& setting) {
  if (name == "PINFOLD" || name == "PINFOLD_NETWORK") return {};  // Pinfold sets these itself
  // Variables that make programs run other code can be passed by flag only.
  return {"--env " + setting, policy::runs_code(name) ? std::string() : toml_list("env", {setting})};
}

RuleExplanation about_variable(const RuleQuery& rule_query, const std::string& name) {
  RuleExplanation answer;
  answer.subject = "variable " + name;
  for (const Step& step : rule_query.plan.steps) {
    const auto* environment = std::get_if<Environment>(&step.body);
    if (environment == nullptr) continue;
    for (const Variable& variable : environment->variables) {
      if (variable.name != name) continue;
      const auto host_value = rule_query.host.variable(name);
      answer.decision = host_value && *host_value == variable.value ? "passed on" : "set to another value than outside";
      answer.because = variable.origin.where;
      answer.change = variable_change(name, name + "=VALUE");
      if (!file_can_override(variable.origin)) answer.change.toml.clear();
      return answer;
    }
  }
  const bool exists = rule_query.host.variable(name).has_value();
  answer.decision = exists ? "not passed on" : "not set here, so it is not passed on";
  answer.because = exists ? "no rule names it" : "";
  answer.change = variable_change(name, exists ? name : name + "=VALUE");
  return answer;
}

std::optional<std::string> find_program(const std::string& name, HostView& host) {
  const auto search = host.variable("PATH");
  if (!search || name.empty()) return std::nullopt;
  string_view rest = *search;
  while (true) {
    const std::size_t colon = rest.find(':');
    const string_view directory = rest.substr(0, colon);
    if (directory.starts_with("/")) {
      std::string path = paths::join(directory, name);
      if (host.executable(path)) {
        const auto real = host.resolve(path);
        if (real && real->kind == HostKind::kFile) return paths::normal(path);
      }
    }
    if (colon == string_view::npos) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

// A list of a later source replaces an earlier one, so the suggestion repeats the whole list.
SuggestedChange exec_change(const ExecRule& rule, const std::string& name) {
  std::vector<std::string> all = rule.commands;
  all.push_back(name);
  SuggestedChange out;
  for (const std::string& one : rule.origin.source < Source::kFlag ? all : std::vector{name})
    out.flag += (out.flag.empty() ? "" : " ") + ("--exec " + text::shell_word(one));
  if (file_can_override(rule.origin)) out.toml = toml_list("exec", all);
  return out;
}

RuleExplanation about_program(const RuleQuery& rule_query, const std::string& name, const std::string& path) {
  const ExecRule& rule = rule_query.scope.policy().exec;
  RuleExplanation answer;
  answer.subject = fmt::format("program {} ({})", name, path);
  answer.because = rule.origin.where;
  const std::string real = canonical(path, rule_query.host);
  if (rule_query.scope.decide(real).access == Access::kHide) {
    answer.decision = "cannot be started: its file is hidden";
    answer.because.clear();  // the explanation of the path follows
    return answer;
  }
  switch (rule.mode) {
    case ExecMode::kAny: answer.decision = "can be started"; break;
    case ExecMode::kNone:
      answer.decision = "cannot be started: the policy allows no program to be started";
      answer.change = {"--exec any", file_can_override(rule.origin) ? "exec = \"any\"" : ""};
      break;
    case ExecMode::kList: {
      const bool listed = std::any_of(rule.commands.begin(), rule.commands.end(), [&](const std::string& one) {
        return one == name || one == path || one == real;
      });
      answer.decision = listed ? "can be started: it is in the list" : "cannot be started: it is not in the list";
      if (!listed) answer.change = exec_change(rule, name);
      break;
    }
  }
  return answer;
}

// "*.example.org" is a rule and not a host: explains how to ask about one name.
RuleExplanation about_wildcard(const std::string& rule) {
  const std::string domain = rule.substr(2);
  RuleExplanation answer;
  answer.subject = "names below " + domain;
  answer.decision = fmt::format("a rule, not a host: ask about one of them, as in: pinfold policy why www.{}", domain);
  answer.change.flag = "--net " + text::shell_word(rule);
  return answer;
}

}  // namespace

HostQuery host_query(const RuleQuery& rule_query) {
  const bool here = rule_query.host.kind(absolute(rule_query.subject, rule_query.caller)) != HostKind::kMissing;
  return here ? HostQuery() : parse_host_query(rule_query.subject);
}

std::string canonical_subject(const RuleQuery& rule_query) {
  return canonical(absolute(rule_query.subject, rule_query.caller), rule_query.host);
}

std::vector<RuleExplanation> explain_subject(const RuleQuery& rule_query) {
  const std::string& subject = rule_query.subject;
  std::vector<RuleExplanation> out;
  const std::string path = absolute(subject, rule_query.caller);
  const bool here = rule_query.host.kind(path) != HostKind::kMissing;
  if (const HostQuery query = host_query(rule_query); !query.host.empty()) return {about_host(rule_query, query)};
  if (!here && subject.starts_with("*.") && parse_rule(subject, {})) return {about_wildcard(subject)};
  const bool written_as_path = subject.find('/') != std::string::npos || subject[0] == '.' || subject[0] == '~';
  if (written_as_path) return {about_path(rule_query, path)};
  if (here) out.push_back(about_path(rule_query, path));
  if (const auto program = find_program(subject, rule_query.host)) {
    out.push_back(about_program(rule_query, subject, *program));
    out.push_back(about_path(rule_query, *program));
  }
  // A word that is neither a file here nor a program is most likely a variable, set or not.
  const bool set = rule_query.host.variable(subject).has_value();
  if (is_variable_name(subject) && (set || out.empty())) out.push_back(about_variable(rule_query, subject));
  if (out.empty()) out.push_back(about_path(rule_query, path));
  return out;
}

}  // namespace pinfold::cli
