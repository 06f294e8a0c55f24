// table.h: the escape table: each row has the name of its attempt, must succeed bare and must fail boxed.
// Invariant: a row says all that is particular about it; the judge treats every row alike.
// Not here: how rows are run (judge.h), attempts that need the host to act during the run (scenarios).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support.h"
#include "verdict.h"

namespace escape {

class World;

// What the bare control must hold in its hands, or the row proves nothing.
enum class Obtains {
  kSecret,      // its answer contains the world's secret
  kSomething,   // its answer says what
  kChange,      // the scratch tree, or a path in `outside`, is different afterwards
  kHarm,        // the canary process was hurt
  kConnection,  // the canary was reached and answered with the secret
  kExecution,   // the host command `after` ran the planted program
  kTyped,       // something waits in the user's terminal
  kShown,       // the user's terminal showed it
  kSurvivor,    // a process that outlived the command
};

// The users that reach it bare. Where only root does, the ordinary user's control is refused by the kernel itself:
// `because`.
enum class Reach { kBoth, kRootOnly };

// What the boxed attempt would hurt if the sandbox were none.
enum class Risk {
  kOwnThings,   // only what the suite made: the bare control does the same
  kSupervisor,  // its parent, which is the suite's own if there is no sandbox: tried only by confined processes
  kWholeHost,   // PID 1, mounts, all memory: the same, and only if coverage calls its steps enforced
};

enum class Boxed {
  kDenied,           // the attempt itself says so, and the host is as it was
  kHostClean,        // the host is unchanged (private copies, creations undone), for any output
  kCleanOrRefused,   // the same, or Pinfold refuses to run it
  kRefused,          // Pinfold refuses to run it: 125 or 126
  kDeniedOrRefused,  // either
  kEnded,            // denied, or ended by the limit; never reached
  kTimedOut,         // ended with 124
  kSame,             // a positive control: boxed obtains what bare did
};

// kWholeSystem: more than the guests of tests/kernels have, such as 52,000 inodes or all of git's programs. A part of
// the suite (--part) leaves these rows out.
enum class Needs { kFewPrograms, kWholeSystem };

struct Row {
  int number = 0;  // groups attempts; steps.cc: usual_steps()
  std::string name;
  Texts probe = {};        // NAME args…
  std::string shell = {};  // or a shell text: REACHED when it succeeds
  Obtains obtains = Obtains::kSomething;
  Reach reach = Reach::kBoth;
  std::string because = {};          // why the kernel itself denies it to an ordinary user
  std::string kernel_may_lack = {};  // what this kernel may be built without; then bare says ENOSYS or ENOENT
  Boxed boxed = Boxed::kDenied;
  Risk risk = Risk::kOwnThings;
  Texts boxed_probe = {};    // where the target is another one inside (PID 1 for the canary)
  Texts flags = {};          // for pinfold run
  Texts env = {};            // more variables of the caller
  std::string cwd = {};      // for --cwd, otherwise the workspace
  Texts files = {};          // made before, with a secret in each; any bytes
  std::string prepare = {};  // shell on the host, as the user, in the workspace
  std::string after = {};    // shell on the host, as the user, in the workspace, afterwards
  Texts may_leave = {};      // below the base: what the attempt may leave without harm; x* for all that starts so
  Texts outside = {};        // absolute: must not exist afterwards
  Stage stage = Stage::kPipes;
  Mounts bare_mounts = Mounts::kHost;
  std::vector<std::pair<int, std::string>> open = {};
  // A further check of the boxed run; returns the error, or nothing.
  std::function<std::string(const World&, const Ran&)> check = {};
  Steps steps = {};  // that speak for it; when it names none, those of its number (steps.cc)
  Needs needs = Needs::kFewPrograms;
  std::string program = "{probe}";  // the probe of the workspace, or {tool}: one that the command cannot write
};

using Rows = std::vector<Row>;
Rows file_rows();      // 1, 2, 3
Rows policy_rows();    // 5, 6, 7, 9, 10
Rows protect_rows();   // 4
Rows planted_rows();   // 4, by ways that are hard to follow
Rows git_rows();       // 4, git directories by their layout
Rows process_rows();   // 11
Rows kernel_rows();    // 12, 13, 14
Rows exec_rows();      // 15
Rows resource_rows();  // 16
Rows race_rows();      // 18
Rows launch_rows();    // 27, 28, and the first of 20
Rows settings_rows();  // 29, and what files could do of 27
Rows all_rows();       // with their steps

}  // namespace escape
