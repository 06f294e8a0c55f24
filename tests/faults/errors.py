"""errors.py: which errors each system call is made to fail with.

Invariant: only errors that the kernel can give for want of a resource, a failing device or a signal; EINTR only where the
call can be interrupted. Not here: which call fails when (run).
"""
import errno
import fcntl
import os

NEW_DESCRIPTOR = [errno.EMFILE, errno.ENOMEM]
NEW_NAME = [errno.ENOSPC, errno.EIO]
LOOKUP = [errno.EIO, errno.ENOMEM]
WAITS = [errno.EINTR]
SENDS = [errno.EINTR, errno.ENOMEM]

BY_CALL = {
    **dict.fromkeys(("open", "openat", "creat"), [errno.EMFILE, errno.EIO, errno.ENOSPC, errno.EINTR]),
    "openat2": [errno.EMFILE, errno.EIO, errno.EINTR],
    **dict.fromkeys(("mkdir", "mkdirat", "symlink", "symlinkat", "link", "linkat", "mknod", "mknodat", "rename", "renameat",
                     "renameat2"), NEW_NAME),
    **dict.fromkeys(("unlink", "unlinkat", "rmdir", "fchmod", "chmod", "fchmodat", "fchown", "utimensat"), [errno.EIO]),
    **dict.fromkeys(("stat", "lstat", "newfstatat", "fstat", "statx", "access", "faccessat", "faccessat2", "readlink",
                     "readlinkat", "getdents64", "statfs", "fstatfs", "chdir", "fchdir", "getcwd"), LOOKUP),
    **dict.fromkeys(("read", "pread64", "readv"), [errno.EIO, errno.EINTR]),
    **dict.fromkeys(("write", "pwrite64", "writev"), [errno.ENOSPC, errno.EIO, errno.EINTR]),
    **dict.fromkeys(("fsync", "fdatasync", "ftruncate", "fallocate"), [errno.EIO, errno.ENOSPC, errno.EINTR]),
    **dict.fromkeys(("socket", "socketpair", "pipe2", "pipe", "eventfd2", "timerfd_create", "signalfd4", "epoll_create1",
                     "inotify_init1", "memfd_create", "pidfd_open", "pidfd_getfd", "dup", "dup3", "landlock_create_ruleset",
                     "fsopen", "fsmount", "open_tree"), NEW_DESCRIPTOR),
    "dup2": [errno.EINTR],
    **dict.fromkeys(("accept4", "accept"), [errno.EMFILE, errno.EINTR]),
    **dict.fromkeys(("sendmsg", "sendto", "recvmsg", "recvfrom", "sendmmsg"), SENDS),
    **dict.fromkeys(("wait4", "waitid", "epoll_wait", "epoll_pwait", "poll", "ppoll", "select", "pselect6", "nanosleep",
                     "clock_nanosleep"), WAITS),
    **dict.fromkeys(("clone", "clone3", "fork", "vfork"), [errno.ENOMEM, errno.EAGAIN]),
    **dict.fromkeys(("unshare", "setns", "mount", "move_mount", "pivot_root"), [errno.ENOSPC, errno.ENOMEM]),
    "execve": [errno.ENOMEM, errno.EIO],
    "execveat": [errno.ENOMEM, errno.EIO],
    "close": [errno.EIO, errno.EINTR],
    "flock": [errno.EINTR, errno.ENOLCK],
    "fcntl": [errno.EMFILE],
    "getrandom": [errno.EINTR],
    "connect": [errno.ENOMEM, errno.EINTR],
    "ioctl": [errno.ENOMEM, errno.EINTR],
    "seccomp": [errno.ENOMEM],
}


# RECV, SEND, ID_VALID and SET_FLAGS of a seccomp listener: a signal can interrupt the first two, nothing else can fail.
SECCOMP_IOCTLS = {0xc0502100, 0xc0182101, 0x40082102, 0x40082104}


def of(call, second, third):
    """The errors of one call with these arguments; ENOMEM where nothing is said: accounting may refuse any call so."""
    if call in ("open", "openat") and not (second if call == "open" else third) & (os.O_CREAT | os.O_TMPFILE & ~os.O_DIRECTORY):
        return [error for error in BY_CALL[call] if error != errno.ENOSPC]
    if call == "ioctl" and second in SECCOMP_IOCTLS:
        return [errno.EINTR]
    if call == "fcntl" and second not in (fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC):
        return []
    return BY_CALL.get(call, [errno.ENOMEM])
