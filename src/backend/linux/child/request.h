// request.h: a request to run a command, as received from the control socket: message, descriptors, argument block.
// Invariant: no allocation; the receiver owns the descriptors.
// Not here: running it (command.h).
#pragma once

#include <cstddef>

#include "backend/linux/child/command.h"
#include "backend/linux/child/packet.h"
#include "backend/linux/child/protocol.h"

namespace pinfold::backend::on_linux::child {

struct Request {
  RequestMessage message{};
  int fds[kMaxPacketFds]{};
  std::size_t count = 0;
  void* block = nullptr;
  std::size_t block_size = 0;

  // Maps the block privately and turns its offsets into pointers in place; false with errno set.
  bool map_arguments(CommandStart& start) noexcept;
  // Sets 0, 1 and 2 to the received descriptors, or to the terminal for those in terminal_mask.
  void assign_stdio(CommandStart& start, int terminal) const noexcept;
  void unmap() noexcept;
};

}  // namespace pinfold::backend::on_linux::child
