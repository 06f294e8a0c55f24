"""image: the guest's files, as one cpio archive: this machine's own shell, git and tools with their libraries, and the suite.

Invariant: nothing of this machine's configuration goes in, but for the names of its libraries.
Not here: what the guest does with them (init).
"""
import glob
import os
import re
import shutil
import stat
import subprocess

TOOLS = """
    bash basename bwrap cat chmod cp cut date dash dd dirname echo env expr false find getent git grep head hostname id install ln ls
    losetup mkdir mkfifo mktemp mv nproc od printf pwd readlink realpath rm rmdir sed seq setpriv sh sleep sort stat stty sync
    tail tee test touch tr true truncate tty uname unshare wc which whoami xargs
""".split()
SUITE = ("pinfold", "escape_suite", "escape_probe", "escape_privileged", "escape_canary")
FOLDERS = """
    dev proc sys run tmp home root mnt etc/systemd/system etc/cron.d boot var/spool var/tmp var/lib var/cache usr/bin usr/sbin usr/lib usr/lib64 usr/local/bin
    usr/local/lib usr/share opt srv
""".split()
LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64", "var/run": "/run"}
ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/sh\nuser:x:12345:12345:user:/home/user:/bin/sh\n",
    "group": "root:x:0:\nuser:x:12345:\n",
    "shadow": "root:*:19000:0:99999:7:::\nuser:*:19000:0:99999:7:::\n",
    "gshadow": "root:*::\nuser:!::\n",
    "hostname": "guest\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


class Archive:
    """A cpio archive in the "newc" form, the one that kernels unpack."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.inode = 0
        self.names = set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.add("TRAILER!!!", 0, b"")
        self.file.close()

    def add(self, name, mode, content):
        if name in self.names:
            return
        self.names.add(name)
        self.inode += 1
        fields = (self.inode, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        self.file.write(head + b"\0" * (-len(head) % 4) + content + b"\0" * (-len(content) % 4))

    def folder(self, name, mode=0o755):
        above = os.path.dirname(name)
        if above:
            self.folder(above)
        self.add(name, stat.S_IFDIR | mode, b"")

    def link(self, name, target):
        self.folder(os.path.dirname(name)) if "/" in name else None
        self.add(name, stat.S_IFLNK | 0o777, target.encode())

    def program(self, name, source, mode=0o755):
        self.folder(os.path.dirname(name))
        with open(source, "rb") as file:
            self.add(name, stat.S_IFREG | mode, file.read())

    def text(self, name, text, mode=0o644):
        self.folder(os.path.dirname(name)) if "/" in name else None
        self.add(name, stat.S_IFREG | mode, text.encode())


def merged(path):
    """Where it lies on a system with one /usr."""
    return re.sub(r"^/(bin|sbin|lib|lib64)/", r"/usr/\1/", path)


def libraries(program):
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return re.findall(r"(/\S+\.so\S*)", listed)


def add_with_libraries(archive, program):
    archive.program(merged(program)[1:], os.path.realpath(program))
    for library in libraries(program):
        archive.program(merged(library)[1:], os.path.realpath(library))


def make(path, bin_folder):
    here = os.path.dirname(os.path.abspath(__file__))
    with Archive(path) as archive:
        for folder in FOLDERS:
            archive.folder(folder, 0o1777 if folder.endswith("tmp") else 0o700 if folder == "root" else 0o755)
        for name, target in LINKS.items():
            archive.link(name, target)
        for name, text in ETC.items():
            archive.text(f"etc/{name}", text, 0o640 if name.endswith("shadow") else 0o644)
        archive.program("init", f"{here}/init")
        archive.program("busybox", shutil.which("busybox", path="/bin:/usr/bin"))
        for tool in TOOLS:
            found = shutil.which(tool, path="/usr/bin:/bin:/usr/sbin:/sbin")
            if not found:
                raise FileNotFoundError(f"{tool} is not on this machine")
            add_with_libraries(archive, found)
        # git finds its helpers here; most of them are git itself.
        git_core = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
        for helper in glob.glob(f"{git_core}/git*"):
            if os.path.realpath(helper) == "/usr/bin/git" or os.path.samefile(helper, "/usr/bin/git"):
                archive.link(helper[1:], "/usr/bin/git")
        for folder in glob.glob("/usr/lib/locale/C.*") + glob.glob("/usr/share/git-core/templates"):
            for above, _, names in os.walk(folder):
                archive.folder(above[1:])
                for name in names:
                    archive.program(f"{above[1:]}/{name}", f"{above}/{name}", 0o644)
        for name in SUITE:
            archive.program(f"suite/{name}", f"{bin_folder}/{name}")
        archive.folder("suite/confined")


def compiled(profile):
    """An AppArmor profile in the kernel's format, independent of the AppArmor of this machine's kernel."""
    words = ["apparmor_parser", "--config-file", "/dev/null", "--features-file", "/etc/apparmor.d/abi/3.0"]
    words += ["--skip-kernel-load", "--skip-cache", "--ofile", "/dev/stdout", profile]
    environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    return subprocess.run(words, capture_output=True, check=True, env=environment).stdout


def make_extra(path, files):
    """A second archive, unpacked over the first: what differs from guest to guest. name → bytes."""
    with Archive(path) as archive:
        archive.folder("guest")
        for name, content in files.items():
            archive.add(f"guest/{name}", stat.S_IFREG | 0o755, content)
