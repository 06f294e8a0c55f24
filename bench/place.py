"""place.py: the environment of measurements: an ordinary user's scratch home, and the programs that this user can reach.

Invariant: compared numbers are measured in turns, in one environment, by one user; a contender that fails is reported, and has no number.
Not here: the rows (rows.py), the contenders (peers.py), the clocks (spawn_timer.cc, fs_ops.cc).
"""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

USER_ID, USER = 12345, "bench"
PRIVATE = "PINFOLD_BENCH_PRIVATE"
PROGRAMS = ("spawn_timer", "fs_ops", "mount_floor", "start_floor", "net_load", "relay_driver", "session_timer", "bench_safety")
MANY = 100  # so many samples make a 99th percentile


class Cannot(str):
    """Why there is no number."""


class Failed(Exception):
    pass


def private_mounts(argv):
    """root only: begins again in a private mount namespace, where the user gets an account without one on the host."""
    if os.geteuid() == 0 and not os.environ.get(PRIVATE):
        os.environ[PRIVATE] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", *argv])


def sample(numbers):
    """Median, 99th percentile where there are enough, least and count of a list of numbers."""
    ordered = sorted(numbers)
    p99 = ordered[int(0.99 * (len(ordered) - 1))] if len(ordered) >= MANY else None
    return dict(median=statistics.median(ordered), p99=p99, min=ordered[0], count=len(ordered))


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return re.sub(r"\x1b\[[0-9;]*m", "", lines[-1])[:160] if lines else "no word of why"


class Place:
    """Scratch home and workspace of the ordinary user, with programs that this user can reach."""

    def __init__(self, pinfold, peers, first=()):
        above = "/home" if os.geteuid() == 0 else "/var/tmp"
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="pinfold-bench-", dir=above))
        self.base.chmod(0o755)
        self.home = self.base / "home"
        self.workspace = self.home / "project"
        self.bin = self.base / "bin"
        self.runtime = self.home / "run"
        for folder in (self.workspace, self.bin, self.runtime):
            folder.mkdir(parents=True)
        self.runtime.chmod(0o700)
        here = pinfold.resolve().parent
        for name in ("pinfold", "pinfold-web", *PROGRAMS):
            if (here / name).exists():
                shutil.copy2(here / name, self.bin / name)
                (self.bin / name).chmod(0o755)
        shutil.copy2(self.bin / "fs_ops", self.workspace / "fs_ops")  # visible inside
        self.become = []
        self.peers = peers
        if os.geteuid() == 0:
            ids = ["--reuid", str(USER_ID), "--regid", str(USER_ID), "--clear-groups", "--inh-caps=-all"]
            self.become = [*first, "setpriv", *ids]
            self._account()
            self.unified_cgroups()
            if peers.exists():  # wherever the project is, the user must reach them
                self.peers = self.base / "peers"
                self.peers.mkdir()
                subprocess.run(["mount", "--bind", peers, self.peers], check=True)
        self.give(self.home)
        self.env = dict(PATH="/usr/local/bin:/usr/bin:/bin", HOME=str(self.home), USER=USER, LANG="C.UTF-8",
                        XDG_RUNTIME_DIR=str(self.runtime))

    def _account(self):
        for name, line in (("passwd", "%s:x:%d:%d::%s:/bin/sh\n" % (USER, USER_ID, USER_ID, self.home)), ("group", "%s:x:%d:\n" % (USER, USER_ID))):
            copy = self.base / name
            copy.write_text(pathlib.Path("/etc", name).read_text() + line)
            copy.chmod(0o644)
            subprocess.run(["mount", "--bind", copy, "/etc/" + name], check=True)

    def unified_cgroups(self):
        """For this run alone, where a machine still mounts the old kind: crun takes nothing else."""
        if self.become and not os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
            subprocess.run(["mount", "-t", "cgroup2", "none", "/sys/fs/cgroup"], stderr=subprocess.DEVNULL, check=False)

    def remove(self):
        for path in pathlib.Path("/tmp").glob("srt-mux-*.sock"):  # srt leaves these when it is killed
            if path.lstat().st_uid == (USER_ID if self.become else os.getuid()):
                path.unlink(missing_ok=True)
        if self.peers.parent == self.base:
            subprocess.run(["umount", self.peers], check=False)
            if os.path.ismount(self.peers):
                return  # the files below belong to others
        shutil.rmtree(self.base, ignore_errors=True)

    def give(self, path):
        """Hands a path, and all below it, to the user."""
        if self.become:
            for at, _, files in os.walk(path):
                os.chown(at, USER_ID, USER_ID)
                for name in files:
                    os.chown(os.path.join(at, name), USER_ID, USER_ID, follow_symlinks=False)

    def command(self, argv, cwd=None):
        return dict(args=[*self.become, *map(str, argv)], cwd=cwd or self.workspace, env=self.env)

    def run(self, argv, cwd=None):
        return subprocess.run(**self.command(argv, cwd), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)

    def output(self, argv, cwd=None):
        done = self.run(argv, cwd)
        if done.returncode != 0:
            raise Failed("%s: exit %d: %s" % (" ".join(map(str, argv))[:200], done.returncode, last_line(done.stderr or done.stdout)))
        return done.stdout

    def boxed(self, *command, flags=()):
        return [self.bin / "pinfold", "run", *flags, "--", *command]

    def times(self, rounds, commands, every=None, cwd=None):
        """Microseconds from start to end of each command, in turns: {name: sample, or Cannot where its first run failed}."""
        every, found, asked = every or {}, {}, {}
        for name, command in commands.items():
            first = self.run(command, cwd)
            if first.returncode != 0:
                found[name] = Cannot("exit %d: %s" % (first.returncode, last_line(first.stderr or first.stdout)))
            else:
                asked[name] = command
        argv = [self.bin / "spawn_timer", rounds]
        # The first has its turn in every round.
        for number, (name, command) in enumerate(sorted(asked.items(), key=lambda item: every.get(item[0], 1))):
            argv += ([":::%d" % min(every.get(name, 1), rounds)] if number else []) + list(command)
        ordered = sorted(asked, key=lambda name: every.get(name, 1))
        if ordered:
            done = self.run(argv, cwd)
            if done.returncode != 0:
                raise Failed(last_line(done.stderr))
            for name, numbers in zip(ordered, json.loads(done.stdout)):
                if numbers["failed"]:
                    found[name] = Cannot("%d of %d failed: %s" % (numbers["failed"], numbers["failed"] + numbers["count"], last_line(done.stderr)))
                    continue
                if numbers["count"] < MANY:
                    numbers["p99"] = None
                found[name] = numbers
        return {name: found[name] for name in commands}

    def crowd(self, count, rounds, command, cwd=None):
        """So many of a command at once; latency in microseconds, and how many ended each second."""
        first = self.run(command, cwd)
        if first.returncode != 0:
            return Cannot("exit %d: %s" % (first.returncode, last_line(first.stderr or first.stdout)))
        done = self.run([self.bin / "spawn_timer", "--crowd", count, rounds, *command], cwd)
        if done.returncode != 0:
            raise Failed(last_line(done.stderr))
        numbers = json.loads(done.stdout)[0]
        if numbers["failed"]:
            return Cannot("%d of %d failed in one project: %s" % (numbers["failed"], numbers["count"], last_line(done.stderr)))
        return numbers

    def backends(self):
        """The names of the backends that `pinfold doctor` finds usable here."""
        done = self.run([self.bin / "pinfold", "doctor"])
        parts = re.split(r"^backend (\S+)$", done.stdout, flags=re.MULTILINE)
        return [name for name, text in zip(parts[1::2], parts[2::2]) if "cannot be used:" not in text]
