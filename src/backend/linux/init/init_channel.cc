// init_channel.cc: packets in both directions.
#include "backend/linux/init/init_channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "backend/linux/init/arguments.h"
#include "backend/linux/child/packet.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {

using child::Ask;
using child::Asked;
using child::Told;

void Line::stop_asking() {
  if (is_open()) ::shutdown(raw(), SHUT_WR);
}

Result<void> Line::ask(const Asked& asked, const int* fds, std::size_t count) {
  // EPIPE: the other side has ended already; why is still to be heard.
  if (!child::send_packet(raw(), &asked, sizeof asked, fds, count) && errno != EPIPE)
    return tl::unexpected<Error>(sys::os_error("sendmsg", "control", errno));
  return {};
}

Result<void> Line::ask(Ask what, const Launch& launch, const Environment* environment, bool trap) {
  PF_TRY(block, argument_block(launch, environment), "handing over the command");
  Asked asked{};
  asked.ask = what;
  asked.trap = trap ? 1 : 0;
  asked.value = launch.then == Then::kEnd ? 1 : 0;
  asked.terminal = launch.terminal;
  asked.terminal_size = launch.terminal_size;
  asked.fresh_signals = launch.signals == SignalState::kFresh ? 1 : 0;
  int fds[child::kMaxPacketFds] = {block.raw(), -1, -1, -1};
  std::size_t count = 1;
  for (int i = 0; i < 3; ++i) {
    if (launch.stdio[i] == StdioKind::kTerminal)
      asked.terminal_mask |= 1 << i;
    else
      fds[count++] = launch.fds[i];
  }
  return ask(asked, fds, count);
}

void Line::tell(Ask what, int value) {
  if (!is_open()) return;
  Asked asked{};
  asked.ask = what;
  asked.value = value;
  child::send_packet(raw(), &asked, sizeof asked, -1);
}

Result<Told> Line::hear() {
  Told told{};
  int fds[child::kMaxPacketFds];
  std::size_t count = 0;
  ssize_t got = child::receive_packet(raw(), &told, sizeof told, fds, count, 0);
  // It has ended without reading all that we sent; what it said before that is still there.
  if (got < 0 && errno == ECONNRESET) got = child::receive_packet(raw(), &told, sizeof told, fds, count, 0);
  std::vector<sys::Fd> came;
  for (std::size_t i = 0; i < count; ++i) came.push_back(sys::Fd::adopt(fds[i]));
  if (got < 0) return tl::unexpected<Error>(sys::os_error("recvmsg", "control", errno));
  if (got == 0) return fail(ErrorKind::kSystem, "the sandbox's first process ended unexpectedly");
  auto next = came.begin();
  for (auto [which, place] : {std::pair{child::kCarriesProc, &proc}, std::pair{child::kCarriesListener, &listener},
                              std::pair{child::kCarriesTerminal, &terminal}, std::pair{child::kCarriesSocket, &socket},
                              std::pair{child::kCarriesUser, &user}, std::pair{child::kCarriesMounts, &mounts}})
    if ((told.carried & which) != 0 && next != came.end()) *place = std::move(*next++);
  return told;
}

}  // namespace pinfold::backend::on_linux
