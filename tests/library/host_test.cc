// host_test.cc: the library in another program's process: threads, signals, children, and how it leaves them.
// Invariant: only the installed headers; ends with "N passed, N failed".
// Not here: streams and errors (use_test.cc), the C API (c_test.c).
#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "check.h"

namespace {

using namespace library_test;
using namespace std::chrono_literals;

// ---- threads ----

void threads() {
  std::string from_thread;
  std::thread([&] { from_thread = run(shell("echo thread")); }).join();
  expect("from another thread", from_thread, "0:thread\n:");

  std::atomic<bool> stop = false;
  std::vector<std::thread> busy;
  for (int i = 0; i < 3; ++i)
    busy.emplace_back([&] {
      while (!stop) {
        std::vector<std::string> waste(100, std::string(1000, 'x'));
        std::this_thread::sleep_for(100us);
      }
    });
  std::atomic<int> good = 0;
  std::vector<std::thread> runs;
  for (int i = 0; i < 4; ++i)
    runs.emplace_back([&, i] {
      for (int k = 0; k < 5; ++k) {
        const std::string word = std::to_string(i) + "-" + std::to_string(k);
        Command command = shell("cat; echo $0 >&2");
        command.argv.push_back(word);
        command.input = word;
        if (run(command) == "0:" + word + ":" + word + "\n") ++good;
      }
    });
  for (auto& each : runs) each.join();
  stop = true;
  for (auto& each : busy) each.join();
  check("four threads at once, each its own output", good == 20, std::to_string(good));
}

// Files made by one thread while others run commands have the right mode: the library does not change the umask.
void umask_stays() {
  const mode_t before = ::umask(022);
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::thread maker([&] {
    const std::string name = "/tmp/mode-" + std::to_string(::getpid());
    while (!stop) {
      const int fd = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0666);
      struct stat info {};
      if (fd < 0 || ::fstat(fd, &info) != 0 || (info.st_mode & 0777) != 0644) ++wrong;
      ::close(fd);
      ::unlink(name.c_str());
    }
  });
  std::string seen;
  std::thread other([&] { seen = run(shell("umask")); });
  for (int i = 0; i < 3; ++i) run(shell("true"));
  other.join();
  stop = true;
  maker.join();
  check("files of other threads keep their mode", wrong == 0, std::to_string(wrong));
  expect("the command has the caller's umask", seen, "0:0022\n:");
  ::umask(before);
}

// ---- signals and children ----

std::atomic<int> child_signals = 0;

void children() {
  const pid_t own = ::fork();
  if (own == 0) ::_exit(5);
  struct sigaction old {};
  struct sigaction handler {};
  handler.sa_handler = [](int) { ++child_signals; };
  ::sigaction(SIGCHLD, &handler, &old);
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(own), &ended, WEXITED | WNOWAIT);  // its signal has come by now
  const int before = child_signals;
  expect("with a handler for SIGCHLD", run(shell("exit 6")), "6::");
  check("the handler gets no signal of it", child_signals == before, std::to_string(child_signals - before));
  int status = 0;
  check("a child of the program's own is still there", ::waitpid(own, &status, 0) == own && WEXITSTATUS(status) == 5);

  ::signal(SIGCHLD, SIG_IGN);
  auto ran = runner().run(policy(), shell("trap '' CHLD; sh -c 'exit 4'; exit 7"));
  expect("with SIGCHLD ignored", result_text(ran), "7::");
  check("usage is known all the same", ran && ran->report.usage.peak_memory > 0);
  ::sigaction(SIGCHLD, &old, nullptr);

  // A program that reaps every child.
  std::atomic<bool> stop = false;
  std::thread reaper([&] {
    while (!stop) {
      ::waitpid(-1, nullptr, WNOHANG);
      ::usleep(200);
    }
  });
  bool good = true;
  for (int i = 0; i < 5; ++i) good = good && run(shell("exit 9")) == "9::";
  good = good &&
         result_text(runner().run(policy("memory = \"200M\"\nprotect = [\"new-name\"]"), shell("exit 9"))) == "9::";
  stop = true;
  reaper.join();
  check("with a thread that reaps everything", good);

  // What the host blocks and ignores is not the command's business.
  const std::string quiet = "0:SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n:";
  sigset_t all;
  sigset_t mask;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &mask);
  ::signal(SIGPIPE, SIG_IGN);
  const std::string seen = run([] {
    Command c;
    c.argv = {"grep", "-E", "SigBlk|SigIgn", "/proc/self/status"};
    return c;
  }());
  ::signal(SIGPIPE, SIG_DFL);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  expect("the command starts with fresh signals", seen, quiet);

  // Forks that hold on to everything that was open: a run ends all the same.
  stop = false;
  std::vector<pid_t> holders;
  std::thread forker([&] {
    for (int i = 0; i < 40 && !stop; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        ::pause();
        ::_exit(0);
      }
      holders.push_back(pid);
      ::usleep(1000);
    }
  });
  const auto began = std::chrono::steady_clock::now();
  const std::string held = run(shell("echo held"));
  const auto took = std::chrono::steady_clock::now() - began;
  stop = true;
  forker.join();
  for (const pid_t pid : holders) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  expect("while another thread forks", held, "0:held\n:");
  check("and it ends soon", took < 10s);

  // The host is killed: so is everything it ran.
  const std::string mark = "31415." + std::to_string(::getpid());
  const pid_t host = ::fork();
  if (host == 0) {
    run(shell("sleep " + mark));
    ::_exit(0);
  }
  const auto alive = [&] { return std::system(("pgrep -f '^sleep " + mark + "' >/dev/null").c_str()) == 0; };
  for (int i = 0; i < 1200 && !alive(); ++i) ::usleep(50'000);
  const bool ran_at_all = alive();
  ::kill(host, SIGKILL);
  ::waitpid(host, nullptr, 0);
  for (int i = 0; i < 1200 && alive(); ++i) ::usleep(50'000);
  check("a killed host leaves nothing running", ran_at_all && !alive());
}

// ---- how the process is left ----

std::string state() {
  std::string out;
  DIR* open = ::opendir("/proc/self/fd");
  std::vector<std::string> fds;
  while (const dirent* entry = ::readdir(open)) fds.emplace_back(entry->d_name);
  ::closedir(open);
  out += "descriptors " + std::to_string(fds.size());
  FILE* status = std::fopen("/proc/thread-self/status", "r");
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr) {
    const std::string text = line;
    for (const char* key :
         {"Umask", "Threads", "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt", "Seccomp:", "NoNewPrivs", "CapEff"})
      if (text.starts_with(key)) out += "\n" + text.substr(0, text.size() - 1);
  }
  std::fclose(status);
  char directory[4096];
  out += "\ncwd " + std::string(::getcwd(directory, sizeof directory));
  int subreaper = 0;
  int death = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
  ::prctl(PR_GET_PDEATHSIG, &death);
  out += "\nsubreaper " + std::to_string(subreaper) + " death signal " + std::to_string(death) + " dumpable " +
         std::to_string(::prctl(PR_GET_DUMPABLE));
  for (const auto which : {RLIMIT_NOFILE, RLIMIT_CORE, RLIMIT_DATA, RLIMIT_NPROC}) {
    rlimit limit{};
    ::getrlimit(which, &limit);
    out += "\nlimit " + std::to_string(limit.rlim_cur);
  }
  out += "\nchildren " + std::to_string(::waitpid(-1, nullptr, WNOHANG | __WALL));
  return out;
}

void leaves_no_trace() {
  run(shell("true"));  // makes the objects that the library makes once
  const std::string before = state();
  run(shell("exit 1"));
  runner().run(policy("memory = \"100M\"\nprotect = [\"new-name\"]", "100ms"), shell("sleep 5"));
  run([] {
    Command c;
    c.argv = {"no-such-program"};
    return c;
  }());
  auto plan = runner().compile(policy(), shell("true"));
  check("assess", plan && runner().assess(*plan).has_value());
  Command pass = shell("exec >/dev/null; echo x");
  pass.output = pinfold::Output::kPass;
  runner().run(policy(), pass);
  expect("the process is as it was", state(), before);
}

// No memory for the captured output: an error, and nothing left behind.
void out_of_memory() {
  const pid_t child = ::fork();
  if (child == 0) {
    long pages = 0;
    FILE* statm = std::fopen("/proc/self/statm", "r");
    if (std::fscanf(statm, "%ld", &pages) != 1) ::_exit(9);
    std::fclose(statm);
    Command flood = shell("head -c 400000000 /dev/zero");
    flood.capture_limit = 1 << 30;
    const Policy allowed = policy();
    const std::string before = state();
    rlimit kept{};
    ::getrlimit(RLIMIT_AS, &kept);
    rlimit tight{static_cast<rlim_t>(pages) * 4096 + (rlim_t{200} << 20), kept.rlim_max};
    ::setrlimit(RLIMIT_AS, &tight);
    const auto ran = runner().run(allowed, flood);
    ::setrlimit(RLIMIT_AS, &kept);
    expect("out of memory is an error", result_text(ran), "error: out of memory");
    expect("that leaves nothing behind", state(), before);
    expect("and the next run is fine", run(shell("echo fine")), "0:fine\n:");
    std::fflush(stdout);
    ::_exit(failed);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  check("out of memory", status == 0, std::to_string(status));
}

// A reader that went away ends the command, and not the host.
void broken_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) return check("a pipe", false);
  ::close(ends[0]);
  const int kept = ::dup(2);
  ::dup2(ends[1], 2);
  ::close(ends[1]);
  Command pass = shell("exec yes >&2");
  pass.output = pinfold::Output::kPass;
  const auto ran = runner().run(policy(), pass);
  ::dup2(kept, 2);
  ::close(kept);
  check("a reader that is gone", result_text(ran).starts_with("141:"), result_text(ran));
  sigset_t pending;
  ::sigpending(&pending);
  check("leaves no SIGPIPE", ::sigismember(&pending, SIGPIPE) == 0);
}

void hides_arguments() {
  expect("the host's arguments are not shown", run(shell("tr '\\0' ' ' < /proc/1/cmdline | head -c 12")),
         "0:pinfold-init:");
  const std::string own = run(shell("cat /proc/1/cmdline /proc/1/comm /proc/*/cmdline 2>/dev/null"));
  check("not even in part", own.find("secret-argument") == std::string::npos, own);
}

}  // namespace

int main() {
  return finish({threads, umask_stays, children, leaves_no_trace, out_of_memory, broken_pipe, hides_arguments});
}
