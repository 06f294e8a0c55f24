// why.cc: which rule decides about one path, variable or program.
// Invariant: a flag or a line of TOML is offered only if adding it has the effect: within one source the stricter rule
// wins, and a file does not overrule a variable or a flag. Not here: printing (policy_why.cc), hosts (why_host.cc).
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

// A line for a policy file: key = ["value", …]. TOML is UTF-8 and nothing else.
std::string toml_list(string_view key, const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& one : values) {
    if (!is_utf8(one)) return {};
    out += (out.empty() ? "" : ", ") + policy::toml_string(one);
  }
  return fmt::format("{} = [{}]", key, out);
}

// Would one more line in a file be heard where this has spoken? Above a preset, files count; above them, they do not.
bool file_is_heard(const Origin& by) { return by.source < Source::kEnvironment; }

// Who said it about this very path; null when it was said about a directory above, or by nobody.
const Origin* said_about(const policy::Decision& decision, const std::string& path) {
  if (decision.pattern != nullptr) return &decision.pattern->origin;
  if (decision.protection != nullptr) return &decision.protection->origin;
  return decision.rule != nullptr && decision.rule->path == path ? &decision.rule->origin : nullptr;
}

Change change_of(const policy::Decision& decision, const std::string& path) {
  Change out{decision.allow_with, {}};
  if (out.flag.empty()) return out;
  // Beside a rule of a file about the same path, another one in it would be the weaker.
  const Origin* by = said_about(decision, path);
  if (by == nullptr || by->source == Source::kPreset)
    out.toml = toml_list(decision.access == Access::kHide ? "read" : "write", {path});
  return out;
}

// A protected name that does not exist is kept from coming into being at the top of a root, and where it was asked for
// by path; deeper down a run may make it. The plan knows where.
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

// The step that makes a file of the sandbox's own, over whatever the host has there; or null.
const Step* maker_of(const Plan& plan, const std::string& path) {
  const auto found = std::find_if(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* file = std::get_if<MakeFile>(&step.body);
    return file != nullptr && file->at == path;
  });
  return found == plan.steps.end() ? nullptr : &*found;
}

WhyAnswer about_path(const WhyQuestion& question, const std::string& given) {
  const std::string path = canonical(given, question.host);
  WhyAnswer answer;
  answer.subject = path == given ? path : fmt::format("{} → {}", given, path);
  const policy::Decision decision = question.scope.decide(path);
  switch (decision.access) {
    case Access::kHide: answer.decision = "hidden"; break;
    case Access::kRead: answer.decision = "readable, not writable"; break;
    case Access::kWrite: answer.decision = "readable and writable"; break;
  }
  const bool missing = question.host.kind(path) == HostKind::kMissing;
  answer.because = decision.reason;
  answer.change = change_of(decision, path);
  if (missing && decision.protection != nullptr && !is_guarded(question.plan, path)) {
    answer.decision = "readable and writable";
    answer.because += ": kept where it exists, and new only at the top of a root";
    answer.change = {};
  }
  if (missing) answer.decision += " (it does not exist now)";
  if (const Step* maker = maker_of(question.plan, path)) {
    answer.decision = "made up for the sandbox, read-only";
    answer.because = maker->origin.where;
    answer.change = {};
    return answer;
  }
  if (decision.access != Access::kHide) return answer;
  // Places that the sandbox makes up for itself are no rule of the policy.
  const plan::PathFate fate = plan::PlanView(question.plan).fate(path);
  if (fate.fate == plan::Fate::kPrivate) {
    answer.decision = "private: writable, in memory, gone after the run; what the host has there is hidden";
    answer.because = fate.rule;
  } else if (fate.fate == plan::Fate::kKernel) {
    answer.decision = "the sandbox's own";
    answer.because = fate.rule;
    answer.change = {};
  } else if (fate.fate == plan::Fate::kReadOnly || fate.fate == plan::Fate::kWritable) {
    answer.decision =
        fate.fate == plan::Fate::kWritable ? "private to the sandbox, writable" : "made up for the sandbox, read-only";
    answer.because = fate.step->origin.where;
  }
  return answer;
}

Change variable_change(const std::string& name, const std::string& said) {
  if (name == "PINFOLD" || name == "PINFOLD_NETWORK") return {};  // Pinfold's own words to what runs inside
  // Variables that make programs run other code are declared by flag alone.
  return {"--env " + said, policy::runs_code(name) ? std::string() : toml_list("env", {said})};
}

WhyAnswer about_variable(const WhyQuestion& question, const std::string& name) {
  WhyAnswer answer;
  answer.subject = "variable " + name;
  for (const Step& step : question.plan.steps) {
    const auto* environment = std::get_if<Environment>(&step.body);
    if (environment == nullptr) continue;
    for (const Variable& variable : environment->variables) {
      if (variable.name != name) continue;
      const auto host_value = question.host.variable(name);
      answer.decision = host_value && *host_value == variable.value ? "passed on" : "set to a value of its own";
      answer.because = variable.origin.where;
      answer.change = variable_change(name, name + "=VALUE");
      if (!file_is_heard(variable.origin)) answer.change.toml.clear();
      return answer;
    }
  }
  const bool exists = question.host.variable(name).has_value();
  answer.decision = exists ? "not passed on" : "not set here, so there is nothing to pass on";
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

// A list of a later source replaces an earlier one, so it has to name everything.
Change exec_change(const ExecRule& rule, const std::string& name) {
  std::vector<std::string> all = rule.commands;
  all.push_back(name);
  Change out;
  for (const std::string& one : rule.origin.source < Source::kFlag ? all : std::vector{name})
    out.flag += (out.flag.empty() ? "" : " ") + ("--exec " + text::shell_word(one));
  if (file_is_heard(rule.origin)) out.toml = toml_list("exec", all);
  return out;
}

WhyAnswer about_program(const WhyQuestion& question, const std::string& name, const std::string& path) {
  const ExecRule& rule = question.scope.policy().exec;
  WhyAnswer answer;
  answer.subject = fmt::format("program {} ({})", name, path);
  answer.because = rule.origin.where;
  const std::string real = canonical(path, question.host);
  if (question.scope.decide(real).access == Access::kHide) {
    answer.decision = "cannot be started: its file is hidden";
    answer.because.clear();  // the path's own answer, below, says why
    return answer;
  }
  switch (rule.mode) {
    case ExecMode::kAny: answer.decision = "can be started"; break;
    case ExecMode::kNone:
      answer.decision = "cannot be started by the command: no program can";
      answer.change = {"--exec any", file_is_heard(rule.origin) ? "exec = \"any\"" : ""};
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

// "*.example.org" is a rule: which names it covers, and how to ask about one.
WhyAnswer about_wildcard(const std::string& rule) {
  const std::string domain = rule.substr(2);
  WhyAnswer answer;
  answer.subject = "names below " + domain;
  answer.decision = fmt::format("a rule, not a host: ask about one of them, as in: pinfold policy why www.{}", domain);
  answer.change.flag = "--net " + text::shell_word(rule);
  return answer;
}

}  // namespace

HostAsked meant_as_host(const WhyQuestion& question) {
  const bool here = question.host.kind(absolute(question.subject, question.caller)) != HostKind::kMissing;
  return here ? HostAsked() : host_asked(question.subject);
}

std::string path_meant(const WhyQuestion& question) {
  return canonical(absolute(question.subject, question.caller), question.host);
}

std::vector<WhyAnswer> answers(const WhyQuestion& question) {
  const std::string& subject = question.subject;
  std::vector<WhyAnswer> out;
  const std::string path = absolute(subject, question.caller);
  const bool here = question.host.kind(path) != HostKind::kMissing;
  if (const HostAsked asked = meant_as_host(question); !asked.host.empty()) return {about_host(question, asked)};
  if (!here && subject.starts_with("*.") && parse_rule(subject, {})) return {about_wildcard(subject)};
  const bool written_as_path = subject.find('/') != std::string::npos || subject[0] == '.' || subject[0] == '~';
  if (written_as_path) return {about_path(question, path)};
  if (here) out.push_back(about_path(question, path));
  if (const auto program = find_program(subject, question.host)) {
    out.push_back(about_program(question, subject, *program));
    out.push_back(about_path(question, *program));
  }
  // What is neither a file here nor a program is most likely meant as a variable, set or not.
  const bool set = question.host.variable(subject).has_value();
  if (is_variable_name(subject) && (set || out.empty())) out.push_back(about_variable(question, subject));
  if (out.empty()) out.push_back(about_path(question, path));
  return out;
}

}  // namespace pinfold::cli
