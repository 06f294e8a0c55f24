// observed_access.h: collects the accesses of a command that its base profile would deny.
// Invariant: accesses with equal path, program and kind are one record with a count; records are ordered by path, never
// by time. Not here: the rules for them (rule_synthesis.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "pinfold/report.h"

namespace pinfold::learn {

enum class AccessKind : std::uint8_t {
  kLook,     // stat and similar calls
  kRead,     // read the content
  kExecute,  // execute as a program
  kWrite,    // change the content
  kRename,   // create, delete or rename: needs write access to the parent directory
  kConnect,  // connect to this unix socket
};

struct AccessRecord {
  std::string path;     // canonical
  std::string program;  // the program that used it; may be empty
  AccessKind kind = AccessKind::kRead;
  auto operator<=>(const AccessRecord&) const = default;
};

struct AccessStats {
  std::uint64_t count = 0;
  std::string named{};         // the program's argument, if that is another absolute path
  bool in_failed_run = false;  // a command that used it failed
};

class ObservedAccess {
 public:
  // Ignores limits and denials inferred from the command's error text.
  void add(const Denial& denial);
  void add(AccessRecord record, std::string named);

  enum class End { kSuccess, kFailure };
  // Adds the accesses of another run.
  void add(const ObservedAccess& run, End end);

  const std::map<AccessRecord, AccessStats>& paths() const { return paths_; }
  // Host or address, with the port if known, and the number of attempts.
  const std::map<std::string, std::uint64_t>& network() const { return network_; }

 private:
  std::map<AccessRecord, AccessStats> paths_;
  std::map<std::string, std::uint64_t> network_;
};

}  // namespace pinfold::learn
