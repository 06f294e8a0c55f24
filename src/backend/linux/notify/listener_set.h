// listener_set.h: the call listeners of a sandbox, one for each command, with one chain of handlers for all.
// Invariant: background processes of a command keep its listener after the command has ended; detached events get no
// further calls. Not here: one listener (listener.h).
#pragma once

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "backend/linux/notify/listener.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class CallListenerSet {
 public:
  // `last`: gets the reports of listeners whose own events were detached.
  void open(sys::EventLoop& loop, SandboxEvents& last, std::vector<CallHandler*> chain);
  void add(sys::Fd listener, SandboxEvents& events);
  void detach(const SandboxEvents& events);
  // Stops handling calls; calls that wait keep waiting until release_all() closes the listeners.
  void close();
  void release_all() { entries_.clear(); }
  // All receivers of reports, each once.
  std::set<SandboxEvents*> receivers() const;
  std::uint64_t served() const;

 private:
  struct Entry {
    sys::Fd fd;
    SandboxEvents* events = nullptr;
    CallListener listener;
  };
  void remove_finished();

  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* last_ = nullptr;
  std::vector<CallHandler*> chain_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::uint64_t served_before_ = 0;
};

}  // namespace pinfold::backend::on_linux
