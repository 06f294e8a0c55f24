// coverage.h: how well a backend enforces each step of a plan, measured by trying it on this host.
// Invariant: an enforced row has no gap; a partial or absent row names its gap.
// Not here: the decision to run in spite of a gap (supervisor).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold {

enum class Strength { kAbsent, kPartial, kEnforced };

// The rows of coverage; several plan steps of one kind share a row.
namespace step_name {
inline constexpr const char* kRead = "files.read";
inline constexpr const char* kWrite = "files.write";
inline constexpr const char* kHidden = "files.hidden";
inline constexpr const char* kProtected = "files.protected";
inline constexpr const char* kProtectedNew = "files.protected-new";
// Protected names below the top of a writable directory that exist but were not found or could not be protected.
inline constexpr const char* kProtectedBelow = "files.protected-below";
inline constexpr const char* kGit = "files.git";
inline constexpr const char* kPatterns = "files.patterns";
inline constexpr const char* kLandlock = "files.landlock";
inline constexpr const char* kTmp = "tmp";
inline constexpr const char* kDevices = "devices";
inline constexpr const char* kProcesses = "processes";
inline constexpr const char* kNetwork = "network";
// Whether sandboxed programs can talk to each other by sockets. This is not a restriction: a gap means that it fails.
inline constexpr const char* kNetworkInside = "network.inside";
inline constexpr const char* kExec = "exec";
inline constexpr const char* kEnvironment = "environment";
inline constexpr const char* kIdentity = "identity";
inline constexpr const char* kTerminal = "terminal";
inline constexpr const char* kSystemCalls = "system-calls";
inline constexpr const char* kObserve = "observe";
inline constexpr const char* kWallTime = "limit.time";
inline constexpr const char* kMemory = "limit.memory";
inline constexpr const char* kProcessCount = "limit.processes";
inline constexpr const char* kCpuTime = "limit.cpu";
inline constexpr const char* kFileSize = "limit.file-size";
inline constexpr const char* kOutputSize = "limit.output";
}  // namespace step_name

struct Coverage {
  std::string step;
  Need need = Need::kRequired;
  Strength strength = Strength::kAbsent;
  std::string mechanism;
  std::string gap;  // empty when enforced
  std::string fix;  // a command that closes the gap on this host, or empty
};

// The name of the coverage row that a plan step belongs to; "" for MakeDirectory, MakeLink and MakeFile.
PINFOLD_API std::string coverage_row(const Step& step);

// Rows that are required and not fully enforced.
PINFOLD_API std::vector<Coverage> gaps_that_refuse(const std::vector<Coverage>& rows);

}  // namespace pinfold
