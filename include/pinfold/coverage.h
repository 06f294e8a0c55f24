// coverage.h: how well a backend enforces a plan, step by step, found by trying.
// Invariant: `enforced` has no gap; anything less names it.
// Not here: deciding whether to go on (supervisor).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold {

enum class Strength { kAbsent, kPartial, kEnforced };

// The steps that coverage speaks about; several plan steps of one kind share a row.
namespace step_name {
inline constexpr const char* kRead = "files.read";
inline constexpr const char* kWrite = "files.write";
inline constexpr const char* kHidden = "files.hidden";
inline constexpr const char* kProtected = "files.protected";
inline constexpr const char* kProtectedNew = "files.protected-new";
// Names below the top of a writable directory that exist, but were not found, or not protected.
inline constexpr const char* kProtectedBelow = "files.protected-below";
inline constexpr const char* kGit = "files.git";
inline constexpr const char* kPatterns = "files.patterns";
inline constexpr const char* kSecondWall = "files.second-wall";
inline constexpr const char* kTmp = "tmp";
inline constexpr const char* kDevices = "devices";
inline constexpr const char* kProcesses = "processes";
inline constexpr const char* kNetwork = "network";
// Whether programs inside can talk to each other by sockets: nothing that anybody is kept from, but missed where it is
// not so.
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
  std::string fix;  // what would close the gap on this host, or empty
};

// The name of the coverage row that a plan step belongs to; MakeX steps belong to none ("").
PINFOLD_API std::string coverage_row(const Step& step);

// Rows that are required and not enforced.
PINFOLD_API std::vector<Coverage> gaps_that_refuse(const std::vector<Coverage>& rows);

}  // namespace pinfold
