// pipe_pool.cc: makes, keeps and closes pipes.
#include "net/pipe_pool.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace pinfold::net {

std::optional<Pipe> PipePool::take() {
  if (!idle_.empty()) {
    Pipe pipe = std::move(idle_.back());
    idle_.pop_back();
    return pipe;
  }
  int ends[2];
  if (made_ >= limit_ || ::pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return std::nullopt;
  Pipe pipe{sys::Fd::adopt(ends[0]), sys::Fd::adopt(ends[1])};
  // Refused (EPERM) above the user's share of pipe pages: then it stays as it is.
  int size = made_ < kLargeOnes ? ::fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(kLarge)) : -1;
  if (size < 0) size = ::fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(kCapacity));
  if (size < 0) size = ::fcntl(ends[1], F_GETPIPE_SZ);
  if (size <= 0) return std::nullopt;
  pipe.capacity = static_cast<std::size_t>(size);
  ++made_;
  return pipe;
}

void PipePool::give_back(Pipe pipe) {
  idle_.insert(pipe.capacity >= kLarge ? idle_.end() : idle_.begin(), std::move(pipe));
  if (idle_.size() <= kKept) return;
  Pipe smallest = std::move(idle_.front());
  idle_.erase(idle_.begin());
  drop(std::move(smallest));
}

std::span<char> PipePool::scratch() {
  if (scratch_.empty()) scratch_.resize(64 * 1024);
  return scratch_;
}

void PipePool::drop(Pipe pipe) {
  --made_;
  static_cast<void>(pipe);
}

}  // namespace pinfold::net
