// creation_origin.cc: kinds and times of calls against kinds and times of files.
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

#include "backend/linux/notify/caller_path.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kMostCalls = 4096;
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
// So long a call is remembered after it has ended, that its work is not taken for another's.
constexpr std::int64_t kMemory = kSecond / 20;
// As long as this a thread may wait for a processor before it goes on with a call.
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

// Its times come from this kernel's clock, and no call sets the time of birth.
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

Creations::Creations() : known_since_(now(CLOCK_REALTIME)) {}

void Creations::let_through(const seccomp_notif& call, const std::vector<NewName>& names) {
  Call made;
  made.began = now(CLOCK_REALTIME_COARSE);
  made.thread = call.pid;
  made.number = call.data.nr;
  made.makes = makes(call);
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
    Place place = find_place(call.pid, names[0].base, names[0].named, names[0].follow);
    if (place.kind == Place::Kind::kFound) {
      made.parent = std::move(place.parent);
      made.name = std::move(place.name);
    }
  }
  calls_.push_back(std::move(made));
}

// A thread that waits in another call, or that is gone, has ended this one. One that can run may still be in it.
bool Creations::has_ended(const Call& call) {
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

void Creations::seen_clean() {
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

bool Creations::renamed_since(std::int64_t time) const {
  return renamed_until_ >= time || std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) {
           return moves_directories(call.makes) && (call.ended == 0 || call.ended >= time);
         });
}

std::uint64_t Creations::can_explain(const Call& call, const struct statx& appeared) const {
  struct statx info {};
  if (!call.parent.is_open() || renamed_since(call.began)) return 0;
  if (!tells_time(call.parent.raw()) || !look(call.parent.raw(), call.name, info)) return 0;
  const bool same = info.stx_ino == appeared.stx_ino && info.stx_dev_major == appeared.stx_dev_major &&
                    info.stx_dev_minor == appeared.stx_dev_minor;
  if (same || !S_ISDIR(info.stx_mode) || (info.stx_mask & STATX_BTIME) == 0) return 0;
  const std::int64_t born = of(info.stx_btime);
  // A directory that took the name after the call had ended is another call's work: the one that this call made may
  // have been moved away in between.
  if (born < std::max(call.began, known_since_) || (call.ended != 0 && born > call.ended)) return 0;
  return info.stx_ino;
}

bool Creations::may_have_made(int directory, const std::string& name) const {
  struct statx appeared {};
  if (overflowed_ || !look(directory, name, appeared)) return true;
  const unsigned kind = kind_of(appeared.stx_mode);
  const bool dated = tells_time(directory) && (appeared.stx_mask & STATX_BTIME) != 0;
  const std::int64_t born = of(appeared.stx_btime);
  const std::int64_t changed = of(appeared.stx_ctime);
  // By call. A directory that two calls can have made explains neither: the other may have made the one that appeared.
  std::vector<std::uint64_t> explained(calls_.size(), 0);
  if (kind == kDirectory)
    std::transform(calls_.begin(), calls_.end(), explained.begin(),
                   [&](const Call& call) { return can_explain(call, appeared); });
  bool moved = false;     // some call may have given it another name
  bool made_new = false;  // some call may have made it
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const Call& call = calls_[i];
    if ((call.makes & kind) == 0) continue;
    if ((call.makes & kMoved) != 0) {
      // Giving a file a name changes its status.
      moved = moved || !dated || call.began <= changed;
      continue;
    }
    if (explained[i] != 0 && std::count(explained.begin(), explained.end(), explained[i]) == 1) continue;
    made_new = made_new || !dated || (call.began <= born && (call.ended == 0 || call.ended >= born));
  }
  if (made_new || !moved) return made_new;
  // A directory that is younger than the calls we have forgotten was made by one that we know of, or on the host.
  return kind != kDirectory || !dated || born <= known_since_;
}

}  // namespace pinfold::backend::on_linux
