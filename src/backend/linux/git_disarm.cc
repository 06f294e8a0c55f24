// git_disarm.cc: see git_disarm.h.
#include "backend/linux/git_disarm.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>

#include "backend/linux/aside.h"
#include "backend/linux/child/kernel.h"
#include "backend/linux/git_clean.h"
#include "base/paths.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kLargestConfig = 1 << 20;
constexpr std::size_t kMostNotes = 100;
constexpr int kDeepestModules = 4;
constexpr std::string_view kTag = ".disabled-by-pinfold";

sys::Fd open_beneath(int at, const std::string& path, std::uint64_t flags) {
  return sys::Fd::adopt(kernel::open_no_links(at, path.c_str(), flags, RESOLVE_BENEATH));
}

std::optional<struct stat> look(int at, const std::string& name) {
  struct stat info {};
  if (::fstatat(at, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return info;
}

std::optional<std::string> read_small(int at, const std::string& name) {
  sys::Fd fd = open_beneath(at, name, O_RDONLY | O_NONBLOCK);
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.raw(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string text;
  std::array<char, 16384> buffer{};
  ssize_t size = 0;
  while (text.size() <= kLargestConfig && (size = ::read(fd.raw(), buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(size));
  return text.size() > kLargestConfig || size < 0 ? std::nullopt : std::optional<std::string>(std::move(text));
}

bool is_common(const std::optional<std::string>& text) { return text == "../..\n" || text == "../.."; }

}  // namespace

bool GitGround::is_known(int directory) const {
  struct stat info {};
  return ::fstat(directory, &info) == 0 && known.contains({info.st_dev, info.st_ino});
}

bool GitGround::is_later(const timespec& time) const {
  return time.tv_sec != began.tv_sec ? time.tv_sec > began.tv_sec : time.tv_nsec >= began.tv_nsec;
}

void GitNotes::add(std::string text) {
  if (added_ >= kMostNotes) {
    ++left_out_;
    return;
  }
  ++added_;
  notes_.push_back(std::move(text));
}

GitNotes::~GitNotes() {
  if (left_out_ > 0)
    notes_.push_back("and " + std::to_string(left_out_) + " more things in repositories that the run made");
}

sys::Fd open_own_directory(int at, const std::string& name) {
  sys::Fd directory = open_beneath(at, name, O_RDONLY | O_DIRECTORY);
  if (directory.is_open() || errno != EACCES) return directory;
  const sys::Fd place = open_beneath(at, name, O_PATH | O_DIRECTORY);
  if (!place.is_open()) return sys::Fd();
  const OwnersRights rights(place.raw());
  return open_beneath(at, name, O_RDONLY | O_DIRECTORY);
}

std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  return names;
}

GitPlace git_place(const std::string& path) {
  for (std::size_t at = path.find("/.git/"); at != std::string::npos; at = path.find("/.git/", at + 1)) {
    const std::string_view rest = std::string_view(path).substr(at + 6);
    for (const auto& [folder, place] :
         {std::pair{std::string_view("worktrees/"), GitPlace::kWorktree}, {"modules/", GitPlace::kModule}}) {
      if (!rest.starts_with(folder)) continue;
      const std::string_view name = rest.substr(folder.size());
      if (name.empty() || name.back() == '/') continue;
      // A submodule may have worktrees, too.
      const std::size_t inner = name.rfind("/worktrees/");
      if (place == GitPlace::kModule && inner != std::string_view::npos)
        return name.find('/', inner + 11) == std::string_view::npos ? GitPlace::kWorktree : GitPlace::kNone;
      if (place == GitPlace::kModule || name.find('/') == std::string_view::npos) return place;
    }
  }
  return GitPlace::kNone;
}

bool GitDisarmer::looks_like_repository(int directory) {
  return look(directory, "HEAD") && look(directory, "objects") && look(directory, "refs");
}

// Is the name there, and is it ours to look at?
bool GitDisarmer::concerns(int at, const std::string& name) const {
  const auto info = look(at, name);
  return info && (how_ == Disarm::kAll || ground_.is_later(info->st_ctim));
}

bool GitDisarmer::disable(int at, const std::string& name, const std::string& shown) {
  const std::string aside = set_aside(at, name, kTag);
  failed_ = failed_ || aside.empty();
  if (!aside.empty()) notes_.add("disabled " + shown + "/" + name + ", made by the run: renamed to " + aside);
  return !aside.empty();
}

void GitDisarmer::dot_git(int directory, const std::string& path, const std::string& shown) {
  const OwnersRights rights(directory);
  const auto info = look(directory, ".git");
  if (!info) return;
  failed_ = false;
  if (S_ISDIR(info->st_mode)) {
    const sys::Fd git = open_own_directory(directory, ".git");
    if (git.is_open() && ground_.is_known(git.raw())) return;
    if (git.is_open()) insides(git.raw(), shown + "/.git", 0);
    failed_ = failed_ || !git.is_open();
  } else if (!concerns(directory, ".git")) {
    return;
  } else if (S_ISREG(info->st_mode)) {
    redirection(directory, path, shown);
  } else {
    disable(directory, ".git", shown);
  }
  // What is left of it could execute something: then git shall not find it at all.
  if (failed_ && !disable(directory, ".git", shown))
    notes_.add("COULD NOT disable " + shown + "/.git, made by the run: do not use git there, remove it");
}

void GitDisarmer::repository(int git, const std::string& shown) {
  if (ground_.is_known(git)) return;
  failed_ = false;
  insides(git, shown, 0);
  if (!failed_) return;
  const bool done = disable(git, "HEAD", shown);
  if (!done)
    notes_.add("COULD NOT disable " + shown + ", a repository made by the run: do not use git there, remove it");
}

void GitDisarmer::insides(int git, const std::string& shown, int depth) {
  const OwnersRights rights(git);
  hooks(git, shown);
  config(git, shown);
  for (const char* name : {"config.worktree", "commondir", "gitdir"})
    if (concerns(git, name)) disable(git, name, shown);
  sub_repositories(git, "worktrees", shown, depth);
  sub_repositories(git, "modules", shown, depth);
}

void GitDisarmer::hooks(int git, const std::string& shown) {
  const auto info = look(git, "hooks");
  if (!info) return;
  if (!S_ISDIR(info->st_mode)) {
    if (concerns(git, "hooks")) disable(git, "hooks", shown);
    return;
  }
  const sys::Fd hooks = open_own_directory(git, "hooks");
  if (!hooks.is_open()) {
    disable(git, "hooks", shown);
    return;
  }
  const OwnersRights rights(hooks.raw());
  for (const std::string& name : names_in(hooks.raw()))
    if (!name.ends_with(".sample") && name.find(kTag) == std::string::npos && concerns(hooks.raw(), name))
      disable(hooks.raw(), name, shown + "/hooks");
}

void GitDisarmer::config(int git, const std::string& shown) {
  const std::string name = "config";
  if (!concerns(git, name)) return;
  const auto text = read_small(git, name);
  std::vector<std::string> removed;
  const std::string safe = text ? safe_git_config(*text, removed) : std::string();
  if (text && removed.empty()) return;
  if (!text || !replace(git, name, safe)) {
    disable(git, name, shown);
    return;
  }
  std::string list;
  for (const std::string& each : removed) list += (list.empty() ? "" : ", ") + each;
  notes_.add("removed from " + shown + "/" + name + ", written by the run: " + list);
}

// With the mode and, where we may give it, the owner of the one before.
bool GitDisarmer::replace(int git, const std::string& name, const std::string& text) {
  const auto before = look(git, name);
  const std::string fresh = name + ".pinfold-" + random_digits();
  const auto fd =
      sys::Fd::adopt(::openat(git, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!before || !fd.is_open()) return false;
  if (before->st_uid != ::geteuid() || before->st_gid != ::getegid())
    static_cast<void>(::fchown(fd.raw(), before->st_uid, before->st_gid));
  const bool done = ::write(fd.raw(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                    ::fchmod(fd.raw(), before->st_mode & 0777) == 0 && ::fsync(fd.raw()) == 0 &&
                    ::renameat(git, fresh.c_str(), git, name.c_str()) == 0;
  if (!done) ::unlinkat(git, fresh.c_str(), 0);
  return done;
}

// .git/worktrees/NAME: only the plain layout that git itself makes; .git/modules/NAME: repositories of their own.
void GitDisarmer::sub_repositories(int git, const std::string& folder, const std::string& shown, int depth) {
  if (!look(git, folder)) return;
  const sys::Fd parent = depth > kDeepestModules ? sys::Fd() : open_own_directory(git, folder);
  if (!parent.is_open()) {
    disable(git, folder, shown);
    return;
  }
  const OwnersRights rights(parent.raw());
  const std::string place = shown + "/" + folder;
  for (const std::string& name : names_in(parent.raw())) {
    const sys::Fd each = open_own_directory(parent.raw(), name);
    if (!each.is_open() || ground_.is_known(each.raw())) continue;
    if (folder == "worktrees") {
      const OwnersRights own(each.raw());
      const bool plain = !look(each.raw(), "commondir") || is_common(read_small(each.raw(), "commondir"));
      if (!plain && concerns(each.raw(), "commondir")) disable(parent.raw(), name, place);
      if (concerns(each.raw(), "config.worktree")) disable(each.raw(), "config.worktree", place + "/" + name);
    } else if (look(each.raw(), "HEAD")) {
      insides(each.raw(), place + "/" + name, depth + 1);
    }
  }
}

// Where the redirection leads, opened beneath the writable root it lies in; not open: not a place of git's own. Git
// writes either an absolute path or one that goes up first and then down; anything else could mean something else once
// a name on the way is a symlink.
sys::Fd GitDisarmer::open_target(const std::string& path, std::string target) const {
  std::string at = path;
  if (target.starts_with('/')) {
    at.clear();
  } else if (!at.starts_with('/')) {
    return sys::Fd();
  }
  for (; target.starts_with("../") && !at.empty(); target.erase(0, 3))
    at = paths::parent(at) == "/" ? "" : std::string(paths::parent(at));
  const std::string whole = target.starts_with('/') ? target : at + "/" + target;
  if (whole != paths::normal(whole) || git_place(whole) == GitPlace::kNone) return sys::Fd();
  for (const GitRoot& root : ground_.roots)
    if (paths::beneath(whole, root.path) && root.directory.is_open()) {
      const std::string below(paths::relative(whole, root.path));
      // The `.git` must be in the root as well, not the root's own way.
      if (git_place("/" + below) == GitPlace::kNone) continue;
      sys::Fd found = open_beneath(root.directory.raw(), below, O_RDONLY | O_DIRECTORY);
      if (found.is_open()) return found;
    }
  return sys::Fd();
}

// A `.git` file names a repository elsewhere: only git's own worktree and submodule layouts, inside this project, stay.
void GitDisarmer::redirection(int directory, const std::string& path, const std::string& shown) {
  const auto text = read_small(directory, ".git");
  std::string target = text && text->starts_with("gitdir: ") ? text->substr(8) : std::string();
  while (!target.empty() && (target.back() == '\n' || target.back() == '\r')) target.pop_back();
  const sys::Fd git = open_target(path, target);
  if (!git.is_open()) {
    disable(directory, ".git", shown);
    return;
  }
  if (ground_.is_known(git.raw())) return;
  if (git_place(target.starts_with('/') ? target : "/" + target) == GitPlace::kWorktree) {
    if (!is_common(read_small(git.raw(), "commondir"))) disable(directory, ".git", shown);
    if (concerns(git.raw(), "config.worktree")) disable(git.raw(), "config.worktree", target);
    return;
  }
  // The repository itself may be an old one that only this pointer to it is new to.
  struct stat info {};
  const bool later = ::fstatat(git.raw(), "HEAD", &info, AT_SYMLINK_NOFOLLOW) == 0 && ground_.is_later(info.st_ctim);
  GitDisarmer(ground_, later ? Disarm::kAll : Disarm::kLater, notes_).repository(git.raw(), target);
}

}  // namespace pinfold::backend::on_linux
