// rule_synthesis_test.cc: needs become few rules, and never too wide ones, on a host in memory.
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

class Drawn : public ::testing::Test {
 protected:
  Drawn() {
    host_.debian().dir("/home/ada/ws/.git/hooks").file("/home/ada/notes").file("/home/ada/.ssh/id_rsa");
    for (const char* name : {"a.h", "b.h", "c.h", "d.h"}) host_.file(std::string("/home/ada/sdk/include/") + name);
    add(show("/usr", View::kReadExec));
    add(show("/home/ada/ws", View::kWriteExec));
    add(ProtectPath{"/home/ada/ws/.git/hooks", EntryKind::kDirectory, {}});
  }

  void add(StepBody body) {
    plan_.steps.push_back({std::move(body), pinfold::Need::kRequired, {Source::kPreset, "preset"}});
  }
  void need(Want want, const std::string& path, const std::string& named = {}) {
    needs_.add({path, "prog", want}, named);
  }
  // "read /a", "write /b", "-read /c": with "-" what was left out.
  std::vector<std::string> drawn(Programs programs = Programs::kAny) {
    const Secrets secrets({"/home/ada", "/home/ada/ws"}, host_);
    Needs needs;
    needs.add(needs_, end_);
    const Lesson lesson = draw(needs, {plan_, watched_, secrets, {"/home/ada/ws"}, programs}, host_);
    std::vector<std::string> out;
    const auto word = [](Access access) { return access == Access::kWrite ? "write " : "read "; };
    for (const Rule& rule : lesson.rules) out.push_back(word(rule.access) + rule.path);
    for (const LeftOut& left : lesson.left_out) out.push_back("-" + std::string(word(left.access)) + left.path);
    for (const std::string& one : lesson.programs) out.push_back("exec " + one);
    for (const std::string& one : lesson.network) out.push_back("net " + one);
    return out;
  }
  using Lines = std::vector<std::string>;

  FakeHost host_;
  Plan plan_;
  Plan watched_;
  Needs::End end_ = Needs::End::kBadly;
  Needs needs_;
};

TEST_F(Drawn, OneFileIsOneFile) {
  need(Want::kRead, "/home/ada/sdk/include/a.h");
  need(Want::kRead, "/home/ada/sdk/include/b.h");
  EXPECT_EQ(drawn(), (Lines{"read /home/ada/sdk/include/a.h", "read /home/ada/sdk/include/b.h"}));
}

TEST_F(Drawn, SeveralAreTheirDirectory) {
  for (const char* name : {"a.h", "b.h", "c.h"}) need(Want::kRead, std::string("/home/ada/sdk/include/") + name);
  EXPECT_EQ(drawn(), Lines{"read /home/ada/sdk/include"});
}

TEST_F(Drawn, SeveralBesideASecretStayThemselves) {
  host_.file("/home/ada/sdk/include/.env");
  for (const char* name : {"a.h", "b.h", "c.h"}) need(Want::kRead, std::string("/home/ada/sdk/include/") + name);
  EXPECT_EQ(drawn().size(), 3u);
}

TEST_F(Drawn, SeveralOfTheHomeStayThemselves) {
  for (const char* name : {"x", "y", "z"}) {
    host_.file(std::string("/home/ada/") + name);
    need(Want::kRead, std::string("/home/ada/") + name);
  }
  EXPECT_EQ(drawn().size(), 3u);
}

TEST_F(Drawn, VersionsStayVersions) {
  for (const char* name : {"1.1", "1.2", "1.3"}) {
    host_.file("/data/x/" + std::string(name) + "/f");
    need(Want::kRead, "/data/x/" + std::string(name) + "/f");
  }
  EXPECT_EQ(drawn().size(), 3u);
}

TEST_F(Drawn, SecretsAreLeftOut) {
  host_.file("/home/ada/x/credentials.json").file("/home/ada/x/password.py").file("/home/ada/.config/git/config");
  need(Want::kRead, "/home/ada/.ssh/id_rsa");
  need(Want::kRead, "/home/ada/x/credentials.json");
  need(Want::kRead, "/home/ada/x/password.py");
  need(Want::kRead, "/home/ada/.config/git/config");
  EXPECT_EQ(drawn(), (Lines{"read /home/ada/.config/git/config", "read /home/ada/x/password.py",
                            "-read /home/ada/.ssh/id_rsa", "-read /home/ada/x/credentials.json"}));
}

TEST_F(Drawn, KeysAreToldFromCertificates) {
  host_.file("/data/x/ca.pem", "-----BEGIN CERTIFICATE-----").file("/data/x/own.pem", "-----BEGIN PRIVATE KEY-----");
  need(Want::kRead, "/data/x/ca.pem");
  need(Want::kRead, "/data/x/own.pem");
  EXPECT_EQ(drawn(), (Lines{"read /data/x/ca.pem", "-read /data/x/own.pem"}));
}

TEST_F(Drawn, WholeHomesAndWhatIsAroundTheWorkspaceAreTooWide) {
  for (const char* path : {"/", "/home", "/home/ada"}) need(Want::kRead, path);
  EXPECT_EQ(drawn(), (Lines{"-read /", "-read /home", "-read /home/ada"}));
}

TEST_F(Drawn, WritingTakesTheDirectoryOfWhatIsMade) {
  host_.file("/home/ada/state/log");
  need(Want::kWrite, "/home/ada/state/log");
  EXPECT_EQ(drawn(), Lines{"write /home/ada/state/log"});
  need(Want::kRename, "/home/ada/state/new");
  EXPECT_EQ(drawn(), Lines{"write /home/ada/state"});
}

TEST_F(Drawn, NoWritingToTheSystemTheHomeOrWhatIsProtected) {
  need(Want::kRename, "/usr/x");
  need(Want::kRename, "/home/ada/.newdir/x");
  need(Want::kRename, "/home/ada/ws/.git/hooks/pre-commit");
  EXPECT_EQ(drawn(), (Lines{"-write /home/ada/.newdir", "-write /home/ada/ws/.git/hooks/pre-commit", "-write /usr/x"}));
}

TEST_F(Drawn, WhatItDidWithoutIsNoNeed) {
  watched_.steps = plan_.steps;
  watched_.steps.push_back({show("/home/ada/sdk", View::kRead), pinfold::Need::kRequired, {}});
  end_ = Needs::End::kWell;
  need(Want::kRename, "/home/ada/sdk/new");
  need(Want::kRead, "/home/ada/sdk/include/a.h");
  EXPECT_EQ(drawn(), (Lines{"read /home/ada/sdk/include/a.h", "-write /home/ada/sdk/new"}));
  end_ = Needs::End::kBadly;
  EXPECT_EQ(drawn(), Lines{"write /home/ada/sdk"});
}

TEST_F(Drawn, WhatIsWrittenNeedsNoReading) {
  host_.file("/home/ada/state/log");
  need(Want::kRename, "/home/ada/state/new");
  need(Want::kRead, "/home/ada/state/log");
  EXPECT_EQ(drawn(), Lines{"write /home/ada/state"});
}

TEST_F(Drawn, LooksAreEnoughForAFileAndNotForADirectory) {
  host_.dir("/home/ada/x/empty").file("/home/ada/x/file");
  need(Want::kLook, "/home/ada/x/file");
  need(Want::kLook, "/home/ada/x/empty");
  EXPECT_EQ(drawn(), (Lines{"read /home/ada/x/file", "-read /home/ada/x/empty"}));
}

TEST_F(Drawn, LooksOfWhoeverListsTheHomeAreNoNeeds) {
  need(Want::kLook, "/home/ada/notes");
  EXPECT_EQ(drawn(), Lines{"-read /home/ada/notes"});
}

TEST_F(Drawn, LinksOnTheWayAreKept) {
  host_.file("/home/ada/v1/f").link("/home/ada/current", "/home/ada/v1");
  need(Want::kRead, "/home/ada/v1/f", "/home/ada/current/f");
  EXPECT_EQ(drawn(), Lines{"read /home/ada/current/f"});
}

TEST_F(Drawn, AToolComesWithItsDirectory) {
  host_.program("/home/ada/.foo/bin/x").file("/home/ada/.foo/lib/y");
  need(Want::kExecute, "/home/ada/.foo/bin/x");
  EXPECT_EQ(drawn(), Lines{"read /home/ada/.foo"});
}

TEST_F(Drawn, ProgramsAreListedWhereAListWasAskedFor) {
  need(Want::kExecute, "/usr/bin/git");
  EXPECT_EQ(drawn(), Lines{});
  EXPECT_EQ(drawn(Programs::kList), Lines{"exec /usr/bin/git"});
}

TEST_F(Drawn, NamesThatAreNotUtf8ComeWithTheirDirectory) {
  host_.file("/home/ada/odd/caf\xe9");
  need(Want::kRead, "/home/ada/odd/caf\xe9");
  EXPECT_EQ(drawn(), Lines{"read /home/ada/odd"});
}

TEST_F(Drawn, OnlyWhatWasSeenCounts) {
  Denial denial{"read", "/home/ada/notes", "r", "", DenialSource::kInferred};
  needs_.add(denial);
  EXPECT_EQ(drawn(), Lines{});
  denial.source = DenialSource::kObserved;
  needs_.add(denial);
  needs_.add({"connect", "example.org:443", "r", "", DenialSource::kObserved});
  EXPECT_EQ(drawn(), (Lines{"read /home/ada/notes", "net example.org:443"}));
}

}  // namespace
}  // namespace pinfold::learn
