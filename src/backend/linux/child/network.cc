// network.cc: the sandbox's network namespace, and where the network is granted by name, routes of all addresses to its
// loopback.
// Invariant: as setup.cc.
// Not here: the listeners on those addresses (src/net), making sockets on request (sockets.cc).
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "backend/linux/child/scoped_fd.h"
#include "backend/linux/child/setup.h"

namespace pinfold::backend::on_linux::child {
namespace {

constexpr int kLoopback = 1;  // lo is the first interface of every network namespace

struct RouteRequest {
  nlmsghdr header;
  rtmsg route;
  rtattr interface_header;
  int interface;
};
struct AddressRequest {
  nlmsghdr header;
  ifaddrmsg address;
  rtattr local_header;
  std::uint8_t local[16];
};
struct NetlinkReply {
  nlmsghdr header;
  nlmsgerr error;
};

bool send_request(int netlink, nlmsghdr& request, std::size_t size) noexcept {
  request.nlmsg_len = static_cast<std::uint32_t>(size);
  request.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
  ssize_t sent = -1;
  do sent = ::send(netlink, &request, size, 0);
  while (sent < 0 && errno == EINTR);
  if (sent != static_cast<ssize_t>(size)) return false;
  // The reply may be longer than this buffer: an error message includes the request.
  NetlinkReply reply{};
  ssize_t got = -1;
  do got = ::recv(netlink, &reply, sizeof reply, 0);
  while (got < 0 && errno == EINTR);
  if (got < 0) return false;
  if (got < static_cast<ssize_t>(sizeof reply) || reply.header.nlmsg_type != NLMSG_ERROR) {
    errno = EPROTO;
    return false;
  }
  errno = -reply.error.error;
  return reply.error.error == 0;
}

// "ip route add local default dev lo": every address becomes a local one.
bool add_local_default(int netlink, unsigned char family) noexcept {
  RouteRequest request{};
  request.header.nlmsg_type = RTM_NEWROUTE;
  request.route.rtm_family = family;
  request.route.rtm_table = RT_TABLE_LOCAL;
  request.route.rtm_protocol = RTPROT_STATIC;
  request.route.rtm_scope = RT_SCOPE_HOST;
  request.route.rtm_type = RTN_LOCAL;
  request.interface_header.rta_len = RTA_LENGTH(sizeof request.interface);
  request.interface_header.rta_type = RTA_OIF;
  request.interface = kLoopback;
  return send_request(netlink, request.header, sizeof request);
}

// A second local address: with 127.0.0.1 and ::1 alone, the C library assumes that the host has no network, and
// resolves nothing for programs that set AI_ADDRCONFIG.
bool add_address(int netlink, unsigned char family, const std::uint8_t* bytes, unsigned char size) noexcept {
  AddressRequest request{};
  request.header.nlmsg_type = RTM_NEWADDR;
  request.address.ifa_family = family;
  request.address.ifa_prefixlen = static_cast<unsigned char>(8 * size);
  request.address.ifa_index = kLoopback;
  request.local_header.rta_len = static_cast<unsigned short>(RTA_LENGTH(size));
  request.local_header.rta_type = IFA_LOCAL;
  std::memcpy(request.local, bytes, size);
  return send_request(netlink, request.header, sizeof request - sizeof request.local + size);
}

constexpr std::uint8_t kOwnV4[] = {198, 18, 0, 1};
constexpr std::uint8_t kOwnV6[] = {0xfd, 0x70, 0x69, 0x6e, 0x66, 0x6f, 0x6c, 0x64, 0xff, 0, 0, 0, 0, 0, 0, 1};

bool route_to_loopback(int netlink, unsigned char family, const std::uint8_t* address, unsigned char size) noexcept {
  return add_local_default(netlink, family) && add_address(netlink, family, address, size);
}

}  // namespace

// Making a network namespace takes the kernel longer than all other preparations: a helper process makes it in parallel
// and leaves its descriptor in the shared descriptor table. If clone fails, init makes it itself.
bool Setup::start_network() noexcept {
  alignas(16) static char stack[16 * 1024];
  if (!options_.private_network) return true;
  helper_ = ::clone(network_main, stack + sizeof stack, CLONE_VM | CLONE_FILES | SIGCHLD, this);
  if (helper_ > 0) helpers_ = 1;
  if (helper_ < 0 && !make_network()) failure_ = network_failure_;
  return helper_ > 0 || network_ >= 0;
}

// Init and helper share errno. Only a failure writes it, and a failure here ends the start.
int Setup::network_main(void* setup) noexcept {
  static_cast<Setup*>(setup)->make_network();
  ::_exit(0);
}

bool Setup::make_network() noexcept {
  auto fail = [this](Stage stage) noexcept {
    network_failure_ = Failure{stage, errno, -1};
    return false;
  };
  if (::unshare(CLONE_NEWNET) != 0) return fail(Stage::kNetwork);
  if (!bring_up_loopback()) return fail(Stage::kLoopback);
  network_ = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  return network_ >= 0 || fail(Stage::kNetwork);
}

// Before the old root is detached: the helper walks it, too.
bool Setup::enter_network() noexcept {
  if (!options_.private_network) return true;
  if (helper_ > 0)
    while (::waitpid(helper_, nullptr, 0) < 0 && errno == EINTR) {
    }
  if (network_ < 0) {
    errno = EINTR;  // a helper that was killed has reported no errno
    if (network_failure_.stage == Stage::kNone) return failed(Stage::kNetwork);
    failure_ = network_failure_;
    return false;
  }
  if (::setns(network_, CLONE_NEWNET) != 0) return failed(Stage::kNetwork);
  ::close(network_);
  return true;
}

bool Setup::bring_up_loopback() noexcept {
  ScopedFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  return !socket.bad() && ::ioctl(socket.raw(), SIOCSIFFLAGS, &request) == 0;
}

// A kernel without IPv6 has no addresses to route.
bool Setup::route_to_itself() noexcept {
  if (!blueprint_->network_by_name) return true;
  ScopedFd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (netlink.bad() || !route_to_loopback(netlink.raw(), AF_INET, kOwnV4, sizeof kOwnV4)) return failed(Stage::kRoute);
  return route_to_loopback(netlink.raw(), AF_INET6, kOwnV6, sizeof kOwnV6) || errno == EAFNOSUPPORT ||
         errno == EOPNOTSUPP || failed(Stage::kRoute);
}

}  // namespace pinfold::backend::on_linux::child
