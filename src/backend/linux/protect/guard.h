// guard.h: keeps protected names that do not exist yet from coming into being, without leaving anything on the host.
// Invariant: refuses what it sees, and what it cannot tell; what it missed it undoes, and says so, or says that it
// could not; never deletes, only renames out of the way. A name that a host process made during the run stays
// where it is and is protected from then on like one that was there at the start. It looks again
// shortly after each call it let through. (inotify would tell sooner, but closing an inotify descriptor waits for an
// SRCU grace period: 15 ms at the end of every run.) Not here: taking calls in (listener.cc), names that exist (mounts),
// cleaning new git repositories (git_clean.cc).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/backend.h"
#include "backend/linux/notify/handler.h"
#include "backend/linux/protect/creation_origin.h"
#include "backend/linux/protect/git_clean.h"
#include "backend/linux/notify/trapped_call.h"
#include "pinfold/plan.h"
#include "sys/event_loop.h"

namespace pinfold::backend::on_linux {

class Guard final : public CallAnswerer {
 public:
  // Pins the parents of every guarded name.
  static Result<std::unique_ptr<Guard>> create(const Plan& plan);

  // A wider plan, which shows more at this place: what it guards there is guarded from now on.
  Result<void> widen(const Plan& plan, const std::string& place);

  // kAsked: whoever creates a name waits for answer().
  enum class Seen { kAsked, kUnseen };
  void attach(sys::EventLoop& loop, SandboxEvents& events, Seen seen);
  void detach() { loop_ = nullptr; }
  // True: refused.
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;
  // Everything inside is dead: undoes what was missed, cleans new repositories.
  void finish(std::vector<std::string>& notes, std::vector<Denial>& denials);
  // The part of finish() that a janitor must do when there is no supervisor any more, and what it needs open for that.
  void clean_up_alone();
  std::vector<int> descriptors() const;
  // Called with a name that was made on the host: from now on the run cannot change that file. An error ends the run.
  std::function<Result<void>(const std::string& path, const Origin& origin)> protect;
  // Called when the first part of a new repository is about to be made: from then on there is something to clean.
  std::function<void()> saw_repository;

 private:
  struct Guarded {
    std::string name;
    Origin origin;
    bool existed = false;
    bool is_link = false;    // which no mount can mask: it must not be removed either
    std::uint64_t kept = 0;  // the inode of a file made on the host since; 0: none
  };
  struct Directory {
    std::string path;
    sys::Fd fd;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    timespec changed{};                    // status change time at the start: nobody inside can set it
    std::map<std::string, Guarded> names;  // by lower-case name
  };
  void add_name(const ProtectName& step, const Origin& origin);
  Result<void> pin_directories();
  void watch_git();
  Directory* find(const sys::Fd& parent);
  enum class Change { kCreate, kRemove };
  bool refuses(std::uint32_t pid, const NewName& name, Change change, SandboxEvents& events);
  void look_again(std::chrono::milliseconds delay);
  void look();
  void sweep(std::vector<std::string>& notes, std::vector<Denial>& denials);
  bool made_inside(const Directory& directory, const Guarded& guarded) const;
  std::string keep(const Directory& directory, const Guarded& guarded);
  static std::string undo(const Directory& directory, const Guarded& guarded);
  static Denial denial(const std::string& path, const Guarded& guarded);

  std::vector<std::unique_ptr<Directory>> directories_;
  std::unordered_map<std::string, Directory*> by_path_;
  std::set<std::string> interesting_;  // lower-case names worth a closer look
  std::set<std::string> links_;        // the same, of those that must not be removed either
  GitCleaner git_;
  Creations creations_;
  std::vector<std::string> kept_notes_;
  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
  bool looking_soon_ = false;
  bool was_trapped_ = false;
  bool breached_ = false;
};

}  // namespace pinfold::backend::on_linux
