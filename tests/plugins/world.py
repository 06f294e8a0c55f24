"""world.py: a home with a directory of plugins, and ways to make plugins and to run pinfold.

Invariant: everything lies below one directory of the test's own, and is the user's; every started process is ended.
Not here: the checks.
"""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

from terminal import Terminal

USERS = ["root", "user"] if os.geteuid() == 0 else ["user"]
ORDINARY = pwd.getpwnam("nobody").pw_uid
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
HERE = pathlib.Path(__file__).parent
PATIENCE = 300


class World:
    def __init__(self, pinfold, user):
        self.pinfold = pinfold
        self.identity = ORDINARY if user == "user" and os.geteuid() == 0 else None
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="pinfold-plugins-",
                                                  dir="/srv" if os.geteuid() == 0 else os.path.expanduser("~")))
        self.base.chmod(0o755)
        self.home = self.base / "home"
        self.config = self.home / ".config/pinfold"
        self.plugins = self.config / "plugins"
        self.plugins.mkdir(parents=True)
        self.config.chmod(0o700)
        self.approvals_file = self.config / "plugin-approvals.json"
        self.env = dict(PATH=PATH, HOME=str(self.home), USER="tester", LANG="C.UTF-8", TERM="dumb")
        self.open = []
        self.own()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in self.open:
            each.close()
        shutil.rmtree(self.base, ignore_errors=True)

    def own(self):
        """What the test makes is the user's."""
        if self.identity is None:
            return
        for at, folders, files in os.walk(self.base):
            for name in [".", *folders, *files]:
                os.lchown(os.path.join(at, name), self.identity, self.identity)

    def become(self):
        os.setsid()
        if self.identity is not None:
            os.setgroups([])
            os.setgid(self.identity)
            os.setuid(self.identity)

    def plugin(self, called, entry="server.py", source=None, permissions=None, **more):
        """A folder with a manifest; the entry is one of the servers here, or `source`."""
        folder = self.plugins / called
        folder.mkdir(exist_ok=True)
        runtime = {"py": "python", "js": "node", "mjs": "node"}.get(entry.rsplit(".", 1)[-1], "binary")
        manifest = {"id": "org.example." + called, "name": called.title(), "version": "1.0.0", "author": "@tests",
                    "description": "a plugin of the tests", "runtime": runtime, "entry": entry}
        if permissions is not None:
            manifest["permissions"] = permissions
        manifest.update(more)
        (folder / "pinfold.plugin.json").write_text(json.dumps(manifest, indent=2))
        if source is not None:
            (folder / entry).write_text(source)
        elif not (folder / entry).exists() and (HERE / "servers" / entry).exists():
            shutil.copy(HERE / "servers" / entry, folder / entry)
        self.own()
        return manifest["id"]

    def rewrite(self, name, **changes):
        """Other values in a plugin's manifest."""
        file = self.plugins / name / "pinfold.plugin.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **changes}, indent=2))
        self.own()

    def run(self, *words, text="", env=(), cwd=None):
        return subprocess.run([self.pinfold, *map(str, words)], input=text.encode(), env={**self.env, **dict(env)},
                              cwd=cwd or self.home, preexec_fn=self.become, capture_output=True, timeout=PATIENCE,
                              check=False)

    def bare(self, *argv, text="", env=(), cwd=None):
        return subprocess.run(list(map(str, argv)), input=text.encode(), env={**self.env, **dict(env)},
                              cwd=cwd or self.home, preexec_fn=self.become, capture_output=True, timeout=PATIENCE,
                              check=False)

    def fine(self, *words, **more):
        """Its output, after it succeeded."""
        ran = self.run(*words, **more)
        assert ran.returncode == 0, (words, ran.returncode, ran.stdout.decode(), ran.stderr.decode())
        return ran.stdout.decode()

    def refused(self, *words, code=126, **more):
        """Its output, after it exited with this code."""
        ran = self.run(*words, **more)
        assert ran.returncode == code, (words, ran.returncode, ran.stdout.decode(), ran.stderr.decode())
        return ran.stderr.decode()

    def states(self):
        return {row["id"] or row["folder"].rsplit("/", 1)[-1]: row["state"]
                for row in json.loads(self.fine("plugin", "list", "--json"))}

    def approvals(self):
        return json.loads(self.approvals_file.read_text())

    def terminal(self, *words, program=None):
        one = Terminal([program or self.pinfold, *words], self.env, str(self.home), self.identity)
        self.open.append(one)
        return one

    def answered(self, one, line):
        """Types the line until it counts, since keys typed before a request do not count; the exit code."""
        while one.process.poll() is None:
            one.send(line)
            end = time.monotonic() + 3
            while one.process.poll() is None and time.monotonic() < end:
                one.pump(0.05)
        return one.end()
