// exec_test.cc: any, none, a list; interpreters; programs that are not found.
// Not here: enforcement.
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace pinfold::plan {
namespace {

class ExecTest : public testing::Test, protected PlanFixture {
 protected:
  ExecLimit limit(PolicyBuilder&& b) { return all<ExecLimit>(plan(std::move(b)))[0]; }
};
using Paths = std::vector<std::string>;

TEST_F(ExecTest, Any) {
  const ExecLimit any = limit(builder());
  EXPECT_EQ(any.mode, ExecMode::kAny);
  EXPECT_TRUE(any.programs.empty());
}

TEST_F(ExecTest, NoneAllowsTheCommandItself) {
  invocation.argv = {"sh", "-c", "true"};
  const Plan made = plan(std::move(builder().exec_none(flag("--exec"))));
  EXPECT_EQ(all<ExecLimit>(made)[0].programs, Paths{"/usr/bin/dash"});
  EXPECT_EQ(all<ExecLimit>(made)[0].libraries, (Paths{"/usr/lib64", "/usr/local/lib", "/usr/lib"}));
  EXPECT_EQ(at<ShowPath>(made, "/usr")->view, View::kRead);
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/ws")->view, View::kWrite);
  EXPECT_FALSE(all<PrivateTmp>(made)[0].exec);
}

TEST_F(ExecTest, ListWithInterpreters) {
  host.program("/home/ada/ws/tool", "#!/usr/bin/env -S python3 -u\nx")
      .program("/opt/x/bin/run", "#! /bin/sh -e\n")
      .dir("/opt/x/lib");
  invocation.argv = {"./tool"};
  const ExecLimit list = limit(std::move(builder()
                                             .exec_command("git", flag("--exec"))
                                             .exec_command("./tool", flag("--exec"))
                                             .exec_command("/opt/x/bin/run", flag("--exec"))));
  EXPECT_EQ(list.programs, (Paths{"/usr/bin/git", "/home/ada/ws/tool", "/usr/bin/env", "/usr/bin/python3.11",
                                  "/opt/x/bin/run", "/usr/bin/dash"}));
  EXPECT_EQ(list.libraries.back(), "/opt/x/lib");
}

TEST_F(ExecTest, TheCommandMustBeListedUnlessItIsTheImpliedShell) {
  invocation.argv = {"ls"};
  auto refused = try_plan(std::move(builder().exec_command("git", flag("--exec"))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kRefused);
  EXPECT_EQ(refused.error().text(), "ls is not in the list of programs that may run");
  EXPECT_EQ(refused.error().fix(), "--exec ls");
  invocation.argv = {"/bin/sh", "-c", "git status"};
  invocation.implied_shell = true;
  EXPECT_EQ(limit(std::move(builder().exec_command("git", flag("--exec")))).programs,
            (Paths{"/usr/bin/git", "/usr/bin/dash"}));
}

TEST_F(ExecTest, NotFound) {
  auto listed = try_plan(std::move(builder().exec_command("gti", flag("--exec"))));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().kind(), ErrorKind::kInvalid);
  EXPECT_NE(listed.error().text().find("gti"), std::string::npos);
  invocation.argv = {"nope"};
  auto command = try_plan(std::move(builder().exec_none(flag("--exec"))));
  ASSERT_FALSE(command);
  EXPECT_EQ(command.error().kind(), ErrorKind::kNotFound);
  EXPECT_TRUE(try_plan(builder())) << "with any, the kernel finds out";
}

TEST_F(ExecTest, OnlyVisibleProgramsCount) {
  host.program("/home/ada/secret/evil").var("PATH", "/home/ada/secret:relative::/usr/bin");
  invocation.argv = {"evil"};
  EXPECT_FALSE(try_plan(std::move(builder().exec_none(flag("--exec")))));
  invocation.argv = {"git"};
  EXPECT_EQ(limit(std::move(builder().exec_none(flag("--exec")))).programs, Paths{"/usr/bin/git"});
}

TEST_F(ExecTest, InterpreterCyclesEnd) {
  host.program("/home/ada/ws/a", "#!/home/ada/ws/b\n").program("/home/ada/ws/b", "#!/home/ada/ws/a\n");
  invocation.argv = {"./a"};
  EXPECT_EQ(limit(std::move(builder().exec_none(flag("--exec")))).programs.size(), 2U);
  host.program("/home/ada/ws/c", "#!/no/such\n");
  invocation.argv = {"./c"};
  EXPECT_FALSE(try_plan(std::move(builder().exec_none(flag("--exec")))));
}

TEST_F(ExecTest, NoCommandYet) {
  invocation.argv.clear();
  EXPECT_TRUE(limit(std::move(builder().exec_none(flag("--exec")))).programs.empty());
}

}  // namespace
}  // namespace pinfold::plan
