// guard.cc: refuses creations, checks the parent directories, undoes names that were missed.
#include "backend/linux/protect/guard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "backend/linux/notify/caller_path.h"
#include "backend/linux/notify/shared_memory.h"
#include "backend/linux/notify/trapped_call.h"
#include "backend/linux/protect/quarantine.h"
#include "base/paths.h"
#include "base/try.h"
#include "plan/grants.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

using namespace std::chrono_literals;

constexpr auto kFastCheck = 10ms;      // after a call that was allowed; always, if no call is trapped
constexpr auto kShortCheck = 1ms;      // while a call runs that may have made a name
constexpr auto kLongestDoubt = 200ms;  // then such a call does not count as running
// Looking at a caller's memory takes some 15 µs. A run that makes more names has its end searched anyway.
constexpr std::size_t kMostChecked = 64;
constexpr auto kSlowCheck = 1000ms;  // for names that host processes make

// Some file systems ignore case; a name that differs only in case is guarded as well.
std::string lower(std::string_view name) {
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return out;
}

// A directory with a new name in it has a new time, unless its last change was so recent that the clock had not
// advanced.
bool unchanged(const timespec& before, const timespec& now) {
  timespec clock{};
  ::clock_gettime(CLOCK_REALTIME, &clock);
  return before.tv_sec == now.tv_sec && before.tv_nsec == now.tv_nsec && clock.tv_sec - now.tv_sec > 2;
}

// The file with this name; also where the run has closed the directory to its owner.
std::optional<struct stat> stat_name(int directory, const std::string& name) {
  struct stat info {};
  const bool there =
      with_owner_access(directory, [&] { return ::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0; });
  return there ? std::optional(info) : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Guard>> Guard::create(const Plan& plan) {
  auto guard = std::make_unique<Guard>();
  for (const Step& step : plan.steps) {
    if (const auto* name = std::get_if<ProtectName>(&step.body); name != nullptr && name->guard == NameGuard::kWatch)
      guard->add_name(*name, step.origin);
  }
  guard->git_.add(plan);
  PF_CHECK(guard->pin_directories(), "guarding protected names");
  guard->watch_git();
  return guard;
}

// Git treats a directory with the layout of a bare repository as one.
void Guard::watch_git() {
  if (!git_.has_roots()) return;
  for (const std::string_view name : git::kLayoutNames) watched_names_.insert(lower(name));
}

Result<void> Guard::widen(const Plan& plan, const std::string& place) {
  for (const Step& step : plan.steps) {
    const auto* name = std::get_if<ProtectName>(&step.body);
    if (name == nullptr || !paths::at_or_beneath(name->parent, place) || by_path_.contains(name->parent)) continue;
    if (name->guard != NameGuard::kWatch || !was_trapped_)
      return fail(ErrorKind::kUnavailable,
                  name->parent + "/" + name->name + " cannot be protected while the command runs", "start it again");
    add_name(*name, step.origin);
  }
  PF_CHECK(pin_directories(), "guarding protected names");
  if (git_.widen(plan, place) && on_new_repository) on_new_repository();
  watch_git();
  if (loop_ != nullptr && !directories_.empty()) schedule_sweep(kSlowCheck);
  return {};
}

Result<void> Guard::pin_directories() {
  for (const auto& directory : directories_) {
    if (directory->fd.is_open()) continue;
    PF_TRY(fd, sys::call_fd("open", directory->path, [&] {
             return ::open(directory->path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
           }));
    struct stat info {};
    if (::fstat(fd.raw(), &info) != 0) return tl::unexpected<Error>(sys::os_error("fstat", directory->path, errno));
    directory->fd = std::move(fd);
    directory->device = info.st_dev;
    directory->inode = info.st_ino;
    directory->changed = info.st_ctim;
    for (auto& [folded, guarded] : directory->names) {
      const auto there = guarded.existed ? stat_name(directory->fd.raw(), guarded.name) : std::nullopt;
      if (!there || !S_ISLNK(there->st_mode)) continue;
      guarded.is_link = true;
      links_.insert(folded);
    }
  }
  return {};
}

void Guard::add_name(const ProtectName& step, const Origin& origin) {
  Directory*& directory = by_path_[step.parent];
  if (directory == nullptr) {
    directory = directories_.emplace_back(std::make_unique<Directory>()).get();
    directory->path = step.parent;
  }
  directory->names[lower(step.name)] = GuardedName{step.name, origin, step.exists};
  watched_names_.insert(lower(step.name));
}

std::vector<int> Guard::descriptors() const {
  std::vector<int> fds;
  for (const auto& directory : directories_) fds.push_back(directory->fd.raw());
  for (int fd : git_.descriptors()) fds.push_back(fd);
  return fds;
}

void Guard::attach(sys::EventLoop& loop, SandboxEvents& events, CreationCalls calls) {
  was_trapped_ = calls == CreationCalls::kTrapped;
  if (!was_trapped_) git_.require_search();
  loop_ = &loop;
  events_ = &events;
  if (!directories_.empty()) schedule_sweep(was_trapped_ ? kSlowCheck : kFastCheck);
}

Guard::Directory* Guard::find(int parent) {
  struct stat info {};
  if (::fstat(parent, &info) != 0) return nullptr;
  for (const auto& directory : directories_)
    if (directory->device == info.st_dev && directory->inode == info.st_ino) return directory.get();
  return nullptr;
}

Denial Guard::denial(const std::string& path, const GuardedName& guarded) {
  Denial out;
  out.operation = "create";
  out.resource = path;
  out.rule = "protected name " + guarded.name + " (" + guarded.origin.where + ")";
  plan::allow_once_made(out.resource, out);
  out.source = DenialSource::kObserved;
  return out;
}

bool Guard::refuses(std::uint32_t pid, const NewName& name, NameOperation change, SandboxEvents& events) {
  const std::set<std::string>& watched = change == NameOperation::kCreate ? watched_names_ : links_;
  const bool named = watched.contains(lower(name.name));
  if (!named && name.follow == Follow::kNotTheLast) return false;
  const auto refuse = [&](Denial seen) {
    set_caller(seen, caller_of(pid), name.named);
    events.denied(std::move(seen));
    return true;
  };
  CallerPath place = resolve_caller_path(pid, name.base, name.named, name.follow);
  if (place.kind == CallerPath::Kind::kUnknown && named) {
    Denial seen;
    seen.operation = change == NameOperation::kCreate ? "create" : "delete";
    seen.resource = name.named;
    seen.rule = "protected name " + name.name + ": its directory cannot be determined";
    seen.source = DenialSource::kObserved;
    return refuse(std::move(seen));
  }
  const std::string folded = lower(place.name);
  if (place.kind != CallerPath::Kind::kFound || !place.parent.is_open()) return false;
  if (!watched.contains(folded)) {
    if (change == NameOperation::kCreate) checked_place_ = std::move(place);
    return false;
  }
  if (Directory* guarded = find(place.parent.raw())) {
    auto found = guarded->names.find(folded);
    if (found != guarded->names.end() && (change == NameOperation::kCreate || found->second.is_link)) {
      Denial seen = denial(guarded->path + "/" + found->second.name, found->second);
      if (change == NameOperation::kRemove) seen.operation = "delete";
      return refuse(std::move(seen));
    }
  }
  if (change == NameOperation::kRemove || !GitCleaner::is_layout_name(folded)) return false;
  if (git_.record_creation(place.parent.raw(), path_of(place.parent), folded) && on_new_repository) on_new_repository();
  return false;
}

// A name that is changed in memory after the check can make a repository that no call shows.
void Guard::notice_hidden_names(const seccomp_notif& call, const std::vector<NewName>& created) {
  if (!git_.has_roots() || git_.has_to_search()) return;
  const bool hides =
      ++creations_ > kMostChecked || std::any_of(created.begin(), created.end(), [&](const NewName& name) {
        return memory_at(call.pid, name.address, name.named.size() + 1) == CallerMemory::kShared;
      });
  if (!hides) return;
  git_.require_search();
  if (on_new_repository) on_new_repository();
}

bool Guard::answer(int listener, const seccomp_notif& call, SandboxEvents& events) {
  const bool creates = !watched_names_.empty() && creates_a_name(call);
  const bool removes = !links_.empty() && removes_a_name(call);
  if (!creates && !removes) return false;
  bool refuse = false;
  checked_place_.reset();
  std::vector<NewName> created;
  for (const NameOperation change : {NameOperation::kCreate, NameOperation::kRemove}) {
    if (!(change == NameOperation::kCreate ? creates : removes)) continue;
    auto names = change == NameOperation::kCreate ? names_created(call) : names_removed(call);
    if (!names) {  // a name that cannot be read cannot be checked
      answer_result(listener, call, errno);
      return true;
    }
    for (const NewName& each : *names) refuse = refuse || refuses(call.pid, each, change, events);
    if (change == NameOperation::kCreate) created = std::move(*names);
  }
  if (refuse) {
    answer_call(listener, call, CallResponse::kRefuse);
    return true;
  }
  if (!created.empty()) notice_hidden_names(call, created);
  checked_call_ = creates ? call.id : 0;
  checked_names_ = std::move(created);
  return false;
}

// Only now: a call that is held, refused or performed by the supervisor makes nothing by itself.
void Guard::before_continue(const seccomp_notif& call) {
  if (directories_.empty() || loop_ == nullptr || checked_call_ != call.id || call.id == 0) return;
  creation_origin_.record_allowed(call, checked_names_, std::exchange(checked_place_, std::nullopt));
  schedule_check();
}

// The supervisor looks a name up once, in the directory that it holds. So this decides about the very name that it
// makes.
bool Guard::may_make(int directory, const std::string& name) {
  const std::string folded = lower(name);
  if (!watched_names_.contains(folded)) return true;
  const Directory* guarded = find(directory);
  if (guarded != nullptr && guarded->names.contains(folded)) return false;
  if (!GitCleaner::is_layout_name(folded)) return true;
  const auto held = sys::Fd::adopt(::fcntl(directory, F_DUPFD_CLOEXEC, 3));
  if (git_.record_creation(directory, path_of(held), folded) && on_new_repository) on_new_repository();
  return true;
}

void Guard::record_made(int directory, const std::string& name) {
  if (!directories_.empty()) creation_origin_.record_made(directory, name);
}

void Guard::schedule_check() {
  if (std::exchange(check_scheduled_, true)) return;
  loop_->after(kFastCheck, [this] {
    check_scheduled_ = false;
    check_names();
  });
}

// Quarantines the file under a name that no tool reads. Returns the text for the note.
std::string Guard::undo(const Directory& directory, const GuardedName& guarded) {
  const std::string quarantined = quarantine(directory.fd.raw(), guarded.name, ".undone-by-pinfold");
  if (quarantined.empty())
    return "; Pinfold could not undo it (" + std::string(std::strerror(errno)) +
           "): before you use any tool there, inspect it and delete it";
  return "; it was undone: see " + directory.path + "/" + quarantined;
}

// Without trapped calls the origin is unknown, and a file that a host program would execute must not stay.
Maker Guard::maker_of(const Directory& directory, const GuardedName& guarded, Wait wait) {
  if (!was_trapped_ || breached_) return Maker::kSandbox;
  return creation_origin_.maker_of(directory.fd.raw(), guarded.name, wait);
}

// It stays. Returns why it cannot be protected from the run; empty: it is protected.
std::string Guard::keep(const Directory& directory, const GuardedName& guarded, Maker maker) {
  const std::string path = directory.path + "/" + guarded.name;
  const bool known = maker == Maker::kHost;
  const std::string note = known ? path + " was made on the host while the command ran: it stays"
                                 : "cannot tell who made " + path + ": it stays";
  const std::string advice = known ? "" : "; look at it before you use it";
  if (loop_ == nullptr) {  // the command has ended
    kept_notes_.push_back(note + advice);
    return {};
  }
  const auto done = protect ? protect(path, guarded.origin) : fail(ErrorKind::kUnavailable, "nothing can protect it");
  if (!done) return note + ", but cannot be protected from the command any more: " + done.error().text() + advice;
  kept_notes_.push_back(note + ", and the command could not change it from then on" + advice);
  return {};
}

void Guard::schedule_sweep(std::chrono::milliseconds delay) {
  loop_->after(delay, [this, delay] {
    check_names();
    if (loop_ != nullptr) schedule_sweep(delay);
  });
}

void Guard::check_names() {
  if (loop_ == nullptr || breached_) return;
  std::vector<std::string> notes;
  std::vector<Denial> denials;
  const Sweep found = sweep(Wait::kForRunningCalls, notes, denials);
  for (std::size_t i = 0; i < denials.size(); ++i) events_->breached(std::move(denials[i]), std::move(notes[i]));
  breached_ = !denials.empty();
  if (found == Sweep::kUndecided) {
    loop_->after(kShortCheck, [this] { check_names(); });
  } else if (!breached_) {
    creation_origin_.mark_clean();
  }
}

// One note for each denial.
Guard::Sweep Guard::sweep(Wait wait, std::vector<std::string>& notes, std::vector<Denial>& denials) {
  const auto now = std::chrono::steady_clock::now();
  Sweep found = Sweep::kDecided;
  for (const auto& directory : directories_) {
    struct stat parent {};
    if (::fstat(directory->fd.raw(), &parent) == 0 && unchanged(directory->changed, parent.st_ctim)) continue;
    for (auto& [folded, guarded] : directory->names) {
      if (guarded.existed) continue;
      const auto there = stat_name(directory->fd.raw(), guarded.name);
      const std::uint64_t known = std::exchange(guarded.kept, 0);
      if (!there) continue;
      Maker maker = known == there->st_ino ? Maker::kHost : maker_of(*directory, guarded, wait);
      if (maker == Maker::kUndecided) {
        if (guarded.decide_by == std::chrono::steady_clock::time_point{}) guarded.decide_by = now + kLongestDoubt;
        if (now < guarded.decide_by) {
          found = Sweep::kUndecided;
          continue;
        }
        maker = maker_of(*directory, guarded, Wait::kNever);
      }
      std::string note;
      if (maker == Maker::kHost || maker == Maker::kCannotTell) {
        guarded.kept = there->st_ino;
        if (known != there->st_ino) note = keep(*directory, guarded, maker);
        if (note.empty()) continue;
      } else {
        note = directory->path + "/" + guarded.name + " appeared during the run" + undo(*directory, guarded);
      }
      denials.push_back(denial(directory->path + "/" + guarded.name, guarded));
      notes.push_back(std::move(note));
    }
  }
  return found;
}

// Checked once more after a breach: the command may have tried again until its end.
void Guard::finish(std::vector<std::string>& notes, std::vector<Denial>& denials) {
  // If no command was started, all changes were made by host processes.
  if (events_ != nullptr) sweep(Wait::kNever, notes, denials);
  for (std::string& note : kept_notes_) notes.push_back(std::move(note));
  kept_notes_.clear();
  if (events_ != nullptr) git_.clean(notes);
  creations_ = 0;
}

void Guard::clean_up_alone() {
  std::vector<std::string> notes;
  git_.clean(notes);
}

}  // namespace pinfold::backend::on_linux
