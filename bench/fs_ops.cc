// fs_ops.cc: the cost of open(), stat() and read() of files, in nanoseconds per operation.
// Invariant: each number is the best of several batches: noise only ever adds.
// Not here: comparing bare and boxed (bench/run).
//
//   fs_ops FOLDER             makes small files in FOLDER, measures, removes them, prints one JSON object
//   fs_ops FOLDER landlock    the same under one minimal Landlock ruleset: the cost of the kernel alone
#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int kFiles = 64;
constexpr int kBatches = 12;
constexpr int kPerBatch = 2000;

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

void check(long result, const char* what) {
  if (result < 0) {
    std::perror(what);
    std::exit(1);
  }
}

// Everything in one's own folder, reading in /usr: each file is one or two steps below its rule.
void restrict_self(const char* folder) {
  landlock_ruleset_attr rights{};
  rights.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  const int rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0));
  check(rules, "landlock_create_ruleset");
  for (const char* path : {folder, "/usr"}) {
    landlock_path_beneath_attr rule{};
    rule.parent_fd = ::open(path, O_PATH | O_CLOEXEC);
    check(rule.parent_fd, path);
    rule.allowed_access =
        path == folder ? rights.handled_access_fs : LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    check(::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0), "landlock_add_rule");
    ::close(rule.parent_fd);
  }
  check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
  check(::syscall(SYS_landlock_restrict_self, rules, 0), "landlock_restrict_self");
  ::close(rules);
}

double measure(const std::function<void(int)>& operation) {
  double best = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    const std::uint64_t began = now_ns();
    for (int i = 0; i < kPerBatch; ++i) operation(i);
    const double each = static_cast<double>(now_ns() - began) / kPerBatch;
    best = batch == 0 ? each : std::min(best, each);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: fs_ops FOLDER [landlock]\n");
    return 2;
  }
  if (argc == 3) restrict_self(argv[1]);
  std::vector<std::string> files;
  std::vector<char> buffer(4096, 'x');
  for (int i = 0; i < kFiles; ++i) {
    files.push_back(std::string(argv[1]) + "/fs_ops." + std::to_string(i));
    const int fd = ::open(files.back().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    check(fd, files.back().c_str());
    check(::write(fd, buffer.data(), buffer.size()), "write");
    ::close(fd);
  }
  const auto file = [&](int i) { return files[static_cast<std::size_t>(i % kFiles)].c_str(); };
  struct stat status {};

  const double stat_project = measure([&](int i) { check(::stat(file(i), &status), "stat"); });
  const double stat_system = measure([&](int) { check(::stat("/usr/bin/env", &status), "stat"); });
  const double open_project = measure([&](int i) {
    const int fd = ::open(file(i), O_RDONLY | O_CLOEXEC);
    check(fd, "open");
    ::close(fd);
  });
  const double open_system = measure([&](int) {
    const int fd = ::open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
    check(fd, "open");
    ::close(fd);
  });
  const int one = ::open(file(0), O_RDONLY | O_CLOEXEC);
  check(one, "open");
  const double read_block = measure([&](int) { check(::pread(one, buffer.data(), buffer.size(), 0), "pread"); });
  ::close(one);

  for (const auto& each : files) ::unlink(each.c_str());
  std::printf(
      "{\"stat, project\":%.1f,\"stat, system\":%.1f,\"open and close, project\":%.1f,\"open and close, system\":%.1f,"
      "\"read 4 KiB\":%.1f}\n",
      stat_project, stat_system, open_project, open_system, read_block);
  return 0;
}
