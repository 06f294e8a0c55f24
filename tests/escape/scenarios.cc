// scenarios.cc: see scenarios.h.
#include "scenarios.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "steps.h"

namespace escape {
namespace {

namespace fs = std::filesystem;

constexpr int kSwapRuns = 70;

Line line_for(const World& world, int number, const std::string& name) {
  return {.number = number, .name = name, .user = world.user().name};
}

// `attacked`: changes to the target; `beyond`: other changes on the host. Each begins with "; ".
void end(Line& line, bool control, const std::string& attacked, const std::string& beyond, const Steps& steps,
         const World& world, Lines& sheet) {
  Findings findings;
  findings.control = control ? faults(steps) : "the control reached nothing";
  findings.attacked = attacked;
  findings.beyond = beyond;
  Coverage coverage = coverage_in(world.report());
  // Its flags make no difference to the steps that speak for it.
  if (coverage.empty() && !attacked.empty()) coverage = ask_coverage(world, {});
  conclude(line, findings, steps, coverage, world);
  sheet.add(line);
}

// A process on the host that exchanges two names as fast as it can.
class Swapper {
 public:
  Swapper(const std::string& one, const std::string& other) : pid_(::fork()) {
    if (pid_ != 0) return;
    for (;;) {
      ::syscall(SYS_renameat2, AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
      ::usleep(50);
    }
  }
  Swapper(const Swapper&) = delete;
  Swapper& operator=(const Swapper&) = delete;
  ~Swapper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

struct Swap {
  const char* name;
  const char* directory;  // in the workspace; exchanged with a link to `target`
  const char* target;     // in the home
  Texts flags;
  Texts attempt;
  Steps steps;
};

// Says what got out, or nothing.
std::string swapped(const Swap& swap, World& world, bool inside, std::string& cell) {
  world.renew();
  auto values = world.values();
  std::string directory = world.workspace() + "/" + swap.directory;
  std::string link = world.workspace() + "/link";
  must_run_shell("mkdir -p " + directory + "\nln -s " + world.home() + "/" + swap.target + " " + link, world.user(),
                 world.workspace(), world.environment());
  std::string planted = world.home() + "/" + swap.target + "/planted";
  Texts argv = {world.workspace() + "/probe"};
  for (const std::string& word : fill_in(swap.attempt, values)) argv.push_back(word);
  int ran_count = 0;
  int refused = 0;
  std::string got;
  Tree before = look_at_tree(world.home() + "/" + swap.target);
  {
    Swapper swapper(directory, link);
    for (int i = 0; i < kSwapRuns && got.empty(); ++i) {
      Ran ran = run(inside ? judged(world, fill_in(swap.flags, values), argv) : world.command(argv));
      (ran.exit_code == 125 || ran.exit_code == 126 ? refused : ran_count)++;
      if (ran.out.find(world.secret()) != std::string::npos) got = "read the secret";
      struct stat made {};
      if (::lstat(planted.c_str(), &made) == 0)
        got = "made a file in ~/" + std::string(swap.target) + ": mode " + std::to_string(made.st_mode & 07777) + ", " +
              std::to_string(made.st_size) + " bytes, run " + std::to_string(i) + ", exit " +
              std::to_string(ran.exit_code) + ", " + one_line(ran.out + ran.err, 200);
      Texts changes = differences(before, look_at_tree(world.home() + "/" + swap.target), {});
      if (got.empty() && !changes.empty()) got = "changed ~/" + std::string(swap.target) + ": " + changes[0];
    }
  }
  cell = got.empty() ? std::to_string(ran_count) + " ran, " + std::to_string(refused) + " refused" : got;
  return got;
}

void swap_while_starting(const Swap& swap, World& world, Lines& sheet) {
  Line line = line_for(world, 3, swap.name);
  std::string bare = swapped(swap, world, false, line.bare);
  Machine machine = look_at_machine();
  std::string inside = swapped(swap, world, true, line.boxed);
  std::string host = host_harm(world, machine);
  end(line, !bare.empty(), inside.empty() ? "" : "; " + inside, host, swap.steps, world, sheet);
}

// The first run plants a link where the second run's policy points.
void swap_between_runs(World& world, Lines& sheet) {
  Line line = line_for(world, 3, "symlink planted between two runs");
  bool control = false;
  std::string attacked;
  std::string host;
  std::string plant = "rm -rf d; ln -s " + world.home() + "/documents d";
  std::string planted = world.home() + "/documents/planted";
  for (bool inside : {false, true}) {
    world.renew();
    must_run_shell("mkdir d", world.user(), world.workspace(), world.environment());
    Machine machine = look_at_machine();
    Texts first = {"/bin/sh", "-c", plant};
    Texts second = {world.workspace() + "/probe", "create", world.workspace() + "/d/planted"};
    Texts flags = {"--write", world.workspace() + "/d"};
    Ran one = run(inside ? judged(world, flags, first) : world.command(first));
    Ran two = run(inside ? judged(world, flags, second) : world.command(second));
    (inside ? line.boxed : line.bare) =
        "first exit " + std::to_string(one.exit_code) + ", then " + one_line(two.out + two.err, 60);
    if (!inside) control = exists(planted);
    if (inside && exists(planted)) attacked = "; made a file in ~/documents";
    if (inside) host = host_harm(world, machine);
  }
  end(line, control, attacked, host, absence({step::kWrite}), world, sheet);
}

// The host moves a directory of the workspace elsewhere while a command stands in it.
void up_from_moved(World& world, Lines& sheet) {
  Line line = line_for(world, 3, "`..` from a directory that the host moved away");
  bool control = false;
  std::string attacked;
  std::string wrong;
  for (bool inside : {false, true}) {
    world.renew();
    std::string inner = world.workspace() + "/mv/inner";
    must_run_shell("mkdir -p " + inner, world.user(), world.workspace(), world.environment());
    Texts argv = {world.workspace() + "/probe", "up-from-moved", inner, "../.ssh/id_rsa"};
    Machine machine = look_at_machine();
    Running running(inside ? judged(world, {}, argv) : world.command(argv));
    for (int i = 0; i < 3000 && !exists(inner + "/ready"); ++i) ::usleep(10000);
    std::string moved = world.home() + "/inner";
    ::rename(inner.c_str(), moved.c_str());
    write_file(moved + "/moved", "");
    Ran ran = running.wait(Milliseconds(60000));
    (inside ? line.boxed : line.bare) = one_line(ran.out + ran.err, 60);
    bool got = ran.out.find(world.secret()) != std::string::npos;
    if (!inside) control = got;
    if (inside && got) attacked = "; the secret got out";
    if (inside && !got && ran.out.find("DENIED") != 0) wrong += "; BUT the attempt did not run";
    if (inside) wrong += host_harm(world, machine);
  }
  end(line, control, attacked, wrong, absence({step::kRead}), world, sheet);
}

// The user makes a protected directory on the host while a command makes names of its own all the time: it stays where
// it is, the command goes on, and cannot change it.
void host_makes_a_name(World& world, Lines& sheet) {
  Line line = line_for(world, 4, "the host makes .claude while a command runs");
  world.renew();
  const std::string directory = world.workspace() + "/.claude";
  auto make = [&] {
    must_run_shell("mkdir .claude; echo mine > .claude/settings.json", world.user(), world.workspace(),
                   world.environment());
  };
  make();
  run(world.command({world.workspace() + "/probe", "create", directory + "/planted"}));
  const bool control = exists(directory + "/planted");
  line.bare = control ? "made .claude/planted" : "";
  world.renew();
  Machine machine = look_at_machine();
  // Opening for appending, without writing, fails once it is protected.
  const char* text =
      "mkdir made; : > made/started; i=0\n"
      "until [ -e .claude/settings.json ] && ! { : >> .claude/settings.json; } 2> /dev/null; do\n"
      "  i=$((i+1)); mkdir made/$i; : > made/f; mv made/f made/g\n"
      "done\n"
      "{ echo x > .claude/planted; } 2> /dev/null || echo refused";
  Running running(judged(world, {}, {"/bin/bash", "-c", text}));
  for (int i = 0; i < 3000 && !exists(world.workspace() + "/made/started"); ++i) ::usleep(10000);
  make();
  Ran ran = running.wait(Milliseconds(60000));
  line.boxed = "exit " + std::to_string(ran.exit_code) + " " + one_line(ran.out + ran.err, 60);
  std::string wrong = host_harm(world, machine);
  if (!exists(directory + "/settings.json")) wrong += "; the user's directory is gone";
  if (ran.exit_code != 0 || ran.out.find("refused") == std::string::npos) wrong += "; the command was ended";
  end(line, control, exists(directory + "/planted") ? "; changed: +home/ws/.claude/planted" : "", wrong,
      any_gap({step::kProtectedNew}), world, sheet);
}

struct HostFile {
  const char* name;
  const char* text;  // of the command: makes `started`, then names all the time, until .envrc is protected
};

// The same with a file, while the command opens files with O_CREAT: new ones, the same one again and again, or a pipe
// that blocks it.
void host_makes_a_file(const HostFile& row, World& world, Lines& sheet) {
  Line line = line_for(world, 4, row.name);
  world.renew();
  const std::string file = world.workspace() + "/.envrc";
  auto make = [&] { must_run_shell("echo mine > .envrc", world.user(), world.workspace(), world.environment()); };
  make();
  run(world.command({"/bin/sh", "-c", "echo planted >> .envrc"}));
  const bool control = read_file(file).find("planted") != std::string::npos;
  line.bare = control ? "changed .envrc" : "";
  world.renew();
  Machine machine = look_at_machine();
  // Without O_CREAT: opens that may create the name are refused anyway.
  const std::string text = "change() { dd of=.envrc conv=nocreat,notrunc oflag=append 2> /dev/null; }\n" +
                           std::string(row.text) + "\necho planted | change || echo refused";
  Running running(judged(world, {}, {"/bin/bash", "-c", text}));
  for (int i = 0; i < 3000 && !exists(world.workspace() + "/started"); ++i) ::usleep(10000);
  ::usleep(200000);
  make();
  Ran ran = running.wait(Milliseconds(60000));
  line.boxed = "exit " + std::to_string(ran.exit_code) + " " + one_line(ran.out + ran.err, 60);
  std::string wrong = host_harm(world, machine);
  if (!exists(file)) wrong += "; the user's file is gone";
  if (ran.exit_code != 0 || ran.out.find("refused") == std::string::npos) wrong += "; the command was ended";
  const bool changed = exists(file) && read_file(file) != "mine\n";
  end(line, control, changed ? "; changed: ~home/ws/.envrc" : "", wrong, any_gap({step::kProtectedNew}), world, sheet);
}

constexpr HostFile kHostFiles[] = {
    {"the host makes .envrc while a command makes files",
     ": > started; i=0\n"
     "until [ -s .envrc ] && ! change < /dev/null; do i=$((i+1)); : > made.$i; done; rm -f made.*"},
    {"the host makes .envrc while a command opens one file again and again",
     ": > started\nuntil [ -s .envrc ] && ! change < /dev/null; do echo x > again; done"},
    {"the host makes .envrc while a command waits in open()",
     "mkfifo pipe; (sleep 3; cat < pipe) > /dev/null & : > started; echo x > pipe"},
};

// Nothing is left after each kind of end. The control is that the command itself ran.
void every_end_is_clean(World& world, Lines& sheet) {
  struct End {
    const char* name;
    Texts argv;
    int code;
  };
  for (const End& ending : std::vector<End>{{"success", {"/bin/true"}, 0},
                                            {"failure", {"/bin/sh", "-c", "exit 7"}, 7},
                                            {"a command that is not found", {"/bin/no-such-command"}, 127},
                                            {"a signal", {"/bin/sh", "-c", "kill -SEGV $$"}, 139}}) {
    Line line = line_for(world, 8, std::string("nothing is left after ") + ending.name);
    world.renew();
    Tree before = look_at_tree(world.base());
    Machine machine = look_at_machine();
    Ran bare = ending.code == 127 ? run(world.command({"/bin/sh", "-c", "/bin/no-such-command"}))
                                  : run(world.command(ending.argv));
    line.bare = "exit " + std::to_string(bare.exit_code);
    Ran ran = run(judged(world, {}, ending.argv));
    line.boxed = "exit " + std::to_string(ran.exit_code) + " " + one_line(ran.err, 30);
    std::string wrong = host_harm(world, machine);
    wrong += differences_text(before, look_at_tree(world.base()), {"home/.cache/pinfold", "home/.local/state/pinfold"});
    if (ran.exit_code != ending.code) wrong += "; exit code is not " + std::to_string(ending.code);
    end(line, bare.exit_code == ending.code, "", wrong, always(), world, sheet);
  }
}

void plain_runs_at_once(World& world, Lines& sheet) {
  Line line = line_for(world, 8, "six plain runs at once in one workspace");
  world.renew();
  Tree before = look_at_tree(world.base());
  Machine machine = look_at_machine();
  Texts argv = {"/bin/sh", "-c", "sleep 0.1; echo whole"};
  line.bare = one_line(run(world.command(argv)).out, 20);
  std::vector<std::unique_ptr<Running>> running;
  for (int i = 0; i < 6; ++i) running.push_back(std::make_unique<Running>(judged(world, {}, argv)));
  std::string wrong;
  for (auto& one : running) {
    Ran ran = one->wait(Milliseconds(60000));
    line.boxed += one_line(ran.out, 20) + " ";
    if (ran.out != "whole\n" || ran.exit_code != 0)
      wrong += "; exit " + std::to_string(ran.exit_code) + ": " + one_line(ran.err, 60);
  }
  wrong += host_harm(world, machine);
  wrong += differences_text(before, look_at_tree(world.base()), {"home/.cache/pinfold", "home/.local/state/pinfold"});
  end(line, line.bare == "whole", "", wrong, always(), world, sheet);
}

// Several runs in one workspace, with a placeholder that each of them wants; the short ones must not take it away.
void at_once(World& world, Lines& sheet) {
  Line line = line_for(world, 8, "four runs at once that --protect one new name");
  world.renew();
  Tree before = look_at_tree(world.base());
  Machine machine = look_at_machine();
  Texts plant = {"/bin/sh", "-c", "sleep 0.$0; echo x > precious.txt || exit 3", "4"};
  Ran bare = run(world.command(plant));
  line.bare =
      "exit " + std::to_string(bare.exit_code) + (exists(world.workspace() + "/precious.txt") ? ", made it" : "");
  bool control = fs::remove(world.workspace() + "/precious.txt");
  std::vector<std::unique_ptr<Running>> running;
  for (const char* tenths : {"4", "1", "2", "0"}) {
    plant.back() = tenths;
    running.push_back(std::make_unique<Running>(judged(world, {"--protect", "precious.txt"}, plant)));
  }
  std::string attacked;
  for (auto& one : running) {
    Ran ran = one->wait(Milliseconds(60000));
    line.boxed += "exit " + std::to_string(ran.exit_code) + " ";
    // dash ends with 2 when a redirection fails.
    if (ran.exit_code != 2 && ran.exit_code != 3) attacked += "; not denied: " + one_line(ran.out + ran.err, 60);
  }
  std::string wrong = host_harm(world, machine);
  if (exists(world.workspace() + "/precious.txt")) attacked += "; changed: +home/ws/precious.txt";
  wrong += differences_text(before, look_at_tree(world.base()),
                            {"home/.cache/pinfold", "home/.local/state/pinfold", "home/ws/precious.txt"});
  end(line, control, attacked, wrong, any_gap({step::kProtected, step::kProtectedNew}), world, sheet);
}

// The name that --protect reserves must never be made behind a planted link, not even while the run lasts.
void placeholder_behind_link(World& world, Lines& sheet) {
  Line line = line_for(world, 5, "placeholder behind a planted symlink, while running");
  world.renew();
  must_run_shell("ln -s " + world.home() + " a", world.user(), world.workspace(), world.environment());
  std::string target = world.home() + "/planted";
  Ran bare = run(world.command({world.workspace() + "/probe", "create", world.workspace() + "/a/planted"}));
  line.bare = one_line(bare.out, 60);
  bool control = fs::remove(target);
  Machine machine = look_at_machine();
  bool seen = false;
  Running running(judged(world, {"--protect", "a/planted"}, {"/bin/sleep", "0.3"}));
  while (!running.has_ended()) {  // as long as the run lasts, however slow the machine is
    seen = seen || exists(target);
    ::usleep(1000);
  }
  Ran ran = running.wait(Milliseconds(60000));
  line.boxed = "exit " + std::to_string(ran.exit_code) + " " + one_line(ran.err, 60);
  std::string wrong = host_harm(world, machine);
  if (seen) wrong += "; something appeared in the link's target";
  end(line, control, "", wrong, always(), world, sheet);
}

// kill(-1): everything that can be signalled. Both have a pid namespace around them, with only its own
// processes and a bystander: without a sandbox, the kill would reach all of the user's processes.
void kill_everything(World& world, Lines& sheet) {
  Line line = line_for(world, 11, "kill -9 -1");
  world.renew();
  Machine machine = look_at_machine();
  std::string id = std::to_string(world.user().uid);
  std::string bystander =
      "sleep 20 > /dev/null 2>&1 & \"$@\"; code=$?; kill -0 $! && echo spared $code || echo killed $code";
  Ran ran;
  for (bool inside : {false, true}) {
    Texts killer = {"/bin/sh", "-c", "echo trying; kill -9 -1; sleep 0.1"};
    Command command = inside ? judged(world, {}, killer) : world.command(killer);
    Texts around = {"/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "/usr/bin/setpriv"};
    around.insert(around.end(), {"--reuid", id, "--regid", id, "--clear-groups", "/bin/sh", "-c", bystander, "sh"});
    command.argv.insert(command.argv.begin(), around.begin(), around.end());
    command.as = {"root", 0, 0};
    ran = run(command);
    (inside ? line.boxed : line.bare) = one_line(ran.out + ran.err, 60);
  }
  std::string wrong = host_harm(world, machine);
  if (ran.timed_out) wrong += "; the run never ended";
  bool tried = ran.out.find("trying") != std::string::npos;
  if (!tried || ran.out.find("spared 125") != std::string::npos)
    wrong += "; BUT the attempt did not run, or the supervisor lost the sandbox";
  bool spared = ran.out.find("spared") != std::string::npos;
  end(line, line.bare.find("killed") != std::string::npos, spared ? "" : "; it killed a bystander", wrong,
      any_gap({step::kProcesses}), world, sheet);
}

// Fakes of everything that a sandbox might call for help, first on PATH.
void fakes_on_path(World& world, Lines& sheet) {
  Line line = line_for(world, 19, "fake bwrap, newuidmap, git… first on PATH");
  world.renew();
  must_run_shell(
      "mkdir fake; for name in bwrap newuidmap newgidmap git ip mount umount setpriv unshare systemd-run "
      "cgexec nsenter sudo sh env; do cp evil.sh fake/$name; done",
      world.user(), world.workspace(), world.environment());
  Texts path = {"PATH=" + world.workspace() + "/fake:/usr/bin:/bin"};
  Command bare = world.command({"/usr/bin/env", "bwrap"});
  bare.env[0] = path[0];
  run(bare);
  line.bare = exists(world.home() + "/PWNED") ? "the fake bwrap ran" : "";
  bool control = fs::remove(world.home() + "/PWNED");
  Machine machine = look_at_machine();
  Command command = judged(world, {}, {"/bin/true"});
  command.env[0] = path[0];
  Ran ran = run(command);
  line.boxed = "exit " + std::to_string(ran.exit_code) + " " + one_line(ran.err, 60);
  std::string wrong = host_harm(world, machine);
  if (exists(world.home() + "/PWNED")) wrong += "; a fake was run";
  if (ran.exit_code != 0) wrong += "; the command did not run";
  end(line, control, "", wrong, always(), world, sheet);
}

// `-c` hands its text to one shell, once.
void one_shell_text(World& world, Lines& sheet) {
  for (const char* text :
       {R"sh(printf '%s|' "a b" 'c"d' "$(echo e   f)" \$HOME)sh", "echo one\necho two; false || echo three",
        R"sh(set -- x "y z"; echo $# "$@"; echo '$(touch PWNED)' `echo back`)sh",
        "echo \"$0\" \"$#\"; cat <<'END'\n$HOME `id` \"quoted\"\nEND\n"}) {
    Line line = line_for(world, 28, "one shell text: " + one_line(text, 30));
    world.renew();
    Machine machine = look_at_machine();
    Ran bare = run(world.command({"/bin/sh", "-c", text}));
    line.bare = one_line(bare.out, 60);
    Command command = judged(world, {}, {});
    command.argv.back() = "-c";  // instead of "--"
    command.argv.push_back(text);
    Ran ran = run(command);
    line.boxed = one_line(ran.out + ran.err, 60);
    std::string wrong = host_harm(world, machine);
    if (ran.out != bare.out || ran.exit_code != bare.exit_code) wrong += "; boxed is not like bare";
    if (exists(world.workspace() + "/PWNED")) wrong += "; the text was parsed twice";
    end(line, !bare.out.empty(), "", wrong, always(), world, sheet);
  }
}

}  // namespace

void run_scenarios(World& world, Selection& selection, Lines& sheet) {
  auto wanted = [&](int number, const char* name) { return selection.takes(number, name); };
  const Steps write = absence({step::kWrite});
  const Swap swaps[] = {
      {"swap --write's path while starting",
       "d",
       "documents",
       {"--write", "{ws}/d"},
       {"create", "{ws}/d/planted"},
       write},
      {"swap --read's path while starting",
       "d",
       ".ssh",
       {"--read", "{ws}/d"},
       {"read", "{ws}/d/id_rsa"},
       absence({step::kRead})},
      {"swap a protected directory while starting",
       ".claude",
       "documents",
       {},
       {"create", "{ws}/.claude/planted"},
       write},
      {"swap --protect's parent while starting",
       "d",
       "documents",
       {"--protect", "d/planted"},
       {"create", "{ws}/d/planted"},
       write},
  };
  for (const Swap& swap : swaps) {
    if (wanted(3, swap.name)) swap_while_starting(swap, world, sheet);
  }
  if (wanted(3, "symlink planted between two runs")) swap_between_runs(world, sheet);
  if (wanted(3, "`..` from a directory that the host moved away")) up_from_moved(world, sheet);
  if (wanted(4, "the host makes .claude while a command runs")) host_makes_a_name(world, sheet);
  for (const HostFile& row : kHostFiles)
    if (wanted(4, row.name)) host_makes_a_file(row, world, sheet);
  if (wanted(8, "nothing is left after")) every_end_is_clean(world, sheet);
  if (wanted(8, "six plain runs at once in one workspace")) plain_runs_at_once(world, sheet);
  if (wanted(8, "four runs at once that --protect one new name")) at_once(world, sheet);
  if (wanted(5, "placeholder behind a planted symlink, while running")) placeholder_behind_link(world, sheet);
  if (wanted(11, "kill -9 -1")) kill_everything(world, sheet);
  if (wanted(19, "fake bwrap, newuidmap, git… first on PATH")) fakes_on_path(world, sheet);
  if (wanted(28, "one shell text")) one_shell_text(world, sheet);
}

}  // namespace escape
