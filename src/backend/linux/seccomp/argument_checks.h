// argument_checks.h: the BPF code for each SyscallAction, with its argument checks.
// Invariant: every path through the code ends in a RET. No call that init or the command's process makes on the way to
// the command's first instruction is trapped, except calls that carry the mark.
// Not here: the order of the numbers (filter.cc), the action of each call (syscall_table.cc).
#pragma once

#include "backend/linux/seccomp/bpf.h"
#include "backend/linux/seccomp/filter.h"
#include "backend/linux/seccomp/syscall_table.h"

namespace pinfold::backend::on_linux {

class ArgumentChecks {
 public:
  explicit ArgumentChecks(const FilterOptions& options);
  bpf::Code code(SyscallAction action) const;

 private:
  // kPairs: socketpair() only. Before ABI 9, Landlock cannot refuse a connect to a socket in the file system, and the
  // supervisor connects no Unix sockets for the command.
  enum class Unix { kAny, kPairs };

  sock_filter or_refused() const;
  void targets(bpf::Code& out, unsigned argument) const;
  void targets_of_kind(bpf::Code& out, std::uint32_t process) const;
  // argument_checks_sockets.cc
  void sockets(bpf::Code& out, SyscallAction action) const;
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
  bool landlock_only_;
  bool proxied_;  // the only network is TCP to the proxy's port, connected by the supervisor
  bool observes_;
  bool observes_all_;
  Unix unix_sockets_;
  sock_filter creates_;
  sock_filter changes_;
  sock_filter changes_open_;
  sock_filter removes_;
};

}  // namespace pinfold::backend::on_linux
