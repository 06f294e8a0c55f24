// suite.cc: `escape_suite --pinfold PATH [--filter TEXT] [--row N] [--user root|user|both] [--base DIR]`
// Runs the escape table and the scenarios, each as root and as an ordinary user, and ends with 'N passed, N failed'.
// Invariant: exit 0 only when every row passed and at least one was run.
// Not here: the rows (table_*.cc), the kill sweep (kill_sweep.cc).
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "judge.h"
#include "scenarios.h"

namespace escape {

Rows all_rows() {
  Rows all;
  for (Rows (*part)() : {file_rows, protect_rows, policy_rows, process_rows, kernel_rows, exec_rows, resource_rows,
                         race_rows, launch_rows}) {
    for (Row& row : part()) all.push_back(std::move(row));
  }
  return all;
}

namespace {

std::atomic<bool> interrupted{false};

struct Options {
  std::string pinfold;
  std::string filter;
  std::string user = "both";
  std::string base = "/home";  // where homes are; below /var/tmp they lie inside a private directory
  int row = 0;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string flag = argv[i];
    std::string value = argv[i + 1];
    if (flag == "--pinfold") options.pinfold = std::filesystem::absolute(value).string();
    else if (flag == "--filter") options.filter = value;
    else if (flag == "--user") options.user = value;
    else if (flag == "--base") options.base = value;
    else if (flag == "--row") options.row = std::stoi(value);
    else return std::nullopt;
  }
  if (argc % 2 == 0 || options.pinfold.empty()) return std::nullopt;
  return options;
}

int run_suite(const Options& options) {
  std::string here = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  Programs programs{options.pinfold, here + "/escape_probe", here + "/escape_privileged", here + "/escape_canary"};
  adopt_orphans();
  Sheet sheet;
  Rows rows = all_rows();
  for (const User& user : {User{"root", 0, 0}, User{"user", 12345, 12345}}) {
    if (options.user != "both" && options.user != user.name) continue;
    World world(programs, user, options.base);
    for (const Row& row : rows) {
      if (interrupted) break;
      if (options.row != 0 && options.row != row.number) continue;
      if (row.name.find(options.filter) != std::string::npos) sheet.add(judge(row, world));
    }
    if (!interrupted && options.row == 0) run_scenarios(world, options.filter, sheet);
  }
  sheet.close();
  return sheet.failed() == 0 && sheet.passed() > 0 && !interrupted ? 0 : 1;
}

}  // namespace
}  // namespace escape

int main(int argc, char** argv) {
  std::optional<escape::Options> options = escape::parse(argc, argv);
  if (!options) {
    std::fputs("usage: escape_suite --pinfold PATH [--filter TEXT] [--row N] [--user root|user|both] [--base DIR]\n", stderr);
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
