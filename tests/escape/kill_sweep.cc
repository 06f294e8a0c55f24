// kill_sweep.cc: `kill_sweep --pinfold PATH [--backend NAME] [--kills N] [--user root|user|both]`: rows 8 and 17.
// Kills the supervisor at moments spread evenly over its measured start and run, as root and as an ordinary user, and
// looks for survivors, mounts, cgroups and files after it.
// Invariant: every kill is followed by a look at the processes; every series by a look at everything.
// Not here: kills from inside (table_kernel.cc).
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "host.h"
#include "judge.h"
#include "world.h"

namespace escape {
namespace {

using Microseconds = std::chrono::microseconds;

constexpr Milliseconds kPatience(60000);  // for events that must come, on a busy machine

struct Series {
  const char* name;
  Texts flags;
  Texts placeholders;  // names in the workspace that the next run may have to remove
  int kills;
  bool neighbour;  // another run in the same workspace must not notice
};

void sleep_until(std::chrono::steady_clock::time_point when) {
  auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(when - std::chrono::steady_clock::now()).count();
  if (left <= 0) return;
  timespec nap{left / 1000000000, left % 1000000000};
  ::nanosleep(&nap, nullptr);
}

Microseconds median_start(const World& world, const Texts& flags) {
  std::vector<Microseconds> times;
  for (int i = 0; i < 15; ++i) {
    auto from = std::chrono::steady_clock::now();
    Ran ran = run(boxed(world, flags, {"/bin/true"}));
    if (ran.exit_code != 0)
      give_up("pinfold run true gave " + std::to_string(ran.exit_code) + ": " + one_line(ran.err, 200));
    times.push_back(std::chrono::duration_cast<Microseconds>(std::chrono::steady_clock::now() - from));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// The errors after one kill, or nothing.
std::string after_kill(World& world, const Series& series, int& needed_next_run) {
  std::string wrong;
  std::string alive = survivors({world.canary().pid()}, kPatience);
  if (!alive.empty()) wrong += "; survivors:" + alive;
  end_survivors({world.canary().pid()});
  for (const std::string& name : series.placeholders) {
    std::string path = world.workspace() + "/" + name;
    for (int i = 0; i < 100 && exists(path); ++i) ::usleep(10000);
    if (!exists(path)) continue;
    ++needed_next_run;
    // Perhaps the next run knows it only when it asks for the same name.
    for (const Texts& flags : {Texts{}, series.flags}) run(boxed(world, flags, {"/bin/true"}));
    if (exists(path)) wrong += "; the next run did not remove " + name;
  }
  return wrong;
}

void sweep(World& world, const Series& series, Sheet& sheet) {
  Line line{.number = 17, .name = series.name, .user = world.user().name};
  world.renew();
  Microseconds start = median_start(world, series.flags);
  Microseconds span = start + Microseconds(30000);
  line.bare = "pinfold run true takes " + std::to_string(start.count()) + " us";
  Tree tree = look_at_tree(world.base());
  Machine machine = look_at_machine();
  Texts argv = {"/bin/sh", "-c", "echo started; sleep 1000"};
  int before_command = 0;
  int needed_next_run = 0;
  std::string wrong;
  for (int i = 0; i < series.kills && wrong.empty(); ++i) {
    std::unique_ptr<Running> neighbour;
    if (series.neighbour) {
      neighbour = std::make_unique<Running>(boxed(world, series.flags, {"/bin/sh", "-c", "sleep 0.05; echo whole"}));
    }
    auto from = std::chrono::steady_clock::now();
    Running running(boxed(world, series.flags, argv));
    // On a busy machine the measured start says little: the last kill waits for the command itself.
    if (i + 1 < series.kills)
      sleep_until(from + span * i / series.kills);
    else if (!running.wait_for("started", kPatience))
      wrong += "; waited " + std::to_string(kPatience.count()) + " ms for the command to start";
    running.kill(SIGKILL);
    Ran ran = running.wait(kPatience);
    if (ran.out.find("started") == std::string::npos) ++before_command;
    if (neighbour) {
      Ran other = neighbour->wait(kPatience);
      if (other.exit_code != 0 || other.out != "whole\n") {
        wrong += "; the neighbour ended with " + std::to_string(other.exit_code) + ": " +
                 one_line(other.out + other.err, 80);
      }
    }
    wrong += after_kill(world, series, needed_next_run);
    if (i % 20 == 19 || i + 1 == series.kills || !wrong.empty()) {
      wrong += differences_text(tree, look_at_tree(world.base()),
                                {"home/.cache/pinfold", "home/.local/state/pinfold", "run"});
      std::string left = left_behind(machine);
      if (!left.empty()) wrong += "; left behind:" + left;
    }
    if (!wrong.empty()) {
      wrong +=
          " (kill " + std::to_string(i + 1) + " after " + std::to_string((span * i / series.kills).count()) + " us)";
    }
  }
  std::string named = processes_that_name(world.base(), {world.canary().pid()});
  if (!named.empty()) wrong += "; still named by" + named;
  std::string harm = host_harm(world, machine);
  wrong += harm;
  line.boxed = std::to_string(series.kills) + " kills, " + std::to_string(before_command) + " before the command";
  if (needed_next_run > 0) line.boxed += ", " + std::to_string(needed_next_run) + " tidied by the next run";
  line.host = wrong.empty() ? "clean" : wrong.substr(2);
  // A sweep that never met the start, or never the run, proves nothing.
  bool spread = before_command > 0 && before_command < series.kills;
  if (wrong.empty() && !spread) line.host = "BUT the kills did not meet both start and run";
  line.outcome = wrong.empty() && spread ? Outcome::kPassed : Outcome::kFailed;
  sheet.add(line);
}

}  // namespace
}  // namespace escape

int main(int argc, char** argv) {
  using namespace escape;
  std::string pinfold;
  std::string who = "both";
  std::optional<Backend> backend = backend_called("native");
  int kills = 300;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string flag = argv[i];
    if (flag == "--pinfold") pinfold = std::filesystem::absolute(argv[i + 1]).string();
    if (flag == "--user") who = argv[i + 1];
    if (flag == "--backend") backend = backend_called(argv[i + 1]);
    if (flag == "--kills") kills = std::stoi(argv[i + 1]);
  }
  if (pinfold.empty() || !backend || ::geteuid() != 0) {
    std::fputs(
        "usage (as root): kill_sweep --pinfold PATH [--backend native|bubblewrap|landlock] [--kills N] "
        "[--user root|user|both]\n",
        stderr);
    return 2;
  }
  try {
    std::string here = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
    Programs programs{pinfold, here + "/escape_probe", here + "/escape_privileged", here + "/escape_canary"};
    own_mounts();
    adopt_orphans();
    Sheet sheet;
    for (const User& user : {User{"root", 0, 0}, User{"user", 12345, 12345}}) {
      if (who != "both" && who != user.name) continue;
      World world(programs, user, "/home", *backend);
      sweep(world, {"kill the supervisor", {}, {}, kills, false}, sheet);
      sweep(world,
            {"kill it with limits", {"--memory", "64M", "--processes", "32", "--timeout", "20s"}, {}, kills / 2, false},
            sheet);
      sweep(world, {"kill it with a placeholder", {"--protect", "precious.txt"}, {"precious.txt"}, kills / 2, false},
            sheet);
      sweep(world, {"kill it beside another run", {}, {}, kills / 10, true}, sheet);
      sweep(world,
            {"kill it beside another with the same placeholder",
             {"--protect", "precious.txt"},
             {"precious.txt"},
             kills / 10,
             true},
            sheet);
    }
    sheet.close();
    return sheet.good() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kill_sweep: %s\n", error.what());
    return 1;
  }
}
