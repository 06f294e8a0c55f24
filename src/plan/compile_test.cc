// compile_test.cc: the plan as a whole: order, fixed steps, limits, working directory.
// Not here: each part (its own test file).
#include "plan/compile.h"

#include <gtest/gtest.h>

#include "base/paths.h"
#include "plan/plan_fixture.h"

namespace pinfold::plan {
namespace {

class CompileTest : public testing::Test, protected PlanFixture {};

int phase(const Step& step) {
  struct Phase {
    int operator()(const Identity&) const { return 0; }
    int operator()(const SystemCalls&) const { return 1; }
    int operator()(const Processes&) const { return 2; }
    int operator()(const Devices&) const { return 3; }
    int operator()(const PrivateTmp&) const { return 4; }
    int operator()(const Network&) const { return 5; }
    int operator()(const ExecLimit&) const { return 6; }
    int operator()(const Terminal&) const { return 7; }
    int operator()(const Environment&) const { return 8; }
    int operator()(const LimitStep&) const { return 9; }
    int operator()(const Observe&) const { return 9; }
    int operator()(const ProtectPath&) const { return 11; }
    int operator()(const ProtectName&) const { return 12; }
    int operator()(const CleanGit&) const { return 13; }
    int operator()(const ShowPath&) const { return 10; }
    int operator()(const HidePath&) const { return 10; }
    int operator()(const MakeLink&) const { return 10; }
    int operator()(const MakeDirectory&) const { return 10; }
    int operator()(const MakeFile&) const { return 10; }
  };
  return std::visit(Phase{}, step.body);
}

TEST_F(CompileTest, StepsComeInOrder) {
  host.dir("/home/ada/ws/.git/hooks").file("/home/ada/ws/.env").file("/home/ada/.gitconfig", "[user]\nname=Ada\n");
  host.dir("/home/ada/.cargo/bin").dir("/home/ada/ws/deep/.vscode");
  const Plan made = plan();
  int last = 0;
  std::size_t depth = 0;
  for (const Step& step : made.steps) {
    EXPECT_GE(phase(step), last) << describe(step);
    if (phase(step) != 10) {
      last = phase(step);
      continue;
    }
    last = 10;
    const std::string path = std::visit(
        [](const auto& body) -> std::string {
          if constexpr (
              requires { body.at.size(); } && requires { std::string(body.at); })
            return body.at;
          else
            return {};
        },
        step.body);
    EXPECT_GE(paths::depth(path), depth) << describe(step);
    depth = paths::depth(path);
  }
  EXPECT_EQ(made.working_dir, "/home/ada/ws");
}

TEST_F(CompileTest, ModerateIsGolden) {
  host.dir("/home/ada/.rustup").file("/home/ada/ws/.env").file("/home/ada/ws/.git/config").uid(0);
  std::string text = describe(plan());
  // Everything but the list of names that do not exist yet.
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.find("protect-name") == std::string::npos && line.find("make-link     /home") == std::string::npos)
      rest += line + "\n";
  }
  EXPECT_EQ(rest, R"(identity      uid 0 gid 0  [preset moderate]
system-calls  reviewed list; all others return ENOSYS  [preset moderate]
processes     the sandbox's only  [preset moderate]
devices       null zero full random urandom tty ptmx  [preset moderate]
private-tmp   /tmp /var/tmp /dev/shm, 4G  [preset moderate]
network       none  [preset moderate]
exec          any  [preset moderate]
terminal      a session of its own  [preset moderate]
environment   GOPATH HOME LANG LOGNAME PATH PINFOLD PINFOLD_NETWORK TMPDIR USER  [preset moderate]
limit         processes 4096  [preset moderate] best effort
observe       fast  [preset moderate] best effort
make-link     /bin -> usr/bin  [preset moderate]
show          /etc read-exec  [preset moderate]
make-link     /lib -> usr/lib  [preset moderate]
make-link     /lib64 -> usr/lib64  [preset moderate]
show          /opt read-exec  [preset moderate]
make-link     /sbin -> usr/sbin  [preset moderate]
show          /sys read-exec  [preset moderate]
show          /usr read-exec  [preset moderate]
hide          /etc/gshadow  [preset moderate]
hide          /etc/shadow  [preset moderate]
make-dir      /home/ada  [preset moderate]
hide          /etc/ssl/private  [preset moderate]
show          /home/ada/.cache write-exec from /home/ada/.cache/pinfold/projects/7efcb7afdfedd22dcb076115c5c43cc52178ab55/home (made when missing)  [preset moderate]
show          /home/ada/.rustup read-exec  [preset moderate]
show          /home/ada/ws write-exec  [the working directory]
hide          /home/ada/ws/.env by pattern **/.env  [preset moderate] best effort
protect       /home/ada/ws/.git/config pinning /home/ada/ws/.git  [preset moderate]
clean-git     /home/ada/ws (is a repository)  [preset moderate] best effort
start-in      /home/ada/ws
)");
}

TEST_F(CompileTest, LimitsOfAPresetAreBestEffortAndOfAFlagRequired) {
  const Plan made =
      plan(std::move(builder("strict").memory("2G", flag("--memory")).cpu_time("9s", flag("--cpu-time"))));
  std::size_t required = 0;
  for (const Step& step : made.steps) {
    const auto* limit = std::get_if<LimitStep>(&step.body);
    if (limit == nullptr) continue;
    const bool mine = limit->kind == LimitKind::kMemory || limit->kind == LimitKind::kCpuTime;
    EXPECT_EQ(step.need, mine ? Need::kRequired : Need::kBestEffort);
    required += mine ? 1U : 0U;
  }
  EXPECT_EQ(required, 2U);
  EXPECT_EQ(all<LimitStep>(made).size(), 6U);
  EXPECT_EQ(all<PrivateTmp>(made)[0].size, std::uint64_t{2} << 30U);
}

TEST_F(CompileTest, TheWorkingDirectoryMustBeVisible) {
  host.dir("/srv/x");
  invocation.working_dir = "/srv/x";
  auto made = try_plan(builder());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(made.error().text(), "the working directory /srv/x is not visible in the sandbox");
  EXPECT_EQ(made.error().fix(), "--read /srv/x or --cwd DIR");
  EXPECT_TRUE(try_plan(std::move(builder().read("/srv/x", flag("--read")))));
  for (const char* bad : {"/nope", "relative", "", "/etc/passwd"}) {
    invocation.working_dir = bad;
    EXPECT_FALSE(try_plan(builder())) << bad;
  }
  for (const char* fine : {"/", "/tmp", "/usr/bin", "/bin"}) {
    invocation.working_dir = fine;
    EXPECT_TRUE(try_plan(builder())) << fine;
  }
}

TEST_F(CompileTest, FullAccess) {
  host.dir("/home/ada/ws/.vscode").file("/home/ada/ws/.env").var("SECRET", "x").var("TMPDIR", "/tmp/mine");
  const Plan made = plan(std::move(builder("danger-full-access").allow(danger::FullAccess("test"), flag("--profile"))));
  EXPECT_NE(at<ShowPath>(made, "/"), nullptr);
  EXPECT_EQ(at<ShowPath>(made, "/")->view, View::kWriteExec);
  EXPECT_EQ(at<ShowPath>(made, "/sys")->view, View::kReadExec);
  EXPECT_TRUE(all<HidePath>(made).empty());
  EXPECT_TRUE(all<ProtectPath>(made).empty());
  EXPECT_TRUE(all<ProtectName>(made).empty());
  EXPECT_TRUE(all<CleanGit>(made).empty());
  EXPECT_EQ(all<PrivateTmp>(made)[0].at, std::vector<std::string>{"/dev/shm"});
  EXPECT_EQ(all<Network>(made)[0].mode, NetworkMode::kFull);
  const auto variables = all<Environment>(made)[0].variables;
  EXPECT_TRUE(std::any_of(variables.begin(), variables.end(), [](const auto& v) { return v.name == "SECRET"; }));
  EXPECT_EQ(host.lists(), 0U) << "nothing to search for";
}

TEST_F(CompileTest, TenThousandRedundantRulesMakeNoStep) {
  const std::size_t before = plan().steps.size();
  PolicyBuilder many = builder();
  for (int i = 0; i < 10'000; ++i) {
    host.dir("/usr/share/d" + std::to_string(i)).dir("/home/ada/ws/src/d" + std::to_string(i));
    many.read("/usr/share/d" + std::to_string(i), flag("--read"));
    many.write("/home/ada/ws/src/d" + std::to_string(i), flag("--write"));
  }
  const std::size_t asked = host.calls();
  EXPECT_EQ(plan(std::move(many)).steps.size(), before);
  EXPECT_LT(host.calls() - asked, 31'000U);
}

}  // namespace
}  // namespace pinfold::plan
