"""ways.py: the ways in which a process dies or stands still, done from the outside to one process id.

Invariant: a signal goes only to a process that this test started. Not here: which process, and when (scenes.py).
"""
import os
import resource
import signal
import time


class MemoryGroup:
    """A memory cgroup without room for one page: the kernel's OOM killer ends a process in it at its next allocation."""

    def __init__(self):
        self.path = None
        for path, files in self.candidates():
            try:
                os.mkdir(path)
                for name, value in files:
                    with open(os.path.join(path, name), "w", encoding="ascii") as file:
                        file.write(value)
                self.path = path
                return
            except OSError:
                try:
                    os.rmdir(path)
                except OSError:
                    pass

    @staticmethod
    def candidates():
        own = {}
        with open("/proc/self/cgroup", encoding="ascii") as file:
            for line in file:
                _, controllers, path = line.rstrip("\n").split(":", 2)
                own[controllers] = path
        name = "deaths-%d" % os.getpid()
        if "memory" in own:
            yield "/sys/fs/cgroup/memory%s/%s" % (own["memory"].rstrip("/"), name), [("memory.limit_in_bytes", "4096")]
        if "" in own:
            yield "/sys/fs/cgroup%s/%s" % (own[""].rstrip("/"), name), [("memory.max", "0"), ("memory.swap.max", "0")]

    def take(self, pid):
        with open(os.path.join(self.path, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(pid))

    def close(self):
        if self.path:
            for _ in range(100):
                try:
                    os.rmdir(self.path)
                    return
                except FileNotFoundError:
                    return
                except OSError:
                    time.sleep(0.05)


def kill(pid, _):
    os.kill(pid, signal.SIGKILL)


def stop_and_kill(pid, pause):
    os.kill(pid, signal.SIGSTOP)
    time.sleep(pause)
    os.kill(pid, signal.SIGKILL)


def stop_and_continue(pid, pause):
    os.kill(pid, signal.SIGSTOP)
    time.sleep(pause)
    os.kill(pid, signal.SIGCONT)


def no_memory_left(pid, _):
    """Every further mmap and brk fails with ENOMEM. prlimit asks for the user of the process, or for CAP_SYS_RESOURCE."""
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
                    uid, gid = (int(line.split()[1]) for line in file if line.startswith(("Uid:", "Gid:")))
                os.setresgid(gid, gid, gid)
                os.setresuid(uid, uid, uid)
            resource.prlimit(pid, resource.RLIMIT_AS, (4096, 4096))
        except (OSError, ValueError):
            os._exit(1)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        raise ProcessLookupError(pid)


WAYS = {"kill": kill, "stop, kill": stop_and_kill, "stop, continue": stop_and_continue, "RLIMIT_AS": no_memory_left}
