// plugin_calls.cc: reads calls as lines, writes results as lines; the event loop serves the plugin between calls.
// Invariant: each line gets one result, in order, valid or not; a call is never made twice.
// Not here: restarts (mcp/client.cc), checking results (plugin_client.cc).
#include "cli/plugin_calls.h"

#include <unistd.h>

#include <cerrno>

#include "cli/commands.h"
#include "cli/process_io.h"

namespace pinfold::cli {

namespace {

using mcp::Json;

constexpr std::size_t kMaxLine = std::size_t{10} << 20;

// Standard input by lines, on the plugin's loop.
class Lines {
 public:
  explicit Lines(PluginClient& client) : client_(client) {
    // epoll refuses regular files with EPERM: they are always readable.
    waits_ = client_.loop().add(STDIN_FILENO, sys::EventLoop::Interest::kNone, [this] { take(); }).has_value();
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { client_.loop().remove(STDIN_FILENO); }

  // False at the end of the input.
  bool next(std::string& line) {
    for (;;) {
      const std::size_t end = text_.find('\n');
      if (end != std::string::npos || (ended_ && !text_.empty())) {
        line = text_.substr(0, end);
        text_.erase(0, end == std::string::npos ? end : end + 1);
        return true;
      }
      if (ended_ || text_.size() > kMaxLine) return false;
      came_ = false;
      if (!waits_) {
        take();
        continue;
      }
      client_.loop().set_interest(STDIN_FILENO, sys::EventLoop::Interest::kRead);
      if (!client_.serve_until(came_)) return false;
      client_.loop().set_interest(STDIN_FILENO, sys::EventLoop::Interest::kNone);
    }
  }

 private:
  void take() {
    char bytes[65536];
    const ssize_t size = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    ended_ = ended_ || size <= 0;
    if (size > 0) text_.append(bytes, static_cast<std::size_t>(size));
    came_ = true;
    if (ended_) client_.loop().remove(STDIN_FILENO);
    client_.loop().stop();
  }

  PluginClient& client_;
  std::string text_;
  bool waits_ = false;
  bool came_ = false;
  bool ended_ = false;
};

Json error_of(const Error& error) { return {{"reason", error.text()}, {"fix", error.fix()}}; }

// The result of one line.
Json answer_to(const std::string& line, PluginClient& client) {
  auto read = mcp::read_json(line);
  if (!read) return {{"id", nullptr}, {"error", error_of(read.error())}};
  const Json* tool = mcp::member(*read, "tool");
  const Json* arguments = mcp::member(*read, "arguments");
  const Json* id = mcp::member(*read, "id");
  Json out = {{"id", id != nullptr ? *id : Json(nullptr)}};
  if (tool == nullptr || !tool->is_string() || (arguments != nullptr && !arguments->is_object())) {
    out["error"] =
        error_of({ErrorKind::kInvalid, "not a call", R"(write, for example: {"tool": "say", "arguments": {}})"});
    return out;
  }
  auto result = client.call(tool->get<std::string>(), arguments != nullptr ? *arguments : Json::object());
  if (result)
    out["result"] = result->whole;
  else
    out["error"] = error_of(result.error());
  return out;
}

}  // namespace

int plugin_calls(PluginClient& client) {
  Lines lines(client);
  std::string line;
  int code = 0;
  while (lines.next(line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json answer = answer_to(line, client);
    if (mcp::member(answer, "error") != nullptr) code = 1;
    print(STDOUT_FILENO, mcp::write_json(answer) + "\n");
  }
  return client.gave_up() ? kUsageError : code;
}

}  // namespace pinfold::cli
