"""mounts.py: one workspace for each kind of file system, in this process's own mount namespace.

Invariant: a kind that cannot be mounted raises; after close() nothing of it is mounted and its server has ended.
Not here: the attempts in the workspace (cases.py).
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# name: flags of the FUSE server, or None where the kernel has the file system itself.
KINDS = {
    "tmpfs": None,
    "overlay": None,
    "fuse": [],
    "fuse-slow": ["--delay", "2"],
    "fuse-fold-case": ["--fold-case"],
    "fuse-coarse-times": ["--coarse", "2"],
    "fuse-skewed": ["--behind", "60"],
}


class Mounted:
    """A home on the machine's own disk, with a workspace on a file system of the kind."""

    def __init__(self, kind, uid):
        self.kind, self.uid, self.server = kind, uid, None
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="pinfold-filesystems-", dir="/srv"))
        self.base.chmod(0o755)
        self.home, self.store = self.base / "home", self.base / "store"
        self.outside = self.base / "outside"
        self.workspace = self.home / "work"
        for each in (self.home, self.workspace, self.store, self.outside):
            each.mkdir()
            os.chown(each, uid, uid)
        try:
            self.mount()
        except Exception:
            self.close()
            raise

    def mount(self):
        at = str(self.workspace)
        if self.kind == "tmpfs":
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=755,uid={self.uid},gid={self.uid}", "tmpfs", at], check=True)
        elif self.kind == "overlay":
            for name in ("lower", "upper", "scratch"):
                (self.store / name).mkdir()
                os.chown(self.store / name, self.uid, self.uid)
            layers = f"lowerdir={self.store}/lower,upperdir={self.store}/upper,workdir={self.store}/scratch"
            subprocess.run(["mount", "-t", "overlay", "-o", layers, "overlay", at], check=True)
        else:
            argv = ["/usr/bin/python3", "-B", str(HERE / "fuse_files.py"), str(self.store), at, *KINDS[self.kind]]
            self.server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
            if self.server.stdout.readline() != "ready\n":
                raise AssertionError(f"the FUSE server of {self.kind} ended before it was ready")

    def close(self):
        while os.path.ismount(self.workspace):
            subprocess.run(["umount", str(self.workspace)], check=True)
        if self.server is not None:
            self.server.wait(timeout=60)
            self.server.stdout.close()
        shutil.rmtree(self.base)
