// net_load.cc: servers, clients and the plainest relay there can be, for measuring the real one (bench/net).
// Invariant: one number is one whole measurement; a connection that fails makes it fail. Blocking calls only.
// Not here: taking turns, medians, budgets (bench/net).
//
//   net_load serve ADDRESS PORT               PORT: sends without end; PORT+1: reads; PORT+2: answers each 100 bytes
//   net_load floor ADDRESS PORT TO            the same three ports, relayed to TO by a thread for each client
//   net_load download|upload ADDRESS PORT MIB                 prints MB/s
//   net_load connect ADDRESS PORT COUNT                       prints µs from connect to the first answer, the median
//   net_load requests ADDRESS PORT COUNT                      prints requests in a second, one after the other
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBlock = 1 << 20;
constexpr std::size_t kRequest = 100, kAnswer = 200;
constexpr int kServices = 3, kThreads = 4;

using Clock = std::chrono::steady_clock;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "net_load: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

sockaddr_in place(const char* address, int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, address, &out.sin_addr) != 1) give_up(address);
  return out;
}

void set_no_delay(int socket) {
  int one = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

int connect_to(const sockaddr_in& to) {
  int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0 || ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return -1;
  set_no_delay(socket);
  return socket;
}

bool send_all(int socket, const char* bytes, std::size_t size) {
  while (size > 0) {
    ssize_t sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

// False at the end of the stream.
bool receive_all(int socket, char* bytes, std::size_t size) {
  return size == 0 || ::recv(socket, bytes, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

void serve_one(int client, int service) {
  std::vector<char> block(kBlock);
  if (service == 0) {
    while (send_all(client, block.data(), block.size())) {
    }
  } else if (service == 1) {
    while (::recv(client, block.data(), block.size(), 0) > 0) {
    }
    send_all(client, ".", 1);
  } else {
    while (receive_all(client, block.data(), kRequest) && send_all(client, block.data(), kAnswer)) {
    }
  }
  ::close(client);
}

// A stream in one direction, with the fewest calls there are.
void pass_on(int from, int to) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0 || ::fcntl(ends[1], F_SETPIPE_SZ, kBlock) < 0) give_up("pipe");
  for (bool whole = true; whole;) {
    ssize_t left = ::splice(from, nullptr, ends[1], nullptr, kBlock, SPLICE_F_MOVE);
    if (left <= 0) break;
    while (left > 0) {
      ssize_t gone = ::splice(ends[0], nullptr, to, nullptr, static_cast<std::size_t>(left), SPLICE_F_MOVE);
      if (gone <= 0) break;
      left -= gone;
    }
    whole = left == 0;
  }
  ::shutdown(to, SHUT_WR);
  ::close(ends[0]);
  ::close(ends[1]);
}

// Messages in both directions, until one side ends.
void converse(int client, int outside) {
  char buffer[16384];
  pollfd sides[2] = {{client, POLLIN, 0}, {outside, POLLIN, 0}};
  for (;;) {
    if (::poll(sides, 2, -1) < 0) return;
    for (std::size_t i = 0; i < 2; ++i) {
      if (sides[i].revents == 0) continue;
      ssize_t count = ::recv(sides[i].fd, buffer, sizeof buffer, 0);
      if (count <= 0 || !send_all(sides[1 - i].fd, buffer, static_cast<std::size_t>(count))) return;
    }
  }
}

void relay_one(int client, int service, const sockaddr_in& to) {
  int outside = connect_to(to);
  if (outside >= 0) {
    if (service == 1) pass_on(client, outside);
    service == 2 ? converse(client, outside) : pass_on(outside, client);
    ::close(outside);
  }
  ::close(client);
}

// Starts a few threads for each service before the first client: otherwise their start would be measured, too.
template <typename Body>
[[noreturn]] void listen_on(const char* address, int port, Body body) {
  std::vector<std::thread> threads;
  for (int service = 0; service < kServices; ++service) {
    int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int one = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    sockaddr_in here = place(address, port + service);
    if (::bind(listener, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) give_up("bind");
    if (::listen(listener, SOMAXCONN) != 0) give_up("listen");
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([=] {
        for (;;) {
          int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
          if (client < 0) continue;
          set_no_delay(client);
          body(client, service);
        }
      });
    }
  }
  std::puts("ready");
  std::fflush(stdout);
  // The program that started this closes its end of standard input at the end.
  char byte = 0;
  while (::read(0, &byte, 1) > 0) {
  }
  std::_Exit(0);
}

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

double download(const sockaddr_in& from, std::size_t mebibytes) {
  int socket = connect_to(from);
  std::vector<char> block(kBlock);
  if (socket < 0 || !receive_all(socket, block.data(), block.size())) give_up("download");
  auto began = Clock::now();
  for (std::size_t left = mebibytes * kBlock; left > 0;) {
    ssize_t count = ::recv(socket, block.data(), std::min(left, block.size()), 0);
    if (count <= 0) give_up("download");
    left -= static_cast<std::size_t>(count);
  }
  double took = seconds_since(began);
  ::close(socket);
  return static_cast<double>(mebibytes * kBlock) / took / 1e6;
}

double upload(const sockaddr_in& to, std::size_t mebibytes) {
  int socket = connect_to(to);
  std::vector<char> block(kBlock);
  if (socket < 0 || !send_all(socket, block.data(), block.size())) give_up("upload");
  auto began = Clock::now();
  for (std::size_t i = 0; i < mebibytes; ++i)
    if (!send_all(socket, block.data(), block.size())) give_up("upload");
  ::shutdown(socket, SHUT_WR);
  if (!receive_all(socket, block.data(), 1)) give_up("upload");
  double took = seconds_since(began);
  ::close(socket);
  return static_cast<double>(mebibytes * kBlock) / took / 1e6;
}

void ask(int socket) {
  char bytes[kAnswer] = {};
  if (!send_all(socket, bytes, kRequest) || !receive_all(socket, bytes, kAnswer)) give_up("request");
}

double median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2), numbers.end());
  return numbers[numbers.size() / 2];
}

// Until the first answer: before that, a relay may only have accepted.
double connects(const sockaddr_in& to, std::size_t count) {
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) {
    auto began = Clock::now();
    int socket = connect_to(to);
    if (socket < 0) give_up("connect");
    ask(socket);
    times.push_back(seconds_since(began) * 1e6);
    ::close(socket);
  }
  return median(std::move(times));
}

double requests(const sockaddr_in& to, std::size_t count) {
  int socket = connect_to(to);
  if (socket < 0) give_up("connect");
  ask(socket);
  auto began = Clock::now();
  for (std::size_t i = 0; i < count; ++i) ask(socket);
  double took = seconds_since(began);
  ::close(socket);
  return static_cast<double>(count) / took;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::string_view what = argc > 3 ? argv[1] : "";
  int port = argc > 3 ? std::atoi(argv[3]) : 0;
  if (what == "serve" && argc == 4) listen_on(argv[2], port, serve_one);
  if (what == "floor" && argc == 5) {
    const char* to = argv[4];
    listen_on(argv[2], port, [=](int client, int service) { relay_one(client, service, place(to, port + service)); });
  }
  const std::size_t size = argc == 5 ? static_cast<std::size_t>(std::atol(argv[4])) : 0;
  if (size == 0) {
    std::fprintf(stderr, "usage: net_load serve|floor|download|upload|connect|requests ADDRESS PORT …\n");
    return 2;
  }
  const sockaddr_in to = place(argv[2], port);
  double number = what == "download"   ? download(to, size)
                  : what == "upload"   ? upload(to, size)
                  : what == "connect"  ? connects(to, size)
                  : what == "requests" ? requests(to, size)
                                       : 0;
  std::printf("%.3f\n", number);
  return number > 0 ? 0 : 2;
}
