// runtime_dir.h: where sessions are found: one directory for each, with its socket, below one that is the user's alone.
// Invariant: nothing below a directory that somebody else owns or may enter is ever trusted; a session holds a lock on
// its directory as long as it lives, so that what a dead one left is told from one that is being started. Not here:
// what is said over the socket (message.h).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "control/channel.h"
#include "control/message.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::control {

struct Entry {
  std::string id;
  std::string name;  // or the id, where none was given
  SandboxKind kind = SandboxKind::kSession;
};

class Place {
 public:
  // $XDG_RUNTIME_DIR/pinfold, or where that is not usable /tmp/pinfold-UID; made if need be.
  static Result<Place> open(HostView& host);

  const std::string& path() const { return path_; }

  // Those that live, or are being started, in the order of their names; removes what dead ones left.
  Result<std::vector<Entry>> list();
  // The session with this name or id, or whose name or id alone begins so. An error names those there are.
  Result<Entry> find(const std::string& wanted);
  // A connection to the session of exactly this name or id. kNotFound: nothing listens under it. kUnavailable: its
  // process accepts no connection. Another error: that process is not one to talk to (peer.h). Sending on it waits no
  // longer than connecting.
  Result<sys::Fd> connect(const std::string& name, Wait wait) const;
  // Keeps other processes from adding and removing sessions until it is dropped.
  Result<sys::Fd> lock() const;

 private:
  friend class Seat;
  Place(std::string path, sys::Fd directory) : path_(std::move(path)), directory_(std::move(directory)) {}
  void tidy();

  std::string path_;
  sys::Fd directory_;
};

// A session's own directory, until it is dropped.
class Seat {
 public:
  // kInvalid: a living session has this name. An empty name: the id is all there is.
  static Result<Seat> take(Place place, const std::string& name, SandboxKind kind = SandboxKind::kSession);
  Seat(Seat&& other) noexcept = default;
  Seat& operator=(Seat&& other) noexcept = delete;
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  ~Seat() { leave(); }

  const Entry& entry() const { return entry_; }
  // The listening socket; from now on clients can connect.
  Result<sys::Fd> listen();
  // Removes everything.
  void leave();

 private:
  Seat(Place place, Entry entry, sys::Fd directory)
      : place_(std::move(place)), entry_(std::move(entry)), directory_(std::move(directory)) {}
  Place place_;
  Entry entry_;
  sys::Fd directory_;
};

// Letters, digits, '.', '_' and '-', beginning with a letter or a digit; at most 64.
Result<void> check_name(const std::string& name);

}  // namespace pinfold::control
