// doctor.cc: `pinfold doctor`: starts each backend's sandbox and prints the coverage that it reports on this machine.
// Invariant: uses an empty directory of its own as the workspace, so that it works from anywhere; runs no command and
// leaves no file.
// Not here: the probing itself (backend).
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include <fmt/format.h>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/process_io.h"
#include "plan/compile.h"
#include "report/gaps.h"
#include "report/hints.h"
#include "report/outcome.h"
#include "report/render.h"
#include "report/table.h"
#include "supervisor/choose.h"
#include "sys/call.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

// An empty directory, removed by the destructor.
class Scratch {
 public:
  static Result<Scratch> make(HostView& host) {
    const auto tmp = host.variable("TMPDIR");
    std::string name = (tmp && tmp->starts_with("/") ? *tmp : std::string("/tmp")) + "/pinfold-doctor-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      return tl::unexpected<Error>(sys::os_error("mkdtemp", name, errno).within("making an empty workspace"));
    return Scratch(std::move(name));
  }
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Scratch& operator=(Scratch&&) = delete;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (!path_.empty()) ::rmdir(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Result<Plan> plan_for_true(const std::string& workspace, HostView& host) {
  const Caller caller{host.identity().home, workspace, sys::kThisPlatform};
  PolicyBuilder builder("moderate", caller, {Source::kPreset, "doctor"});
  PF_TRY(policy, std::move(builder).build());
  PF_TRY(scope, policy::Scope::build(policy, host));
  plan::Invocation invocation;
  invocation.argv = {"true"};
  invocation.working_dir = workspace;
  return plan::compile(scope, host, invocation);
}

std::string attempt_text(const supervisor::Attempt& attempt, report::TextFormat format) {
  std::string out =
      "\n" + report::paint(fmt::format("backend {}", attempt.backend->name()), report::Paint::kBold, format.colour) +
      "\n";
  if (!attempt.error) return out + report::coverage_table(attempt.coverage, format);
  out += report::table({{{"cannot be used: " + report::visible(attempt.error->text())}}}, 2, format);
  if (!attempt.error->fix().empty()) out += report::fix_list({attempt.error->fix()}, format);
  return out;
}

// The commands that close gaps, by the reports of the backends.
std::vector<report::Hint> hints_for(const std::vector<supervisor::Attempt>& attempts, std::optional<std::size_t> best,
                                    const report::HostFacts& facts) {
  return report::hints(facts, report::missing_mechanisms(supervisor::candidates_of(attempts, best),
                                                         best ? attempts[*best].coverage : std::vector<Coverage>{}));
}

// The backend that `pinfold run` would choose here, and whether a run would start.
// `fix`: how to close the gaps, if the run would not start.
std::string conclusion(const std::vector<supervisor::Attempt>& attempts, std::optional<std::size_t> best, bool starts,
                       const std::string& command, const std::string& fix, report::TextFormat format) {
  std::string out;
  if (attempts.size() > 1)
    out += "\n" + report::paint("choice", report::Paint::kBold, format.colour) + "\n" +
           report::choice_table(supervisor::candidates_of(attempts, best), format);
  return out + "\n" +
         (starts
              ? report::paint(command + " starts here\n", report::Paint::kGood, format.colour)
              : report::paint(command + " would be refused here; " + fix + "\n", report::Paint::kBad, format.colour));
}

bool is_enough(const std::vector<supervisor::Attempt>& attempts, std::optional<std::size_t> best) {
  return best && gaps_that_refuse(attempts[*best].coverage).empty();
}

// Prints only commands that close gaps, as a shell script; without any, the script is a comment.
int print_hints(const std::vector<backend::Backend*>& candidates, const std::string& named, const Plan& plan,
                Context& context) {
  const auto attempts = supervisor::survey(candidates, plan);
  const auto best = supervisor::best_of(attempts);
  const report::HostFacts facts = report::gather_facts(context.host);
  const std::vector<report::Hint> hints = hints_for(attempts, best, facts);
  const bool enough = is_enough(attempts, best);
  const std::string other = enough ? std::string() : other_backend_fix(named, plan, context.registry);
  std::string out = other.empty() ? "" : "# " + other + ".\n";
  if (!hints.empty() || enough)
    out += report::hint_script(hints, facts);
  else if (other.empty())
    out = "# No command on this host closes the gaps that `pinfold doctor` lists.\n";
  print(STDOUT_FILENO, out);
  return enough ? 0 : kUsageError;
}

}  // namespace

int doctor(const CommandLine& parsed, Context& context) {
  std::string only = "auto";
  for (const FlagValue& given : parsed.flags)
    if (given.flag->id == Id::kBackend) only = given.value;
  if (!parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "doctor takes no arguments", "pinfold doctor"), context.host);

  std::signal(SIGPIPE,
              SIG_IGN);  // a reader that stops early, as in `doctor | head`, must not leave the directory behind
  auto scratch = Scratch::make(context.host);
  if (!scratch) return complain(scratch.error(), context.host);
  auto plan = plan_for_true(scratch->path(), context.host);
  if (!plan) return complain(plan.error(), context.host);

  auto candidates = find_candidates(context.registry, only);
  if (!candidates) return complain(candidates.error(), context.host);
  const report::TextFormat format = format_for(STDOUT_FILENO, context.host);
  if (has_flag(parsed, Id::kFixHints)) return print_hints(*candidates, only, *plan, context);
  const HostIdentity identity = context.host.identity();
  const bool root = identity.uid == 0;
  print(STDOUT_FILENO, fmt::format("{}kernel {}\nuser {} (uid {}{})\n", version(), report::visible(kernel_release()),
                                   report::visible(identity.user), identity.uid, root ? ", root" : ""));

  const std::vector<supervisor::Attempt> attempts = supervisor::survey(*candidates, *plan);
  const auto best = supervisor::best_of(attempts);
  const bool starts = is_enough(attempts, best);
  for (const supervisor::Attempt& attempt : attempts) print(STDOUT_FILENO, attempt_text(attempt, format));
  std::string fix = starts ? std::string() : other_backend_fix(only, *plan, context.registry);
  if (fix.empty() && !starts)
    fix = hints_for(attempts, best, report::gather_facts(context.host)).empty()
              ? "see the gaps above"
              : "see: pinfold doctor --fix-hints" + (only == "auto" ? "" : " --backend " + only);
  const std::string command =
      only == "auto" ? "`pinfold run true`" : fmt::format("`pinfold run --backend {} true`", only);
  print(STDOUT_FILENO, conclusion(attempts, best, starts, command, fix, format));
  return starts ? 0 : kUsageError;
}

}  // namespace pinfold::cli
