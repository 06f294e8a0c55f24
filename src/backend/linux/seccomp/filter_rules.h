// filter_rules.h: what the filter answers to one kind of call, with its argument checks.
// Invariant: every way through an answer ends in a RET. A call that waits for the supervisor is never one that it, or
// the first process, makes on the way to the command's first instruction, but for those that carry the mark.
// Not here: the order of the numbers (filter.cc), which call is of which kind (syscalls.cc).
#pragma once

#include "backend/linux/seccomp/bpf.h"
#include "backend/linux/seccomp/filter.h"
#include "backend/linux/seccomp/syscalls.h"

namespace pinfold::backend::on_linux {

class Answers {
 public:
  explicit Answers(const FilterOptions& options);
  bpf::Code code(Verdict verdict) const;

 private:
  // Before ABI 9, Landlock cannot keep a socket from being connected to any name in the file system; and what the
  // supervisor connects for the command is never one of these.
  enum class Unix { kAny, kPairs };

  sock_filter or_refused() const;
  void targets(bpf::Code& out, unsigned argument) const;
  void targets_of_kind(bpf::Code& out, std::uint32_t process) const;
  // filter_rules_sockets.cc
  void sockets(bpf::Code& out, Verdict verdict) const;
  void unix_only(bpf::Code& out) const;
  void socket_pair(bpf::Code& out) const;
  void sends(bpf::Code& out, unsigned flags_argument) const;
  void socket(bpf::Code& out) const;
  void clone(bpf::Code& out) const;
  void make_node(bpf::Code& out, unsigned mode_argument) const;
  void times(bpf::Code& out) const;
  void unless_marked(bpf::Code& out) const;
  void looks(bpf::Code& out) const;
  void looks_by_flags(bpf::Code& out, unsigned flags_argument) const;
  void open(bpf::Code& out, unsigned flags_argument) const;
  void writing_open(bpf::Code& out, unsigned flags_argument) const;

  FilterOptions options_;
  bool rules_only_;
  bool proxied_;  // TCP to one port of loopback, connected by the supervisor, and nothing else
  bool observes_;
  bool observes_all_;
  Unix unix_sockets_;
  sock_filter creates_;
  sock_filter changes_;
  sock_filter changes_open_;
  sock_filter removes_;
};

}  // namespace pinfold::backend::on_linux
