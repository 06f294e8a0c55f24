// git_clean.h: takes the teeth out of git repositories that a run made: hooks, executing configuration, redirections.
// Invariant: works on descriptors, follows no symlink, deletes nothing that git or a user would miss: it disables.
// Not here: repositories that existed before the run (their hooks and configuration are read-only mounts).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pinfold/plan.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class GitCleaner {
 public:
  void add_root(const CleanGit& step);
  const std::vector<CleanGit>& roots() const { return roots_; }
  // A `.git`, or a HEAD outside any `.git`, is about to be made in this directory; true if that is news. `shown` is for
  // people.
  bool saw_new(int directory, const std::string& shown);
  bool saw_head(int directory, const std::string& shown);
  std::vector<int> descriptors() const;
  void clean(std::vector<std::string>& notes);

 private:
  enum class Layout { kDotGit, kBare };
  struct Seen {
    sys::Fd directory;
    std::string path;
    Layout layout;
  };
  bool remember(int directory, const std::string& shown, const char* name, Layout layout);
  std::vector<CleanGit> roots_;
  std::vector<bool> was_repository_;  // the root itself, bare, before the run
  std::vector<Seen> seen_;
};

// The configuration with only entries that cannot execute anything or read other files; `removed` names the others.
std::string safe_git_config(std::string_view text, std::vector<std::string>& removed);

}  // namespace pinfold::backend::on_linux
