// init_channel.cc: sends requests, receives events.
#include "backend/linux/init/init_channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "backend/linux/child/packet.h"
#include "backend/linux/init/arguments.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {

using child::EventMessage;
using child::RequestKind;
using child::RequestMessage;

void InitChannel::close_requests() {
  if (is_open()) ::shutdown(raw(), SHUT_WR);
}

Result<void> InitChannel::request(const RequestMessage& message, const int* fds, std::size_t count) {
  // EPIPE: init has exited already; its failure event is still to be received.
  if (!child::send_packet(raw(), &message, sizeof message, fds, count) && errno != EPIPE)
    return tl::unexpected<Error>(sys::os_error("sendmsg", "control", errno));
  return {};
}

Result<void> InitChannel::request(RequestKind what, const Launch& launch, const Environment* environment, bool trap) {
  PF_TRY(block, argument_block(launch, environment), "sending the command");
  RequestMessage message{};
  message.kind = what;
  message.trap = trap ? 1 : 0;
  message.value = launch.after_exit == AfterExit::kEnd ? 1 : 0;
  message.terminal = launch.terminal;
  message.terminal_size = launch.terminal_size;
  message.fresh_signals = launch.signals == SignalState::kFresh ? 1 : 0;
  int fds[child::kMaxPacketFds] = {block.raw(), -1, -1, -1};
  std::size_t count = 1;
  for (int i = 0; i < 3; ++i) {
    if (launch.stdio[i] == StdioKind::kTerminal)
      message.terminal_mask |= 1 << i;
    else
      fds[count++] = launch.fds[i];
  }
  return request(message, fds, count);
}

void InitChannel::post(RequestKind what, int value) {
  if (!is_open()) return;
  RequestMessage message{};
  message.kind = what;
  message.value = value;
  child::send_packet(raw(), &message, sizeof message, -1);
}

Result<EventMessage> InitChannel::receive() {
  EventMessage event{};
  int fds[child::kMaxPacketFds];
  std::size_t count = 0;
  ssize_t got = child::receive_packet(raw(), &event, sizeof event, fds, count, 0);
  // Init exited without reading all requests; the events that it sent before are still there.
  if (got < 0 && errno == ECONNRESET) got = child::receive_packet(raw(), &event, sizeof event, fds, count, 0);
  std::vector<sys::Fd> came;
  for (std::size_t i = 0; i < count; ++i) came.push_back(sys::Fd::adopt(fds[i]));
  if (got < 0) return tl::unexpected<Error>(sys::os_error("recvmsg", "control", errno));
  if (got == 0) return fail(ErrorKind::kSystem, "the sandbox's init ended unexpectedly");
  auto next = came.begin();
  for (auto [which, place] : {std::pair{child::kCarriesProc, &proc}, std::pair{child::kCarriesListener, &listener},
                              std::pair{child::kCarriesTerminal, &terminal}, std::pair{child::kCarriesSocket, &socket},
                              std::pair{child::kCarriesUser, &user}, std::pair{child::kCarriesMounts, &mounts}})
    if ((event.descriptors & which) != 0 && next != came.end()) *place = std::move(*next++);
  return event;
}

}  // namespace pinfold::backend::on_linux
