// sbpl_test.cc: profiles of every preset and of patterns as golden files, and the rows of the seeds' test plans,
// answered by the evaluator. Not here: random policies (sbpl_property_test.cc), plugins (sbpl_plugin_test.cc).
#include <gtest/gtest.h>

#include "backend/darwin/arguments.h"
#include "backend/darwin/coverage.h"
#include "backend/darwin/denials.h"
#include "backend/darwin/sbpl.h"
#include "backend/darwin/sbpl_evaluator.h"
#include "plan/compile.h"
#include "policy/scope.h"
#include "sbpl_golden.h"
#include "sbpl_world.h"

namespace pinfold::backend::darwin {
namespace {

const Origin kFlag{Source::kFlag, "test"};

class Sbpl : public testing::Test {
 protected:
  Sbpl() { make_mac(host); }

  PolicyBuilder builder(std::string_view preset = "moderate") {
    return {preset, Caller{"/Users/ada", "/Users/ada/ws", Platform::kMacos}, kFlag};
  }
  Plan plan(PolicyBuilder&& with) {
    with.allow(danger::FullAccess("test"), kFlag);
    auto policy = std::move(with).build();
    EXPECT_TRUE(policy) << policy.error().text();
    auto scope = policy::Scope::build(*policy, host);
    EXPECT_TRUE(scope) << scope.error().text();
    plan::Invocation invocation;
    invocation.working_dir = directory;
    invocation.argv = {"true"};
    auto made = plan::compile(*scope, host, invocation);
    EXPECT_TRUE(made) << made.error().text();
    return made ? std::move(*made) : Plan{};
  }
  Evaluator judge(const Plan& plan, std::uint16_t port = 0) {
    const Profile profile = make_profile(plan, {"/private/var/folders/ab/T/run", "/dev/ttys004"}, "pinfold-1", port);
    return Evaluator(profile.text, {profile.parameters.begin(), profile.parameters.end()});
  }

  FakeHost host;
  std::string directory = "/Users/ada/ws";
};

TEST_F(Sbpl, PresetsAreAsInTheGoldenFiles) {
  for (const std::string_view preset : preset_names()) {
    const std::string text =
        make_profile(plan(builder(preset)), {"/private/var/folders/ab/T/run", ""}, "pinfold-1", 0).text;
    is_as_golden(std::string(preset), text);
  }
}

// Patterns of one's own are rules about names.
TEST_F(Sbpl, PatternsAreAsInTheGoldenFile) {
  host.file("/Users/ada/ws/certs/a.pem").file("/Users/ada/ws/certs/public.pem").file("/Users/ada/ws/notes (old)/x.key");
  PolicyBuilder with = builder();
  with.hide("**/*.pem", {Source::kUserFile, "settings"})
      .hide("notes*/[a-z].key", kFlag)
      .hide("/private/var/log/**", kFlag);
  with.read("/Users/ada/ws/certs/public.pem", kFlag, Missing::kError);
  const Plan made = plan(std::move(with));
  is_as_golden("patterns", make_profile(made, {"/private/var/folders/ab/T/run", ""}, "pinfold-1", 0).text);
  const Evaluator box = judge(made);
  EXPECT_FALSE(box.allows({"file-read-data", "/Users/ada/ws/certs/a.pem"}));
  EXPECT_FALSE(box.allows({"file-read-data", "/Users/ada/ws/certs/later.pem"}));
  EXPECT_FALSE(box.allows({"file-write-create", "/Users/ada/ws/new/deep/later.pem"}));
  EXPECT_FALSE(box.allows({"file-read-data", "/Users/ada/ws/notes (old)/y.key"}));
  EXPECT_TRUE(box.allows({"file-read-data", "/Users/ada/ws/notes (old)/Y.key"}));
  EXPECT_TRUE(box.allows({"file-read-data", "/Users/ada/ws/certs/public.pem"}));
  EXPECT_TRUE(box.allows({"file-read-data", "/Users/ada/ws/certs/a.pem.txt"}));
}

TEST_F(Sbpl, TheArgumentsAreTheWholeProfileAndTheCommand) {
  const Profile profile{"(version 1)", {{"TMP", "/private/tmp/x"}}};
  const auto argv = sandbox_arguments(profile, {"/bin/echo", "-n", "a b"});
  ASSERT_TRUE(argv);
  EXPECT_EQ(*argv, (std::vector<std::string>{"/usr/bin/sandbox-exec", "-p", "(version 1)", "-D", "TMP=/private/tmp/x",
                                             "/bin/echo", "-n", "a b"}));
  const std::string nul("a\0b", 3);
  EXPECT_FALSE(sandbox_arguments({nul, {}}, {"/bin/echo"}));
  EXPECT_FALSE(sandbox_arguments({"(version 1)", {{"TMP", nul}}}, {"/bin/echo"}));
  EXPECT_FALSE(sandbox_arguments(profile, {"/bin/echo", nul}));
  EXPECT_FALSE(sandbox_arguments(profile, {"echo"}));
  EXPECT_FALSE(sandbox_arguments({std::string(1 << 20, ' '), {}}, {"/bin/echo"}));
}

// The rows of the test plans of the seeds that ask for macOS, and of the profiles they sketch.
struct SeedRow {
  const char* what;
  Operation tried;
  bool allowed;
};

TEST_F(Sbpl, TheSeedsTestPlansAreAnsweredAsTheySay) {
  const Evaluator box = judge(plan(builder()));
  const std::vector<SeedRow> rows = {
      {"read a file inside the root", {"file-read-data", "/Users/ada/ws/src/main.c"}, true},
      {"write a file inside the root", {"file-write-create", "/Users/ada/ws/output.txt"}, true},
      {"read a file outside", {"file-read-data", "/Users/ada/Documents/report.pdf"}, false},
      {"write a file outside", {"file-write-create", "/Users/ada/Desktop/x"}, false},
      {"cd ~ && ls", {"file-read-data", "/Users/ada"}, false},
      {"cat ~/.ssh/id_rsa", {"file-read-data", "/Users/ada/.ssh/id_rsa"}, false},
      {"~/.aws", {"file-read-data", "/Users/ada/.aws/credentials"}, false},
      {"~/.config", {"file-read-data", "/Users/ada/.config/gh/hosts.yml"}, false},
      {"~/.bashrc", {"file-write-data", "/Users/ada/.bashrc"}, false},
      {"~/.zshrc", {"file-read-data", "/Users/ada/.zshrc"}, false},
      {"a toolchain of the system", {"process-exec", "/usr/bin/make"}, true},
      {"Homebrew", {"process-exec", "/opt/homebrew/bin/node"}, true},
      {"frameworks", {"file-read-data", "/System/Library/Frameworks/x"}, true},
      {"a toolchain in the home directory", {"process-exec", "/Users/ada/.cargo/bin/cargo"}, true},
      {"write to the system", {"file-write-create", "/usr/bin/x"}, false},
      {"write to /etc", {"file-write-data", "/private/etc/passwd"}, false},
      {"/dev/null", {"file-write-data", "/dev/null"}, true},
      {"/dev/urandom", {"file-read-data", "/dev/urandom"}, true},
      {"/dev/stdout", {"file-write-data", "/dev/stdout"}, true},
      {"a disk", {"file-read-data", "/dev/disk0"}, false},
      {"another user's terminal", {"file-write-data", "/dev/ttys001"}, false},
      {"its own terminal", {"file-write-data", "/dev/ttys004"}, true},
      {"its own temporary files", {"file-write-create", "/private/var/folders/ab/T/run/x"}, true},
      {"the temporary files of others", {"file-read-data", "/private/tmp/other"}, false},
      {"the same, below /var/folders", {"file-read-data", "/private/var/folders/ab/T/other"}, false},
      {"curl", {"network-outbound", "", "", "93.184.216.34:443"}, false},
      {"a server", {"network-bind", "", "", "localhost:8080"}, false},
      {"a git hook", {"file-write-create", "/Users/ada/ws/.git/hooks/pre-commit"}, false},
      {"git's configuration", {"file-write-data", "/Users/ada/ws/.git/config"}, false},
      {"moving .git away", {"file-write-unlink", "/Users/ada/ws/.git"}, false},
      {"an editor's tasks, not there yet", {"file-write-create", "/Users/ada/ws/.vscode/tasks.json"}, false},
      {"the same in capitals", {"file-write-create", "/Users/ada/ws/.VSCode/tasks.json"}, false},
      {"the same with a long s",
       {"file-write-create",
        "/Users/ada/ws/.v\xc5\xbf"
        "code"},
       false},
      {"a secret inside the root", {"file-read-data", "/Users/ada/ws/.env"}, false},
      {"signals to others", {"signal", "", "", "", "others"}, false},
      {"signals to its own", {"signal", "", "", "", "same-sandbox"}, true},
      {"arguments of other processes", {"sysctl-read", "", "kern.procargs2"}, false},
      {"the number of processors", {"sysctl-read", "", "hw.ncpu"}, true},
      {"the keychain's service", {"mach-lookup", "", "com.apple.SecurityServer"}, false},
      {"Apple events", {"appleevent-send"}, false},
      {"opening applications", {"mach-lookup", "", "com.apple.coreservices.launchservicesd"}, false},
      {"the clipboard", {"mach-lookup", "", "com.apple.pasteboard.1"}, false},
  };
  for (const SeedRow& row : rows) EXPECT_EQ(box.allows(row.tried), row.allowed) << row.what;
}

TEST_F(Sbpl, NetworkIsNoneTheProxyOrAll) {
  PolicyBuilder some = builder();
  some.network_domain("example.org", kFlag);
  const Plan by_name = plan(std::move(some));
  EXPECT_TRUE(judge(by_name, 4711).allows({"network-outbound", "", "", "localhost:4711"}));
  EXPECT_FALSE(judge(by_name, 4711).allows({"network-outbound", "", "", "localhost:4712"}));
  EXPECT_FALSE(judge(by_name, 4711).allows({"network-outbound", "", "", "93.184.216.34:443"}));
  EXPECT_FALSE(judge(by_name, 0).allows({"network-outbound", "", "", "localhost:0"}));
  const Evaluator full = judge(plan(builder("permissive")));
  EXPECT_TRUE(full.allows({"network-outbound", "", "", "93.184.216.34:443"}));
  EXPECT_FALSE(full.allows({"network-outbound", "/private/var/run/docker.sock"}));
  EXPECT_TRUE(full.allows({"network-outbound", "/private/var/run/mDNSResponder"}));
}

TEST_F(Sbpl, OnlyListedProgramsRun) {
  PolicyBuilder with = builder();
  with.exec_command("git", kFlag).exec_command("true", kFlag);
  const Evaluator box = judge(plan(std::move(with)));
  EXPECT_TRUE(box.allows({"process-exec", "/usr/bin/git"}));
  EXPECT_FALSE(box.allows({"process-exec", "/usr/bin/curl"}));
  EXPECT_FALSE(box.allows({"process-exec", "/Users/ada/ws/tool"}));
  EXPECT_TRUE(box.allows({"process-fork"}));
  PolicyBuilder none = builder();
  none.exec_none(kFlag);
  EXPECT_FALSE(judge(plan(std::move(none))).allows({"process-fork"}));
}

TEST_F(Sbpl, PathsAreAsTheKernelNamesThem) {
  EXPECT_EQ(canonical("/tmp"), "/private/tmp");
  EXPECT_EQ(canonical("/var/db/x"), "/private/var/db/x");
  EXPECT_EQ(canonical("/etc/hosts"), "/private/etc/hosts");
  EXPECT_EQ(canonical("/private/etc/hosts"), "/private/etc/hosts");
  EXPECT_EQ(canonical("/variable"), "/variable");
  EXPECT_EQ(canonical("/System/Volumes/Data/Users/ada"), "/Users/ada");
  EXPECT_EQ(canonical("/System/Volumes/Data/tmp/x"), "/private/tmp/x");
}

TEST_F(Sbpl, ModerateStartsAndGapsAreNamed) {
  const auto rows = seatbelt_coverage(plan(builder()));
  EXPECT_TRUE(gaps_that_refuse(rows).empty());
  for (const Coverage& row : rows) EXPECT_EQ(row.gap.empty(), row.strength == Strength::kEnforced) << row.step;
  PolicyBuilder with = builder();
  with.memory("1G", kFlag);
  ASSERT_EQ(gaps_that_refuse(seatbelt_coverage(plan(std::move(with)))).size(), 1U);
}

TEST_F(Sbpl, DenialsAreReadFromTheLog) {
  const Plan made = plan(builder());
  const plan::PlanView view(made);
  const auto denial = denial_from_log(
      "2026-01-02 10:00:00.1 E  kernel[0:1] (Sandbox) Sandbox: cat (old)(812) deny(1) file-read-data "
      "/Users/ada/.ssh/id_rsa",
      view);
  ASSERT_TRUE(denial);
  EXPECT_EQ(denial->operation, "read");
  EXPECT_EQ(denial->resource, "/Users/ada/.ssh/id_rsa");
  EXPECT_EQ(denial->program, "cat (old)");
  EXPECT_EQ(denial->pid, 812U);
  EXPECT_EQ(denial->allow_with, "--read /Users/ada/.ssh/id_rsa");
  EXPECT_FALSE(denial_from_log("pinfold-1", view));
  EXPECT_FALSE(denial_from_log("Sandbox: x(1) deny(1) mach-lookup com.apple.x", view));
  EXPECT_FALSE(denial_from_log("Sandbox: x(1) deny(1)", view));
}

}  // namespace
}  // namespace pinfold::backend::darwin
