// fake.h: a backend that follows a script and logs the calls it gets, for tests of code that uses backends.
// Invariant: starts no process and changes nothing on the host; the script has every result, the log every call.
// Not here: anything that a program outside tests should include (tools/check-includes refuses that).
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"

namespace pinfold::backend {

// "native prepare", "native rehearse", "native start ls", "native gone": in the order of the calls.
using FakeLog = std::vector<std::string>;

// One failure of start().
struct FakeFailure {
  Error error;
  bool usable = true;                             // afterwards
  std::optional<std::vector<Coverage>> coverage;  // afterwards, if it changed
};

struct FakeScript {
  std::string name = "fake";
  std::vector<Coverage> coverage;  // of a prepared sandbox
  std::optional<Error> prepare_fails{};
  std::optional<Error> rehearsal_fails{};
  std::optional<std::vector<Coverage>> after_rehearsal{};  // coverage after rehearse(), if it differs
  std::deque<FakeFailure> start_fails{};                   // one per call, over all sandboxes; later calls succeed
  int exit_code = 0;                                       // of the command
};

// A coverage row for any plan.
inline Coverage fake_row(Strength strength, std::string step = "files.read", Need need = Need::kRequired) {
  const bool whole = strength == Strength::kEnforced;
  return {std::move(step), need, strength, "claims", whole ? "" : "a gap", whole ? "" : "a fix"};
}

class FakeSandbox final : public Sandbox {
 public:
  FakeSandbox(FakeScript& script, FakeLog& log) : script_(script), log_(log), rows_(script.coverage) {}
  FakeSandbox(const FakeSandbox&) = delete;
  FakeSandbox& operator=(const FakeSandbox&) = delete;
  ~FakeSandbox() override { note("gone"); }

  const std::vector<Coverage>& coverage() const override { return rows_; }
  Result<void> rehearse() override {
    note("rehearse");
    if (script_.rehearsal_fails) return tl::unexpected<Error>(*script_.rehearsal_fails);
    if (script_.after_rehearsal) rows_ = *script_.after_rehearsal;
    return {};
  }
  Result<StartResult> start(const Launch& launch) override {
    note("start " + (launch.argv.empty() ? std::string() : launch.argv[0]));
    if (script_.start_fails.empty()) return StartResult{};
    const FakeFailure failure = std::move(script_.start_fails.front());
    script_.start_fails.pop_front();
    usable_ = failure.usable;
    if (failure.coverage) rows_ = *failure.coverage;
    return tl::unexpected<Error>(failure.error);
  }
  bool usable() const override { return usable_; }
  void attach(sys::EventLoop& loop, SandboxEvents& events) override {
    const int status = script_.exit_code << 8;  // an exit code as waitpid() reports it
    loop.after(std::chrono::milliseconds(0), [&events, status] { events.command_ended(CommandExit{status}); });
  }
  void signal(int) override {}
  void terminate() override {}
  void kill() override {}
  Usage finish(std::vector<std::string>&, std::vector<Denial>&) override { return {}; }
  std::optional<TreeUsage> usage() override { return std::nullopt; }
  bool watches(LimitKind) const override { return false; }

 private:
  void note(const std::string& what) { log_.push_back(script_.name + " " + what); }

  FakeScript& script_;
  FakeLog& log_;
  std::vector<Coverage> rows_;
  bool usable_ = true;
};

class FakeBackend final : public Backend {
 public:
  FakeBackend(FakeScript script, FakeLog& log) : script_(std::move(script)), log_(log) {}
  std::string_view name() const override { return script_.name; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan&) override {
    log_.push_back(script_.name + " prepare");
    if (script_.prepare_fails) return tl::unexpected<Error>(*script_.prepare_fails);
    return std::make_unique<FakeSandbox>(script_, log_);
  }

 private:
  FakeScript script_;
  FakeLog& log_;
};

}  // namespace pinfold::backend
