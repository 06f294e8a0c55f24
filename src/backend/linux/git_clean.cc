// git_clean.cc: what was seen while it was made, and what a search finds afterwards.
#include "backend/linux/git_clean.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "backend/linux/child/kernel.h"
#include "base/paths.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kMostSeen = 256;  // descriptors; what comes after is left to the search

std::optional<FileKey> key_of(int directory) {
  struct stat info {};
  if (::fstat(directory, &info) != 0) return std::nullopt;
  return FileKey{info.st_dev, info.st_ino};
}

const char* real_name(std::string_view lower_name) {
  return lower_name == "head" ? "HEAD" : lower_name == ".git" ? ".git" : lower_name == "objects" ? "objects" : "refs";
}

struct Times {
  std::optional<timespec> born;
  timespec changed{};
};
std::optional<Times> times_of(int at, const char* name) {
  struct statx info {};
  if (::statx(at, name, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_CTIME | STATX_BTIME, &info) != 0)
    return std::nullopt;
  const auto time = [](const statx_timestamp& from) {
    timespec out{};
    out.tv_sec = from.tv_sec;
    out.tv_nsec = from.tv_nsec;
    return out;
  };
  Times out;
  out.changed = time(info.stx_ctime);
  if ((info.stx_mask & STATX_BTIME) != 0) out.born = time(info.stx_btime);
  return out;
}

}  // namespace

void GitCleaner::add(const Plan& plan) {
  // The clock that files are marked with, which is a little behind the exact one.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &ground_.began);
  for (const Step& step : plan.steps) {
    if (const auto* clean = std::get_if<CleanGit>(&step.body)) add_root(*clean);
    if (const auto* kept = std::get_if<ProtectPath>(&step.body)) add_known(kept->at);
    // Somebody asked for this part of a repository by its name.
    if (const auto* shown = std::get_if<ShowPath>(&step.body)) add_known(shown->host);
  }
}

void GitCleaner::add_root(const CleanGit& step) {
  GitRoot root{step.root, {}, step.had_git, false};
  root.directory = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, step.root.c_str(), O_RDONLY | O_DIRECTORY, 0));
  if (root.directory.is_open()) {
    root.was_repository = GitDisarmer::looks_like_repository(root.directory.raw());
    if (root.was_repository)
      if (auto key = key_of(root.directory.raw())) ground_.known.insert(*key);
    if (step.had_git) add_known(step.root + "/.git/config");
  }
  ground_.roots.push_back(std::move(root));
}

// The directory of the repository that a path is a part of: what lies in `.git`, `.git/modules/X`, `.git/worktrees/X`.
void GitCleaner::add_known(const std::string& path) {
  if (path.find("/.git/") == std::string::npos && !path.ends_with("/.git")) return;
  for (std::string at = path; at.find("/.git") != std::string::npos; at = paths::parent(at)) {
    const bool whole = at.ends_with("/.git");
    struct stat info {};
    if ((whole || git_place(at) != GitPlace::kNone) && ::lstat(at.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      ground_.known.insert({info.st_dev, info.st_ino});
    if (whole) return;
  }
}

bool GitCleaner::is_telling(std::string_view lower_name) {
  return lower_name == ".git" || lower_name == "head" || lower_name == "objects" || lower_name == "refs";
}

bool GitCleaner::saw(int directory, const std::string& shown, std::string_view lower_name) {
  struct stat info {};
  if (::fstatat(directory, real_name(lower_name), &info, AT_SYMLINK_NOFOLLOW) == 0) return false;  // there already
  const bool first = !search_;
  search_ = true;
  const Layout layout = lower_name == ".git" ? Layout::kDotGit : Layout::kBare;
  // Those of a `.git` are looked after by it.
  if (layout == Layout::kBare && (shown.ends_with("/.git") || shown.find("/.git/") != std::string::npos)) return first;
  const auto key = key_of(directory);
  if (seen_.size() >= kMostSeen || !key) return first;
  const auto same = [&](const Seen& seen) { return seen.key == *key && seen.layout == layout; };
  if (std::any_of(seen_.begin(), seen_.end(), same)) return first;
  auto held = sys::Fd::adopt(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held.is_open()) return first;
  seen_.push_back(Seen{std::move(held), *key, shown, layout});
  return first;
}

std::vector<int> GitCleaner::descriptors() const {
  std::vector<int> fds;
  for (const GitRoot& root : ground_.roots)
    if (root.directory.is_open()) fds.push_back(root.directory.raw());
  for (const Seen& seen : seen_) fds.push_back(seen.directory.raw());
  return fds;
}

bool GitCleaner::was_seen(int directory, Layout layout) {
  const auto key = key_of(directory);
  bool found = false;
  for (Seen& seen : seen_)
    if (key && seen.key == *key && seen.layout == layout) found = seen.reached = true;
  return found;
}

// Made by the run, or there before? Its birth tells; where the file system knows none, any change of it counts.
Disarm GitCleaner::how(const GitFound& found, Layout layout) {
  if (was_seen(found.directory, layout)) return Disarm::kAll;
  const auto own = times_of(found.directory, layout == Layout::kDotGit ? ".git" : "");
  if (!own || ground_.is_later(own->born.value_or(own->changed))) return Disarm::kAll;
  if (layout == Layout::kDotGit) return Disarm::kLater;
  for (const char* part : {"HEAD", "refs"}) {
    const auto times = times_of(found.directory, part);
    if (times && ground_.is_later(times->changed)) return Disarm::kAll;
  }
  return Disarm::kLater;
}

void GitCleaner::clean_found(const GitFound& found, GitNotes& notes) {
  if (found.has_dot_git)
    GitDisarmer(ground_, how(found, Layout::kDotGit), notes).dot_git(found.directory, found.path, found.path);
  if (found.is_repository && !found.path.ends_with("/.git"))
    GitDisarmer(ground_, how(found, Layout::kBare), notes).repository(found.directory, found.path);
}

void GitCleaner::clean(std::vector<std::string>& all_notes, const WalkBounds& bounds) {
  GitNotes notes(all_notes);
  if (search_) {
    const std::string unsearched =
        walk_for_git(ground_, bounds, [&](const GitFound& found) { clean_found(found, notes); });
    if (!unsearched.empty())
      notes.add("not all directories were searched for git repositories that the run made, from " + unsearched +
                " on: look at their hooks and configuration before you use git there");
  } else {  // a look at the tops costs nothing
    for (const GitRoot& root : ground_.roots) {
      if (!root.directory.is_open()) continue;
      const int directory = root.directory.raw();
      clean_found({directory, root.path, true, GitDisarmer::looks_like_repository(directory)}, notes);
    }
  }
  for (const Seen& seen : seen_) {
    if (seen.reached) continue;
    GitDisarmer disarmer(ground_, Disarm::kAll, notes);
    if (seen.layout == Layout::kDotGit)
      disarmer.dot_git(seen.directory.raw(), "", seen.path);
    else if (GitDisarmer::looks_like_repository(seen.directory.raw()))
      disarmer.repository(seen.directory.raw(), seen.path);
  }
  seen_.clear();
  search_ = false;
}

}  // namespace pinfold::backend::on_linux
