// argument_checks.cc: the argument checks at the leaves of the filter.
#include "backend/linux/seccomp/argument_checks.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>

namespace pinfold::backend::on_linux {

using bpf::allow;
using bpf::answer;
using bpf::Code;
using bpf::errno_answer;
using bpf::load_argument;
using bpf::op;
using bpf::when_any_bit;
using bpf::when_equal;

namespace {

constexpr std::uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kTimeNamespace = 0x80;  // CLONE_NEWTIME: shares its bit with clone()'s exit signal
constexpr std::uint32_t kSetIdBits = S_ISUID | S_ISGID;
constexpr std::uint32_t kTmpfile = O_TMPFILE & ~static_cast<std::uint32_t>(O_DIRECTORY);
constexpr std::uint32_t kIoPriorityOfProcess = 1;  // IOPRIO_WHO_PROCESS
constexpr unsigned kMarkArgument = 5;              // none of the calls that carry it has so many arguments

sock_filter trap() { return answer(SECCOMP_RET_USER_NOTIF); }

// These ioctls change files through descriptors that are open for reading: flags, project ids, whole subvolumes.
void file_system_ioctl(Code& out) {
  out = {load_argument(1), op(BPF_ALU | BPF_AND | BPF_K, 0xff00)};
  for (std::uint32_t kind : {0x9400U, std::uint32_t{'X'} << 8, std::uint32_t{'f'} << 8, 0xf500U})
    when_equal(out, kind, errno_answer(ENOTTY));
}

// Subvolumes and reflinks: these make or remove names that no filter can read.
void refuse_naming_ioctls(Code& out) {
  out = {load_argument(1), op(BPF_ALU | BPF_AND | BPF_K, 0xffff)};
  constexpr std::uint32_t kBtrfs = 0x9400;
  constexpr std::uint32_t kBcachefs = 0xbc00;
  constexpr std::uint32_t kOcfs2 = std::uint32_t{'o'} << 8;
  constexpr std::uint32_t kLustre = std::uint32_t{'f'} << 8;
  for (std::uint32_t each : {kBtrfs + 1, kBtrfs + 14, kBtrfs + 15, kBtrfs + 23, kBtrfs + 24, kBtrfs + 63,
                             kBcachefs + 16, kBcachefs + 17, kOcfs2 + 4, kLustre + 240})
    when_equal(out, each, errno_answer(ENOTTY));
}

void mode_then(Code& out, unsigned mode_argument, sock_filter then) {
  out = {load_argument(mode_argument)};
  when_any_bit(out, kSetIdBits, errno_answer(EPERM));
  out.push_back(then);
}

}  // namespace

ArgumentChecks::ArgumentChecks(const FilterOptions& options)
    : options_(options),
      landlock_only_(options.isolation == Isolation::kLandlockOnly),
      proxied_(landlock_only_ && options.network == NetworkMode::kDomains),
      observes_(options.observe != ObserveMode::kOff),
      observes_all_(options.observe == ObserveMode::kFull),
      unix_sockets_(landlock_only_ && (options.landlock_abi < 9 || proxied_) ? Unix::kPairs : Unix::kAny),
      creates_(options.traps == Traps::kOff && !observes_ ? allow() : trap()),
      changes_(landlock_only_ ? or_refused()
               : observes_    ? trap()
                              : allow()),
      changes_open_(landlock_only_ ? or_refused() : allow()),
      removes_(options.traps == Traps::kChanges || observes_ ? trap() : allow()) {}

Code ArgumentChecks::code(SyscallAction action) const {
  Code out;
  switch (action) {
    case SyscallAction::kAllow: out = {allow()}; break;
    case SyscallAction::kRefuse: out = {errno_answer(EPERM)}; break;
    case SyscallAction::kAbsent: out = {errno_answer(ENOSYS)}; break;
    case SyscallAction::kFork: out = {options_.exec == ExecMode::kNone ? errno_answer(EPERM) : allow()}; break;
    case SyscallAction::kMemfd:
      out = {options_.exec == ExecMode::kAny && options_.shared_memory == SharedMemory::kAllowed ? allow()
                                                                                                 : errno_answer(EPERM)};
      break;
    case SyscallAction::kSharedMemory:
      out = {options_.shared_memory == SharedMemory::kAllowed && !landlock_only_ ? allow() : errno_answer(ENOSYS)};
      break;
    case SyscallAction::kSharedIpc:
    case SyscallAction::kChangesFileAnew: out = {landlock_only_ ? errno_answer(ENOSYS) : allow()}; break;
    // Landlock has no right for it, and an attribute may hold a secret: the address that a file came from, with its
    // password.
    case SyscallAction::kReadsAttributes: out = {landlock_only_ ? errno_answer(EOPNOTSUPP) : allow()}; break;
    case SyscallAction::kChangesFile: out = {changes_}; break;
    case SyscallAction::kChangesOpenFile: out = {changes_open_}; break;
    case SyscallAction::kTimes: times(out); break;
    case SyscallAction::kConnects:
      if (proxied_)
        out = {or_refused()};
      else
        out = {observes_ ? trap() : allow()};
      break;
    case SyscallAction::kBinds:
      if (proxied_)
        out = {errno_answer(EACCES)};
      else
        out = {creates_};  // a local socket with a path is a new name
      break;
    case SyscallAction::kExecutes:
      if (observes_)
        unless_marked(out);
      else
        out = {allow()};
      break;
    case SyscallAction::kEnters:
      if (options_.asks)
        unless_marked(out);
      else
        looks(out);
      break;
    case SyscallAction::kLooks: looks(out); break;
    case SyscallAction::kLooksAt: looks_by_flags(out, 3); break;
    case SyscallAction::kLooksFlagsThird: looks_by_flags(out, 2); break;
    case SyscallAction::kTruncate:
      // Landlock has no right for it before ABI 3.
      out = {landlock_only_ && options_.landlock_abi < 3 ? or_refused() : removes_};
      break;
    case SyscallAction::kRemovesName: out = {removes_}; break;
    case SyscallAction::kTargetsFirst: targets(out, 0); break;
    case SyscallAction::kPriority: targets_of_kind(out, PRIO_PROCESS); break;
    case SyscallAction::kIoPriority: targets_of_kind(out, kIoPriorityOfProcess); break;
    // Landlock scopes signals since ABI 6. Without traps they stay allowed: abort() signals its own process.
    case SyscallAction::kSignals:
      out = {landlock_only_ && options_.landlock_abi < 6 && options_.traps != Traps::kOff ? trap() : allow()};
      break;
    case SyscallAction::kSocket:
    case SyscallAction::kSocketPair:
    case SyscallAction::kListens:
    case SyscallAction::kSends:
    case SyscallAction::kSendsMessage:
    case SyscallAction::kSocketOption: sockets(out, action); break;
    case SyscallAction::kCreatesName: out = {creates_}; break;
    case SyscallAction::kClone: clone(out); break;
    case SyscallAction::kUnshare:
      out = {load_argument(0)};
      when_any_bit(out, kNamespaces | kTimeNamespace, errno_answer(EPERM));
      out.push_back(allow());
      break;
    case SyscallAction::kIoctl:
      if (landlock_only_)
        file_system_ioctl(out);
      else
        refuse_naming_ioctls(out);
      out.push_back(load_argument(1));
      // Landlock treats the other end of a new terminal as a device of the host; the supervisor opens it for the
      // caller.
      if (landlock_only_ && options_.traps != Traps::kOff) when_equal(out, TIOCGPTPEER, trap());
      // TIOCSETD loads line disciplines into the kernel: drivers of modems and buses, with nothing to do here.
      for (std::uint32_t refused :
           {std::uint32_t{TIOCSTI}, std::uint32_t{TIOCLINUX}, std::uint32_t{TIOCCONS}, std::uint32_t{TIOCSETD}})
        when_equal(out, refused, errno_answer(EPERM));
      out.push_back(allow());
      break;
    case SyscallAction::kTraces:
      out = {options_.debuggers == Debuggers::kAllowed ? allow() : errno_answer(EPERM)};
      break;
    case SyscallAction::kPersonality:
      out = {load_argument(0)};
      when_equal(out, 0, allow());
      when_equal(out, 0xffffffff, allow());  // only queries
      // Debuggers start programs without address randomization.
      if (options_.debuggers == Debuggers::kAllowed) when_equal(out, ADDR_NO_RANDOMIZE, allow());
      out.push_back(errno_answer(EPERM));
      break;
    case SyscallAction::kPrctl:
      out = {load_argument(0)};
      when_equal(out, PR_SET_MM, errno_answer(EPERM));
      out.push_back(allow());
      break;
    case SyscallAction::kMakeNode: make_node(out, 1); break;
    case SyscallAction::kMakeNodeAt: make_node(out, 2); break;
    case SyscallAction::kChmod: mode_then(out, 1, changes_); break;
    case SyscallAction::kChmodOpenFile: mode_then(out, 1, changes_open_); break;
    case SyscallAction::kChmodAt: mode_then(out, 2, changes_); break;
    case SyscallAction::kCreat: mode_then(out, 1, creates_); break;
    case SyscallAction::kOpen: open(out, 1); break;
    case SyscallAction::kOpenAt: open(out, 2); break;
    case SyscallAction::kMkdir:
    case SyscallAction::kMkdirAt: out = {creates_}; break;  // mkdir(2) ignores set-id bits
  }
  return out;
}

// Without a listener a call that would be trapped fails with EPERM.
sock_filter ArgumentChecks::or_refused() const { return options_.traps == Traps::kOff ? errno_answer(EPERM) : trap(); }

void ArgumentChecks::targets(Code& out, unsigned argument) const {
  if (!landlock_only_) {
    out = {allow()};
    return;
  }
  out = {load_argument(argument)};
  when_equal(out, 0, allow());
  out.push_back(or_refused());
}

// 0 means the caller only for the target kind "process": the caller's process group and user extend beyond the sandbox.
void ArgumentChecks::targets_of_kind(Code& out, std::uint32_t process) const {
  if (!landlock_only_) {
    out = {allow()};
    return;
  }
  Code itself;
  targets(itself, 1);
  out = {load_argument(0), op(BPF_JMP | BPF_JEQ | BPF_K, process, 0, static_cast<std::uint8_t>(itself.size()))};
  out.insert(out.end(), itself.begin(), itself.end());
  out.push_back(or_refused());
}

void ArgumentChecks::clone(Code& out) const {
  out = {load_argument(0)};
  when_any_bit(out, kNamespaces, errno_answer(EPERM));
  if (options_.exec == ExecMode::kNone) {
    when_any_bit(out, CLONE_THREAD, allow());
    out.push_back(errno_answer(EPERM));
  } else {
    out.push_back(allow());
  }
}

void ArgumentChecks::make_node(Code& out, unsigned mode_argument) const {
  out = {load_argument(mode_argument)};
  when_any_bit(out, kSetIdBits, errno_answer(EPERM));
  out.push_back(op(BPF_ALU | BPF_AND | BPF_K, S_IFMT));
  when_equal(out, S_IFCHR, errno_answer(EPERM));
  when_equal(out, S_IFBLK, errno_answer(EPERM));
  out.push_back(creates_);
}
// With a path: a change by name. A null path means the descriptor itself; its open was checked.
void ArgumentChecks::times(Code& out) const {
  constexpr auto kHighHalf = static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 + 4);
  out = {load_argument(1), op(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3), bpf::load(kHighHalf)};
  when_equal(out, 0, changes_open_);
  out.push_back(changes_);
}

// Between installing the filter and the command's first instruction, no supervisor handles trapped calls yet.
void ArgumentChecks::unless_marked(Code& out) const {
  out.push_back(load_argument(kMarkArgument));
  when_equal(out, options_.mark, allow());
  out.push_back(trap());
}

void ArgumentChecks::looks(Code& out) const {
  if (observes_all_)
    unless_marked(out);
  else
    out = {allow()};
}

// AT_EMPTY_PATH: the call is about an open file.
void ArgumentChecks::looks_by_flags(Code& out, unsigned flags_argument) const {
  if (observes_all_) {
    out = {load_argument(flags_argument)};
    when_any_bit(out, AT_EMPTY_PATH, allow());
  }
  Code rest;
  looks(rest);
  out.insert(out.end(), rest.begin(), rest.end());
}

// The mode argument is garbage unless the flags create a file.
void ArgumentChecks::open(Code& out, unsigned flags_argument) const {
  out = {load_argument(flags_argument)};
  if (landlock_only_) writing_open(out, flags_argument);
  Code existing;
  if (observes_ && !observes_all_) when_any_bit(existing, O_WRONLY | O_RDWR | O_TRUNC, trap());
  // O_PATH gives no access to the file's data: no approval request.
  if (options_.asks && !observes_all_) when_any_bit(existing, O_PATH, allow());
  existing.push_back(observes_all_ || options_.asks ? trap() : allow());
  out.push_back(op(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | kTmpfile, static_cast<std::uint8_t>(existing.size()), 0));
  out.insert(out.end(), existing.begin(), existing.end());
  out.push_back(load_argument(flags_argument + 1));
  when_any_bit(out, kSetIdBits, errno_answer(EPERM));
  out.push_back(load_argument(flags_argument));
  when_any_bit(out, O_CREAT, creates_);
  out.push_back(observes_ ? trap() : allow());
}

// O_RDONLY | O_TRUNC truncates a file that may only be read; Landlock refuses it only since ABI 3.
void ArgumentChecks::writing_open(Code& out, unsigned flags_argument) const {
  Code truncating = {op(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE)};
  when_equal(truncating, O_RDONLY, errno_answer(EACCES));
  truncating.push_back(load_argument(flags_argument));
  out.push_back(op(BPF_JMP | BPF_JSET | BPF_K, O_TRUNC, 0, static_cast<std::uint8_t>(truncating.size())));
  out.insert(out.end(), truncating.begin(), truncating.end());
  if (options_.traps != Traps::kChanges) return;
  Code existing = {op(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | kTmpfile, 1, 0), trap()};
  out.push_back(op(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR, 0, static_cast<std::uint8_t>(existing.size())));
  out.insert(out.end(), existing.begin(), existing.end());
}

}  // namespace pinfold::backend::on_linux
