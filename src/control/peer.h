// peer.h: decides whether the process at the other end of a unix socket may use it.
// Invariant: a peer of another user, a peer that is confined more than this process, and a peer that cannot be
// examined are refused. Both ends check: a session takes no orders from a sandbox, and a client hands its descriptors
// to none. Not here: where the socket is (runtime_dir.h).
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold::control {

// The restrictions on a process that /proc shows. Inside a container this process has some of its own.
struct Confinement {
  struct Identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const Identity&) const = default;
  };
  static constexpr std::array<std::string_view, 4> kNamespaces = {"user", "mnt", "pid", "net"};

  std::array<Identity, kNamespaces.size()> namespaces{};
  Identity root;                      // chroot
  std::uint64_t seccomp_filters = 0;  // before 5.9 the kernel tells only whether there are any: 0 or 1
  bool no_new_privileges = false;
};

// Nothing: /proc does not show this process, or not enough of it.
std::optional<Confinement> confinement_of(pid_t process);

// The first restriction that `peer` has and `own` has not ("it is in another mnt namespace"); empty: there is none.
std::string restriction_beyond(const Confinement& own, const Confinement& peer);

// An error says why the peer may not use this socket.
Result<void> check_peer(int socket);

}  // namespace pinfold::control
