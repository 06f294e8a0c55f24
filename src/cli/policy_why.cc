// policy_why.cc: `pinfold policy why X`: which rule decides about one path, variable or program, and the flag that
// changes it. Invariant: asks Scope::decide() and the compiled plan, the same that a run obeys; every meaning X can
// have is answered. Not here: changing anything.
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/surroundings.h"
#include "plan/compile.h"
#include "policy/resolver.h"
#include "report/plan_view.h"
#include "report/render.h"
#include "report/table.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using report::visible;

struct Question {
  const std::string& subject;
  const Caller& caller;
  const policy::Scope& scope;
  const Plan& plan;
  HostView& host;
};

struct Answer {
  std::string subject;
  std::string decision;
  std::string because;
  std::string change;  // the flag, or empty
};

std::string text_of(const Answer& answer, report::Colour colour) {
  std::string out =
      report::paint(visible(answer.subject), report::Paint::kBold, colour) + ": " + visible(answer.decision) + "\n";
  if (!answer.because.empty()) out += "  because: " + visible(answer.because) + "\n";
  if (!answer.change.empty()) out += "  to change: " + visible(answer.change) + "\n";
  return out;
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string absolute(std::string_view name, const Caller& caller) {
  if (name == "~" || name.starts_with("~/")) return paths::normal(caller.home + std::string(name.substr(1)));
  return paths::normal(name.starts_with("/") ? std::string(name) : paths::join(caller.working_dir, name));
}

std::string canonical(const std::string& path, HostView& host) {
  return policy::canonical_path(path, host).value_or(path);
}

Answer about_path(const Question& question, const std::string& given) {
  const std::string path = canonical(given, question.host);
  Answer answer;
  answer.subject = path == given ? path : fmt::format("{} → {}", given, path);
  const policy::Decision decision = question.scope.decide(path);
  switch (decision.access) {
    case Access::kHide: answer.decision = "hidden"; break;
    case Access::kRead: answer.decision = "readable, not writable"; break;
    case Access::kWrite: answer.decision = "readable and writable"; break;
  }
  if (question.host.kind(path) == HostKind::kMissing) answer.decision += " (it does not exist now)";
  answer.because = decision.reason;
  answer.change = decision.allow_with;
  if (decision.access != Access::kHide) return answer;
  // Places that the sandbox makes up for itself are no rule of the policy.
  const report::PathFate fate = report::PlanView(question.plan).fate(path);
  if (fate.fate == report::Fate::kPrivate) {
    answer.decision = "private: writable, in memory, gone after the run; what the host has there is hidden";
    answer.because = fate.rule;
  } else if (fate.fate == report::Fate::kKernel) {
    answer.decision = "the sandbox's own";
    answer.because = fate.rule;
    answer.change.clear();
  } else if (fate.fate == report::Fate::kReadOnly || fate.fate == report::Fate::kWritable) {
    answer.decision = fate.fate == report::Fate::kWritable ? "private to the sandbox, writable"
                                                           : "made up for the sandbox, read-only";
    answer.because = fate.step->origin.where;
  }
  return answer;
}

Answer about_variable(const Question& question, const std::string& name) {
  Answer answer;
  answer.subject = "variable " + name;
  for (const Step& step : question.plan.steps) {
    const auto* environment = std::get_if<Environment>(&step.body);
    if (environment == nullptr) continue;
    for (const Variable& variable : environment->variables) {
      if (variable.name != name) continue;
      const auto host_value = question.host.variable(name);
      answer.decision = host_value && *host_value == variable.value ? "passed on" : "set to a value of its own";
      answer.because = variable.origin.where;
      answer.change = fmt::format("--env {}=VALUE", name);
      return answer;
    }
  }
  const bool exists = question.host.variable(name).has_value();
  answer.decision = exists ? "not passed on" : "not set here, so there is nothing to pass on";
  answer.because = exists ? "no rule names it" : "";
  answer.change = exists ? "--env " + name : fmt::format("--env {}=VALUE", name);
  return answer;
}

std::optional<std::string> find_program(const std::string& name, HostView& host) {
  const auto search = host.variable("PATH");
  if (!search || name.empty()) return std::nullopt;
  std::string_view rest = *search;
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    if (directory.starts_with("/")) {
      std::string path = paths::join(directory, name);
      if (host.executable(path)) {
        const auto real = host.resolve(path);
        if (real && real->kind == HostKind::kFile) return paths::normal(path);
      }
    }
    if (colon == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

Answer about_program(const Question& question, const std::string& name, const std::string& path) {
  const ExecRule& rule = question.scope.policy().exec;
  Answer answer;
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
      answer.change = "--exec any";
      break;
    case ExecMode::kList: {
      const bool listed = std::any_of(rule.commands.begin(), rule.commands.end(), [&](const std::string& one) {
        return one == name || one == path || one == real;
      });
      answer.decision = listed ? "can be started: it is in the list" : "cannot be started: it is not in the list";
      if (!listed) answer.change = "--exec " + text::shell_word(name);
      break;
    }
  }
  return answer;
}

std::vector<Answer> answers(const Question& question) {
  const std::string& subject = question.subject;
  std::vector<Answer> out;
  const bool written_as_path = subject.find('/') != std::string::npos || subject[0] == '.' || subject[0] == '~';
  const std::string path = absolute(subject, question.caller);
  if (written_as_path) return {about_path(question, path)};
  const bool here = question.host.kind(path) != HostKind::kMissing;
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

Result<std::string> explain(const Parsed& parsed, Context& context) {
  if (parsed.words.size() != 1 || parsed.words[0].empty())
    return fail(ErrorKind::kInvalid, "policy why needs one path, variable or program", "pinfold policy why ~/.ssh");
  PF_TRY(caller, sys::find_caller(context.host), "");
  PF_TRY(read, load_scope(parsed, caller, context.host), "");
  const policy::Scope& scope = read.scope;
  plan::Invocation invocation;
  invocation.working_dir = plan::default_working_dir(caller, scope.workspaces());
  PF_TRY(plan, plan::compile(scope, context.host, invocation), "");
  std::string out;
  for (const Answer& answer : answers({parsed.words[0], caller, scope, plan, context.host}))
    out += text_of(answer, colour_for(STDOUT_FILENO, context.host));
  return out;
}

}  // namespace

int policy_why(const Parsed& parsed, Context& context) {
  auto text = explain(parsed, context);
  if (!text) return complain(text.error(), context.host);
  print(STDOUT_FILENO, *text);
  return 0;
}

}  // namespace pinfold::cli
