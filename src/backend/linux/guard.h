// guard.h: keeps protected names that do not exist yet from coming into being, without leaving anything on the host.
// Invariant: refuses what it sees, and what it cannot tell; what it missed it undoes, and says so, or says that it
// could not; never deletes, only renames out of the way. A protected symlink is put back as it was. It looks again
// shortly after each call it let through. (inotify would tell sooner, but closing an inotify descriptor waits for an
// SRCU grace period: 15 ms at the end of every run.) Not here: taking calls in (desk.cc), names that exist (mounts),
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
#include "backend/linux/calls.h"
#include "backend/linux/git_clean.h"
#include "backend/linux/notify.h"
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
  enum class Creations { kAsked, kUnseen };
  void attach(sys::EventLoop& loop, SandboxEvents& events, Creations creations);
  void detach() { loop_ = nullptr; }
  // True: refused.
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;
  // Everything inside is dead: undoes what was missed, cleans new repositories.
  void finish(std::vector<std::string>& notes, std::vector<Denial>& denials);
  // The part of finish() that a janitor must do when there is no supervisor any more, and what it needs open for that.
  void clean_up_alone();
  std::vector<int> descriptors() const;
  // Called when the first part of a new repository is about to be made: from then on there is something to clean.
  std::function<void()> saw_repository;

 private:
  // A symlink that no mount can mask, as it was when the run began.
  struct Link {
    std::uint64_t inode = 0;
    std::string text;
  };
  struct Guarded {
    std::string name;
    Origin origin;
    bool existed = false;
    std::optional<Link> link{};
    bool kept = false;  // the host's own doing: not looked at again
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
  Directory* find(const sys::Fd& parent);
  enum class Change { kCreate, kRemove };
  bool refuses(std::uint32_t pid, const NewName& name, Change change, SandboxEvents& events);
  void look_again(std::chrono::milliseconds delay);
  void look();
  void sweep(std::vector<std::string>& notes, std::vector<Denial>& denials);
  bool made_inside() const;
  std::string undo(const Directory& directory, Guarded& guarded);
  static Denial denial(const std::string& path, const Guarded& guarded);

  std::vector<std::unique_ptr<Directory>> directories_;
  std::unordered_map<std::string, Directory*> by_path_;
  std::set<std::string> interesting_;  // lower-case names worth a closer look
  std::set<std::string> links_;        // the same, of those that must not be removed either
  GitCleaner git_;
  std::chrono::steady_clock::time_point last_let_through_{};
  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
  bool looking_soon_ = false;
  bool was_trapped_ = false;
  bool breached_ = false;
};

}  // namespace pinfold::backend::on_linux
