// quick_jobs.cc: fixed pieces of work, one at a time, for counting their instructions.
// Invariant: the same bytes of work every time, on any host, at any time, in any environment; only instructions inside
// counted() count. Not here: counting and comparing (bench/quick).
//
//   quick_jobs JOB [FILE]     does it once; without arguments: the names
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/linux/lower/lower.h"
#include "mcp/line_reader.h"
#include "mcp/message.h"
#include "net/captured_hellos.h"
#include "net/client_hello.h"
#include "net/dns_message.h"
#include "pinfold/report.h"
#include "plan/plan_fixture.h"
#include "policy/document.h"
#include "report/render.h"
#include "safety/advice/advice.h"
#include "safety/redaction/redactor.h"

// callgrind turns counting on and off here, by this name.
extern "C" __attribute__((noinline)) void counted(const std::function<void()>& work) { work(); }

namespace {

using namespace pinfold;

std::size_t sink = 0;  // keeps the compiler from removing the work

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  if (!file || all.str().empty()) throw std::runtime_error("nothing to read in " + path);
  return all.str();
}

class Planner : plan::PlanFixture {
 public:
  explicit Planner(int rules) {
    for (int i = 0; i < rules; ++i) {
      paths_.push_back("/opt/tools/group" + std::to_string(i / 100) + "/tool" + std::to_string(i));
      host.dir(paths_.back());
    }
    for (int i = 0; i < 200; ++i) host.file("/home/ada/ws/src/file" + std::to_string(i) + ".cc");
    host.dir("/home/ada/ws/.git/hooks").file("/home/ada/ws/.env");
  }
  void work() {
    auto made = builder();
    for (const std::string& path : paths_) made.read(path, plan::flag("--read"));
    const Plan planned = plan(std::move(made));
    backend::on_linux::LoweredPlan lowered;
    backend::on_linux::build_filters(planned, backend::on_linux::Traps::kNewNames, backend::on_linux::Growth::kFixed,
                                     lowered);
    sink += describe(planned).size() + lowered.filter.size();
  }

 private:
  std::vector<std::string> paths_;
};

void plan_rules(int rules) {
  Planner planner(rules);
  counted([&] { planner.work(); });
}

void policy_file() {
  std::string text = "profile = \"moderate\"\nnetwork = [\"api.example.org\", \"*.example.com:443\"]\nread = [\n";
  for (int i = 0; i < 200; ++i) text += "  \"~/tools/number" + std::to_string(i) + "\",\n";
  text += "]\n[limits]\nmemory = \"2G\"\n";
  counted([&] {
    const auto document =
        policy::read_document(text, policy::Notation::kToml, "pinfold.toml", Source::kProjectFile, {});
    sink += document.settings.size() + document.problems.size();
  });
}

void redact(const std::string& text) {
  counted([&] {
    redaction::Redactor redactor(redaction::Only::kEverything);
    for (std::size_t at = 0; at < text.size(); at += 4096) sink += redactor.feed(text.substr(at, 4096)).size();
    sink += redactor.finish().size();
  });
}

std::string repeated(std::string_view piece, std::size_t size) {
  std::string all;
  while (all.size() < size) all += piece;
  return all;
}

constexpr std::string_view kPlain =
    "The quick brown fox jumps over the lazy dog while the committee discusses, at some length, whether foxes ought\n"
    "to be quick at all. Nobody had asked the dog; it slept on, as dogs do, in the warm light of an afternoon.\n";
constexpr std::string_view kDense =
    "2026-03-01T10:22:33.123Z INFO [http-nio-8080-exec-7] c.e.api.OrderService : id=48211 status=200 took=12ms "
    "path=/v1/orders/99 trace=4bf92f3577b34da6a3ce929d0e0e4736\n"
    "10.0.3.17 - - [01/Mar/2026:10:22:33 +0000] \"GET /api/v2/items?page=3 HTTP/1.1\" 200 5316 \"-\" \"curl/8.5.0\"\n";

void advise(const std::string& path) {
  std::vector<std::string> commands;
  std::istringstream lines(contents(path));
  for (std::string line; std::getline(lines, line) && commands.size() < 200;) commands.push_back(line);
  counted([&] {
    for (const std::string& command : commands) sink += advice::advise(command, advice::Shell::kAuto).findings.size();
  });
}

std::vector<std::uint8_t> from_hex(std::string_view hex) {
  const auto digit = [](char c) { return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    bytes.push_back(static_cast<std::uint8_t>(digit(hex[at]) << 4U | digit(hex[at + 1])));
  return bytes;
}

void client_hello() {
  const auto bytes = from_hex(net::captured::kOpensslTls13);
  counted([&] {
    for (int i = 0; i < 1000; ++i) {
      net::ClientHelloReader reader;
      sink += static_cast<std::size_t>(reader.feed(bytes)) + 1;
    }
  });
}

void dns() {
  // api.example.org, A, with EDNS.
  const auto bytes =
      from_hex("beef01000001000000000001036170690765786d61706c65036f7267000001000100002904d0000000000000");
  const std::array<net::dns::Ipv4, 1> answer{};
  counted([&] {
    for (int i = 0; i < 1000; ++i) {
      const auto query = net::dns::parse_query(bytes);
      sink += query ? net::dns::answer_a(*query, net::dns::Transport::kUdp, answer, 60).size() : 0;
    }
  });
}

void report_text() {
  Report report;
  for (int i = 0; i < 100; ++i) {
    Denial denial;
    denial.operation = i % 2 == 0 ? "write" : "read";
    denial.resource = "/home/ada/elsewhere/file" + std::to_string(i);
    denial.rule = "not in the workspace (profile moderate)";
    denial.allow_with = "--write /home/ada/elsewhere/file" + std::to_string(i);
    report.denials.push_back(denial);
  }
  counted([&] { sink += to_json(report).size() + report::denial_summary(report, {report::Colour::kOn, 100}).size(); });
}

void mcp_lines() {
  const std::string text =
      repeated(R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"the answer to the question"}]}})"
               "\n",
               100'000);
  counted([&] {
    mcp::LineReader reader(1U << 20U);
    const mcp::LineReader::Handlers to{[](std::string_view line) { sink += mcp::read_message(line).index(); },
                                       [](std::uint64_t bytes, const std::optional<std::string>&) { sink += bytes; }};
    for (std::size_t at = 0; at < text.size(); at += 4096) reader.feed(std::string_view(text).substr(at, 4096), to);
    reader.finish(to);
  });
}

using Job = std::function<void(const std::string&)>;
const std::map<std::string, Job>& jobs() {
  static const std::map<std::string, Job> all = {
      {"plan-10", [](const std::string&) { plan_rules(10); }},
      {"plan-1000", [](const std::string&) { plan_rules(1000); }},
      {"policy-file", [](const std::string&) { policy_file(); }},
      {"redact-plain", [](const std::string&) { redact(repeated(kPlain, 400'000)); }},
      {"redact-dense", [](const std::string&) { redact(repeated(kDense, 400'000)); }},
      {"advice", advise},
      {"client-hello", [](const std::string&) { client_hello(); }},
      {"dns", [](const std::string&) { dns(); }},
      {"report", [](const std::string&) { report_text(); }},
      {"mcp-lines", [](const std::string&) { mcp_lines(); }},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto job = jobs().find(argc > 1 ? argv[1] : "");
    if (job == jobs().end()) {
      for (const auto& [name, work] : jobs()) std::printf("%s\n", name.c_str());
      return argc > 1 ? 2 : 0;
    }
    job->second(argc > 2 ? argv[2] : "");
    return sink == 0 ? 3 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quick_jobs: %s\n", error.what());
    return 1;
  }
}
