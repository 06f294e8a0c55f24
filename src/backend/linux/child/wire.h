// wire.h: what PID 1 and the supervisor say to each other over one SEQPACKET socket.
// Invariant: PODs; one message is one packet; descriptors travel with the message that names them.
// Not here: words for failures (failure.cc).
#pragma once

#include <sys/ioctl.h>
#include <termios.h>

#include <cstdint>

namespace pinfold::backend::linux_native::child {

enum class Stage : std::int32_t {
  kNone,
  kParentDeath,
  kNetwork,
  kIdMap,
  kLoopback,
  kSkeleton,
  kOpenSource,
  kOpenTarget,
  kCloneTree,
  kSetAttributes,
  kMoveMount,
  kMakeEntry,
  kTmpfs,
  kProc,
  kGuardProc,
  kTerminals,
  kPivot,
  kDetach,
  kSealRoot,
  kPidMax,
  kNoNewPrivileges,
  kLandlockCreate,
  kLandlockRule,
  kLandlockRestrict,
  kCapabilities,
  kKeyring,
  kUndumpable,
  kRequest,
  kOpenTerminal,
  kFork,
  kWorkingDirectory,
  kStdio,
  kLimits,
  kFilter,
  kListener,
  kExec,
};

struct Failure {
  Stage stage;
  std::int32_t error;
  std::int32_t index;  // of the op, or -1
};

enum class Tell : std::int32_t {  // PID 1 → supervisor
  kReady,  // every wall is up; `value` is the Landlock ABI in force, 0 for none; carries the sandbox's /proc
  kFailed,
  kListener,  // carries the seccomp listener
  kStarted,   // carries the pty master when there is one; value is the pid inside
  kEnded,     // value is the wait status, extra the number of processes ever started
  kStopped,
  kRehearsed,
};
struct Told {
  Tell tell;
  Failure failure;
  std::int64_t value;
  std::int64_t extra;
};

enum class Ask : std::int32_t {  // supervisor → PID 1
  kRaise,                        // the blueprint lies in shared memory
  kRun,        // carries the argument block, then one descriptor for each stdio that is not a terminal
  kRehearse,   // everything of kRun up to, but not including, exec
  kSignal,     // value: to the command's process group
  kSignalAll,  // value: to every process
};
struct Asked {
  Ask ask;
  std::int32_t terminal_mask;  // bit n: stdio n is the new terminal
  std::int32_t trap;           // 1: install the filter with a listener
  std::int32_t value;
  std::int32_t fresh_signals;  // 1: nothing blocked, nothing ignored, whatever the caller did
  termios terminal;            // what the new terminal starts with
  winsize terminal_size;
};

// The argument block is a memfd: this header, a free slot, then argc + 1 + envc + 1 offsets (0 ends a list), then the
// bytes.
struct ArgumentBlock {
  std::uint64_t size;
  std::uint64_t argc;
  std::uint64_t envc;
  std::uint64_t path;  // offset of the value of PATH, for the search
};

}  // namespace pinfold::backend::linux_native::child
