// git_clean.cc: repositories recorded while they were made, and those that a search finds afterwards.
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
#include "backend/linux/protect/dir_entry.h"
#include "base/paths.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kMaxHeld = 256;  // descriptors; the search finds the others

constexpr std::size_t kMaxOutsideRoots = 64;
constexpr std::size_t kMaxRecorded = 65'536;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kClockNoise = 20'000'000;  // two ticks of the coarse clock at 100 Hz

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * kSecond + time.tv_nsec; }

std::optional<FileKey> key_of(int directory) {
  struct stat info {};
  if (::fstat(directory, &info) != 0) return std::nullopt;
  return FileKey{info.st_dev, info.st_ino};
}

// A common directory without a HEAD is none: with a HEAD that the run makes, it becomes one.
bool is_repository(int directory) {
  const git::Layout layout = layout_of(directory, UnknownNames::kIgnore);
  return layout.is_git_directory() && layout.has_head();
}

// The files of a git directory from which git reads settings and programs.
bool is_git_part(std::string_view name) {
  constexpr auto kParts = std::to_array<std::string_view>(
      {"hooks", "config", "config.worktree", "commondir", "remotes", "branches", "gitdir"});
  return std::find(kParts.begin(), kParts.end(), name) != kParts.end();
}

}  // namespace

void GitCleaner::add(const Plan& plan) {
  // The coarse clock gives files their times; it is up to one tick behind the exact one.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &context_.began);
  ::clock_gettime(CLOCK_BOOTTIME, &boot_began_);
  began_ = context_.began;
  add_roots(plan, "/");
}

bool GitCleaner::widen(const Plan& plan, const std::string& place) {
  const std::size_t before = context_.roots.size();
  add_roots(plan, place);
  return search_ && context_.roots.size() != before;
}

void GitCleaner::add_roots(const Plan& plan, const std::string& place) {
  for (const Step& step : plan.steps) {
    if (const auto* clean = std::get_if<CleanGit>(&step.body)) add_root(*clean);
    // A mount on `remotes` or `branches` alone protects neither hooks nor configuration.
    if (const auto* kept = std::get_if<ProtectPath>(&step.body);
        kept != nullptr && !kept->at.ends_with("/remotes") && !kept->at.ends_with("/branches"))
      add_known(kept->at, place);
    // A rule names this part of a repository.
    if (const auto* shown = std::get_if<ShowPath>(&step.body)) add_known(shown->host, place);
  }
}

void GitCleaner::add_root(const CleanGit& step) {
  const auto same = [&](const GitRoot& root) { return root.path == step.root; };
  if (std::any_of(context_.roots.begin(), context_.roots.end(), same)) return;
  always_ = always_ || step.always;
  search_ = search_ || always_;
  GitRoot root{step.root, {}, 0};
  root.directory = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, step.root.c_str(), O_RDONLY | O_DIRECTORY, 0));
  if (root.directory.is_open()) {
    if (is_repository(root.directory.raw())) exclude(root.directory.raw(), step.root);
  } else {
    root.error = errno;
  }
  context_.roots.push_back(std::move(root));
}

// Mounts protect this directory from the run; but not if the run made it before the user granted its path.
void GitCleaner::exclude(int directory, const std::string& path) {
  const auto key = key_of(directory);
  if (!key || made_.contains({*key, Layout::kBare}) || made_.contains({*key, Layout::kDotGit})) return;
  if (!context_.known.insert(*key).second) return;
  auto held = sys::Fd::adopt(::openat(directory, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (held.is_open()) protected_.push_back({std::move(held), path});
}

// The directory of the repository that contains this path: a path in `.git`, `.git/modules/X`, `.git/worktrees/X`, or
// in any other directory with git's layout.
void GitCleaner::add_known(const std::string& path, const std::string& place) {
  if (!paths::at_or_beneath(path, place)) return;
  const bool in_dot_git = path.find("/.git/") != std::string::npos || path.ends_with("/.git");
  if (!in_dot_git && !is_git_part(paths::basename(path))) return;
  const auto keep = [&](const std::string& at) {
    const auto directory = sys::Fd::adopt(::open(at.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (directory.is_open() && (in_dot_git || is_repository(directory.raw()))) exclude(directory.raw(), at);
  };
  if (!in_dot_git) return keep(std::string(paths::parent(path)));
  for (std::string at = path; at.find("/.git") != std::string::npos; at = paths::parent(at)) {
    const bool whole = at.ends_with("/.git");
    if (whole || git_admin_directory(at) != GitAdminDirectory::kNone) keep(at);
    if (whole) return;
  }
}

bool GitCleaner::is_layout_name(std::string_view lower_name) {
  return std::any_of(git::kLayoutNames.begin(), git::kLayoutNames.end(),
                     [&](std::string_view name) { return git::is_folded(name, lower_name); });
}

bool GitCleaner::record_creation(int directory, const std::string& shown, std::string_view lower_name) {
  const Layout layout = lower_name == ".git" ? Layout::kDotGit : Layout::kBare;
  const auto key = key_of(directory);
  const bool first = !search_;
  struct stat info {};
  for (const std::string_view name : git::kLayoutNames)
    if (git::is_folded(name, lower_name) &&
        ::fstatat(directory, std::string(name).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      if (layout == Layout::kBare || !key) return false;  // it existed before
      // A rename can replace it with an older directory.
      search_ = true;
      if (before_.size() < kMaxRecorded) before_.try_emplace(*key, info.st_dev, info.st_ino);
      return first;
    }
  search_ = true;
  const bool fresh = key && made_.size() < kMaxRecorded && made_.insert({*key, layout}).second;
  // Parts inside a `.git` are handled with that `.git`.
  if (layout == Layout::kBare && (shown.ends_with("/.git") || shown.find("/.git/") != std::string::npos)) return first;
  if (key && !fresh && made_.contains({*key, layout})) return first;
  const bool searched = is_searched(shown);
  auto held = new_repositories_.size() < kMaxHeld
                  ? sys::Fd::adopt(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
                  : sys::Fd();
  if (!held.is_open() || !key) {
    if (!searched && (++outside_roots_count_ <= kMaxOutsideRoots)) outside_roots_.push_back(shown);
    return first;
  }
  new_repositories_.push_back(NewRepository{std::move(held), *key, shown, layout});
  return first || !searched;
}

bool GitCleaner::is_searched(const std::string& path) const {
  return std::any_of(context_.roots.begin(), context_.roots.end(), [&](const GitRoot& root) {
    return root.directory.is_open() && paths::at_or_beneath(path, root.path);
  });
}

std::vector<int> GitCleaner::descriptors() const {
  std::vector<int> fds;
  for (const GitRoot& root : context_.roots)
    if (root.directory.is_open()) fds.push_back(root.directory.raw());
  for (const NewRepository& seen : new_repositories_) fds.push_back(seen.directory.raw());
  for (const ProtectedRepository& kept : protected_) fds.push_back(kept.directory.raw());
  return fds;
}

bool GitCleaner::was_recorded(int directory, Layout layout) {
  const auto key = key_of(directory);
  if (!key) return true;
  for (NewRepository& seen : new_repositories_)
    if (seen.key == *key && seen.layout == layout) seen.reached = true;
  // The record is full: any repository may be one that was not recorded.
  return made_.size() >= kMaxRecorded || made_.contains({*key, layout});
}

// True if `.git` is another directory than before, or if the run made one of git's names in it.
bool GitCleaner::was_replaced(int directory) const {
  const DirEntry git = look_up(directory, ".git");
  if (!git.exists()) return git.is_unknown();
  const FileKey now{git.info.st_dev, git.info.st_ino};
  const auto key = key_of(directory);
  const auto before = key ? before_.find(*key) : before_.end();
  return made_.contains({now, Layout::kBare}) || (before != before_.end() && before->second != now);
}

DisarmScope GitCleaner::scope_for(const GitMatch& found, Layout layout) {
  if (was_recorded(found.directory, layout)) return DisarmScope::kAll;
  if (layout == Layout::kDotGit)
    return was_replaced(found.directory) ? DisarmScope::kAll : context_.age_of(found.directory, ".git");
  // Git makes a new HEAD for every checkout, and the other names only once.
  for (const char* part : {"", "objects", "refs", "commondir"}) {
    const bool exists = *part == 0 || !look_up(found.directory, part).is_missing();
    if (exists && context_.age_of(found.directory, part) == DisarmScope::kAll) return DisarmScope::kAll;
  }
  const DirEntry head = look_up(found.directory, "HEAD");
  const bool touched = head.is_unknown() || (head.exists() && context_.is_later(head.info.st_ctim, head.info.st_dev));
  return touched ? DisarmScope::kDoubtful : DisarmScope::kLater;
}

void GitCleaner::clean_found(const GitMatch& found, GitNoteList& notes) {
  if (found.has_dot_git)
    GitDisarmer(context_, scope_for(found, Layout::kDotGit), notes).dot_git(found.directory, found.path, found.path);
  if (!found.is_repository || found.path.ends_with("/.git")) return;
  GitDisarmer disarmer(context_, scope_for(found, Layout::kBare), notes);
  if (GitDisarmer::is_plain_worktree(found.directory, found.path))
    disarmer.worktree(found.directory, found.path);
  else
    disarmer.repository(found.directory, found.path);
}

// After the clock was set back, new files have times before the run: the start time is moved back by the same amount.
// CLOCK_BOOTTIME cannot be set.
void GitCleaner::adjust_for_clock_change() {
  timespec now{};
  timespec boot{};
  if (::clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0 || ::clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return;
  const std::int64_t back = (nanoseconds(boot) - nanoseconds(boot_began_)) - (nanoseconds(now) - nanoseconds(began_));
  if (back < kClockNoise) return;
  const std::int64_t moved = nanoseconds(began_) - back;
  context_.began.tv_sec = moved / kSecond;
  context_.began.tv_nsec = moved % kSecond;
}

void GitCleaner::clean(std::vector<std::string>& all_notes, const WalkBounds& bounds) {
  GitNoteList notes(all_notes);
  adjust_for_clock_change();
  context_.behind_ns.reset();
  if (search_) {
    const UnsearchedDirectories left =
        walk_for_git(context_, bounds, [&](const GitMatch& found) { clean_found(found, notes); });
    std::string list;
    for (const std::string& each : left.named) list += (list.empty() ? "" : ", ") + each;
    if (left.count > left.named.size())
      list += " and " + std::to_string(left.count - left.named.size()) + " more, and everything below them";
    if (left.count > 0)
      notes.add("not all directories were searched for git repositories that the run made: " + list +
                ": look at their hooks and configuration before you use git there");
  } else {  // looking at the roots alone costs little
    for (const GitRoot& root : context_.roots) {
      if (!root.directory.is_open()) continue;
      const int directory = root.directory.raw();
      clean_found({directory, root.path, true, layout_of(directory, UnknownNames::kCount).is_git_directory()}, notes);
    }
  }
  for (const NewRepository& seen : new_repositories_) {
    if (seen.reached) continue;
    GitDisarmer disarmer(context_, DisarmScope::kAll, notes);
    if (seen.layout == Layout::kDotGit)
      disarmer.dot_git(seen.directory.raw(), "", seen.path);
    else if (layout_of(seen.directory.raw(), UnknownNames::kCount).is_git_directory())
      disarmer.repository(seen.directory.raw(), seen.path);
  }
  // Mounts protect these, except for the state of a rebase, which git itself has to write.
  for (const ProtectedRepository& kept : protected_)
    GitDisarmer(context_, DisarmScope::kLater, notes).rebase(kept.directory.raw(), kept.path);
  for (const std::string& root : context_.unmeasured)
    notes.add(
        "the clock of the file system could not be read in " + root +
        ": if it is behind this host's clock, hooks and settings that the run wrote look older than the run: check "
        "the git repositories there before you use git");
  context_.unmeasured.clear();
  // The user may have granted their paths later.
  outside_roots_count_ -= outside_roots_.size();
  std::erase_if(outside_roots_, [&](const std::string& path) { return is_searched(path); });
  outside_roots_count_ += outside_roots_.size();
  if (outside_roots_count_ > 0)
    notes.add("the run made parts of git repositories in " + std::to_string(outside_roots_count_) +
              " directories that were not searched" +
              (outside_roots_.empty() ? "" : ", such as " + outside_roots_.front()) +
              ": look at their hooks and configuration before you use git there");
  new_repositories_.clear();
  made_.clear();
  before_.clear();
  outside_roots_.clear();
  outside_roots_count_ = 0;
  search_ = always_;
}

}  // namespace pinfold::backend::on_linux
