// learn.cc: `pinfold learn`: runs the command, records its accesses, writes a profile and, with --verify, tries it.
// Invariant: the exit code is the command's; an existing file is replaced only with --force; without a learned rule no
// file is written, unless --output names one. Not here: the policy during the run (learn/wide_view.h), turning accesses
// into rules (learn/rule_synthesis.h).
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/glob.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/advice_gate.h"
#include "cli/commands.h"
#include "cli/learn_output.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/process_io.h"
#include "learn/profile.h"
#include "learn/rule_synthesis.h"
#include "learn/wide_view.h"
#include "plan/compile.h"
#include "plan/missing_own.h"
#include "plan/plan_view.h"
#include "policy/presets.h"
#include "report/outcome.h"
#include "settings/own_directories.h"
#include "sys/files.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using policy::Key;

constexpr int kMaxRounds = 3;
constexpr int kMaxPlans = 20;
// The search for files that are hidden by name covers the whole home directory here, so its bounds are wider.
constexpr plan::SearchBounds kWideSearch = {200'000, 2'000};

plan::Invocation invocation_of(const Plan& base, const RunOptions& options) {
  return {options.argv, base.working_dir, options.implied_shell};
}

// The flags are written to the profile too: without them the command would fail under it.
std::vector<learn::FlagSetting> settings_of_flags(const CommandLine& parsed, const Caller& caller) {
  std::vector<learn::FlagSetting> out;
  for (const policy::Setting& one : settings_of(parsed)) {
    const bool path = one.key == Key::kRead || one.key == Key::kWrite || one.key == Key::kWorkspace ||
                      (one.key == Key::kHide && !is_pattern(one.value));
    const auto whole = path ? absolute(one.value, one.where, caller) : Result<std::string>(one.value);
    out.push_back({one.key, whole.value_or(one.value)});
  }
  return out;
}

class Learning {
 public:
  Learning(const CommandLine& parsed, const RunOptions& options, const Caller& caller, Context& context)
      : parsed_(parsed), options_(options), caller_(caller), context_(context), secrets_(caller, context.host) {}

  Result<void> begin() {
    if (has_flag(parsed_, Id::kExecList) && has_flag(parsed_, Id::kExec))
      return fail(ErrorKind::kInvalid, "--exec and --exec-list are both given", "keep one of them");
    PF_TRY(base, prepare(parsed_, options_, caller_, context_, {}));
    base_ = std::move(base);
    PF_TRY(loaded, load_scope(parsed_, caller_, context_.host));
    if (loaded.loaded.policy.profile == policy::kFullAccessPreset)
      return fail(ErrorKind::kInvalid, "danger-full-access allows everything: there is nothing to learn",
                  "name another --profile");
    // Without a mount namespace every name is visible there, so a use cannot be told from a mere lookup.
    std::erase_if(base_.candidates, [](const backend::Backend* one) { return one->name() == "landlock"; });
    if (base_.candidates.empty())
      return fail(ErrorKind::kUnavailable,
                  "pinfold learn does not work with the landlock backend: it cannot record which paths a command uses",
                  "use --backend native or bubblewrap");
    PF_TRY(file, LearnOutput::choose(parsed_, caller_, base_.workspaces, context_.host));
    file_.emplace(std::move(file));
    describe_base(loaded.loaded.policy);
    reference_plan_ = base_.plan;
    if (has_flag(parsed_, Id::kExecList)) list_programs();
    base_scope_.emplace(std::move(loaded.scope));
    PF_CHECK(plan_watched());
    add_command_need();
    advice_ = check_advice(options_, context_.host);
    return {};
  }

  // Returns the exit code, also if the command never ran.
  int run_rounds() {
    int code = run(watched_);
    if (!command_started_) return code;
    synthesize();
    for (int round = 1; has_flag(parsed_, Id::kVerify) && round <= kMaxRounds; ++round) {
      const std::size_t known = profile_.rule_set.rules.size();
      auto tried = plan_with_learned();
      if (!tried) return complain(tried.error(), context_.host);
      code = run(*tried);
      if (!command_started_) return code;
      synthesize();
      verify_result_ = code == 0 ? fmt::format("verified: it succeeds with this profile (round {})", round)
                                 : fmt::format("not verified: it ended with exit code {} with this profile", code);
      if (code == 0 || profile_.rule_set.rules.size() == known) break;
    }
    return write_result(code);
  }

 private:
  // Plans the watched run, which shows nearly every path of the host.
  Result<void> plan_watched() {
    const auto plan_wide = [&]() -> Result<Plan> {
      PF_TRY(scope,
             policy::Scope::build(learn::wide_view(*base_scope_, base_.plan, secrets_, context_.host), context_.host));
      return plan::compile(scope, context_.host, invocation_of(base_.plan, options_), kWideSearch);
    };
    watched_ = base_;
    PF_TRY(wide, plan_wide(), "planning the watched run");
    if (const auto missing = plan::missing_own(wide, context_.host); !missing.empty()) {
      PF_TRY(made, settings::make_own_directories(missing));
      watched_.temporary = std::move(made);
      PF_TRY(again, plan_wide(), "planning the watched run");
      wide = std::move(again);
    }
    watched_.plan = std::move(wide);
    learn::watch(watched_.plan, reference_plan_);
    ++plan_count_;
    return {};
  }

  bool shown_path_is_missing() const {
    return std::any_of(watched_.plan.steps.begin(), watched_.plan.steps.end(), [&](const Step& step) {
      const auto* show = std::get_if<ShowPath>(&step.body);
      return show != nullptr && show->ensure == Ensure::kExists && !context_.host.resolve(show->host);
    });
  }

  void describe_base(const Policy& policy) {
    profile_.base = policy.custom.empty() ? policy.profile : policy.custom;
    profile_.home = secrets_.home();
    profile_.command = text::shell_words(options_.argv);
    if (const FlagValue* name = find_flag_value(parsed_, Id::kName)) profile_.name = name->value;
    if (!file_->is_stdout())
      profile_.run_with =
          fmt::format("pinfold run --policy {} -- {}", text::shell_word(file_->shown()), profile_.command);
    profile_.flag_settings = settings_of_flags(parsed_, caller_);
    profile_.has_timeout = policy.limits.wall_time.has_value();
    profile_.has_memory = policy.limits.memory.has_value();
  }

  // The reference plan allows no program, so the observer reports each program that is started.
  void list_programs() {
    for (Step& step : reference_plan_.steps)
      if (auto* exec = std::get_if<ExecLimit>(&step.body)) *exec = {ExecMode::kList, {}, {}};
    if (std::none_of(reference_plan_.steps.begin(), reference_plan_.steps.end(),
                     [](const Step& step) { return std::holds_alternative<ExecLimit>(step.body); }))
      reference_plan_.steps.push_back({ExecLimit{ExecMode::kList, {}, {}}, Need::kRequired, {}});
  }

  // The exec of the command itself happens before the observer watches, so it is added here.
  void add_command_need() {
    const std::string& word = options_.argv[0];
    const plan::PlanView view(watched_.plan);
    std::vector<std::string> places;
    if (word.find('/') != std::string::npos)
      places.push_back(word[0] == '/' ? word : paths::join(base_.plan.working_dir, word));
    else
      for (const std::string& directory : view.search()) places.push_back(paths::join(directory, word));
    for (const std::string& place : places) {
      const auto info = context_.host.resolve(paths::normal(place));
      if (!info || info->kind != HostKind::kFile || !context_.host.executable(info->canonical)) continue;
      needs_.add({info->canonical, std::string(paths::basename(word)), learn::AccessKind::kExecute},
                 paths::normal(place));
      return;
    }
  }

  // Runs the command once; returns its exit code and sets `command_started_`.
  int run(const PreparedRun& prepared) {
    const Result<PreparedRun> known = prepared;
    RunJournal journal = journal_of(known, parsed_, options_, caller_, context_.host);
    std::optional<ReportFile> none;
    if (advice_) journal.record_advice(options_.argv[2], advice_->because, advice_->decision, advice_->by);
    if (advice_ && advice_->decision == ApprovalDecision::kDeny) {
      Report refused;
      refused.outcome = advice_->refusal;
      return finish(refused, Verbosity::kSummary, none, journal, context_);
    }
    learn::ObservedAccess seen;
    const Report report =
        carry_out(prepared, options_, nullptr, journal, context_, [&seen](const Denial& denial) { seen.add(denial); });
    command_started_ =
        !std::holds_alternative<Refused>(report.outcome) && !std::holds_alternative<SetupFailed>(report.outcome);
    // Another process may have removed a path between the plan and the start: then plan again.
    if (!command_started_ && &prepared == &watched_ && plan_count_ < kMaxPlans && shown_path_is_missing() &&
        plan_watched())
      return run(watched_);
    profile_.usage = report.usage;
    const int code = finish(report, Verbosity::kSummary, none, journal, context_);
    profile_.complete = code == 0;
    needs_.add(seen, code == 0 ? learn::ObservedAccess::End::kSuccess : learn::ObservedAccess::End::kFailure);
    return code;
  }

  void synthesize() {
    const auto programs = has_flag(parsed_, Id::kExecList) ? learn::Programs::kList : learn::Programs::kAny;
    profile_.rule_set = learn::synthesize_rules(
        needs_, {base_.plan, watched_.plan, secrets_, base_.workspaces, programs}, context_.host);
  }

  // The plan of `pinfold run --policy FILE` with the learned profile, with --observe full.
  Result<PreparedRun> plan_with_learned() {
    PF_TRY(sources, sources_of(parsed_, caller_, context_.host));
    sources.named = settings::PolicyFile{file_->path(), "the learned profile", file_->directory(), to_toml(profile_)};
    PF_TRY(loaded, settings::load(std::move(sources), context_.host));
    loaded.policy.observe = ObserveMode::kFull;
    const auto plan_now = [&]() -> Result<Plan> {
      PF_TRY(scope, policy::Scope::build(loaded.policy, context_.host));
      return plan::compile(scope, context_.host, invocation_of(base_.plan, options_));
    };
    PreparedRun out = base_;
    PF_TRY(plan, plan_now());
    if (const auto missing = plan::missing_own(plan, context_.host); !missing.empty()) {
      PF_TRY(made, settings::make_own_directories(missing));
      out.temporary = std::move(made);
      PF_TRY(again, plan_now());
      plan = std::move(again);
    }
    const Plan itself = plan;
    out.plan = std::move(plan);
    learn::watch(out.plan, itself);
    return out;
  }

  int write_result(int code) {
    const bool nothing = is_empty(profile_);
    if (auto written = file_->write(profile_, code); !written) {
      print_error(fmt::format("{}; the command's exit code was {}", written.error().text(), code),
                  written.error().fix(), context_.host);
      return kUsageError;
    }
    print(STDERR_FILENO, summary(nothing));
    return code;
  }

  std::string summary(bool nothing) const {
    const learn::RuleSet& learned = profile_.rule_set;
    std::string out = "pinfold: ";
    if (nothing)
      out += fmt::format("{} is enough: the command needed nothing beyond it\n", text::shown(profile_.base));
    else
      out += fmt::format("learned {} rule{} beyond {}{}{}\n", learned.rules.size(),
                         learned.rules.size() == 1 ? "" : "s", text::shown(profile_.base),
                         file_->is_written() ? ": " : "", file_->is_written() ? text::shown(file_->shown()) : "");
    if (!learned.omitted.empty())
      out += fmt::format("  {} more {} requested but not granted\n", learned.omitted.size(),
                         learned.omitted.size() == 1 ? "resource was" : "resources were");
    for (std::size_t i = 0; i < std::min<std::size_t>(learned.omitted.size(), 5); ++i)
      out += fmt::format("    {}: {}\n", text::shown(learned.omitted[i].path), learned.omitted[i].why);
    if (!profile_.complete) out += "  the command failed, so the profile may be incomplete\n";
    if (!verify_result_.empty()) out += "  " + verify_result_ + "\n";
    if (file_->is_written() && !profile_.run_with.empty())
      out += "  to use it: " + text::shown(profile_.run_with) + "\n";
    return out;
  }

  const CommandLine& parsed_;
  const RunOptions& options_;
  const Caller& caller_;
  Context& context_;
  learn::Secrets secrets_;
  PreparedRun base_;
  PreparedRun watched_;
  Plan reference_plan_;
  std::optional<policy::Scope> base_scope_;
  int plan_count_ = 0;  // how often watched_ was planned
  learn::ObservedAccess needs_;
  std::optional<AdviceResult> advice_;
  learn::Profile profile_;
  std::optional<LearnOutput> file_;
  std::string verify_result_;
  bool command_started_ = false;
};

}  // namespace

int learn_command(const CommandLine& parsed, Context& context) {
  auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  auto options = read_run_options(parsed, *caller);
  if (!options) return complain(options.error(), context.host);
  Learning learning(parsed, *options, *caller, context);
  if (auto begun = learning.begin(); !begun) return complain(begun.error(), context.host);
  return learning.run_rounds();
}

}  // namespace pinfold::cli
