// peer.h: who is at the other end of a control socket.
// Invariant: whatever sits in a sandbox of namespaces is not taken for one of the user's own programs, on either end.
// Not here: where the socket is (place.h).
#pragma once

namespace pinfold::control {

// The same user, in the same user namespace.
bool is_one_of_ours(int socket);

}  // namespace pinfold::control
