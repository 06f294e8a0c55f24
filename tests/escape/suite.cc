// suite.cc: `escape_suite --pinfold PATH [--backend NAME] [--filter TEXT] [--row N] [--part K/N]
// [--user root|user|both] [--base DIR]`: runs the escape table and the scenarios on one backend, as root and as an
// ordinary user side by side, and ends with 'N passed, N known gaps, N failed'.
// `escape_suite --check-rules` runs nothing boxed: it tries the suite's own rules.
// Invariant: exit 0 only if every row passed or is a known gap, and at least one passed.
// Not here: the rows (table_*.cc), the kill sweep (kill_sweep.cc).
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <optional>
#include <sstream>

#include "judge.h"
#include "rules.h"
#include "scenarios.h"
#include "steps.h"

namespace escape {

Rows all_rows() {
  Rows all;
  for (Rows (*part)() : {file_rows, protect_rows, planted_rows, git_rows, policy_rows, process_rows, kernel_rows,
                         exec_rows, resource_rows, race_rows, launch_rows, settings_rows}) {
    for (Row& row : part()) all.push_back(std::move(row));
  }
  add_usual_steps(all);
  return all;
}

namespace {

std::atomic<bool> interrupted{false};

struct Options {
  std::string pinfold;
  Backend backend = *backend_called("native");
  Selection selection;
  std::string user = "both";
  std::string base = "/home";  // where homes are; below /var/tmp they lie inside a private directory
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string flag = argv[i];
    std::string value = argv[i + 1];
    if (flag == "--pinfold")
      options.pinfold = std::filesystem::absolute(value).string();
    else if (flag == "--filter")
      options.selection.filter = value;
    else if (flag == "--user")
      options.user = value;
    else if (flag == "--base")
      options.base = value;
    else if (flag == "--row")
      options.selection.row = std::stoi(value);
    else if (flag == "--backend") {
      std::optional<Backend> backend = backend_called(value);
      if (!backend) return std::nullopt;
      options.backend = *backend;
    } else if (flag == "--part") {
      if (!options.selection.set_part(value)) return std::nullopt;
    } else
      return std::nullopt;
  }
  if (argc % 2 == 0 || options.pinfold.empty()) return std::nullopt;
  return options;
}

// A line as text, and back.
constexpr char kBetween = '\x1f';

std::string packed(const Line& line) {
  std::string text = std::to_string(line.number);
  for (const std::string& field : {line.name, line.user, line.bare, line.boxed, line.host,
                                   std::to_string(static_cast<int>(line.outcome)), line.because}) {
    text += kBetween;
    for (char c : field) text += c == '\n' || c == kBetween ? ' ' : c;
  }
  return text + "\n";
}

Line unpacked(const std::string& text) {
  Texts fields;
  std::istringstream stream(text);
  for (std::string field; std::getline(stream, field, kBetween);) fields.push_back(field);
  fields.resize(8);
  auto outcome = static_cast<Outcome>(std::stoi(fields[6]));
  return {std::stoi(fields[0]), fields[1], fields[2], fields[3], fields[4], fields[5], outcome, fields[7]};
}

class Sender : public Lines {
 public:
  explicit Sender(int fd) : fd_(fd) {}
  void add(const Line& line) override {
    std::string text = packed(line);
    if (::write(fd_, text.data(), text.size()) < 0) interrupted = true;
  }

 private:
  int fd_;
};

void run_as(const User& user, const Options& options, Lines& lines) {
  std::string here = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  Programs programs{options.pinfold, here + "/escape_probe", here + "/escape_privileged", here + "/escape_canary"};
  own_mounts();
  adopt_orphans();
  World world(programs, user, options.base, options.backend);
  Selection selection = options.selection;
  for (const Row& row : all_rows()) {
    if (interrupted) return;
    if (selection.takes(row.number, row.name) && !(selection.parts > 1 && row.needs == Needs::kWholeSystem))
      lines.add(judge(row, world));
  }
  run_scenarios(world, selection, lines);
}

// One process for each user: each adopts the orphans of its own runs.
struct Worker {
  pid_t pid = -1;
  int fd = -1;
  std::string unread = {};
  std::deque<Line> waiting = {};
};

Worker start_worker(const User& user, const Options& options) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0) give_up("pipe2");
  Worker worker;
  worker.fd = ends[0];
  worker.pid = ::fork();
  if (worker.pid < 0) give_up("fork");
  if (worker.pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    int code = 0;
    try {
      Sender sender(ends[1]);
      run_as(user, options, sender);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "escape_suite, as %s: %s\n", user.name.c_str(), error.what());
      code = 1;
    }
    ::_exit(interrupted ? 1 : code);
  }
  ::close(ends[1]);
  return worker;
}

void read_lines(Worker& worker) {
  char buffer[16384];
  ssize_t got = ::read(worker.fd, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) {
    ::close(worker.fd);
    worker.fd = -1;
    return;
  }
  worker.unread.append(buffer, static_cast<std::size_t>(got));
  for (std::size_t end = 0; (end = worker.unread.find('\n')) != std::string::npos; worker.unread.erase(0, end + 1)) {
    worker.waiting.push_back(unpacked(worker.unread.substr(0, end)));
  }
}

int run_suite(const Options& options) {
  std::vector<Worker> workers;
  for (const User& user : {User{"root", 0, 0}, User{"user", 12345, 12345}}) {
    if (options.user == "both" || options.user == user.name) workers.push_back(start_worker(user, options));
  }
  Sheet sheet;
  bool whole = true;
  for (bool open = true; open;) {
    std::vector<pollfd> polled;
    for (const Worker& worker : workers) polled.push_back({worker.fd, POLLIN, 0});
    ::poll(polled.data(), polled.size(), -1);
    if (interrupted) {
      for (const Worker& worker : workers) ::kill(worker.pid, SIGTERM);
    }
    open = false;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (workers[i].fd >= 0 && polled[i].revents != 0) read_lines(workers[i]);
      open = open || workers[i].fd >= 0;
    }
    // Both users' lines of a row stand together; one that ended early no longer holds the other up.
    auto ready = [](const Worker& worker) { return !worker.waiting.empty() || worker.fd < 0; };
    auto has_more = [](const Worker& worker) { return !worker.waiting.empty(); };
    while (std::all_of(workers.begin(), workers.end(), ready) &&
           std::any_of(workers.begin(), workers.end(), has_more)) {
      for (Worker& worker : workers) {
        if (worker.waiting.empty()) continue;
        sheet.add(worker.waiting.front());
        worker.waiting.pop_front();
      }
    }
  }
  for (const Worker& worker : workers) {
    int status = 0;
    ::waitpid(worker.pid, &status, 0);
    whole = whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  if (!whole) std::printf("\nA part of the suite ended early.\n");
  sheet.close();
  return whole && sheet.good() ? 0 : 1;
}

}  // namespace
}  // namespace escape

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--check-rules") return escape::check_rules() ? 0 : 1;
  std::optional<escape::Options> options = escape::parse(argc, argv);
  if (!options) {
    std::fputs(
        "usage: escape_suite --pinfold PATH [--backend native|bubblewrap|landlock|passthrough] [--filter TEXT] "
        "[--row N] [--part K/N] [--user root|user|both] [--base DIR]\n"
        "       escape_suite --check-rules\n",
        stderr);
    return 2;
  }
  if (::geteuid() != 0) {
    std::fputs("escape_suite: needs root, to run each row as root and as an ordinary user\n", stderr);
    return 2;
  }
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    ::signal(number, [](int) { escape::interrupted = true; });
  }
  try {
    return escape::run_suite(*options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "escape_suite: %s\n", error.what());
    return 1;
  }
}
