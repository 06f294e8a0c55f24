// rule_synthesis_test.cc: accesses become few rules that are never too wide, on a host in memory.
#include "learn/rule_synthesis.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::learn {
namespace {

ShowPath show(std::string path, View view) {
  ShowPath step;
  step.host = step.at = std::move(path);
  step.view = view;
  return step;
}

class RuleSynthesisTest : public ::testing::Test {
 protected:
  RuleSynthesisTest() {
    host_.debian().dir("/home/ada/ws/.git/hooks").file("/home/ada/notes").file("/home/ada/.ssh/id_rsa");
    for (const char* name : {"a.h", "b.h", "c.h", "d.h"}) host_.file(std::string("/home/ada/sdk/include/") + name);
    add(show("/usr", View::kReadExec));
    add(show("/home/ada/ws", View::kWriteExec));
    add(ProtectPath{"/home/ada/ws/.git/hooks", EntryKind::kDirectory, {}});
  }

  void add(StepBody body) {
    plan_.steps.push_back({std::move(body), pinfold::Need::kRequired, {Source::kPreset, "preset"}});
  }
  void observe(AccessKind kind, const std::string& path, const std::string& named = {}) {
    observed_.add({path, "prog", kind}, named);
  }
  // "read /a", "write /b", "-read /c": "-" marks an omitted rule.
  std::vector<std::string> synthesized(Programs programs = Programs::kAny) {
    const Secrets secrets({"/home/ada", "/home/ada/ws"}, host_);
    ObservedAccess observed;
    observed.add(observed_, end_);
    const RuleSet rule_set = synthesize_rules(observed, {plan_, watched_, secrets, {"/home/ada/ws"}, programs}, host_);
    std::vector<std::string> out;
    const auto word = [](Access access) { return access == Access::kWrite ? "write " : "read "; };
    for (const ObservedRule& rule : rule_set.rules) out.push_back(word(rule.access) + rule.path);
    for (const OmittedRule& left : rule_set.omitted) out.push_back("-" + std::string(word(left.access)) + left.path);
    for (const std::string& one : rule_set.programs) out.push_back("exec " + one);
    for (const std::string& one : rule_set.network) out.push_back("net " + one);
    return out;
  }
  using Lines = std::vector<std::string>;

  FakeHost host_;
  Plan plan_;
  Plan watched_;
  ObservedAccess::End end_ = ObservedAccess::End::kFailure;
  ObservedAccess observed_;
};

TEST_F(RuleSynthesisTest, OneFileIsOneFile) {
  observe(AccessKind::kRead, "/home/ada/sdk/include/a.h");
  observe(AccessKind::kRead, "/home/ada/sdk/include/b.h");
  EXPECT_EQ(synthesized(), (Lines{"read /home/ada/sdk/include/a.h", "read /home/ada/sdk/include/b.h"}));
}

TEST_F(RuleSynthesisTest, SeveralFilesBecomeTheirDirectory) {
  for (const char* name : {"a.h", "b.h", "c.h"})
    observe(AccessKind::kRead, std::string("/home/ada/sdk/include/") + name);
  EXPECT_EQ(synthesized(), Lines{"read /home/ada/sdk/include"});
}

TEST_F(RuleSynthesisTest, FilesBesideASecretStaySeparate) {
  host_.file("/home/ada/sdk/include/.env");
  for (const char* name : {"a.h", "b.h", "c.h"})
    observe(AccessKind::kRead, std::string("/home/ada/sdk/include/") + name);
  EXPECT_EQ(synthesized().size(), 3u);
}

TEST_F(RuleSynthesisTest, FilesOfTheHomeStaySeparate) {
  for (const char* name : {"x", "y", "z"}) {
    host_.file(std::string("/home/ada/") + name);
    observe(AccessKind::kRead, std::string("/home/ada/") + name);
  }
  EXPECT_EQ(synthesized().size(), 3u);
}

TEST_F(RuleSynthesisTest, VersionDirectoriesStayExact) {
  for (const char* name : {"1.1", "1.2", "1.3"}) {
    host_.file("/data/x/" + std::string(name) + "/f");
    observe(AccessKind::kRead, "/data/x/" + std::string(name) + "/f");
  }
  EXPECT_EQ(synthesized().size(), 3u);
}

TEST_F(RuleSynthesisTest, SecretsAreLeftOut) {
  host_.file("/home/ada/x/credentials.json").file("/home/ada/x/password.py").file("/home/ada/.config/git/config");
  observe(AccessKind::kRead, "/home/ada/.ssh/id_rsa");
  observe(AccessKind::kRead, "/home/ada/x/credentials.json");
  observe(AccessKind::kRead, "/home/ada/x/password.py");
  observe(AccessKind::kRead, "/home/ada/.config/git/config");
  EXPECT_EQ(synthesized(), (Lines{"read /home/ada/.config/git/config", "read /home/ada/x/password.py",
                                  "-read /home/ada/.ssh/id_rsa", "-read /home/ada/x/credentials.json"}));
}

TEST_F(RuleSynthesisTest, DistinguishesKeysFromCertificates) {
  host_.file("/data/x/ca.pem", "-----BEGIN CERTIFICATE-----").file("/data/x/own.pem", "-----BEGIN PRIVATE KEY-----");
  observe(AccessKind::kRead, "/data/x/ca.pem");
  observe(AccessKind::kRead, "/data/x/own.pem");
  EXPECT_EQ(synthesized(), (Lines{"read /data/x/ca.pem", "-read /data/x/own.pem"}));
}

TEST_F(RuleSynthesisTest, HomesAndParentsOfTheWorkspaceAreTooWide) {
  for (const char* path : {"/", "/home", "/home/ada"}) observe(AccessKind::kRead, path);
  EXPECT_EQ(synthesized(), (Lines{"-read /", "-read /home", "-read /home/ada"}));
}

TEST_F(RuleSynthesisTest, CreatingAFileNeedsItsDirectory) {
  host_.file("/home/ada/state/log");
  observe(AccessKind::kWrite, "/home/ada/state/log");
  EXPECT_EQ(synthesized(), Lines{"write /home/ada/state/log"});
  observe(AccessKind::kRename, "/home/ada/state/new");
  EXPECT_EQ(synthesized(), Lines{"write /home/ada/state"});
}

TEST_F(RuleSynthesisTest, NoWriteRulesForTheSystemTheHomeOrProtectedNames) {
  observe(AccessKind::kRename, "/usr/x");
  observe(AccessKind::kRename, "/home/ada/.newdir/x");
  observe(AccessKind::kRename, "/home/ada/ws/.git/hooks/pre-commit");
  EXPECT_EQ(synthesized(),
            (Lines{"-write /home/ada/.newdir", "-write /home/ada/ws/.git/hooks/pre-commit", "-write /usr/x"}));
}

TEST_F(RuleSynthesisTest, FailedAccessOfASuccessfulCommandNeedsNoRule) {
  watched_.steps = plan_.steps;
  watched_.steps.push_back({show("/home/ada/sdk", View::kRead), pinfold::Need::kRequired, {}});
  end_ = ObservedAccess::End::kSuccess;
  observe(AccessKind::kRename, "/home/ada/sdk/new");
  observe(AccessKind::kRead, "/home/ada/sdk/include/a.h");
  EXPECT_EQ(synthesized(), (Lines{"read /home/ada/sdk/include/a.h", "-write /home/ada/sdk/new"}));
  end_ = ObservedAccess::End::kFailure;
  EXPECT_EQ(synthesized(), Lines{"write /home/ada/sdk"});
}

TEST_F(RuleSynthesisTest, AWriteRuleNeedsNoReadRule) {
  host_.file("/home/ada/state/log");
  observe(AccessKind::kRename, "/home/ada/state/new");
  observe(AccessKind::kRead, "/home/ada/state/log");
  EXPECT_EQ(synthesized(), Lines{"write /home/ada/state"});
}

TEST_F(RuleSynthesisTest, LookupsJustifyAFileButNoDirectory) {
  host_.dir("/home/ada/x/empty").file("/home/ada/x/file");
  observe(AccessKind::kLook, "/home/ada/x/file");
  observe(AccessKind::kLook, "/home/ada/x/empty");
  EXPECT_EQ(synthesized(), (Lines{"read /home/ada/x/file", "-read /home/ada/x/empty"}));
}

TEST_F(RuleSynthesisTest, ListingTheHomeNeedsNoRule) {
  observe(AccessKind::kLook, "/home/ada/notes");
  EXPECT_EQ(synthesized(), Lines{"-read /home/ada/notes"});
}

TEST_F(RuleSynthesisTest, KeepsLinksInThePath) {
  host_.file("/home/ada/v1/f").link("/home/ada/current", "/home/ada/v1");
  observe(AccessKind::kRead, "/home/ada/v1/f", "/home/ada/current/f");
  EXPECT_EQ(synthesized(), Lines{"read /home/ada/current/f"});
}

TEST_F(RuleSynthesisTest, AToolNeedsItsDirectory) {
  host_.program("/home/ada/.foo/bin/x").file("/home/ada/.foo/lib/y");
  observe(AccessKind::kExecute, "/home/ada/.foo/bin/x");
  EXPECT_EQ(synthesized(), Lines{"read /home/ada/.foo"});
}

TEST_F(RuleSynthesisTest, ProgramsAreListedIfRequested) {
  observe(AccessKind::kExecute, "/usr/bin/git");
  EXPECT_EQ(synthesized(), Lines{});
  EXPECT_EQ(synthesized(Programs::kList), Lines{"exec /usr/bin/git"});
}

TEST_F(RuleSynthesisTest, NamesThatAreNotUtf8ComeWithTheirDirectory) {
  host_.file("/home/ada/odd/caf\xe9");
  observe(AccessKind::kRead, "/home/ada/odd/caf\xe9");
  EXPECT_EQ(synthesized(), Lines{"read /home/ada/odd"});
}

TEST_F(RuleSynthesisTest, OnlyObservedAccessCounts) {
  Denial denial{"read", "/home/ada/notes", "r", "", DenialSource::kInferred};
  observed_.add(denial);
  EXPECT_EQ(synthesized(), Lines{});
  denial.source = DenialSource::kObserved;
  observed_.add(denial);
  observed_.add({"connect", "example.org:443", "r", "", DenialSource::kObserved});
  EXPECT_EQ(synthesized(), (Lines{"read /home/ada/notes", "net example.org:443"}));
}

}  // namespace
}  // namespace pinfold::learn
