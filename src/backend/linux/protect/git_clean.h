// git_clean.h: finds the git repositories that a run made, and disarms them once all processes inside have ended.
// Invariant: touches only files that the run made, or changed since it began; a run that made none of git's names costs
// nothing.
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
  // Before the run: records its roots, and the repositories in them that the plan protects or grants.
  void add(const Plan& plan);
  // During the run: adds the roots that a wider plan has at this path. True: a search is needed, and there is more to
  // search than before.
  bool widen(const Plan& plan, const std::string& place);
  bool has_roots() const { return !context_.roots.empty(); }
  // Call before the command makes one of these names in this directory. True the first time, and whenever no root
  // contains the directory: a new janitor must be started. `shown` is its path on the host.
  static bool is_layout_name(std::string_view lower_name);
  bool record_creation(int directory, const std::string& shown, std::string_view lower_name);
  // The run may have made repositories that no trapped call reported.
  void require_search() { search_ = true; }
  bool has_to_search() const { return search_; }
  std::vector<int> descriptors() const;
  void clean(std::vector<std::string>& notes, const WalkBounds& bounds = {});

 private:
  enum class Layout { kDotGit, kBare };
  struct NewRepository {
    sys::Fd directory;  // held open: it may be renamed before the run ends
    FileKey key;
    std::string path;
    Layout layout;
    bool reached = false;  // the search has visited it
  };
  // A repository that mounts protect.
  struct ProtectedRepository {
    sys::Fd directory;
    std::string path;
  };
  void add_roots(const Plan& plan, const std::string& place);
  void add_root(const CleanGit& step);
  void add_known(const std::string& path, const std::string& place);
  void exclude(int directory, const std::string& path);
  bool is_searched(const std::string& path) const;
  void adjust_for_clock_change();
  bool was_recorded(int directory, Layout layout);
  bool was_replaced(int directory) const;
  DisarmScope scope_for(const GitMatch& found, Layout layout);
  void clean_found(const GitMatch& found, GitNoteList& notes);

  GitContext context_;
  timespec began_{};
  timespec boot_began_{};
  std::vector<NewRepository> new_repositories_;
  std::set<std::pair<FileKey, Layout>> made_;  // directories in which the run made one of git's names
  std::map<FileKey, FileKey> before_;          // directory → its `.git` when the run first made that name again
  std::vector<ProtectedRepository> protected_;
  std::vector<std::string> outside_roots_;  // in no root, and more than new_repositories_ holds: the first of them
  std::size_t outside_roots_count_ = 0;
  bool search_ = false;
  bool always_ = false;  // a root of the plan says so
};

// Returns the configuration without entries that can execute programs or read other files; `removed` names those.
std::string safe_git_config(std::string_view text, std::vector<std::string>& removed);

}  // namespace pinfold::backend::on_linux
