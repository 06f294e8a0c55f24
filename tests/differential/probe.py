"""probe: tries the operations it is given, one by one, and says how each ended.

Runs inside the sandbox: python3 -I -S -c '<this file>' OPERATIONS, where OPERATIONS is JSON: [[name, path, …], …].
Invariant: one answer for each operation, in order: "" for done (the names for a listing), else the name of the errno.
Not here: judging.
"""
import errno
import json
import os
import sys


def closing(fd):
    os.close(fd)


def read(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.read(fd, 1)
    finally:
        os.close(fd)


def write(path):
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(fd, b"x")
    os.close(fd)


DO = {
    "read": read,
    "read-by-link": read,
    "list": lambda path: os.listdir(path),
    "write": write,
    "empty": lambda path: closing(os.open(path, os.O_WRONLY | os.O_TRUNC)),
    "truncate": lambda path: os.truncate(path, 0),
    "create": lambda path: closing(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)),
    "make-directory": lambda path: os.mkdir(path),
    "make-link": lambda path: os.symlink("anywhere", path),
    "remove": lambda path: os.unlink(path),
    "remove-directory": lambda path: os.rmdir(path),
    "rename": lambda path, other: os.rename(path, other),
    "link": lambda path, other: os.link(path, other),
    "mode": lambda path: os.chmod(path, 0o640),
    "times": lambda path: os.utime(path, (1, 2)),
    "attribute": lambda path: os.setxattr(path, "user.pinfold", b"x"),
}

answers = []
for name, *paths in json.loads(sys.argv[1]):
    try:
        done = DO[name](*paths)
        answers.append(done if name == "list" else "")
    except OSError as error:
        answers.append(errno.errorcode.get(error.errno, str(error.errno)))
print(json.dumps(answers))
