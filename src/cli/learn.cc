// learn.cc: `pinfold learn`: watch, draw the lesson, write it, and, if asked, try it.
// Invariant: the exit code is the command's; an existing file is replaced only if that was asked for; nothing is
// written when nothing was learned, unless a file was named. Not here: what may be seen meanwhile (learn/wide_view.h),
// which rules come of it (learn/rule_synthesis.h).
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/glob.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/advice_gate.h"
#include "cli/learn_output.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/process_io.h"
#include "learn/rule_synthesis.h"
#include "learn/profile.h"
#include "learn/wide_view.h"
#include "plan/compile.h"
#include "plan/missing_own.h"
#include "plan/plan_view.h"
#include "policy/presets.h"
#include "report/outcome.h"
#include "sys/files.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using policy::Key;

constexpr int kMostRounds = 3;
constexpr int kMostPlans = 5;
// Searching for what is hidden by name takes its time in a whole home, and is worth it.
constexpr plan::SearchBounds kWideSearch = {200'000, 2'000};

plan::Invocation invocation_of(const Plan& base, const RunOptions& options) {
  return {options.argv, base.working_dir, options.implied_shell};
}

// Flags stand in the file, too: without them the command would not pass.
std::vector<learn::Said> said_by(const Parsed& parsed, const Caller& caller) {
  std::vector<learn::Said> out;
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
  Learning(const Parsed& parsed, const RunOptions& options, const Caller& caller, Context& context)
      : parsed_(parsed), options_(options), caller_(caller), context_(context), secrets_(caller, context.host) {}

  Result<void> begin() {
    if (given(parsed_, Id::kExecList) && given(parsed_, Id::kExec))
      return fail(ErrorKind::kInvalid, "--exec and --exec-list are both given", "keep one of them");
    PF_TRY(base, prepare(parsed_, options_, caller_, context_, {}), "");
    base_ = std::move(base);
    PF_TRY(loaded, load_scope(parsed_, caller_, context_.host), "");
    if (loaded.loaded.policy.profile == policy::kFullAccessPreset)
      return fail(ErrorKind::kInvalid, "danger-full-access allows everything: there is nothing to learn",
                  "name another --profile");
    // Names lie open there, so that what was used cannot be told from what was only seen.
    std::erase_if(base_.candidates, [](const backend::Backend* one) { return one->name() == "landlock"; });
    if (base_.candidates.empty())
      return fail(ErrorKind::kUnavailable, "the landlock backend cannot tell what a command needs",
                  "use --backend native or bubblewrap");
    PF_TRY(file, LessonFile::choose(parsed_, caller_, base_.workspaces, context_.host), "");
    file_.emplace(std::move(file));
    describe_base(loaded.loaded.policy);
    as_if_ = base_.plan;
    if (given(parsed_, Id::kExecList)) list_programs();
    base_scope_.emplace(std::move(loaded.scope));
    PF_CHECK(plan_watched(), "");
    need_command();
    advised_ = consult(options_, context_.host);
    return {};
  }

  // The exit code, also of a command that never ran.
  int go() {
    int code = run(watched_);
    if (!ran_) return code;
    draw();
    for (int round = 1; given(parsed_, Id::kVerify) && round <= kMostRounds; ++round) {
      const std::size_t known = profile_.lesson.rules.size();
      auto tried = plan_under_lesson();
      if (!tried) return complain(tried.error(), context_.host);
      code = run(*tried);
      if (!ran_) return code;
      draw();
      verdict_ = code == 0 ? fmt::format("it passes under it (round {})", round)
                           : fmt::format("it ended with exit code {} under it", code);
      if (code == 0 || profile_.lesson.rules.size() == known) break;
    }
    return tell(code);
  }

 private:
  // Nearly everything shown, whatever was there when somebody looked.
  Result<void> plan_watched() {
    const auto plan_wide = [&]() -> Result<Plan> {
      PF_TRY(scope,
             policy::Scope::build(learn::wide_view(*base_scope_, base_.plan, secrets_, context_.host), context_.host),
             "");
      return plan::compile(scope, context_.host, invocation_of(base_.plan, options_), kWideSearch);
    };
    watched_ = base_;
    PF_TRY(wide, plan_wide(), "planning what to watch");
    if (const auto missing = plan::missing_own(wide, context_.host); !missing.empty()) {
      for (const std::string& each : missing) static_cast<void>(sys::make_directories(each));
      PF_TRY(again, plan_wide(), "planning what to watch");
      wide = std::move(again);
    }
    watched_.plan = std::move(wide);
    learn::watch(watched_.plan, as_if_);
    ++planned_;
    return {};
  }

  bool something_is_gone() const {
    return std::any_of(watched_.plan.steps.begin(), watched_.plan.steps.end(), [&](const Step& step) {
      const auto* show = std::get_if<ShowPath>(&step.body);
      return show != nullptr && show->ensure == Ensure::kExists && !context_.host.resolve(show->host);
    });
  }

  void describe_base(const Policy& policy) {
    profile_.base = policy.custom.empty() ? policy.profile : policy.custom;
    profile_.home = secrets_.home();
    profile_.command = text::shell_words(options_.argv);
    if (const Given* name = find_given(parsed_, Id::kName)) profile_.name = name->value;
    if (!file_->is_stdout())
      profile_.run_with =
          fmt::format("pinfold run --policy {} -- {}", text::shell_word(file_->shown()), profile_.command);
    profile_.said = said_by(parsed_, caller_);
    profile_.has_timeout = policy.limits.wall_time.has_value();
    profile_.has_memory = policy.limits.memory.has_value();
  }

  // Judged by a plan that lets no program be started, each one that is started is told.
  void list_programs() {
    for (Step& step : as_if_.steps)
      if (auto* exec = std::get_if<ExecLimit>(&step.body)) *exec = {ExecMode::kList, {}, {}};
    if (std::none_of(as_if_.steps.begin(), as_if_.steps.end(),
                     [](const Step& step) { return std::holds_alternative<ExecLimit>(step.body); }))
      as_if_.steps.push_back({ExecLimit{ExecMode::kList, {}, {}}, Need::kRequired, {}});
  }

  // The command itself is started before anybody watches.
  void need_command() {
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
      needs_.add({info->canonical, std::string(paths::basename(word)), learn::Want::kExecute}, paths::normal(place));
      return;
    }
  }

  // What the command's end means; `ran_` tells whether there was a command.
  int run(const Prepared& prepared) {
    const Result<Prepared> known = prepared;
    RunJournal journal = journal_of(known, parsed_, options_, caller_, context_.host);
    std::optional<ReportFile> none;
    if (advised_) journal.advised(options_.argv[2], advised_->because, advised_->answer, advised_->by);
    if (advised_ && advised_->answer == Answer::kDeny) {
      Report refused;
      refused.outcome = advised_->refusal;
      return finish(refused, Verbosity::kSummary, none, journal, context_);
    }
    learn::Needs seen;
    const Report report =
        carry_out(prepared, options_, nullptr, journal, context_, [&seen](const Denial& denial) { seen.add(denial); });
    ran_ = !std::holds_alternative<Refused>(report.outcome) && !std::holds_alternative<SetupFailed>(report.outcome);
    // What others make and remove beside the workspace may be gone between the plan and the start.
    if (!ran_ && &prepared == &watched_ && planned_ < kMostPlans && something_is_gone() && plan_watched())
      return run(watched_);
    profile_.usage = report.usage;
    const int code = finish(report, Verbosity::kSummary, none, journal, context_);
    profile_.complete = code == 0;
    needs_.add(seen, code == 0 ? learn::Needs::End::kWell : learn::Needs::End::kBadly);
    return code;
  }

  void draw() {
    const auto programs = given(parsed_, Id::kExecList) ? learn::Programs::kList : learn::Programs::kAny;
    profile_.lesson =
        learn::draw(needs_, {base_.plan, watched_.plan, secrets_, base_.workspaces, programs}, context_.host);
  }

  // As `pinfold run --policy FILE` would plan it, watched closely.
  Result<Prepared> plan_under_lesson() {
    PF_TRY(sources, sources_of(parsed_, caller_, context_.host), "");
    sources.named = settings::PolicyFile{file_->path(), "what was learned", file_->directory(), to_toml(profile_)};
    PF_TRY(loaded, settings::load(std::move(sources), context_.host), "");
    loaded.policy.observe = ObserveMode::kFull;
    PF_TRY(scope, policy::Scope::build(loaded.policy, context_.host), "");
    Prepared out = base_;
    PF_TRY(plan, plan::compile(scope, context_.host, invocation_of(base_.plan, options_)), "");
    const Plan itself = plan;
    out.plan = std::move(plan);
    learn::watch(out.plan, itself);
    return out;
  }

  int tell(int code) {
    const bool nothing = is_empty(profile_);
    if (auto written = file_->write(profile_, code); !written) {
      print_error(fmt::format("{}; the command's exit code was {}", written.error().text(), code),
                  written.error().fix(), context_.host);
      return kUsageError;
    }
    print(STDERR_FILENO, story(nothing));
    return code;
  }

  std::string story(bool nothing) const {
    const learn::Lesson& lesson = profile_.lesson;
    std::string out = "pinfold: ";
    if (nothing)
      out += fmt::format("{} is enough: nothing was needed beyond it\n", text::shown(profile_.base));
    else
      out += fmt::format("learned {} rule{} beyond {}{}{}\n", lesson.rules.size(), lesson.rules.size() == 1 ? "" : "s",
                         text::shown(profile_.base), file_->is_written() ? ": " : "",
                         file_->is_written() ? text::shown(file_->shown()) : "");
    if (!lesson.left_out.empty())
      out += fmt::format("  {} more {} wanted and not given\n", lesson.left_out.size(),
                         lesson.left_out.size() == 1 ? "thing was" : "things were");
    for (std::size_t i = 0; i < std::min<std::size_t>(lesson.left_out.size(), 5); ++i)
      out += fmt::format("    {}: {}\n", text::shown(lesson.left_out[i].path), lesson.left_out[i].why);
    if (!profile_.complete) out += "  the command did not end well, so this may be incomplete\n";
    if (!verdict_.empty()) out += "  " + verdict_ + "\n";
    if (file_->is_written() && !profile_.run_with.empty())
      out += "  to run under it: " + text::shown(profile_.run_with) + "\n";
    return out;
  }

  const Parsed& parsed_;
  const RunOptions& options_;
  const Caller& caller_;
  Context& context_;
  learn::Secrets secrets_;
  Prepared base_;
  Prepared watched_;
  Plan as_if_;
  std::optional<policy::Scope> base_scope_;
  int planned_ = 0;  // how often watched_ was
  learn::Needs needs_;
  std::optional<Consulted> advised_;
  learn::Profile profile_;
  std::optional<LessonFile> file_;
  std::string verdict_;
  bool ran_ = false;
};

}  // namespace

int learn_command(const Parsed& parsed, Context& context) {
  auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  auto options = read_run_options(parsed, *caller);
  if (!options) return complain(options.error(), context.host);
  Learning learning(parsed, *options, *caller, context);
  if (auto begun = learning.begin(); !begun) return complain(begun.error(), context.host);
  return learning.go();
}

}  // namespace pinfold::cli
