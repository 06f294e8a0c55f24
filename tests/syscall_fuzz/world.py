"""world: the canary world of one worker: files with marked contents, sockets, a process, keys, queues; and its snapshot.

Everything lies on file systems, and in pid, network and IPC namespaces, that environment.py made for this worker alone.
Not here: running programs (worker.py), judging (judge.py).
"""
import array
import contextlib
import ctypes
import fcntl
import hashlib
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess

MARK = "PINFOLD-CANARY:"
HOME, PROJECT = "/home/fuzz", "/home/fuzz/project"
PORT, KEY, PAGE = 4711, 0x50464E44, 0x200000000
# Pinfold's own: the private cache of a project, sockets of sessions, the report that this test asks for.
PINFOLDS_OWN = (f"{HOME}/.cache/pinfold", "/run/report", "/run/user")
OUTSIDE = ("/home", "/tmp", "/var/tmp", "/run", "/dev/shm")
SYSCTLS = ("kernel/hostname", "kernel/domainname", "kernel/core_pattern", "kernel/randomize_va_space", "kernel/pid_max", "kernel/shmmax", "kernel/msgmni", "net/ipv4/ip_forward",
           "net/ipv4/ip_unprivileged_port_start", "net/core/somaxconn", "vm/overcommit_memory", "vm/swappiness", "fs/protected_symlinks", "fs/suid_dumpable", "user/max_user_namespaces")
UNREADABLE = "unreadable"
libc = ctypes.CDLL(None, use_errno=True)


def marked(kind):
    return f"{MARK}{kind};"


def as_user(uid, function):
    """Calls a function in a child process with this uid, so that keys and queues belong to the uid; returns its text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            os.write(writing, function().encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    os.waitpid(child, 0)
    return text or f"{UNREADABLE} (no answer)"


def put_key():
    secret = marked("key").encode()
    return str(libc.syscall(248, b"user", b"pinfold-canary", secret, len(secret), ctypes.c_long(-4)))


def drop_keys():
    return str(libc.syscall(250, 7, ctypes.c_long(-4), 0, 0, 0))


def keys():
    """The uid's own keyring: each key in it, and its contents."""
    ring = (ctypes.c_int * 64)()
    size = libc.syscall(250, 11, ctypes.c_long(-4), ring, ctypes.sizeof(ring), 0)
    if size < 0:
        return f"{UNREADABLE} ({os.strerror(ctypes.get_errno())})"
    out = []
    for each in sorted(ring[: max(0, size // 4)]):
        content = ctypes.create_string_buffer(256)
        got = libc.syscall(250, 11, ctypes.c_long(each), content, 256, 0)
        out.append(f"{each}:{content.raw[:max(0, got)].hex()}")
    return " ".join(out) or "none"


def make_queue():
    attributes = (ctypes.c_long * 8)(0, 4, 256)
    queue = libc.syscall(240, b"canary", os.O_RDWR | os.O_CREAT, 0o600, attributes)
    secret = marked("queue").encode()
    libc.syscall(242, queue, secret, len(secret), 0, None)
    os.close(queue)
    return "made"


def make_shared_memory():
    number = libc.shmget(KEY, 4096, 0o1600)
    libc.shmat.restype = ctypes.c_void_p
    at = libc.shmat(number, None, 0)
    ctypes.memmove(at, marked("shared-memory").encode(), 29)
    libc.shmdt(ctypes.c_void_p(at))
    return str(number)


class World:
    def __init__(self, uid, program):
        self.uid, self.program, self.canary = uid, program, None
        for path in ("/run/mqueue", "/run/report", "/run/fuzz", "/run/user"):
            os.makedirs(path, exist_ok=True)
        subprocess.run(["/usr/bin/mount", "-t", "mqueue", "none", "/run/mqueue"], check=True)
        for path in ("/run/report", "/run/fuzz", "/run/user"):
            os.chown(path, uid, uid)
            os.chmod(path, 0o700)
        loopback = array.array("B", struct.pack("16sh14x", b"lo", 1 | 0x40))
        with socket.socket() as end:
            fcntl.ioctl(end, 0x8914, loopback)
        self.sockets = {}
        self.build()

    # --- files

    def build(self):
        for top in ("/home", "/tmp", "/var/tmp", "/dev/shm", "/run/fuzz", "/run/report", "/run/user"):
            for name in os.listdir(top):
                path = f"{top}/{name}"
                shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
            os.chmod(top, 0o755 if top == "/home" else 0o700 if top.startswith("/run") else 0o1777)
        files = {f"{HOME}/notes/diary.txt": "home-file", f"{HOME}/.ssh/id_ed25519": "credential", f"{HOME}/.aws/credentials": "credential", f"{HOME}/.bashrc": "home-file",
                 f"{HOME}/notes/{marked('name')}x": "home-file", "/tmp/canary": "tmp-file", "/var/tmp/canary": "tmp-file", "/dev/shm/canary": "shm-file",
                 "/home/other/open/file.txt": "other-file", "/run/fuzz/token": "run-file"}
        for path, kind in files.items():
            self.write(path, marked(kind) + "\n")
            os.setxattr(path, "user.canary", marked("attribute" if kind != "credential" else "credential-attribute").encode())
        self.write(f"{HOME}/notes/tool", "#!/bin/sh\nexit 0\n", 0o755)
        self.write(f"{HOME}/shared/read.txt", "readable\n")
        self.write(f"{HOME}/.config/pinfold/config.toml", "")
        os.makedirs(f"{HOME}/.cache/pinfold", 0o700)
        os.makedirs(f"{HOME}/.local/state/pinfold", 0o700)
        os.symlink(marked("link"), f"{HOME}/notes/link")
        os.mkfifo(f"{HOME}/notes/fifo")
        os.chmod("/home/other/open", 0o777)
        self.give_away(HOME)
        self.give_away("/home/other/open")
        for path in ("/tmp/canary", "/var/tmp/canary", "/dev/shm/canary", "/run/fuzz/token"):
            os.chown(path, self.uid, self.uid)
        self.listen()
        self.build_project()

    def build_project(self):
        shutil.rmtree(PROJECT, ignore_errors=True)
        texts = {"a.txt": "a\n", "sub/b.txt": "b\n", "deep/er/c.txt": "c\n", ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\tbare = false\n",
                 ".git/hooks/pre-commit": "#!/bin/sh\nexit 0\n", ".vscode/tasks.json": "{}\n", ".envrc": "export A=1\n", "keep.txt": "kept\n",
                 ".env": marked("hidden-file"), "hidden.txt": marked("hidden-file")}
        for name, text in texts.items():
            self.write(f"{PROJECT}/{name}", text)
        self.write(f"{PROJECT}/script.sh", "#!/bin/sh\nexit 0\n", 0o755)
        for name in (".git/objects", ".git/refs/heads"):
            os.makedirs(f"{PROJECT}/{name}")
        for name, target in {"link-out": f"{HOME}/notes/diary.txt", "link-dir": "../notes", "link-new": "../notes/new", "link-protected": ".mcp.json"}.items():
            os.symlink(target, f"{PROJECT}/{name}")
        self.give_away(PROJECT)

    @staticmethod
    def write(path, text, mode=0o644):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def give_away(self, top):
        os.chown(top, self.uid, self.uid)
        for folder, directories, files in os.walk(top):
            for name in directories + files:
                os.chown(f"{folder}/{name}", self.uid, self.uid, follow_symlinks=False)

    # --- sockets, process, keys

    def listen(self):
        for each in self.sockets.values():
            each.close()
        self.sockets = {}
        for name, family, kind, address in (("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)), ("tcp6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", PORT)),
                                            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", PORT)), ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0pinfold-canary"),
                                            ("agent", socket.AF_UNIX, socket.SOCK_STREAM, f"{HOME}/agent.sock"), ("tmp", socket.AF_UNIX, socket.SOCK_STREAM, "/tmp/canary.sock"),
                                            ("run", socket.AF_UNIX, socket.SOCK_DGRAM, "/run/fuzz/control.sock")):
            end = socket.socket(family, kind)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            end.bind(address)
            if family == socket.AF_UNIX and address[0] == "/":
                os.chown(address, self.uid, self.uid)
            if kind == socket.SOCK_STREAM:
                end.listen(100)
            end.setblocking(False)
            self.sockets[name] = end

    def reached(self):
        """The sockets that something reached since the last time."""
        out = set()
        for name, end in self.sockets.items():
            with contextlib.suppress(BlockingIOError):
                while True:
                    end.accept()[0].close() if end.type == socket.SOCK_STREAM else end.recv(100)
                    out.add(name)
        return out

    def prepare(self):
        """Brings the parts back that a run may have ended: process, keys, queues, shared memory."""
        if self.canary is None or self.canary.poll() is not None:
            self.start_canary()
        names = os.listdir("/run/mqueue")
        if names != ["canary"] or b"QSIZE:21" not in open("/run/mqueue/canary", "rb").read():
            for name in names:
                os.unlink(f"/run/mqueue/{name}")
            as_user(self.uid, make_queue)
        with open("/proc/sysvipc/shm", encoding="ascii") as file:
            rows = file.read().splitlines()[1:]
        if len(rows) != 1:
            subprocess.run(["/usr/bin/ipcrm", "--all"], check=False, capture_output=True)
            as_user(self.uid, make_shared_memory)
        if marked("key").encode().hex() not in as_user(self.uid, keys):
            as_user(self.uid, put_key)

    def start_canary(self):
        secret = marked("process")
        with open(f"{HOME}/notes/diary.txt", "rb") as held:
            self.canary = subprocess.Popen([self.program, "--canary", marked("arguments")], cwd=f"{HOME}/notes", env={"CANARY": secret}, user=self.uid, group=self.uid,
                                           extra_groups=[], stdin=held, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        self.canary.stdout.read()  # to its end: the canary has closed it, and changes nothing of itself any more
        self.canary.stdout.close()

    def end_canary(self):
        self.canary.kill()
        self.canary.wait()
        self.canary = None

    # --- snapshots

    def snapshot(self):
        out = {}
        for top in OUTSIDE:
            self.look(top, out)
        out.update(self.around())
        return out

    def look(self, top, out, within=()):
        for folder, directories, files in os.walk(top):
            directories[:] = [each for each in directories if within or f"{folder}/{each}" not in (*PINFOLDS_OWN, PROJECT, "/run/mqueue")]
            # The project's own directory is in here by its entry in HOME; its times are the run's to change.
            for name in (*directories, *files, "."):
                path = folder if name == "." else f"{folder}/{name}"
                if path != PROJECT and path not in out and not path.startswith(PINFOLDS_OWN):
                    out[path] = describe(path)

    def around(self):
        out = {}
        for name in SYSCTLS:
            with contextlib.suppress(OSError), open(f"/proc/sys/{name}", encoding="ascii") as file:
                out[f"sysctl {name}"] = file.read()
        for name in ("/proc/1/mountinfo", "/proc/net/route", "/proc/net/if_inet6", "/proc/1/cgroup"):
            with open(name, encoding="utf-8") as file:
                out[name] = file.read()
        for name in ("shm", "sem", "msg"):
            with open(f"/proc/sysvipc/{name}", encoding="ascii") as file:
                out[f"sysvipc {name}"] = [row.split()[:4] for row in file.read().splitlines()[1:]]
        for name in os.listdir("/run/mqueue"):
            with open(f"/run/mqueue/{name}", encoding="ascii") as file:
                out[f"queue {name}"] = file.read()
        out["keys"] = as_user(self.uid, keys)
        out["canary process"] = self.canary_state()
        return out

    def canary_state(self):
        pid = self.canary.pid
        if self.canary.poll() is not None:
            return "ended"
        try:
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                numbers = file.read().rsplit(")", 1)[1].split()
            with open(f"/proc/{pid}/limits", encoding="utf-8") as file:
                limits = file.read()
            with open(f"/proc/{pid}/mem", "rb") as file:
                file.seek(PAGE)
                memory = file.read(4096)
            with open(f"/proc/{pid}/oom_score_adj", encoding="utf-8") as file:
                score = file.read()
        except (OSError, IndexError):
            return "ended"
        wanted = ("Name", "TracerPid", "Uid", "SigPnd", "ShdPnd", "Cpus_allowed", "NSpid")
        stopped = fields["State"][0] in "Tt"
        return {**{each: fields.get(each) for each in wanted}, "stopped": stopped, "nice": numbers[16], "limits": limits, "memory": hashlib.sha1(memory).hexdigest(), "score": score,
                "ioprio": libc.syscall(252, 1, pid), "descriptors": sorted(os.listdir(f"/proc/{pid}/fd")), "directory": os.readlink(f"/proc/{pid}/cwd")}


def describe(path):
    """All that a program can change of a file; reading changes none of it."""
    try:
        info = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        return problem.errno  # ENAMETOOLONG: only a run makes paths that long
    content = None
    if stat.S_ISREG(info.st_mode):
        with open(path, "rb") as file:
            content = file.read()
    elif stat.S_ISLNK(info.st_mode):
        content = os.readlink(path)
    attributes = {name: os.getxattr(path, name, follow_symlinks=False) for name in os.listxattr(path, follow_symlinks=False)}
    # Times of the directories in which Pinfold keeps its own, or that the workspace is made anew in, change; their entries are compared one by one.
    times = () if path in (HOME, f"{HOME}/.cache", *OUTSIDE) else (info.st_mtime_ns, info.st_ctime_ns)
    links = 0 if stat.S_ISDIR(info.st_mode) else info.st_nlink
    return (info.st_mode, info.st_uid, info.st_gid, info.st_size if content is not None else 0, links, times, content, attributes)


def end_others(keep):
    """Ends every process of this pid namespace but these, and waits until they are gone."""
    while True:
        others = [int(each) for each in os.listdir("/proc") if each.isdigit() and int(each) not in keep]
        if not others:
            return
        for each in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0] > 0:
                pass
