// git_disarm.h: disarms one git repository: hooks, executing configuration, redirections.
// Invariant: every step is beneath a directory held open and follows no symlink; the target of a redirection is opened
// beneath a writable root or not at all. Deletes nothing: it renames, and a note names the copy. A note reports every
// failure.
// Not here: which repositories (git_clean.cc, git_walk.cc), which configuration is harmless (git_config.cc).
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/git_layout.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

// A writable directory of the run, held open since before the run.
struct GitRoot {
  std::string path;
  sys::Fd directory;
  int error = 0;  // errno if it is not open
};

// kAll: the run made the repository. kLater: it existed; each file is judged by its own change since the run began.
// kDoubtful: as kLater, but its HEAD changed, and nothing shows whether it was a repository before the run: notes name
// the older files in it that run programs.
enum class DisarmScope { kAll, kLater, kDoubtful };

// A file system cuts times off to its own steps: the last moment that this time can stand for.
timespec latest_moment(const timespec& time);

using FileKey = std::pair<dev_t, ino_t>;

// Data common to all repositories of a run.
struct GitContext {
  std::vector<GitRoot> roots;
  std::set<FileKey> known;  // directories of repositories from before the run, protected by mounts
  timespec began{};         // every file made or changed later has this time or a later one

  bool is_known(int directory) const;
  // By device: how far the clock of a root's file system is behind this host's. For other devices, the largest value
  // counts. Measured at the first call of is_later(), since most runs have none.
  mutable std::optional<std::map<dev_t, std::int64_t>> behind_ns;
  mutable std::vector<std::string> unmeasured;  // roots, with the reason
  // Was a file with this time on this device made or changed since the run began? Yes if the time is too coarse to
  // tell.
  bool is_later(const timespec& time, dev_t device) const;
  // Did the run make this file? Decided by its time of birth; where the file system keeps none, by any change of it.
  // `name` may be empty: the directory itself.
  DisarmScope age_of(int at, const char* name) const;
  void measure_clocks() const;
};

// Collects notes for the report, up to a limit.
class GitNoteList {
 public:
  explicit GitNoteList(std::vector<std::string>& notes) : notes_(notes) {}
  ~GitNoteList();
  GitNoteList(const GitNoteList&) = delete;
  GitNoteList& operator=(const GitNoteList&) = delete;
  void add(std::string text);

 private:
  std::vector<std::string>& notes_;
  std::size_t added_ = 0;
  std::size_t left_out_ = 0;
};

class GitDisarmer {
 public:
  GitDisarmer(const GitContext& context, DisarmScope scope, GitNoteList& notes)
      : context_(context), scope_(scope), notes_(notes) {}

  // `.git` in `directory`, of any file type. `path`: the directory's own on the host; empty if it is not known.
  void dot_git(int directory, const std::string& path, const std::string& shown);
  void repository(int git, const std::string& shown);
  // True for a worktree's own directory, REPOSITORY/worktrees/NAME, with the layout that git itself makes.
  static bool is_plain_worktree(int git, const std::string& path);
  void worktree(int git, const std::string& shown);
  // The state of an unfinished rebase, cherry-pick or bisect, here and in the worktrees: `git rebase --continue` and
  // the like can run programs that it names.
  void rebase(int git, const std::string& shown);

 private:
  bool concerns(int at, const std::string& name) const;
  bool disable(int at, const std::string& name, const std::string& shown);
  void insides(int git, const std::string& shown, int depth);
  void links(int directory, const std::string& shown, int depth);
  void unfinished(int git, const std::string& shown);
  void unfinished_file(int state, const std::string& name, const std::string& shown, bool changed);
  void entries(int git, const std::string& folder, const std::string& shown);
  void disable_remote(int git, int folder, const std::string& name, const std::string& shown);
  void config(int git, const std::string& shown);
  std::string replace(int git, const std::string& name, const std::string& text, const std::string& shown);
  void sub_repositories(int git, const std::string& folder, const std::string& shown, int depth);
  void redirection(int directory, const std::string& path, const std::string& shown);
  sys::Fd open_target(const std::string& path, std::string target) const;

  const GitContext& context_;
  DisarmScope scope_;
  GitNoteList& notes_;
  bool failed_ = false;
};

// Opens a directory by its name in another; if its mode denies that, with owner access for the duration of the call.
sys::Fd open_own_directory(int at, const std::string& name);
// nullopt: the directory could not be read completely.
std::optional<std::vector<std::string>> names_in(int directory);
// Which of git's layout names this directory has. kCount: also those that a failed look-up leaves unknown.
enum class UnknownNames { kIgnore, kCount };
git::Layout layout_of(int directory, UnknownNames unknown);
// Git's own directories for worktrees and submodules: …/.git/worktrees/X, …/.git/modules/X…
enum class GitAdminDirectory { kNone, kWorktree, kModule };
GitAdminDirectory git_admin_directory(const std::string& path);

}  // namespace pinfold::backend::on_linux
