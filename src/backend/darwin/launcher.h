// launcher.h: starts one program: descriptors, session, limits, directory; and finds and ends its tree.
// Invariant: the program gets 0, 1 and 2 and no other descriptor; what it is called with is an argv, never a shell's
// text. Not here: which program (seatbelt.cc).
#pragma once

#include <sys/resource.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::darwin {

struct Start {
  std::vector<std::string> argv;         // the first is an absolute path
  std::vector<std::string> environment;  // NAME=value
  std::string directory;
  int fds[3] = {0, 1, 2};
  std::string terminal{};  // the slave, opened for those in on_terminal; it becomes the controlling one
  bool on_terminal[3] = {};
  std::vector<std::pair<int, rlimit>> limits{};
};

// What a shell would find in PATH; "./x" lies in the directory. The search is not left to something inside.
Result<std::string> find_program(const std::string& name, std::string_view path, const std::string& directory);

// The process, which leads a session and a group of its own.
Result<pid_t> start(const Start& wanted);

// The group's processes and all their children, whatever group those are in.
std::vector<pid_t> tree_of(pid_t leader);
void signal_tree(pid_t leader, int number);

struct TreeNow {
  std::uint64_t memory = 0;  // bytes
  std::uint64_t processes = 0;
  std::uint64_t cpu_ns = 0;
};
TreeNow look_at_tree(pid_t leader);

}  // namespace pinfold::backend::darwin
