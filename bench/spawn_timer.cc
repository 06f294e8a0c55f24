// spawn_timer.cc: how long each of several commands takes from start to end, measured in turns: A B C A B C …
// Invariant: a number is never the time of an error: a command that fails is counted as "failed", and not timed.
// Not here: budgets (bench/rows.py).
//
//   spawn_timer ROUNDS command arguments… :::N command arguments… ::: …
//   spawn_timer --crowd COUNT ROUNDS command arguments… ::: …
//
// A command after ":::N" has its turn only in every Nth round. With --crowd so many of a command are started at once,
// and each time is from the first start to that one's end. Prints an array with one JSON object per command, in
// microseconds:
// {"failed":…,"count":…,"min":…,"median":…,"p99":…,"mean":…}, and with --crowd "each_second", too.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kWarmUp = 5;  // one, where there are few rounds

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

[[noreturn]] void give_up(const char* what, const char* command, int number) {
  std::fprintf(stderr, "spawn_timer: %s %s: %d\n", what, command, number);
  std::exit(1);
}

struct Timed {
  std::vector<char*> argv;
  int every = 1;
  std::vector<std::uint64_t> times;
  std::vector<double> each_second;
  int failed = 0;
};

pid_t start(char* const* argv, const posix_spawn_file_actions_t& actions) {
  pid_t pid = 0;
  if (const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv, environ); error != 0) {
    give_up("cannot start", argv[0], error);
  }
  return pid;
}

void time_once(Timed& command, bool counts, const posix_spawn_file_actions_t& actions) {
  const std::uint64_t began = now_ns();
  const pid_t pid = start(command.argv.data(), actions);
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) give_up("cannot wait for", command.argv[0], errno);
  const std::uint64_t took = now_ns() - began;
  if (status != 0)
    ++command.failed;
  else if (counts)
    command.times.push_back(took);
}

void time_crowd(Timed& command, int crowd, const posix_spawn_file_actions_t& actions) {
  const std::uint64_t began = now_ns();
  for (int i = 0; i < crowd; ++i) start(command.argv.data(), actions);
  for (int i = 0; i < crowd; ++i) {
    int status = 0;
    if (::waitpid(-1, &status, 0) < 0) give_up("cannot wait for", command.argv[0], errno);
    command.times.push_back(now_ns() - began);
    command.failed += status == 0 ? 0 : 1;
  }
  command.each_second.push_back(crowd * 1e9 / static_cast<double>(command.times.back()));
}

void print(Timed& command, const char* separator) {
  auto& times = command.times;
  if (times.empty()) {
    std::printf("%s{\"failed\":%d,\"count\":0}", separator, command.failed);
    return;
  }
  std::sort(times.begin(), times.end());
  const std::size_t count = times.size();
  double sum = 0;
  for (const auto time : times) sum += static_cast<double>(time);
  const auto at = [&](double part) {
    return static_cast<double>(times[static_cast<std::size_t>(part * static_cast<double>(count - 1))]) / 1000;
  };
  std::printf("%s{\"failed\":%d,\"count\":%zu,\"min\":%.1f,\"median\":%.1f,\"p99\":%.1f,\"mean\":%.1f", separator,
              command.failed, count, at(0), at(0.5), at(0.99), sum / static_cast<double>(count) / 1000);
  if (!command.each_second.empty()) {
    std::sort(command.each_second.begin(), command.each_second.end());
    std::printf(",\"each_second\":%.1f", command.each_second[command.each_second.size() / 2]);
  }
  std::printf("}");
}

}  // namespace

int main(int argc, char** argv) {
  const bool together = argc > 3 && std::strcmp(argv[1], "--crowd") == 0;
  const int crowd = together ? std::atoi(argv[2]) : 0;
  const int first = together ? 3 : 1;
  const int rounds = argc > first + 1 ? std::atoi(argv[first]) : 0;
  if (rounds <= 0 || (together && crowd <= 0)) {
    std::fprintf(stderr, "usage: spawn_timer [--crowd COUNT] ROUNDS command arguments… ::: command arguments…\n");
    return 2;
  }
  std::vector<Timed> commands(1);
  for (int i = first + 1; i < argc; ++i) {
    if (std::strncmp(argv[i], ":::", 3) == 0) {
      commands.emplace_back();
      commands.back().every = std::max(1, std::atoi(argv[i] + 3));
    } else {
      commands.back().argv.push_back(argv[i]);
    }
  }
  for (auto& command : commands) {
    if (command.argv.empty()) give_up("an empty", "command", 0);
    command.argv.push_back(nullptr);
  }

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);

  for (int round = together ? 0 : rounds < 100 ? -1 : -kWarmUp; round < rounds; ++round) {
    for (auto& command : commands) {
      if (round < 0 ? command.every > 1 && round < -1 : round % command.every != 0) continue;
      if (together) {
        time_crowd(command, crowd, actions);
        continue;
      }
      time_once(command, round >= 0, actions);
    }
  }
  for (std::size_t i = 0; i < commands.size(); ++i) print(commands[i], i == 0 ? "[" : ",");
  std::printf("]\n");
  return 0;
}
