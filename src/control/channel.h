// channel.h: one end of a connection: texts, with descriptors that come along.
// Invariant: one text is one packet; a text too long for one travels in a sealed file in memory; descriptors that came
// are ours from then on, and close-on-exec. Never raises SIGPIPE.
// Not here: what the texts mean (message.h), where the socket is (runtime_dir.h).
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

  // False: there is no room for it now (with kNever), or there was none within the socket's SO_SNDTIMEO. An error: the
  // other side is gone.
  Result<bool> send(std::string_view text, const std::vector<int>& fds, Wait wait);
  // Nothing: there is none now (with kNever). kNotFound: the other side has closed. kInvalid: what came is no packet of
  // ours.
  Result<std::optional<Packet>> receive(Wait wait);

 private:
  sys::Fd socket_;
};

}  // namespace pinfold::control
