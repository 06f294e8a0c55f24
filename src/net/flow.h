// flow.h: one direction of a connection: bytes from one socket to the other, a stream of them without passing through
// this process.
// Invariant: bytes are written in order and once; the end of the stream is forwarded only after its last byte.
// Not here: which connection may exist, time-outs, the event loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "net/pipe_pool.h"

namespace pinfold::net {

class Flow {
 public:
  enum class Step {
    kWaiting,     // until one of the two is ready
    kMore,        // the turn is over: call again, after the others
    kEnded,       // the end was forwarded
    kBrokenFrom,  // the side that is read from has failed
    kBrokenTo,
  };
  // One turn of one flow: large enough for throughput, small enough for the other flows.
  static constexpr std::size_t kTurn = 1024 * 1024;
  // Up to here, copying costs less than the second splice() and the one that finds nothing more.
  static constexpr std::size_t kMessage = 16 * 1024;

  explicit Flow(PipePool& pool) : pool_(pool) {}
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  ~Flow();

  void set_readable() { readable_ = true; }
  // The loop saw an end, an error or urgent data: from now on only "would block" means that all was read.
  void set_unusual() { unusual_ = true; }
  void set_writable() { writable_ = true; }
  bool ended() const { return ended_; }
  std::uint64_t bytes() const { return bytes_; }

  // Edge-triggered: goes on until one side would block. Both descriptors are non-blocking sockets.
  Step pump(int from, int to);

 private:
  Step drain(int to);
  Step fill(int from);
  Step pass(int from, int to);
  Step copy(int from, int to);
  Step not_read();
  Step finish(int to);
  void release();

  PipePool& pool_;
  std::optional<Pipe> pipe_;  // held only while there are bytes in it
  std::size_t in_pipe_ = 0;
  std::uint64_t bytes_ = 0;
  bool readable_ = false;
  bool writable_ = false;
  bool at_end_ = false;
  bool ended_ = false;
  bool streams_ = false;  // more than a message came at once
  bool unusual_ = false;
  bool copies_ = false;  // splice was refused here
};

}  // namespace pinfold::net
