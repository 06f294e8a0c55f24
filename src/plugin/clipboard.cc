// clipboard.cc: connections to the socket, handled one after the other.
// Invariant: a client that sends nothing, sends too much or does not read occupies one of 16 connections for at most 30
// s. Not here: the programs that access the clipboard (clipboard_tool.cc).
#include "plugin/clipboard.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/try.h"

namespace pinfold::plugin {
namespace {

using namespace std::chrono_literals;
using Interest = sys::EventLoop::Interest;

constexpr std::size_t kMostConnections = 16;  // further connections wait in the listen queue
constexpr auto kTimeout = 30s;                // for a whole connection
constexpr auto kToolTimeout = 10s;
constexpr auto kPause = 100ms;  // between two uses
constexpr std::string_view kCopy = "copy\n";
constexpr std::string_view kPaste = "paste\n";

}  // namespace

Clipboard::Clipboard(sys::EventLoop& loop, sys::Fd listener, Result<ClipboardTools> tools,
                     std::function<void(const ClipboardUse&)> used)
    : loop_(loop), listener_(std::move(listener)), tools_(std::move(tools)), used_(std::move(used)) {}

Clipboard::~Clipboard() {
  if (pause_ != 0) loop_.cancel(pause_);
  while (!connections_.empty()) close_connection(connections_.begin());
  loop_.remove(listener_.raw());
}

Result<void> Clipboard::start() {
  return loop_.add(listener_.raw(), Interest::kRead, [this] { accept_connection(); });
}

void Clipboard::accept_connection() {
  auto peer = sys::Fd::adopt(::accept4(listener_.raw(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!peer.is_open()) return;
  connections_.push_back({});
  const auto connection = std::prev(connections_.end());
  connection->peer = std::move(peer);
  if (!loop_.add(connection->peer.raw(), Interest::kRead, [this, connection] { read_request(connection); })) {
    connections_.erase(connection);
    return;
  }
  connection->timeout = loop_.after(kTimeout, [this, connection] {
    connection->timeout = 0;
    close_connection(connection);
    serve_next();
  });
  if (connections_.size() >= kMostConnections) loop_.set_interest(listener_.raw(), Interest::kNone);
}

void Clipboard::read_request(Connections::iterator connection) {
  std::array<char, 65536> bytes;
  const ssize_t size = ::recv(connection->peer.raw(), bytes.data(), bytes.size(), 0);
  if (size < 0) {
    if (errno != EAGAIN && errno != EINTR) close_connection(connection);
    return;
  }
  connection->request.append(bytes.data(), static_cast<std::size_t>(size));
  parse_request(connection, size == 0);
}

void Clipboard::parse_request(Connections::iterator connection, bool ended) {
  const std::string& request = connection->request;
  const bool copies = request.starts_with(kCopy);
  if (copies && request.size() - kCopy.size() > kLongestClip)
    return answer(connection, fmt::format("error: more than {} bytes\n", kLongestClip));
  const bool pastes = request.starts_with(kPaste);
  if (!pastes && !(copies && ended)) {
    const bool may_become = kCopy.starts_with(request) || kPaste.starts_with(request) || copies;
    if (ended || !may_become)
      answer(connection, "error: send \"paste\" and a newline, or \"copy\", a newline and the text\n");
    return;
  }
  connection->use.operation = copies ? ClipboardUse::Operation::kCopy : ClipboardUse::Operation::kPaste;
  connection->stage = Connection::Stage::kWaiting;
  loop_.remove(connection->peer.raw());  // otherwise the event loop reports a closed peer again and again
  serve_next();
}

void Clipboard::serve_next() {
  if (run_ || pause_ != 0) return;
  const auto connection = std::find_if(connections_.begin(), connections_.end(),
                                       [](const Connection& one) { return one.stage == Connection::Stage::kWaiting; });
  if (connection == connections_.end()) return;
  connection->stage = Connection::Stage::kRunning;
  pause_ = loop_.after(kPause, [this] {
    pause_ = 0;
    serve_next();
  });
  if (!tools_) return finish_use(connection, tl::unexpected<Error>(tools_.error()));
  const bool copies = connection->use.operation == ClipboardUse::Operation::kCopy;
  const std::string_view text =
      copies ? std::string_view(connection->request).substr(kCopy.size()) : std::string_view();
  auto run = ToolRun::start(loop_, copies ? tools_->copy : tools_->paste,
                            copies ? ToolRun::Kind::kCopy : ToolRun::Kind::kPaste, text, {kLongestClip, kToolTimeout},
                            [this, connection](Result<std::string> got) { finish_use(connection, std::move(got)); });
  if (!run) return finish_use(connection, tl::unexpected<Error>(std::move(run).error()));
  run_ = std::move(*run);
}

void Clipboard::finish_use(Connections::iterator connection, Result<std::string> got) {
  const bool copies = connection->use.operation == ClipboardUse::Operation::kCopy;
  if (got)
    connection->use.bytes = copies ? connection->request.size() - kCopy.size() : got->size();
  else
    connection->use.problem = got.error().text();
  used_(connection->use);
  answer(connection, got ? "ok\n" + *got : "error: " + connection->use.problem + "\n");
  run_.reset();
  serve_next();
}

void Clipboard::answer(Connections::iterator connection, const std::string& text) {
  connection->stage = Connection::Stage::kAnswering;
  connection->request.clear();
  connection->answer = text;
  loop_.remove(connection->peer.raw());
  if (!loop_.add(connection->peer.raw(), Interest::kWrite, [this, connection] { send_answer(connection); }))
    close_connection(connection);
}

void Clipboard::send_answer(Connections::iterator connection) {
  const ssize_t size =
      ::send(connection->peer.raw(), connection->answer.data(), connection->answer.size(), MSG_NOSIGNAL);
  if (size < 0 && errno != EAGAIN && errno != EINTR) return close_connection(connection);
  if (size > 0) connection->answer.erase(0, static_cast<std::size_t>(size));
  if (!connection->answer.empty()) return;
  // Closing a socket with unread input discards the answer, so first read to the end of the client's output.
  ::shutdown(connection->peer.raw(), SHUT_WR);
  loop_.remove(connection->peer.raw());
  if (!loop_.add(connection->peer.raw(), Interest::kRead, [this, connection] { drain(connection); }))
    close_connection(connection);
}

void Clipboard::drain(Connections::iterator connection) {
  std::array<char, 65536> bytes;
  const ssize_t size = ::recv(connection->peer.raw(), bytes.data(), bytes.size(), 0);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) close_connection(connection);
}

void Clipboard::close_connection(Connections::iterator connection) {
  if (connection->stage == Connection::Stage::kRunning) run_.reset();
  if (connection->timeout != 0) loop_.cancel(connection->timeout);
  loop_.remove(connection->peer.raw());
  connections_.erase(connection);
  if (connections_.size() == kMostConnections - 1) loop_.set_interest(listener_.raw(), Interest::kRead);
}

}  // namespace pinfold::plugin
