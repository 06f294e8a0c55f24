"""environment: the throw-away part of the machine in which a worker runs random programs, bare and boxed.

Invariant: before the first program runs, every mount of the machine is read-only here, and the directories that an ordinary user
could write to are empty file systems of this worker's own; `unshare` has made the pid, network, IPC and UTS namespaces.
Not here: the canaries (world.py).
"""
import ctypes
import os
import struct
import subprocess

BIN = "/opt/fuzz"
OWN = ("/home", "/tmp", "/var/tmp", "/run", "/dev/shm", "/opt")
UNSHARE = ["/usr/bin/unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
AT_RECURSIVE, MOUNT_ATTR_RDONLY, MOUNT_SETATTR = 0x8000, 1, 442


def enter(programs):
    """Called by the first process of the namespaces. Returns where each program lies from now on."""
    if os.getpid() != 1:
        raise SystemExit("syscall_fuzz: the worker is not the first process of a pid namespace: run tests/syscall_fuzz/run")
    contents = {}
    for path in programs:
        with open(path, "rb") as file:
            contents[os.path.basename(path)] = file.read()
    libc = ctypes.CDLL(None, use_errno=True)
    attributes = struct.pack("QQQQ", MOUNT_ATTR_RDONLY, 0, 0, 0)
    if libc.syscall(MOUNT_SETATTR, -100, b"/", AT_RECURSIVE, attributes, len(attributes)) != 0:
        raise SystemExit(f"syscall_fuzz: making every mount read-only: {os.strerror(ctypes.get_errno())}")
    for path in OWN:
        mount("-t", "tmpfs", "-o", "nosuid,nodev,size=64m,nr_inodes=20000,mode=755", "none", path)
    for path in ("/tmp", "/var/tmp", "/dev/shm"):
        os.chmod(path, 0o1777)
    mount("-t", "proc", "none", "/proc")
    # Shared, as systemd leaves them: a mount that a boxed program could pass on would arrive here.
    mount("--make-rshared", "/")
    os.makedirs(BIN)
    for name, content in contents.items():
        with open(f"{BIN}/{name}", "wb") as file:
            file.write(content)
        os.chmod(f"{BIN}/{name}", 0o755)


def mount(*words):
    subprocess.run(["/usr/bin/mount", *words], check=True)
