// plugin_calls.cc: lines in, lines out; the plugin is served while nobody asks.
// Invariant: each line is answered once, in order, whatever it says; a call is never made twice.
// Not here: restarts (mcp/client.cc), what an answer must be (plugin_client.cc).
#include "cli/plugin_calls.h"

#include <unistd.h>

#include <cerrno>

#include "cli/commands.h"
#include "cli/process_io.h"

namespace pinfold::cli {

namespace {

using mcp::Json;

constexpr std::size_t kLongestLine = std::size_t{10} << 20;

// Standard input by lines, on the plugin's loop.
class Lines {
 public:
  explicit Lines(PluginTalk& talk) : talk_(talk) {
    // A file cannot be waited for: it is always there.
    waits_ = talk_.loop().add(STDIN_FILENO, sys::EventLoop::Interest::kNone, [this] { take(); }).has_value();
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { talk_.loop().remove(STDIN_FILENO); }

  // False: there are no more.
  bool next(std::string& line) {
    for (;;) {
      const std::size_t end = text_.find('\n');
      if (end != std::string::npos || (ended_ && !text_.empty())) {
        line = text_.substr(0, end);
        text_.erase(0, end == std::string::npos ? end : end + 1);
        return true;
      }
      if (ended_ || text_.size() > kLongestLine) return false;
      came_ = false;
      if (!waits_) {
        take();
        continue;
      }
      talk_.loop().set_interest(STDIN_FILENO, sys::EventLoop::Interest::kRead);
      if (!talk_.serve_until(came_)) return false;
      talk_.loop().set_interest(STDIN_FILENO, sys::EventLoop::Interest::kNone);
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
    if (ended_) talk_.loop().remove(STDIN_FILENO);
    talk_.loop().stop();
  }

  PluginTalk& talk_;
  std::string text_;
  bool waits_ = false;
  bool came_ = false;
  bool ended_ = false;
};

Json error_of(const Error& error) { return {{"reason", error.text()}, {"fix", error.fix()}}; }

// What is answered to one line.
Json answer_to(const std::string& line, PluginTalk& talk) {
  auto read = mcp::read_json(line);
  if (!read) return {{"id", nullptr}, {"error", error_of(read.error())}};
  const Json* tool = mcp::member(*read, "tool");
  const Json* arguments = mcp::member(*read, "arguments");
  const Json* id = mcp::member(*read, "id");
  Json out = {{"id", id != nullptr ? *id : Json(nullptr)}};
  if (tool == nullptr || !tool->is_string() || (arguments != nullptr && !arguments->is_object())) {
    out["error"] = error_of({ErrorKind::kInvalid, "this is no call", R"(as in: {"tool": "say", "arguments": {}})"});
    return out;
  }
  auto result = talk.call(tool->get<std::string>(), arguments != nullptr ? *arguments : Json::object());
  if (result)
    out["result"] = result->whole;
  else
    out["error"] = error_of(result.error());
  return out;
}

}  // namespace

int plugin_calls(PluginTalk& talk) {
  Lines lines(talk);
  std::string line;
  int code = 0;
  while (lines.next(line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json answer = answer_to(line, talk);
    if (mcp::member(answer, "error") != nullptr) code = 1;
    print(STDOUT_FILENO, mcp::write_json(answer) + "\n");
  }
  return talk.gave_up() ? kUsageError : code;
}

}  // namespace pinfold::cli
