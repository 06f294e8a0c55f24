// sockets.h: sockets in the sandbox's network, which the supervisor serves from outside.
// Not here: what is relayed through them (src/net).
#pragma once

#include "backend/linux/child/protocol.h"

namespace pinfold::backend::on_linux::child {

// Bound, and listening if it is for streams; -1 and errno otherwise.
int open_socket(const SocketAddress& wanted) noexcept;

}  // namespace pinfold::backend::on_linux::child
