// peer.h: finds the user at the other end of a loopback connection in /proc/net/tcp and tcp6.
// Invariant: a connection that the kernel does not list has no owner.
// Not here: refusing a connection (http.cc).
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace pinfold::web {

// The uid of the socket with local address `from` and remote address `to`; `table`: the text of such a file.
std::optional<std::uint32_t> owner_in(std::string_view table, const sockaddr_in& from, const sockaddr_in& to);

// The uid of the other end of this connected socket.
std::optional<std::uint32_t> owner_of_peer(int socket);

}  // namespace pinfold::web
