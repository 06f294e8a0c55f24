// approving_host.cc: a program that runs one command with the library and approves its requests for paths below DIR.
//   approving_host WORKSPACE DIR REPORT DECISION(once|session) -- COMMAND…
// Invariant: prints the command's output; exits with the code that the report gives, or with 125 and the reason.
// Not here: which of its system calls fail (fault_injector.cc), what must hold afterwards (scenarios.py).
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "pinfold/report.h"
#include "pinfold/run.h"

namespace {

using pinfold::ApprovalDecision;

class ApproveBelow final : public pinfold::Decider {
 public:
  ApproveBelow(std::string prefix, ApprovalDecision decision) : prefix_(std::move(prefix)), decision_(decision) {}
  ApprovalDecision decide(const pinfold::DecisionRequest& request) override {
    const auto* access = std::get_if<pinfold::ApprovalRequest>(&request);
    if (access == nullptr) return ApprovalDecision::kOnce;
    if (!access->resource.starts_with(prefix_)) return ApprovalDecision::kDeny;
    return access->grant ? decision_ : ApprovalDecision::kOnce;
  }

 private:
  std::string prefix_;
  ApprovalDecision decision_;
};

bool write_all(const char* path, const std::string& text) {
  std::ofstream file(path);
  const bool done = (file << text).flush().good();
  const int error = errno;
  if (!done) std::remove(path);
  errno = error;
  return done;
}

int refused(const pinfold::Error& error) {
  std::fprintf(stderr, "pinfold: %s\n", error.text().c_str());
  return 125;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7 || std::string_view(argv[5]) != "--") return 2;
  const ApprovalDecision decision =
      std::string_view(argv[4]) == "session" ? ApprovalDecision::kSession : ApprovalDecision::kOnce;
  auto runner = pinfold::Runner::create();
  if (!runner) return refused(runner.error());
  runner->set_decider(std::make_shared<ApproveBelow>(std::string(argv[2]) + "/", decision));
  pinfold::LoadOptions options;
  options.toml = std::string("workspace = [\"") + argv[1] + "\"]\nfile_size = \"64M\"\n" + "observe = \"full\"\n";
  const auto policy = runner->load(options);
  if (!policy) return refused(policy.error());
  pinfold::Command command;
  command.argv.assign(argv + 6, argv + argc);
  command.ask = true;
  const auto result = runner->run(*policy, command);
  if (!result) return refused(result.error());
  const std::string report = pinfold::to_json(result->report);
  std::fputs(result->err.c_str(), stderr);
  if (!write_all(argv[3], report + "\n") || std::fputs(result->out.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    std::fprintf(stderr, "pinfold: writing the results: %s\n", std::strerror(errno));
    return 125;
  }
  const int code = pinfold::exit_code(result->report.outcome);
  // The reason for a refusal is in the report.
  if (code != 0) std::fprintf(stderr, "pinfold: exit %d: %s\n", code, report.c_str());
  return code;
}
