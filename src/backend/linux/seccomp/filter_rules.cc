// filter_rules.cc: the checks of arguments at the leaves of the filter.
#include "backend/linux/seccomp/filter_rules.h"

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

// File systems change files through descriptors that were opened for reading: flags, projects, whole subvolumes.
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

Answers::Answers(const FilterOptions& options)
    : options_(options),
      rules_only_(options.apart == Apart::kRules),
      proxied_(rules_only_ && options.network == NetworkMode::kDomains),
      observes_(options.observe != ObserveMode::kOff),
      observes_all_(options.observe == ObserveMode::kFull),
      unix_sockets_(rules_only_ && (options.landlock_abi < 9 || proxied_) ? Unix::kPairs : Unix::kAny),
      creates_(options.traps == Traps::kOff && !observes_ ? allow() : trap()),
      changes_(rules_only_ ? or_refused()
               : observes_ ? trap()
                           : allow()),
      changes_open_(rules_only_ ? or_refused() : allow()),
      removes_(options.traps == Traps::kChanges || observes_ ? trap() : allow()) {}

Code Answers::code(Verdict verdict) const {
  Code out;
  switch (verdict) {
    case Verdict::kAllow: out = {allow()}; break;
    case Verdict::kRefuse: out = {errno_answer(EPERM)}; break;
    case Verdict::kAbsent: out = {errno_answer(ENOSYS)}; break;
    case Verdict::kFork: out = {options_.exec == ExecMode::kNone ? errno_answer(EPERM) : allow()}; break;
    case Verdict::kMemfd:
      out = {options_.exec == ExecMode::kAny && options_.shared_memory == SharedMemory::kAllowed ? allow()
                                                                                                 : errno_answer(EPERM)};
      break;
    case Verdict::kSharedMemory:
      out = {options_.shared_memory == SharedMemory::kAllowed && !rules_only_ ? allow() : errno_answer(ENOSYS)};
      break;
    case Verdict::kSharedIpc:
    case Verdict::kChangesFileAnew: out = {rules_only_ ? errno_answer(ENOSYS) : allow()}; break;
    // Landlock has no right for it, and an attribute may hold a secret: the address that a file came from, with its
    // password.
    case Verdict::kReadsAttributes: out = {rules_only_ ? errno_answer(EOPNOTSUPP) : allow()}; break;
    case Verdict::kChangesFile: out = {changes_}; break;
    case Verdict::kChangesOpenFile: out = {changes_open_}; break;
    case Verdict::kTimes: times(out); break;
    case Verdict::kConnects:
      if (proxied_)
        out = {or_refused()};
      else
        out = {observes_ ? trap() : allow()};
      break;
    case Verdict::kBinds:
      if (proxied_)
        out = {errno_answer(EACCES)};
      else
        out = {creates_};  // a local socket with a path is a new name
      break;
    case Verdict::kExecutes:
      if (observes_)
        unless_marked(out);
      else
        out = {allow()};
      break;
    case Verdict::kEnters:
      if (options_.asks)
        unless_marked(out);
      else
        looks(out);
      break;
    case Verdict::kLooks: looks(out); break;
    case Verdict::kLooksAt: looks_by_flags(out, 3); break;
    case Verdict::kLooksFlagsThird: looks_by_flags(out, 2); break;
    case Verdict::kTruncate:
      // Landlock has no right for it before ABI 3.
      out = {rules_only_ && options_.landlock_abi < 3 ? or_refused() : removes_};
      break;
    case Verdict::kRemovesName: out = {removes_}; break;
    case Verdict::kTargetsFirst: targets(out, 0); break;
    case Verdict::kPriority: targets_of_kind(out, PRIO_PROCESS); break;
    case Verdict::kIoPriority: targets_of_kind(out, kIoPriorityOfProcess); break;
    // Landlock's own since ABI 6. A program that could not signal itself could not even abort.
    case Verdict::kSignals:
      out = {rules_only_ && options_.landlock_abi < 6 && options_.traps != Traps::kOff ? trap() : allow()};
      break;
    case Verdict::kSocket:
    case Verdict::kSocketPair:
    case Verdict::kListens:
    case Verdict::kSends:
    case Verdict::kSendsMessage:
    case Verdict::kSocketOption: sockets(out, verdict); break;
    case Verdict::kCreatesName: out = {creates_}; break;
    case Verdict::kClone: clone(out); break;
    case Verdict::kUnshare:
      out = {load_argument(0)};
      when_any_bit(out, kNamespaces | kTimeNamespace, errno_answer(EPERM));
      out.push_back(allow());
      break;
    case Verdict::kIoctl:
      if (rules_only_)
        file_system_ioctl(out);
      else
        refuse_naming_ioctls(out);
      out.push_back(load_argument(1));
      // Landlock sees the other end of a new terminal as one of the host's; the supervisor opens it for the caller.
      if (rules_only_ && options_.traps != Traps::kOff) when_equal(out, TIOCGPTPEER, trap());
      // TIOCSETD loads line disciplines into the kernel: drivers of modems and buses, with nothing to do here.
      for (std::uint32_t refused :
           {std::uint32_t{TIOCSTI}, std::uint32_t{TIOCLINUX}, std::uint32_t{TIOCCONS}, std::uint32_t{TIOCSETD}})
        when_equal(out, refused, errno_answer(EPERM));
      out.push_back(allow());
      break;
    case Verdict::kTraces: out = {options_.debuggers == Debuggers::kAllowed ? allow() : errno_answer(EPERM)}; break;
    case Verdict::kPersonality:
      out = {load_argument(0)};
      when_equal(out, 0, allow());
      when_equal(out, 0xffffffff, allow());  // only asks
      // What a debugger runs has its memory in the same places each time.
      if (options_.debuggers == Debuggers::kAllowed) when_equal(out, ADDR_NO_RANDOMIZE, allow());
      out.push_back(errno_answer(EPERM));
      break;
    case Verdict::kPrctl:
      out = {load_argument(0)};
      when_equal(out, PR_SET_MM, errno_answer(EPERM));
      out.push_back(allow());
      break;
    case Verdict::kMakeNode: make_node(out, 1); break;
    case Verdict::kMakeNodeAt: make_node(out, 2); break;
    case Verdict::kChmod: mode_then(out, 1, changes_); break;
    case Verdict::kChmodOpenFile: mode_then(out, 1, changes_open_); break;
    case Verdict::kChmodAt: mode_then(out, 2, changes_); break;
    case Verdict::kCreat: mode_then(out, 1, creates_); break;
    case Verdict::kOpen: open(out, 1); break;
    case Verdict::kOpenAt: open(out, 2); break;
    case Verdict::kMkdir:
    case Verdict::kMkdirAt: out = {creates_}; break;  // mkdir(2) ignores set-id bits
  }
  return out;
}

// Where nobody can be asked, the answer is no.
sock_filter Answers::or_refused() const { return options_.traps == Traps::kOff ? errno_answer(EPERM) : trap(); }

void Answers::targets(Code& out, unsigned argument) const {
  if (!rules_only_) {
    out = {allow()};
    return;
  }
  out = {load_argument(argument)};
  when_equal(out, 0, allow());
  out.push_back(or_refused());
}

// 0 means the caller itself only where a process is named: its group and its user reach beyond the sandbox.
void Answers::targets_of_kind(Code& out, std::uint32_t process) const {
  if (!rules_only_) {
    out = {allow()};
    return;
  }
  Code itself;
  targets(itself, 1);
  out = {load_argument(0), op(BPF_JMP | BPF_JEQ | BPF_K, process, 0, static_cast<std::uint8_t>(itself.size()))};
  out.insert(out.end(), itself.begin(), itself.end());
  out.push_back(or_refused());
}

void Answers::clone(Code& out) const {
  out = {load_argument(0)};
  when_any_bit(out, kNamespaces, errno_answer(EPERM));
  if (options_.exec == ExecMode::kNone) {
    when_any_bit(out, CLONE_THREAD, allow());
    out.push_back(errno_answer(EPERM));
  } else {
    out.push_back(allow());
  }
}

void Answers::make_node(Code& out, unsigned mode_argument) const {
  out = {load_argument(mode_argument)};
  when_any_bit(out, kSetIdBits, errno_answer(EPERM));
  out.push_back(op(BPF_ALU | BPF_AND | BPF_K, S_IFMT));
  when_equal(out, S_IFCHR, errno_answer(EPERM));
  when_equal(out, S_IFBLK, errno_answer(EPERM));
  out.push_back(creates_);
}
// With a path: by name. Without: what is open already, and was judged then.
void Answers::times(Code& out) const {
  constexpr auto kHighHalf = static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 + 4);
  out = {load_argument(1), op(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3), bpf::load(kHighHalf)};
  when_equal(out, 0, changes_open_);
  out.push_back(changes_);
}

// Between the filter and the command's first instruction nobody listens yet.
void Answers::unless_marked(Code& out) const {
  out.push_back(load_argument(kMarkArgument));
  when_equal(out, options_.mark, allow());
  out.push_back(trap());
}

void Answers::looks(Code& out) const {
  if (observes_all_)
    unless_marked(out);
  else
    out = {allow()};
}

// An empty path stands for an open file.
void Answers::looks_by_flags(Code& out, unsigned flags_argument) const {
  if (observes_all_) {
    out = {load_argument(flags_argument)};
    when_any_bit(out, AT_EMPTY_PATH, allow());
  }
  Code rest;
  looks(rest);
  out.insert(out.end(), rest.begin(), rest.end());
}

// The mode argument is garbage unless the flags create a file.
void Answers::open(Code& out, unsigned flags_argument) const {
  out = {load_argument(flags_argument)};
  if (rules_only_) writing_open(out, flags_argument);
  Code existing;
  if (observes_ && !observes_all_) when_any_bit(existing, O_WRONLY | O_RDWR | O_TRUNC, trap());
  // Whoever only wants to point at a file is not asked about.
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

// Opening for reading alone and truncating at once changes a file that may only be read: Landlock sees it since
// ABI 3.
void Answers::writing_open(Code& out, unsigned flags_argument) const {
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
