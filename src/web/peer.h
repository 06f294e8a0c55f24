// peer.h: which user is at the other end of a loopback connection, as the kernel tells in /proc/net/tcp and tcp6.
// Invariant: a connection that the kernel does not list belongs to nobody.
// Not here: what follows from it.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace pinfold::web {

// The owner of the socket whose own address is `from` and whose other end is `to`, by the text of such a file.
std::optional<std::uint32_t> owner_in(std::string_view table, const sockaddr_in& from, const sockaddr_in& to);

// Of the other end of this connected socket.
std::optional<std::uint32_t> owner_of_peer(int socket);

}  // namespace pinfold::web
