// scratch_home.h: a directory of this run's own on the host, for what other backends make up in their own view: a private
// temporary directory, and a home of links to what is shown of the real one.
// Invariant: owner-only, under a name nobody can guess; removed with everything in it when the run is over, by the
// janitor if need be. Not here: who may do what in it (rules.cc).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class Shelter {
 public:
  // Chooses the name; nothing is made yet.
  static Result<Shelter> plan(const Plan& plan);
  // Makes the directories that Pinfold keeps; where that cannot be, the plan gets others, in here.
  void settle(Plan& plan);
  Result<void> make(const Plan& plan) const;
  // Returns a note about files that it could not remove, or an empty string. Also removes leftovers of earlier runs.
  std::string remove() const;

  std::string tmp() const { return base_ + "/tmp"; }
  // Empty: the plan shows the home itself.
  std::string home() const { return real_home_.empty() ? std::string() : base_ + "/home"; }
  bool holds(const std::string& at) const;
  // The plan's variables with the names that things have here.
  Environment environment(const Plan& plan) const;
  // The plan with what is in here where others make a place of their own.
  Plan as_seen(const Plan& plan) const;

 private:
  std::string here(const std::string& at) const;  // a path of the home as it is called in here
  Result<void> make_in_home(const Step& step) const;

  std::string base_;
  std::string real_home_;
  std::vector<std::string> instead_of_kept_;
};

}  // namespace pinfold::backend::on_linux
