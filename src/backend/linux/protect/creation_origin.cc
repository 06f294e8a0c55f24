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
#include <optional>
#include <set>

#include "backend/linux/notify/shared_memory.h"

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

unsigned node_kind(std::uint64_t mode) { return (mode & S_IFMT) == 0 || S_ISREG(mode) ? kFile : kSpecial; }

unsigned makes(const seccomp_notif& call) {
  switch (call.data.nr) {
#ifdef __NR_open
    case __NR_open:
    case __NR_creat: return kFile;
    case __NR_mkdir: return kDirectory;
    case __NR_mknod: return node_kind(call.data.args[1]);
    case __NR_symlink: return kLink;
    case __NR_link: return kFile | kLink | kSpecial | kMoved;
#endif
    case __NR_openat: return kFile;
    case __NR_mkdirat: return kDirectory;
    case __NR_mknodat: return node_kind(call.data.args[2]);
    case __NR_symlinkat: return kLink;
    case __NR_bind: return kSpecial;
    case __NR_linkat: return kFile | kLink | kSpecial | kMoved;
    default: return kDirectory | kFile | kLink | kSpecial | kMoved;  // rename
  }
}

bool moves(unsigned makes, unsigned kind) { return (makes & (kMoved | kind)) == (kMoved | kind); }

// Calls and files of these kinds are compared one by one.
bool is_settled(unsigned kind) { return kind == kDirectory || kind == kFile; }

// A rename, a link or a symbolic link can lead a path elsewhere while another call resolves it.
bool changes_paths(unsigned makes) { return (makes & (kMoved | kLink)) != 0; }

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

void CreationOrigin::record_allowed(const seccomp_notif& call, const std::vector<NewName>& names,
                                    std::optional<CallerPath> place) {
  Call made;
  made.thread = call.pid;
  made.number = call.data.nr;
  made.makes = makes(call);
  settle_recent(call.pid, made.makes == kFile ? Settle::kOwnThread : Settle::kAll);
  if (calls_.size() >= kMostCalls) {
    overflowed_ = true;
    return;
  }
  const auto runs = [&](const Call& each) { return each.ended == 0 && each.thread != call.pid; };
  if (changes_paths(made.makes)) {
    for (Call& each : calls_)
      if (runs(each)) each.keeps_its_name = false;
  } else if (names.size() == 1 && is_settled(made.makes)) {
    const auto held =
        std::count_if(calls_.begin(), calls_.end(), [](const Call& each) { return each.parent.is_open(); });
    if (static_cast<std::size_t>(held) < kMostHeld) hold_name(call, names[0], std::move(place), made);
    made.keeps_its_name = made.keeps_its_name && std::none_of(calls_.begin(), calls_.end(), [&](const Call& each) {
                            return runs(each) && changes_paths(each.makes);
                          });
  }
  made.began = now(CLOCK_REALTIME_COARSE);
  calls_.push_back(std::move(made));
}

// A name that exists is resolved again: a call that has ended only now may have led it elsewhere.
void CreationOrigin::hold_name(const seccomp_notif& call, const NewName& name, std::optional<CallerPath> known,
                               Call& made) {
  CallerPath place = known && known->parent.is_open() && !known->target.is_open()
                         ? std::move(*known)
                         : resolve_caller_path(call.pid, name.base, name.named, name.follow);
  if (place.kind != CallerPath::Kind::kFound || !place.parent.is_open()) return;
  struct stat info {};
  if (place.target.is_open() && ::fstat(place.target.raw(), &info) == 0) made.existing = info.st_ino;
  made.parent = std::move(place.parent);
  made.name = std::move(place.name);
  if (made.existing == 0) return;
  // The name is read again: a thread that has changed it may have exited since.
  made.keeps_its_name = memory_at(call.pid, name.address, name.named.size() + 1) == CallerMemory::kPrivate &&
                        read_string(call.pid, name.address) == name.named;
}

void CreationOrigin::record_made(int directory, const std::string& name) {
  struct statx info {};
  for (Call& each : calls_)
    if (each.ended == 0) each.keeps_its_name = false;
  if (!look(directory, name, info)) return;
  Call call;
  call.makes = kind_of(info.stx_mode);
  call.began = call.ended = of(info.stx_btime);
  call.made = {info.stx_ino, call.began};
  if (calls_.size() < kMostCalls) calls_.push_back(std::move(call));
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
  for (Call& call : calls_) {
    if (call.ended != 0 || !(has_ended(call) || at - call.began > kLongestWait)) continue;
    call.ended = at;
    settle(call);
  }
  std::erase_if(calls_, [&](const Call& call) {
    if (call.ended == 0 || at - call.ended <= kMemory) return false;
    known_since_ = std::max(known_since_, call.ended);
    if (moves(call.makes, kDirectory)) directory_moved_until_ = std::max(directory_moved_until_, call.ended);
    if (moves(call.makes, kFile)) file_moved_until_ = std::max(file_moved_until_, call.ended);
    return true;
  });
  if (overflowed_) known_since_ = at;
  overflowed_ = false;
}

bool CreationOrigin::moved_since(std::int64_t time, unsigned kind) const {
  return (kind == kDirectory ? directory_moved_until_ : file_moved_until_) >= time ||
         std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) {
           return moves(call.makes, kind) && (call.ended == 0 || call.ended >= time);
         });
}

// The narrower the times of a call are known, the fewer files it can have made. A file that has the name that was read,
// with no rename since the call began, was made under this name.
void CreationOrigin::settle_recent(std::uint32_t thread, Settle which) {
  std::size_t looked_at = 0;
  bool own = false;
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    // A thread makes one call at a time.
    const bool last = !own && call->thread == thread;
    own = own || last;
    if (own && looked_at >= kMostRecent) break;
    const bool recent = looked_at++ < kMostRecent && (which == Settle::kAll || (call->makes & kDirectory) != 0);
    if (call->ended != 0 || !(last || (recent && has_ended(*call)))) continue;
    call->ended = now(CLOCK_REALTIME);
    settle(*call);
  }
}

void CreationOrigin::settle(Call& call) {
  if (call.makes == kFile || (call.makes == kDirectory && !moved_since(call.began, kDirectory)))
    call.made = can_explain(call);
  if (call.makes == kFile) call.parent = sys::Fd();
}

CreationOrigin::File CreationOrigin::can_explain(const Call& call) const {
  if (call.made.first != 0) return call.made;
  struct statx info {};
  if (!call.parent.is_open() || !tells_time(call.parent.raw()) || !look(call.parent.raw(), call.name, info)) return {};
  if (kind_of(info.stx_mode) != call.makes || (info.stx_mask & STATX_BTIME) == 0 || info.stx_ino == call.existing)
    return {};
  const std::int64_t born = of(info.stx_btime);
  // A file that took the name after the call had ended is another call's work: the one that this call made may have
  // been moved away in between.
  if (born < std::max(call.began, known_since_) || !can_make_at(call, born)) return {};
  // A rename changes the status time: a host process may have made this file under another name.
  if (moved_since(call.began, call.makes) && of(info.stx_ctime) != born) return {};
  return {info.stx_ino, born};
}

bool CreationOrigin::can_make_at(const Call& call, std::int64_t born) {
  return call.began <= born && (call.ended == 0 || call.ended >= born);
}

// Each call makes at most one file. Starts with the calls that ran when the new name was born, and adds each call that
// ran when one of their files was born: it may have made that one, and they the new name. If all of them have a file of
// their own, none is left that made the new name.
Maker CreationOrigin::maker_by_calls(const struct statx& appeared, unsigned kind, Wait wait) const {
  std::vector<File> explained(calls_.size());
  for (std::size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i].makes == kind) explained[i] = can_explain(calls_[i]);
  std::vector<bool> is_taken(calls_.size(), false);
  std::set<File> files{{appeared.stx_ino, of(appeared.stx_btime)}};
  std::vector<std::int64_t> to_explain{of(appeared.stx_btime)};
  bool undecided = false;
  bool unexplained = false;
  while (!to_explain.empty()) {
    const std::int64_t born = to_explain.back();
    to_explain.pop_back();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (is_taken[i] || calls_[i].makes != kind || !can_make_at(calls_[i], born)) continue;
      is_taken[i] = true;
      if (explained[i].first != 0) {
        if (!files.insert(explained[i]).second) return Maker::kSandbox;
        to_explain.push_back(explained[i].second);
      } else if (calls_[i].keeps_its_name) {
        unexplained = true;
      } else if (wait == Wait::kForRunningCalls && calls_[i].existing == 0 && calls_[i].ended == 0 &&
                 !has_ended(calls_[i])) {
        undecided = true;
      } else {
        return Maker::kSandbox;
      }
    }
  }
  if (undecided) return Maker::kUndecided;
  return unexplained ? Maker::kCannotTell : Maker::kHost;
}

Maker CreationOrigin::maker_of(int directory, const std::string& name, Wait wait) {
  struct statx appeared {};
  if (overflowed_ || !look(directory, name, appeared)) return Maker::kSandbox;
  const unsigned kind = kind_of(appeared.stx_mode);
  const bool dated = tells_time(directory) && (appeared.stx_mask & STATX_BTIME) != 0;
  const std::int64_t born = of(appeared.stx_btime);
  const std::int64_t changed = of(appeared.stx_ctime);
  const Maker made_by_call = dated && is_settled(kind) ? maker_by_calls(appeared, kind, wait) : Maker::kSandbox;
  Maker maker = Maker::kHost;
  bool moved = false;  // some call may have given it another name
  for (const Call& call : calls_) {
    if ((call.makes & kind) == 0) continue;
    if ((call.makes & kMoved) != 0) {
      // Giving a file a name changes its status.
      moved = moved || !dated || call.began <= changed;
    } else if (!dated || can_make_at(call, born)) {
      maker = made_by_call;
    }
  }
  if (maker != Maker::kHost || !moved) return maker;
  // A directory that is younger than the calls we have forgotten was made by one that we know of, or on the host.
  return kind != kDirectory || !dated || born <= known_since_ ? Maker::kSandbox : Maker::kHost;
}

}  // namespace pinfold::backend::on_linux
