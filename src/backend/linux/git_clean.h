// git_clean.h: finds the git repositories that a run made and takes their teeth out, once everything inside is dead.
// Invariant: only what the run made, or changed since it began; a run that made nothing of git's pays nothing.
// Not here: how a repository is disarmed (git_disarm.h), repositories that existed before the run (their hooks and
// configuration are read-only mounts).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/linux/git_disarm.h"
#include "backend/linux/git_walk.h"
#include "pinfold/plan.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class GitCleaner {
 public:
  // Before the run: its roots, and the repositories in them that the plan protects or gives away.
  void add(const Plan& plan);
  bool has_roots() const { return !ground_.roots.empty(); }
  // One of these names is about to be made in this directory; true the first time: from then on there is something to
  // search for. `shown` is for people.
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
  void add_root(const CleanGit& step);
  void add_known(const std::string& path);
  bool was_seen(int directory, Layout layout);
  Disarm how(const GitFound& found, Layout layout);
  void clean_found(const GitFound& found, GitNotes& notes);

  GitGround ground_;
  std::vector<Seen> seen_;
  bool search_ = false;
};

// The configuration with only entries that cannot execute anything or read other files; `removed` names the others.
std::string safe_git_config(std::string_view text, std::vector<std::string>& removed);

}  // namespace pinfold::backend::on_linux
