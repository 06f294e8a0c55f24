// fake_server.h: MCP servers for tests, over socket pairs, on the test's event loop.
// Invariant: does only what its plan contains. Not here: real processes (tests/mcp).
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mcp/line_reader.h"
#include "mcp/message.h"
#include "mcp/starter.h"
#include "mcp/timer.h"

namespace pinfold::mcp {

class FakeServer;
using Behaviour = std::function<void(FakeServer&, const Json& message)>;

struct Plan {
  Behaviour behave;
  bool ends_at_eof = true;
  bool ends_at_terminate = true;
};

// One server process: its ends of the socket pairs, on the same loop.
class FakeServer {
 public:
  FakeServer(sys::EventLoop& loop, Plan plan, std::function<void(const std::string&)> ended)
      : loop_(loop), plan_(std::move(plan)), ended_(std::move(ended)), reader_(1 << 30), soon_(loop) {
    for (auto& [ours, theirs] :
         {std::pair(&in_, &streams.to_stdin), {&out_, &streams.from_stdout}, {&err_, &streams.from_stderr}}) {
      std::array<int, 2> pair{};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) std::abort();
      *ours = sys::Fd::adopt(pair[0]);
      *theirs = sys::Fd::adopt(pair[1]);
    }
    if (!loop_.add(in_.raw(), sys::EventLoop::Interest::kRead, [this] { read(); })) std::abort();
  }
  ~FakeServer() { close(); }

  void write(const std::string& bytes) { send_all(out_, bytes); }
  void write_stderr(const std::string& bytes) { send_all(err_, bytes); }
  void answer(const Json& message, const std::string& result) {
    write(R"({"jsonrpc":"2.0","id":)" + write_json(message["id"]) + R"(,"result":)" + result + "}\n");
  }
  void close_output() { out_.reset(); }
  void end(const std::string& how) {
    close();
    if (!std::exchange(over_, true)) soon_.set(std::chrono::milliseconds(0), [this, how] { ended_(how); });
  }
  void signal(const std::string& name) {
    signals.push_back(name);
    if (name == "KILL" || plan_.ends_at_terminate) end("was killed by SIG" + name);
  }

  Streams streams;
  std::vector<std::string> signals;
  std::vector<std::string> methods;

 private:
  // Both ends are on this thread, so a write that does not fit into the socket buffer cannot complete.
  static void send_all(const sys::Fd& to, const std::string& bytes) {
    if (::send(to.raw(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  void close() {
    if (in_.is_open()) loop_.remove(in_.raw());
    in_.reset();
    out_.reset();
    err_.reset();
  }
  void read() {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(in_.raw(), buffer.data(), buffer.size());
    if (got <= 0) {
      loop_.remove(in_.raw());
      in_.reset();
      if (plan_.ends_at_eof) end("exited with 0");
      return;
    }
    reader_.feed({buffer.data(), static_cast<std::size_t>(got)}, {[this](std::string_view line) {
                                                                    const Json message = *read_json(line);
                                                                    methods.push_back(text_member(message, "method"));
                                                                    if (!over_) plan_.behave(*this, message);
                                                                  },
                                                                  {}});
  }

  sys::EventLoop& loop_;
  Plan plan_;
  std::function<void(const std::string&)> ended_;
  LineReader reader_;
  sys::Fd in_, out_, err_;
  Timer soon_;
  bool over_ = false;
};

class FakeProcess : public ServerProcess {
 public:
  explicit FakeProcess(std::shared_ptr<FakeServer> server) : server_(std::move(server)) {}
  Streams take_streams() override { return std::move(server_->streams); }
  void terminate() override { server_->signal("TERM"); }
  void kill() override { server_->signal("KILL"); }

 private:
  std::shared_ptr<FakeServer> server_;
};

class FakeStarter : public Starter {
 public:
  FakeStarter(sys::EventLoop& loop, std::function<Plan(std::size_t run)> plan) : loop_(loop), plan_(std::move(plan)) {}
  Result<std::unique_ptr<ServerProcess>> start(std::function<void(const std::string&)> ended) override {
    runs.push_back(std::make_shared<FakeServer>(loop_, plan_(runs.size()), std::move(ended)));
    return std::make_unique<FakeProcess>(runs.back());
  }
  std::vector<std::shared_ptr<FakeServer>> runs;

 private:
  sys::EventLoop& loop_;
  std::function<Plan(std::size_t)> plan_;
};

}  // namespace pinfold::mcp
