// placeholder.h: files that exist only so that a mount can mask their name, during a run.
// Invariant: recognised by content and held by a lock, so that runs can share one, the last one removes it, and a file
// made by another program is never touched.
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class Placeholders {
 public:
  // Remembers the names; makes nothing yet.
  explicit Placeholders(const Plan& plan);
  bool is_needed() const { return !names_.empty(); }
  // Makes each, or shares that of another run.
  Result<void> make();
  // Removes those that no other run holds; in the janitor also those that make() had not reached. False: one is left,
  // because a call failed.
  bool remove();
  std::vector<int> descriptors() const;

 private:
  struct Name {
    std::string parent;
    std::string name;
    sys::Fd directory;
    sys::Fd file;  // holds this run's share of the lock
  };
  static Result<sys::Fd> create(const Name& name);
  static bool remove(Name& name);
  std::vector<Name> names_;
};

}  // namespace pinfold::backend::on_linux
