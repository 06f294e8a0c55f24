// steps.cc: see steps.h.
#include "steps.h"

#include <algorithm>

namespace escape {
namespace {

// Partial says: the step holds, but for the gap it names. So the heart of a step is excused by its absence alone:
// contents of files are not read where only their names can be seen. Rows that try the known gaps say `any_gap`.
const std::map<int, Steps>& usual_steps() {
  static const std::map<int, Steps> kUsual = {
      {1, absence({step::kRead})},
      {2, absence({step::kWrite})},
      {3, absence({step::kRead, step::kWrite})},
      {4, any_gap({step::kProtected, step::kProtectedNew, step::kGit})},
      {5, absence({step::kRead, step::kWrite})},
      {6, absence({step::kHidden})},
      {7, absence({step::kSystemCalls, step::kIdentity})},
      {8, always()},
      {9, always()},
      {10, always()},
      {11, absence({step::kProcesses})},
      {12, absence({step::kSystemCalls, step::kIdentity})},
      {13, absence({step::kSystemCalls, step::kIdentity})},
      {14, absence({step::kTerminal})},
      {15, any_gap({step::kExec})},
      {17, always()},
      {19, always()},
      {20, absence({step::kNetwork})},
      {27, absence({step::kEnvironment})},
      {28, always()},
      {29, always()},
      // 16 (limits) and 18 (races) have none: each row says which limit, which file.
  };
  return kUsual;
}

const Texts& known_steps() {
  static const Texts kKnown = {kAlways,
                               step::kRead,
                               step::kWrite,
                               step::kHidden,
                               step::kProtected,
                               step::kProtectedNew,
                               step::kProtectedBelow,
                               step::kGit,
                               step::kPatterns,
                               step::kLandlock,
                               step::kTmp,
                               step::kDevices,
                               step::kProcesses,
                               step::kNetwork,
                               step::kExec,
                               step::kEnvironment,
                               step::kIdentity,
                               step::kTerminal,
                               step::kSystemCalls,
                               step::kWallTime,
                               step::kMemory,
                               step::kProcessCount,
                               step::kCpuTime,
                               step::kFileSize,
                               step::kOutputSize};
  return kKnown;
}

}  // namespace

void add_usual_steps(Rows& rows) {
  for (Row& row : rows) {
    if (!row.steps.any_gap.empty() || !row.steps.absence.empty()) continue;
    auto usual = usual_steps().find(row.number);
    if (usual != usual_steps().end()) row.steps = usual->second;
  }
}

std::string faults(const Steps& steps) {
  if (steps.any_gap.empty() && steps.absence.empty()) return "no step of coverage speaks for it";
  for (const Texts* names : {&steps.any_gap, &steps.absence}) {
    for (const std::string& name : *names) {
      if (std::find(known_steps().begin(), known_steps().end(), name) == known_steps().end())
        return "coverage has no step " + name;
    }
  }
  return "";
}

}  // namespace escape
