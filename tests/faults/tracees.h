// tracees.h: the processes of one run, each with its role, and how often each has made each system call.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace faults {

// A role is the way from the first process, by order of creation: "0" is the first, "0.2" its second child.
struct Tracee {
  std::string role;
  bool counted = false;  // it runs one of the programs under test
  int error = 0;         // its call is under way and reports this error when it returns
  unsigned children = 0;
  std::map<int, unsigned> calls;  // by system call number
};

class Tracees {
 public:
  explicit Tracees(const std::vector<std::string>& programs);

  Tracee& first(pid_t pid);
  // nullptr where the stop of a new process comes before its parent's report.
  Tracee* find(pid_t pid);
  Tracee& born(pid_t parent, pid_t child);
  void executed(pid_t pid);
  void ended(pid_t pid) { all_.erase(pid); }
  bool empty() const { return all_.empty(); }
  void kill_all() const;
  // "0.1 pinfold, 0.1.1 sh"
  std::string names() const;

 private:
  std::map<pid_t, Tracee> all_;
  std::set<std::pair<dev_t, ino_t>> programs_;
};

// As prctl(PR_SET_NAME) set it.
std::string process_name(pid_t pid);

// Distinguishes the places in a program that make one call: a hash of the return addresses on the stack.
std::uint32_t call_site(pid_t pid, std::uint64_t instruction, std::uint64_t stack);

}  // namespace faults
