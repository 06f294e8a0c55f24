# slow_files.py: a file system whose every answer takes its time, as of a server far away. Needs root and /dev/fuse.
#   slow_files.py DIRECTORY SECONDS DIRECTORIES FILES -- COMMAND…    runs the command; the last line of stderr: "asked N times"
# Invariant: mounted in a mount namespace of its own, read-only, and gone with this process; every question is counted.
# Not here: the checks that use it (large_trees.py).
import ctypes
import errno
import os
import struct
import subprocess
import sys
import threading
import time

LOOKUP, FORGET, GETATTR, READLINK, OPEN, STATFS, RELEASE, GETXATTR, INIT, OPENDIR, READDIR, RELEASEDIR, ACCESS, BATCH_FORGET, DESTROY = (
    1, 2, 3, 5, 14, 17, 18, 22, 26, 27, 28, 29, 34, 42, 38)
DIRECTORY, FILE = 0o40000, 0o100000
CLONE_NEWNS, MS_NOSUID_NODEV, MS_REC_PRIVATE = 0x20000, 6, (1 << 14) | (1 << 18)
ROOT = 1


class SlowFiles:
    """`directories` directories at the top, each with `files` files and one more directory with as many."""

    def __init__(self, delay, directories, files):
        self.delay, self.asked = delay, 0
        self.children, self.kinds = {ROOT: {}}, {ROOT: DIRECTORY}
        for number in range(directories):
            self.grow(self.add(ROOT, f"dir{number}", DIRECTORY), files)

    def grow(self, node, files):
        for number in range(files):
            self.add(node, f"file{number}", FILE)
        below = self.add(node, "deeper", DIRECTORY)
        for number in range(files):
            self.add(below, f"file{number}", FILE)

    def add(self, parent, name, kind):
        node = len(self.kinds) + 1
        self.kinds[node], self.children[parent][name] = kind, node
        if kind == DIRECTORY:
            self.children[node] = {}
        return node

    def mount(self, at):
        """In a mount namespace of this process's own; serves from a thread."""
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNS) != 0 or libc.mount(b"none", b"/", None, MS_REC_PRIVATE, None) != 0:
            raise OSError(ctypes.get_errno(), "making a mount namespace")
        self.fd = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fd},rootmode=40000,user_id=0,group_id=0,allow_other"
        if libc.mount(b"slow", os.fsencode(at), b"fuse.slow", MS_NOSUID_NODEV, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), "mounting " + at)
        threading.Thread(target=self.serve, daemon=True).start()

    def attributes(self, node):
        kind = self.kinds[node]
        mode = kind | (0o755 if kind == DIRECTORY else 0o644)
        return struct.pack("<QQQQQQIIIIIIIIII", node, 0, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def listing(self, node, offset, size):
        out = b""
        names = [(".", node), ("..", node), *self.children[node].items()]
        for number, (name, child) in enumerate(names[offset:], offset + 1):
            text = name.encode()
            entry = struct.pack("<QQII", child, number, len(text), self.kinds[child] >> 12) + text
            entry += b"\0" * (-len(entry) % 8)
            if len(out) + len(entry) > size:
                break
            out += entry
        return out

    def answer(self, code, node, data):
        if code == INIT:
            return struct.pack("<IIIIHHIIHHIIIIII", 7, 31, 65536, 0, 0, 0, 4096, 1, 1, 0, 0, 0, 0, 0, 0, 0)
        self.asked += 1
        time.sleep(self.delay)
        if code == LOOKUP:
            child = self.children.get(node, {}).get(data.rstrip(b"\0").decode())
            if child is None:
                return -errno.ENOENT
            return struct.pack("<QQQQII", child, 0, 0, 0, 0, 0) + self.attributes(child)
        if code == GETATTR:
            return struct.pack("<QII", 0, 0, 0) + self.attributes(node)
        if code in (OPEN, OPENDIR):
            return struct.pack("<QII", 0, 0, 0)
        if code == READDIR:
            _, offset, size = struct.unpack_from("<QQI", data)
            return self.listing(node, offset, size)
        if code in (RELEASE, RELEASEDIR, ACCESS, DESTROY):
            return b""
        if code == STATFS:
            return struct.pack("<QQQQQIIII24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
        return -errno.ENOSYS

    def serve(self):
        while True:
            try:
                request = os.read(self.fd, 1 << 20)
            except OSError:
                return
            _, code, unique, node, *_ = struct.unpack_from("<IIQQIIII", request)
            if code in (FORGET, BATCH_FORGET):
                continue
            result = self.answer(code, node, request[40:])
            error, body = (result, b"") if isinstance(result, int) else (0, result)
            try:
                os.write(self.fd, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
            except OSError:
                continue  # the asker is gone


def main():
    at, delay, directories, files = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    slow = SlowFiles(delay, directories, files)
    slow.mount(at)
    code = subprocess.run(sys.argv[6:], close_fds=True, check=False).returncode
    print(f"asked {slow.asked} times", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
