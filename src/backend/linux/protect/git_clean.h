// git_clean.h: finds the git repositories that a run made and takes their teeth out, once everything inside is dead.
// Invariant: only what the run made, or changed since it began; a run that made nothing of git's pays nothing.
// Not here: how a repository is disarmed (git_disarm.h), repositories that existed before the run (their hooks and
// configuration are read-only mounts).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/linux/protect/git_disarm.h"
#include "backend/linux/protect/git_walk.h"
#include "pinfold/plan.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class GitCleaner {
 public:
  // Before the run: its roots, and the repositories in them that the plan protects or gives away.
  void add(const Plan& plan);
  // During the run: the roots that a wider plan has at this place. True: there is more to search than before.
  bool widen(const Plan& plan, const std::string& place);
  bool has_roots() const { return !ground_.roots.empty(); }
  // One of these names is about to be made in this directory; true the first time, and whenever no root holds the
  // directory: a janitor must know of it. `shown` is its path on the host.
  static bool is_telling(std::string_view lower_name);
  bool saw(int directory, const std::string& shown, std::string_view lower_name);
  // Something may have been made that nobody saw.
  void expect_anything() { search_ = true; }
  std::vector<int> descriptors() const;
  void clean(std::vector<std::string>& notes, const WalkBounds& bounds = {});

 private:
  enum class Layout { kDotGit, kBare };
  struct Seen {
    sys::Fd directory;  // held open: it may be renamed before the run ends
    FileKey key;
    std::string path;
    Layout layout;
    bool reached = false;  // by the search
  };
  // A repository that mounts protect.
  struct Kept {
    sys::Fd directory;
    std::string path;
  };
  void add_roots(const Plan& plan, const std::string& place);
  void add_root(const CleanGit& step);
  void add_known(const std::string& path, const std::string& place);
  void keep_out(int directory, const std::string& path);
  bool is_searched(const std::string& path) const;
  void follow_the_clock();
  bool was_seen(int directory, Layout layout);
  bool was_put_there(int directory) const;
  Disarm how(const GitFound& found, Layout layout);
  void clean_found(const GitFound& found, GitNotes& notes);

  GitGround ground_;
  timespec began_{};
  timespec boot_began_{};
  std::vector<Seen> seen_;
  std::set<std::pair<FileKey, Layout>> made_;  // directories in which the run made one of git's names, in seen_ or not
  std::map<FileKey, FileKey> before_;          // directory → its `.git` when the run first made that name again
  std::vector<Kept> kept_;
  std::vector<std::string> beyond_;  // in no root, and more than seen_ holds: the first of them
  std::size_t beyond_count_ = 0;
  bool search_ = false;
};

// The configuration with only entries that cannot execute anything or read other files; `removed` names the others.
std::string safe_git_config(std::string_view text, std::vector<std::string>& removed);

}  // namespace pinfold::backend::on_linux
