"""guests: the table of the kernel matrix: which kernels, and which hosts on them.

Invariant: a row says all that is particular about a guest; the driver treats every guest alike.
Not here: fetching kernels (fetch.py), the guest's files (image.py), the commands in a guest (init), judging (run).
"""
import dataclasses
import re

USERS = ("root", "user")

# Where the kernels are. Versions in the suites come and go, so names are looked up by pattern; the highest is taken.
SUITES = ("bullseye", "bookworm", "trixie", "sid")
KERNELS = {
    "5.10": r"linux-image-(5\.10\.\S+-cloud-amd64)",
    "6.1": r"linux-image-(6\.1\.0\S+-cloud-amd64)",
    "6.12": r"linux-image-(6\.12\.\S+\+deb13\S*-cloud-amd64)",
    # Since 7.1 the image lies in linux-binary-…, and linux-image-… only depends on it.
    "newest": r"linux-image-(\d\S+-cloud-amd64)",
}


@dataclasses.dataclass(frozen=True)
class Guest:
    name: str
    kernel: str  # of KERNELS
    what: str  # the difference of this host, for the docs
    boot: str = ""  # more words for the boot line
    sysctls: tuple = ()
    cgroup: str = "v2"  # or "none": not mounted
    masked: tuple = ()  # files of /proc that are covered, as container engines do
    refuses: tuple = ()  # the users that Pinfold must refuse, with `reason` and `fix` in its output
    reason: str = ""
    fix: str = ""
    refuses_steps: tuple = ()  # "USER STEP": what this user cannot have here, and is refused when asking for it
    apparmor: str = ""  # a profile of this folder: the ordinary user's pinfold lies where it applies
    # Programs of the guest that get the setuid bit, as some distributions ship them.
    setuid: tuple = ()
    # The backends that the escape suite tries. `refuses` and `refuses_steps` speak of the first, which is also the one
    # whose limits must be seen to be hit.
    backends: tuple = ("native",)
    # Which part of the escape suite: every Nth attempt of each row and always the first, as all of them take half an
    # hour under software emulation. Empty: nothing but the limits of memory and processes (row 16), which are tried in
    # every guest; enough where nothing else differs from a guest that tries a part.
    part: str = ""


GUESTS = (
    # mount_setattr came with 5.12, counting processes per user namespace with 5.14.
    Guest(
        "5.10",
        "5.10",
        "no Landlock, no `mount_setattr`",
        refuses_steps=("root exec", "user exec"),
        part="0/45",
    ),
    Guest(
        "5.10-no-cgroup",
        "5.10",
        "no cgroup file system",
        cgroup="none",
        refuses_steps=("root limit.processes", "user limit.processes"),
    ),
    Guest("6.1", "6.1", "Landlock ABI 2", backends=("native", "landlock"), part="7/45"),
    Guest("6.12", "6.12", "Landlock ABI 6", backends=("native", "landlock"), part="13/45"),
    Guest("newest", "newest", "the newest kernel of Debian's suites", backends=("native", "landlock"), part="19/45"),
    Guest(
        "no-landlock",
        "6.12",
        "Landlock not in `lsm=`",
        boot="lsm=lockdown,yama,apparmor,bpf",
        refuses_steps=("root exec", "user exec"),
        part="25/45",
    ),
    Guest(
        "no-user-namespaces",
        "6.12",
        "`user.max_user_namespaces=0`",
        sysctls=("user.max_user_namespaces=0",),
        setuid=("/usr/bin/bwrap",),
        refuses=USERS,
        reason="ENOSPC",
        fix="sysctl user.max_user_namespaces=",
    ),
    Guest(
        "no-unprivileged-namespaces",
        "6.12",
        "`kernel.unprivileged_userns_clone=0`",
        sysctls=("kernel.unprivileged_userns_clone=0",),
        refuses=("user",),
        reason="EPERM",
        fix="sysctl kernel.unprivileged_userns_clone=1",
    ),
    Guest(
        "apparmor",
        "6.12",
        "AppArmor takes the capabilities in a user's namespaces, as on Ubuntu 24.04",
        apparmor="no-capabilities.apparmor",
        refuses=("user",),
        reason="EPERM",
        fix="user namespaces are refused here",
    ),
    Guest(
        "masked-proc",
        "6.12",
        "parts of `/proc` masked",
        masked=("/proc/kcore", "/proc/keys"),
        refuses=USERS,
        reason="EPERM",
        fix="systempaths=unconfined",
    ),
    Guest("no-memory-cgroup", "6.12", "`cgroup_disable=memory`", boot="cgroup_disable=memory"),
    Guest(
        "no-cgroup",
        "6.12",
        "no cgroup file system",
        cgroup="none",
        refuses_steps=("root limit.processes",),
    ),
)


def version_key(text):
    return [int(number) for number in re.findall(r"\d+", text)]
