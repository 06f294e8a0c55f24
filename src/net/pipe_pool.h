// pipe_pool.h: pipes for splice(), shared by all connections.
// Invariant: a pipe in the pool is empty; never more pipes than the limit, for any number of connections.
// Not here: moving bytes (flow.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sys/fd.h"

namespace pinfold::net {

struct Pipe {
  sys::Fd read, write;
  std::size_t capacity = 0;
};

class PipePool {
 public:
  // The first few are as large as an ordinary user may have them: a quarter of the calls for a lone stream.
  // Such a user has 16,384 pages of pipes in all before the kernel makes every further pipe tiny.
  static constexpr std::size_t kLarge = 1024 * 1024;
  static constexpr std::size_t kLargeOnes = 4;
  static constexpr std::size_t kCapacity = 256 * 1024;
  static constexpr std::size_t kKept = 16;

  explicit PipePool(std::size_t limit) : limit_(limit) {}

  // The largest that is idle. No value when the limit is reached or the system has no more: callers then copy.
  std::optional<Pipe> take();
  void give_back(Pipe pipe);
  // A pipe with bytes in it, of a connection that ended.
  void drop(Pipe pipe);
  // One buffer for all users of this loop: it keeps nothing between two calls.
  std::span<char> scratch();
  std::size_t made() const { return made_; }

 private:
  std::size_t limit_;
  std::size_t made_ = 0;
  std::vector<Pipe> idle_;
  std::vector<char> scratch_;
};

}  // namespace pinfold::net
