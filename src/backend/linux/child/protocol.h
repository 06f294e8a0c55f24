// protocol.h: what PID 1 and the supervisor say to each other over one SEQPACKET socket.
// Invariant: PODs; one message is one packet; descriptors travel with the message that names them.
// Not here: words for failures (failure.cc).
#pragma once

#include <sys/ioctl.h>
#include <termios.h>

#include <cstdint>

namespace pinfold::backend::on_linux::child {

enum class Stage : std::int32_t {
  kNone,
  kParentDeath,
  kNamespaces,
  kNetwork,
  kIdMap,
  kLoopback,
  kRoute,
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
  kCheck,
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

// The exit status of a first process that could not end all that was below it.
inline constexpr int kLeftSome = 3;

// Each message may wake the supervisor up, on another processor: what can be said at once is one message.
enum class Tell : std::int32_t {  // PID 1 → supervisor
  kFailed,
  kStarted,    // value is the Landlock ABI in force, 0 for none; extra who keeps the command, in its own numbering
  kRehearsed,  // the same, short of exec
  kEnded,      // value is the wait status, extra the number of processes ever started; what they used, if kept
  kStopped,
  kSocket,      // value is 0 or an errno
  kNamespaces,  // the same
  kKept,        // by a process that is to keep one command, the first thing it says
  kUsed,        // by whoever kept a command that was ended with its tree: as with kEnded
};
// The descriptors that come with a message, in this order.
enum Carried : std::int32_t {
  kCarriesProc = 1,      // the sandbox's /proc
  kCarriesListener = 2,  // for seccomp's notifications
  kCarriesTerminal = 4,  // the pty's master side
  kCarriesSocket = 8,
  kCarriesUser = 16,    // the user namespace
  kCarriesMounts = 32,  // the mount namespace
};
struct Told {
  Tell tell;
  std::int32_t carried;
  Failure failure;
  std::int64_t value;
  std::int64_t extra;
  std::int64_t cpu;     // microseconds
  std::int64_t memory;  // bytes, of the largest process
};

enum class Ask : std::int32_t {  // supervisor → PID 1
  kRaise,                        // the blueprint lies in shared memory
  kRun,         // carries the argument block, then one descriptor for each stdio that is not a terminal
  kRehearse,    // everything of kRun up to, but not including, exec
  kSignal,      // value: to the command's process group
  kSignalAll,   // value: to every process
  kOpenSocket,  // in the sandbox's network
  kNamespaces,  // wants descriptors of the sandbox's own
  kKeep,  // carries a socket: from now on a new process listens there as we do here, for one command; trap as it will
          // be
};

struct SocketAddress {
  std::int32_t type;    // SOCK_STREAM, which listens, or SOCK_DGRAM
  std::int32_t family;  // AF_INET, AF_INET6
  std::uint8_t address[16];
  std::uint16_t port;
};

struct Asked {
  Ask ask;
  std::int32_t terminal_mask;  // bit n: stdio n is the new terminal
  std::int32_t trap;           // 1: install the filter with a listener
  std::int32_t value;          // for kRun, 1: this is the only command, and PID 1 ends with it
  std::int32_t fresh_signals;  // 1: nothing blocked, nothing ignored, whatever the caller did
  termios terminal;            // what the new terminal starts with
  winsize terminal_size;
  SocketAddress socket;
};

// The argument block is a memfd: this header, a free slot, then argc + 1 + envc + 1 offsets (0 ends a list), then the
// bytes.
struct ArgumentBlock {
  std::uint64_t size;
  std::uint64_t argc;
  std::uint64_t envc;
  std::uint64_t path;         // offset of the value of PATH, for the search
  std::uint64_t working_dir;  // offset, or 0: that of the frame
};

}  // namespace pinfold::backend::on_linux::child
