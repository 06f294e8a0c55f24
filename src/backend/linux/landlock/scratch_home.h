// scratch_home.h: a directory of this run's own on the host, in place of the mounts of other backends: a private
// temporary directory, and a home of links to the shown parts of the real one.
// Invariant: mode 0700, under a name that cannot be guessed; removed with all its contents when the run ends, by the
// janitor if the supervisor was killed.
// Not here: access to it (rules.cc).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class ScratchHome {
 public:
  // Chooses the name; makes nothing yet.
  static Result<ScratchHome> plan(const Plan& plan);
  // Makes the directories that the plan keeps; where that fails, the plan gets directories of this scratch home
  // instead.
  void make_kept_directories(Plan& plan);
  Result<void> make(const Plan& plan) const;
  // Returns a note about files that it could not remove, or an empty string. Also removes leftovers of earlier runs.
  std::string remove() const;

  std::string tmp() const { return base_ + "/tmp"; }
  // Empty: the plan shows the home itself.
  std::string home() const { return real_home_.empty() ? std::string() : base_ + "/home"; }
  bool contains(const std::string& at) const;
  // The plan's variables, with paths as programs inside see them.
  Environment environment(const Plan& plan) const;
  // The plan with this scratch home's paths in place of mounts.
  Plan visible_plan(const Plan& plan) const;

 private:
  std::string scratch_path(const std::string& at) const;  // the path in this home for a path in the real one
  Result<void> make_in_home(const Step& step) const;

  std::string base_;
  std::string real_home_;
  std::vector<std::string> kept_substitutes_;
};

}  // namespace pinfold::backend::on_linux
