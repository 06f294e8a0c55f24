// runtime_dir.h: the directory of the user's sessions, with one subdirectory and socket for each session.
// Invariant: a directory that another user owns or may enter is never used; a session holds the lock on a file of its
// directory while it runs, which distinguishes a session that is starting from the remains of a dead one. Not here: the
// protocol on the socket (message.h).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "control/channel.h"
#include "control/message.h"
#include "pinfold/result.h"
#include "sys/fd.h"
#include "sys/files.h"

namespace pinfold::control {

struct SandboxEntry {
  std::string id;
  std::string name;  // the id if no name was given
  SandboxKind kind = SandboxKind::kSession;
};

class RuntimeDir {
 public:
  // $XDG_RUNTIME_DIR/pinfold, or /tmp/pinfold-UID if that is not usable; created if missing.
  static Result<RuntimeDir> open(HostView& host);

  const std::string& path() const { return path_; }

  // Sandboxes that run or are starting, sorted by name; removes the directories of dead ones, unless another process
  // holds the lock.
  Result<std::vector<SandboxEntry>> list();
  // The session with this name or id, or the only one whose name or id has this prefix. The error lists the sessions.
  Result<SandboxEntry> find(const std::string& wanted);
  // Connects to the session of exactly this name or id. kNotFound: nothing listens there. kUnavailable: its process
  // accepts no connection. Another error: check_peer() refused its process. Sending has the same time limit as
  // connecting.
  Result<sys::Fd> connect(const std::string& name, Wait wait) const;
  // Prevents other processes from adding and removing sessions until the descriptor is closed. The error after
  // `patience` names the file and the process that holds it.
  Result<sys::Fd> lock(std::chrono::milliseconds patience = sys::kLockTimeout) const;
  int raw() const { return directory_.raw(); }

 private:
  friend class SessionDir;
  RuntimeDir(std::string path, sys::Fd directory) : path_(std::move(path)), directory_(std::move(directory)) {}
  void tidy();

  std::string path_;
  sys::Fd directory_;
};

// A session's own directory; removed by the destructor.
class SessionDir {
 public:
  // kInvalid: a running session has this name. With an empty name it has only an id.
  static Result<SessionDir> create(RuntimeDir runtime, const std::string& name,
                                   SandboxKind kind = SandboxKind::kSession);
  SessionDir(SessionDir&& other) noexcept = default;
  SessionDir& operator=(SessionDir&& other) noexcept = delete;
  SessionDir(const SessionDir&) = delete;
  SessionDir& operator=(const SessionDir&) = delete;
  ~SessionDir() { leave(); }

  const SandboxEntry& entry() const { return entry_; }
  // The listening socket; clients can connect from now on.
  Result<sys::Fd> listen();
  // Removes the directory, its socket and its name.
  void leave();

 private:
  SessionDir(RuntimeDir runtime, SandboxEntry entry, sys::Fd directory, sys::Fd lock)
      : runtime_(std::move(runtime)),
        entry_(std::move(entry)),
        directory_(std::move(directory)),
        lock_(std::move(lock)) {}
  RuntimeDir runtime_;
  SandboxEntry entry_;
  sys::Fd directory_;
  sys::Fd lock_;
};

// Valid: letters, digits, '.', '_' and '-', beginning with a letter or a digit; at most 64 characters.
Result<void> check_name(const std::string& name);

}  // namespace pinfold::control
