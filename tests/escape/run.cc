// run.cc: runs one command as root or as an ordinary user, on pipes or on a pty, bounded in time.
// Invariant: the command is in a session of its own and is killed, group and all, when patience is over.
// Not here: judging its output.
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "support.h"

namespace escape {
namespace {

constexpr std::size_t kKeep = 256 * 1024;

void append_bounded(std::string& kept, const char* bytes, std::size_t size) {
  if (kept.size() < kKeep) kept.append(bytes, std::min(size, kKeep - kept.size()));
}

[[noreturn]] void child_gives_up(const char* what) {
  std::string text = std::string("cannot start the command: ") + what + ": " + std::to_string(errno) + "\n";
  if (::write(2, text.data(), text.size()) < 0) ::_exit(99);
  ::_exit(99);
}

void become(const User& user) {
  if (::getuid() == user.uid) return;
  if (::setgroups(0, nullptr) < 0) child_gives_up("setgroups");
  if (::setresgid(user.gid, user.gid, user.gid) < 0) child_gives_up("setresgid");
  if (::setresuid(user.uid, user.uid, user.uid) < 0) child_gives_up("setresuid");
}

// As root, plainly; as a user, with a user namespace in which it is root, because exec would drop the rights otherwise.
void take_own_mounts(const User& user, const std::string& scratch) {
  if (user.uid == 0) {
    if (::unshare(CLONE_NEWNS) < 0) child_gives_up("unshare");
  } else {
    // Having changed its user, it is not dumpable, and its files in /proc belong to root.
    ::prctl(PR_SET_DUMPABLE, 1);
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) child_gives_up("unshare");
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", "0 " + std::to_string(user.uid) + " 1");
    write_file("/proc/self/gid_map", "0 " + std::to_string(user.gid) + " 1");
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0) child_gives_up("making mounts private");
  if (::mount("none", scratch.c_str(), "tmpfs", 0, nullptr) < 0) child_gives_up("mounting a tmpfs");
}

struct Pty {
  int master = -1;
  int slave = -1;
  std::string name;
};

Pty open_pty(const User& user) {
  Pty pty;
  pty.master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (pty.master < 0 || ::grantpt(pty.master) < 0 || ::unlockpt(pty.master) < 0) give_up("posix_openpt");
  char name[64];
  if (::ptsname_r(pty.master, name, sizeof name) != 0) give_up("ptsname");
  pty.name = name;
  pty.slave = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (pty.slave < 0) give_up("opening the pty");
  // As login does.
  if (::fchown(pty.slave, user.uid, user.gid) < 0) give_up("fchown");
  termios settings{};
  ::tcgetattr(pty.slave, &settings);
  ::cfmakeraw(&settings);  // so that FIONREAD counts single bytes
  ::tcsetattr(pty.slave, TCSANOW, &settings);
  winsize size{24, 80, 0, 0};
  ::ioctl(pty.slave, TIOCSWINSZ, &size);
  return pty;
}

[[noreturn]] void start(const Command& command, const Pty& pty, int out, int err) {
  ::setsid();
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (pty.slave >= 0 && ::ioctl(pty.slave, TIOCSCTTY, 0) < 0) child_gives_up("TIOCSCTTY");
  bool terminal = command.stage == Stage::kTerminal;
  ::dup2(terminal ? pty.slave : null, 0);
  ::dup2(terminal ? pty.slave : out, 1);
  ::dup2(terminal ? pty.slave : err, 2);
  // The suite's own descriptors are close-on-exec; those that were asked for are not. As the user: it must be able to.
  become(command.as);
  for (const auto& [number, path] : command.open) {
    int fd = ::open(path.c_str(), O_RDONLY);
    if (fd < 0 || (fd != number && ::dup2(fd, number) < 0)) child_gives_up("opening a descriptor");
    if (fd != number) ::close(fd);
  }
  if (command.mounts == Mounts::kOwn) take_own_mounts(command.as, command.scratch_mount);
  if (::chdir(command.cwd.c_str()) < 0) child_gives_up("chdir");
  ::signal(SIGPIPE, SIG_DFL);
  Texts words = fill_in(command.argv, {{"pts", pty.name}});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Texts variables = command.env;
  std::vector<char*> env;
  for (std::string& variable : variables) env.push_back(variable.data());
  env.push_back(nullptr);
  ::execve(argv[0], argv.data(), env.data());
  child_gives_up("execve");
}

}  // namespace

Running::Running(const Command& command) : started_(std::chrono::steady_clock::now()) {
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) < 0 || ::pipe2(err, O_CLOEXEC) < 0) give_up("pipe2");
  Pty pty;
  if (command.stage != Stage::kPipes) pty = open_pty(command.as);
  pid_ = ::fork();
  if (pid_ < 0) give_up("fork");
  if (pid_ == 0) {
    try {
      start(command, pty, out[1], err[1]);
    } catch (const std::exception& error) {
      child_gives_up(error.what());
    }
  }
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
  master_ = pty.master;
  slave_ = pty.slave;
  for (int fd : {out_, err_, master_}) {
    if (fd >= 0) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (pidfd_ < 0) give_up("pidfd_open");
}

Running::~Running() {
  if (!ended_) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (int fd : {pidfd_, out_, err_, master_, slave_}) {
    if (fd >= 0) ::close(fd);
  }
}

void Running::kill(int signal) const { ::syscall(SYS_pidfd_send_signal, pidfd_, signal, nullptr, 0); }

void Running::read_some(Ran& ran, int timeout_ms) {
  pollfd waiting[4] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {master_, POLLIN, 0}, {pidfd_, POLLIN, 0}};
  if (::poll(waiting, 4, timeout_ms) <= 0) return;
  char buffer[65536];
  auto drain = [&](int& fd, const pollfd& state, auto&& take) {
    if (fd < 0 || state.revents == 0) return;
    ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got > 0) take(static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      ::close(fd);
      fd = -1;
    }
  };
  drain(out_, waiting[0], [&](std::size_t size) {
    ran.out_bytes += size;
    append_bounded(ran.out, buffer, size);
  });
  drain(err_, waiting[1], [&](std::size_t size) {
    ran.err_bytes += size;
    append_bounded(ran.err, buffer, size);
  });
  drain(master_, waiting[2], [&](std::size_t size) {
    append_bounded(ran.terminal, buffer, size);
    // What a terminal does when it is asked where its cursor stands.
    if (std::string(buffer, size).find("\033[6n") != std::string::npos && ::write(master_, "\033[1;1R", 6) < 0) {
      give_up("answering as a terminal");
    }
  });
}

bool Running::has_ended() const {
  pollfd end{pidfd_, POLLIN, 0};
  return ::poll(&end, 1, 0) > 0;
}

bool Running::wait_for(const std::string& text, Milliseconds patience) {
  auto end = std::chrono::steady_clock::now() + patience;
  while (so_far_.out.find(text) == std::string::npos) {
    if (has_ended() || std::chrono::steady_clock::now() > end) return false;
    read_some(so_far_, 50);
  }
  return true;
}

Ran Running::wait(Milliseconds patience) {
  Ran ran = std::move(so_far_);
  auto end = std::chrono::steady_clock::now() + patience;
  int status = 0;
  for (;;) {
    if (::waitpid(pid_, &status, WNOHANG) == pid_) break;
    if (std::chrono::steady_clock::now() > end) {
      ran.timed_out = true;
      ::kill(-pid_, SIGKILL);
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, &status, 0);
      break;
    }
    read_some(ran, 50);
  }
  ended_ = true;
  ran.took = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - started_);
  // The rest of the pipes; a daemon may hold them open, so not until end of file.
  for (std::size_t before = 1; before != 0;) {
    std::size_t had = ran.out_bytes + ran.err_bytes + ran.terminal.size();
    read_some(ran, 0);
    before = ran.out_bytes + ran.err_bytes + ran.terminal.size() - had;
  }
  if (slave_ >= 0) ::ioctl(slave_, FIONREAD, &ran.typed_ahead);
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

Ran run(const Command& command) { return Running(command).wait(command.patience); }

void must_run_shell(const std::string& text, const User& as, const std::string& cwd, const Texts& env) {
  Command command;
  command.argv = {"/bin/sh", "-c", "set -e\n" + text};
  command.env = env;
  command.cwd = cwd;
  command.as = as;
  Ran ran = run(command);
  if (ran.exit_code != 0) {
    throw std::runtime_error("preparing with `" + one_line(text, 120) + "`: exit " + std::to_string(ran.exit_code) +
                             ": " + one_line(ran.err, 200));
  }
}

}  // namespace escape
