// launcher.h: starts one program: descriptors, session, limits, directory; and finds and ends its tree.
// Invariant: the program gets the descriptors 0, 1 and 2 and no other; its arguments are an argv, never text for a
// shell. Not here: which program (seatbelt.cc).
#pragma once

#include <sys/resource.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::darwin {

struct StartRequest {
  std::vector<std::string> argv;         // the first is an absolute path
  std::vector<std::string> environment;  // NAME=value
  std::string directory;
  int fds[3] = {0, 1, 2};
  std::string terminal{};  // the slave, opened for those in on_terminal; it becomes the controlling one
  bool on_terminal[3] = {};
  std::vector<std::pair<int, rlimit>> limits{};
};

// Searches PATH as a shell does; "./x" is relative to `directory`. The search runs outside the sandbox.
Result<std::string> find_program(const std::string& name, std::string_view path, const std::string& directory);

// Returns the process: leader of a new session and process group.
Result<pid_t> start(const StartRequest& wanted);

// The processes of the group and all their descendants, in any process group.
std::vector<pid_t> tree_of(pid_t leader);
void signal_tree(pid_t leader, int number);

struct ProcessTreeUsage {
  std::uint64_t memory = 0;  // bytes
  std::uint64_t processes = 0;
  std::uint64_t cpu_ns = 0;
};
ProcessTreeUsage measure_tree(pid_t leader);

}  // namespace pinfold::backend::darwin
