// failure.cc: {stage, errno} → an error with the path and, where there is one, the fix.
// Invariant: every stage has a text; the errno is always named.
#include "backend/linux/init/failure.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

using child::Stage;

const char* describe(Stage stage) {
  switch (stage) {
    case Stage::kNone: return "nothing failed";
    case Stage::kParentDeath: return "setting the parent-death signal or the subreaper flag";
    case Stage::kNamespaces: return "making the sandbox's namespaces";
    case Stage::kNetwork: return "making the sandbox's network namespace";
    case Stage::kIdMap: return "mapping the user into the sandbox";
    case Stage::kLoopback: return "bringing up the sandbox's loopback";
    case Stage::kRoute: return "routing the sandbox's addresses to its loopback";
    case Stage::kSkeleton: return "making the sandbox's root";
    case Stage::kOpenSource: return "opening";
    case Stage::kOpenTarget: return "opening the mount point of";
    case Stage::kCloneTree: return "cloning the mount of";
    case Stage::kSetAttributes: return "restricting the mount of";
    case Stage::kMoveMount: return "mounting";
    case Stage::kMakeEntry: return "making";
    case Stage::kTmpfs: return "making a private file system for";
    case Stage::kProc: return "mounting a private /proc";
    case Stage::kGuardProc: return "making the kernel's settings in /proc read-only";
    case Stage::kTerminals: return "mounting private terminals";
    case Stage::kCheck: return "verifying the mount at";
    case Stage::kPivot: return "entering the sandbox's root";
    case Stage::kDetach: return "detaching the host's root";
    case Stage::kSealRoot: return "making the sandbox's root read-only";
    case Stage::kPidMax: return "limiting the number of processes";
    case Stage::kNoNewPrivileges: return "setting no_new_privs";
    case Stage::kLandlockCreate: return "making the Landlock ruleset";
    case Stage::kLandlockRule: return "adding a Landlock rule";
    case Stage::kLandlockRestrict: return "entering the Landlock ruleset";
    case Stage::kCapabilities: return "dropping capabilities";
    case Stage::kKeyring: return "joining a new keyring";
    case Stage::kUndumpable: return "making the sandbox's init undumpable";
    case Stage::kRequest: return "receiving the command";
    case Stage::kOpenTerminal: return "opening the command's terminal";
    case Stage::kFork: return "starting a process";
    case Stage::kWorkingDirectory: return "entering the working directory";
    case Stage::kStdio: return "setting up descriptors";
    case Stage::kLimits: return "setting limits";
    case Stage::kFilter: return "installing the system call filter";
    case Stage::kListener: return "installing the system call filter with a listener";
    case Stage::kExec: return "executing";
  }
  return "an unknown stage";
}

// A mechanism that this kernel or container refuses under any policy; not a missing path.
bool is_about_the_host(Stage stage) {
  return ends_the_sandbox(stage) && stage != Stage::kOpenSource && stage != Stage::kOpenTarget &&
         stage != Stage::kMakeEntry;
}

constexpr const char* kNoneLeft = "no user namespaces are left: sysctl user.max_user_namespaces=10000";

// The setting of this host that disables user namespaces, or the privileges in them; empty: none found.
std::string disabled_by_host() {
  auto is_set_to = [](const char* path, char wanted) {
    auto fd = sys::Fd::adopt(::open(path, O_RDONLY | O_CLOEXEC));
    char value = 0;
    return fd.is_open() && ::read(fd.raw(), &value, 1) == 1 && value == wanted;
  };
  if (is_set_to("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'))
    return "this system's AppArmor refuses user namespaces to programs without a profile: pinfold doctor --fix-hints "
           "prints one";
  if (is_set_to("/proc/sys/kernel/unprivileged_userns_clone", '0'))
    return "user namespaces are switched off: sysctl kernel.unprivileged_userns_clone=1";
  return is_set_to("/proc/sys/user/max_user_namespaces", '0') ? kNoneLeft : "";
}

// AppArmor lets a program without a profile make its user namespace, but denies every privilege in it: the first call
// that needs one fails.
bool needs_privilege(Stage stage) { return stage > Stage::kNamespaces && stage < Stage::kOpenSource; }

Error explain_exec(int error, const std::string& command) {
  if (error == ENOENT)
    return Error(ErrorKind::kNotFound, command + ": command not found in the sandbox",
                 "check the spelling; if it is installed outside the visible paths, add --read DIR");
  if (error == EACCES || error == EPERM)
    return Error(ErrorKind::kRefused, command + ": may not be executed in the sandbox (" + sys::errno_text(error) + ")",
                 "allow it with --exec " + command + ", or check the file's mode");
  return Error(ErrorKind::kRefused, command + ": cannot be executed: " + sys::errno_text(error));
}

}  // namespace

bool ends_the_sandbox(Stage stage) { return stage < Stage::kRequest; }

Error explain(const child::Failure& failure, const LoweredPlan& lowered, const Launch& launch) {
  if (failure.stage == Stage::kExec)
    return explain_exec(failure.error, launch.argv.empty() ? std::string() : launch.argv[0]);
  if (failure.stage == Stage::kNamespaces) return explain_no_namespaces(failure.error);
  std::string what = describe(failure.stage);
  if (failure.index >= 0 && static_cast<std::size_t>(failure.index) < lowered.ops.size()) {
    const child::Op& op = lowered.ops[static_cast<std::size_t>(failure.index)];
    what += std::string(" ") + (op.source != nullptr ? op.source : op.target);
  } else if (failure.stage == Stage::kWorkingDirectory) {
    what += " " + (launch.working_dir.empty() ? std::string(lowered.frame.working_dir) : launch.working_dir);
  }
  what += ": " + sys::errno_text(failure.error) + " (" + sys::errno_name(failure.error) + ")";
  const bool no_listener = failure.stage == Stage::kListener && failure.error == EBUSY;
  auto kind = no_listener || is_about_the_host(failure.stage) ? ErrorKind::kUnavailable : ErrorKind::kSystem;
  std::string fix;
  if (failure.error == ENOSYS && is_about_the_host(failure.stage))
    fix = "this kernel lacks a system call that sandboxes need: boot Linux 5.10 or newer";
  if (failure.error == EPERM && failure.stage == Stage::kProc) fix = kMaskedProcFix;
  if (failure.error == ENOENT && failure.stage == Stage::kIdMap) fix = kNoProcFix;
  if (fix.empty() && needs_privilege(failure.stage) && (failure.error == EPERM || failure.error == EACCES))
    fix = disabled_by_host();
  return Error(kind, std::move(what), std::move(fix));
}

Error explain_no_namespaces(int error) {
  std::string fix = disabled_by_host();
  if (fix.empty() && error == ENOSPC) fix = kNoneLeft;
  if (fix.empty() && (error == EPERM || error == ENOSYS))
    fix = "user namespaces are refused here, as in many containers: allow clone and unshare for this container";
  return Error(ErrorKind::kUnavailable,
               "making the sandbox's namespaces: " + sys::errno_text(error) + " (" + sys::errno_name(error) + ")", fix);
}

}  // namespace pinfold::backend::on_linux
