// request.h: what is to be run, as it came over the control socket: descriptors, and a block of arguments.
// Invariant: no allocation; the descriptors belong to whoever has received them.
// Not here: running it (command.h).
#pragma once

#include <cstddef>

#include "backend/linux/child/command.h"
#include "backend/linux/child/packet.h"
#include "backend/linux/child/protocol.h"

namespace pinfold::backend::on_linux::child {

struct Request {
  Asked asked{};
  int fds[kMaxPacketFds]{};
  std::size_t count = 0;
  void* block = nullptr;
  std::size_t block_size = 0;

  // Maps the block privately and turns its offsets into pointers in place; false with errno set.
  bool lay_out(CommandStart& start) noexcept;
  // 0, 1 and 2 are what came along, or the terminal where that is wanted.
  void hand_over(CommandStart& start, int terminal) const noexcept;
  void unmap() noexcept;
};

}  // namespace pinfold::backend::on_linux::child
