// guard.cc: refuses creations, watches the parents, undoes what slipped through.
#include "backend/linux/guard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "backend/linux/notify.h"
#include "base/paths.h"
#include "base/try.h"
#include "plan/grants.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

using namespace std::chrono_literals;

// A creation that appears this long after the last trapped call was let through was not made inside.
constexpr auto kRaceWindow = 1s;
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

}  // namespace

Result<std::unique_ptr<Guard>> Guard::create(const Plan& plan) {
  auto guard = std::make_unique<Guard>();
  for (const Step& step : plan.steps) {
    if (const auto* name = std::get_if<ProtectName>(&step.body); name != nullptr && name->guard == NameGuard::kWatch)
      guard->add_name(*name, step.origin);
    if (const auto* clean = std::get_if<CleanGit>(&step.body)) guard->git_.add_root(*clean);
  }
  PF_CHECK(guard->pin_directories(), "guarding protected names");
  // HEAD: a directory that looks like a bare repository is one to git.
  if (!guard->git_.roots().empty()) guard->interesting_.insert({".git", "head"});
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
    directory->changed = info.st_mtim;
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
  loop_ = &loop;
  events_ = &events;
  if (!directories_.empty()) look_again(was_trapped_ ? kSlowLook : kFastLook);
}

Guard::Directory* Guard::find(std::uint64_t device, std::uint64_t inode) {
  for (const auto& directory : directories_)
    if (directory->device == device && directory->inode == inode) return directory.get();
  return nullptr;
}

Denial Guard::denial(const Directory& directory, const Guarded& guarded) const {
  Denial out;
  out.operation = "create";
  out.resource = directory.path + "/" + guarded.name;
  out.rule = "protected name " + guarded.name + " (" + guarded.origin.where + ")";
  out.allow_with = plan::flag_once_made(out.resource);
  out.source = DenialSource::kObserved;
  return out;
}

bool Guard::refuses(std::uint32_t pid, const NewName& created, SandboxEvents& events) {
  std::string folded = lower(created.name);
  if (!interesting_.contains(folded)) return false;
  const std::string directory = directory_of(pid, created);
  sys::Fd parent = open_in_sandbox(pid, directory);
  struct stat info {};
  if (!parent.is_open() || ::fstat(parent.raw(), &info) != 0) return false;  // the kernel will say why
  if (Directory* guarded = find(info.st_dev, info.st_ino)) {
    auto found = guarded->names.find(folded);
    if (found != guarded->names.end()) {
      Denial seen = denial(*guarded, found->second);
      note_who(seen, who_is(pid), created.named);
      events.denied(std::move(seen));
      return true;
    }
  }
  bool news = folded == ".git"   ? git_.saw_new(parent.raw(), directory)
              : folded == "head" ? git_.saw_head(parent.raw(), directory)
                                 : false;
  if (news && saw_repository) saw_repository();
  return false;
}

bool Guard::answer(int listener, const seccomp_notif& call, SandboxEvents& events) {
  if (interesting_.empty() || !creates_a_name(call)) return false;
  bool refuse = false;
  for (const NewName& each : names_created(call)) refuse = refuse || refuses(call.pid, each, events);
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

// Out of the way under a name that nothing reads. Where it went, or empty.
std::string Guard::undo(Directory& directory, const std::string& name) {
  std::string aside = name + ".undone-by-pinfold-" + std::to_string(::getpid());
  if (::syscall(SYS_renameat2, directory.fd.raw(), name.c_str(), directory.fd.raw(), aside.c_str(),
                1 /* no replace */) != 0)
    return {};
  return directory.path + "/" + aside;
}

// Something inside can have made it only if a trapped call was let through just now, or if nothing is trapped at all.
bool Guard::made_inside() const {
  return !was_trapped_ || std::chrono::steady_clock::now() - last_let_through_ < kRaceWindow;
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
    if (::fstat(directory->fd.raw(), &parent) == 0 && unchanged(directory->changed, parent.st_mtim)) continue;
    for (const auto& [folded, guarded] : directory->names) {
      struct stat info {};
      if (guarded.existed) continue;  // it may be removed, but never made anew
      if (::fstatat(directory->fd.raw(), guarded.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      std::string note = directory->path + "/" + guarded.name + " appeared during the run";
      std::string moved = made_inside() ? undo(*directory, guarded.name) : std::string();
      note += moved.empty() ? "; it was made on the host and is kept, but the run could have written into it"
                            : "; it was undone: see " + moved;
      denials.push_back(denial(*directory, guarded));
      notes.push_back(std::move(note));
    }
  }
}

void Guard::finish(std::vector<std::string>& notes, std::vector<Denial>& denials) {
  if (!breached_) sweep(notes, denials);
  git_.clean(notes);
}

void Guard::clean_up_alone() {
  std::vector<std::string> notes;
  git_.clean(notes);
}

}  // namespace pinfold::backend::on_linux
