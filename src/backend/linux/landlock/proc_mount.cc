// proc_mount.cc: asks the kernel about the file system at /proc.
#include "backend/linux/landlock/proc_mount.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "backend/linux/init/failure.h"
#include "sys/call.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr const char* kHidepidFix = "mount -o remount,hidepid=0 /proc, or use a kernel with CONFIG_PROC_CHILDREN";

bool is_hidden_in(int proc) {
  struct statx info {};
  if (::statx(proc, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) != 0) return true;
  const auto file = sys::Fd::adopt(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 16384> buffer{};
  ssize_t size = 0;
  while (file.is_open() &&
         ((size = ::read(file.raw(), buffer.data(), buffer.size())) > 0 || (size < 0 && errno == EINTR)))
    text.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return size < 0 || text.empty() || has_hidepid(text, info.stx_mnt_id);
}

// An errno other than that of a missing file says more than the sentence.
std::string with_cause(const std::string& sentence, int error) {
  return error == 0 || error == ENOENT ? sentence : sentence + " (" + sys::errno_text(error) + ")";
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
  const bool is_known = proc.is_open() && ::fstatfs(proc.raw(), &info) == 0;
  if (!is_known || info.f_type != PROC_SUPER_MAGIC) {
    out.why_unusable_ = with_cause("/proc is not mounted: the run's processes could not be found when they must end",
                                   is_known ? 0 : errno);
    return out;
  }
  char self[16] = {};
  const ssize_t size = ::readlinkat(proc.raw(), "self", self, sizeof self - 1);
  if (size <= 0 || std::to_string(::getpid()) != self) {
    out.why_unusable_ =
        with_cause("/proc belongs to another pid namespace: the run's processes could not be found when they must end",
                   size < 0 ? errno : 0);
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
