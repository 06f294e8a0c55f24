// seccomp.cc: the reviewed table as a binary search tree of BPF, with the argument checks at its leaves.
// Invariant: every path ends in a RET; a number outside the table answers ENOSYS.
// Not here: which calls are allowed (syscalls.cc).
#include "backend/linux/seccomp.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backend/linux/syscalls.h"

namespace pinfold::backend::on_linux {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "review the system calls of this architecture first"
#endif

constexpr std::uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kTimeNamespace = 0x80;  // CLONE_NEWTIME: shares its bit with clone()'s exit signal
constexpr std::uint32_t kSetIdBits = S_ISUID | S_ISGID;
constexpr std::uint32_t kTmpfile = O_TMPFILE & ~static_cast<std::uint32_t>(O_DIRECTORY);

using Code = std::vector<sock_filter>;

sock_filter op(std::uint16_t code, std::uint32_t k, std::uint8_t yes = 0, std::uint8_t no = 0) {
  return sock_filter{code, yes, no, k};
}
sock_filter load(std::uint32_t offset) { return op(BPF_LD | BPF_W | BPF_ABS, offset); }
// The low half of an argument: flags, modes and families are 32 bits wide in the kernel too, so high bits change
// nothing.
sock_filter load_argument(unsigned index) {
  return load(static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * index));
}
sock_filter answer(std::uint32_t action) { return op(BPF_RET | BPF_K, action); }
sock_filter errno_answer(int error) { return answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
sock_filter allow() { return answer(SECCOMP_RET_ALLOW); }

// if (A == k) return `then`;
void when_equal(Code& code, std::uint32_t k, sock_filter then) {
  code.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, k, 0, 1));
  code.push_back(then);
}
// if (A & k) return `then`;
void when_any_bit(Code& code, std::uint32_t k, sock_filter then) {
  code.push_back(op(BPF_JMP | BPF_JSET | BPF_K, k, 0, 1));
  code.push_back(then);
}

class Leaf {
 public:
  explicit Leaf(const FilterOptions& options)
      : options_(options),
        rules_only_(options.apart == Apart::kRules),
        unix_sockets_(rules_only_ && options.landlock_abi < 9 ? Unix::kPairs : Unix::kAny),
        creates_(options.traps == Traps::kOff ? allow() : trap()),
        changes_(!rules_only_ ? allow() : or_refused()),
        removes_(options.traps == Traps::kChanges ? trap() : allow()) {}

  Code code(Verdict verdict) const {
    Code out;
    switch (verdict) {
      case Verdict::kAllow: out = {allow()}; break;
      case Verdict::kRefuse: out = {errno_answer(EPERM)}; break;
      case Verdict::kAbsent: out = {errno_answer(ENOSYS)}; break;
      case Verdict::kFork: out = {options_.exec == ExecMode::kNone ? errno_answer(EPERM) : allow()}; break;
      case Verdict::kMemfd:
        out = {options_.exec == ExecMode::kAny && options_.shared_memory == SharedMemory::kAllowed
                   ? allow()
                   : errno_answer(EPERM)};
        break;
      case Verdict::kSharedMemory:
        out = {options_.shared_memory == SharedMemory::kAllowed && !rules_only_ ? allow() : errno_answer(ENOSYS)};
        break;
      case Verdict::kSharedIpc:
      case Verdict::kChangesFileAnew: out = {rules_only_ ? errno_answer(ENOSYS) : allow()}; break;
      case Verdict::kChangesFile: out = {changes_}; break;
      case Verdict::kTruncate:
        // Landlock has no right for it before ABI 3.
        out = {rules_only_ && options_.landlock_abi < 3 ? or_refused() : removes_};
        break;
      case Verdict::kRemovesName: out = {removes_}; break;
      case Verdict::kTargetsFirst: targets(out, 0); break;
      case Verdict::kTargetsSecond: targets(out, 1); break;
      // Landlock's own since ABI 6. A program that could not signal itself could not even abort.
      case Verdict::kSignals:
        out = {rules_only_ && options_.landlock_abi < 6 && options_.traps != Traps::kOff ? trap() : allow()};
        break;
      case Verdict::kSocketPair: socket_pair(out); break;
      case Verdict::kCreatesName: out = {creates_}; break;
      case Verdict::kClone: clone(out); break;
      case Verdict::kUnshare:
        out = {load_argument(0)};
        when_any_bit(out, kNamespaces | kTimeNamespace, errno_answer(EPERM));
        out.push_back(allow());
        break;
      case Verdict::kSocket:
        if (rules_only_ && options_.network == NetworkMode::kNone)
          unix_only(out);
        else
          socket(out);
        break;
      case Verdict::kIoctl:
        if (rules_only_) file_system_ioctl(out);
        out.push_back(load_argument(1));
        // Landlock sees the other end of a new terminal as one of the host's; the supervisor opens it for the caller.
        if (rules_only_ && options_.traps != Traps::kOff) when_equal(out, TIOCGPTPEER, trap());
        for (std::uint32_t refused : {std::uint32_t{TIOCSTI}, std::uint32_t{TIOCLINUX}, std::uint32_t{TIOCCONS}})
          when_equal(out, refused, errno_answer(EPERM));
        out.push_back(allow());
        break;
      case Verdict::kPersonality:
        out = {load_argument(0)};
        when_equal(out, 0, allow());
        when_equal(out, 0xffffffff, allow());  // only asks
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
      case Verdict::kChmodAt: mode_then(out, 2, changes_); break;
      case Verdict::kCreat: mode_then(out, 1, creates_); break;
      case Verdict::kOpen: open(out, 1); break;
      case Verdict::kOpenAt: open(out, 2); break;
      case Verdict::kMkdir:
      case Verdict::kMkdirAt: out = {creates_}; break;  // mkdir(2) ignores set-id bits
    }
    return out;
  }

 private:
  // Before ABI 9, Landlock cannot keep a socket from being connected to any name in the file system.
  enum class Unix { kAny, kPairs };

  static sock_filter trap() { return answer(SECCOMP_RET_USER_NOTIF); }
  // Where nobody can be asked, the answer is no.
  sock_filter or_refused() const { return options_.traps == Traps::kOff ? errno_answer(EPERM) : trap(); }

  void targets(Code& out, unsigned argument) const {
    if (!rules_only_) {
      out = {allow()};
      return;
    }
    out = {load_argument(argument)};
    when_equal(out, 0, allow());
    out.push_back(or_refused());
  }

  void unix_only(Code& out) const {
    if (unix_sockets_ == Unix::kAny) {
      out = {load_argument(0)};
      when_equal(out, AF_UNIX, allow());
    }
    out.push_back(errno_answer(EACCES));
  }

  // A pair of datagram sockets can be connected again, to anybody; the others stay what they are.
  void socket_pair(Code& out) const {
    if (unix_sockets_ == Unix::kPairs) {
      out = {load_argument(1), op(BPF_ALU | BPF_AND | BPF_K, 0xf)};
      when_equal(out, SOCK_STREAM, allow());
      when_equal(out, SOCK_SEQPACKET, allow());
      out.push_back(errno_answer(EACCES));
    } else {
      out = {allow()};
    }
  }

  // File systems change files through descriptors that were opened for reading: flags, projects, whole subvolumes.
  static void file_system_ioctl(Code& out) {
    out = {load_argument(1), op(BPF_ALU | BPF_AND | BPF_K, 0xff00)};
    for (std::uint32_t kind : {0x9400U, std::uint32_t{'X'} << 8, std::uint32_t{'f'} << 8, 0xf500U})
      when_equal(out, kind, errno_answer(ENOTTY));
  }

  void clone(Code& out) const {
    out = {load_argument(0)};
    when_any_bit(out, kNamespaces, errno_answer(EPERM));
    if (options_.exec == ExecMode::kNone) {
      when_any_bit(out, CLONE_THREAD, allow());
      out.push_back(errno_answer(EPERM));
    } else {
      out.push_back(allow());
    }
  }

  void socket(Code& out) const {
    out = {load_argument(0)};
    when_equal(out, AF_UNIX, unix_sockets_ == Unix::kPairs ? errno_answer(EACCES) : allow());
    // AF_NETLINK: only the routing family, which programs use to list addresses.
    Code netlink = {load_argument(2)};
    when_equal(netlink, 0, allow());
    netlink.push_back(errno_answer(EPROTONOSUPPORT));
    Code inet = {load_argument(1), op(BPF_ALU | BPF_AND | BPF_K, 0xf)};
    when_equal(inet, SOCK_RAW, errno_answer(EPERM));
    when_equal(inet, 10, errno_answer(EPERM));  // SOCK_PACKET
    inet.push_back(load_argument(2));
    for (int known : {IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP})
      when_equal(inet, static_cast<std::uint32_t>(known), allow());
    inet.push_back(errno_answer(EPROTONOSUPPORT));  // MPTCP, SCTP, ICMP…: callers fall back
    auto skip = [](const Code& code) { return static_cast<std::uint8_t>(code.size()); };
    out.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, skip(netlink)));
    out.insert(out.end(), netlink.begin(), netlink.end());
    out.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0));
    out.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, skip(inet)));
    out.insert(out.end(), inet.begin(), inet.end());
    out.push_back(errno_answer(EAFNOSUPPORT));
  }

  void make_node(Code& out, unsigned mode_argument) const {
    out = {load_argument(mode_argument)};
    when_any_bit(out, kSetIdBits, errno_answer(EPERM));
    out.push_back(op(BPF_ALU | BPF_AND | BPF_K, S_IFMT));
    when_equal(out, S_IFCHR, errno_answer(EPERM));
    when_equal(out, S_IFBLK, errno_answer(EPERM));
    out.push_back(creates_);
  }

  static void mode_then(Code& out, unsigned mode_argument, sock_filter then) {
    out = {load_argument(mode_argument)};
    when_any_bit(out, kSetIdBits, errno_answer(EPERM));
    out.push_back(then);
  }

  // The mode argument is garbage unless the flags create a file.
  void open(Code& out, unsigned flags_argument) const {
    out = {load_argument(flags_argument)};
    if (rules_only_) writing_open(out, flags_argument);
    out.push_back(op(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | kTmpfile, 1, 0));
    out.push_back(allow());
    out.push_back(load_argument(flags_argument + 1));
    when_any_bit(out, kSetIdBits, errno_answer(EPERM));
    out.push_back(load_argument(flags_argument));
    when_any_bit(out, O_CREAT, creates_);
    out.push_back(allow());
  }

  // Opening for reading alone and truncating at once changes a file that may only be read: Landlock sees it since
  // ABI 3.
  void writing_open(Code& out, unsigned flags_argument) const {
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

  FilterOptions options_;
  bool rules_only_;
  Unix unix_sockets_;
  sock_filter creates_;
  sock_filter changes_;
  sock_filter removes_;
};

bool same(const Code& a, const Code& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(sock_filter)) == 0;
}

// From `start` up to the next range.
struct Range {
  std::uint32_t start;
  const Code* code;
};

// From a fork to an answer that stands elsewhere.
struct Jump {
  std::size_t from;
  bool taken;  // when the number is at or above the fork's
  sock_filter to;
};

// Neighbours that come to the same are one range: the kernel's work at each start grows with the filter's length.
class Ranges {
 public:
  explicit Ranges(const Leaf& leaf) : leaf_(leaf) {
    all_.reserve(256);
    std::uint32_t next = 0;
    for (const Reviewed& each : reviewed_syscalls()) {
      if (each.number > next) extend(next, Verdict::kAbsent);
      extend(each.number, each.verdict);
      next = each.number + 1;
    }
    extend(next, Verdict::kAbsent);
  }
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;

  // A tree whose forks jump straight to the plain answers, which stand once, behind it; where that is too far for a
  // conditional jump, a tree with every answer in its place.
  void append_tree(Code& out) {
    const std::size_t start = out.size();
    append_tree(out, 0, all_.size());
    for (const Jump& jump : jumps_) {
      auto answer = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(jump.from), out.end(),
                                 [&](const sock_filter& each) { return same_answer(each, jump.to); });
      if (answer == out.end()) {
        out.push_back(jump.to);
        answer = out.end() - 1;
      }
      const auto distance = static_cast<std::size_t>(answer - out.begin()) - jump.from - 1;
      if (distance > 255) {
        shares_answers_ = false;
        out.resize(start);
        return append_tree(out, 0, all_.size());
      }
      (jump.taken ? out[jump.from].jt : out[jump.from].jf) = static_cast<std::uint8_t>(distance);
    }
  }

 private:
  void extend(std::uint32_t start, Verdict verdict) {
    Code& code = codes_[static_cast<std::size_t>(verdict)];
    if (code.empty()) code = leaf_.code(verdict);
    if (all_.empty() || (all_.back().code != &code && !same(*all_.back().code, code)))
      all_.push_back(Range{start, &code});
  }

  static bool same_answer(const sock_filter& a, const sock_filter& b) { return a.code == b.code && a.k == b.k; }
  bool is_shared(std::size_t range) const { return shares_answers_ && all_[range].code->size() == 1; }

  void append_tree(Code& out, std::size_t first, std::size_t last) {
    if (last - first == 1) {
      out.insert(out.end(), all_[first].code->begin(), all_[first].code->end());
      return;
    }
    std::size_t middle = (first + last) / 2;
    std::size_t fork = out.size();
    out.push_back(op(BPF_JMP | BPF_JGE | BPF_K, all_[middle].start));
    const bool low_is_shared = middle - first == 1 && is_shared(first);
    const bool high_is_shared = last - middle == 1 && is_shared(middle);
    if (low_is_shared)
      jumps_.push_back(Jump{fork, false, all_[first].code->front()});
    else
      append_tree(out, first, middle);
    std::size_t low = out.size() - fork - 1;
    if (high_is_shared) {
      jumps_.push_back(Jump{fork, true, all_[middle].code->front()});
      return;
    }
    if (low <= 255) {
      out[fork].jt = static_cast<std::uint8_t>(low);
    } else {  // a conditional jump reaches 255 instructions, JA any distance
      out[fork].jf = 1;
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(fork) + 1,
                 op(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(low)));
      // What was noted below has moved by one.
      for (Jump& jump : jumps_)
        if (jump.from > fork) ++jump.from;
    }
    append_tree(out, middle, last);
  }

  const Leaf& leaf_;
  std::array<Code, kVerdicts> codes_;
  std::vector<Range> all_;
  std::vector<Jump> jumps_;
  bool shares_answers_ = true;
};

}  // namespace

std::vector<sock_filter> build_filter(const FilterOptions& options) {
  Code out = {load(offsetof(seccomp_data, arch))};
  out.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  out.push_back(answer(SECCOMP_RET_KILL_PROCESS));
  out.push_back(load(offsetof(seccomp_data, nr)));
  out.reserve(512);
  Leaf leaf(options);
  Ranges(leaf).append_tree(out);
  return out;
}

}  // namespace pinfold::backend::on_linux
