// git_clean.cc: what was seen while it was made, and what a search finds afterwards.
#include "backend/linux/protect/git_clean.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "backend/linux/child/kernel.h"
#include "base/paths.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kMostSeen = 256;  // descriptors; what comes after is left to the search

constexpr std::size_t kMostBeyond = 64;
constexpr std::size_t kMostMade = 65'536;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kClockNoise = 20'000'000;  // two ticks of the coarse clock at 100 Hz

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * kSecond + time.tv_nsec; }

std::optional<FileKey> key_of(int directory) {
  struct stat info {};
  if (::fstat(directory, &info) != 0) return std::nullopt;
  return FileKey{info.st_dev, info.st_ino};
}

// The parts of a git directory that git reads settings and programs from.
bool is_git_part(std::string_view name) {
  constexpr auto kParts = std::to_array<std::string_view>(
      {"hooks", "config", "config.worktree", "commondir", "remotes", "branches", "gitdir"});
  return std::find(kParts.begin(), kParts.end(), name) != kParts.end();
}

}  // namespace

void GitCleaner::add(const Plan& plan) {
  // The clock that files are marked with, which is a little behind the exact one.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &ground_.began);
  ::clock_gettime(CLOCK_BOOTTIME, &boot_began_);
  began_ = ground_.began;
  add_roots(plan, "/");
}

bool GitCleaner::widen(const Plan& plan, const std::string& place) {
  const std::size_t before = ground_.roots.size();
  add_roots(plan, place);
  return search_ && ground_.roots.size() != before;
}

void GitCleaner::add_roots(const Plan& plan, const std::string& place) {
  for (const Step& step : plan.steps) {
    if (const auto* clean = std::get_if<CleanGit>(&step.body)) add_root(*clean);
    if (const auto* kept = std::get_if<ProtectPath>(&step.body)) add_known(kept->at, place);
    // Somebody asked for this part of a repository by its name.
    if (const auto* shown = std::get_if<ShowPath>(&step.body)) add_known(shown->host, place);
  }
}

void GitCleaner::add_root(const CleanGit& step) {
  const auto same = [&](const GitRoot& root) { return root.path == step.root; };
  if (std::any_of(ground_.roots.begin(), ground_.roots.end(), same)) return;
  GitRoot root{step.root, {}, 0};
  root.directory = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, step.root.c_str(), O_RDONLY | O_DIRECTORY, 0));
  if (root.directory.is_open()) {
    if (layout_of(root.directory.raw()).is_git_directory()) keep_out(root.directory.raw(), step.root);
    if (step.had_git) add_known(step.root + "/.git/config", step.root);
  } else {
    root.error = errno;
  }
  ground_.roots.push_back(std::move(root));
}

// Mounts protect this directory from the run; but not if the run made it, before the user granted the place.
void GitCleaner::keep_out(int directory, const std::string& path) {
  const auto key = key_of(directory);
  if (!key || made_.contains({*key, Layout::kBare}) || made_.contains({*key, Layout::kDotGit})) return;
  if (!ground_.known.insert(*key).second) return;
  auto held = sys::Fd::adopt(::openat(directory, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (held.is_open()) kept_.push_back({std::move(held), path});
}

// The directory of the repository that a path is a part of: a path in `.git`, `.git/modules/X`, `.git/worktrees/X`,
// or in any other directory that git takes for its own.
void GitCleaner::add_known(const std::string& path, const std::string& place) {
  if (!paths::at_or_beneath(path, place)) return;
  const bool in_dot_git = path.find("/.git/") != std::string::npos || path.ends_with("/.git");
  if (!in_dot_git && !is_git_part(paths::basename(path))) return;
  const auto keep = [&](const std::string& at) {
    const auto directory = sys::Fd::adopt(::open(at.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (directory.is_open() && (in_dot_git || layout_of(directory.raw()).is_git_directory()))
      keep_out(directory.raw(), at);
  };
  if (!in_dot_git) return keep(std::string(paths::parent(path)));
  for (std::string at = path; at.find("/.git") != std::string::npos; at = paths::parent(at)) {
    const bool whole = at.ends_with("/.git");
    if (whole || git_place(at) != GitPlace::kNone) keep(at);
    if (whole) return;
  }
}

bool GitCleaner::is_telling(std::string_view lower_name) {
  return std::any_of(git::kLayoutNames.begin(), git::kLayoutNames.end(),
                     [&](std::string_view name) { return git::is_folded(name, lower_name); });
}

bool GitCleaner::saw(int directory, const std::string& shown, std::string_view lower_name) {
  const Layout layout = lower_name == ".git" ? Layout::kDotGit : Layout::kBare;
  const auto key = key_of(directory);
  const bool first = !search_;
  struct stat info {};
  for (const std::string_view name : git::kLayoutNames)
    if (git::is_folded(name, lower_name) &&
        ::fstatat(directory, std::string(name).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      if (layout == Layout::kBare || !key) return false;  // there already
      // A rename can put an older directory in its place.
      search_ = true;
      if (before_.size() < kMostMade) before_.try_emplace(*key, info.st_dev, info.st_ino);
      return first;
    }
  search_ = true;
  const bool fresh = key && made_.size() < kMostMade && made_.insert({*key, layout}).second;
  // Those of a `.git` are looked after by it.
  if (layout == Layout::kBare && (shown.ends_with("/.git") || shown.find("/.git/") != std::string::npos)) return first;
  if (key && !fresh && made_.contains({*key, layout})) return first;
  const bool searched = is_searched(shown);
  auto held = seen_.size() < kMostSeen ? sys::Fd::adopt(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
                                       : sys::Fd();
  if (!held.is_open() || !key) {
    if (!searched && (++beyond_count_ <= kMostBeyond)) beyond_.push_back(shown);
    return first;
  }
  seen_.push_back(Seen{std::move(held), *key, shown, layout});
  return first || !searched;
}

bool GitCleaner::is_searched(const std::string& path) const {
  return std::any_of(ground_.roots.begin(), ground_.roots.end(), [&](const GitRoot& root) {
    return root.directory.is_open() && paths::at_or_beneath(path, root.path);
  });
}

std::vector<int> GitCleaner::descriptors() const {
  std::vector<int> fds;
  for (const GitRoot& root : ground_.roots)
    if (root.directory.is_open()) fds.push_back(root.directory.raw());
  for (const Seen& seen : seen_) fds.push_back(seen.directory.raw());
  for (const Kept& kept : kept_) fds.push_back(kept.directory.raw());
  return fds;
}

bool GitCleaner::was_seen(int directory, Layout layout) {
  const auto key = key_of(directory);
  if (!key) return true;
  for (Seen& seen : seen_)
    if (seen.key == *key && seen.layout == layout) seen.reached = true;
  // More than can be remembered: each of them may be one of the others.
  return made_.size() >= kMostMade || made_.contains({*key, layout});
}

// Is this `.git` another directory than the one that had the name before, or were its parts made in it by the run?
bool GitCleaner::was_put_there(int directory) const {
  struct stat git {};
  if (::fstatat(directory, ".git", &git, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const FileKey now{git.st_dev, git.st_ino};
  const auto key = key_of(directory);
  const auto before = key ? before_.find(*key) : before_.end();
  return made_.contains({now, Layout::kBare}) || (before != before_.end() && before->second != now);
}

Disarm GitCleaner::how(const GitFound& found, Layout layout) {
  if (was_seen(found.directory, layout)) return Disarm::kAll;
  if (layout == Layout::kDotGit)
    return was_put_there(found.directory) ? Disarm::kAll : ground_.age_of(found.directory, ".git");
  // Git makes a new HEAD for every checkout, the others only once.
  for (const char* part : {"", "objects", "refs", "commondir"}) {
    struct stat info {};
    const bool there = *part == 0 || ::fstatat(found.directory, part, &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && ground_.age_of(found.directory, part) == Disarm::kAll) return Disarm::kAll;
  }
  struct stat head {};
  const bool touched =
      ::fstatat(found.directory, "HEAD", &head, AT_SYMLINK_NOFOLLOW) == 0 && ground_.is_later(head.st_ctim);
  return touched ? Disarm::kDoubtful : Disarm::kLater;
}

void GitCleaner::clean_found(const GitFound& found, GitNotes& notes) {
  if (found.has_dot_git)
    GitDisarmer(ground_, how(found, Layout::kDotGit), notes).dot_git(found.directory, found.path, found.path);
  if (!found.is_repository || found.path.ends_with("/.git")) return;
  GitDisarmer disarmer(ground_, how(found, Layout::kBare), notes);
  if (GitDisarmer::is_plain_worktree(found.directory, found.path))
    disarmer.worktree(found.directory, found.path);
  else
    disarmer.repository(found.directory, found.path);
}

// Files that were made after the clock was set back have times before the run: the run's begin moves as far.
// CLOCK_BOOTTIME cannot be set.
void GitCleaner::follow_the_clock() {
  timespec now{};
  timespec boot{};
  if (::clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0 || ::clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return;
  const std::int64_t back = (nanoseconds(boot) - nanoseconds(boot_began_)) - (nanoseconds(now) - nanoseconds(began_));
  if (back < kClockNoise) return;
  const std::int64_t moved = nanoseconds(began_) - back;
  ground_.began.tv_sec = moved / kSecond;
  ground_.began.tv_nsec = moved % kSecond;
}

void GitCleaner::clean(std::vector<std::string>& all_notes, const WalkBounds& bounds) {
  GitNotes notes(all_notes);
  follow_the_clock();
  if (search_) {
    const Unsearched left = walk_for_git(ground_, bounds, [&](const GitFound& found) { clean_found(found, notes); });
    std::string list;
    for (const std::string& each : left.named) list += (list.empty() ? "" : ", ") + each;
    if (left.count > left.named.size())
      list += " and " + std::to_string(left.count - left.named.size()) + " more, with what is below";
    if (left.count > 0)
      notes.add("not all directories were searched for git repositories that the run made: " + list +
                ": look at their hooks and configuration before you use git there");
  } else {  // a look at the tops costs nothing
    for (const GitRoot& root : ground_.roots) {
      if (!root.directory.is_open()) continue;
      const int directory = root.directory.raw();
      clean_found({directory, root.path, true, layout_of(directory).is_git_directory()}, notes);
    }
  }
  for (const Seen& seen : seen_) {
    if (seen.reached) continue;
    GitDisarmer disarmer(ground_, Disarm::kAll, notes);
    if (seen.layout == Layout::kDotGit)
      disarmer.dot_git(seen.directory.raw(), "", seen.path);
    else if (layout_of(seen.directory.raw()).is_git_directory())
      disarmer.repository(seen.directory.raw(), seen.path);
  }
  // Mounts protect these, but not the list of a rebase, which git itself has to write.
  for (const Kept& kept : kept_) GitDisarmer(ground_, Disarm::kLater, notes).rebase(kept.directory.raw(), kept.path);
  // The user may have granted their places later.
  beyond_count_ -= beyond_.size();
  std::erase_if(beyond_, [&](const std::string& path) { return is_searched(path); });
  beyond_count_ += beyond_.size();
  if (beyond_count_ > 0)
    notes.add("the run made parts of git repositories in " + std::to_string(beyond_count_) +
              " directories that were not searched" + (beyond_.empty() ? "" : ", such as " + beyond_.front()) +
              ": look at their hooks and configuration before you use git there");
  seen_.clear();
  made_.clear();
  before_.clear();
  beyond_.clear();
  beyond_count_ = 0;
  search_ = false;
}

}  // namespace pinfold::backend::on_linux
