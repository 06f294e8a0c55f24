// protocol.h: the messages between init and the supervisor over one SEQPACKET socket.
// Invariant: PODs; one message is one packet; descriptors are sent with the message that names them.
// Not here: texts of failures (failure.cc).
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

// The exit status of an init that could not end all processes below it.
inline constexpr int kProcessesLeft = 3;

// Each message may wake the supervisor on another processor, so related facts share one message.
enum class EventKind : std::int32_t {  // init → supervisor
  kFailed,
  kStarted,    // value: the Landlock ABI in force, 0 for none; extra: the pid of the sender in its own pid namespace
  kRehearsed,  // as kStarted, without exec
  kEnded,  // value: the wait status; extra: the number of processes ever started; from a command init, with its usage
  kStopped,
  kSocket,            // value is 0 or an errno
  kNamespaces,        // value is 0 or an errno
  kCommandInitReady,  // a command init's first message
  kUsage,             // from a command init whose tree was ended on request: usage as with kEnded
};
// The descriptors that come with an event, in this order.
enum EventDescriptor : std::int32_t {
  kCarriesProc = 1,      // the sandbox's /proc
  kCarriesListener = 2,  // for seccomp's notifications
  kCarriesTerminal = 4,  // the pty's master side
  kCarriesSocket = 8,
  kCarriesUser = 16,    // the user namespace
  kCarriesMounts = 32,  // the mount namespace
};
struct EventMessage {
  EventKind kind;
  std::int32_t descriptors;
  Failure failure;
  std::int64_t value;
  std::int64_t extra;
  std::int64_t cpu;     // microseconds
  std::int64_t memory;  // bytes, of the largest process
};

enum class RequestKind : std::int32_t {  // supervisor → init
  kConfine,                              // the blueprint lies in shared memory
  kRun,         // carries the argument block, then one descriptor for each stdio that is not a terminal
  kRehearse,    // everything of kRun up to, but not including, exec
  kSignal,      // value: to the command's process group
  kSignalAll,   // value: to every process
  kOpenSocket,  // in the sandbox's network namespace
  kNamespaces,  // asks for descriptors of the sandbox's own
  // carries a socket, on which a new command init receives requests for one command; trap: of that command
  kForkCommandInit,
};

struct SocketAddress {
  std::int32_t type;    // SOCK_STREAM, which listens, or SOCK_DGRAM
  std::int32_t family;  // AF_INET, AF_INET6
  std::uint8_t address[16];
  std::uint16_t port;
};

struct RequestMessage {
  RequestKind kind;
  std::int32_t terminal_mask;  // bit n: stdio n is the new terminal
  std::int32_t trap;           // 1: install the filter with a listener
  std::int32_t value;          // for kRun, 1: this is the only command, and init exits with it
  std::int32_t fresh_signals;  // 1: no signal blocked or ignored, regardless of the caller's state
  termios terminal;            // initial settings of the new terminal
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
  std::uint64_t working_dir;  // offset, or 0: the frame's directory
};

}  // namespace pinfold::backend::on_linux::child
