// approval_driver.cc: a real approval queue behind its real control socket, without a sandbox, for tests/browser/run.
// Invariant: it reads requests and events as lines of JSON from stdin and writes decisions as lines of JSON; it records
// a grant as the supervisor does. With --web it starts the page of this queue, as a run does. Not here: expected
// results.
//
//   {"do":"ask","id":1,"operation":"read","resource":"/x", …}   {"do":"withdraw","id":1} {"do":"deny","resource":"/x"}
//   {"do":"connect","host":"example.org"}   {"do":"flood","count":10000}   end of input: it ends
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "cli/web_program.h"
#include "session/live_approvals.h"
#include "sys/host.h"

namespace {

using namespace pinfold;
using Json = nlohmann::json;

void tell(const Json& json) {
  std::puts(json.dump().c_str());
  std::fflush(stdout);
}

[[noreturn]] void die(const Error& error) {
  tell({{"error", error.text()}});
  std::exit(2);
}

const char* word_of(ApprovalDecision answer) {
  switch (answer) {
    case ApprovalDecision::kOnce: return "once";
    case ApprovalDecision::kSession: return "session";
    case ApprovalDecision::kAlways: return "always";
    case ApprovalDecision::kDeny: break;
  }
  return "deny";
}

// Text, or {"base64": …} for bytes that JSON cannot hold.
std::string text_of(const Json& json, const char* key, const std::string& otherwise = {}) {
  if (!json.contains(key)) return otherwise;
  const Json& value = json[key];
  return value.is_object() ? from_base64(value["base64"].get<std::string>()).value() : value.get<std::string>();
}

ApprovalRequest question_of(const Json& json) {
  ApprovalRequest out;
  out.id = json.at("id");
  out.operation = text_of(json, "operation", "read");
  out.resource = text_of(json, "resource");
  out.named = text_of(json, "named");
  out.program = text_of(json, "program", "cat");
  out.pid = json.value("pid", 4242u);
  out.rule = text_of(json, "rule", "files outside of the workspace are hidden");
  out.once = json.value("once", true);
  if (json.value("grant", true))
    out.grant = Grant{out.operation == "connect" ? Grant::Kind::kNetwork
                      : out.operation == "read"  ? Grant::Kind::kRead
                                                 : Grant::Kind::kWrite,
                      out.resource};
  const std::string risk = json.value("risk", "low");
  out.risk.level = risk == "high" ? RiskLevel::kHigh : risk == "medium" ? RiskLevel::kMedium : RiskLevel::kLow;
  out.risk.words = text_of(json, "words", "It would see this file.");
  return out;
}

Denial denial_of(const Json& json) {
  Denial out;
  out.operation = text_of(json, "operation", "write");
  out.resource = text_of(json, "resource", "/etc/passwd");
  out.program = text_of(json, "program", "sh");
  out.pid = 4243;
  out.rule = text_of(json, "rule", "the system is read-only");
  out.allow_with = "--write " + out.resource;
  out.source = DenialSource::kObserved;
  return out;
}

class Driver {
 public:
  explicit Driver(sys::EventLoop& loop) : loop_(loop) {
    queue.take_back = [](const Grant& grant) {
      tell({{"revoked", valid_utf8(grant.resource)}});
      return Result<void>();
    };
  }

  void serve() {
    char buffer[65536];
    const ssize_t size = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (size <= 0) return loop_.stop();
    partial_.append(buffer, static_cast<std::size_t>(size));
    for (std::size_t end = 0; (end = partial_.find('\n')) != std::string::npos; partial_.erase(0, end + 1))
      act_on(Json::parse(partial_.substr(0, end)));
  }

  session::ApprovalQueue queue{session::ApprovalQueue::Hooks{}};

 private:
  void act_on(const Json& json) {
    const std::string what = json.at("do");
    if (what == "ask") {
      ApprovalRequest question = question_of(json);
      queue.ask(question, [this, question](ApprovalDecision answer) {
        if (answer != ApprovalDecision::kDeny && question.grant) queue.granted(*question.grant, answer);
        tell({{"reply", question.id}, {"answer", word_of(answer)}});
      });
    } else if (what == "withdraw") {
      queue.withdraw(json.at("id"));
    } else if (what == "deny") {
      queue.denied(denial_of(json));
    } else if (what == "connect") {
      connect(json);
    } else if (what == "flood") {
      flood(json.at("count"), json.value("pace", 200));
    }
  }

  void connect(const Json& json) {
    Connection connection;
    connection.host = text_of(json, "host", "registry.example.org");
    connection.address = "192.0.2.7";
    connection.port = 443;
    connection.bytes_up = 1834;
    connection.bytes_down = json.value("down", 48123u);
    connection.duration = std::chrono::milliseconds(312);
    connection.end = "finished";
    queue.connected(connection);
  }

  // In portions, so that a watcher can follow.
  void flood(int left, int portion) {
    for (int i = 0; i < portion && left > 0; ++i, --left) {
      if (left % 3 == 0)
        connect({{"host", "host-" + std::to_string(left) + ".example.org"}});
      else
        queue.denied(denial_of({{"resource", "/srv/data/file-" + std::to_string(left)}, {"program", "indexer"}}));
    }
    if (left > 0)
      loop_.after(std::chrono::milliseconds(10), [this, left, portion] { flood(left, portion); });
    else
      tell({{"flooded", true}});
  }

  sys::EventLoop& loop_;
  std::string partial_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool with_page = argc > 1 && std::string(argv[1]) == "--web";
  std::vector<std::string> command(argv + (with_page ? 2 : 1), argv + argc);
  auto host = sys::real_host();
  auto loop = sys::EventLoop::create();
  if (!loop) die(loop.error());
  Driver driver(*loop);
  auto live = session::LiveApprovals::open(driver.queue, {command, "/home/ada/project", "native"}, *loop, *host);
  if (!live) die(live.error());
  tell({{"id", (*live)->id()}});
  std::optional<cli::WebProgram> face;
  if (with_page) {
    auto started = cli::WebProgram::start((*live)->id());
    if (!started) die(started.error());
    tell({{"link", started->link()}});
    face.emplace(std::move(*started));
  }
  if (!loop->add(STDIN_FILENO, sys::EventLoop::Interest::kRead, [&] { driver.serve(); })) return 2;
  return loop->run() ? 0 : 2;
}
