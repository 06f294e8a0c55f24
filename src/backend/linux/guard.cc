// guard.cc: answers trapped creations, watches the parents, undoes what slipped through.
#include "backend/linux/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "backend/linux/notify.h"
#include "base/try.h"
#include "sys/call.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif

namespace pinfold::backend::on_linux {
namespace {

using namespace std::chrono_literals;

constexpr unsigned long kWakeOnSameCpu = 1;  // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP, since 6.6: halves the cost of a trap
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
  for (const auto& directory : guard->directories_) {
    PF_TRY(fd,
           sys::call_fd("open", directory->path,
                        [&] { return ::open(directory->path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW); }),
           "guarding protected names");
    struct stat info {};
    if (::fstat(fd.raw(), &info) != 0) return tl::unexpected<Error>(sys::os_error("fstat", directory->path, errno));
    directory->fd = std::move(fd);
    directory->device = info.st_dev;
    directory->inode = info.st_ino;
    directory->changed = info.st_mtim;
  }
  // HEAD: a directory that looks like a bare repository is one to git.
  if (!guard->git_.roots().empty()) guard->interesting_.insert({".git", "head"});
  return guard;
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

void Guard::attach(sys::EventLoop& loop, SandboxEvents& events, Calls calls, CallAnswerer* first) {
  first_ = first;
  was_trapped_ = calls == Calls::kTrapped;
  loop_ = &loop;
  events_ = &events;
  if (!directories_.empty()) look_again(was_trapped_ ? kSlowLook : kFastLook);
}

void Guard::take_calls(sys::Fd listener, SandboxEvents& events) {
  const int fd = listener.raw();
  ::ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, kWakeOnSameCpu);  // older kernels refuse: only slower
  if (loop_->add(fd, sys::EventLoop::Interest::kRead, [this, fd] { serve_call(fd); }))
    listeners_[fd] = Listener{std::move(listener), &events};
}

void Guard::leave(const SandboxEvents& events) {
  for (auto& [fd, listener] : listeners_)
    if (listener.events == &events) listener.events = events_;
}

void Guard::detach(sys::EventLoop& loop) {
  for (const auto& [fd, listener] : listeners_) loop.remove(fd);
  loop_ = nullptr;
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
  // A path must exist to be allowed by name: the user makes it, not the run.
  out.allow_with = "--write " + out.resource + " (once it exists)";
  out.source = DenialSource::kObserved;
  return out;
}

bool Guard::refuses(SandboxEvents& events, std::uint32_t pid, const std::string& directory, const std::string& name) {
  std::string folded = lower(name);
  if (!interesting_.contains(folded)) return false;
  sys::Fd parent = open_in_sandbox(pid, directory);
  struct stat info {};
  if (!parent.is_open() || ::fstat(parent.raw(), &info) != 0) return false;  // the kernel will say why
  if (Directory* guarded = find(info.st_dev, info.st_ino)) {
    auto found = guarded->names.find(folded);
    if (found != guarded->names.end()) {
      events.denied(denial(*guarded, found->second));
      return true;
    }
  }
  bool news = folded == ".git"   ? git_.saw_new(parent.raw(), directory)
              : folded == "head" ? git_.saw_head(parent.raw(), directory)
                                 : false;
  if (news && saw_repository) saw_repository();
  return false;
}

void Guard::serve_call(int listener) {
  // Receiving waits for a call, and before 6.11 for ever once the last process under this filter is gone: ask first.
  pollfd state{listener, POLLIN, 0};
  if (::poll(&state, 1, 0) <= 0) return;
  if ((state.revents & POLLIN) == 0) {
    if ((state.revents & POLLHUP) != 0 && loop_ != nullptr) {
      loop_->remove(listener);
      listeners_.erase(listener);
    }
    return;
  }
  seccomp_notif call{};
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;  // ENOENT: the caller died while waiting
  SandboxEvents& events = *listeners_.at(listener).events;
  if (first_ != nullptr && first_->answer(listener, call, events)) return;
  bool refuse = false;
  for (const NewName& each : names_created(call))
    refuse = refuse || refuses(events, call.pid, each.directory, each.name);
  answer_call(listener, call, refuse ? Answer::kRefuse : Answer::kContinue);
  if (refuse) return;
  last_let_through_ = std::chrono::steady_clock::now();
  if (looking_soon_ || directories_.empty()) return;
  looking_soon_ = true;
  loop_->after(kFastLook, [this] {
    looking_soon_ = false;
    look();
  });
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
  // Nobody knows which command it was.
  std::set<SandboxEvents*> told = {events_};
  for (const auto& [fd, listener] : listeners_) told.insert(listener.events);
  for (std::size_t i = 0; i < denials.size(); ++i)
    for (SandboxEvents* each : told) each->breached(denials[i], notes[i]);
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
