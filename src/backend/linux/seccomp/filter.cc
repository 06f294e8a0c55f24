// filter.cc: turns the reviewed table into a binary search tree of BPF, with the code of an action at each leaf.
// Invariant: every path ends in a RET; a number outside the table returns ENOSYS.
// Not here: the action of each call (syscall_table.cc), the code of an action (argument_checks.cc).
#include "backend/linux/seccomp/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backend/linux/seccomp/argument_checks.h"
#include "backend/linux/seccomp/bpf.h"
#include "backend/linux/seccomp/syscall_table.h"

namespace pinfold::backend::on_linux {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "review the system calls of this architecture first"
#endif

using bpf::answer;
using bpf::Code;
using bpf::load;
using bpf::op;

bool same(const Code& a, const Code& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(sock_filter)) == 0;
}

// From `start` up to the next range.
struct Range {
  std::uint32_t start;
  const Code* code;
};

// A jump from a fork of the tree to a RET behind the tree.
struct Jump {
  std::size_t from;
  bool taken;  // when the number is at or above the fork's
  sock_filter to;
};

// Neighbours with the same code are one range: the kernel's work at each start grows with the filter's length.
class Ranges {
 public:
  explicit Ranges(const ArgumentChecks& checks) : checks_(checks) {
    all_.reserve(256);
    std::uint32_t next = 0;
    for (const ReviewedSyscall& each : reviewed_syscalls()) {
      if (each.number > next) extend(next, SyscallAction::kAbsent);
      extend(each.number, each.action);
      next = each.number + 1;
    }
    extend(next, SyscallAction::kAbsent);
  }
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;

  // A tree whose forks jump to single RET instructions, each stored once behind the tree. If one is more than 255
  // instructions away, the limit of a conditional jump: a tree with every RET at its leaf.
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
  void extend(std::uint32_t start, SyscallAction action) {
    Code& code = codes_[static_cast<std::size_t>(action)];
    if (code.empty()) code = checks_.code(action);
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
      // The inserted instruction moves the jumps noted below by one.
      for (Jump& jump : jumps_)
        if (jump.from > fork) ++jump.from;
    }
    append_tree(out, middle, last);
  }

  const ArgumentChecks& checks_;
  std::array<Code, kSyscallActionCount> codes_;
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
  ArgumentChecks checks(options);
  Ranges(checks).append_tree(out);
  return out;
}

}  // namespace pinfold::backend::on_linux
