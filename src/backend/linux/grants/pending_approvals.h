// pending_approvals.h: calls that wait while somebody is asked about them, and what becomes of them.
// Invariant: a call that waits is answered once: with what it asked for, done by us on what was pinned; by the kernel,
// after the sandbox was widened; or with EACCES. Whoever dies meanwhile is not waited for.
// Not here: what is denied (denial_classifier.h), who is asked (supervisor), doing it (brokered_call.h, live_mounts.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "backend/backend.h"
#include "backend/linux/notify/syscall_request.h"
#include "backend/linux/grants/brokered_call.h"
#include "backend/linux/grants/live_mounts.h"
#include "sys/event_loop.h"

namespace pinfold::backend::on_linux {

class Questions {
 public:
  explicit Questions(Widener& widener) : widener_(widener) {}
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;
  ~Questions() { close(); }

  void attach(sys::EventLoop& loop) { loop_ = &loop; }
  // Everybody who waits is let go.
  void close();

  struct Asking {
    int listener;
    const seccomp_notif& call;
    std::optional<Deed> deed;  // nothing: it cannot be done for somebody
    bool relative;             // to a directory that the caller is in: what is mounted there since, it would not see
    Once once;                 // may `deed` be done by itself, without any grant?
    const Denial& denial;
  };
  // True: the call waits, or has got its answer by now.
  bool ask(Asking asking, SandboxEvents& events);

  bool has_granted(const std::string& path) const { return widener_.shows(path); }
  // The name itself is where a grant is mounted: the kernel neither removes it nor puts anything else in its place.
  bool is_place(const std::string& path) const { return widener_.shows_at(path); }
  // Without asking. False: it could not be done, and the call is not answered.
  bool carry_out(const Deed& deed, int listener, const seccomp_notif& call) {
    return deed.carry_out(listener, call, widener_).has_value();
  }

  // The sandbox has been widened, if that is what the answer means.
  Result<void> answer(std::uint64_t id, pinfold::Answer answer);
  // What was asked; null: nobody waits for it.
  const Denial* about(std::uint64_t id) const;

 private:
  struct Held {
    sys::Fd listener;  // our own: the command's may be closed before we are
    seccomp_notif call;
    std::optional<Deed> deed;
    bool relative;
    Once once;
    Denial denial;
    SandboxEvents* events;
  };
  void look_after();
  void forget_the_dead();

  Widener& widener_;
  sys::EventLoop* loop_ = nullptr;
  std::map<std::uint64_t, Held> held_;
  std::uint64_t next_ = 1;
  sys::EventLoop::TimerId timer_ = 0;
};

}  // namespace pinfold::backend::on_linux
