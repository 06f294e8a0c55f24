"""world.py: a workspace, and beside it a place with a canary that no policy shows.

Invariant: everything lies below one directory of the test's own and is the user's; a check looks at the host, not only at the answer.
Not here: the checks (cases.py, changes.py, oracle.py).
"""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

USERS = ["root", "user"] if os.geteuid() == 0 else ["user"]
ORDINARY = pwd.getpwnam("nobody").pw_uid
CANARY = "canary: this lies outside\n"


class Ran:
    def __init__(self, done):
        self.code, self.raw = done.returncode, done.stdout
        self.out = done.stdout.decode("utf-8", "backslashreplace")
        self.err = done.stderr.decode("utf-8", "backslashreplace")

    def ok(self):
        assert self.code == 0, (self.code, self.out[:400], self.err[:800])
        return self

    def is_(self, code, *words):
        assert self.code == code, (self.code, code, self.out[:400], self.err[:800])
        for word in words:
            assert word in self.err, (word, self.err)
        return self

    def json(self):
        return json.loads(self.out)


class World:
    def __init__(self, pinfold, user):
        self.pinfold, self.user = pinfold, user
        self.bin = pathlib.Path(pinfold).parent
        self.identity = ORDINARY if user == "user" and os.geteuid() == 0 else None
        self.base = pathlib.Path(os.path.realpath(tempfile.mkdtemp(
            prefix="pinfold-files-", dir="/srv" if os.geteuid() == 0 else os.path.expanduser("~"))))
        self.base.chmod(0o755)
        self.home, self.ws, self.outside = self.base / "home", self.base / "home/work", self.base / "outside"
        for path in (self.home, self.ws, self.outside, self.outside / "folder"):
            path.mkdir()
        (self.outside / "file").write_text(CANARY)
        (self.outside / "folder/file").write_text(CANARY)
        self.own()
        self.env = dict(PATH="/usr/local/bin:/usr/bin:/bin", HOME=str(self.home), USER="tester", LANG="C.UTF-8", TERM="dumb")

    def own(self, below=None):
        if self.identity is None:
            return
        for at, folders, files in os.walk(below or self.base):
            for name in [".", *folders, *files]:
                os.lchown(os.path.join(at, name), self.identity, self.identity)

    def become(self):
        os.setsid()
        if self.identity is not None:
            os.setgroups([])
            os.setgid(self.identity)
            os.setuid(self.identity)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base, ignore_errors=True)

    def sh(self, *argv, stdin=b"", cwd=None):
        """Bare, as that user."""
        return Ran(subprocess.run([str(word) for word in argv], env=self.env, cwd=cwd or self.ws, preexec_fn=self.become, input=stdin,
                                  capture_output=True, timeout=300, check=False))

    def files(self, *words, stdin=b"", cwd=None):
        if isinstance(stdin, str):
            stdin = stdin.encode()
        argv = [self.pinfold.encode(), b"files", *[word if isinstance(word, bytes) else str(word).encode() for word in words]]
        return Ran(subprocess.run(argv, env=self.env, cwd=cwd or self.ws, preexec_fn=self.become, input=stdin, capture_output=True,
                                  timeout=300, check=False))

    def put(self, name, data="", mode=None):
        path = self.ws / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        if mode is not None:
            path.chmod(mode)
        self.own()
        return path

    def link(self, name, target):
        os.symlink(target, self.ws / name)
        self.own()

    def bare(self, name):
        """The attempt must reach its canary without Pinfold, or it proves nothing."""
        assert (self.ws / name).read_text() == CANARY, name

    def untouched(self):
        for path in (self.outside / "file", self.outside / "folder/file"):
            assert path.read_text() == CANARY, path
        assert sorted(os.listdir(self.outside)) == ["file", "folder"], os.listdir(self.outside)
        assert os.listdir(self.outside / "folder") == ["file"], os.listdir(self.outside / "folder")
