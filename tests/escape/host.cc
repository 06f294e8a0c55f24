// host.cc: see host.h.
#include "host.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace escape {
namespace {

namespace fs = std::filesystem;

std::string digest(const std::string& path) {
  std::string content = read_file(path);
  std::uint64_t hash = 14695981039346656037U;
  for (char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return std::to_string(hash);
}

std::string describe(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) < 0) return "unreadable";
  std::ostringstream text;
  text << std::oct << info.st_mode << std::dec << " " << info.st_uid << ":" << info.st_gid;
  if (S_ISLNK(info.st_mode)) {
    std::error_code ignored;
    text << " -> " << fs::read_symlink(path, ignored).string();
  } else if (S_ISREG(info.st_mode)) {
    text << " " << info.st_size << " " << info.st_mtim.tv_sec << "." << info.st_mtim.tv_nsec << " links "
         << info.st_nlink;
    if (info.st_size < 65536) text << " " << digest(path);
  } else if (S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode)) {
    text << " device " << info.st_rdev;
  }
  return text.str();
}

bool below(const std::string& path, const std::string& root) {
  return path == root || path.compare(0, root.size() + 1, root + "/") == 0;
}

// Names of directories, recursively; vanishing while we look is normal.
void gather(const fs::path& root, int depth, std::set<std::string>& into) {
  std::error_code error;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_directory(gone) || entry->is_symlink(gone)) continue;
    // Other programs of this machine make groups, too.
    if (entry->path().string().find("pinfold") != std::string::npos) into.insert(entry->path().string());
    if (depth > 0) gather(entry->path(), depth - 1, into);
  }
}

struct Process {
  pid_t pid;
  char state;
  std::string name;
};

std::optional<Process> process_of(const std::string& pid) {
  std::string stat = read_file("/proc/" + pid + "/stat");
  std::size_t open = stat.find('(');
  std::size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  return Process{std::stoi(pid), stat[close + 2], stat.substr(open + 1, close - open - 1)};
}

std::vector<Process> processes() {
  std::vector<Process> all;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (auto process = process_of(name)) all.push_back(*process);
  }
  return all;
}

// Of this process, whose orphaned descendants are its children, too.
std::vector<Process> children() {
  std::vector<Process> all;
  std::string self = std::to_string(::getpid());
  std::istringstream pids(read_file("/proc/self/task/" + self + "/children"));
  for (std::string pid; pids >> pid;) {
    if (auto process = process_of(pid)) all.push_back(*process);
  }
  return all;
}

std::string link_of(pid_t pid, const char* name) {
  std::error_code ignored;
  return fs::read_symlink("/proc/" + std::to_string(pid) + "/" + name, ignored).string();
}

// No process is in it, and the supervisor that made it (…/pinfold-PID-N) is gone. One that lives may be about to fill
// it.
bool is_abandoned(const std::string& cgroup) {
  if (!read_file(cgroup + "/cgroup.procs").empty()) return false;
  std::size_t name = cgroup.find("/pinfold-") + 9;
  return !exists("/proc/" + cgroup.substr(name, cgroup.find('-', name) - name));
}

// A living process has it in its environment: the private directory of a run that is going on.
bool is_in_use(const std::string& path) {
  for (const Process& process : processes()) {
    if (read_file("/proc/" + std::to_string(process.pid) + "/environ").find("=" + path + "/") != std::string::npos)
      return true;
  }
  return false;
}

std::set<std::string> what_is_new(const Machine& before) {
  Machine now = look_at_machine();
  std::set<std::string> fresh;
  for (const std::string& mount : now.mounts) {
    if (!before.mounts.contains(mount)) fresh.insert("mount " + mount);
  }
  for (const std::string& cgroup : now.cgroups) {
    // Other programs of this machine make cgroups too; ours carry our name.
    if (cgroup.find("/pinfold-") != std::string::npos && !before.cgroups.contains(cgroup) && is_abandoned(cgroup))
      fresh.insert("cgroup " + cgroup);
  }
  for (const std::string& name : now.names) {
    if (!before.names.contains(name)) fresh.insert("file " + name);
  }
  return fresh;
}

// The runtime directory of a user (src/control/runtime_dir.h). The first session of a user creates it, and it stays:
// another suite may start that session at any time.
bool is_runtime_directory(const std::string& name) {
  const std::string user = name.starts_with("pinfold-") ? name.substr(8) : "";
  return !user.empty() && user.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Tree look_at_tree(const std::string& root) {
  Tree tree;
  tree["."] = describe(root);
  std::error_code error;
  fs::recursive_directory_iterator entry(root, error);
  for (fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::string path = entry->path().string();
    tree[path.substr(root.size() + 1)] = describe(path);
  }
  return tree;
}

Texts differences(const Tree& before, const Tree& after, const Texts& allowed) {
  auto is_allowed = [&](const std::string& path) {
    for (const std::string& root : allowed) {
      if (below(path, root)) return true;
      if (root.ends_with('*') && path.starts_with(root.substr(0, root.size() - 1))) return true;
    }
    return false;
  };
  Texts found;
  for (const auto& [path, what] : before) {
    auto now = after.find(path);
    if (is_allowed(path)) continue;
    if (now == after.end()) {
      found.push_back("-" + path);
    } else if (now->second != what) {
      found.push_back("~" + path);
    }
  }
  for (const auto& [path, what] : after) {
    if (!before.contains(path) && !is_allowed(path)) found.push_back("+" + path);
  }
  return found;
}

std::string differences_text(const Tree& before, const Tree& after, const Texts& allowed) {
  const Texts found = differences(before, after, allowed);
  if (found.empty()) return "";
  const std::string path = found[0].substr(1);
  const auto in = [&](const Tree& tree) { return tree.contains(path) ? tree.at(path) : "nothing"; };
  return "; changed: " + found[0] + " (" + in(before) + " → " + in(after) + ")";
}

Machine look_at_machine() {
  Machine machine;
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) machine.mounts.insert(line);
  gather("/sys/fs/cgroup", 6, machine.cgroups);
  for (const char* directory : {"/tmp", "/var/tmp", "/dev/shm", "/run", "/run/user"}) {
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
      std::string name = entry->path().filename().string();
      // Scratch directories of test suites (pinfold-SUITE-XXXXXX) are looked at elsewhere.
      bool scratch = name.starts_with("pinfold-") && std::count(name.begin(), name.end(), '-') >= 2;
      if (name.find("pinfold") != std::string::npos && !scratch && !is_runtime_directory(name))
        machine.names.insert(entry->path().string());
    }
  }
  return machine;
}

// Other runs on this machine start and end during the test, each with names of its own, and a janitor on a busy machine
// takes its time: only what stays is left behind.
std::string left_behind(const Machine& before) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(25);
  std::set<std::string> staying = what_is_new(before);
  for (;;) {
    std::string text;
    for (const std::string& one : staying)
      if (!one.starts_with("file ") || !is_in_use(one.substr(5))) text += " " + one;
    if (text.empty() || std::chrono::steady_clock::now() > end) return text;
    ::usleep(50000);
    std::set<std::string> now = what_is_new(before);
    std::erase_if(staying, [&](const std::string& one) { return !now.contains(one); });
  }
}

void remove_left_cgroups(const Machine& before) {
  for (const std::string& cgroup : look_at_machine().cgroups) {
    bool ours = cgroup.find("/pinfold-") != std::string::npos && !before.cgroups.contains(cgroup);
    // rmdir refuses those in which a process lives.
    if (ours && is_abandoned(cgroup)) ::rmdir(cgroup.c_str());
  }
}

// Mounts that other programs of this machine make during the test do not appear in a mount namespace of our own. It is
// shared with its copies, so that a mount that leaves a sandbox does.
void own_mounts() {
  if (::unshare(CLONE_NEWNS) < 0) {
    if (errno == EPERM) return;  // in a container without CAP_SYS_ADMIN
    give_up("unshare");
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) < 0)
    give_up("mount");
}

void adopt_orphans() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) give_up("PR_SET_CHILD_SUBREAPER");
  if (!exists("/proc/self/task/" + std::to_string(::getpid()) + "/children")) give_up("a kernel without PROC_CHILDREN");
}

std::string survivors(const std::set<pid_t>& expected, Milliseconds patience) {
  auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    std::string alive;
    for (const Process& process : children()) {
      if (expected.contains(process.pid)) continue;
      if (process.state == 'Z') {
        ::waitpid(process.pid, nullptr, WNOHANG);
      } else {
        alive += " " + std::to_string(process.pid) + "(" + process.name + ")";
      }
    }
    if (alive.empty() || std::chrono::steady_clock::now() > end) return alive;
    ::usleep(5000);
  }
}

void end_survivors(const std::set<pid_t>& expected) {
  for (int round = 0; round < 50; ++round) {
    bool any = false;
    for (const Process& process : children()) {
      if (expected.contains(process.pid)) continue;
      any = true;
      ::kill(process.pid, SIGKILL);
      ::waitpid(process.pid, nullptr, 0);
    }
    if (!any) return;
  }
}

std::string processes_that_name(const std::string& text, const std::set<pid_t>& expected) {
  std::string found;
  for (const Process& process : processes()) {
    if (expected.contains(process.pid) || process.pid == ::getpid()) continue;
    std::string all = read_file("/proc/" + std::to_string(process.pid) + "/cmdline") + link_of(process.pid, "cwd") +
                      link_of(process.pid, "exe");
    if (all.find(text) != std::string::npos) found += " " + std::to_string(process.pid) + "(" + process.name + ")";
  }
  return found;
}

}  // namespace escape
