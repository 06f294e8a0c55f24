// observed_access.h: what a command used that its base profile would not have let it use, gathered.
// Invariant: the same thing wanted in the same way by the same program is one need, with a count; the order is that of
// paths, never that of time. Not here: what to give for it (rule_synthesis.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "pinfold/report.h"

namespace pinfold::learn {

enum class Want : std::uint8_t {
  kLook,     // that it is there
  kRead,     // what is in it
  kExecute,  // it as a program
  kWrite,    // to change what is in it
  kRename,   // to make, delete or rename it: the directory around it
  kConnect,  // whoever answers at this socket
};

struct Need {
  std::string path;     // canonical
  std::string program;  // who wanted it; may be empty
  Want want = Want::kRead;
  auto operator<=>(const Need&) const = default;
};

struct Times {
  std::uint64_t count = 0;
  std::string named{};    // as the program named it, where that is another absolute path
  bool hindered = false;  // a command that wanted it did not end well
};

class Needs {
 public:
  // What was inferred from the command's error text, and limits, teach nothing.
  void add(const Denial& denial);
  void add(Need need, std::string named);

  enum class End { kWell, kBadly };
  // What one more run needed.
  void add(const Needs& run, End end);

  const std::map<Need, Times>& paths() const { return paths_; }
  // Host or address, with the port if it is known; and how often.
  const std::map<std::string, std::uint64_t>& network() const { return network_; }

 private:
  std::map<Need, Times> paths_;
  std::map<std::string, std::uint64_t> network_;
};

}  // namespace pinfold::learn
