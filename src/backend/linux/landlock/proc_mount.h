// proc_mount.h: which processes the procfs of the host lists. Without a pid namespace, it is the only list of the
// processes that a run must end.
// Invariant: reads, and changes nothing. Not here: the search for them (child/tree.cc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pinfold::backend::on_linux {

class ProcMount {
 public:
  static ProcMount at(const char* path);
  // Empty: every process of a run can be found.
  const std::string& why_unusable() const { return why_unusable_; }
  const char* fix() const { return fix_; }
  // hidepid: a process that the caller may not trace is not listed.
  bool hides_processes() const { return hides_processes_; }

 private:
  std::string why_unusable_;
  const char* fix_ = "";
  bool hides_processes_ = false;
};

// `mountinfo`: the text of /proc/self/mountinfo, whose lines begin with the mount's id.
bool has_hidepid(std::string_view mountinfo, std::uint64_t mount);

}  // namespace pinfold::backend::on_linux
