"""world.py: a home with a workspace, and a directory outside of it that no policy shows.

Invariant: everything lies below one directory of the test's own, and is the user's; every started process is ended.
Not here: the terminal (terminal.py), the checks.
"""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

from terminal import Terminal

USERS = ["root", "user"] if os.geteuid() == 0 else ["user"]
ORDINARY = pwd.getpwnam("nobody").pw_uid
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class World:
    def __init__(self, pinfold, user):
        self.pinfold = pinfold
        self.identity = ORDINARY if user == "user" and os.geteuid() == 0 else None
        # Not in a temporary directory: those are private to each run.
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="pinfold-ask-", dir="/srv" if os.geteuid() == 0 else os.path.expanduser("~")))
        self.base.chmod(0o755)
        self.home, self.workspace, self.outside = self.base / "home", self.base / "home/work", self.base / "outside"
        for path in (self.home, self.workspace, self.outside, self.outside / "folder"):
            path.mkdir()
        (self.outside / "file").write_text("outside file text\n")
        (self.outside / "other").write_text("another thing\n")
        self.own()
        self.env = dict(PATH=PATH, HOME=str(self.home), USER="tester", LANG="C.UTF-8", TERM="dumb")
        self.terminals = []

    def own(self):
        """What the test makes is the user's."""
        if self.identity is None:
            return
        for at, folders, files in os.walk(self.base):
            for name in [".", *folders, *files]:
                os.lchown(os.path.join(at, name), self.identity, self.identity)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in self.terminals:
            each.close()
        shutil.rmtree(self.base, ignore_errors=True)

    def start(self, *words, flags=(), command="run"):
        """A command with a simulated person at its terminal."""
        argv = [self.pinfold, command, *flags, *(["--", *words] if words else [])]
        if "--ask" not in flags and command == "run":
            argv[2:2] = ["--ask", "terminal"]
        one = Terminal(argv, self.env, str(self.workspace), self.identity)
        self.terminals.append(one)
        return one

    def sh(self, script, **more):
        return self.start("sh", "-c", script, **more)

    def quietly(self, *argv, **more):
        """Without a terminal."""
        def lead():
            os.setsid()
            if self.identity is not None:
                os.setgroups([])
                os.setgid(self.identity)
                os.setuid(self.identity)

        return subprocess.run([str(word) for word in argv], env=self.env, cwd=self.workspace, preexec_fn=lead, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=300, check=False, **more)

    def report(self, name="report.json"):
        return json.loads((self.workspace / name).read_text())
