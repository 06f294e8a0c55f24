// limits.cc: limits by rlimit, pid namespace and cgroup.
// Invariant: every cgroup is removed, by the janitor if the supervisor is killed.
// Not here: polling (supervisor).
#include "backend/linux/limits/limits.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "backend/linux/lower/lower.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/uninterrupted.h"

namespace pinfold::backend::on_linux {
namespace {

// By version only where no system call shows the difference.
bool kernel_is_since(int wanted_major, int wanted_minor) {
  utsname name{};
  int major = 0;
  int minor = 0;
  if (::uname(&name) != 0 || std::sscanf(name.release, "%d.%d", &major, &minor) != 2) return false;
  return major > wanted_major || (major == wanted_major && minor >= wanted_minor);
}

constexpr std::uint64_t kLowestPidMax = 301;  // the kernel's own minimum

// pid_max is per pid namespace since 6.14; before that, writing it would change the whole host, so it cannot be probed.
bool pid_max_serves(std::uint64_t processes) { return processes + 2 >= kLowestPidMax && kernel_is_since(6, 14); }

// RLIMIT_NPROC is counted per user namespace since 5.14; before that, all processes of a user are counted together.
// Probing would need another namespace and a process in it at every start.
bool nproc_serves(Counting counting) { return counting != Counting::kNone && kernel_is_since(5, 14); }

bool wants_pids_cgroup(const LimitStep& limit, Counting counting) {
  if (limit.kind != LimitKind::kProcesses) return false;
  if (::getuid() != 0) return !nproc_serves(counting);
  return counting != Counting::kPids || !pid_max_serves(limit.amount);
}

bool write_text(const std::string& path, const std::string& text) {
  auto fd = sys::Fd::adopt(sys::uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }));
  return fd.is_open() && sys::uninterrupted([&] { return ::write(fd.raw(), text.data(), text.size()); }) ==
                             static_cast<ssize_t>(text.size());
}

std::string read_text(const std::string& path) {
  auto fd = sys::Fd::adopt(sys::uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!fd.is_open()) return {};
  std::string text;
  std::array<char, 4096> buffer{};
  const auto read = [&] { return ::read(fd.raw(), buffer.data(), buffer.size()); };
  for (ssize_t size = 0; (size = sys::uninterrupted(read)) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(size));
  return text;
}

// This process's own cgroup for a v1 controller, or for v2 ("").
std::string own_cgroup(const std::string& controller) {
  std::string text = read_text("/proc/self/cgroup");
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = text.find('\n', start);
    std::string line = text.substr(start, end - start);
    start = end == std::string::npos ? text.size() : end + 1;
    std::size_t first = line.find(':');
    std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) == controller) return line.substr(second + 1);
  }
  return {};
}

// The number of processes and threads that the kernel counts for this user's RLIMIT_NPROC.
std::uint64_t tasks_of(std::uint32_t uid) {
  std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir("/proc"), ::closedir);
  std::uint64_t tasks = 0;
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const std::string status = read_text(std::string("/proc/") + entry->d_name + "/status");
    auto field = [&](const char* name) {
      std::size_t at = status.find(name);
      return at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + std::strlen(name), nullptr, 10);
    };
    if (status.find("\nUid:\t") != std::string::npos && field("\nUid:\t") == uid) tasks += field("\nThreads:\t");
  }
  return tasks;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// A path below this process's own v1 cgroup of this controller; empty where there is none.
std::string v1_path(const std::string& controller, const std::string& name) {
  std::string base = "/sys/fs/cgroup/" + controller;
  if (!exists(base + "/cgroup.procs")) return {};
  std::string own = own_cgroup(controller);
  return own.empty() ? std::string() : base + (own == "/" ? "" : own) + "/" + name;
}

// In or beside this process's own v2 cgroup: controllers cannot be enabled in a cgroup that has processes, so this
// works where the parent cgroup delegates them.
std::vector<std::string> v2_paths(const std::string& name) {
  if (!exists("/sys/fs/cgroup/cgroup.controllers")) return {};
  std::string own = own_cgroup("");
  if (own.empty()) return {};
  std::vector<std::string> paths;
  for (const std::string& base : {own, own.substr(0, own.rfind('/'))})
    paths.push_back("/sys/fs/cgroup" + (base == "/" ? std::string() : base) + "/" + name);
  return paths;
}

std::string make_v1(const std::string& controller, const std::string& name) {
  std::string path = v1_path(controller, name);
  return !path.empty() && ::mkdir(path.c_str(), 0755) == 0 ? path : std::string();
}

// With every wanted file, or else with at least one: a kernel may have one controller disabled.
std::string make_v2(const std::string& name, const std::vector<std::string>& wanted) {
  for (std::size_t enough : {wanted.size(), std::size_t{1}}) {
    for (const std::string& path : v2_paths(name)) {
      if (::mkdir(path.c_str(), 0755) != 0) continue;
      auto has = [&](const std::string& file) { return exists(path + file); };
      if (static_cast<std::size_t>(std::count_if(wanted.begin(), wanted.end(), has)) >= enough) return path;
      ::rmdir(path.c_str());
    }
  }
  return {};
}

// Kills processes that are still in it: there should be none, but without a pid namespace another process may have
// killed init before it could end them.
void end_processes_in(const std::string& path) {
  if (write_text(path + "/cgroup.kill", "1")) return;
  for (int round = 0; round < 100; ++round) {
    const std::string members = read_text(path + "/cgroup.procs");
    if (members.empty()) return;
    for (std::size_t at = 0; at < members.size(); at = members.find('\n', at) + 1) {
      const int process = std::atoi(members.c_str() + at);
      if (process > 0) ::kill(process, SIGKILL);
    }
    ::usleep(1000);
  }
}

// A cgroup can stay busy for up to 500 ms after its last process was reaped. The janitor waits 20 s: a helper program
// that was just started exits only when it notices that its supervisor has exited.
constexpr int kRemoveTimeout = 500;  // milliseconds
constexpr int kJanitorTimeout = 20000;

bool remove_directory(const std::string& path, int timeout) {
  for (int waited = 0; ::rmdir(path.c_str()) != 0; ++waited) {
    if (errno != EBUSY || waited >= timeout) return errno == ENOENT;
    ::usleep(1000);
  }
  return true;
}

}  // namespace

void lower_limits(const std::vector<LimitStep>& limits, std::uint32_t uid, Counting counting, LoweredPlan& out) {
  auto rlimit_of = [&](int resource, rlim_t amount) {
    // The caller's hard limit cannot be raised: if it is stricter, it stays.
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) == 0) amount = std::min(amount, now.rlim_max);
    out.frame.limits[out.frame.limit_count++] = child::ResourceLimit{resource, amount};
  };
  for (const LimitStep& limit : limits) {
    switch (limit.kind) {
      case LimitKind::kFileSize: rlimit_of(RLIMIT_FSIZE, limit.amount); break;
      case LimitKind::kCpuTime: rlimit_of(RLIMIT_CPU, (limit.amount + 999) / 1000); break;
      // RLIMIT_DATA limits private writable memory of each process; unlike RLIMIT_AS it does not count memory that
      // runtimes only reserve.
      case LimitKind::kMemory: rlimit_of(RLIMIT_DATA, limit.amount); break;
      case LimitKind::kProcesses:
        // Init is one of them; and, if nproc_serves() is false, all other processes of the user.
        if (uid != 0)
          rlimit_of(RLIMIT_NPROC, limit.amount + 1 + (nproc_serves(counting) ? 0 : tasks_of(uid)));
        else if (counting == Counting::kPids && pid_max_serves(limit.amount)) {
          // pids run from 1 to pid_max - 1, and pid 1 is init
          out.text.push_back(std::to_string(limit.amount + 2) + "\n");
          out.blueprint.pid_max = out.text.back().c_str();
        }
        break;
      case LimitKind::kWallTime:
      case LimitKind::kOutputSize: break;
    }
  }
}

Cgroup::Cgroup(Cgroup&& other) noexcept { *this = std::move(other); }
Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  std::swap(directories_, other.directories_);
  std::swap(memory_, other.memory_);
  std::swap(pids_, other.pids_);
  std::swap(v2_, other.v2_);
  return *this;
}
Cgroup::~Cgroup() { remove(); }

bool Cgroup::is_wanted(const std::vector<LimitStep>& limits, Counting counting) {
  return std::any_of(limits.begin(), limits.end(), [counting](const LimitStep& limit) {
    return limit.kind == LimitKind::kMemory || wants_pids_cgroup(limit, counting);
  });
}

std::string Cgroup::fresh_name() {
  static std::atomic<unsigned> counter = 0;
  return "pinfold-" + std::to_string(::getpid()) + "-" + std::to_string(++counter);
}

void Cgroup::remove_named(const std::string& name) {
  auto paths = v2_paths(name);
  for (const char* controller : {"memory", "pids"})
    if (std::string path = v1_path(controller, name); !path.empty()) paths.push_back(std::move(path));
  for (const std::string& path : paths) {
    end_processes_in(path);
    remove_directory(path, kJanitorTimeout);
  }
}

Cgroup Cgroup::create(const std::vector<LimitStep>& limits, Counting counting, const std::string& name) {
  Cgroup group;
  std::string memory;
  std::string pids;
  for (const LimitStep& limit : limits) {
    if (limit.kind == LimitKind::kMemory) memory = std::to_string(limit.amount);
    if (wants_pids_cgroup(limit, counting)) pids = std::to_string(limit.amount + 1);
  }
  if (memory.empty() && pids.empty()) return group;
  std::vector<std::string> wanted;
  if (!memory.empty()) wanted.emplace_back("/memory.max");
  if (!pids.empty()) wanted.emplace_back("/pids.max");
  if (std::string path = make_v2(name, wanted); !path.empty()) {
    group.v2_ = true;
    group.directories_.push_back(path);
    if (!memory.empty() && write_text(path + "/memory.max", memory)) group.memory_ = path;
    if (exists(path + "/memory.swap.max")) write_text(path + "/memory.swap.max", "0");
    if (!pids.empty() && write_text(path + "/pids.max", pids)) group.pids_ = path;
    return group;
  }
  auto add_v1 = [&](const char* controller, const char* file, const std::string& amount, std::string& where) {
    if (amount.empty()) return;
    std::string path = make_v1(controller, name);
    if (path.empty()) return;
    group.directories_.push_back(path);
    if (write_text(path + file, amount)) where = path;
  };
  add_v1("memory", "/memory.limit_in_bytes", memory, group.memory_);
  add_v1("pids", "/pids.max", pids, group.pids_);
  return group;
}

bool Cgroup::holds(LimitKind kind) const {
  if (kind == LimitKind::kMemory) return !memory_.empty();
  if (kind == LimitKind::kProcesses) return !pids_.empty();
  return false;
}

void Cgroup::drop_replaced_rlimits(LoweredPlan& lowered) const {
  child::CommandFrame& frame = lowered.frame;
  auto* end = frame.limits + frame.limit_count;
  if (holds(LimitKind::kProcesses))
    end = std::remove_if(frame.limits, end, [](const auto& each) { return each.resource == RLIMIT_NPROC; });
  frame.limit_count = static_cast<std::size_t>(end - frame.limits);
}

Result<void> Cgroup::enter(int pid) const {
  for (const std::string& directory : directories_)
    if (!write_text(directory + "/cgroup.procs", std::to_string(pid)))
      return tl::unexpected<Error>(sys::os_error("write", directory + "/cgroup.procs", errno));
  return {};
}

std::uint64_t Cgroup::peak_memory() const {
  if (memory_.empty()) return 0;
  return std::strtoull(read_text(memory_ + (v2_ ? "/memory.peak" : "/memory.max_usage_in_bytes")).c_str(), nullptr, 10);
}

bool Cgroup::out_of_memory() const {
  if (memory_.empty()) return false;
  std::string text = read_text(memory_ + (v2_ ? "/memory.events" : "/memory.oom_control"));
  std::size_t at = text.find("oom_kill ");
  return at != std::string::npos && std::strtoull(text.c_str() + at + 9, nullptr, 10) > 0;
}

bool Cgroup::remove() {
  bool all = true;
  for (const std::string& directory : directories_) end_processes_in(directory);
  for (const std::string& directory : directories_) all = remove_directory(directory, kRemoveTimeout) && all;
  directories_.clear();
  return all;
}

bool limit_is_watched(LimitKind kind) { return kind == LimitKind::kMemory || kind == LimitKind::kCpuTime; }

namespace {

// The limit holds for everything that is counted, and coverage names the rest. Refusing every run with a limit because
// of a small uncounted part would help no user: that part is best effort, also where the user asked for the limit.
void counted_with_gap(Coverage& row, const char* gap, const char* fix) {
  row.need = Need::kBestEffort;
  row.strength = Strength::kPartial;
  row.gap = gap;
  row.fix = fix;
}

}  // namespace

Coverage limit_coverage(const LimitStep& limit, Need need, std::uint32_t uid, Counting counting, const Cgroup& cgroup) {
  Step step{limit, need, {}};
  Coverage row{coverage_row(step), need, Strength::kEnforced, "", "", ""};
  const char* whole = counting == Counting::kNone ? "the whole tree of processes" : "the whole pid namespace";
  switch (limit.kind) {
    case LimitKind::kWallTime: row.mechanism = std::string("timer; ") + whole + " is ended"; break;
    case LimitKind::kOutputSize: row.mechanism = std::string("counted as it is relayed; ") + whole + " is ended"; break;
    case LimitKind::kFileSize: row.mechanism = "RLIMIT_FSIZE"; break;
    case LimitKind::kCpuTime:
      row.mechanism = "RLIMIT_CPU for each process; the tree's sum watched every 20 ms, going over ends it";
      counted_with_gap(row, "processes that run for less than 20 ms and are never reaped are not in the sum", "");
      break;
    case LimitKind::kMemory:
      if (cgroup.holds(limit.kind)) {
        row.mechanism = "memory cgroup; if the kernel kills a process in it, the tree ends";
        break;
      }
      row.mechanism =
          "RLIMIT_DATA for each process; the tree's sum watched every 20 ms, going over ends it; no memfd, no System V "
          "shared memory";
      counted_with_gap(row, "buffers of pipes and sockets are not in the sum, nor memory in use for less than 20 ms",
                       "run where a memory cgroup can be made: /sys/fs/cgroup must be writable for this user");
      break;
    case LimitKind::kProcesses:
      if (cgroup.holds(limit.kind)) {
        row.mechanism = "pids cgroup";
      } else if (uid != 0 && nproc_serves(counting)) {
        row.mechanism = "RLIMIT_NPROC, counted in the sandbox's user namespace";
      } else if (uid != 0) {
        row.strength = Strength::kPartial;
        row.mechanism = "RLIMIT_NPROC, added to the user's processes at the start";
        row.gap = "all of the user's processes are counted: for each that ends outside, one more may run inside";
        row.fix = "a kernel since 5.14 with user namespaces, or a cgroup of the user's own with the pids controller";
      } else if (counting == Counting::kPids && pid_max_serves(limit.amount)) {
        row.mechanism = "the pid namespace's own pid_max";
      } else {
        row.strength = Strength::kAbsent;
        row.gap = "root is not bound by RLIMIT_NPROC, and no pids cgroup can be made here";
        row.fix = "run as an ordinary user, or where /sys/fs/cgroup is writable";
      }
      break;
  }
  return row;
}

}  // namespace pinfold::backend::on_linux
