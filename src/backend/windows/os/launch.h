// launch.h: starts one program, suspended, with a restricted token.
// Invariant: the process inherits its three streams and no other handle; it runs no instruction before resume(), and
// its token is checked before that. Not here: the job (job.h), quoting (command_line.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/windows/coverage.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

struct LaunchRequest {
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
  // Ends this process only, also before resume().
  void end(std::uint32_t code) const;
  // Empty while the process runs. Never waits.
  Result<std::optional<std::uint32_t>> exit_code() const;

 private:
  sys::Handle process_;
  sys::Handle thread_;
};

Result<Process> launch(const LaunchRequest& request);

// Why this Windows cannot forbid child processes; empty if it can.
std::string why_no_child_policy();

}  // namespace pinfold::backend::on_windows
