// process_starter.cc: pipes, fork, exec, pidfd.
#include "mcp/process_starter.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/try.h"
#include "sys/call.h"
#include "sys/uninterrupted.h"

namespace pinfold::mcp {
namespace {

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return std::string("was killed by SIG") + ::sigabbrev_np(WTERMSIG(status));
  return "exited with " + std::to_string(WEXITSTATUS(status));
}

class Process : public ServerProcess {
 public:
  Process(sys::EventLoop& loop, pid_t pid, sys::Fd pidfd, Streams streams)
      : loop_(loop), pid_(pid), pidfd_(std::move(pidfd)), streams_(std::move(streams)) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() override {
    loop_.remove(pidfd_.raw());
    if (reaped_) return;
    kill();
    ::waitpid(pid_, nullptr, 0);
  }
  Streams take_streams() override { return std::move(streams_); }
  void terminate() override { ::kill(-pid_, SIGTERM); }
  void kill() override { ::kill(-pid_, SIGKILL); }

  Result<void> watch(std::function<void(const std::string&)> ended) {
    return loop_.add(pidfd_.raw(), sys::EventLoop::Interest::kRead, [this, ended = std::move(ended)] {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) != pid_) return;
      reaped_ = true;
      loop_.remove(pidfd_.raw());
      ended(how_it_ended(status));
    });
  }

 private:
  sys::EventLoop& loop_;
  pid_t pid_;
  sys::Fd pidfd_;
  Streams streams_;
  bool reaped_ = false;
};

struct Pipe {
  sys::Fd read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  PF_TRY(done, sys::call("pipe2", "", [&] { return ::pipe2(ends.data(), O_CLOEXEC); }));
  static_cast<void>(done);
  return Pipe{sys::Fd::adopt(ends[0]), sys::Fd::adopt(ends[1])};
}

}  // namespace

Result<std::unique_ptr<ServerProcess>> ProcessStarter::start(std::function<void(const std::string& how)> ended) {
  PF_TRY(input, make_pipe(), "starting a server");
  PF_TRY(output, make_pipe(), "starting a server");
  PF_TRY(errors, make_pipe(), "starting a server");
  std::vector<char*> argv;
  for (std::string& each : argv_) argv.push_back(each.data());
  argv.push_back(nullptr);
  PF_TRY(pid, sys::call("fork", "", [] { return ::fork(); }), "starting a server");
  if (pid == 0) {
    ::setpgid(0, 0);  // so that kill() also reaches its child processes
    const auto put = [](const sys::Fd& fd, int at) {
      return sys::uninterrupted([&] { return ::dup2(fd.raw(), at); }) == at;
    };
    if (put(input.read, 0) && put(output.write, 1) && put(errors.write, 2)) ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ::setpgid(pid, pid);
  const auto open_pidfd = [&] { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); };
  PF_TRY(pidfd, sys::call_fd("pidfd_open", "", open_pidfd), "starting a server");
  auto process = std::make_unique<Process>(
      loop_, pid, std::move(pidfd), Streams{std::move(input.write), std::move(output.read), std::move(errors.read)});
  PF_CHECK(process->watch(std::move(ended)), "starting a server");
  return process;
}

}  // namespace pinfold::mcp
