// git_clean.cc: walks what a run left where git looks and disables what would execute.
// Invariant: every step is beneath a directory held open, no symlink followed; everything inside is dead by now.
#include "backend/linux/git_clean.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "backend/linux/child/kernel.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kMostSeen = 256;
constexpr std::size_t kLargestConfig = 1 << 20;
constexpr const char* kSuffix = ".disabled-by-pinfold";

sys::Fd open_directory(int at, const std::string& path) {
  return sys::Fd::adopt(kernel::open_no_links(at, path.c_str(), O_RDONLY | O_DIRECTORY, RESOLVE_BENEATH));
}

std::optional<mode_t> kind(int at, const std::string& name) {
  struct stat info {};
  if (::fstatat(at, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return info.st_mode & S_IFMT;
}

std::optional<std::string> read_small(int at, const std::string& name) {
  auto fd = sys::Fd::adopt(kernel::open_no_links(at, name.c_str(), O_RDONLY | O_NONBLOCK, RESOLVE_BENEATH));
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.raw(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string text;
  std::array<char, 16384> buffer{};
  ssize_t size = 0;
  while (text.size() <= kLargestConfig && (size = ::read(fd.raw(), buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(size));
  return text.size() > kLargestConfig ? std::nullopt : std::optional<std::string>(std::move(text));
}

std::vector<std::string> entries(int directory) {
  std::vector<std::string> names;
  int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
  if (!stream) return names;
  while (const dirent* entry = ::readdir(stream.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  return names;
}

class Cleaning {
 public:
  Cleaning(std::string shown, std::vector<std::string>& notes) : shown_(std::move(shown)), notes_(notes) {}

  // `.git` in `directory`, whatever it is.
  void dot_git(int directory) {
    auto what = kind(directory, ".git");
    if (!what) return;
    if (*what == S_IFDIR) {
      sys::Fd git = open_directory(directory, ".git");
      if (git.is_open()) repository(git.raw(), shown_ + "/.git", 0);
    } else if (*what == S_IFREG) {
      redirection(directory);
    } else {
      disable(directory, ".git", shown_);
    }
  }

  void repository(int git, const std::string& shown, int depth) {
    hooks(git, shown);
    config(git, "config", shown);
    for (const char* name : {"config.worktree", "commondir", "gitdir"})
      if (kind(git, name)) disable(git, name, shown);
    sub_repositories(git, "worktrees", shown, depth);
    sub_repositories(git, "modules", shown, depth);
  }

  // A directory that git itself would take for a repository.
  static bool looks_like_repository(int directory) {
    return kind(directory, "HEAD") && kind(directory, "objects") && kind(directory, "refs");
  }

 private:
  void note(const std::string& text) {
    if (notes_.size() < 100) notes_.push_back(text);
  }

  void disable(int at, const std::string& name, const std::string& shown) {
    std::string aside = name + kSuffix;
    if (::syscall(SYS_renameat2, at, name.c_str(), at, aside.c_str(), 0) == 0)
      note("disabled " + shown + "/" + name + ", made by the run: renamed to " + aside);
  }

  void hooks(int git, const std::string& shown) {
    auto what = kind(git, "hooks");
    if (!what) return;
    if (*what != S_IFDIR) return disable(git, "hooks", shown);
    sys::Fd hooks = open_directory(git, "hooks");
    if (!hooks.is_open()) return;
    for (const std::string& name : entries(hooks.raw()))
      if (!name.ends_with(".sample") && !name.ends_with(kSuffix)) disable(hooks.raw(), name, shown + "/hooks");
  }

  void config(int git, const std::string& name, const std::string& shown) {
    if (!kind(git, name)) return;
    auto text = read_small(git, name);
    if (!text) return disable(git, name, shown);
    std::vector<std::string> removed;
    std::string safe = safe_git_config(*text, removed);
    if (removed.empty()) return;
    std::string fresh = name + ".pinfold-new";
    auto fd = sys::Fd::adopt(::openat(git, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    bool written = fd.is_open() && ::write(fd.raw(), safe.data(), safe.size()) == static_cast<ssize_t>(safe.size()) &&
                   ::fsync(fd.raw()) == 0 && ::renameat(git, fresh.c_str(), git, name.c_str()) == 0;
    if (!written) return disable(git, name, shown);
    std::string list;
    for (const std::string& each : removed) list += (list.empty() ? "" : ", ") + each;
    note("removed from " + shown + "/" + name + ", written by the run: " + list);
  }

  // .git/worktrees/NAME: only the plain layout that git itself makes; .git/modules/NAME: repositories of their own.
  void sub_repositories(int git, const std::string& folder, const std::string& shown, int depth) {
    if (depth > 4) return disable(git, folder, shown);
    if (!kind(git, folder)) return;
    sys::Fd parent = open_directory(git, folder);
    if (!parent.is_open()) return disable(git, folder, shown);
    std::string place = shown + "/" + folder;
    for (const std::string& name : entries(parent.raw())) {
      sys::Fd each = open_directory(parent.raw(), name);
      if (!each.is_open()) continue;
      if (folder == "worktrees") {
        auto common = read_small(each.raw(), "commondir");
        if (common && *common != "../..\n" && *common != "../..") disable(parent.raw(), name, place);
        if (kind(each.raw(), "config.worktree")) disable(each.raw(), "config.worktree", place + "/" + name);
      } else {
        repository(each.raw(), place + "/" + name, depth + 1);
      }
    }
  }

  // A `.git` file names a repository elsewhere: only git's own worktree and submodule layouts, inside this project,
  // stay.
  void redirection(int directory) {
    auto text = read_small(directory, ".git");
    std::string target = text && text->starts_with("gitdir: ") ? text->substr(8) : std::string();
    while (!target.empty() && (target.back() == '\n' || target.back() == '\r')) target.pop_back();
    bool known =
        target.find("/.git/worktrees/") != std::string::npos || target.find("/.git/modules/") != std::string::npos;
    if (!known) return disable(directory, ".git", shown_);
    auto git = sys::Fd::adopt(kernel::open_no_links(directory, target.c_str(), O_RDONLY | O_DIRECTORY, 0));
    auto common = git.is_open() ? read_small(git.raw(), "commondir") : std::nullopt;
    bool worktree = target.find("/.git/worktrees/") != std::string::npos;
    if (!git.is_open() || (worktree && common != "../..\n" && common != "../.."))
      return disable(directory, ".git", shown_);
    if (!worktree) repository(git.raw(), target, 1);
  }

  std::string shown_;
  std::vector<std::string>& notes_;
};

}  // namespace

void GitCleaner::add_root(const CleanGit& step) {
  roots_.push_back(step);
  auto directory = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, step.root.c_str(), O_RDONLY | O_DIRECTORY, 0));
  was_repository_.push_back(directory.is_open() && Cleaning::looks_like_repository(directory.raw()));
}

bool GitCleaner::saw_new(int directory, const std::string& shown) {
  return remember(directory, shown, ".git", Layout::kDotGit);
}

bool GitCleaner::saw_head(int directory, const std::string& shown) {
  // git writes HEAD in its own directories all the time; those are looked after by their `.git`.
  if (shown.ends_with("/.git") || shown.find("/.git/") != std::string::npos) return false;
  return remember(directory, shown, "HEAD", Layout::kBare);
}

bool GitCleaner::remember(int directory, const std::string& shown, const char* name, Layout layout) {
  struct stat info {};
  if (seen_.size() >= kMostSeen) return false;
  if (::fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0) return false;  // there already
  // Held open: the directory may be renamed before the run ends.
  auto held = sys::Fd::adopt(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held.is_open()) return false;
  seen_.push_back(Seen{std::move(held), shown, layout});
  return true;
}

std::vector<int> GitCleaner::descriptors() const {
  std::vector<int> fds;
  for (const Seen& seen : seen_) fds.push_back(seen.directory.raw());
  return fds;
}

void GitCleaner::clean(std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const CleanGit& root = roots_[i];
    if (root.had_git) continue;
    auto directory = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, root.root.c_str(), O_RDONLY | O_DIRECTORY, 0));
    if (!directory.is_open()) continue;
    Cleaning cleaning(root.root, notes);
    cleaning.dot_git(directory.raw());
    if (!was_repository_[i] && Cleaning::looks_like_repository(directory.raw()))
      cleaning.repository(directory.raw(), root.root, 0);
  }
  for (const Seen& seen : seen_) {
    Cleaning cleaning(seen.path, notes);
    if (seen.layout == Layout::kDotGit)
      cleaning.dot_git(seen.directory.raw());
    else if (Cleaning::looks_like_repository(seen.directory.raw()))
      cleaning.repository(seen.directory.raw(), seen.path, 0);
  }
  seen_.clear();
}

}  // namespace pinfold::backend::on_linux
