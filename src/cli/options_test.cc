// options_test.cc: the meaning of flags, and contradictory flags.
#include "cli/options.h"
#include "plan/compile.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::cli {
namespace {

using Words = std::vector<std::string_view>;
const Caller kCaller{"/home/ada", "/ws"};

Result<RunOptions> options(Words words) {
  words.insert(words.begin(), "run");
  auto parsed = parse(words);
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  return read_run_options(*parsed, kCaller);
}
Result<Policy> policy(Words words) {
  words.insert(words.begin(), "run");
  auto parsed = parse(words);
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  FakeHost host;
  auto loaded = load_policy(*parsed, kCaller, host, {});
  if (!loaded) return tl::unexpected<Error>(loaded.error());
  return loaded->policy;
}
template <typename T>
std::string error(const Result<T>& result) {
  return result ? "no error" : result.error().text();
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(RunOptions, CommandTextIsOneArgument) {
  const std::string_view text = "echo \"a b\" $(id)\n'x'";
  const auto got = options({"-c", text});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->argv, (std::vector<std::string>{"/bin/sh", "-c", std::string(text)}));
  EXPECT_TRUE(got->implied_shell);
  EXPECT_EQ(options({"-c", "x", "--shell", "bash"})->argv[0], "bash");
  EXPECT_EQ(options({"-c", ""})->argv[2], "");
}

TEST(RunOptions, OneCommandExactly) {
  EXPECT_EQ(error(options({})), "there is no command to run");
  EXPECT_EQ(error(options({"--"})), "there is no command to run");
  EXPECT_EQ(error(options({"--", ""})), "the command's name is empty");
  EXPECT_EQ(error(options({"-c", "x", "--", "ls"})), "-c and a command (ls) are both given");
  EXPECT_EQ(error(options({"--shell", "sh", "--", "ls"})), "--shell is only used with -c");
  EXPECT_EQ(options({"ls", "-c"})->argv, (std::vector<std::string>{"ls", "-c"}));
}

TEST(RunOptions, RunningWithoutASandboxNeedsAFlag) {
  EXPECT_EQ(error(options({"--backend", "passthrough", "ls"})), "--backend passthrough enforces nothing");
  EXPECT_EQ(options({"--backend", "passthrough", "--no-sandbox", "ls"})->confinement, Confinement::kNone);
  EXPECT_EQ(options({"--no-sandbox", "ls"})->confinement, Confinement::kNone);
  EXPECT_EQ(options({"--sandbox", "ls"})->confinement, Confinement::kSandbox);
  EXPECT_EQ(error(options({"--sandbox", "--no-sandbox", "ls"})), "--sandbox and --no-sandbox are both given");
  EXPECT_EQ(error(options({"--no-sandbox", "--backend", "native", "ls"})),
            "--no-sandbox and --backend native are both given");
}

TEST(RunOptions, PathsAreMadeAbsolute) {
  EXPECT_EQ(options({"--cwd", "sub/..", "ls"})->working_dir, "/ws");
  EXPECT_EQ(options({"--cwd=~/x", "ls"})->working_dir, "/home/ada/x");
  EXPECT_EQ(options({"--report", "r.json", "ls"})->report, "/ws/r.json");
  EXPECT_EQ(error(options({"--cwd", "", "ls"})), "--cwd: the path is empty");
  EXPECT_EQ(error(options({"--report", "", "ls"})), "--report: the path is empty");
  EXPECT_EQ(error(options({"--report", "x/", "ls"})), "--report x/ is a directory");
  EXPECT_EQ(error(options({"--report", "x", "--explain", "ls"})),
            "--explain runs nothing, so --report has nothing to write");
}

TEST(PolicyFlags, EachRuleRecordsItsFlag) {
  const auto got = policy({"--read", "/r", "--sandbox-allow-write", "/w", "--hide", "/h", "--net", "none", "--exec",
                           "git", "--env", "A=b", "--timeout", "30s", "--memory", "1G", "--processes", "9", "ls"});
  ASSERT_TRUE(got) << got.error().text();
  const auto rule = [&](std::string_view path) {
    return *std::find_if(got->paths.begin(), got->paths.end(), [&](const PathRule& one) { return one.path == path; });
  };
  EXPECT_EQ(rule("/r").access, Access::kRead);
  EXPECT_EQ(rule("/r").origin.where, "--read");
  EXPECT_EQ(rule("/w").access, Access::kWrite);
  EXPECT_EQ(rule("/w").origin.where, "--sandbox-allow-write");
  EXPECT_EQ(rule("/h").access, Access::kHide);
  EXPECT_EQ(got->network.origin.where, "--net");
  EXPECT_EQ(got->exec.mode, ExecMode::kList);
  EXPECT_EQ(got->limits.wall_time->value, std::chrono::seconds(30));
  EXPECT_EQ(got->limits.memory->value, std::uint64_t{1} << 30);
  EXPECT_EQ(got->profile, "moderate");
  EXPECT_EQ(got->workspaces, (std::vector<std::string>{"/ws"}));
}

TEST(PolicyFlags, NetworkIsNoneFullOrNames) {
  EXPECT_EQ(policy({"ls"})->network.mode, NetworkMode::kNone);
  EXPECT_EQ(policy({"--net", "full", "ls"})->network.mode, NetworkMode::kFull);
  EXPECT_EQ(policy({"--sandbox-allow-network", "ls"})->network.mode, NetworkMode::kFull);
  EXPECT_EQ(policy({"--net", "example.com", "--net", "*.example.org:443", "ls"})->network.domains.size(), 2U);
  EXPECT_EQ(error(policy({"--net", "a..b", "ls"})),
            "--net: \"a..b\": there is nothing between two dots at character 3 (check the name)");
  EXPECT_TRUE(contains(error(policy({"--net", "none", "--net", "a.org", "ls"})), "both asked for"));
  EXPECT_TRUE(contains(error(policy({"--net", "a.org", "--net", "full", "ls"})), "both asked for"));
  EXPECT_TRUE(contains(error(policy({"--net", "db", "ls"})), "one without a dot needs its port"));
  EXPECT_TRUE(contains(error(policy({"--net", "ful", "ls"})), "did you mean full?"));
  EXPECT_NE(error(policy({"--net", "none", "--net", "full", "ls"})), "no error");
  EXPECT_NE(error(policy({"--net", "none", "--sandbox-allow-network", "ls"})), "no error");
}

TEST(PolicyFlags, FullAccessProfileNeedsAToken) {
  EXPECT_TRUE(contains(error(policy({"--profile", "moderat", "ls"})), "did you mean moderate?"));
  EXPECT_TRUE(policy({"--profile", "danger-full-access", "ls"}));
  EXPECT_EQ(policy({"--no-sandbox", "ls"})->profile, "danger-full-access");
  EXPECT_EQ(policy({"--no-sandbox", "--profile", "strict", "ls"})->profile, "strict");
}

TEST(PolicyFlags, EveryProblemIsReported) {
  const std::string text =
      error(policy({"--timeout", "soon", "--memory", "-3", "--processes", "0", "--env", "1X", "ls"}));
  for (const std::string_view flag : {"--timeout", "--memory", "--processes", "--env"})
    EXPECT_TRUE(contains(text, flag)) << text;
}

TEST(WorkingDir, IsTheCallersUnlessTheWorkspaceIsElsewhere) {
  EXPECT_EQ(plan::default_working_dir(kCaller, {"/ws"}), "/ws");
  EXPECT_EQ(plan::default_working_dir({"/home/ada", "/ws/sub"}, {"/other", "/ws"}), "/ws/sub");
  EXPECT_EQ(plan::default_working_dir(kCaller, {"/other", "/more"}), "/other");
  EXPECT_EQ(plan::default_working_dir(kCaller, {}), "/ws");
}

}  // namespace
}  // namespace pinfold::cli
