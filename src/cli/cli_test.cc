// cli_test.cc: whole commands on a host in memory with a fake backend; tests/cli has the real ones.
#include "cli/cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/fake/fake.h"
#include "base/fake_host.h"

namespace pinfold::cli {
namespace {

struct CommandOutput {
  int code = 0;
  std::string out;
  std::string err;
};

class CliTest : public ::testing::Test {
 protected:
  CliTest() {
    char name[] = "/tmp/pinfold-cli-test-XXXXXX";
    if (::mkdtemp(name) == nullptr) ADD_FAILURE() << "mkdtemp";
    directory_ = name;
    before_ = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (::chdir(name) != 0) ADD_FAILURE() << "chdir";
    host_.debian().dir(directory_).file("/home/ada/.ssh/id_rsa").var("TOKEN", "hunter2").file("/home/ada/odd\x1b[31m");
    host_.var("XDG_STATE_HOME", directory_ + "/state");
  }
  ~CliTest() override {
    if (::fchdir(before_) != 0) ADD_FAILURE() << "fchdir";
    ::close(before_);
    std::filesystem::remove_all(directory_);
  }
  CommandOutput say(std::vector<std::string> words, Strength strength = Strength::kEnforced) {
    Coverage row = backend::fake_row(strength);
    if (!row.gap.empty()) row.gap += "\x1b";  // a backend's text must be escaped
    return say_with({{"claiming", {row}}}, std::move(words));
  }
  CommandOutput say_with(const std::vector<backend::FakeScript>& scripts, std::vector<std::string> words) {
    backend::Registry registry;
    for (const backend::FakeScript& script : scripts)
      registry.backends.push_back(std::make_unique<backend::FakeBackend>(script, log_));
    words.insert(words.begin(), "pinfold");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    CommandOutput said;
    said.code = main(static_cast<int>(argv.size()), argv.data(), Context{registry, host_});
    said.out = testing::internal::GetCapturedStdout();
    said.err = testing::internal::GetCapturedStderr();
    return said;
  }
  static bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

  FakeHost host_;
  backend::FakeLog log_;
  std::string directory_;
  int before_ = -1;
};

TEST_F(CliTest, WhyAboutPaths) {
  const CommandOutput hidden = say({"policy", "why", "~/.ssh/id_rsa"});
  EXPECT_EQ(hidden.code, 0) << hidden.err;
  EXPECT_TRUE(has(hidden.out, "hidden")) << hidden.out;
  EXPECT_TRUE(has(hidden.out, "--read /home/ada/.ssh/id_rsa")) << hidden.out;
  EXPECT_TRUE(has(say({"policy", "why", "/usr/bin"}).out, "preset moderate"));
  EXPECT_TRUE(has(say({"policy", "why", "."}).out, "writable"));
  EXPECT_TRUE(has(say({"policy", "why", "--read", "/home/ada/.ssh/id_rsa", "~/.ssh/id_rsa"}).out, "readable"));
  EXPECT_FALSE(has(say({"policy", "why", "/home/ada/odd\x1b[31m"}).out, "\x1b"));
  EXPECT_TRUE(has(say({"policy", "why", "/tmp/x"}).out, "private")) << say({"policy", "why", "/tmp/x"}).out;
}

TEST_F(CliTest, WhyAboutVariablesAndPrograms) {
  const CommandOutput token = say({"policy", "why", "TOKEN"});
  EXPECT_TRUE(has(token.out, "not passed on")) << token.out << token.err;
  EXPECT_TRUE(has(token.out, "--env TOKEN"));
  EXPECT_FALSE(has(token.out, "hunter2"));
  EXPECT_TRUE(has(say({"policy", "why", "--env", "TOKEN", "TOKEN"}).out, "passed on"));
  EXPECT_TRUE(has(say({"policy", "why", "git"}).out, "can be started"));
  EXPECT_TRUE(has(say({"policy", "why", "--exec", "bash", "git"}).out, "--exec git"));
  EXPECT_EQ(say({"policy", "why"}).code, 125);
}

TEST_F(CliTest, ShowNamesOrigins) {
  const CommandOutput shown = say({"policy", "show", "--read", "/opt", "--env", "TOKEN=secret-value"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const std::string_view part : {"moderate", "--read", "/opt", "set variable", "--env", "network"})
    EXPECT_TRUE(has(shown.out, part)) << part;
  EXPECT_FALSE(has(shown.out, "secret-value"));
}

TEST_F(CliTest, ExplainReportsWhetherTheCommandWouldRun) {
  const CommandOutput good = say({"run", "--explain", "--", "ls", "a b"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(has(good.out, "ls 'a b'"));
  EXPECT_TRUE(has(good.out, "it would run\n"));
  const CommandOutput bad = say({"run", "--explain", "ls"}, Strength::kPartial);
  EXPECT_EQ(bad.code, 125);
  EXPECT_TRUE(has(bad.out, "would be refused: files.read"));
  EXPECT_FALSE(has(bad.out, "\x1b"));
  EXPECT_EQ(say({"run", "--explain", "--on-unavailable", "warn", "ls"}, Strength::kPartial).code, 0);
}

TEST_F(CliTest, DoctorReportsWhetherTrueStarts) {
  // Its workspace is a real directory that the host in memory does not have: an error, not a crash.
  EXPECT_EQ(say({"doctor"}).code, 125);
  EXPECT_EQ(say({"doctor", "x"}).code, 125);
}

backend::FakeScript refused(std::string name) {
  backend::FakeScript out{std::move(name), {}};
  out.prepare_fails = Error(ErrorKind::kUnavailable, "no sandbox\x1b", "try a sysctl");
  return out;
}

TEST_F(CliTest, ExplainNamesTheBackendAndWhy) {
  const std::vector<backend::FakeScript> both = {refused("first"),
                                                 {"second", {backend::fake_row(Strength::kEnforced)}}};
  const CommandOutput said = say_with(both, {"run", "--explain", "ls"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "backend\n  first   no sandbox\\x1b\n  second  chosen: enforces every required step\n"))
      << said.out;
  EXPECT_TRUE(has(said.out, "coverage by second\n"));
  // A backend named by --backend is the only candidate.
  const CommandOutput named = say_with(both, {"run", "--explain", "--backend", "first", "ls"});
  EXPECT_EQ(named.code, 125);
  EXPECT_EQ(named.err, "pinfold: refused: no sandbox\\x1b\n  fix: try a sysctl\n");
  EXPECT_EQ(std::count(log_.begin(), log_.end(), "second prepare"), 1);
}

TEST_F(CliTest, PrintsOneReasonPerBackendIfNoneWorks) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"run", "ls"}, {"run", "--explain", "ls"}}) {
    const CommandOutput said = say_with({refused("first"), refused("second")}, words);
    EXPECT_EQ(said.code, 125);
    EXPECT_EQ(said.err,
              "pinfold: refused: no backend can be used here\n"
              "  first   no sandbox\\x1b\n"
              "  second  no sandbox\\x1b\n"
              "  fix:  try a sysctl\n");
  }
}

TEST_F(CliTest, RefusalNamesEveryGapAndBackend) {
  const std::vector<backend::FakeScript> both = {
      refused("first"),
      {"second",
       {backend::fake_row(Strength::kPartial), backend::fake_row(Strength::kAbsent, "exec"),
        backend::fake_row(Strength::kEnforced, "tmp")}}};
  const CommandOutput said = say_with(both, {"run", "ls"});
  EXPECT_EQ(said.code, 125);
  EXPECT_EQ(said.err,
            "pinfold: refused: second leaves 2 gaps in required steps\n"
            "  files.read  partial  a gap\n"
            "  exec        absent   a gap\n"
            "other backends:\n"
            "  first  no sandbox\\x1b\n"
            "  fix:  try a sysctl\n"
            "        a fix\n"
            "        or run it with the gaps: --on-unavailable warn\n");
}

TEST_F(CliTest, ARefusalOfTheNamedBackendNamesOneThatEnforcesEverything) {
  const std::vector<backend::FakeScript> both = {{"whole", {backend::fake_row(Strength::kEnforced)}},
                                                 {"partly", {backend::fake_row(Strength::kPartial)}}};
  EXPECT_EQ(say_with(both, {"run", "--backend", "partly", "ls"}).err,
            "pinfold: refused: files.read is partial: a gap\n"
            "  fix: leave out --backend partly: whole enforces every required step; or accept the gap with "
            "--on-unavailable warn\n");
  EXPECT_EQ(std::count(log_.begin(), log_.end(), "whole start ls"), 0);
  // No other backend is better: the gap's own fix.
  const std::vector<backend::FakeScript> alone = {refused("none"), {"partly", {backend::fake_row(Strength::kPartial)}}};
  EXPECT_EQ(say_with(alone, {"run", "--backend", "partly", "ls"}).err,
            "pinfold: refused: files.read is partial: a gap\n"
            "  fix: a fix; or accept the gap with --on-unavailable warn\n");
}

TEST_F(CliTest, OnlyDoctorPrintsFixHints) {
  EXPECT_TRUE(has(say({"run", "--fix-hints", "ls"}).err, "--fix-hints does not belong to"));
  EXPECT_EQ(say({"doctor", "--fix-hints", "x"}).code, 125);
}

TEST_F(CliTest, WarnPrintsGapsBeforeTheStart) {
  const std::vector<backend::FakeScript> one = {{"only", {backend::fake_row(Strength::kPartial)}}};
  EXPECT_EQ(say_with(one, {"run", "--on-unavailable", "warn", "ls"}).err,
            "pinfold: warning: running with 1 gap in required steps, by only\n"
            "  files.read  partial  a gap\n"
            "  fix:  a fix\n");
  EXPECT_EQ(log_, (backend::FakeLog{"only prepare", "only rehearse", "only start ls", "only gone"}));
  // There is no terminal to ask at.
  EXPECT_EQ(say_with(one, {"run", "--on-unavailable", "prompt", "ls"}).err,
            "pinfold: refused: files.read is partial: a gap\n"
            "  fix: a fix; or accept the gap with --on-unavailable warn\n");
}

TEST_F(CliTest, RunsAreLoggedUnlessSwitchedOff) {
  EXPECT_TRUE(has(say({"log"}).out, "nothing is recorded yet"));
  EXPECT_TRUE(has(say({"stats"}).out, "nothing is recorded yet"));
  say({"run", "--no-journal", "ls"});
  say({"run", "--nope", "ls"});
  EXPECT_TRUE(has(say({"log"}).out, "nothing is recorded yet"));
  say({"run", "--", "ls", "--token", "hunter2", "a\x1b"});
  say({"run", "--read", "/no/such", "cat"});
  const CommandOutput log = say({"log"});
  EXPECT_TRUE(has(log.out, "ls --token '[redacted]'")) << log.out;
  EXPECT_TRUE(has(log.out, "cat\n    --read: /no/such does not exist")) << log.out;
  EXPECT_FALSE(has(log.out, "hunter2"));
  EXPECT_FALSE(has(log.out, "\x1b"));
  EXPECT_TRUE(has(say({"log", "--limit", "1"}).out, "cat"));
  EXPECT_FALSE(has(say({"log", "--limit", "1"}).out, "--token"));
  EXPECT_TRUE(has(say({"stats"}).out, "runs             2")) << say({"stats"}).out;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"log", "x"},
                                                                                     {"log", "--since", "soon"},
                                                                                     {"log", "--limit", "0"},
                                                                                     {"log", "--run", "%"},
                                                                                     {"stats", "x"},
                                                                                     {"stats", "--limit", "1"}}) {
    const CommandOutput said = say(words);
    EXPECT_EQ(said.code, 125) << words.back();
    EXPECT_TRUE(has(said.err, "fix:")) << said.err;
  }
}

TEST_F(CliTest, LogPrintsAReasonOfSeveralLines) {
  say({"run", "--timeout", "soon", "--memory", "much", "ls"});
  const std::string all = say({"log"}).out;
  EXPECT_FALSE(has(all, "\\n")) << all;
  for (const std::string_view flag : {"\n    --timeout", "\n    --memory"}) EXPECT_TRUE(has(all, flag)) << all;
  std::istringstream words(all);
  std::string date, time, id;
  words >> date >> time >> id;
  const std::string one = say({"log", "--run", id}).out;
  EXPECT_FALSE(has(one, "\\n")) << one;
  for (const std::string_view flag : {"\n    --timeout", "\n    --memory"}) EXPECT_TRUE(has(one, flag)) << one;
}

TEST_F(CliTest, UserPolicyCanSwitchTheJournalOff) {
  host_.file("/home/ada/.config/pinfold/config.toml", "journal = false\n");
  say({"run", "ls"});
  say({"run", "--read", "/no/such", "ls"});
  EXPECT_TRUE(has(say({"log"}).out, "nothing is recorded yet")) << say({"log"}).out;
  host_.var("PINFOLD_JOURNAL", "on");
  say({"run", "ls"});
  EXPECT_FALSE(has(say({"log"}).out, "nothing is recorded yet"));
  host_.file(directory_ + "/pinfold.toml", "journal = false\n");
  EXPECT_TRUE(has(say({"run", "ls"}).err, "this file cannot decide whether runs are recorded"));
}

TEST_F(CliTest, AnUnwritableJournalIsANote) {
  std::filesystem::create_symlink("/tmp", directory_ + "/state");
  host_.var("XDG_STATE_HOME", "/proc/nowhere");
  const CommandOutput said = say({"run", "ls"});
  EXPECT_TRUE(has(said.err, "pinfold: note: this run is not in the journal: ")) << said.err;
  EXPECT_FALSE(has(say({"run", "--quiet", "ls"}).err, "journal"));
  EXPECT_EQ(say({"run", "--no-journal", "ls"}).code, said.code);
}

TEST_F(CliTest, WrongInputIs125AndOnStderr) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"run"},
                                             {"run", "--nope"},
                                             {"frobnicate"},
                                             {"run", "--backend", "x", "ls"},
                                             {"run", "--read", "/no/such", "ls"}}) {
    const CommandOutput said = say(words);
    EXPECT_EQ(said.code, 125) << words.back();
    EXPECT_TRUE(said.err.starts_with("pinfold: ")) << said.err;
    EXPECT_EQ(said.out, "");
  }
}

TEST_F(CliTest, HelpAndVersion) {
  EXPECT_EQ(say({"help"}).code, 0);
  EXPECT_EQ(say({"help", "nope"}).code, 125);
  EXPECT_TRUE(has(say({"run", "--help"}).out, "--on-unavailable"));
  const std::string group = say({"plugin", "--help"}).out;
  EXPECT_TRUE(group.starts_with("pinfold plugin: ")) << group;
  EXPECT_TRUE(has(group, "pinfold plugin revoke")) << group;
  EXPECT_TRUE(say({"help", "plugin"}).out.starts_with(group));
  EXPECT_TRUE(say({"--version"}).out.starts_with("pinfold "));
  EXPECT_EQ(say({}).code, 125);
}

}  // namespace
}  // namespace pinfold::cli
