// guard.cc: refuses creations, watches the parents, undoes what slipped through.
#include "backend/linux/guard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "backend/linux/aside.h"
#include "backend/linux/notify.h"
#include "backend/linux/place.h"
#include "base/paths.h"
#include "base/try.h"
#include "plan/grants.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

using namespace std::chrono_literals;

// A creation that appears this long after the last trapped call was let through was not made inside. Whoever waits to
// be scheduled (SCHED_IDLE beside something busy) may make a call that was let through seconds later.
constexpr auto kRaceWindow = 60s;
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

std::string link_text(int directory, const std::string& name) {
  std::array<char, PATH_MAX> buffer{};
  ssize_t size = -1;
  with_rights(directory, [&] {
    size = ::readlinkat(directory, name.c_str(), buffer.data(), buffer.size());
    return size >= 0;
  });
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
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
  // A directory that looks like a bare repository is one to git.
  if (guard->git_.has_roots()) guard->interesting_.insert({".git", "head", "objects", "refs"});
  return guard;
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
      guarded.link = Link{there->st_ino, link_text(directory->fd.raw(), guarded.name)};
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

void Guard::attach(sys::EventLoop& loop, SandboxEvents& events, Creations creations) {
  was_trapped_ = creations == Creations::kAsked;
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
    if (found != guarded->names.end() && (change == Change::kCreate || found->second.link)) {
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
  for (const Change change : {Change::kCreate, Change::kRemove}) {
    if (!(change == Change::kCreate ? creates : removes)) continue;
    const auto names = change == Change::kCreate ? names_created(call) : names_removed(call);
    if (!names) {  // what cannot be read cannot be judged
      answer_result(listener, call, errno);
      return true;
    }
    for (const NewName& each : *names) refuse = refuse || refuses(call.pid, each, change, events);
  }
  if (refuse) {
    answer_call(listener, call, Answer::kRefuse);
    return true;
  }
  last_let_through_ = std::chrono::steady_clock::now();
  if (looking_soon_ || directories_.empty()) return false;
  looking_soon_ = true;
  loop_->after(kFastLook, [this] {
    looking_soon_ = false;
    look();
  });
  return false;
}

// What has the name goes out of the way, under one that nothing reads; a link that was there comes back. Says what
// was done.
std::string Guard::undo(const Directory& directory, Guarded& guarded) {
  const int at = directory.fd.raw();
  std::string said;
  if (look_at(at, guarded.name)) {
    const std::string aside = set_aside(at, guarded.name, ".undone-by-pinfold");
    if (aside.empty())
      return "; it COULD NOT be undone (" + std::string(std::strerror(errno)) +
             "): do not open this directory with any tool before you have looked at it and removed it";
    said = "; it was undone: see " + directory.path + "/" + aside;
  }
  if (!guarded.link) return said;
  const bool back =
      with_rights(at, [&] { return ::symlinkat(guarded.link->text.c_str(), at, guarded.name.c_str()) == 0; });
  if (!back)
    return said + "; the link to " + guarded.link->text + " COULD NOT be put back (" + std::strerror(errno) + ")";
  const auto now = look_at(at, guarded.name);
  guarded.link->inode = now ? now->st_ino : 0;
  return said + "; the link to " + guarded.link->text + " was put back";
}

// Something inside can have made it only if a trapped call was let through just now, or if nothing is trapped at all.
bool Guard::made_inside() const {
  return !was_trapped_ || breached_ || std::chrono::steady_clock::now() - last_let_through_ < kRaceWindow;
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
}

// One note for each denial.
void Guard::sweep(std::vector<std::string>& notes, std::vector<Denial>& denials) {
  for (const auto& directory : directories_) {
    struct stat parent {};
    if (::fstat(directory->fd.raw(), &parent) == 0 && unchanged(directory->changed, parent.st_ctim)) continue;
    for (auto& [folded, guarded] : directory->names) {
      if (guarded.kept || (guarded.existed && !guarded.link)) continue;
      const auto there = look_at(directory->fd.raw(), guarded.name);
      const bool same = guarded.link ? there && S_ISLNK(there->st_mode) && there->st_ino == guarded.link->inode &&
                                           link_text(directory->fd.raw(), guarded.name) == guarded.link->text
                                     : !there;
      // Whoever removes a link on the host may do so; what comes in its place is looked at.
      if (same || (!there && !made_inside())) continue;
      std::string note =
          directory->path + "/" + guarded.name + (there ? " appeared" : " was removed") + " during the run";
      guarded.kept = !made_inside();
      note += guarded.kept ? "; it was made on the host and is kept, but the run could have written into it"
                           : undo(*directory, guarded);
      denials.push_back(denial(directory->path + "/" + guarded.name, guarded));
      if (!there) denials.back().operation = "delete";
      notes.push_back(std::move(note));
    }
  }
}

// Looked at once more after a breach: it may have been tried again until the end.
void Guard::finish(std::vector<std::string>& notes, std::vector<Denial>& denials) {
  sweep(notes, denials);
  git_.clean(notes);
}

void Guard::clean_up_alone() {
  std::vector<std::string> notes;
  git_.clean(notes);
}

}  // namespace pinfold::backend::on_linux
