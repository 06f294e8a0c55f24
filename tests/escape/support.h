// support.h: helpers of the suites: users, texts, files, and running one command with its streams.
// Invariant: a set-up that fails throws; a test never goes on without its controls.
// Not here: attempts and expected results (table.h).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace escape {

using Milliseconds = std::chrono::milliseconds;
using Texts = std::vector<std::string>;

struct User {
  std::string name;  // "root" or "user"
  uid_t uid;
  gid_t gid;
};

// Where the command's streams go.
enum class Stage {
  kPipes,           // stdout and stderr are pipes, stdin is empty, no controlling terminal of note
  kTerminal,        // all three are a pty that is also the controlling terminal
  kTerminalBehind,  // pipes, but a pty is the controlling terminal
};
// Whether the command starts in a mount namespace of its own, with a tmpfs at `scratch_mount`.
enum class Mounts { kHost, kOwn };

struct Command {
  Texts argv;
  Texts env;
  std::string cwd = "/";
  User as{"root", 0, 0};
  Milliseconds patience{120000};  // a command that still runs then never ends; a busy machine is slow
  Stage stage = Stage::kPipes;
  Mounts mounts = Mounts::kHost;
  std::string scratch_mount;
  std::vector<std::pair<int, std::string>> open;  // descriptors to leave open across exec
};

struct Ran {
  int exit_code = -1;  // 128+n for a signal
  bool timed_out = false;
  std::string out;  // the first 256 KiB
  std::string err;
  std::size_t out_bytes = 0;
  std::size_t err_bytes = 0;
  std::string terminal;  // what the pty's other side saw
  int typed_ahead = 0;   // bytes waiting in the user's terminal afterwards
  Milliseconds took{0};
};

// A started command; destruction kills it.
class Running {
 public:
  explicit Running(const Command& command);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  pid_t pid() const { return pid_; }
  void kill(int signal) const;
  bool has_ended() const;
  // Reads until stdout has this text. False: the command ended, or patience was over, without it.
  bool wait_for(const std::string& text, Milliseconds patience);
  // Reads until the command has ended or patience is over; then kills it.
  Ran wait(Milliseconds patience);

 private:
  void read_some(Ran& ran, int timeout_ms);

  pid_t pid_ = -1;
  int pidfd_ = -1;
  int out_ = -1;
  int err_ = -1;
  int master_ = -1;
  int slave_ = -1;  // kept, to read keys typed ahead
  bool ended_ = false;
  Ran so_far_;
  std::chrono::steady_clock::time_point started_;
};

Ran run(const Command& command);
// `text` by /bin/sh; throws its output when it fails.
void must_run_shell(const std::string& text, const User& as, const std::string& cwd, const Texts& env);

[[noreturn]] void give_up(const std::string& what);  // with errno
std::string read_file(const std::string& path);      // empty when it cannot be read
void write_file(const std::string& path, const std::string& content);
bool exists(const std::string& path);  // lstat
std::string hex_nonce();
// Replaces each {name} that has a value.
std::string fill_in(std::string text, const std::map<std::string, std::string>& values);
Texts fill_in(const Texts& texts, const std::map<std::string, std::string>& values);
std::string one_line(const std::string& text, std::size_t limit);

}  // namespace escape
