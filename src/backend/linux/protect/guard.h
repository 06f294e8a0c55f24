// guard.h: prevents the creation of protected names that do not exist yet, without leaving files on the host.
// Invariant: refuses every call that would make such a name, or whose directory it cannot determine; undoes names that
// it missed, and a note reports that or the failure; never deletes, only quarantines. A name that a host process made
// during the run stays and is protected from then on like one that existed at the start. It checks again 10 ms after
// each call that it allowed. (inotify would report sooner, but closing an inotify descriptor waits for an SRCU grace
// period: 15 ms at the end of every run.)
// Not here: receiving calls (listener.cc), names that exist (mounts), cleaning new git repositories (git_clean.cc).
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
#include "backend/linux/notify/caller_path.h"
#include "backend/linux/notify/handler.h"
#include "backend/linux/notify/trapped_call.h"
#include "backend/linux/protect/creation_origin.h"
#include "backend/linux/protect/git_clean.h"
#include "pinfold/plan.h"
#include "sys/event_loop.h"

namespace pinfold::backend::on_linux {

class Guard final : public CreationGuard {
 public:
  // Pins the parents of every guarded name.
  static Result<std::unique_ptr<Guard>> create(const Plan& plan);

  // A wider plan, which shows more at this path: its protected names there are guarded from now on.
  Result<void> widen(const Plan& plan, const std::string& place);

  // kTrapped: the kernel holds every call that makes a name until answer().
  enum class CreationCalls { kTrapped, kNotTrapped };
  void attach(sys::EventLoop& loop, SandboxEvents& events, CreationCalls calls);
  void detach() { loop_ = nullptr; }
  // True: the call was refused.
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;
  void before_continue(const seccomp_notif& call) override;
  bool may_make(int directory, const std::string& name) override;
  void record_made(int directory, const std::string& name) override;
  // Call when all processes inside have ended: undoes names that were missed, cleans new repositories.
  void finish(std::vector<std::string>& notes, std::vector<Denial>& denials);
  // The part of finish() that the janitor does if the supervisor was killed, and the descriptors that it needs for
  // that.
  void clean_up_alone();
  std::vector<int> descriptors() const;
  // Called with a name that a host process made: from now on the run cannot change that file. An error ends the run.
  std::function<Result<void>(const std::string& path, const Origin& origin)> protect;
  // Called when the command is about to make the first part of a new repository: from then on a janitor must clean it.
  std::function<void()> on_new_repository;

 private:
  struct GuardedName {
    std::string name;
    Origin origin;
    bool existed = false;
    bool is_link = false;    // a link cannot be masked by a mount: it must not be removed either
    std::uint64_t kept = 0;  // the inode of a file that a host process made since; 0: none
    std::chrono::steady_clock::time_point decide_by{};  // until then its maker may stay undecided
  };
  struct Directory {
    std::string path;
    sys::Fd fd;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    timespec changed{};                        // status change time at the start: no process inside can set it
    std::map<std::string, GuardedName> names;  // by lower-case name
  };
  void add_name(const ProtectName& step, const Origin& origin);
  Result<void> pin_directories();
  void watch_git();
  Directory* find(int parent);
  enum class NameOperation { kCreate, kRemove };
  bool refuses(std::uint32_t pid, const NewName& name, NameOperation change, SandboxEvents& events);
  void notice_hidden_names(const seccomp_notif& call, const std::vector<NewName>& created);
  void schedule_sweep(std::chrono::milliseconds delay);
  void schedule_check();
  void check_names();
  using Wait = CreationOrigin::Wait;
  enum class Sweep { kDecided, kUndecided };
  Sweep sweep(Wait wait, std::vector<std::string>& notes, std::vector<Denial>& denials);
  Maker maker_of(const Directory& directory, const GuardedName& guarded, Wait wait);
  std::string keep(const Directory& directory, const GuardedName& guarded, Maker maker);
  static std::string undo(const Directory& directory, const GuardedName& guarded);
  static Denial denial(const std::string& path, const GuardedName& guarded);

  std::vector<std::unique_ptr<Directory>> directories_;
  std::unordered_map<std::string, Directory*> by_path_;
  std::set<std::string> watched_names_;  // lower-case names to check in trapped calls
  std::set<std::string> links_;          // lower-case names of links, which must not be removed either
  GitCleaner git_;
  CreationOrigin creation_origin_;
  std::vector<std::string> kept_notes_;
  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
  // The last call that was checked: its names, and where the last one of them is, if it was resolved.
  std::uint64_t checked_call_ = 0;
  std::vector<NewName> checked_names_;
  std::optional<CallerPath> checked_place_;
  bool check_scheduled_ = false;
  bool was_trapped_ = false;
  bool breached_ = false;
  std::size_t creations_ = 0;  // calls whose memory was looked at, until a search is due
};

}  // namespace pinfold::backend::on_linux
