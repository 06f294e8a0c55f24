// launcher.cc: fork(), setrlimit(), then posix_spawn() with POSIX_SPAWN_SETEXEC instead of execve():
// POSIX_SPAWN_CLOEXEC_DEFAULT closes every descriptor that the file actions do not name, without a race.
#include "backend/darwin/launcher.h"

#include <fcntl.h>
#include <libproc.h>
#include <mach/mach_time.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <set>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::darwin {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& each : texts) out.push_back(const_cast<char*>(each.c_str()));
  out.push_back(nullptr);
  return out;
}

struct SpawnPlan {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

std::vector<pid_t> list_processes(std::uint32_t type, pid_t of) {
  std::vector<pid_t> pids(4096);
  const int bytes =
      ::proc_listpids(type, static_cast<std::uint32_t>(of), pids.data(), static_cast<int>(pids.size() * sizeof(pid_t)));
  pids.resize(bytes > 0 ? static_cast<std::size_t>(bytes) / sizeof(pid_t) : 0);
  std::erase(pids, 0);
  return pids;
}

}  // namespace

Result<std::string> find_program(const std::string& name, std::string_view path, const std::string& directory) {
  const auto usable = [](const std::string& file) { return ::access(file.c_str(), X_OK) == 0; };
  if (name.find('/') != std::string::npos) {
    std::string whole = name[0] == '/' ? name : paths::normal(paths::join(directory, name));
    if (usable(whole)) return whole;
    path = {};
  }
  while (!path.empty()) {
    const auto colon = path.find(':');
    const std::string_view one = path.substr(0, colon);
    path = colon == std::string_view::npos ? std::string_view() : path.substr(colon + 1);
    if (!one.starts_with("/")) continue;
    if (std::string whole = paths::join(one, name); usable(whole)) return whole;
  }
  return fail(ErrorKind::kNotFound, text::shown(name) + ": command not found", "check the name and PATH");
}

Result<pid_t> start(const StartRequest& wanted) {
  SpawnPlan plan;
  const auto flags = static_cast<short>(POSIX_SPAWN_SETEXEC | POSIX_SPAWN_CLOEXEC_DEFAULT | POSIX_SPAWN_SETSID |
                                        POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&plan.attributes, &none);
  ::posix_spawnattr_setsigdefault(&plan.attributes, &all);
  ::posix_spawnattr_setflags(&plan.attributes, flags);
  for (int i = 0; i < 3; ++i) {
    if (wanted.on_terminal[i])
      ::posix_spawn_file_actions_addopen(&plan.actions, i, wanted.terminal.c_str(), O_RDWR, 0);
    else
      ::posix_spawn_file_actions_adddup2(&plan.actions, wanted.fds[i], i);
  }
  ::posix_spawn_file_actions_addchdir_np(&plan.actions, wanted.directory.c_str());
  const std::vector<char*> argv = pointers(wanted.argv), environment = pointers(wanted.environment);
  int ends[2];
  PF_TRY(made, sys::call("pipe", "start", [&] { return ::pipe2(ends, O_CLOEXEC); }), "starting the command");
  static_cast<void>(made);
  const auto error_reader = sys::Fd::adopt(ends[0]);
  auto error_writer = sys::Fd::adopt(ends[1]);
  PF_TRY(pid, sys::call("fork", "", [] { return ::fork(); }), "starting the command");
  if (pid == 0) {
    int error = 0;
    for (const auto& [resource, limit] : wanted.limits)
      if (::setrlimit(resource, &limit) != 0) error = errno;
    if (error == 0)
      error = ::posix_spawn(nullptr, argv[0], &plan.actions, &plan.attributes, argv.data(), environment.data());
    static_cast<void>(::write(error_writer.raw(), &error, sizeof error));
    ::_exit(127);
  }
  error_writer.reset();
  int error = 0;
  if (::read(error_reader.raw(), &error, sizeof error) == static_cast<ssize_t>(sizeof error)) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return tl::unexpected<Error>(sys::os_error("posix_spawn", wanted.argv[0], error));
  }
  return pid;
}

std::vector<pid_t> tree_of(pid_t leader) {
  std::vector<pid_t> tree = list_processes(PROC_PGRP_ONLY, leader);
  std::set<pid_t> known(tree.begin(), tree.end());
  if (known.insert(leader).second) tree.push_back(leader);
  for (std::size_t i = 0; i < tree.size(); ++i)
    for (const pid_t child : list_processes(PROC_PPID_ONLY, tree[i]))
      if (known.insert(child).second) tree.push_back(child);
  return tree;
}

void signal_tree(pid_t leader, int number) {
  // SIGSTOP first, so that no process forks between listing the tree and SIGKILL.
  std::vector<pid_t> tree = tree_of(leader);
  if (number == SIGKILL)
    for (int turn = 0; turn < 3; ++turn) {
      for (const pid_t each : tree) ::kill(each, SIGSTOP);
      std::vector<pid_t> now = tree_of(leader);
      if (now.size() == tree.size()) break;
      tree = std::move(now);
    }
  ::kill(-leader, number);
  for (const pid_t each : tree) ::kill(each, number);
}

ProcessTreeUsage measure_tree(pid_t leader) {
  ProcessTreeUsage now;
  mach_timebase_info_data_t base{1, 1};  // times are in ticks of the processor
  ::mach_timebase_info(&base);
  for (const pid_t each : tree_of(leader)) {
    rusage_info_v2 info{};
    if (::proc_pid_rusage(each, RUSAGE_INFO_V2, reinterpret_cast<rusage_info_t*>(&info)) != 0) continue;
    now.memory += info.ri_phys_footprint;
    now.cpu_ns += (info.ri_user_time + info.ri_system_time) * base.numer / base.denom;
    ++now.processes;
  }
  return now;
}

}  // namespace pinfold::backend::darwin
