// creation_origin.cc: compares kinds and times of calls with kinds and times of files.
#include "backend/linux/protect/creation_origin.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>

#include "backend/linux/notify/caller_path.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kMostCalls = 4096;
constexpr std::size_t kMostRecent = 16;
constexpr std::size_t kMostHeld = 128;  // descriptors
constexpr unsigned kDirectory = 1;
constexpr unsigned kFile = 2;
constexpr unsigned kLink = 4;
constexpr unsigned kSpecial = 8;  // fifos and sockets
constexpr unsigned kMoved = 16;   // an older file, under a new name
constexpr unsigned kMovesDirectories = kMoved | kDirectory;
constexpr unsigned kLongXfs = 0x58465342;
constexpr unsigned kBtrfs = 0x9123683E;
constexpr unsigned kF2fs = 0xF2F52010;

constexpr std::int64_t kSecond = 1'000'000'000;
// A call is remembered this long after its end, so that its file is not attributed to another call.
constexpr std::int64_t kMemory = kSecond / 20;
// A thread may wait this long for a processor before it continues a call.
constexpr std::int64_t kLongestWait = 60 * kSecond;

std::int64_t of(const statx_timestamp& time) { return time.tv_sec * kSecond + time.tv_nsec; }
// A file's time is never before the coarse clock (the last tick), nor after the fine one. (Since 6.13 it may lie in
// between.)
std::int64_t now(clockid_t clock) {
  timespec out{};
  ::clock_gettime(clock, &out);
  return out.tv_sec * kSecond + out.tv_nsec;
}

unsigned makes(const seccomp_notif& call) {
  switch (call.data.nr) {
#ifdef __NR_open
    case __NR_open:
    case __NR_creat: return kFile;
    case __NR_mkdir: return kDirectory;
    case __NR_mknod: return kFile | kSpecial;
    case __NR_symlink: return kLink;
    case __NR_link: return kFile | kLink | kSpecial | kMoved;
#endif
    case __NR_openat: return kFile;
    case __NR_mkdirat: return kDirectory;
    case __NR_mknodat: return kFile | kSpecial;
    case __NR_symlinkat: return kLink;
    case __NR_bind: return kSpecial;
    case __NR_linkat: return kFile | kLink | kSpecial | kMoved;
    default: return kDirectory | kFile | kLink | kSpecial | kMoved;  // rename
  }
}

bool moves_directories(unsigned makes) { return (makes & kMovesDirectories) == kMovesDirectories; }

unsigned kind_of(unsigned mode) {
  if (S_ISDIR(mode)) return kDirectory;
  if (S_ISREG(mode)) return kFile;
  return S_ISLNK(mode) ? kLink : kSpecial;
}

// True if its times come from this kernel's clock and no call can set the time of birth.
bool tells_time(int directory) {
  struct statfs info {};
  if (::fstatfs(directory, &info) != 0) return false;
  switch (static_cast<unsigned long>(info.f_type)) {
    case EXT4_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case kLongXfs:
    case kBtrfs:
    case kF2fs: return true;
    default: return false;
  }
}

bool look(int directory, const std::string& name, struct statx& out) {
  return ::statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &out) == 0;
}

}  // namespace

CreationOrigin::CreationOrigin() : known_since_(now(CLOCK_REALTIME)) {}

void CreationOrigin::record_allowed(const seccomp_notif& call, const std::vector<NewName>& names) {
  Call made;
  made.began = now(CLOCK_REALTIME_COARSE);
  made.thread = call.pid;
  made.number = call.data.nr;
  made.makes = makes(call);
  settle_recent();
  // A thread makes one call at a time.
  for (auto last = calls_.rbegin(); last != calls_.rend(); ++last) {
    if (last->thread != call.pid) continue;
    if (last->ended == 0) last->ended = now(CLOCK_REALTIME);
    break;
  }
  if (calls_.size() >= kMostCalls) {
    overflowed_ = true;
    return;
  }
  const auto held = std::count_if(calls_.begin(), calls_.end(), [](const Call& each) { return each.parent.is_open(); });
  if (made.makes == kDirectory && names.size() == 1 && static_cast<std::size_t>(held) < kMostHeld) {
    CallerPath place = resolve_caller_path(call.pid, names[0].base, names[0].named, names[0].follow);
    if (place.kind == CallerPath::Kind::kFound) {
      made.parent = std::move(place.parent);
      made.name = std::move(place.name);
    }
  }
  calls_.push_back(std::move(made));
}

// A thread that has exited, or that waits in another call, has ended this one. A running thread may still be in it.
bool CreationOrigin::has_ended(const Call& call) {
  if (call.ended != 0) return true;
  const std::string path = "/proc/" + std::to_string(call.thread) + "/syscall";
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  if (!file) return true;
  char text[32] = {};
  if (std::fgets(text, sizeof text, file.get()) == nullptr) return true;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  return end != text && number != call.number;  // "running"
}

void CreationOrigin::mark_clean() {
  const std::int64_t at = now(CLOCK_REALTIME);
  std::erase_if(calls_, [&](Call& call) {
    if (call.ended == 0 && (has_ended(call) || at - call.began > kLongestWait)) call.ended = at;
    const bool forgotten = call.ended != 0 && at - call.ended > kMemory;
    if (forgotten) known_since_ = std::max(known_since_, call.ended);
    if (forgotten && moves_directories(call.makes)) renamed_until_ = std::max(renamed_until_, call.ended);
    return forgotten;
  });
  if (overflowed_) known_since_ = at;
  overflowed_ = false;
}

bool CreationOrigin::renamed_since(std::int64_t time) const {
  return renamed_until_ >= time || std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) {
           return moves_directories(call.makes) && (call.ended == 0 || call.ended >= time);
         });
}

// The narrower the times of a mkdir are known, the fewer directories it can have made. A directory that has the name
// that was read, with no rename since the call began, was made under this name.
void CreationOrigin::settle_recent() {
  std::size_t looked_at = 0;
  for (auto call = calls_.rbegin(); call != calls_.rend() && looked_at < kMostRecent; ++call, ++looked_at) {
    if ((call->makes & kDirectory) == 0 || call->ended != 0 || !has_ended(*call)) continue;
    call->ended = now(CLOCK_REALTIME);
    if (call->makes == kDirectory && !renamed_since(call->began)) call->made = can_explain(*call, call->born);
  }
}

std::uint64_t CreationOrigin::can_explain(const Call& call, std::int64_t& born) const {
  if (call.made != 0) {
    born = call.born;
    return call.made;
  }
  struct statx info {};
  if (!call.parent.is_open() || !tells_time(call.parent.raw()) || !look(call.parent.raw(), call.name, info)) return 0;
  if (!S_ISDIR(info.stx_mode) || (info.stx_mask & STATX_BTIME) == 0) return 0;
  born = of(info.stx_btime);
  // A directory that took the name after the call had ended is another call's work: the one that this call made may
  // have been moved away in between.
  if (born < std::max(call.began, known_since_) || !can_make_at(call, born)) return 0;
  // A rename changes the status time: a host process may have made this directory under another name.
  if (renamed_since(call.began) && of(info.stx_ctime) != born) return 0;
  return info.stx_ino;
}

bool CreationOrigin::can_make_at(const Call& call, std::int64_t born) {
  return call.began <= born && (call.ended == 0 || call.ended >= born);
}

// Each mkdir makes at most one directory. Starts with the calls that ran when the new name was born, and adds each call
// that ran when one of their directories was born: it may have made that one, and they the new name. If all of them
// have a directory of their own, none is left that made the new name.
Maker CreationOrigin::mkdir_maker(const struct statx& appeared) const {
  std::vector<std::int64_t> births(calls_.size(), 0);
  std::vector<std::uint64_t> explained(calls_.size(), 0);
  for (std::size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i].makes == kDirectory) explained[i] = can_explain(calls_[i], births[i]);
  std::vector<bool> is_taken(calls_.size(), false);
  std::set<std::uint64_t> directories{appeared.stx_ino};
  std::vector<std::int64_t> to_explain{of(appeared.stx_btime)};
  Maker maker = Maker::kHost;
  while (!to_explain.empty()) {
    const std::int64_t born = to_explain.back();
    to_explain.pop_back();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (is_taken[i] || calls_[i].makes != kDirectory || !can_make_at(calls_[i], born)) continue;
      is_taken[i] = true;
      if (explained[i] == 0 && calls_[i].ended == 0 && !has_ended(calls_[i])) {
        maker = Maker::kUndecided;
        continue;
      }
      if (explained[i] == 0 || !directories.insert(explained[i]).second) return Maker::kSandbox;
      to_explain.push_back(births[i]);
    }
  }
  return maker;
}

Maker CreationOrigin::maker_of(int directory, const std::string& name) const {
  struct statx appeared {};
  if (overflowed_ || !look(directory, name, appeared)) return Maker::kSandbox;
  const unsigned kind = kind_of(appeared.stx_mode);
  const bool dated = tells_time(directory) && (appeared.stx_mask & STATX_BTIME) != 0;
  const std::int64_t born = of(appeared.stx_btime);
  const std::int64_t changed = of(appeared.stx_ctime);
  const Maker made_by_mkdir = kind == kDirectory && dated ? mkdir_maker(appeared) : Maker::kSandbox;
  Maker maker = Maker::kHost;
  bool moved = false;  // some call may have given it another name
  for (const Call& call : calls_) {
    if ((call.makes & kind) == 0) continue;
    if ((call.makes & kMoved) != 0) {
      // Giving a file a name changes its status.
      moved = moved || !dated || call.began <= changed;
    } else if (!dated || can_make_at(call, born)) {
      maker = made_by_mkdir;
    }
  }
  if (maker != Maker::kHost || !moved) return maker;
  // A directory that is younger than the calls we have forgotten was made by one that we know of, or on the host.
  return kind != kDirectory || !dated || born <= known_since_ ? Maker::kSandbox : Maker::kHost;
}

}  // namespace pinfold::backend::on_linux
