// session_timer.cc: through the library, in one process: a command in a session, and in a sandbox of its own, beside a
// bare fork and exec, measured in turns.
// Invariant: a command that fails even once makes the whole measurement fail. Not here: budgets
// (bench/rows.py).
//
//   session_timer ROUNDS PROGRAM      prints {"bare": µs, "session": µs, "run": µs}, medians
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "pinfold/run.h"

namespace {

using Clock = std::chrono::steady_clock;

double bare(const char* program) {
  const auto began = Clock::now();
  pid_t pid = 0;
  char* const argv[] = {const_cast<char*>(program), nullptr};
  int status = -1;
  if (::posix_spawn(&pid, program, nullptr, nullptr, argv, environ) != 0 || ::waitpid(pid, &status, 0) != pid ||
      status != 0)
    std::exit(1);
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

template <typename Run>
double boxed(const Run& run) {
  const auto began = Clock::now();
  const auto ran = run();
  if (!ran || pinfold::exit_code(ran->report.outcome) != 0) std::exit(1);
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

double median(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto caller = pinfold::find_caller();
  const auto runner = pinfold::Runner::create();
  if (!caller || !runner) return 1;
  pinfold::PolicyBuilder builder("moderate", *caller, {pinfold::Source::kApi, "bench"});
  auto policy = std::move(builder).build();
  if (!policy) return 1;
  auto session = runner->start(*policy);
  if (!session) return std::fprintf(stderr, "%s\n", session.error().text().c_str()), 1;
  pinfold::Command command;
  command.argv = {argv[2]};
  std::vector<double> alone;
  std::vector<double> inside;
  std::vector<double> anew;
  for (int round = -5; round < std::atoi(argv[1]); ++round) {
    const double first = bare(argv[2]);
    const double second = boxed([&] { return session->run(command); });
    const double third = boxed([&] { return runner->run(*policy, command); });
    if (round < 0) continue;  // warm-up
    alone.push_back(first);
    inside.push_back(second);
    anew.push_back(third);
  }
  std::printf("{\"bare\":%.1f,\"session\":%.1f,\"run\":%.1f}\n", median(alone), median(inside), median(anew));
  return 0;
}
