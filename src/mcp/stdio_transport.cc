// stdio_transport.cc: reads and writes the pipes.
#include "mcp/stdio_transport.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include "base/try.h"
#include "sys/call.h"

namespace pinfold::mcp {
namespace {

using Interest = sys::EventLoop::Interest;

constexpr std::size_t kPiece = std::size_t{64} << 10;
// With more queued bytes than this, the transport stops reading from the server.
constexpr std::size_t kClogged = std::size_t{1} << 20;
constexpr std::size_t kKeptQueue = std::size_t{64} << 10;

Result<void> make_non_blocking(int fd) {
  PF_TRY(flags, sys::call("fcntl", "F_GETFL", [&] { return ::fcntl(fd, F_GETFL); }));
  PF_TRY(done, sys::call("fcntl", "O_NONBLOCK", [&] { return ::fcntl(fd, F_SETFL, flags | O_NONBLOCK); }));
  static_cast<void>(done);
  return {};
}

bool is_socket(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode);
}

// write() has no MSG_NOSIGNAL: SIGPIPE is blocked during the call, and a pending one is taken with sigtimedwait().
ssize_t write_to_pipe(int fd, std::string_view bytes) {
  sigset_t pipe;
  sigset_t before;
  sigset_t pending;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::sigpending(&pending);
  const bool was_pending = ::sigismember(&pending, SIGPIPE) == 1;
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const ssize_t done = ::write(fd, bytes.data(), bytes.size());
  const int error = errno;
  if (done < 0 && error == EPIPE && !was_pending) {
    const timespec none{};
    ::sigtimedwait(&pipe, nullptr, &none);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return done;
}

}  // namespace

StdioTransport::StdioTransport(sys::EventLoop& loop, Streams streams, const Limits& limits, Events events)
    : loop_(loop),
      streams_(std::move(streams)),
      limits_(limits),
      events_(std::move(events)),
      reader_(limits.longest_line),
      input_is_socket_(is_socket(streams_.to_stdin.raw())),
      read_pause_(loop) {}

Result<std::unique_ptr<StdioTransport>> StdioTransport::open(sys::EventLoop& loop, Streams streams,
                                                             const Limits& limits, Events events) {
  std::unique_ptr<StdioTransport> transport(new StdioTransport(loop, std::move(streams), limits, std::move(events)));
  PF_CHECK(transport->watch(), "watching a server's streams");
  return transport;
}

Result<void> StdioTransport::watch() {
  for (const sys::Fd* each : {&streams_.to_stdin, &streams_.from_stdout, &streams_.from_stderr})
    PF_CHECK(make_non_blocking(each->raw()));
  PF_CHECK(loop_.add(streams_.from_stderr.raw(), Interest::kRead, [this] {
    if (read_errors() == ReadStatus::kEnd) close_errors();
  }));
  return watch_output();
}

StdioTransport::~StdioTransport() {
  unwatch_output();
  close_errors();
  close_input();
}

Result<void> StdioTransport::watch_output() {
  if (watches_output_ || !streams_.from_stdout.is_open()) return {};
  auto added = loop_.add(streams_.from_stdout.raw(), Interest::kRead, [this] {
    if (read_output() == ReadStatus::kEnd) close_output("the server closed its output");
  });
  watches_output_ = added.has_value();
  return added;
}

// If stdout cannot be watched, no message can be read any more: treat it as closed.
void StdioTransport::resume_output() {
  if (auto again = watch_output(); !again) close_output("its output cannot be watched: " + again.error().text());
}

void StdioTransport::unwatch_output() {
  if (watches_output_) loop_.remove(streams_.from_stdout.raw());
  watches_output_ = false;
}

bool StdioTransport::is_clogged() const { return queue_.size() - written_ > kClogged; }

StdioTransport::ReadStatus StdioTransport::read_output() {
  std::array<char, kPiece> buffer;
  const ssize_t got = ::read(streams_.from_stdout.raw(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return ReadStatus::kNoData;
  if (got <= 0) return ReadStatus::kEnd;
  reader_.feed({buffer.data(), static_cast<std::size_t>(got)}, events_.lines);
  if (is_clogged()) unwatch_output();
  return ReadStatus::kData;
}

StdioTransport::ReadStatus StdioTransport::read_errors() {
  std::array<char, kPiece> buffer;
  const ssize_t got = ::read(streams_.from_stderr.raw(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return ReadStatus::kNoData;
  if (got <= 0) return ReadStatus::kEnd;
  events_.stderr_bytes({buffer.data(), static_cast<std::size_t>(got)});
  return ReadStatus::kData;
}

void StdioTransport::drain() {
  // Several times the capacity of a pipe, but bounded: a process that was not killed may go on writing.
  constexpr int kMostPieces = 64;
  if (streams_.from_stdout.is_open())
    for (int i = 0; i < kMostPieces && read_output() == ReadStatus::kData;) ++i;
  close_output("the server ended");
  if (streams_.from_stderr.is_open())
    for (int i = 0; i < kMostPieces && read_errors() == ReadStatus::kData;) ++i;
  close_errors();
}

void StdioTransport::close_output(const std::string& why) {
  if (!streams_.from_stdout.is_open()) return;
  unwatch_output();
  read_pause_.cancel();
  streams_.from_stdout.reset();
  reader_.finish(events_.lines);
  if (!std::exchange(reported_closed_, true)) events_.closed(why);
}

void StdioTransport::close_errors() {
  if (!streams_.from_stderr.is_open()) return;
  loop_.remove(streams_.from_stderr.raw());
  streams_.from_stderr.reset();
}

void StdioTransport::pause_reading(milliseconds duration) {
  unwatch_output();
  read_pause_.set(duration, [this] {
    if (!is_clogged()) resume_output();
  });
}

bool StdioTransport::send(std::string_view line) {
  if (!streams_.to_stdin.is_open()) return true;  // closed() makes the pending requests fail
  if (queue_.size() - written_ + line.size() > limits_.most_unsent) return false;
  queue_ += line;
  queue_ += '\n';
  if (!waits_to_write_) write_queued();
  return true;
}

void StdioTransport::write_queued() {
  while (written_ < queue_.size()) {
    const std::string_view rest = std::string_view(queue_).substr(written_);
    const int fd = streams_.to_stdin.raw();
    const ssize_t done =
        input_is_socket_ ? ::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL) : write_to_pipe(fd, rest);
    if (done >= 0) {
      written_ += static_cast<std::size_t>(done);
    } else if (errno == EAGAIN) {
      if (!waits_to_write_) waits_to_write_ = loop_.add(fd, Interest::kWrite, [this] { write_queued(); }).has_value();
      if (waits_to_write_) break;
    } else if (errno != EINTR) {
      close_input();
      if (!std::exchange(reported_closed_, true)) events_.closed("the server closed its input");
      return;
    }
  }
  if (written_ == queue_.size()) {
    if (std::exchange(waits_to_write_, false)) loop_.remove(streams_.to_stdin.raw());
    if (queue_.capacity() > kKeptQueue) queue_ = {};
    queue_.clear();
    written_ = 0;
  } else if (written_ > kClogged) {
    queue_.erase(0, written_);
    written_ = 0;
  }
  if (!watches_output_ && !read_pause_.is_set() && !is_clogged()) resume_output();
}

void StdioTransport::close_input() {
  if (std::exchange(waits_to_write_, false)) loop_.remove(streams_.to_stdin.raw());
  streams_.to_stdin.reset();
  queue_ = {};
  written_ = 0;
}

}  // namespace pinfold::mcp
