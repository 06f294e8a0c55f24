// proc_mount.cc: asks the kernel about the file system at /proc.
#include "backend/linux/landlock/proc_mount.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "backend/linux/init/failure.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr const char* kHidepidFix = "mount -o remount,hidepid=0 /proc, or use a kernel with CONFIG_PROC_CHILDREN";

bool is_hidden_in(int proc) {
  struct statx info {};
  if (::statx(proc, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) != 0) return true;
  std::ifstream file("/proc/self/mountinfo");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return text.empty() || has_hidepid(text, info.stx_mnt_id);
}

}  // namespace

// The kernel writes the option only where it is in force: hidepid=1, 2 and 4; since 5.8 noaccess, invisible and
// ptraceable.
bool has_hidepid(std::string_view mountinfo, std::uint64_t mount) {
  const std::string id = std::to_string(mount) + " ";
  while (!mountinfo.empty()) {
    const std::string_view line = mountinfo.substr(0, mountinfo.find('\n'));
    mountinfo.remove_prefix(line.size() < mountinfo.size() ? line.size() + 1 : line.size());
    if (!line.starts_with(id)) continue;
    // Of the file system: the options of the mount come before the dash.
    const std::size_t dash = line.find(" - ");
    return dash != std::string_view::npos && line.find("hidepid=", dash) != std::string_view::npos;
  }
  return false;
}

ProcMount ProcMount::at(const char* path) {
  ProcMount out;
  out.fix_ = kNoProcFix;
  const auto proc = sys::Fd::adopt(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct statfs info {};
  if (!proc.is_open() || ::fstatfs(proc.raw(), &info) != 0 || info.f_type != PROC_SUPER_MAGIC) {
    out.why_unusable_ = "/proc is not mounted: the run's processes could not be found when they must end";
    return out;
  }
  char self[16] = {};
  if (::readlinkat(proc.raw(), "self", self, sizeof self - 1) <= 0 || std::to_string(::getpid()) != self) {
    out.why_unusable_ =
        "/proc belongs to another pid namespace: the run's processes could not be found when they must end";
    return out;
  }
  out.hides_processes_ = is_hidden_in(proc.raw());
  if (out.hides_processes_ && ::faccessat(proc.raw(), "thread-self/children", R_OK, 0) != 0) {
    out.why_unusable_ =
        "/proc is mounted with hidepid, and this kernel lists no children (CONFIG_PROC_CHILDREN): the run's processes "
        "could not be found when they must end";
    out.fix_ = kHidepidFix;
  }
  return out;
}

}  // namespace pinfold::backend::on_linux
