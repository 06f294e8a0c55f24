// infer_test.cc: real error lines of real tools against a small plan; and hostile ones.
#include "report/infer.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::report {
namespace {

// Only the fields that matter here, so that new fields of a step need no change.
ShowPath show(std::string path, View view) {
  ShowPath step;
  step.host = step.at = std::move(path);
  step.view = view;
  return step;
}
HidePath hide(std::string path) {
  HidePath step;
  step.at = std::move(path);
  return step;
}

Origin preset() { return {Source::kPreset, "preset moderate"}; }

class InferTest : public ::testing::Test {
 protected:
  InferTest() {
    host_.debian();
    host_.file("/home/ada/.ssh/id_rsa")
        .file("/home/ada/notes.txt")
        .file("/home/ada/a b/c")
        .program("/home/ada/.foo/bin/x");
    host_.file("/ws/.env").file("/ws/main.c").file("/ws/.vscode/tasks.json").file("/tmp/host.txt").file("/root/secret");
    host_.link("/ws/out", "/home/ada/.ssh").file("/etc/hosts").program("/opt/tool/bin/t");
    host_.file("/home/ada/.local/share/mise/installs/node").file("/etc/shadow");
    host_.unreadable("/root/secret");
    step(show("/usr", View::kReadExec));
    step(show("/etc", View::kRead));
    step(MakeLink{"/bin", "usr/bin"});
    step(MakeDirectory{"/home"});
    step(MakeDirectory{"/home/ada"});
    step(show("/ws", View::kWriteExec));
    step(hide("/ws/.env"));
    step(ProtectPath{"/ws/.git/hooks", EntryKind::kDirectory, {}});
    step(ProtectPath{"/ws/.vscode", EntryKind::kDirectory, {}});
    step(ProtectName{"/ws", ".mcp.json", NameGuard::kWatch});
    step(PrivateTmp{{"/tmp"}, 0, true});
    step(Processes{});
    step(Devices{});
    step(Environment{{{"HOME", "/home/ada", {}}, {"PATH", "/usr/bin:/home/ada/.foo/bin:/opt/tool/bin", {}}}});
    plan_.working_dir = "/ws";
  }
  void step(StepBody body) { plan_.steps.push_back({std::move(body), Need::kRequired, preset()}); }
  std::vector<Denial> infer(std::string_view text) {
    Inference inference(plan_, host_);
    inference.feed(text);
    return std::move(inference).finish();
  }
  // "operation resource | rule | allow"
  std::string one(std::string_view text) {
    const auto found = infer(text);
    if (found.empty()) return "-";
    if (found.size() > 1) return "several";
    return found[0].operation + " " + found[0].resource + " | " + found[0].rule + " | " + found[0].allow_with;
  }
  FakeHost host_;
  Plan plan_;
};

TEST_F(InferTest, RemovingNeedsTheDirectory) {
  EXPECT_EQ(one("rm: cannot remove '/home/ada/a b/c': No such file or directory\n"),
            "delete /home/ada/a b/c | not visible: no rule grants this path | --write '/home/ada/a b'");
  EXPECT_EQ(one("rm: cannot remove '/etc/hosts': Read-only file system\n"),
            "delete /etc/hosts | read-only (preset moderate) | --write /etc");
  EXPECT_EQ(one("rm: cannot remove '/ws/gone': No such file or directory\n"), "-");
  host_.unwritable("/etc");
  EXPECT_EQ(one("rm: cannot remove '/etc/hosts': Read-only file system\n"), "-");
}

TEST_F(InferTest, OmitsFailuresOutsideTheSandbox) {
  EXPECT_EQ(one("sh: 1: cannot create /etc/new: Read-only file system\n"),
            "create /etc/new | read-only (preset moderate) | --write /etc");
  host_.unwritable("/etc").unwritable("/etc/hosts");
  EXPECT_EQ(one("sh: 1: cannot create /etc/new: Read-only file system\n"), "-");
  EXPECT_EQ(one("sh: 1: cannot create /etc/hosts: Read-only file system\n"), "-");
}

constexpr const char* kHiddenKey =
    "read /home/ada/.ssh/id_rsa | not visible: no rule grants this path | --read /home/ada/.ssh/id_rsa";

TEST_F(InferTest, RecognisesHiddenPathsInErrorTextsOfManyTools) {
  for (const char* text : {
           "cat: /home/ada/.ssh/id_rsa: No such file or directory\n",
           "cat: '/home/ada/.ssh/id_rsa': No such file or directory",
           "ls: cannot access '/home/ada/.ssh/id_rsa': No such file or directory\n",
           "sh: 1: cannot open /home/ada/.ssh/id_rsa: No such file\n",
           "bash: line 1: /home/ada/.ssh/id_rsa: No such file or directory\n",
           "FileNotFoundError: [Errno 2] No such file or directory: '/home/ada/.ssh/id_rsa'\n",
           "Error: ENOENT: no such file or directory, open '/home/ada/.ssh/id_rsa'\n",
           "error: couldn't read /home/ada/.ssh/id_rsa: No such file or directory (os error 2)\n",
           "java.io.FileNotFoundException: /home/ada/.ssh/id_rsa (No such file or directory)\n",
           "open /home/ada/.ssh/id_rsa: no such file or directory\n",
           "grep: ~/.ssh/id_rsa: No such file or directory\n",
           "head: cannot open ‘/home/ada/.ssh/id_rsa’ for reading: No such file or directory\n",
           "cat: ../home/ada/.ssh/id_rsa: No such file or directory\n",
           "\x1b[1m\x1b[31merror:\x1b[0m /home/ada/.ssh/id_rsa: No such file or directory\r\n",
           "cat: out/id_rsa: No such file or directory\n",  // through a symlink of the workspace
       })
    EXPECT_EQ(one(text), kHiddenKey) << text;
}

TEST_F(InferTest, SpacesAndPatterns) {
  EXPECT_EQ(one("cat: /home/ada/a b/c: No such file or directory"),
            "read /home/ada/a b/c | not visible: no rule grants this path | --read '/home/ada/a b/c'");
  EXPECT_EQ(one("cat: .env: Permission denied"), "read /ws/.env | hidden (preset moderate) | --read /ws/.env");
}

TEST_F(InferTest, PathsMissingOnTheHostAreNoDenials) {
  EXPECT_EQ(one("cat: /home/ada/nothing: No such file or directory"), "-");
  EXPECT_EQ(one("main.c:1:10: fatal error: foo.h: No such file or directory"), "-");
  EXPECT_EQ(one("cat: /ws/nope: No such file or directory"), "-");
  EXPECT_EQ(one("sh: 1: nosuchcmd: not found"), "-");
  EXPECT_EQ(one("cat: /root/secret: No such file or directory"), "-");  // not readable for the caller anyway
  EXPECT_EQ(one("/bin/sh: 1: main.c: Permission denied"), "-");         // the speaker is no resource
}

TEST_F(InferTest, ReadOnlyPathsAreWriteDenials) {
  for (const char* text : {
           "sh: 1: cannot create /etc/hosts: Read-only file system\n",
           "bash: line 1: /etc/hosts: Read-only file system\n",
           "touch: cannot touch '/etc/hosts': Permission denied\n",
           "OSError: [Errno 30] Read-only file system: '/etc/hosts'\n",
           "PermissionError: [Errno 13] Permission denied: '/etc/hosts'\n",
           "Error: EROFS: read-only file system, open '/etc/hosts'\n",
           "mv: cannot move '/ws/main.c' to '/etc/hosts': Read-only file system\n",
           "Can't open /etc/hosts: Permission denied at /usr/bin/env line 3.\n",
       })
    EXPECT_EQ(one(text), "write /etc/hosts | read-only (preset moderate) | --write /etc/hosts") << text;
  EXPECT_EQ(one("sh: 1: cannot create /etc/new: Read-only file system"),
            "create /etc/new | read-only (preset moderate) | --write /etc");
  EXPECT_EQ(one("cat: /etc/hosts: No such file or directory"), "-");
}

TEST_F(InferTest, WritesBelowHiddenDirectories) {
  EXPECT_EQ(one("touch: cannot touch '/home/ada/.ssh/new': Read-only file system"),
            "create /home/ada/.ssh/new | not visible: no rule grants this path | --write /home/ada/.ssh");
  // No single flag is right for a new file right in the home.
  EXPECT_EQ(one("touch: cannot touch '/home/ada/new': Read-only file system"),
            "create /home/ada/new | not visible: no rule grants this path | ");
  EXPECT_EQ(one("sh: 1: cannot create /home/ada/a b/x: Directory nonexistent"),
            "create /home/ada/a b/x | not visible: no rule grants this path | --write '/home/ada/a b'");
}

TEST_F(InferTest, ProtectedNames) {
  EXPECT_EQ(one("touch: cannot touch '.vscode/x': Read-only file system"),
            "create /ws/.vscode/x | protected name .vscode (preset moderate) | --write /ws/.vscode");
  EXPECT_EQ(one("sh: 1: cannot create .vscode/tasks.json: Read-only file system"),
            "write /ws/.vscode/tasks.json | protected name .vscode (preset moderate) | --write /ws/.vscode/tasks.json");
  EXPECT_EQ(one("sh: 1: cannot create .mcp.json: Operation not permitted"),
            "create /ws/.mcp.json | protected name .mcp.json (preset moderate) | ");
}

TEST_F(InferTest, PrivateTmpHidesTheHosts) {
  EXPECT_EQ(one("cat: /tmp/host.txt: No such file or directory"),
            "read /tmp/host.txt | not visible: /tmp is private to the run | --read /tmp/host.txt");
  EXPECT_EQ(one("cat: /tmp/mine: No such file or directory"), "-");
}

TEST_F(InferTest, HiddenPrograms) {
  const char* expected = "exec /home/ada/.foo/bin/x | not visible: no rule grants this path | --read /home/ada/.foo";
  for (const char* text : {"sh: 1: x: not found", "bash: x: command not found", "bash: line 1: x: command not found",
                           "zsh: command not found: x", "/usr/bin/env: ‘x’: No such file or directory",
                           "make: x: No such file or directory", "exec: \"x\": executable file not found in $PATH",
                           "sh: 1: /home/ada/.foo/bin/x: not found"})
    EXPECT_EQ(one(text), expected) << text;
  EXPECT_EQ(one("sh: 1: t: not found"),
            "exec /opt/tool/bin/t | not visible: no rule grants this path | --read /opt/tool");
  EXPECT_EQ(one("sh: 1: ls: not found"), "-");
  step(ExecLimit{ExecMode::kList, {"/usr/bin/git"}, {}});
  EXPECT_EQ(one("sh: 1: ls: not found"),
            "exec /usr/bin/ls | not in the list of programs that may run (preset moderate) | --exec ls");
  step(ExecLimit{ExecMode::kNone, {"/usr/bin/git"}, {}});
  EXPECT_EQ(one("sh: 1: ls: not found"), "exec /usr/bin/ls | no program may be started (preset moderate) | --exec any");
}

TEST_F(InferTest, DebuggersAndLeakCheckers) {
  const char* const said[] = {"strace: attach: ptrace(PTRACE_SEIZE, 7): Operation not permitted\n",
                              "warning: ptrace: Operation not permitted\n",
                              "==3==LeakSanitizer has encountered a fatal error.\n"};
  for (const char* line : said) EXPECT_TRUE(infer(line).empty()) << "this plan has no such step: " << line;
  step(SystemCalls{Debuggers::kRefused});
  for (const char* line : said) {
    const auto found = infer(line);
    ASSERT_EQ(found.size(), 1U) << line;
    EXPECT_EQ(found[0].operation, "trace");
    EXPECT_EQ(found[0].allow_with, "--debuggers");
  }
  plan_.steps.pop_back();
  step(SystemCalls{Debuggers::kAllowed});
  for (const char* line : said) EXPECT_TRUE(infer(line).empty()) << line;
}

TEST_F(InferTest, TheCommandItself) {
  for (const char* name : {"x", "/home/ada/.foo/bin/x", "../home/ada/.foo/bin/x"}) {
    Inference inference(plan_, host_);
    inference.program_missing(name);
    const auto found = std::move(inference).finish();
    ASSERT_EQ(found.size(), 1u) << name;
    EXPECT_EQ(found[0].operation, "exec");
    EXPECT_EQ(found[0].allow_with, "--read /home/ada/.foo");
  }
  Inference inference(plan_, host_);
  inference.program_missing("nope");
  inference.program_missing("/nope");
  EXPECT_TRUE(std::move(inference).finish().empty());
}

TEST_F(InferTest, ChunksAndCounts) {
  Inference inference(plan_, host_);
  const std::string text = "cat: /home/ada/.ssh/id_rsa: No such file or directory\n";
  for (const char c : text + text) inference.feed(std::string_view(&c, 1));
  inference.feed(text + text + "x");
  const auto found = std::move(inference).finish();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 4u);
  EXPECT_EQ(found[0].source, DenialSource::kInferred);
}

TEST_F(InferTest, FloodsAreBounded) {
  Inference inference(plan_, host_);
  for (int i = 0; i < 20000; ++i)
    inference.feed("cat: /home/ada/f" + std::to_string(i) + ": No such file or directory\n");
  const std::size_t calls = host_.calls();
  EXPECT_LT(calls, 40000u);
  for (int i = 0; i < 300; ++i) host_.file("/home/ada/g" + std::to_string(i));
  Inference second(plan_, host_);
  for (int i = 0; i < 300; ++i) second.feed("cat: /home/ada/g" + std::to_string(i) + ": No such file or directory\n");
  EXPECT_EQ(std::move(second).finish().size(), 200u);
}

TEST_F(InferTest, HostileBytes) {
  std::string noise;
  for (int i = 0; i < 100000; ++i) noise += static_cast<char>((i * 7919) >> 3);
  infer(noise + " Permission denied");
  infer(std::string(100000, '\'') + "Permission denied");
  infer(std::string(100000, '/') + ": Permission denied");
  infer(std::string("cat: /a\0b: Permission denied", 28));
  infer("Permission denied");
  infer(": Permission denied");
  infer("'': Permission denied");
  std::string quotes;
  for (int i = 0; i < 4000; ++i) quotes += "'a";
  infer(quotes + ": Permission denied");
  // Only the head of an endless line is looked at.
  EXPECT_EQ(one(std::string(9000, 'x') + " /home/ada/notes.txt: No such file or directory\n"), "-");
  EXPECT_EQ(one(std::string(9000, 'x') + "\ncat: /home/ada/notes.txt: No such file or directory\n"),
            "read /home/ada/notes.txt | not visible: no rule grants this path | --read /home/ada/notes.txt");
}

}  // namespace
}  // namespace pinfold::report
