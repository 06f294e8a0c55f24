// sockets.h: sockets in the sandbox's network namespace, served by the supervisor.
// Not here: relaying their data (src/net).
#pragma once

#include "backend/linux/child/protocol.h"

namespace pinfold::backend::on_linux::child {

// Returns a bound socket, listening if it is a stream socket; -1 with errno set on error.
int open_socket(const SocketAddress& wanted) noexcept;

}  // namespace pinfold::backend::on_linux::child
