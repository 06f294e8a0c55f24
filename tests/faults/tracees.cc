// tracees.cc: roles by order of creation, so that they are the same in every run of one command.
// Invariant: only processes that run a program under test are counted; the sandboxed command never is.
// Not here: ptrace (fault_injector.cc).
#include "tracees.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace faults {

Tracees::Tracees(const std::vector<std::string>& programs) {
  for (const std::string& path : programs) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) programs_.insert({info.st_dev, info.st_ino});
  }
}

Tracee& Tracees::first(pid_t pid) {
  Tracee& tracee = all_[pid];
  tracee.role = "0";
  return tracee;
}

Tracee* Tracees::find(pid_t pid) {
  auto found = all_.find(pid);
  return found == all_.end() ? nullptr : &found->second;
}

Tracee& Tracees::born(pid_t parent, pid_t child) {
  Tracee& above = all_[parent];
  Tracee& tracee = all_[child];
  tracee.role = above.role + "." + std::to_string(++above.children);
  tracee.counted = above.counted;
  return tracee;
}

void Tracees::executed(pid_t pid) {
  struct stat info {};
  const std::string link = "/proc/" + std::to_string(pid) + "/exe";
  const bool known = ::stat(link.c_str(), &info) == 0 && programs_.contains({info.st_dev, info.st_ino});
  all_[pid].counted = known;
}

void Tracees::kill_all() const {
  for (const auto& [pid, tracee] : all_) ::kill(pid, SIGKILL);
}

std::string Tracees::names() const {
  std::string names;
  for (const auto& [pid, tracee] : all_) {
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", ignored);
    names += (names.empty() ? "" : ", ") + tracee.role + " " + program.filename().string();
  }
  return names;
}

std::string process_name(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

// Without frame pointers: the first words of the stack that could be return addresses of a program without ASLR. A
// stale one only makes two sites of one.
std::uint32_t call_site(pid_t pid, std::uint64_t instruction, std::uint64_t stack) {
  std::array<std::uint64_t, 192> words{};
  iovec local{words.data(), sizeof words};
  iovec remote{reinterpret_cast<void*>(stack), sizeof words};
  std::uint32_t hash = 2166136261U;
  const auto mix = [&](std::uint64_t word) { hash = (hash ^ static_cast<std::uint32_t>(word)) * 16777619U; };
  mix(instruction);
  const ssize_t got = ::process_vm_readv(pid, &local, 1, &remote, 1, 0);
  unsigned taken = 0;
  for (std::size_t i = 0; got > 0 && i < static_cast<std::size_t>(got) / sizeof words[0] && taken < 3; ++i) {
    if (words[i] < 0x401000 || words[i] > 0xc00000) continue;
    mix(words[i]);
    ++taken;
  }
  return hash;
}

}  // namespace faults
