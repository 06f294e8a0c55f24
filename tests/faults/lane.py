"""lane.py: a home with a project in it, in which one run at a time happens; how it is before and after.

Invariant: everything lies below one directory of the test's own, and is the user's; a run finds it as every other run did.
Not here: the commands (scenarios.py), the failing calls (run).
"""
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import tempfile
import time

ORDINARY = pwd.getpwnam("nobody").pw_uid
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SECRET = "not-for-the-command"
PATIENCE_S = 300


class Lane:
    def __init__(self, programs, user, scenario, port):
        self.programs, self.user, self.scenario, self.port = programs, user, scenario, port
        self.uid = ORDINARY if user == "user" else 0
        # Not in a temporary directory: those are private to each sandbox.
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="pinfold-faults-", dir="/srv"))
        self.base.chmod(0o755)
        self.world, self.made = self.base / "world", self.base / "made"
        self.result, self.points = self.base / "result", self.base / "points"
        self.home, self.project = self.world / "home", self.world / "home/project"
        self.fresh()
        scenario.prepare(self)
        self.own()
        shutil.copytree(self.world, self.made, symlinks=True)
        self.before = self.tree()

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)

    def fresh(self):
        for path in ("home/.ssh", "home/.config/pinfold", "home/project/.git/hooks", "home/project/.vscode", "tmp", "run", "bin",
                     "home/.local/state"):
            (self.world / path).mkdir(parents=True, exist_ok=True)
        (self.home / ".ssh/id_rsa").write_text(SECRET)
        for path in (".config/pinfold", ".ssh"):
            (self.home / path).chmod(0o700)
        (self.world / "run").chmod(0o700)
        (self.project / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (self.project / ".vscode/settings.json").write_text("{}\n")
        (self.project / "readme.txt").write_text("hello\n")
        shutil.copy(self.programs["probe"], self.project / "probe")

    def own(self):
        for at, folders, files in os.walk(self.world):
            for name in [".", *folders, *files]:
                os.lchown(os.path.join(at, name), self.uid, self.uid)

    def renew(self):
        shutil.rmtree(self.world, ignore_errors=True)
        shutil.copytree(self.made, self.world, symlinks=True)
        self.own()

    def tree(self):
        """Every name below the world that is not the command's own; a project's cache is named after a hash of its path."""
        names = {re.sub("projects/[0-9a-f]{40}(-[0-9]+)?|project-[0-9a-f]{32}", "projects/HASH", os.path.relpath(os.path.join(at, name), self.world))
                 for at, folders, files in os.walk(self.world) for name in folders + files}
        return {name for name in names if not self.scenario.owns(name)}

    @property
    def env(self):
        return dict(PATH=PATH, HOME=str(self.home), USER="tester", LANG="C.UTF-8", TERM="dumb", TMPDIR=str(self.world / "tmp"),
                    XDG_RUNTIME_DIR=str(self.world / "run"), CANARY_TOKEN=SECRET)

    def probe(self):
        """The command line of the command that looks at its own confinement."""
        return [str(self.project / "probe"), str(self.project / "mark"), str(self.home / ".ssh/id_rsa"),
                str(self.project / ".vscode/settings.json"), str(self.project / ".git/hooks/pre-commit"), str(self.port),
                "CANARY_TOKEN", str(64 << 20)]

    def run(self, argv, fault=None, points=False):
        """One run of it, all its processes traced."""
        words = [self.programs["injector"], "--result", str(self.result), "--uid", str(self.uid), "--deadline", "40"]
        for program in ("pinfold", "host", "bwrap"):
            if self.programs[program]:
                words += ["--program", self.programs[program]]
        if points:
            words += ["--points", str(self.points)]
        for each in [*self.scenario.standing, *([fault] if fault else [])]:
            words += ["--fail", each]
        text = self.scenario.text(self)
        began = time.time()
        stream = {"input": text.encode()} if text else {"stdin": subprocess.DEVNULL}
        ran = subprocess.run([*words, "--", *map(str, argv)], env=self.env, cwd=self.project, capture_output=True,
                             timeout=PATIENCE_S, check=False, **stream)
        if ran.returncode != 0:
            raise RuntimeError("the injector failed: %r" % ran.stderr.decode())
        return Outcome(ran, self.result.read_text(), str(self.base), began)

    def ask(self, *words):
        """pinfold without any fault."""
        def become():
            os.setgroups([])
            os.setgid(self.uid)
            os.setuid(self.uid)

        return subprocess.run([self.programs["pinfold"], *map(str, words)], env=self.env, cwd=self.project, preexec_fn=become,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False)

    def journal(self):
        """The entries, or None if a line cannot be read."""
        file = self.home / ".local/state/pinfold/journal.jsonl"
        try:
            return [json.loads(line) for line in file.read_text().splitlines() if line]
        except FileNotFoundError:
            return []
        except ValueError:
            return None


class Outcome:
    """How a run ended, as the injector and its streams tell."""

    def __init__(self, ran, text, base, began):
        self.began = began - 1  # file systems cut times off
        self.out, self.err = (stream.decode("utf-8", "replace").replace(base, "BASE") for stream in (ran.stdout, ran.stderr))
        fields = dict(line.partition(" ")[::2] for line in text.splitlines())
        self.code, self.signal, self.pid = int(fields["exit"]), int(fields["signal"]), int(fields["pid"])
        self.injected, self.hang = fields["injected"] == "1", fields["hang"] == "1"
        self.survivors, self.call = fields["survivors"], fields["call"]
