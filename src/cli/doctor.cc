// doctor.cc: `pinfold doctor`: what each backend enforces on this machine, found by raising the walls.
// Invariant: looks at an empty directory of its own, so that it works from anywhere; runs nothing, leaves nothing.
// Not here: the probing itself (backend).
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <string>

#include <fmt/format.h>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/surroundings.h"
#include "plan/compile.h"
#include "report/outcome.h"
#include "report/render.h"
#include "report/table.h"
#include "sys/call.h"

namespace pinfold::cli {

namespace {

// An empty directory that goes away with this object.
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
  PolicyBuilder builder("moderate", Caller{host.identity().home, workspace}, {Source::kPreset, "doctor"});
  PF_TRY(policy, std::move(builder).build(), "");
  PF_TRY(scope, policy::Scope::build(policy, host), "");
  plan::Invocation invocation;
  invocation.argv = {"true"};
  invocation.working_dir = workspace;
  return plan::compile(scope, host, invocation);
}

enum class Verdict { kStarts, kRefused };

Verdict examine(backend::Backend& backend, const Plan& plan, report::Colour colour) {
  std::string out =
      "\n" + report::paint(fmt::format("backend {}", backend.name()), report::Paint::kBold, colour) + "\n";
  auto sandbox = backend.prepare(plan);
  Result<void> stands = sandbox ? (*sandbox)->rehearse() : tl::unexpected<Error>(sandbox.error());
  Verdict verdict = Verdict::kStarts;
  if (!stands) {
    verdict = Verdict::kRefused;
    out += fmt::format("  cannot be used: {}\n", report::visible(stands.error().text()));
    if (!stands.error().fix().empty()) out += fmt::format("  fix: {}\n", report::visible(stands.error().fix()));
  } else {
    const auto& rows = (*sandbox)->coverage();
    out += report::coverage_table(rows, colour);
    if (!gaps_that_refuse(rows).empty()) verdict = Verdict::kRefused;
  }
  print(STDOUT_FILENO, out);
  return verdict;
}

}  // namespace

int doctor(const Parsed& parsed, Context& context) {
  std::string only;
  for (const Given& given : parsed.flags)
    if (given.flag->id == Id::kBackend) only = given.value;
  if (!parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "doctor takes no arguments", "pinfold doctor"), context.host);

  auto scratch = Scratch::make(context.host);
  if (!scratch) return complain(scratch.error(), context.host);
  auto plan = plan_for_true(scratch->path(), context.host);
  if (!plan) return complain(plan.error(), context.host);

  const report::Colour colour = colour_for(STDOUT_FILENO, context.host);
  const HostIdentity who = context.host.identity();
  const bool root = who.uid == 0;
  print(STDOUT_FILENO, fmt::format("{}kernel {}\nuser {} (uid {}{})\n", version(), report::visible(kernel_release()),
                                   report::visible(who.user), who.uid, root ? ", root" : ""));
  auto chosen = choose_backend(context.registry, only.empty() ? "auto" : std::string_view(only));
  if (!chosen) return complain(chosen.error(), context.host);

  Verdict verdict = Verdict::kRefused;
  for (const auto& backend : context.registry.backends) {
    const bool is_chosen = backend.get() == *chosen;
    if (!only.empty() && !is_chosen) continue;
    const Verdict one = examine(*backend, *plan, colour);
    if (is_chosen) verdict = one;
  }
  const bool starts = verdict == Verdict::kStarts;
  print(STDOUT_FILENO, "\n" + (starts ? report::paint("`pinfold run true` starts here\n", report::Paint::kGood, colour)
                                      : report::paint("`pinfold run true` would be refused here; the fixes are above\n",
                                                      report::Paint::kBad, colour)));
  return starts ? 0 : kUsageError;
}

}  // namespace pinfold::cli
