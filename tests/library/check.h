// check.h: counting checks, and short words for running commands, for programs that use the installed library.
// Not here: any check.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <pinfold/run.h>

namespace library_test {

using pinfold::Command;
using pinfold::Policy;
using pinfold::Result;
using pinfold::RunResult;

inline int passed = 0;
inline int failed = 0;

inline void check(const std::string& what, bool good, const std::string& seen = {}) {
  good ? ++passed : ++failed;
  if (!good) std::printf("FAILED: %s: %s\n", what.c_str(), seen.substr(0, 600).c_str());
}

inline const pinfold::Origin kHere{pinfold::Source::kApi, "test"};

inline pinfold::Runner& runner() {
  static auto one = pinfold::Runner::create();
  return *one;
}

inline Policy policy(const std::string& toml = {}, const std::string& timeout = "60s") {
  auto caller = pinfold::find_caller();
  auto made = pinfold::policy_from_toml("timeout = \"" + timeout + "\"\n" + toml, *caller);
  if (!made) {
    std::printf("FAILED: policy: %s\n0 passed, 1 failed\n", made.error().text().c_str());
    std::exit(1);
  }
  return *made;
}

inline Command shell(std::string script) {
  Command command;
  command.argv = {"sh", "-c", std::move(script)};
  return command;
}

// "0:out:err", or what went wrong.
inline std::string result_text(const Result<RunResult>& ran) {
  if (!ran) return "error: " + ran.error().text();
  std::string out = std::to_string(pinfold::exit_code(ran->report.outcome)) + ":" + ran->out + ":" + ran->err;
  if (const auto* failed_at = std::get_if<pinfold::SetupFailed>(&ran->report.outcome)) out += failed_at->reason;
  if (const auto* refused = std::get_if<pinfold::Refused>(&ran->report.outcome)) out += refused->reason;
  return out;
}
inline std::string run(const Command& command) { return result_text(runner().run(policy(), command)); }

inline void expect(const std::string& what, const std::string& got, const std::string& want) {
  check(what, got == want, "got <" + got.substr(0, 300) + ">, wanted <" + want.substr(0, 300) + ">");
}

inline int finish(const std::vector<std::function<void()>>& parts) {
  for (const auto& part : parts) part();
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace library_test
