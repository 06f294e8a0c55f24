// http.cc: accepts connections of this user, with limits on size and time.
#include "web/http.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "sys/fd.h"
#include "web/peer.h"

namespace pinfold::web {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRequests = 1000;        // on one connection
constexpr std::size_t kLongestRequest = 64 << 10;  // with its headers
constexpr std::size_t kLongestBody = 16 << 10;
constexpr auto kSlice = 200ms;  // interval at which a worker checks for the end of the server
constexpr auto kIdle = 5s;
constexpr auto kToRead = 10s;   // a whole request
constexpr auto kToWrite = 20s;  // one part of a response

enum class Direction : short { kRead = POLLIN, kWrite = POLLOUT };

bool is_ready(int socket, Direction direction, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd state{socket, static_cast<short>(direction), 0};
    const int count = ::poll(&state, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (count > 0) return true;
    if (count == 0 || errno != EINTR) return false;
  }
}

class LocalStream final : public httplib::Stream {
 public:
  explicit LocalStream(int socket) : socket_(socket) {}

  // False: the client has closed the connection, or sent nothing in time.
  bool await_request(const std::atomic<bool>& over) {
    for (const auto until = Clock::now() + kIdle; at_ == end_ && Clock::now() < until && !over;)
      if (is_ready(socket_, Direction::kRead, Clock::now() + kSlice)) break;
    read_until_ = Clock::now() + kToRead;
    left_ = kLongestRequest;
    return !over && (at_ < end_ || fill());
  }

  bool is_readable() const override { return at_ < end_ || is_ready(socket_, Direction::kRead, read_until_); }
  bool is_writable() const override { return is_ready(socket_, Direction::kWrite, Clock::now() + kToWrite); }

  ssize_t read(char* to, std::size_t size) override {
    if (at_ == end_ && !fill()) return is_at_end_ ? 0 : -1;
    const std::size_t count = std::min({size, end_ - at_, left_});
    if (count == 0) return -1;
    std::copy_n(buffer_.data() + at_, count, to);
    at_ += count;
    left_ -= count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* from, std::size_t size) override {
    for (;;) {
      if (!is_writable()) return -1;
      const ssize_t sent = ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0 || (errno != EINTR && errno != EAGAIN)) return sent;
    }
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override { tell(::getpeername, ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { tell(::getsockname, ip, port); }
  socket_t socket() const override { return socket_; }

 private:
  bool fill() {
    if (!is_ready(socket_, Direction::kRead, read_until_)) return false;
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    is_at_end_ = got == 0;
    if (got <= 0) return false;
    at_ = 0;
    end_ = static_cast<std::size_t>(got);
    return true;
  }

  template <typename Call>
  void tell(Call call, std::string& ip, int& port) const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    char text[INET_ADDRSTRLEN] = {};
    if (call(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
    ip = ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text) != nullptr ? text : "";
    port = ntohs(address.sin_port);
  }

  int socket_;
  std::array<char, 4096> buffer_{};
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t left_ = 0;  // bytes that this request may still have
  bool is_at_end_ = false;
  Clock::time_point read_until_;
};

}  // namespace

LocalServer::LocalServer() {
  new_task_queue = [] { return new httplib::ThreadPool(kWorkers); };
  set_payload_max_length(kLongestBody);
  set_tcp_nodelay(true);
  // Not SO_REUSEPORT, which httplib sets: another process must not share the port.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
}

Result<std::uint16_t> LocalServer::bind(std::uint16_t port) {
  constexpr const char* kLoopback = "127.0.0.1";
  const int bound = port == 0 ? bind_to_any_port(kLoopback) : bind_to_port(kLoopback, port) ? port : -1;
  if (bound > 0) return static_cast<std::uint16_t>(bound);
  return fail(ErrorKind::kInvalid, fmt::format("port {} of {} cannot be used", port, kLoopback),
              "choose another with --port, or none: any that is free");
}

void LocalServer::stop_serving() {
  over_ = true;
  stop();
}

void LocalServer::finish_posts(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  post_ended_.wait_for(lock, most, [this] { return posts_ == 0; });
}

void LocalServer::IdleMark::begin() {
  const std::lock_guard lock(server_.mutex_);
  if (server_.idle_.size() >= kMostIdle) {
    ::shutdown(server_.idle_.front(), SHUT_RDWR);  // its worker reads the end of the connection
    server_.idle_.pop_front();
  }
  server_.idle_.push_back(socket_);
}

void LocalServer::IdleMark::end() {
  const std::lock_guard lock(server_.mutex_);
  server_.idle_.remove(socket_);
}

bool LocalServer::process_and_close_socket(socket_t sock) {
  const auto socket = sys::Fd::adopt(sock);
  IdleMark idle(*this, socket.raw());
  if (owner_of_peer(socket.raw()) != ::geteuid()) return false;
  LocalStream stream(socket.raw());
  for (std::size_t count = 1; count <= kMostRequests && stream.await_request(over_); ++count) {
    bool is_closed = false;
    bool is_post = false;
    const auto prepare = [&](httplib::Request& request) {
      // Compression costs more than it saves on loopback.
      request.headers.erase("Accept-Encoding");
      is_post = request.method == "POST";
      if (!is_post) idle.end();  // there is no body to wait for
      const std::lock_guard lock(mutex_);
      if (is_post) ++posts_;
    };
    const bool goes_on = process_request(stream, count == kMostRequests, is_closed, prepare) && !is_closed;
    if (is_post) {
      const std::lock_guard lock(mutex_);
      --posts_;
      post_ended_.notify_all();
    }
    if (!goes_on) break;
    idle.end();
    idle.begin();
  }
  ::shutdown(socket.raw(), SHUT_RDWR);
  return true;
}

}  // namespace pinfold::web
