// git_disarm.cc: disarms one repository; see git_disarm.h.
#include "backend/linux/protect/git_disarm.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>

#include "backend/linux/child/kernel.h"
#include "backend/linux/protect/dir_entry.h"
#include "backend/linux/protect/file_clock.h"
#include "backend/linux/protect/git_clean.h"
#include "backend/linux/protect/git_unfinished.h"
#include "backend/linux/protect/quarantine.h"
#include "base/paths.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kLargestConfig = 1 << 20;
constexpr std::size_t kMostNotes = 100;
constexpr int kDeepestModules = 4;
constexpr int kDeepestLogs = 64;  // directories, as deep as the names of branches
constexpr std::string_view kTag = ".disabled-by-pinfold";

sys::Fd open_beneath(int at, const std::string& path, std::uint64_t flags) {
  return sys::Fd::adopt(kernel::open_no_links(at, path.c_str(), flags, RESOLVE_BENEATH));
}

// After a failed open: no directory has this name. A symlink is refused with ELOOP.
bool is_no_directory(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP; }

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

// A name that set_aside() has made.
bool is_disabled(std::string_view name) {
  constexpr std::size_t kDigits = 16;
  if (name.size() < kTag.size() + 1 + kDigits) return false;
  const std::string_view digits = name.substr(name.size() - kDigits);
  name.remove_suffix(kDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         name.ends_with(std::string(kTag) + "-");
}

bool is_common(const std::optional<std::string>& text) { return text == "../..\n" || text == "../.."; }

}  // namespace

bool GitContext::is_known(int directory) const {
  struct stat info {};
  return ::fstat(directory, &info) == 0 && known.contains({info.st_dev, info.st_ino});
}

// File systems round times down: to 2 s (vfat), 1 s (ext3, ext4 with small inodes), 10 ms (exfat), 100 ns… The trailing
// zeros give the widest possible step; the file was changed at some moment within it.
timespec latest_moment(const timespec& time) {
  timespec last = time;
  if (time.tv_nsec == 0)
    last.tv_sec += 2;
  else
    for (const long step : {10'000'000L, 1'000'000L, 1'000L})
      if (time.tv_nsec % step == 0) {
        last.tv_nsec += step;
        break;
      }
  if (last.tv_nsec >= 1'000'000'000L) last.tv_nsec -= 1'000'000'000L, ++last.tv_sec;
  return last;
}

bool GitContext::is_later(const timespec& time, dev_t device) const {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (!behind_ns) measure_clocks();
  const auto found = behind_ns->find(device);
  std::int64_t behind = found != behind_ns->end() ? found->second : 0;
  if (found == behind_ns->end())
    for (const auto& [other, each] : *behind_ns) behind = std::max(behind, each);
  const timespec last = latest_moment(time);
  return std::int64_t{last.tv_sec} * kSecond + last.tv_nsec >=
         std::int64_t{began.tv_sec} * kSecond + began.tv_nsec - behind;
}

void GitContext::measure_clocks() const {
  auto& all = behind_ns.emplace();
  for (const GitRoot& root : roots) {
    struct stat info {};
    if (!root.directory.is_open() || ::fstat(root.directory.raw(), &info) != 0 || all.contains(info.st_dev)) continue;
    const FileClock clock = measure_clock(root.directory.raw());
    all[info.st_dev] = clock.behind_ns;
    if (clock.error != 0) unmeasured.push_back(root.path + " (" + sys::errno_text(clock.error) + ")");
  }
}

DisarmScope GitContext::age_of(int at, const char* name) const {
  struct statx info {};
  if (::statx(at, name, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_CTIME | STATX_BTIME, &info) != 0)
    return DisarmScope::kAll;
  const statx_timestamp& from = (info.stx_mask & STATX_BTIME) != 0 ? info.stx_btime : info.stx_ctime;
  timespec time{};
  time.tv_sec = from.tv_sec;
  time.tv_nsec = from.tv_nsec;
  return is_later(time, makedev(info.stx_dev_major, info.stx_dev_minor)) ? DisarmScope::kAll : DisarmScope::kLater;
}

void GitNoteList::add(std::string text) {
  if (added_ >= kMostNotes) {
    ++left_out_;
    return;
  }
  ++added_;
  notes_.push_back(std::move(text));
}

GitNoteList::~GitNoteList() {
  if (left_out_ > 0)
    notes_.push_back("and " + std::to_string(left_out_) + " more things in repositories that the run made");
}

sys::Fd open_own_directory(int at, const std::string& name) {
  sys::Fd directory = open_beneath(at, name, O_RDONLY | O_DIRECTORY);
  if (directory.is_open() || errno != EACCES) return directory;
  const sys::Fd place = open_beneath(at, name, O_PATH | O_DIRECTORY);
  if (!place.is_open()) return sys::Fd();
  const OwnerAccess rights(place.raw());
  return open_beneath(at, name, O_RDONLY | O_DIRECTORY);
}

std::optional<std::vector<std::string>> names_in(int directory) {
  std::vector<std::string> names;
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
  if (!stream) return std::nullopt;
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  return errno == 0 ? std::optional(std::move(names)) : std::nullopt;
}

git::Layout layout_of(int directory, UnknownNames unknown) {
  git::Layout layout;
  for (const std::string_view name : git::kLayoutNames) {
    const DirEntry entry = look_up(directory, std::string(name));
    if (entry.exists() || (entry.is_unknown() && unknown == UnknownNames::kCount)) layout.note(name);
  }
  return layout;
}

GitAdminDirectory git_admin_directory(const std::string& path) {
  for (std::size_t at = path.find("/.git/"); at != std::string::npos; at = path.find("/.git/", at + 1)) {
    const std::string_view rest = std::string_view(path).substr(at + 6);
    for (const auto& [folder, place] : {std::pair{std::string_view("worktrees/"), GitAdminDirectory::kWorktree},
                                        {"modules/", GitAdminDirectory::kModule}}) {
      if (!rest.starts_with(folder)) continue;
      const std::string_view name = rest.substr(folder.size());
      if (name.empty() || name.back() == '/') continue;
      // A submodule may have worktrees, too.
      const std::size_t inner = name.rfind("/worktrees/");
      if (place == GitAdminDirectory::kModule && inner != std::string_view::npos)
        return name.find('/', inner + 11) == std::string_view::npos ? GitAdminDirectory::kWorktree
                                                                    : GitAdminDirectory::kNone;
      if (place == GitAdminDirectory::kModule || name.find('/') == std::string_view::npos) return place;
    }
  }
  return GitAdminDirectory::kNone;
}

// True if the name exists and this scope covers it, or if a look-up cannot tell.
bool GitDisarmer::concerns(int at, const std::string& name) const {
  const DirEntry entry = look_up(at, name);
  if (!entry.exists()) return entry.is_unknown();
  return scope_ == DisarmScope::kAll || context_.is_later(entry.info.st_ctim, entry.info.st_dev);
}

bool GitDisarmer::disable(int at, const std::string& name, const std::string& shown) {
  const std::string quarantined = quarantine(at, name, kTag);
  if (quarantined.empty())
    failed_ = failed_ || !look_up(at, name).is_missing();
  else
    notes_.add("disabled " + shown + "/" + name + ", made or changed by the run: renamed to " + quarantined);
  return !quarantined.empty();
}

void GitDisarmer::dot_git(int directory, const std::string& path, const std::string& shown) {
  const OwnerAccess rights(directory);
  const DirEntry entry = look_up(directory, ".git");
  if (entry.is_missing()) return;
  failed_ = entry.is_unknown();
  if (failed_) {
    // Nothing is known about it: it is disabled below.
  } else if (entry.is_directory()) {
    // Checked before it is opened: if no descriptor is left, a repository of the user's must not be disabled.
    if (context_.known.contains({entry.info.st_dev, entry.info.st_ino})) return;
    const sys::Fd git = open_own_directory(directory, ".git");
    if (git.is_open()) insides(git.raw(), shown + "/.git", 0);
    failed_ = failed_ || !git.is_open();
  } else if (!concerns(directory, ".git")) {
    return;
  } else if (S_ISREG(entry.info.st_mode)) {
    redirection(directory, path, shown);
  } else {
    disable(directory, ".git", shown);
  }
  // The rest of it could execute programs: it is renamed, so that git does not find it.
  if (failed_ && !disable(directory, ".git", shown))
    notes_.add("could not disable " + shown + "/.git, made by the run: do not use git there, remove it");
}

void GitDisarmer::repository(int git, const std::string& shown) {
  if (context_.is_known(git)) return;
  failed_ = false;
  insides(git, shown, 0);
  if (!failed_) return;
  // A common directory has no HEAD; git takes no directory without `objects` for one.
  if (!disable(git, "HEAD", shown) && !disable(git, "objects", shown))
    notes_.add("could not disable " + shown + ", a repository made by the run: do not use git there, remove it");
}

void GitDisarmer::insides(int git, const std::string& shown, int depth) {
  const OwnerAccess rights(git);
  // Files of remotes and branches contain addresses, as the configuration does; current git versions do not write them.
  for (const char* folder : {"hooks", "remotes", "branches"}) entries(git, folder, shown);
  config(git, shown);
  unfinished(git, shown);
  for (const char* name : {"config.worktree", "commondir", "gitdir"})
    if (concerns(git, name)) disable(git, name, shown);
  sub_repositories(git, "worktrees", shown, depth);
  sub_repositories(git, "modules", shown, depth);
}

void GitDisarmer::entries(int git, const std::string& folder, const std::string& shown) {
  const DirEntry entry = look_up(git, folder);
  if (entry.is_missing()) return;
  if (!entry.is_directory()) {
    if (concerns(git, folder)) disable(git, folder, shown);
    return;
  }
  // The run may have given this name to an older directory.
  const bool changed = concerns(git, folder);
  const sys::Fd directory = open_own_directory(git, folder);
  const auto names = directory.is_open() ? names_in(directory.raw()) : std::nullopt;
  if (!names) {
    disable(git, folder, shown);
    return;
  }
  const OwnerAccess rights(directory.raw());
  const bool hooks = folder == "hooks";
  for (const std::string& name : *names) {
    if (hooks && (name.ends_with(".sample") || is_disabled(name))) continue;
    if (concerns(directory.raw(), name)) {
      if (hooks)
        disable(directory.raw(), name, shown + "/" + folder);
      else
        disable_remote(git, directory.raw(), name, shown + "/" + folder);
    } else if (hooks && (changed || scope_ == DisarmScope::kDoubtful)) {
      notes_.add(shown + "/hooks/" + name + " is older than the run, which changed " + shown +
                 (changed ? "/hooks" : "/HEAD") + ": look at it before you use git there");
    }
  }
}

// Git takes every file in remotes and branches for a remote, whatever its name: what is disabled goes to the git
// directory itself.
void GitDisarmer::disable_remote(int git, int folder, const std::string& name, const std::string& shown) {
  // A directory is no remote, and moving one needs rights on it.
  if (look_up(folder, name).is_directory()) {
    disable(folder, name, shown);
    return;
  }
  const std::string moved = quarantine_in(git, std::string(paths::basename(shown)) + "-" + name, folder, name, kTag);
  if (moved.empty())
    failed_ = failed_ || !look_up(folder, name).is_missing();
  else
    notes_.add("disabled " + shown + "/" + name + ", made or changed by the run: moved to " +
               std::string(paths::parent(shown)) + "/" + moved);
}

void GitDisarmer::rebase(int git, const std::string& shown) {
  failed_ = false;
  unfinished(git, shown);
  if (!look_up(git, "worktrees").is_missing()) {
    const sys::Fd parent = open_own_directory(git, "worktrees");
    const auto names = parent.is_open() ? names_in(parent.raw()) : std::nullopt;
    failed_ = failed_ || !names;
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
      const sys::Fd each = open_own_directory(parent.raw(), name);
      failed_ = failed_ || (!each.is_open() && !is_no_directory(errno));
      if (each.is_open()) unfinished(each.raw(), shown + "/worktrees/" + name);
    }
  }
  if (failed_)
    notes_.add("could not disable unfinished git operations in " + shown +
               ": `git rebase --continue` and the like could run a program there; remove " + shown +
               "/rebase-merge, rebase-apply and sequencer before you use git there");
}

// Git writes its files through a link, such as COMMIT_EDITMSG with the message of a commit, or logs/HEAD with its
// subject: to any file that the user may write. Git itself makes links only of HEAD, in old repositories.
void GitDisarmer::links(int directory, const std::string& shown, int depth) {
  const auto names = names_in(directory);
  failed_ = failed_ || !names;
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    const DirEntry entry = look_up(directory, name);
    failed_ = failed_ || entry.is_unknown();
    if (entry.exists() && S_ISLNK(entry.info.st_mode)) {
      if (concerns(directory, name) && !(depth == 0 && name == "HEAD") && !is_disabled(name))
        disable(directory, name, shown);
    } else if (entry.is_directory() && (depth > 0 || name == "logs")) {
      const sys::Fd each = depth < kDeepestLogs ? open_own_directory(directory, name) : sys::Fd();
      failed_ = failed_ || !each.is_open();
      if (each.is_open()) links(each.raw(), shown + "/" + name, depth + 1);
    }
  }
}

void GitDisarmer::unfinished(int git, const std::string& shown) {
  const OwnerAccess rights(git);
  links(git, shown, 0);
  for (const char* folder : kUnfinishedDirectories) {
    const DirEntry entry = look_up(git, folder);
    if (entry.is_missing()) continue;
    const std::string place = shown + "/" + folder;
    const sys::Fd state = entry.is_directory() ? open_own_directory(git, folder) : sys::Fd();
    const auto names = state.is_open() ? names_in(state.raw()) : std::nullopt;
    if (!names) {
      // Git follows a link here, and this process does not: where it leads was never looked at.
      disable(git, folder, shown);
      continue;
    }
    const OwnerAccess own(state.raw());
    // An older directory may have got this name: a rename changes the directory's time, and not the times in it.
    const bool changed = concerns(git, folder);
    for (const std::string& name : *names) unfinished_file(state.raw(), name, place, changed);
  }
  if (concerns(git, "BISECT_NAMES")) {
    const auto text = read_small(git, "BISECT_NAMES");
    if (!text || !is_harmless_bisect_names(*text)) disable(git, "BISECT_NAMES", shown);
  }
}

void GitDisarmer::unfinished_file(int state, const std::string& name, const std::string& shown, bool changed) {
  const DirEntry entry = look_up(state, name);
  if (entry.is_missing() || (!changed && !concerns(state, name))) return;
  const auto* const known = std::find_if(kUnfinishedFiles.begin(), kUnfinishedFiles.end(),
                                         [&](const UnfinishedFile& file) { return file.name == name; });
  // Git would write through a link, to any file of the user's.
  bool harmless = entry.exists() && (S_ISREG(entry.info.st_mode) || entry.is_directory());
  if (known != kUnfinishedFiles.end()) {
    const auto text = read_small(state, name);
    harmless = text && known->is_harmless(*text);
  }
  if (!harmless) disable(state, name, shown);
}

void GitDisarmer::config(int git, const std::string& shown) {
  const std::string name = "config";
  if (look_up(git, name).is_missing()) return;
  const bool ours = concerns(git, name);
  if (!ours && scope_ != DisarmScope::kDoubtful) return;
  const auto text = read_small(git, name);
  std::vector<std::string> removed;
  const std::string safe = text ? safe_git_config(*text, removed) : std::string();
  if (text && removed.empty()) return;
  std::string list;
  for (const std::string& each : removed) list += (list.empty() ? "" : ", ") + each;
  if (!ours) {
    notes_.add(shown + "/config is older than the run, which changed " + shown + "/HEAD: look at " +
               (list.empty() ? "it" : list) + " before you use git there");
    return;
  }
  const std::string before = text ? replace(git, name, safe, shown) : std::string();
  if (before.empty()) {
    if (!look_up(git, name).is_missing()) disable(git, name, shown);
    return;
  }
  notes_.add("removed from " + shown + "/" + name + ", written by the run: " + list + "; the previous file is " +
             before);
}

// The new file gets the mode and, where permitted, the owner of the old one, which is kept. Returns the old one's new
// name; empty: failed.
std::string GitDisarmer::replace(int git, const std::string& name, const std::string& text, const std::string& shown) {
  const DirEntry before = look_up(git, name);
  const std::string fresh = name + ".pinfold-" + random_digits();
  const auto fd =
      sys::Fd::adopt(::openat(git, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.is_open()) return {};
  if (!before.exists()) {
    ::unlinkat(git, fresh.c_str(), 0);
    return {};
  }
  if (before.info.st_uid != ::geteuid() || before.info.st_gid != ::getegid())
    static_cast<void>(::fchown(fd.raw(), before.info.st_uid, before.info.st_gid));
  std::string quarantined;
  if (::write(fd.raw(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fchmod(fd.raw(), before.info.st_mode & 0777) == 0 && ::fsync(fd.raw()) == 0)
    quarantined = quarantine(git, name, kTag);
  const bool done = !quarantined.empty() && ::renameat(git, fresh.c_str(), git, name.c_str()) == 0;
  if (!done) ::unlinkat(git, fresh.c_str(), 0);
  if (!done && !quarantined.empty())
    notes_.add("disabled " + shown + "/" + name + ", written by the run: renamed to " + quarantined);
  return done ? quarantined : std::string();
}

bool GitDisarmer::is_plain_worktree(int git, const std::string& path) {
  if (paths::basename(paths::parent(path)) != "worktrees" || !is_common(read_small(git, "commondir"))) return false;
  // The walk finds and checks the repository itself.
  const auto common = sys::Fd::adopt(::openat(git, "../..", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!common.is_open()) return false;
  const git::Layout layout = layout_of(common.raw(), UnknownNames::kIgnore);
  return layout.is_git_directory() && !layout.has_commondir();
}

void GitDisarmer::worktree(int git, const std::string& shown) {
  if (context_.is_known(git)) return;
  const OwnerAccess rights(git);
  if (concerns(git, "config.worktree")) disable(git, "config.worktree", shown);
  unfinished(git, shown);
}

// .git/worktrees/NAME: only the plain layout that git itself makes; .git/modules/NAME: repositories of their own.
void GitDisarmer::sub_repositories(int git, const std::string& folder, const std::string& shown, int depth) {
  if (look_up(git, folder).is_missing()) return;
  const sys::Fd parent = depth > kDeepestModules ? sys::Fd() : open_own_directory(git, folder);
  if (!parent.is_open()) {
    disable(git, folder, shown);
    return;
  }
  const OwnerAccess rights(parent.raw());
  const std::string place = shown + "/" + folder;
  const auto names = names_in(parent.raw());
  if (!names) {
    disable(git, folder, shown);
    return;
  }
  for (const std::string& name : *names) {
    const sys::Fd each = open_own_directory(parent.raw(), name);
    if (!each.is_open()) {
      if (!is_no_directory(errno)) disable(parent.raw(), name, place);
      continue;
    }
    if (context_.is_known(each.raw())) continue;
    if (folder == "worktrees") {
      const OwnerAccess own(each.raw());
      const bool plain =
          look_up(each.raw(), "commondir").is_missing() || is_common(read_small(each.raw(), "commondir"));
      if (!plain && concerns(each.raw(), "commondir")) disable(parent.raw(), name, place);
      worktree(each.raw(), place + "/" + name);
    } else if (!look_up(each.raw(), "HEAD").is_missing()) {
      insides(each.raw(), place + "/" + name, depth + 1);
    }
  }
}

// Opens the target of a redirection, beneath the writable root that contains it; not open: not one of git's own
// directories. Git writes either an absolute path or one that goes up first and then down; any other path could have
// another meaning once a name on the way is a symlink.
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
  if (whole != paths::normal(whole) || git_admin_directory(whole) == GitAdminDirectory::kNone) return sys::Fd();
  for (const GitRoot& root : context_.roots)
    if (paths::beneath(whole, root.path) && root.directory.is_open()) {
      const std::string below(paths::relative(whole, root.path));
      // The `.git` must be inside the root, not part of the root's own path.
      if (git_admin_directory("/" + below) == GitAdminDirectory::kNone) continue;
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
  if (context_.is_known(git.raw())) return;
  if (git_admin_directory(target.starts_with('/') ? target : "/" + target) == GitAdminDirectory::kWorktree) {
    if (!is_common(read_small(git.raw(), "commondir"))) disable(directory, ".git", shown);
    if (concerns(git.raw(), "config.worktree")) disable(git.raw(), "config.worktree", target);
    return;
  }
  // The run may have added this redirection to an older repository.
  GitDisarmer(context_, context_.age_of(git.raw(), ""), notes_).repository(git.raw(), target);
}

}  // namespace pinfold::backend::on_linux
