// judge.cc: see judge.h.
#include "judge.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "steps.h"

namespace escape {
namespace {

// What the probe says when it found itself unconfined.
constexpr const char* kNotTried = "; the rest was not tried";

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

Texts attempt_argv(const Row& row, const Texts& probe, const World& world, Risk risk) {
  auto values = world.values();
  if (!row.shell.empty()) {
    std::string text = fill_in(row.shell, values);
    return {"/bin/sh", "-c",
            // Not inside the `if`: there, `set -e` would be off.
            "echo TRYING >&2; said=$({ set -e; " + text +
                "\n} 2>&1); code=$?; [ $code = 0 ] && echo \"REACHED $said\" && exit 0; "
                "echo \"DENIED $said\"; exit 1"};
  }
  Texts argv = {fill_in(row.program, values)};
  if (risk != Risk::kOwnThings && world.backend().guard == Guard::kNamespaces)
    argv.insert(argv.end(), {"--unless-in", values["pid-ns"], values["mnt-ns"]});
  if (risk != Risk::kOwnThings && world.backend().guard == Guard::kSyscallFilter)
    argv.insert(argv.end(), {"--unless-reads", world.home() + "/.ssh/id_rsa", "-"});
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

// Which there are; they are removed.
Texts outside_files(const Row& row, const World& world) {
  Texts found;
  for (const std::string& path : fill_in(row.outside, world.values())) {
    if (!exists(path)) continue;
    found.push_back(path);
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

// Runs the control; sets `cell` to its output and `effects` to its changes. Returns the error, or nothing.
std::string run_bare(const Row& row, World& world, std::string& cell, Effects& effects) {
  prepare(row, world);
  Tree before = look_at_tree(world.base());
  world.canary().forget_hits();
  Command command = world.command(attempt_argv(row, row.probe, world, Risk::kOwnThings));
  complete(command, row, world);
  command.mounts = row.bare_mounts;
  Ran ran = run(command);
  Answer answer = answer_in(ran);
  cell = summary(ran, answer);
  effects = traces(world, nullptr);
  effects.changes = differences(before, look_at_tree(world.base()), {"run"});
  effects.outside = outside_files(row, world);
  run_after(row, world);
  effects.executed = exists(world.home() + "/PWNED");

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
      return answer.text.size() > 8 || !row.shell.empty() ? "" : "the control does not print its result";
    case Obtains::kSecret:
      return answer.text.find(world.secret()) != std::string::npos ? "" : "the control did not get the secret";
    case Obtains::kChange:
      if (!effects.changes.empty()) cell += " [" + one_line(joined(effects.changes), 40) + "]";
      if (!effects.outside.empty()) cell += " [" + joined(effects.outside) + "]";
      return !effects.changes.empty() || !effects.outside.empty() ? "" : "the control changed nothing";
    case Obtains::kHarm:
      cell += " [" + effects.harm + "]";
      return !effects.harm.empty() ? "" : "the control did not hurt the canary";
    case Obtains::kConnection:
      cell += " [" + effects.hits + "]";
      return !effects.hits.empty() ? "" : "the control did not reach the listener";
    case Obtains::kExecution:
      cell += effects.executed ? " [the host ran it]" : "";
      return effects.executed ? "" : "the host command did not run the planted program";
    case Obtains::kTyped:
      cell += " [" + std::to_string(ran.typed_ahead) + " bytes typed]";
      return ran.typed_ahead > 0 ? "" : "nothing was typed";
    case Obtains::kShown: return ran.terminal.find("planted") != std::string::npos ? "" : "the terminal showed nothing";
    case Obtains::kSurvivor:
      cell += " [" + one_line(effects.survivors, 40) + "]";
      return !effects.survivors.empty() ? "" : "nothing outlived the command";
  }
  return "unknown kind of control";
}

// The attempt's first line: it may be ended before it can say how it went.
bool was_tried(const Ran& ran) { return (ran.err + ran.terminal).find("TRYING") != std::string::npos; }

// Was it tried, and was it stopped in the way the row says?
std::string judge_boxed(const Row& row, const World& world, const Ran& ran, const Answer& answer,
                        const std::string& bare) {
  bool tried = was_tried(ran);
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

// "system-calls is partial", or nothing if coverage calls all of them enforced.
std::string not_enforced(const Steps& steps, const Coverage& coverage) {
  for (const Texts* names : {&steps.any_gap, &steps.absence}) {
    for (const std::string& name : *names) {
      if (name == kAlways) continue;
      auto row = coverage.find(name);
      // A limit that is not set is no step of the plan.
      if (row != coverage.end() && row->second.strength != "enforced") return name + " is " + row->second.strength;
    }
  }
  return coverage.empty() ? "coverage is unknown" : "";
}

// The boxed attempt of a row. If it could damage the host and coverage reports a gap in one of its steps, the control's
// own attempt on the canary replaces it, which was harmless bare. (Not in a mount namespace of its own.)
struct Form {
  const Texts* probe;
  Risk risk;
  std::string left;  // why it is not tried at all
};

Form form_of(const Row& row, const World& world, const Texts& flags, const std::string& cwd) {
  Form whole{row.boxed_probe.empty() ? &row.probe : &row.boxed_probe, row.risk, ""};
  if (row.risk == Risk::kOwnThings) return whole;
  Coverage coverage = ask_coverage(world, flags, cwd);
  if (row.risk == Risk::kSupervisor) {
    // Where nothing at all is enforced, there is no sandbox between the attempt and the suite.
    whole.left =
        explanation({.absence = row.steps.any_gap}, coverage) + explanation({.absence = row.steps.absence}, coverage);
    return whole;
  }
  std::string gap = not_enforced(row.steps, coverage);
  if (gap.empty()) return whole;
  return {&row.probe, Risk::kOwnThings, row.bare_mounts == Mounts::kOwn ? gap : ""};
}

Effects effects_of_boxed(const Row& row, World& world, const Tree& before, const Machine& machine) {
  Effects effects = traces(world, &machine);
  Texts allowed = fill_in(row.may_leave, world.values());
  // The documented private cache and journal, and the directory it lies in.
  allowed.insert(allowed.end(), {"home/.cache/pinfold", "home/.local/state/pinfold", "run"});
  effects.changes = differences(before, look_at_tree(world.base()), allowed);
  effects.outside = outside_files(row, world);
  return effects;
}

void try_row(const Row& row, World& world, Line& line) {
  Findings findings;
  findings.control = faults(row.steps);
  Effects bare;
  std::string control = run_bare(row, world, line.bare, bare);
  if (findings.control.empty()) findings.control = control;
  std::string bare_text = line.bare;
  prepare(row, world);
  auto values = world.values();
  Texts flags = fill_in(row.flags, values);
  std::string cwd = fill_in(row.cwd, values);
  Form form = form_of(row, world, flags, cwd);
  if (!form.left.empty()) {
    line.boxed = "not tried";
    line.because = form.left;
    bool left = findings.control.empty() && world.backend().tolerance == Tolerance::kKnownGaps;
    line.outcome = left ? Outcome::kNotTried : Outcome::kFailed;
    line.host = left ? "not touched" : "BUT not tried: " + form.left + "; " + findings.control;
    return;
  }
  Tree before = look_at_tree(world.base());
  Machine machine = look_at_machine();
  world.canary().forget_hits();
  Command command = judged(world, flags, attempt_argv(row, *form.probe, world, form.risk), cwd);
  complete(command, row, world);
  Ran ran = run(command);
  Answer answer = answer_in(ran);
  line.boxed = summary(ran, answer);
  bool guarded = answer.text.find(kNotTried) != std::string::npos;
  bool tried = (was_tried(ran) && !guarded) || row.boxed == Boxed::kRefused;
  (tried ? findings.through : findings.untried) = judge_boxed(row, world, ran, answer, bare_text);
  Effects effects = effects_of_boxed(row, world, before, machine);
  if (row.check) {
    std::string more = row.check(world, ran);
    if (!more.empty()) findings.attacked += "; " + more;
  }
  run_after(row, world);
  effects.executed = exists(world.home() + "/PWNED");
  Effects rest = beyond(effects, bare);
  findings.beyond = in_words(rest);
  findings.attacked += in_words(beyond(effects, rest));
  auto own = std::find(flags.begin(), flags.end(), "--report");
  Coverage coverage = coverage_in(own != flags.end() ? own[1] : world.report());
  // An attempt that ends the supervisor leaves no report; its content was known before.
  if (coverage.empty() && !(findings.through + findings.attacked).empty()) coverage = ask_coverage(world, flags, cwd);
  conclude(line, findings, row.steps, coverage, world);
}

}  // namespace

Command boxed(const World& world, const Texts& flags, const Texts& argv, const std::string& cwd) {
  Texts words = {world.programs().pinfold, "run", "--cwd", cwd.empty() ? world.workspace() : cwd};
  words.insert(words.end(), world.backend().flags.begin(), world.backend().flags.end());
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back("--");
  words.insert(words.end(), argv.begin(), argv.end());
  return world.command(words);
}

Command judged(const World& world, const Texts& flags, const Texts& argv, const std::string& cwd) {
  std::filesystem::remove(world.report());
  Texts all = flags;
  if (std::find(flags.begin(), flags.end(), "--report") == flags.end()) {
    all.insert(all.end(), {"--report", world.report()});
  }
  return boxed(world, all, argv, cwd);
}

Coverage ask_coverage(const World& world, const Texts& flags, const std::string& cwd) {
  run(judged(world, flags, {"/bin/true"}, cwd));
  return coverage_in(world.report());
}

void conclude(Line& line, const Findings& findings, const Steps& steps, const Coverage& coverage, const World& world) {
  Verdict verdict = verdict_of(findings, steps, coverage, world.backend().tolerance);
  line.outcome = verdict.outcome;
  line.because = verdict.because;
  std::string host = findings.attacked + findings.beyond;
  line.host = host.empty() ? "clean" : host.substr(2);
  std::string wrong;
  for (const std::string& one : {findings.control, findings.untried, findings.through}) {
    if (!one.empty()) wrong += (wrong.empty() ? "; BUT " : "; ") + one;
  }
  line.host += wrong;
  if (line.bare.empty()) line.outcome = Outcome::kFailed;
}

std::string host_harm(World& world, const Machine& before) { return in_words(traces(world, &before)); }

Line judge(const Row& row, World& world) {
  Line line{.number = row.number, .name = row.name, .user = world.user().name};
  try {
    try_row(row, world, line);
  } catch (const std::exception& error) {
    line.outcome = Outcome::kFailed;
    line.host += (line.host.empty() ? "" : "; ") + ("BUT the suite itself: " + std::string(error.what()));
  }
  return line;
}

}  // namespace escape
