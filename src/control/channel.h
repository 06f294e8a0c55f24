// channel.h: one end of a connection: sends and receives texts with file descriptors.
// Invariant: one text is one packet; a text too long for a packet is sent in a sealed memfd; received descriptors are
// owned by the receiver and close-on-exec. Never raises SIGPIPE.
// Not here: the meaning of the texts (message.h), the path of the socket (runtime_dir.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::control {

struct Packet {
  std::string text;
  std::vector<sys::Fd> fds;
};

enum class Wait { kBlock, kNever };

class Channel {
 public:
  Channel() = default;
  explicit Channel(sys::Fd socket) : socket_(std::move(socket)) {}

  bool is_open() const { return socket_.is_open(); }
  int raw() const { return socket_.raw(); }
  void close() { socket_.reset(); }

  // False: the socket's buffer is full (with kNever), or stayed full for its SO_SNDTIMEO. An error: the other end is
  // closed.
  Result<bool> send(std::string_view text, const std::vector<int>& fds, Wait wait);
  // nullopt: there is no packet now (with kNever). kNotFound: the other end has closed. kInvalid: not a valid packet.
  Result<std::optional<Packet>> receive(Wait wait);

 private:
  sys::Fd socket_;
};

}  // namespace pinfold::control
