// spawn_timer.cc: how long each of several commands takes from start to end, measured in turns: A B C A B C …
// Invariant: a command that fails even once makes the whole measurement fail; a number is never the time of an error.
// Not here: what the numbers mean (bench/run).
//
//   spawn_timer ROUNDS command arguments… ::: command arguments… ::: …
//
// Prints one JSON object per command: {"min":…,"median":…,"p99":…,"mean":…} in microseconds, in an array.
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

constexpr int kWarmUp = 5;

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

[[noreturn]] void give_up(const char* what, const char* command, int number) {
  std::fprintf(stderr, "spawn_timer: %s %s: %d\n", what, command, number);
  std::exit(1);
}

std::uint64_t time_once(char* const* argv, const posix_spawn_file_actions_t& actions) {
  const std::uint64_t began = now_ns();
  pid_t pid = 0;
  if (const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv, environ); error != 0) {
    give_up("cannot start", argv[0], error);
  }
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) give_up("cannot wait for", argv[0], errno);
  const std::uint64_t took = now_ns() - began;
  if (status != 0) give_up("failed:", argv[0], status);
  return took;
}

void print(std::vector<std::uint64_t>& times, const char* separator) {
  std::sort(times.begin(), times.end());
  const std::size_t count = times.size();
  double sum = 0;
  for (const auto time : times) sum += static_cast<double>(time);
  const auto at = [&](double part) {
    return static_cast<double>(times[static_cast<std::size_t>(part * static_cast<double>(count - 1))]) / 1000;
  };
  std::printf("%s{\"min\":%.1f,\"median\":%.1f,\"p99\":%.1f,\"mean\":%.1f}", separator, at(0), at(0.5), at(0.99),
              sum / static_cast<double>(count) / 1000);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 2 ? std::atoi(argv[1]) : 0;
  if (rounds <= 0) {
    std::fprintf(stderr, "usage: spawn_timer ROUNDS command arguments… ::: command arguments…\n");
    return 2;
  }
  std::vector<std::vector<char*>> commands(1);
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], ":::") == 0) {
      commands.emplace_back();
    } else {
      commands.back().push_back(argv[i]);
    }
  }
  for (auto& command : commands) {
    if (command.empty()) give_up("an empty", "command", 0);
    command.push_back(nullptr);
  }

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);

  std::vector<std::vector<std::uint64_t>> times(commands.size());
  for (int round = -kWarmUp; round < rounds; ++round) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const std::uint64_t took = time_once(commands[i].data(), actions);
      if (round >= 0) times[i].push_back(took);
    }
  }
  for (std::size_t i = 0; i < times.size(); ++i) print(times[i], i == 0 ? "[" : ",");
  std::printf("]\n");
  return 0;
}
