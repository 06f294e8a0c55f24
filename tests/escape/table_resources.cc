// table_resources.cc: rows 16 and 18: taking more than was given, staying longer, and winning races.
// Not here: killing the supervisor (kill_sweep.cc), swaps made by the host (scenarios.cc).
#include <sys/stat.h>
#include <unistd.h>

#include "steps.h"
#include "table.h"
#include "world.h"

namespace escape {
namespace {

std::function<std::string(const World&, const Ran&)> file_at_most(const char* name, off_t bytes) {
  return [name, bytes](const World& world, const Ran&) -> std::string {
    struct stat info {};
    if (::stat((world.workspace() + "/" + name).c_str(), &info) < 0) return "";
    return info.st_size <= bytes ? "" : std::string(name) + " has " + std::to_string(info.st_size) + " bytes";
  };
}

std::function<std::string(const World&, const Ran&)> within(Milliseconds bound) {
  return [bound](const World&, const Ran& ran) -> std::string {
    return ran.took <= bound ? "" : "it took " + std::to_string(ran.took.count()) + " ms";
  };
}

// "DENIED EAGAIN after 63 children"
std::string at_most_64(const World&, const Ran& ran) {
  std::size_t after = ran.out.find(" after ");
  if (after == std::string::npos) return "";
  int count = std::stoi(ran.out.substr(after + 7));
  return count <= 64 ? "" : std::to_string(count) + " were possible";
}

std::string daemon_is_silent(const World& world, const Ran&) {
  struct stat before {};
  struct stat after {};
  std::string file = world.workspace() + "/alive";
  ::stat(file.c_str(), &before);
  ::usleep(100000);
  ::stat(file.c_str(), &after);
  return before.st_size == after.st_size ? "" : "the daemon still writes";
}

}  // namespace

Rows resource_rows() {
  Rows rows;
  auto limited = [&](const char* name, Texts bare, Texts boxed, Texts flags, Steps steps) -> Row& {
    rows.push_back({.number = 16,
                    .name = name,
                    .probe = std::move(bare),
                    .boxed = Boxed::kEnded,
                    .risk = Risk::kWholeHost,
                    .boxed_probe = std::move(boxed),
                    .flags = std::move(flags),
                    .check = within(Milliseconds(9000)),
                    .steps = std::move(steps)});
    return rows.back();
  };
  limited("runaway forks", {"many-forks", "1000"}, {"many-forks", "3000"}, {"--processes", "64"},
          any_gap({step::kProcessCount}))
      .check = at_most_64;
  limited("100,000 threads", {"many-threads", "1000"}, {"many-threads", "100000"}, {"--processes", "64"},
          any_gap({step::kProcessCount}))
      .check = at_most_64;
  limited("descriptor exhaustion", {"many-descriptors", "1000"}, {"many-descriptors", "1000000"}, {}, always());
  limited("memory bomb", {"memory-bomb", "256"}, {"memory-bomb", "256", "1000"}, {"--memory", "64M"},
          any_gap({step::kMemory}));
  limited("memory bomb over processes", {"memory-by-many", "8", "32"}, {"memory-by-many", "8", "32", "1000"},
          {"--memory", "64M"}, any_gap({step::kMemory}));
  limited("memory bomb in a memfd", {"fill-memfd", "256"}, {"fill-memfd", "256", "1000"}, {"--memory", "64M"},
          any_gap({step::kMemory}));
  Row& tmp = limited("memory bomb in /tmp", {"fill-file", "/tmp/pinfold-escape-big-{nonce}", "256"}, {},
                     {"--memory", "64M"}, any_gap({step::kMemory, step::kTmp}));
  tmp.outside = {"/tmp/pinfold-escape-big-{nonce}"};
  for (const char* directory : {"/tmp", "/dev/shm"}) {
    std::string file = std::string(directory) + "/pinfold-escape-big-{nonce}";
    Row& row = limited(directory[1] == 't' ? "fill /tmp" : "fill /dev/shm", {"grow-file", file, "8"},
                       {"grow-file", file, "65536"}, {}, any_gap({step::kTmp}));
    row.outside = {file};
  }
  // Deeper than a walk with one descriptor for each level can follow.
  const std::string deep = "pinfold-escape-deep-{nonce}";
  rows.push_back({.number = 16,
                  .name = "700 directories in TMPDIR, each in the one before",
                  .shell = "cd ${TMPDIR:-/tmp} && mkdir " + deep + " && cd " + deep +
                           " && for i in $(seq 700); do mkdir d && cd d || exit 1; done && echo made 700",
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kHostClean,
                  .outside = {"/tmp/" + deep},
                  .steps = always()});
  Row& filler =
      limited("disk filler", {"fill-file", "{ws}/big", "16"}, {}, {"--file-size", "1M"}, any_gap({step::kFileSize}));
  filler.may_leave = {"home/ws/big"};
  filler.check = file_at_most("big", 1 << 20);
  Row& grower = limited("disk filler by fallocate", {"grow-file", "{ws}/big", "16"}, {}, {"--file-size", "1M"},
                        any_gap({step::kFileSize}));
  grower.may_leave = {"home/ws/big"};
  grower.check = file_at_most("big", 1 << 20);
  Row& flood =
      limited("output flood", {"flood", "32"}, {"flood", "64"}, {"--output-limit", "1M"}, any_gap({step::kOutputSize}));
  flood.check = [](const World&, const Ran& ran) -> std::string {
    std::size_t bytes = ran.out_bytes + ran.err_bytes;
    return bytes <= (1U << 20) + 65536 ? "" : std::to_string(bytes) + " bytes came through";
  };
  // The known gap, processes shorter than 20 ms, does not excuse these: they burn a bounded time in every form. No
  // bound on the clock: a second of processor time takes as long as the machine's other processes let it take.
  auto burner = [&](const char* name, Texts bare, Texts boxed) {
    Row& row = limited(name, std::move(bare), std::move(boxed), {"--cpu-time", "1s"}, absence({step::kCpuTime}));
    row.check = {};
    row.risk = Risk::kOwnThings;
  };
  burner("CPU burner", {"burn", "1", "200"}, {"burn", "1", "6000"});
  burner("CPU burner over processes", {"burn", "4", "100"}, {"burn", "4", "3000"});

  auto timed = [&](const char* name, Texts bare, Texts boxed) {
    rows.push_back({.number = 16,
                    .name = name,
                    .probe = std::move(bare),
                    .boxed = Boxed::kTimedOut,
                    .boxed_probe = std::move(boxed),
                    .flags = {"--timeout", "500ms"},
                    .check = within(Milliseconds(15000)),  // the probes stay for 20 s or for ever
                    .steps = any_gap({step::kWallTime})});
  };
  timed("a child that ignores SIGTERM", {"ignore-signals", "100"}, {"ignore-signals", "20000"});
  timed("a stopped tree", {"stop-tree", "200"}, {"stop-tree", "never"});

  rows.push_back({.number = 16,
                  .name = "double fork and setsid",
                  .probe = {"outlive", "{ws}/alive", "20000"},
                  .obtains = Obtains::kSurvivor,
                  .boxed = Boxed::kHostClean,
                  .may_leave = {"home/ws/alive"},
                  .check = daemon_is_silent,
                  .steps = absence({step::kProcesses})});
  rows.push_back({.number = 16,
                  .name = "a background job of the shell",
                  .shell = "sleep 20 > /dev/null 2>&1 & echo left",
                  .obtains = Obtains::kSurvivor,
                  .boxed = Boxed::kHostClean,
                  .check = within(Milliseconds(15000)),
                  .steps = absence({step::kProcesses})});
  return rows;
}

Rows race_rows() {
  Rows rows;
  rows.push_back({.number = 18,
                  .name = "swap a symlink while it is opened",
                  .probe = {"race-link", "{ws}/link", "{ws}/readme.txt", "{home}/.ssh/id_rsa", "{secret}", "1000"},
                  .obtains = Obtains::kSecret,
                  .steps = absence({step::kRead})});
  rows.push_back({.number = 18,
                  .name = "swap a hidden file's link while it is opened",
                  .probe = {"race-link", "{ws}/link", "{ws}/readme.txt", "{ws}/.env", "{secret}", "1000"},
                  .obtains = Obtains::kSecret,
                  .flags = {"--hide", "{ws}/.env"},
                  .steps = absence({step::kHidden})});
  rows.push_back({.number = 18,
                  .name = "swap a directory while a file is made in it",
                  .probe = {"race-directory", "{ws}/dir", "{home}/documents", "1000"},
                  .steps = absence({step::kWrite})});
  rows.push_back({.number = 18,
                  .name = "swap a name in memory while it is judged",
                  .probe = {"race-name", "{ws}", "xenvrc", ".envrc", "1000"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kHostClean,
                  // A run that is ended for it cannot tidy up; what won is put aside under a name that nothing reads.
                  .may_leave = {"home/ws/xenvrc", "home/ws/.envrc.undone-by-pinfold-*"},
                  .steps = any_gap({step::kProtectedNew})});
  rows.push_back({.number = 18,
                  .name = "swap a directory's name in memory while it is judged",
                  .probe = {"race-directory-name", "{ws}", "xclaude", ".claude", "1000"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kHostClean,
                  .may_leave = {"home/ws/xclaude", "home/ws/.claude.undone-by-pinfold-*"},
                  .steps = any_gap({step::kProtectedNew})});
  rows.push_back({.number = 18,
                  .name = "swap the target of a directory's rename, and make its old name again",
                  .probe = {"race-moved-directory", "{ws}", "xclaude", ".claude", "1000"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kHostClean,
                  .may_leave = {"home/ws/xclaude", "home/ws/source", "home/ws/.claude.undone-by-pinfold-*"},
                  .steps = any_gap({step::kProtectedNew})});
  for (const char* name : {".envrc", ".claude", ".mcp.json"}) {
    rows.push_back({.number = 18,
                    .name = std::string("hammer ") + name + " by every call",
                    .probe = {"hammer-name", "{ws}", name, "500"},
                    .obtains = Obtains::kChange,
                    .boxed = Boxed::kHostClean,
                    .may_leave = {"home/ws/source", std::string("home/ws/") + name + ".undone-by-pinfold-*"},
                    .steps = any_gap({step::kProtectedNew})});
  }
  rows.push_back({.number = 18,
                  .name = "swap a protected name in memory",
                  .probe = {"race-name", "{ws}", "xrecio", "precio", "1000"},
                  .obtains = Obtains::kChange,
                  .flags = {"--protect", "precio"},
                  .may_leave = {"home/ws/xrecio"},
                  .steps = any_gap({step::kProtected, step::kProtectedNew})});
  return rows;
}

}  // namespace escape
