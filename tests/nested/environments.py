"""environments.py: the environments in which Pinfold is tried: sandboxes, namespaces, containers and a changed root.

Invariant: each is made by the programs people really use, sees the scratch directory as the host does, and is gone with its command.
Not here: attempts and expected results (rows.py), judging (run).
"""
import json
import os
import shlex
import shutil

USER_ID = 12345
PATH = "/usr/local/bin:/usr/bin:/bin"
SYSTEM = ("/usr", "/etc")
SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")

# The paths of /proc and /sys that usual containers hide or make read-only.
MASKED = ["/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats",
          "/proc/sched_debug", "/proc/scsi", "/sys/firmware"]
READ_ONLY = ["/proc/asound", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]
CAPABILITIES = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FSETID", "CAP_FOWNER", "CAP_MKNOD", "CAP_NET_RAW", "CAP_SETGID",
                "CAP_SETUID", "CAP_SETFCAP", "CAP_SETPCAP", "CAP_NET_BIND_SERVICE", "CAP_SYS_CHROOT", "CAP_KILL", "CAP_AUDIT_WRITE"]
NAMESPACE_FLAGS = 0x7E020000  # every CLONE_NEW* that clone and unshare take, but for time


class Environment:
    """The scratch directory: a workspace, something outside of it, the program, and the ordinary user's identity."""

    def __init__(self, top, pinfold, who):
        base = f"{top}/shared"  # the directory that the environment sees; the container's own root is beside it
        self.base, self.who = base, who
        self.home, self.workspace, self.outside = (f"{base}/{name}" for name in ("home", "home/work", "outside"))
        self.tmp = f"{base}/tmp"  # so that the test finds leftovers there
        self.bin, self.root, self.bundle = f"{base}/bin", f"{top}/root", f"{top}/bundle"
        for path in (self.home, self.workspace, self.outside, self.tmp, self.bin, self.root, self.bundle):
            os.makedirs(path, mode=0o755)
        self.pinfold, self.probe = f"{self.bin}/pinfold", f"{self.bin}/probe"
        shutil.copy(pinfold, self.pinfold)
        here = os.path.dirname(os.path.abspath(__file__))
        shutil.copy(os.path.join(here, "probe"), self.probe)
        self.unlisted = f"{self.bin}/unlisted"
        shutil.copy(os.path.join(here, "unlisted"), self.unlisted)
        with open(f"{self.outside}/secret", "w", encoding="ascii") as file:
            file.write("canary\n")
        if who == "user":
            for path in (self.home, self.workspace, self.outside, self.tmp, f"{self.outside}/secret", self.bundle):
                os.chown(path, USER_ID, USER_ID)
        self.env = dict(PATH=PATH, HOME=self.home, USER="nested", LANG="C.UTF-8", TMPDIR=self.tmp)

    def become(self):
        if self.who == "root":
            return []
        return ["setpriv", "--reuid", str(USER_ID), "--regid", str(USER_ID), "--clear-groups", "--inh-caps=-all"]


def nothing(place, command):
    return [*place.become(), *command]


def pinfold(place, command):
    """As open as a sandbox gets that is still one: the scratch directory is writable, the network is the host's."""
    outer = [place.pinfold, "run", "--net", "full", "--workspace", place.workspace, "--write", place.outside, "--read", place.bin]
    return [*place.become(), *outer, "--", *command]


def bwrap_argv(place, extra):
    argv = ["bwrap", *extra, "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
    for path in SYSTEM:
        argv += ["--ro-bind", path, path]
    for name in SYSTEM_LINKS:
        if os.path.islink("/" + name):
            argv += ["--symlink", os.readlink("/" + name), "/" + name]
        elif os.path.isdir("/" + name):
            argv += ["--ro-bind", "/" + name, "/" + name]
    return [*argv, "--bind", place.base, place.base, "--chdir", place.workspace, "--"]


def bwrap(place, command):
    return [*place.become(), *bwrap_argv(place, ["--unshare-user"]), *command]


def bwrap_without_user_namespaces(place, command):
    return [*place.become(), *bwrap_argv(place, ["--unshare-user", "--disable-userns"]), *command]


def unshare_user(place, command):
    return [*place.become(), "unshare", "-Ur", *command]


def unshare_more(place, command):
    return [*place.become(), "unshare", "-Ur", "--mount", "--pid", "--fork", "--mount-proc", *command]


def chroot(place, command):
    """A changed root made of bind mounts, in a mount namespace of its own: the host's mounts stay as they are."""
    root = place.root
    lines = ["set -e", "mount --make-rprivate /", f"mount -t tmpfs tmpfs {root}"]
    for path in (*SYSTEM, "/dev", "/proc", "/sys"):
        lines += [f"mkdir -p {root}{path}", f"mount --rbind {path} {root}{path}"]
    for name in SYSTEM_LINKS:
        if os.path.islink("/" + name):
            lines.append(f"ln -s {os.readlink('/' + name)} {root}/{name}")
        elif os.path.isdir("/" + name):
            lines += [f"mkdir -p {root}/{name}", f"mount --rbind /{name} {root}/{name}"]
    lines += [f"mkdir -p {root}/tmp {root}/var/tmp {root}{place.base}", f"chmod 1777 {root}/tmp {root}/var/tmp",
              f"mount --bind {place.base} {root}{place.base}"]
    inside = ["env", "-C", place.workspace, *place.become(), *command]
    lines.append(f"exec /usr/sbin/chroot {root} " + shlex.join(inside))
    return ["unshare", "--mount", "sh", "-c", "\n".join(lines)]


def empty_proc(place, command):
    """A mount namespace in which /proc is an empty directory: no process can be listed."""
    lines = ["mount --make-rprivate /", "mount -t tmpfs tmpfs /proc", "exec " + shlex.join([*place.become(), *command])]
    return ["unshare", "--mount", "sh", "-ec", "\n".join(lines)]


def proc_with(options):
    """A pid namespace whose own procfs has these mount options; the host's procfs keeps its own. Ends with its command."""
    def make(place, command):
        # The shell stays: setpriv would undo --kill-child, since a change of the user ends PR_SET_PDEATHSIG.
        lines = [f"mount -t proc -o {options} proc /proc", shlex.join([*place.become(), *command]) + "; exit"]
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", " && ".join(lines)]
    return make


def refuse_namespaces():
    """What a container's usual filter says about namespaces and mounts to processes without CAP_SYS_ADMIN."""
    def refused(names, arguments=()):
        return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": 1, "args": list(arguments)}
    masked = {"index": 0, "value": NAMESPACE_FLAGS, "op": "SCMP_CMP_MASKED_EQ"}
    calls = [refused(["unshare", "setns", "mount", "umount2", "pivot_root", "move_mount", "open_tree", "mount_setattr", "fsopen",
                      "fsmount", "fsconfig", "fspick", "keyctl", "add_key", "request_key", "bpf", "ptrace"]),
             {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38, "args": []}]
    # Any one of the flags: the filter language compares for equality, so one rule for each.
    for bit in range(64):
        if NAMESPACE_FLAGS & (1 << bit):
            calls.append(refused(["clone"], [{**masked, "value": 1 << bit, "valueTwo": 1 << bit}]))
    return {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"], "syscalls": calls}


def container(place, command, masked, filtered):
    """An OCI container by crun: rootless for the ordinary user (which is root in it), with the usual capabilities for root."""
    rootless = place.who == "user"
    mounts = [{"destination": "/proc", "type": "proc", "source": "proc"},
              {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]},
              {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755", "size=65536k"]},
              {"destination": "/dev/pts", "type": "devpts", "source": "devpts",
               "options": ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"]},
              {"destination": "/dev/shm", "type": "tmpfs", "source": "shm", "options": ["nosuid", "noexec", "nodev", "mode=1777"]},
              {"destination": "/sys", "type": "none", "source": "/sys", "options": ["rbind", "nosuid", "noexec", "nodev", "ro"]}]
    for path in SYSTEM:
        mounts.append({"destination": path, "type": "none", "source": path, "options": ["rbind", "ro"]})
    for name in SYSTEM_LINKS:
        link = f"{place.root}/{name}"
        if os.path.islink("/" + name) and not os.path.islink(link):
            os.symlink(os.readlink("/" + name), link)
        elif os.path.isdir("/" + name) and not os.path.islink("/" + name):
            mounts.append({"destination": "/" + name, "type": "none", "source": "/" + name, "options": ["rbind", "ro"]})
    mounts.append({"destination": place.base, "type": "none", "source": place.base, "options": ["rbind", "rw"]})
    for mount in mounts:
        os.makedirs(place.root + mount["destination"], exist_ok=True)
    linux = {"namespaces": [{"type": kind} for kind in ("mount", "pid", "ipc", "uts")]}
    if rootless:
        linux["namespaces"].append({"type": "user"})
        linux["uidMappings"] = [{"containerID": 0, "hostID": USER_ID, "size": 1}]
        linux["gidMappings"] = [{"containerID": 0, "hostID": USER_ID, "size": 1}]
    if masked:
        linux.update(maskedPaths=MASKED, readonlyPaths=READ_ONLY)
    if filtered:
        linux["seccomp"] = refuse_namespaces()
    capabilities = {kind: CAPABILITIES for kind in ("bounding", "effective", "permitted")}
    config = {"ociVersion": "1.0.2", "root": {"path": place.root, "readonly": True}, "hostname": "nested", "mounts": mounts, "linux": linux,
              "process": {"terminal": False, "user": {"uid": 0, "gid": 0}, "args": list(command), "cwd": place.workspace,
                          "env": [f"{name}={value}" for name, value in place.env.items()], "capabilities": capabilities,
                          "noNewPrivileges": True}}
    with open(f"{place.bundle}/config.json", "w", encoding="utf-8") as file:
        json.dump(config, file)
    name = "pinfold-nested-%d" % os.getpid()
    crun = ["crun", "--root", f"{place.bundle}/state", "--cgroup-manager=disabled", "run", "--bundle", place.bundle, name]
    # crun does not start where both versions of control groups are mounted; without any it does.
    lines = "set -e\nmount --make-rprivate /\nmount -t tmpfs tmpfs /sys/fs/cgroup\nexec " + shlex.join([*place.become(), *crun])
    return ["unshare", "--mount", "sh", "-c", lines]


def container_open(place, command):
    return container(place, command, masked=False, filtered=False)


def container_masked(place, command):
    return container(place, command, masked=True, filtered=False)


def container_usual(place, command):
    return container(place, command, masked=True, filtered=True)
