// features_test.cc: `features_test --pinfold PATH [--backend NAME] [--filter TEXT] [--user root|user|both]`: row 19.
// Takes one kernel feature after the other away and looks at what `pinfold run` does: it must refuse with 125 and run
// nothing; only where a feature is cleanly absent, or where gaps are accepted with a warning, may it run, and then its
// coverage must say so.
// Invariant: a call that makes no difference must be unused: the test kills each process that uses it.
// Not here: the wrapper (wrap.cc).
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "host.h"
#include "judge.h"
#include "steps.h"
#include "world.h"

namespace escape {
namespace {

enum class MayRun { kNo, kWithCoverageSaid, kHarmless };

struct Feature {
  Texts calls;
  MayRun may_run = MayRun::kNo;
  Texts flags = {};
  std::string because = {};  // why running is harmless
};

const std::vector<Feature>& features() {
  static const Texts kLimits = {"--file-size", "64M", "--cpu-time", "20s", "--memory", "512M", "--processes", "200"};
  static const std::vector<Feature> kFeatures = {
      {{"landlock_create_ruleset=ENOSYS"}, MayRun::kWithCoverageSaid},
      {{"landlock_create_ruleset=EOPNOTSUPP"}, MayRun::kWithCoverageSaid},
      {{"landlock_create_ruleset=EINVAL"}},
      {{"landlock_add_rule=EINVAL"}},
      {{"landlock_restrict_self=EPERM"}},
      {{"clone3=ENOSYS"}},
      {{"clone3=EPERM"}},
      {{"clone3=ENOSPC"}},
      {{"unshare=EPERM"}},
      {{"unshare:user=EPERM"}},
      {{"unshare:mount=EPERM"}},
      {{"clone:namespaces=EPERM"}},
      {{"clone3=EPERM", "clone:namespaces=EPERM", "unshare=EPERM"}},
      {{"setns=EPERM"}},
      {{"mount=EPERM"}},
      {{"umount2=EPERM"}},
      {{"mount_setattr=ENOSYS"}, MayRun::kHarmless, {}, "as before 5.12, every mount is remounted instead"},
      {{"mount_setattr=ENOSYS", "mount=EPERM"}},
      {{"mount_setattr=EPERM"}},
      {{"move_mount=EPERM"}},
      {{"open_tree=ENOSYS"}},
      {{"open_tree=EPERM"}},
      {{"fsopen=ENOSYS"}},
      {{"fsopen=EPERM"}},
      {{"fsconfig=EPERM"}},
      {{"fsmount=EPERM"}},
      {{"pivot_root=EPERM"}},
      {{"chroot=EPERM"}},
      {{"openat2=ENOSYS"}, MayRun::kHarmless, {}, "every name on the way is opened by itself, and must be no link"},
      {{"seccomp:listener=EBUSY"}, MayRun::kWithCoverageSaid},
      {{"seccomp:listener=EINVAL"}, MayRun::kWithCoverageSaid},
      {{"seccomp:filter=EINVAL"}},
      {{"seccomp=ENOSYS"}},
      {{"seccomp=ENOSYS", "prctl:seccomp=EINVAL"}},
      {{"prctl:seccomp=EINVAL"}},
      {{"prctl:no_new_privs=EINVAL"}},
      {{"prctl:dumpable=EINVAL"}},
      {{"prctl:pdeathsig=EINVAL"}},
      {{"prctl:securebits=EPERM"}, MayRun::kHarmless, {}, "with no_new_privs no exec adds capabilities"},
      {{"prctl:bounding_set=EPERM"}, MayRun::kHarmless, {}, "with no_new_privs no exec adds capabilities"},
      {{"prctl:ambient=EPERM"},
       MayRun::kHarmless,
       {},
       "for root an exec adds the bounding set, which the first process drops"},
      {{"prctl:subreaper=EINVAL"}},
      {{"capset=EPERM"}},
      {{"keyctl=EPERM"}, MayRun::kHarmless, {}, "whose filter refuses it to us refuses it to the command as well"},
      {{"keyctl=ENOSYS"}, MayRun::kHarmless, {}, "a kernel without keys has none to share"},
      {{"close_range=ENOSYS"}},
      {{"setsid=EPERM"}},
      {{"sethostname=EPERM"}},
      {{"setgroups=EPERM"}},
      {{"inotify_init1=EMFILE"}},
      {{"memfd_create=ENOSYS"}},
      {{"pidfd_open=ENOSYS"}, MayRun::kHarmless, {}, "a tracer that does not wait for its command may delay its end"},
      {{"pidfd_getfd=EPERM"}},
      {{"pidfd_send_signal=ENOSYS"}, MayRun::kHarmless, {}, "the sandbox is ended by its number instead"},
      {{"prlimit64=EPERM"}, MayRun::kNo, kLimits},
      {{"setrlimit=EPERM"}, MayRun::kNo, kLimits},
      {{"prlimit64=EPERM", "setrlimit=EPERM"}, MayRun::kNo, kLimits},
      {{"mkdirat=EPERM"}, MayRun::kWithCoverageSaid, kLimits},
  };
  return kFeatures;
}

struct Seen {
  Ran ran;
  bool canary = false;
  Coverage coverage;
};

// Without these calls, if there are any.
Command without(Command command, const Texts& calls, const std::string& wrap) {
  if (calls.empty()) return command;
  Texts before = {wrap};
  before.insert(before.end(), calls.begin(), calls.end());
  before.push_back("--");
  command.argv.insert(command.argv.begin(), before.begin(), before.end());
  return command;
}

Seen attempt(World& world, const Texts& calls, const Texts& flags, const std::string& wrap) {
  std::string canary = world.workspace() + "/canary";
  std::filesystem::remove(canary);
  // Makes the file and nothing else: touch would set its times, too, which some backends do by a helper.
  Texts make = {"/bin/sh", "-c", ": > \"$0\"", canary};
  Command command = without(judged(world, flags, make), calls, wrap);
  command.patience = Milliseconds(60000);
  Seen seen;
  seen.ran = run(command);
  seen.canary = exists(canary);
  seen.coverage = coverage_in(world.report());
  return seen;
}

int rank(const std::string& strength) { return strength == "enforced" ? 2 : strength == "partial" ? 1 : 0; }

// What the second table admits that the first did not.
std::string weaker(const Coverage& before, const Coverage& after) {
  std::string said;
  for (const auto& [step, row] : before) {
    auto now = after.find(step);
    if (now == after.end()) continue;
    bool lower = rank(now->second.strength) < rank(row.strength);
    bool gap = now->second.gap != row.gap && !now->second.gap.empty();
    if (lower || gap) said += (said.empty() ? "" : ", ") + step + " " + now->second.strength;
  }
  return said;
}

// The remaining mechanisms must stop the attempts alone, except for the gaps that coverage reports.
std::string still_holds(const World& world, const Texts& calls, const std::string& wrap, const Coverage& said) {
  struct Attempt {
    Texts words;
    Steps steps;
  };
  const std::vector<Attempt> attempts = {
      {{"read", world.home() + "/.ssh/id_rsa"}, absence({step::kRead})},
      {{"append", world.workspace() + "/.vscode/settings.json"}, any_gap({step::kProtected})},
      {{"create", world.workspace() + "/.git/hooks/pre-commit"}, any_gap({step::kProtected, step::kGit})},
      {{"unshare", "user"}, absence({step::kSystemCalls})},
      {{"tcp", world.values().at("tcp")}, absence({step::kNetwork})},
      {{"search-environment", world.secret()}, absence({step::kEnvironment})}};
  for (const Attempt& one : attempts) {
    Texts argv = {world.workspace() + "/probe"};
    argv.insert(argv.end(), one.words.begin(), one.words.end());
    Ran ran = run(without(boxed(world, {}, argv), calls, wrap));
    Findings findings;
    if (!ran.out.starts_with("DENIED")) findings.through = "was not denied";
    if (verdict_of(findings, one.steps, said, world.backend().tolerance).outcome == Outcome::kFailed)
      return one.words[0] + " was not denied: " + one_line(ran.out + ran.err, 60);
  }
  return "";
}

Texts killing(const Texts& calls) {
  Texts all;
  for (const std::string& call : calls) all.push_back(call.substr(0, call.find('=')) + "=KILL");
  return all;
}

struct Judged {
  bool passed;
  std::string text;
};

Judged judge_feature(const Feature& feature, World& world, const Seen& plain, const std::string& wrap) {
  Seen less = attempt(world, feature.calls, feature.flags, wrap);
  std::string err = one_line(less.ran.err, 90);
  if (less.ran.timed_out) return {false, "never ended"};
  if (less.ran.exit_code == 99) return {false, "the wrapper failed: " + err};
  if (less.ran.exit_code == 125) {
    return {!less.canary, (less.canary ? "refused AFTER running: " : "refused: ") + err};
  }
  if (less.ran.exit_code != 0 || !less.canary) {
    return {false, "exit " + std::to_string(less.ran.exit_code) + ", neither refused nor run: " + err};
  }
  std::string said = weaker(plain.coverage, less.coverage);
  if (!said.empty()) {
    bool warned = world.backend().tolerance == Tolerance::kKnownGaps;
    if (feature.may_run == MayRun::kNo && !warned) return {false, "ran though it must refuse; it said: " + said};
    std::string broken = still_holds(world, feature.calls, wrap, less.coverage);
    return {broken.empty(), broken.empty() ? "ran, and said: " + said : "ran, and said: " + said + "; BUT " + broken};
  }
  if (feature.may_run == MayRun::kHarmless) {
    std::string broken = still_holds(world, feature.calls, wrap, less.coverage);
    return {broken.empty(), "ran: " + feature.because + (broken.empty() ? "" : "; BUT " + broken)};
  }
  Seen killed = attempt(world, killing(feature.calls), feature.flags, wrap);
  if (killed.ran.exit_code == 0 && killed.canary && killed.coverage == plain.coverage) return {true, "not used"};
  return {false, "RAN WITH UNCHANGED COVERAGE, though it is used"};
}

void run_features(World& world, const std::string& filter, const std::string& wrap, int& passed, int& failed) {
  for (const Feature& feature : features()) {
    std::string name = joined(feature.calls);
    if (name.find(filter) == std::string::npos) continue;
    world.renew();
    Seen plain = attempt(world, {}, feature.flags, wrap);
    Machine machine = look_at_machine();
    Judged verdict{false, "the control did not run: " + one_line(plain.ran.err, 120)};
    if (plain.ran.exit_code == 0 && plain.canary && !plain.coverage.empty()) {
      verdict = judge_feature(feature, world, plain, wrap);
    }
    std::string host = host_harm(world, machine);
    bool good = verdict.passed && host.empty();
    std::printf("%-4s 19  %-58s %-4s | %s%s\n", good ? "ok" : "FAIL", name.c_str(), world.user().name.c_str(),
                verdict.text.c_str(), host.c_str());
    std::fflush(stdout);
    (good ? passed : failed)++;
  }
}

}  // namespace
}  // namespace escape

int main(int argc, char** argv) {
  using namespace escape;
  std::string pinfold;
  std::string filter;
  std::string who = "both";
  std::optional<Backend> backend = backend_called("native");
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string flag = argv[i];
    if (flag == "--pinfold") pinfold = std::filesystem::absolute(argv[i + 1]).string();
    if (flag == "--filter") filter = argv[i + 1];
    if (flag == "--user") who = argv[i + 1];
    if (flag == "--backend") backend = backend_called(argv[i + 1]);
  }
  if (pinfold.empty() || !backend || ::geteuid() != 0) {
    std::fputs(
        "usage (as root): features_test --pinfold PATH [--backend native|bubblewrap|landlock] [--filter TEXT] "
        "[--user root|user|both]\n",
        stderr);
    return 2;
  }
  try {
    std::string here = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
    Programs programs{pinfold, here + "/escape_probe", here + "/escape_privileged", here + "/escape_canary"};
    own_mounts();
    adopt_orphans();
    int passed = 0;
    int failed = 0;
    for (const User& user : {User{"root", 0, 0}, User{"user", 12345, 12345}}) {
      if (who != "both" && who != user.name) continue;
      World world(programs, user, "/home", *backend);
      // A checkout below /root is out of an ordinary user's reach.
      const std::string wrap = std::filesystem::path(world.base()).parent_path() / "wrap";
      std::filesystem::copy_file(here + "/wrap", wrap);
      ::chmod(wrap.c_str(), 0755);
      run_features(world, filter, wrap, passed, failed);
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "features_test: %s\n", error.what());
    return 1;
  }
}
