"""world.py: a home with a workspace, something shown and something not, owned by the user of the test.

Invariant: everything lies below one new directory, which is removed.
"""
import os
import shutil
import socket
import tempfile

USER_ID = 12345
FILES = """write dotdot linked through by-fd by-fd2 by-cwd by-proc reopened reopened2 by-proc-cwd append both truncated mode owner times
    old old3 gone""".split()
HIDDEN = "write gone linked read read2 read3 read4 stat".split()


class World:
    def __init__(self, who):
        self.who = who
        self.base = tempfile.mkdtemp(prefix="pinfold-observe-", dir="/var/tmp")
        os.chmod(self.base, 0o755)
        self.home = self.base + "/home"
        self.sockets = []
        for name in ("ws/.git/hooks", "ro/dir/full", "ro/empty", "ro/tmpfile", "hidden/dir"):
            os.makedirs(self.home + "/" + name)
        self.workspace, self.shown, self.hidden = (self.home + "/" + name for name in ("ws", "ro", "hidden"))
        for name in [b"caf\xe9", b"a\n\x1b[2J"] + [os.fsencode(name) for name in FILES]:
            self.file(os.fsencode(self.shown) + b"/" + name)
        for name in HIDDEN:
            self.file(self.hidden + "/" + name)
        self.file(self.workspace + "/mine")
        self.file(self.workspace + "/.git/hooks/pre-commit")
        for name in ("program", "program2"):
            shutil.copy("/bin/true", self.hidden + "/" + name)
        for name, target in {"link-file": "../ro/linked", "link-dir": "../ro", "link-new": "../ro/link-new",
                             "link-hidden": "../hidden/linked", "link-read": "../hidden/read3"}.items():
            os.symlink(target, self.workspace + "/" + name)
        os.symlink("read", self.hidden + "/a-link")
        for name in ("socket", "socket2"):
            one = socket.socket(socket.AF_UNIX)
            one.bind(self.hidden + "/" + name)
            one.listen()
            self.sockets.append(one)
        self.long = self.make_long()
        for at, directories, files in os.walk(self.home):
            for name in ["."] + directories + files:
                self.give(os.path.join(at, name))
        for directory in (self.shown, self.hidden):
            self.file(directory + "/root-only", 0o644)

    @staticmethod
    def file(path, mode=0o666):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, mode))
        os.chmod(path, mode)

    def give(self, path):
        if os.geteuid() == 0 and self.who == "user":
            os.chown(path, USER_ID, USER_ID, follow_symlinks=False)

    def make_long(self):
        """A directory below a shown one whose files have paths of almost PATH_MAX bytes."""
        path = self.shown
        while len(path) < 3800:
            path += "/" + "n" * 200
        os.makedirs(path)
        path += "/" + "m" * (4095 - len(path) - len("//long") - 1)
        os.mkdir(path)
        self.file(path + "/long")
        return path

    def argv(self, command):
        if os.geteuid() != 0 or self.who == "root":
            return command
        return ["setpriv", "--reuid", str(USER_ID), "--regid", str(USER_ID), "--clear-groups", "--inh-caps=-all"] + command

    def environment(self):
        return {"HOME": self.home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def remove(self):
        for one in self.sockets:
            one.close()
        shutil.rmtree(self.base)
