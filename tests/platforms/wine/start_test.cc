// start_test.cc: what a command is started with, under wine: its job's limits, its handles, its token; and how its end
// is seen.
// Invariant: what a sandboxed command must not have, a bare one has had.
// Not here: confinement, which wine does not have; files and access lists (wine_test.cc).

#include <optional>
#include <string>
#include <vector>

#include "scratch.h"

#include "backend/backend.h"
#include "backend/windows/command_line.h"
#include "backend/windows/environment_block.h"
#include "backend/windows/os/backend.h"
#include "backend/windows/os/job.h"
#include "backend/windows/os/launch.h"

namespace pinfold::backend::on_windows {
namespace {

using std::string;
using sys::Handle;

Step step(StepBody body) { return {std::move(body), Need::kRequired, {}}; }

// The command for tests, beside this program, as a path of the core.
string echo() {
  wchar_t self[MAX_PATH] = {};
  ::GetModuleFileNameW(nullptr, self, MAX_PATH);
  return paths::join(paths::parent(sys::core_path(self).value_or("")), "echo-argv.exe");
}

Plan limited() {
  Plan plan;
  plan.steps = {step(LimitStep{LimitKind::kMemory, 300U << 20U}), step(LimitStep{LimitKind::kProcesses, 7}),
                step(LimitStep{LimitKind::kWallTime, 1000})};
  return plan;
}

TEST(WineJob, LimitsAreThePlans) {
  const auto plain = job_limits({});
  EXPECT_EQ(plain.BasicLimitInformation.LimitFlags,
            DWORD{JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION});
  const auto found = job_limits(limited());
  EXPECT_EQ(found.BasicLimitInformation.LimitFlags,
            plain.BasicLimitInformation.LimitFlags | JOB_OBJECT_LIMIT_JOB_MEMORY | JOB_OBJECT_LIMIT_ACTIVE_PROCESS);
  EXPECT_EQ(found.JobMemoryLimit, 300U << 20U);
  EXPECT_EQ(found.BasicLimitInformation.ActiveProcessLimit, 7U);
  Plan alone = limited();
  alone.steps.push_back(step(ExecLimit{ExecMode::kNone, {}, {}}));
  EXPECT_EQ(job_limits(alone).BasicLimitInformation.ActiveProcessLimit, 1U);
  Plan many;
  many.steps = {step(LimitStep{LimitKind::kProcesses, std::uint64_t{1} << 40U})};
  EXPECT_EQ(job_limits(many).BasicLimitInformation.ActiveProcessLimit, MAXDWORD);
}

// On Windows. Wine takes limits and answers with none, but for closing: tests/platforms/windows_suite has seen that.
TEST(WineJob, LimitsAreReadBack) {
  const auto job = Job::create(limited());
  ASSERT_TRUE(job) << job.error().text();
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION found{};
  ASSERT_NE(::QueryInformationJobObject(job->raw(), JobObjectExtendedLimitInformation, &found, sizeof found, nullptr),
            0);
  const auto wanted = job_limits(limited());
  if (found.BasicLimitInformation.LimitFlags == 0) GTEST_SKIP() << "this Windows answers with no limits: wine";
  EXPECT_EQ(found.BasicLimitInformation.LimitFlags, wanted.BasicLimitInformation.LimitFlags);
  EXPECT_EQ(found.JobMemoryLimit, wanted.JobMemoryLimit);
}

class WineStart : public Scratch {
 protected:
  // What the command prints, started by launch(). Empty: it did not end in time.
  string launched(const std::vector<string>& words) {
    const string file = at("launched");
    SECURITY_ATTRIBUTES own{sizeof own, nullptr, FALSE};
    const Handle out = Handle::adopt(::CreateFileW(sys::call_path(file)->c_str(), GENERIC_WRITE, FILE_SHARE_READ, &own,
                                                   CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr));
    auto job = Job::create({});
    EXPECT_TRUE(job);
    LaunchRequest what;
    what.program = echo();
    what.command_line = command_line(words).value_or(u"");
    what.environment = environment_block({}).value_or(u"");
    what.working_dir = top_;
    what.streams = Streams::kElsewhere;
    what.job = job->raw();
    what.stdio[1] = out.raw();
    auto process = launch(what);
    EXPECT_TRUE(process) << process.error().text();
    if (!process || !job->add(process->raw()) || !process->resume()) return {};
    if (::WaitForSingleObject(process->raw(), kPatience) != WAIT_OBJECT_0) return {};
    return sys::read_whole(file, 1000).value_or("");
  }
  // … and started as any program would, with all that can be inherited.
  string bare(const std::vector<string>& words) {
    const string file = at("bare");
    SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
    const Handle out = Handle::adopt(::CreateFileW(sys::call_path(file)->c_str(), GENERIC_WRITE, FILE_SHARE_READ,
                                                   &inherited, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr));
    STARTUPINFOW start{};
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdOutput = start.hStdError = out.raw();
    std::wstring line = sys::wide(command_line(words).value_or(u""));
    PROCESS_INFORMATION made{};
    if (::CreateProcessW(sys::call_path(echo())->c_str(), line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr,
                         &start, &made) == 0)
      return {};
    const Process process(Handle::adopt(made.hProcess), Handle::adopt(made.hThread));
    if (::WaitForSingleObject(process.raw(), kPatience) != WAIT_OBJECT_0) return {};
    return sys::read_whole(file, 1000).value_or("");
  }
};

TEST_F(WineStart, NoOtherHandleIsInherited) {
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  std::vector<Handle> many;  // so many that a program's own do not reach the number of the last one
  for (int i = 0; i < 500; ++i) many.push_back(Handle::adopt(::CreateEventW(&inherited, TRUE, FALSE, nullptr)));
  ASSERT_TRUE(many.back().is_open());
  const string number = std::to_string(reinterpret_cast<std::intptr_t>(many.back().raw()));
  const std::vector<string> words = {"echo", "handle", number};
  EXPECT_EQ(bare(words).substr(0, 4), "open");
  EXPECT_EQ(launched(words).substr(0, 6), "closed");
}

TEST_F(WineStart, AnAdministratorsCommandIsNone) {
  const string own = bare({"echo", "token"});
  if (own.starts_with("none")) GTEST_SKIP() << "the user of the test is no administrator";
  EXPECT_EQ(own.substr(0, 2), "in") << own;
  const string found = launched({"echo", "token"});
  EXPECT_EQ(found.substr(0, 3), "out") << found;
}

TEST_F(WineStart, AnEndThatCannotBeSeenIsAnError) {
  // A handle without the right to wait.
  const Process self(Handle::adopt(::OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, ::GetCurrentProcessId())),
                     Handle());
  EXPECT_FALSE(self.exit_code());
  const Process waitable(
      Handle::adopt(::OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, ::GetCurrentProcessId())),
      Handle());
  ASSERT_TRUE(waitable.exit_code());
  EXPECT_FALSE(waitable.exit_code()->has_value());
}

class RecordedEvents final : public SandboxEvents {
 public:
  explicit RecordedEvents(sys::EventLoop& loop) : loop_(loop) {}
  void command_ended(const CommandExit& ended) override {
    code = ended.wait_status;
    loop_.stop();
  }
  void command_stopped() override {}
  void denied(Denial /*denial*/) override {}
  void breached(Denial /*denial*/, string /*note*/) override {}
  void sandbox_gone(string why) override {
    ADD_FAILURE() << why;
    loop_.stop();
  }
  std::optional<int> code;

 private:
  sys::EventLoop& loop_;
};

// It once was told before the loop ran, which then ran for ever: seen on busy machines alone.
TEST_F(WineStart, AnEndBeforeAnybodyLooksIsSeen) {
  const auto backend = make_appcontainer_backend(at("journals"), {});
  Plan plan;
  plan.working_dir = top_;
  auto sandbox = backend->prepare(plan);
  ASSERT_TRUE(sandbox) << sandbox.error().text();
  Launch what;
  what.argv = {echo(), "exit", "42"};
  const auto started = (*sandbox)->start(what);
  ASSERT_TRUE(started) << started.error().text();
  const ULONGLONG until = ::GetTickCount64() + kPatience;
  while ((*sandbox)->usage()->processes > 0 && ::GetTickCount64() < until) ::Sleep(5);
  ASSERT_EQ((*sandbox)->usage()->processes, 0U);
  auto loop = sys::EventLoop::create();
  ASSERT_TRUE(loop);
  RecordedEvents events(*loop);
  (*sandbox)->attach(*loop, events);
  EXPECT_FALSE(events.code);  // from the loop, not before
  loop->after(std::chrono::milliseconds(kPatience), [&] { loop->stop(); });
  ASSERT_TRUE(loop->run());
  EXPECT_EQ(events.code, 42);
  std::vector<string> notes;
  std::vector<Denial> denials;
  (*sandbox)->finish(notes, denials);
  EXPECT_TRUE(notes.empty()) << notes[0];
}

}  // namespace
}  // namespace pinfold::backend::on_windows
