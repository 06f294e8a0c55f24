// judge.cc: see judge.h.
#include "judge.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace escape {
namespace {

// The attempt's own answer, wherever its stdout went.
struct Answer {
  bool said = false;
  bool reached = false;
  std::string text;
};

Answer answer_in(const Ran& ran) {
  std::string all = "\n" + ran.out + "\n" + ran.terminal;
  for (const char* word : {"REACHED", "DENIED"}) {
    std::size_t at = all.find(std::string("\n") + word + " ");
    if (at == std::string::npos) continue;
    std::string line = all.substr(at + 1, all.find_first_of("\r\n", at + 1) - at - 1);
    return {true, word[0] == 'R', line};
  }
  return {};
}

std::string summary(const Ran& ran, const Answer& answer) {
  if (answer.said) return one_line(answer.text, 90);
  std::string text = ran.timed_out ? "never ended" : "exit " + std::to_string(ran.exit_code);
  std::string err = ran.err.starts_with("TRYING") ? ran.err.substr(ran.err.find('\n') + 1) : ran.err;
  std::string said = one_line(ran.out, 60) + one_line(err, 100);
  return said.empty() ? text : text + ": " + said;
}

Texts attempt_argv(const Texts& probe, const std::string& shell, const World& world, Risk risk) {
  auto values = world.values();
  if (!shell.empty()) {
    std::string text = fill_in(shell, values);
    return {"/bin/sh", "-c",
            // Not inside the `if`: there, `set -e` would be off.
            "echo TRYING >&2; said=$({ set -e; " + text +
                "\n} 2>&1); code=$?; [ $code = 0 ] && echo \"REACHED $said\" && exit 0; "
                "echo \"DENIED $said\"; exit 1"};
  }
  Texts argv = {world.workspace() + "/probe"};
  if (risk == Risk::kWholeHost) argv.insert(argv.end(), {"--unless-in", values["pid-ns"], values["mnt-ns"]});
  for (const std::string& word : fill_in(probe, values)) argv.push_back(word);
  return argv;
}

void prepare(const Row& row, World& world) {
  world.renew();
  auto values = world.values();
  namespace fs = std::filesystem;
  for (const std::string& name : row.files) {
    std::size_t depth = world.workspace().size();
    fs::path path = fs::path(world.workspace()) / name;
    fs::create_directories(path.parent_path());
    write_file(path.string(), world.secret() + "-odd\n");
    for (fs::path at = path; at.string().size() > depth; at = at.parent_path()) {
      if (::lchown(at.c_str(), world.user().uid, world.user().gid) < 0) give_up("lchown");
    }
  }
  if (!row.prepare.empty()) {
    must_run_shell(fill_in(row.prepare, values), world.user(), world.workspace(), world.environment());
  }
}

void complete(Command& command, const Row& row, const World& world) {
  auto values = world.values();
  for (const std::string& variable : fill_in(row.env, values)) command.env.push_back(variable);
  for (const auto& [number, path] : row.open) command.open.emplace_back(number, fill_in(path, values));
  command.stage = row.stage;
}

void run_after(const Row& row, const World& world) {
  if (row.after.empty()) return;
  run(world.command({"/bin/sh", "-c", fill_in(row.after, world.values())}));
}

std::string outside_files(const Row& row, const World& world) {
  std::string found;
  for (const std::string& path : fill_in(row.outside, world.values())) {
    if (!exists(path)) continue;
    found += " " + path;
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  return found;
}

bool is_absence(const std::string& text) {
  for (const char* name : {"ENOSYS", "ENOENT", "EPROTONOSUPPORT", "EAFNOSUPPORT", "ESOCKTNOSUPPORT"}) {
    if (text.find(name) != std::string::npos) return true;
  }
  return false;
}

std::string join(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

// Runs the control; `cell` becomes what it obtained. Says what is wrong, or nothing.
std::string run_bare(const Row& row, World& world, std::string& cell) {
  prepare(row, world);
  Tree before = look_at_tree(world.base());
  world.canary().forget_hits();
  Command command = world.command(attempt_argv(row.probe, row.shell, world, Risk::kOwnThings));
  complete(command, row, world);
  command.mounts = row.bare_mounts;
  Ran ran = run(command);
  Answer answer = answer_in(ran);
  cell = summary(ran, answer);
  std::string alive = survivors({world.canary().pid()}, Milliseconds(0));
  end_survivors({world.canary().pid()});
  std::string harm = world.canary().harm();
  std::string hits = world.canary().hits();
  Texts changes = differences(before, look_at_tree(world.base()), {"run"});
  std::string outside = outside_files(row, world);
  run_after(row, world);

  bool expected = row.reach == Reach::kBoth || world.user().uid == 0;
  if (!expected) {
    if (answer.said && !answer.reached) {
      cell += " (the kernel: " + row.because + ")";
      return "";
    }
    return answer.reached ? "" : "the control was not tried";
  }
  if (!row.kernel_may_lack.empty() && answer.said && !answer.reached && is_absence(answer.text)) {
    cell += " (this kernel has none)";
    return "";
  }
  if (!answer.reached) return "the control reached nothing";
  switch (row.obtains) {
    case Obtains::kSomething:
      return answer.text.size() > 8 || !row.shell.empty() ? "" : "the control does not say what it reached";
    case Obtains::kSecret:
      return answer.text.find(world.secret()) != std::string::npos ? "" : "the control did not get the secret";
    case Obtains::kChange:
      if (!changes.empty()) cell += " [" + one_line(join(changes), 40) + "]";
      if (!outside.empty()) cell += " [" + outside.substr(1) + "]";
      return !changes.empty() || !outside.empty() ? "" : "the control changed nothing";
    case Obtains::kHarm: cell += " [" + harm + "]"; return !harm.empty() ? "" : "the control did not hurt the canary";
    case Obtains::kConnection:
      cell += " [" + hits + "]";
      return !hits.empty() ? "" : "the control did not reach the listener";
    case Obtains::kExecution:
      cell += exists(world.home() + "/PWNED") ? " [the host ran it]" : "";
      return exists(world.home() + "/PWNED") ? "" : "the host command did not run what was planted";
    case Obtains::kTyped:
      cell += " [" + std::to_string(ran.typed_ahead) + " bytes typed]";
      return ran.typed_ahead > 0 ? "" : "nothing was typed";
    case Obtains::kShown: return ran.terminal.find("planted") != std::string::npos ? "" : "the terminal showed nothing";
    case Obtains::kSurvivor:
      cell += " [" + one_line(alive, 40) + "]";
      return !alive.empty() ? "" : "nothing outlived the command";
  }
  return "unknown kind of control";
}

// Was it tried, and was it stopped in the way the row says?
std::string judge_boxed(const Row& row, const World& world, const Ran& ran, const Answer& answer,
                        const std::string& bare) {
  // The attempt's first line: it may be ended before it can say how it went.
  bool tried = (ran.err + ran.terminal).find("TRYING") != std::string::npos;
  bool refused = !tried && (ran.exit_code == 125 || ran.exit_code == 126);
  if (ran.timed_out) return "the boxed run never ended";
  bool may_see = row.boxed == Boxed::kSame;
  if (!may_see && (ran.out + ran.err + ran.terminal).find(world.secret()) != std::string::npos)
    return "the secret got out";
  switch (row.boxed) {
    case Boxed::kDenied:
      if (!answer.said) return "the attempt did not run";
      return answer.reached ? "reached" : "";
    case Boxed::kHostClean: return tried ? "" : "the attempt did not run";
    case Boxed::kCleanOrRefused: return tried || refused ? "" : "the attempt did not run";
    case Boxed::kRefused: return refused ? "" : "not refused";
    case Boxed::kDeniedOrRefused:
      return refused || (answer.said && !answer.reached) ? "" : "neither denied nor refused";
    case Boxed::kEnded:
      if (!tried) return "the attempt did not run";
      return answer.reached || ran.exit_code == 0 ? "reached" : "";
    case Boxed::kTimedOut:
      if (!tried) return "the attempt did not run";
      return !answer.reached && ran.exit_code == 124 ? "" : "did not end with 124";
    case Boxed::kSame: return answer.said && one_line(answer.text, 90) == bare ? "" : "boxed is not like bare";
  }
  return "unknown expectation";
}

}  // namespace

Command boxed(const World& world, const Texts& flags, const Texts& argv, const std::string& cwd) {
  Texts words = {world.programs().pinfold, "run", "--cwd", cwd.empty() ? world.workspace() : cwd};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back("--");
  words.insert(words.end(), argv.begin(), argv.end());
  return world.command(words);
}

std::string host_harm(World& world, const Machine& before) {
  std::string wrong;
  std::string alive = survivors({world.canary().pid()}, Milliseconds(2000));
  if (!alive.empty()) wrong += "; survivors:" + alive;
  end_survivors({world.canary().pid()});
  std::string harm = world.canary().harm();
  if (!harm.empty()) wrong += "; " + harm;
  std::string hits = world.canary().hits();
  if (!hits.empty()) wrong += "; the canary was reached: " + hits;
  std::string left = left_behind(before);
  if (!left.empty()) {
    wrong += "; left behind:" + left;
    remove_left_cgroups(before);
  }
  return wrong;
}

Line judge(const Row& row, World& world) {
  Line line{row.number, row.name, world.user().name, "", "", "", false};
  std::string wrong;
  try {
    wrong = run_bare(row, world, line.bare);
    std::string bare_text = line.bare;
    prepare(row, world);
    Tree before = look_at_tree(world.base());
    Machine machine = look_at_machine();
    world.canary().forget_hits();
    auto values = world.values();
    Command command =
        boxed(world, fill_in(row.flags, values),
              attempt_argv(row.boxed_probe.empty() ? row.probe : row.boxed_probe, row.shell, world, row.risk),
              fill_in(row.cwd, values));
    complete(command, row, world);
    Ran ran = run(command);
    Answer answer = answer_in(ran);
    line.boxed = summary(ran, answer);
    std::string harm = judge_boxed(row, world, ran, answer, bare_text);
    std::string host = host_harm(world, machine);
    Texts allowed = fill_in(row.may_leave, values);
    // The documented private cache, and the directory it lies in.
    allowed.push_back("home/.cache/pinfold");
    allowed.push_back("run");
    Texts changes = differences(before, look_at_tree(world.base()), allowed);
    if (!changes.empty()) host += "; changed: " + one_line(join(changes), 100);
    std::string outside = outside_files(row, world);
    if (!outside.empty()) host += "; made:" + outside;
    if (row.check) {
      std::string more = row.check(world, ran);
      if (!more.empty()) host += "; " + more;
    }
    run_after(row, world);
    if (exists(world.home() + "/PWNED")) host += "; the host ran what was planted";
    line.host = host.empty() ? "clean" : host.substr(2);
    if (!harm.empty()) wrong += (wrong.empty() ? "" : "; ") + harm;
    line.passed = wrong.empty() && host.empty();
    if (line.bare.empty()) line.passed = false;
  } catch (const std::exception& error) {
    wrong = std::string("the suite itself: ") + error.what();
    line.passed = false;
  }
  if (!wrong.empty()) line.host += (line.host.empty() ? "" : "; ") + ("BUT " + wrong);
  return line;
}

void Sheet::add(const Line& line) {
  std::printf("%-4s %2d  %-52s %-4s | %-60s | %-44s | %s\n", line.passed ? "ok" : "FAIL", line.number,
              line.name.substr(0, 52).c_str(), line.user.c_str(), one_line(line.bare, 60).c_str(),
              one_line(line.boxed, 44).c_str(), line.host.c_str());
  std::fflush(stdout);
  (line.passed ? passed_ : failed_)++;
  if (!line.passed) failures_.push_back(line);
}

void Sheet::close() const {
  if (!failures_.empty()) std::printf("\nFailed:\n");
  for (const Line& line : failures_) {
    std::printf("  row %d, %s, as %s\n    bare:  %s\n    boxed: %s\n    host:  %s\n", line.number, line.name.c_str(),
                line.user.c_str(), line.bare.c_str(), line.boxed.c_str(), line.host.c_str());
  }
  std::printf("%d passed, %d failed\n", passed_, failed_);
}

}  // namespace escape
