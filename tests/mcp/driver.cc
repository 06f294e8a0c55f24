// driver.cc: the client on the command line, for tests/mcp/run and for a look at a server.
// Invariant: the client is the real one; told by lines of JSON on stdin, tells by lines of JSON.
// Not here: a sandbox, expected results.
//
//   mcp_driver [--KEY VALUE]… -- COMMAND…        keys: see kNumbers; --era legacy|modern
//   {"do":"call","tag":"a","name":"echo","arguments":{},"state":"…","responses":{}}   {"do":"cancel","tag":"a"}
//   {"do":"tools"}   {"do":"pins","id":"…"}   {"do":"request","tag":"r","method":"…","params":{}}
//   {"do":"counts"}   {"do":"memory"}   {"do":"bench","name":"echo","count":1000}   {"do":"stop"}   {"do":"start"}
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <string>

#include "mcp/client.h"
#include "mcp/pin.h"
#include "mcp/process_starter.h"

namespace {

using namespace pinfold;
using namespace pinfold::mcp;

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "mcp_driver: %s\n", what.c_str());
  std::exit(2);
}

void tell(const Json& what) {
  const std::string line = write_json(what) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

const char* word_of(Failure::Kind kind) {
  constexpr const char* kWords[] = {"answered", "timed out", "cancelled", "ended", "unreadable", "wrong", "refused"};
  return kWords[static_cast<std::size_t>(kind)];
}

Json json_of(const Failure& failure) {
  Json out = {{"failure", word_of(failure.kind)}, {"story", failure.story}};
  if (failure.kind == Failure::Kind::kAnswered) out["code"] = failure.error.code;
  return out;
}

Json json_of(const CallOutcome& outcome) {
  if (const auto* failure = std::get_if<Failure>(&outcome)) return json_of(*failure);
  if (const auto* asks = std::get_if<InputRequired>(&outcome))
    return {{"asks", asks->requests}, {"state", asks->state}};
  const auto& result = std::get<CallResult>(outcome);
  Json out = {{"content", result.content}, {"isError", result.is_error}};
  if (!result.structured.is_null()) out["structured"] = result.structured;
  if (!result.not_judged.empty()) out["notJudged"] = result.not_judged;
  return out;
}

Json json_of(const State& state) {
  constexpr const char* kWords[] = {"idle", "starting", "ready", "ending", "backing off", "given up"};
  Json out = {{"event", "state"}, {"state", kWords[state.index()]}};
  if (const auto* pause = std::get_if<state::Backoff>(&state)) {
    out["why"] = pause->why;
    out["ms"] = pause->pause.count();
  }
  if (const auto* end = std::get_if<state::Failed>(&state)) out["why"] = end->why;
  return out;
}

// Says where secrets would be: the tests look for it in everything that comes out.
class TestFilter : public Filter {
 public:
  std::string text(OutputKind /*speech*/, std::string_view words) override {
    constexpr std::string_view kSecret = "hunter2hunter2";
    std::string out(words);
    for (std::size_t at = 0; (at = out.find(kSecret, at)) != std::string::npos;)
      out.replace(at, kSecret.size(), "[redacted]");
    return out;
  }
};

std::size_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

class Driver {
 public:
  Driver(sys::EventLoop& loop, Settings settings, std::vector<std::string> argv)
      : loop_(loop), starter_(loop, std::move(argv)), client_(loop, starter_, filter_, std::move(settings), events()) {}

  void run() {
    if (!loop_.add(0, sys::EventLoop::Interest::kRead, [this] { read(); })) die("stdin cannot be watched");
    client_.start();
    if (!loop_.run()) die("the loop failed");
  }

 private:
  Client::Events events() {
    Client::Events out;
    out.state_changed = [](const State& state) { tell(json_of(state)); };
    out.ready = [](const ServerFacts& facts) {
      tell({{"event", "ready"},
            {"era", facts.family == ProtocolFamily::kModern ? "modern" : "legacy"},
            {"version", facts.version},
            {"name", facts.name},
            {"instructions", facts.instructions}});
    };
    out.tools = [this](const ToolList& list) { tell_tools("tools", list); };
    out.notified = [](const Notification& one) {
      tell({{"event", "notified"}, {"method", one.method}, {"params", one.params}});
    };
    out.stderr_line = [](const std::string& line) { tell({{"event", "stderr"}, {"line", line}}); };
    out.ignored = [](const std::string& line) { tell({{"event", "ignored"}, {"line", line}}); };
    return out;
  }
  static void tell_tools(const char* event, const ToolList& list) {
    Json names = Json::array();
    Json hidden = Json::array();
    for (const Tool& tool : list.tools) {
      names.push_back(tool.name);
      for (const std::string& each : hidden_characters(tool)) hidden.push_back(each);
    }
    tell({{"event", event}, {"names", names}, {"problems", list.problems}, {"hidden", hidden}});
  }

  void read() {
    char buffer[65536];
    const ssize_t got = ::read(0, buffer, sizeof buffer);
    if (got <= 0) return finish();
    reader_.feed({buffer, static_cast<std::size_t>(got)}, {[this](std::string_view line) { take(line); }, {}});
  }
  void finish() {
    loop_.remove(0);
    client_.stop([this] { loop_.stop(); });
  }

  void take(std::string_view line) {
    auto order = read_json(line);
    if (!order) die("not JSON: " + std::string(line));
    const std::string what = text_member(*order, "do");
    const std::string tag = text_member(*order, "tag");
    if (what == "call") return call(*order, tag);
    if (what == "cancel" && ids_.contains(tag)) return client_.cancel(ids_[tag], "the test says so");
    if (what == "tools") return tell_tools("list", client_.tools());
    if (what == "pins") return pins(text_member(*order, "id"));
    if (what == "request") return request(*order, tag);
    if (what == "counts") return counts();
    if (what == "memory") return memory();
    if (what == "bench") return bench(*order, (*order)["count"].get<int>());
    if (what == "start") return client_.start();
    if (what == "stop") return client_.stop([] { tell({{"event", "stopped"}}); });
    die("unknown word: " + std::string(line));
  }
  void call(const Json& order, const std::string& tag) {
    Call call;
    call.tool = text_member(order, "name");
    if (const Json* arguments = member(order, "arguments")) call.arguments = *arguments;
    if (member(order, "check") != nullptr) call.check = Arguments::kChecked;
    if (member(order, "state") != nullptr) call.state = text_member(order, "state");
    if (const Json* responses = member(order, "responses")) call.input_responses = *responses;
    call.progress = [tag](const Progress& progress) {
      tell({{"event", "progress"}, {"tag", tag}, {"done", progress.done}, {"message", progress.message}});
    };
    auto id = client_.call(std::move(call), [tag](const CallOutcome& outcome) {
      Json out = {{"event", "answer"}, {"tag", tag}};
      out.update(json_of(outcome));
      tell(out);
    });
    remember(id, tag);
  }
  void request(const Json& order, const std::string& tag) {
    const Json* params = member(order, "params");
    auto id = client_.request(text_member(order, "method"), params == nullptr ? Json::object() : *params, std::nullopt,
                              [tag](const Answer& answer) {
                                Json out = {{"event", "answer"}, {"tag", tag}};
                                out.update(answer ? Json{{"result", *answer}} : json_of(answer.error()));
                                tell(out);
                              });
    remember(id, tag);
  }
  void remember(const tl::expected<RequestId, Failure>& id, const std::string& tag) {
    if (id) {
      ids_[tag] = *id;
      return;
    }
    Json out = {{"event", "answer"}, {"tag", tag}};
    out.update(json_of(id.error()));
    tell(out);
  }
  void pins(const std::string& install) {
    const Pins now = pins_of(install, client_.tools().tools, "");
    Json changes = Json::array();
    if (pins_)
      for (const PinChange& each : compare_pins(*pins_, now))
        changes.push_back({{"tool", each.tool}, {"lines", each.lines}});
    if (!read_pins(write_pins(now))) die("pins cannot be read back");
    pins_ = now;
    tell({{"event", "pins"}, {"count", now.tools.size()}, {"changes", changes}});
  }
  void counts() {
    const Conversation* talk = client_.conversation();
    const Counts counts = talk == nullptr ? Counts{} : talk->counts();
    tell({{"event", "counts"},
          {"messages", counts.messages},
          {"noise", counts.noise},
          {"overlong", counts.overlong},
          {"misshapen", counts.malformed},
          {"late", counts.late},
          {"duplicate", counts.duplicate},
          {"unknown", counts.unknown},
          {"refused", counts.refused_requests},
          {"stderrHeld", client_.errors().lines().size()},
          {"stderrBytes", client_.errors().bytes()}});
  }
  static void memory() {
    std::ifstream status("/proc/self/smaps_rollup");
    Json out = {{"event", "memory"}};
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("Pss:") || line.starts_with("Rss:"))
        out[line.substr(0, 3)] = number(line.substr(line.find_first_of("0123456789")));
    tell(out);
  }
  // One call after the other; each is made when the one before was answered.
  void bench(const Json& order, int left, Time began = Clock::now(), std::clock_t worked = std::clock()) {
    if (left == 0) {
      const double count = order["count"].get<double>();
      const double took = std::chrono::duration<double, std::micro>(Clock::now() - began).count();
      const double work = 1e6 * static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC;
      return tell({{"event", "bench"}, {"us", took / count}, {"work", work / count}});
    }
    Call call;
    call.tool = text_member(order, "name");
    call.arguments = order["arguments"];
    auto asked = client_.call(std::move(call), [this, order, left, began, worked](const CallOutcome& outcome) {
      if (!std::holds_alternative<CallResult>(outcome)) die("a call failed");
      bench(order, left - 1, began, worked);
    });
    if (!asked) die(asked.error().story);
  }

  sys::EventLoop& loop_;
  ProcessStarter starter_;
  TestFilter filter_;
  LineReader reader_{std::size_t{64} << 20};
  std::map<std::string, RequestId> ids_;
  std::optional<Pins> pins_;
  Client client_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  Durations& d = settings.durations;
  const std::map<std::string, milliseconds*> durations = {{"--probe", &d.probe},
                                                          {"--handshake", &d.handshake},
                                                          {"--request", &d.request},
                                                          {"--at-most", &d.request_at_most},
                                                          {"--terminate", &d.until_terminate},
                                                          {"--kill", &d.until_kill},
                                                          {"--back-off", &d.first_back_off},
                                                          {"--refresh", &d.between_refreshes}};
  const std::map<std::string, std::size_t*> sizes = {{"--longest-line", &settings.limits.longest_line}};
  int at = 1;
  for (; at + 1 < argc && std::string(argv[at]) != "--"; at += 2) {
    const std::string key = argv[at];
    const std::string value = argv[at + 1];
    if (key == "--era")
      settings.known_family = value == "modern" ? ProtocolFamily::kModern : ProtocolFamily::kLegacy;
    else if (key == "--root")
      settings.roots.emplace().push_back({"file://" + value, value});
    else if (durations.contains(key))
      *durations.at(key) = milliseconds(number(value));
    else if (sizes.contains(key))
      *sizes.at(key) = number(value);
    else
      die("unknown word: " + key);
  }
  if (at + 1 >= argc) die("usage: mcp_driver [--KEY VALUE]… -- COMMAND…");
  settings.capabilities = {{"elicitation", Json::object()}};
  auto loop = sys::EventLoop::create();
  if (!loop) die(loop.error().text());
  Driver(*loop, std::move(settings), {argv + at + 1, argv + argc}).run();
}
