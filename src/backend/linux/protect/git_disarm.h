// git_disarm.h: takes the teeth out of one git repository: hooks, executing configuration, redirections.
// Invariant: every step is beneath a directory held open and follows no symlink; where a redirection leads is opened
// beneath a writable root or not at all. Deletes nothing: it renames, and a note names the copy. What could not be
// disarmed is said.
// Not here: which repositories (git_clean.cc, git_walk.cc), which configuration is harmless (git_config.cc).
#pragma once

#include <sys/stat.h>

#include <ctime>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/git_layout.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

// A writable directory of the run, held open since before it.
struct GitRoot {
  std::string path;
  sys::Fd directory;
  int error = 0;  // why it is not open
};

// kAll: the run made it. kLater: it was there; each file is judged by its own change since the run began.
// kDoubtful: as kLater, but its HEAD changed, and nothing tells whether it was a repository before the run: notes
// name the older files in it that run programs.
enum class Disarm { kAll, kLater, kDoubtful };

using FileKey = std::pair<dev_t, ino_t>;

// What is the same for all repositories of a run.
struct GitGround {
  std::vector<GitRoot> roots;
  std::set<FileKey> known;  // directories of repositories that were there before the run, and are protected by mounts
  timespec began{};         // no file that was made or changed later has an earlier time

  bool is_known(int directory) const;
  // Was a file with this time made or changed since then? Where the time is too coarse to tell: yes.
  bool is_later(const timespec& time) const;
  // Did the run make this file? Its birth tells; where the file system keeps none, any change of it counts. `name` may
  // be empty: the directory itself.
  Disarm age_of(int at, const char* name) const;
};

// What happened to whom, for the report; bounded.
class GitNotes {
 public:
  explicit GitNotes(std::vector<std::string>& notes) : notes_(notes) {}
  ~GitNotes();
  GitNotes(const GitNotes&) = delete;
  GitNotes& operator=(const GitNotes&) = delete;
  void add(std::string text);

 private:
  std::vector<std::string>& notes_;
  std::size_t added_ = 0;
  std::size_t left_out_ = 0;
};

class GitDisarmer {
 public:
  GitDisarmer(const GitGround& ground, Disarm how, GitNotes& notes) : ground_(ground), how_(how), notes_(notes) {}

  // `.git` in `directory`, whatever it is. `path`: the directory's own on the host; empty where it is not known.
  void dot_git(int directory, const std::string& path, const std::string& shown);
  void repository(int git, const std::string& shown);
  // A worktree's own directory, REPOSITORY/worktrees/NAME, with the layout that git itself makes.
  static bool is_plain_worktree(int git, const std::string& path);
  void worktree(int git, const std::string& shown);
  // The list of a rebase that is not finished: `git rebase --continue` runs its exec lines.
  void rebase(int git, const std::string& shown);

 private:
  bool concerns(int at, const std::string& name) const;
  bool disable(int at, const std::string& name, const std::string& shown);
  void insides(int git, const std::string& shown, int depth);
  void entries(int git, const std::string& folder, const std::string& shown);
  void config(int git, const std::string& shown);
  std::string replace(int git, const std::string& name, const std::string& text, const std::string& shown);
  void sub_repositories(int git, const std::string& folder, const std::string& shown, int depth);
  void redirection(int directory, const std::string& path, const std::string& shown);
  sys::Fd open_target(const std::string& path, std::string target) const;

  const GitGround& ground_;
  Disarm how_;
  GitNotes& notes_;
  bool failed_ = false;
};

// A directory by its name in another, also where its mode would not let us; `rights` keeps them.
sys::Fd open_own_directory(int at, const std::string& name);
// Nothing: the directory could not be read to its end.
std::optional<std::vector<std::string>> names_in(int directory);
// Of the names that make a git directory, those that are in this one.
git::Layout layout_of(int directory);
// The names of a place of git's own for worktrees and submodules: …/.git/worktrees/X, …/.git/modules/X…
enum class GitPlace { kNone, kWorktree, kModule };
GitPlace git_place(const std::string& path);

}  // namespace pinfold::backend::on_linux
