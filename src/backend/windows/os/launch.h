// launch.h: starts one program, stopped, with less than its caller has.
// Invariant: it inherits its three streams and no other handle; it has not run a single instruction of its own until
// resume(); what was asked for is looked up in its token before that. Not here: the job (job.h), quoting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/windows/coverage.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

struct ToLaunch {
  std::string program;  // of the core
  std::u16string command_line;
  std::u16string environment;
  std::string working_dir;   // of the core
  PSID container = nullptr;  // null: there is none
  NetworkMode network = NetworkMode::kNone;
  ExecMode exec = ExecMode::kAny;
  Streams streams = Streams::kConsole;
  HANDLE job = nullptr;
  HANDLE stdio[3] = {};  // borrowed
};

class Process {
 public:
  Process(sys::Handle process, sys::Handle thread) : process_(std::move(process)), thread_(std::move(thread)) {}
  HANDLE raw() const { return process_.raw(); }
  Result<void> resume();
  // Ends it alone, also one that was never resumed.
  void end(std::uint32_t code) const;
  // Nothing while it lives. Never waits.
  Result<std::optional<std::uint32_t>> exit_code() const;

 private:
  sys::Handle process_;
  sys::Handle thread_;
};

Result<Process> launch(const ToLaunch& what);

// Why a process cannot be kept from having children, or empty.
std::string why_no_child_policy();

}  // namespace pinfold::backend::on_windows
