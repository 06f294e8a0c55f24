// guard.cc: refuses creations, watches the parents, undoes what slipped through.
#include "backend/linux/protect/guard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "backend/linux/protect/quarantine.h"
#include "backend/linux/notify/trapped_call.h"
#include "backend/linux/notify/caller_path.h"
#include "base/paths.h"
#include "base/try.h"
#include "plan/grants.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

using namespace std::chrono_literals;

constexpr auto kFastLook = 10ms;    // after a call that was let through; always, when nothing is trapped
constexpr auto kSlowLook = 1000ms;  // for names that the host itself makes meanwhile

// Some file systems fold case; a name that differs only in case is guarded as well.
std::string lower(std::string_view name) {
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return out;
}

// A directory that has got a new name has a new time, unless the old one was so fresh that the clock had not moved on.
bool unchanged(const timespec& before, const timespec& now) {
  timespec clock{};
  ::clock_gettime(CLOCK_REALTIME, &clock);
  return before.tv_sec == now.tv_sec && before.tv_nsec == now.tv_nsec && clock.tv_sec - now.tv_sec > 2;
}

// What has this name; also where the run has closed the directory to its owner.
std::optional<struct stat> look_at(int directory, const std::string& name) {
  struct stat info {};
  const bool there =
      with_rights(directory, [&] { return ::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0; });
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

// A directory that looks like a bare repository is one to git.
void Guard::watch_git() {
  if (!git_.has_roots()) return;
  for (const std::string_view name : git::kLayoutNames) interesting_.insert(lower(name));
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
  if (git_.widen(plan, place) && saw_repository) saw_repository();
  watch_git();
  if (loop_ != nullptr && !directories_.empty()) look_again(kSlowLook);
  return {};
}

Result<void> Guard::pin_directories() {
  for (const auto& directory : directories_) {
    if (directory->fd.is_open()) continue;
    PF_TRY(fd,
           sys::call_fd("open", directory->path,
                        [&] { return ::open(directory->path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW); }),
           "");
    struct stat info {};
    if (::fstat(fd.raw(), &info) != 0) return tl::unexpected<Error>(sys::os_error("fstat", directory->path, errno));
    directory->fd = std::move(fd);
    directory->device = info.st_dev;
    directory->inode = info.st_ino;
    directory->changed = info.st_ctim;
    for (auto& [folded, guarded] : directory->names) {
      const auto there = guarded.existed ? look_at(directory->fd.raw(), guarded.name) : std::nullopt;
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
  directory->names[lower(step.name)] = Guarded{step.name, origin, step.exists};
  interesting_.insert(lower(step.name));
}

std::vector<int> Guard::descriptors() const {
  std::vector<int> fds;
  for (const auto& directory : directories_) fds.push_back(directory->fd.raw());
  for (int fd : git_.descriptors()) fds.push_back(fd);
  return fds;
}

void Guard::attach(sys::EventLoop& loop, SandboxEvents& events, Seen seen) {
  was_trapped_ = seen == Seen::kAsked;
  if (!was_trapped_) git_.expect_anything();
  loop_ = &loop;
  events_ = &events;
  if (!directories_.empty()) look_again(was_trapped_ ? kSlowLook : kFastLook);
}

Guard::Directory* Guard::find(const sys::Fd& parent) {
  struct stat info {};
  if (::fstat(parent.raw(), &info) != 0) return nullptr;
  for (const auto& directory : directories_)
    if (directory->device == info.st_dev && directory->inode == info.st_ino) return directory.get();
  return nullptr;
}

Denial Guard::denial(const std::string& path, const Guarded& guarded) {
  Denial out;
  out.operation = "create";
  out.resource = path;
  out.rule = "protected name " + guarded.name + " (" + guarded.origin.where + ")";
  out.allow_with = plan::flag_once_made(out.resource);
  out.source = DenialSource::kObserved;
  return out;
}

bool Guard::refuses(std::uint32_t pid, const NewName& name, Change change, SandboxEvents& events) {
  const std::set<std::string>& telling = change == Change::kCreate ? interesting_ : links_;
  const bool named = telling.contains(lower(name.name));
  if (!named && name.follow == Follow::kNotTheLast) return false;
  const auto refuse = [&](Denial seen) {
    note_who(seen, who_is(pid), name.named);
    events.denied(std::move(seen));
    return true;
  };
  const Place place = find_place(pid, name.base, name.named, name.follow);
  if (place.kind == Place::Kind::kUnknown && named) {
    Denial seen;
    seen.operation = change == Change::kCreate ? "create" : "delete";
    seen.resource = name.named;
    seen.rule = "protected name " + name.name + ": it cannot be told in which directory";
    seen.source = DenialSource::kObserved;
    return refuse(std::move(seen));
  }
  const std::string folded = lower(place.name);
  if (place.kind != Place::Kind::kFound || !place.parent.is_open() || !telling.contains(folded)) return false;
  if (Directory* guarded = find(place.parent)) {
    auto found = guarded->names.find(folded);
    if (found != guarded->names.end() && (change == Change::kCreate || found->second.is_link)) {
      Denial seen = denial(guarded->path + "/" + found->second.name, found->second);
      if (change == Change::kRemove) seen.operation = "delete";
      return refuse(std::move(seen));
    }
  }
  if (change == Change::kRemove || !GitCleaner::is_telling(folded)) return false;
  if (git_.saw(place.parent.raw(), path_of(place.parent), folded) && saw_repository) saw_repository();
  return false;
}

bool Guard::answer(int listener, const seccomp_notif& call, SandboxEvents& events) {
  const bool creates = !interesting_.empty() && creates_a_name(call);
  const bool removes = !links_.empty() && removes_a_name(call);
  if (!creates && !removes) return false;
  bool refuse = false;
  std::vector<NewName> created;
  for (const Change change : {Change::kCreate, Change::kRemove}) {
    if (!(change == Change::kCreate ? creates : removes)) continue;
    auto names = change == Change::kCreate ? names_created(call) : names_removed(call);
    if (!names) {  // what cannot be read cannot be judged
      answer_result(listener, call, errno);
      return true;
    }
    for (const NewName& each : *names) refuse = refuse || refuses(call.pid, each, change, events);
    if (change == Change::kCreate) created = std::move(*names);
  }
  if (refuse) {
    answer_call(listener, call, Answer::kRefuse);
    return true;
  }
  if (directories_.empty()) return false;
  if (creates) creations_.let_through(call, created);
  if (looking_soon_) return false;
  looking_soon_ = true;
  loop_->after(kFastLook, [this] {
    looking_soon_ = false;
    look();
  });
  return false;
}

// What has the name goes out of the way, under one that nothing reads. Says what was done.
std::string Guard::undo(const Directory& directory, const Guarded& guarded) {
  const std::string aside = set_aside(directory.fd.raw(), guarded.name, ".undone-by-pinfold");
  if (aside.empty())
    return "; it COULD NOT be undone (" + std::string(std::strerror(errno)) +
           "): do not open this directory with any tool before you have looked at it and removed it";
  return "; it was undone: see " + directory.path + "/" + aside;
}

// Without trapped calls the origin is unknown, and a file that a host program would execute must not stay.
bool Guard::made_inside(const Directory& directory, const Guarded& guarded) const {
  return !was_trapped_ || breached_ || creations_.may_have_made(directory.fd.raw(), guarded.name);
}

// Made on the host: it stays. Says why it cannot be kept from the run; empty: it is.
std::string Guard::keep(const Directory& directory, const Guarded& guarded) {
  const std::string path = directory.path + "/" + guarded.name;
  const std::string note = path + " was made on the host while the command ran: it stays";
  if (loop_ == nullptr) {  // the command has ended
    kept_notes_.push_back(note);
    return {};
  }
  const auto done = protect ? protect(path, guarded.origin) : fail(ErrorKind::kUnavailable, "nothing can protect it");
  if (!done) return note + ", but cannot be protected from the command any more: " + done.error().text();
  kept_notes_.push_back(note + ", and the command could not change it from then on");
  return {};
}

void Guard::look_again(std::chrono::milliseconds delay) {
  loop_->after(delay, [this, delay] {
    look();
    if (loop_ != nullptr) look_again(delay);
  });
}

void Guard::look() {
  if (loop_ == nullptr || breached_) return;
  std::vector<std::string> notes;
  std::vector<Denial> denials;
  sweep(notes, denials);
  for (std::size_t i = 0; i < denials.size(); ++i) events_->breached(std::move(denials[i]), std::move(notes[i]));
  breached_ = !denials.empty();
  if (!breached_) creations_.seen_clean();
}

// One note for each denial.
void Guard::sweep(std::vector<std::string>& notes, std::vector<Denial>& denials) {
  for (const auto& directory : directories_) {
    struct stat parent {};
    if (::fstat(directory->fd.raw(), &parent) == 0 && unchanged(directory->changed, parent.st_ctim)) continue;
    for (auto& [folded, guarded] : directory->names) {
      if (guarded.existed) continue;
      const auto there = look_at(directory->fd.raw(), guarded.name);
      const std::uint64_t known = std::exchange(guarded.kept, 0);
      if (!there) continue;
      std::string note;
      if (known == there->st_ino || !made_inside(*directory, guarded)) {
        guarded.kept = there->st_ino;
        if (known != there->st_ino) note = keep(*directory, guarded);
        if (note.empty()) continue;
      } else {
        note = directory->path + "/" + guarded.name + " appeared during the run" + undo(*directory, guarded);
      }
      denials.push_back(denial(directory->path + "/" + guarded.name, guarded));
      notes.push_back(std::move(note));
    }
  }
}

// Looked at once more after a breach: it may have been tried again until the end.
void Guard::finish(std::vector<std::string>& notes, std::vector<Denial>& denials) {
  // Where no command was let in, whatever has changed is the host's own doing.
  if (events_ != nullptr) sweep(notes, denials);
  for (std::string& note : kept_notes_) notes.push_back(std::move(note));
  kept_notes_.clear();
  git_.clean(notes);
}

void Guard::clean_up_alone() {
  std::vector<std::string> notes;
  git_.clean(notes);
}

}  // namespace pinfold::backend::on_linux
