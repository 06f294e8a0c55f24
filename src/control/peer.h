// peer.h: decides whether the process at the other end of a unix socket may use it.
// Invariant: a peer of another user, a peer that is confined more than this process, and a peer that cannot be examined
// are refused. Both ends check: a session accepts no requests from a sandboxed process, and a client sends it no
// descriptors. Not here: the path of the socket (runtime_dir.h).
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold::control {

// The restrictions of a process according to /proc. In a container this process has some itself.
struct PeerConfinement {
  struct Identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const Identity&) const = default;
  };
  static constexpr std::array<std::string_view, 4> kNamespaces = {"user", "mnt", "pid", "net"};

  std::array<Identity, kNamespaces.size()> namespaces{};
  Identity root;                      // chroot
  std::uint64_t seccomp_filters = 0;  // before Linux 5.9 /proc shows only whether there are any: 0 or 1
  bool no_new_privileges = false;
  std::uint64_t effective = 0;  // capabilities; a bit for each
  std::uint64_t bounding = 0;
  // Of AppArmor, SELinux or Smack; nothing: no such module, or not readable.
  std::optional<std::string> label;
};

// nullopt: /proc does not show this process, or not all of these files.
std::optional<PeerConfinement> confinement_of(pid_t process);

// The first restriction that only `peer` has ("it is in another mnt namespace"); empty: there is none.
std::string restriction_beyond(const PeerConfinement& own, const PeerConfinement& peer);

// An error says why the peer may not use this socket.
Result<void> check_peer(int socket);
// True if the process at the other end exits within this time, or has exited.
bool has_peer_exited(int socket, std::chrono::milliseconds most);

}  // namespace pinfold::control
