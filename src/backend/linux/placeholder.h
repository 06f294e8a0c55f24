// placeholder.h: files that exist only so that a mount can mask their name, for the length of a run.
// Invariant: made exclusively, removed by inode, so that a file that someone else put there is never touched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pinfold/plan.h"
#include "sys/fd.h"

namespace pinfold::backend::linux_native {

class Placeholders {
 public:
  // Remembers the names; nothing is made yet.
  explicit Placeholders(const Plan& plan);
  bool is_needed() const { return !names_.empty(); }
  Result<void> make();
  // Also those that make() has not reached, if they are ours by their content: for the janitor.
  void remove();
  std::vector<int> descriptors() const;

 private:
  struct Name {
    std::string parent;
    std::string name;
    sys::Fd directory;
  };
  std::vector<Name> names_;
};

}  // namespace pinfold::backend::linux_native
