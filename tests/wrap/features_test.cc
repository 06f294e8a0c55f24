// features_test.cc: `features_test --pinfold PATH [--filter TEXT] [--user root|user|both]`: row 19.
// Takes one kernel feature after the other away and looks at what `pinfold run` does: it must refuse with 125 and run
// nothing; only where a feature is cleanly absent may it run, and then its coverage must say so.
// Invariant: a call that makes no difference must be one that nobody uses: shown by killing whoever does.
// Not here: the wrapper (wrap.cc).
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host.h"
#include "judge.h"
#include "world.h"

namespace escape {
namespace {

using nlohmann::json;

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
      {{"openat2=ENOSYS"}},
      {{"seccomp:listener=EBUSY"}, MayRun::kWithCoverageSaid},
      {{"seccomp:listener=EINVAL"}, MayRun::kWithCoverageSaid},
      {{"seccomp:filter=EINVAL"}},
      {{"seccomp=ENOSYS"}},
      {{"seccomp=ENOSYS", "prctl:seccomp=EINVAL"}},
      {{"prctl:seccomp=EINVAL"}},
      {{"prctl:no_new_privs=EINVAL"}},
      {{"prctl:dumpable=EINVAL"}},
      {{"prctl:pdeathsig=EINVAL"}},
      {{"prctl:securebits=EPERM"}},
      {{"prctl:bounding_set=EPERM"}},
      {{"prctl:ambient=EPERM"}},
      {{"prctl:subreaper=EINVAL"}},
      {{"capset=EPERM"}},
      {{"keyctl=EPERM"}},
      {{"keyctl=ENOSYS"}, MayRun::kHarmless, {}, "a kernel without keys has none to share"},
      {{"close_range=ENOSYS"}},
      {{"setsid=EPERM"}},
      {{"sethostname=EPERM"}},
      {{"setgroups=EPERM"}},
      {{"inotify_init1=EMFILE"}},
      {{"memfd_create=ENOSYS"}},
      {{"pidfd_open=ENOSYS"}},
      {{"pidfd_getfd=EPERM"}},
      {{"pidfd_send_signal=ENOSYS"}, MayRun::kHarmless, {}, "the sandbox is ended by its number instead"},
      {{"prlimit64=EPERM"}, MayRun::kNo, kLimits},
      {{"setrlimit=EPERM"}, MayRun::kNo, kLimits},
      {{"prlimit64=EPERM", "setrlimit=EPERM"}, MayRun::kNo, kLimits},
      {{"mkdirat=EPERM"}, MayRun::kWithCoverageSaid, kLimits},
  };
  return kFeatures;
}

// Step → strength, mechanism, gap.
using Table = std::map<std::string, std::array<std::string, 3>>;

struct Outcome {
  Ran ran;
  bool canary = false;
  Table coverage;
};

std::string text_of(const json& row, const char* name) {
  auto found = row.find(name);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

Outcome attempt(World& world, const Texts& calls, const Texts& flags, const std::string& wrap) {
  std::string canary = world.workspace() + "/canary";
  std::string report = world.base() + "/run/report.json";
  std::filesystem::remove(canary);
  std::filesystem::remove(report);
  Texts all = flags;
  all.insert(all.end(), {"--report", report});
  Command command = boxed(world, all, {"/usr/bin/touch", canary});
  if (!calls.empty()) {
    Texts wrapped = {wrap};
    wrapped.insert(wrapped.end(), calls.begin(), calls.end());
    wrapped.push_back("--");
    wrapped.insert(wrapped.end(), command.argv.begin(), command.argv.end());
    command.argv = wrapped;
  }
  command.patience = Milliseconds(5000);
  Outcome outcome;
  outcome.ran = run(command);
  outcome.canary = exists(canary);
  json parsed = json::parse(read_file(report), nullptr, false);
  if (parsed.is_object() && parsed.contains("coverage")) {
    for (const json& row : parsed["coverage"]) {
      outcome.coverage[text_of(row, "step")] = {text_of(row, "strength"), text_of(row, "mechanism"),
                                                text_of(row, "gap")};
    }
  }
  return outcome;
}

int rank(const std::string& strength) { return strength == "enforced" ? 2 : strength == "partial" ? 1 : 0; }

// What the second table admits that the first did not.
std::string weaker(const Table& before, const Table& after) {
  std::string said;
  for (const auto& [step, row] : before) {
    auto now = after.find(step);
    if (now == after.end()) continue;
    bool lower = rank(now->second[0]) < rank(row[0]);
    bool gap = now->second[2] != row[2] && !now->second[2].empty();
    if (lower || gap) said += (said.empty() ? "" : ", ") + step + " " + now->second[0];
  }
  return said;
}

// The first wall must hold alone.
std::string still_holds(const World& world, const Texts& calls, const std::string& wrap) {
  std::vector<Texts> attempts = {{"read", world.home() + "/.ssh/id_rsa"},
                                 {"append", world.workspace() + "/.vscode/settings.json"},
                                 {"create", world.workspace() + "/.git/hooks/pre-commit"},
                                 {"unshare", "user"},
                                 {"tcp", world.values().at("tcp")},
                                 {"search-environment", world.secret()}};
  for (const Texts& one : attempts) {
    Texts argv = {world.workspace() + "/probe"};
    argv.insert(argv.end(), one.begin(), one.end());
    Command command = boxed(world, {}, argv);
    Texts wrapped = {wrap};
    wrapped.insert(wrapped.end(), calls.begin(), calls.end());
    wrapped.push_back("--");
    wrapped.insert(wrapped.end(), command.argv.begin(), command.argv.end());
    command.argv = wrapped;
    Ran ran = run(command);
    if (!ran.out.starts_with("DENIED")) return one[0] + " was not denied: " + one_line(ran.out + ran.err, 60);
  }
  return "";
}

Texts killing(const Texts& calls) {
  Texts all;
  for (const std::string& call : calls) all.push_back(call.substr(0, call.find('=')) + "=KILL");
  return all;
}

std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

struct Verdict {
  bool passed;
  std::string text;
};

Verdict judge_feature(const Feature& feature, World& world, const Outcome& plain, const std::string& wrap) {
  Outcome without = attempt(world, feature.calls, feature.flags, wrap);
  std::string err = one_line(without.ran.err, 90);
  if (without.ran.timed_out) return {false, "never ended"};
  if (without.ran.exit_code == 99) return {false, "the wrapper failed: " + err};
  if (without.ran.exit_code == 125) {
    return {!without.canary, (without.canary ? "refused AFTER running: " : "refused: ") + err};
  }
  if (without.ran.exit_code != 0 || !without.canary) {
    return {false, "exit " + std::to_string(without.ran.exit_code) + ", neither refused nor run: " + err};
  }
  std::string said = weaker(plain.coverage, without.coverage);
  if (!said.empty()) {
    if (feature.may_run == MayRun::kNo) return {false, "ran though it must refuse; it said: " + said};
    std::string broken = still_holds(world, feature.calls, wrap);
    return {broken.empty(), broken.empty() ? "ran, and said: " + said : "ran, and said: " + said + "; BUT " + broken};
  }
  if (feature.may_run == MayRun::kHarmless) {
    std::string broken = still_holds(world, feature.calls, wrap);
    return {broken.empty(), "ran: " + feature.because + (broken.empty() ? "" : "; BUT " + broken)};
  }
  Outcome killed = attempt(world, killing(feature.calls), feature.flags, wrap);
  if (killed.ran.exit_code == 0 && killed.canary && killed.coverage == plain.coverage) return {true, "not used"};
  return {false, "RAN WITH UNCHANGED COVERAGE, though it is used"};
}

void run_features(World& world, const std::string& filter, const std::string& wrap, int& passed, int& failed) {
  for (const Feature& feature : features()) {
    std::string name = joined(feature.calls);
    if (name.find(filter) == std::string::npos) continue;
    world.renew();
    Outcome plain = attempt(world, {}, feature.flags, wrap);
    Machine machine = look_at_machine();
    Verdict verdict{false, "the control did not run: " + one_line(plain.ran.err, 120)};
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
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string flag = argv[i];
    if (flag == "--pinfold") pinfold = std::filesystem::absolute(argv[i + 1]).string();
    if (flag == "--filter") filter = argv[i + 1];
    if (flag == "--user") who = argv[i + 1];
  }
  if (pinfold.empty() || ::geteuid() != 0) {
    std::fputs("usage (as root): features_test --pinfold PATH [--filter TEXT] [--user root|user|both]\n", stderr);
    return 2;
  }
  try {
    std::string here = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
    Programs programs{pinfold, here + "/escape_probe", here + "/escape_privileged", here + "/escape_canary"};
    adopt_orphans();
    int passed = 0;
    int failed = 0;
    for (const User& user : {User{"root", 0, 0}, User{"user", 12345, 12345}}) {
      if (who != "both" && who != user.name) continue;
      World world(programs, user, "/home");
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
