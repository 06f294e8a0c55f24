"""world.py: the home, workspace and stores of one user for the deaths, and the conditions that hold for them after each death.

Invariant: everything lies below one directory of the test's own, and belongs to one user. Each wait names the event that it
waits for and how long it waited. Not here: what runs (scenes.py), how a process dies (ways.py).
"""
import ctypes
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ORDINARY = 12345
PATIENCE = 120  # seconds, for an event that must come
PR_SET_CHILD_SUBREAPER = 36
SECRET = "a secret that no rule grants"
PLUGIN = "org.example.echo"


class Wrong(Exception):
    """A property that does not hold after a death."""


def adopt_orphans():
    """Makes every process whose parent dies below this one a child of this one: so none is overlooked, and none of others is counted."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


def until(condition, event, patience=PATIENCE, pause=0.002):
    """The first true value of the condition; Wrong names the event that did not come."""
    began = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() - began > patience:
            raise Wrong("waited %d s for: %s" % (patience, event() if callable(event) else event))
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)


def stat_fields(pid):
    """/proc/PID/stat from the state on; none if the process is gone."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
            return [int(each) for each in file.read().split()]
    except OSError:
        return []


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def command_line(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return [word.decode("utf-8", "replace") for word in file.read().split(b"\0")[:-1]]
    except OSError:
        return []


def shown(pid):
    return "%d (%s, state %s)" % (pid, " ".join(command_line(pid))[:120], (stat_fields(pid) or "?")[0])


def digest_of(root, left_out=()):
    """Every name below root with its kind, mode and content."""
    found = {}
    for at, folders, files in os.walk(root):
        folders[:] = [name for name in folders if os.path.join(at, name) not in left_out]
        for name in [*folders, *files]:
            path = os.path.join(at, name)
            info = os.lstat(path)
            content = ""
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(path, root)] = (oct(info.st_mode), info.st_uid, content)
    return found


def difference(before, after):
    return sorted("%s %s" % ("-" if name not in after else "+" if name not in before else "~", name)
                  for name in before.keys() | after.keys() if before.get(name) != after.get(name))


class World:
    def __init__(self, pinfold, user):
        self.user = user
        self.pids = set()  # of every process that a trial started, for the names of cgroups
        self.identity = ORDINARY if user == "user" and os.geteuid() == 0 else None
        # Not in a temporary directory: each sandbox has its own.
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="pinfold-deaths-", dir="/srv" if os.geteuid() == 0 else os.path.expanduser("~")))
        self.base.chmod(0o755)
        self.programs = self.base / "bin"
        self.programs.mkdir()
        for name in ("pinfold", "pinfold-web"):
            shutil.copy(pathlib.Path(pinfold).parent / name, self.programs / name)
        self.pinfold = str(self.programs / "pinfold")
        self.home, self.runtime, self.tmp = self.base / "home", self.base / "run", self.base / "tmp"
        self.workspace, self.outside = self.home / "work", self.home / "outside"
        for each in (self.home, self.workspace, self.outside, self.runtime, self.tmp):
            each.mkdir(mode=0o700)
        (self.workspace / "readme.txt").write_text("as it was\n")
        self.secret = self.outside / "secret"
        self.secret.write_text(SECRET + "\n")
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.runtime), "TMPDIR": str(self.tmp),
                    "TERM": "dumb", "LANG": "C.UTF-8"}
        self.make_plugin(pathlib.Path(pinfold).parent)
        self.own()
        self.must("plugin", "allow", PLUGIN, "--yes")
        self.must("run", "--", "/bin/true")  # makes the journal and the directories that Pinfold keeps
        self.approvals = (self.home / ".config/pinfold/plugin-approvals.json").read_bytes()
        self.kept = (str(self.home / ".cache"), str(self.home / ".local"))
        self.as_made = digest_of(self.home, self.kept)
        self.journal_seen = 0

    def make_plugin(self, built):
        folder = self.home / ".config/pinfold/plugins/echo"
        folder.mkdir(parents=True)
        (self.home / ".config/pinfold").chmod(0o700)
        (folder / "pinfold.plugin.json").write_text(json.dumps({
            "id": PLUGIN, "name": "Echo", "version": "1.0.0", "author": "@tests", "description": "a plugin of the tests",
            "runtime": "binary", "entry": "echo_plugin"}))
        shutil.copy(built / "echo_plugin", folder / "echo_plugin")

    def own(self):
        if self.identity is not None:
            for at, folders, files in os.walk(self.base):
                for name in [*folders, *files]:
                    os.lchown(os.path.join(at, name), self.identity, self.identity)

    def become(self):
        os.setsid()
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        if self.identity is not None:
            os.setgroups([])
            os.setgid(self.identity)
            os.setuid(self.identity)

    def popen(self, *words, **options):
        for stream in ("stdin", "stdout", "stderr"):
            options.setdefault(stream, subprocess.PIPE)
        one = subprocess.Popen([self.pinfold, *words], cwd=self.workspace, env=self.env, preexec_fn=self.become, bufsize=0, **options)
        self.pids.add(one.pid)
        return one

    def run(self, *words):
        """An ordinary use of the program, which must end by itself."""
        one = self.popen(*words, stdin=subprocess.DEVNULL)
        try:
            out, err = one.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            one.kill()
            one.communicate()
            raise Wrong("waited %d s for the end of pinfold %s" % (PATIENCE, " ".join(words))) from None
        return one.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def must(self, *words):
        code, out, err = self.run(*words)
        if code != 0:
            raise Wrong("pinfold %s ended with %d: %s" % (" ".join(words), code, (out + err)[-300:]))
        return out

    # ---- after a death ----
    def living(self):
        """Children of this process that still run; reaps those that have ended."""
        alive = []
        for child in children(os.getpid()):
            fields = stat_fields(child)
            if fields and fields[0] not in "ZX":
                alive.append(child)
            else:
                try:
                    os.waitpid(child, os.WNOHANG)
                except ChildProcessError:
                    pass
        return alive

    def end_survivors(self):
        for _ in range(100):
            alive = self.living()
            for pid in alive:
                for each in [*descendants(pid), pid]:
                    try:
                        os.kill(each, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
            if not alive:
                return
            time.sleep(0.02)

    def check_processes(self):
        until(lambda: not self.living(),
              lambda: "the end of every process of the run; these survive: " + ", ".join(shown(pid) for pid in self.living()))

    def check_confined(self):
        """Commands try all the time to read the secret, to copy it into the workspace, and to write beside the secret."""
        if (self.workspace / "leak").exists():
            raise Wrong("a command read a file that no rule grants: %r" % (self.workspace / "leak").read_bytes()[:80])
        if (self.outside / "made").exists():
            raise Wrong("a command wrote a file outside of its workspace")

    def leftovers(self):
        found = difference(self.as_made, digest_of(self.home, self.kept))
        found += ["runtime directory: " + name for name in self.names(self.runtime / "pinfold") if name != ".lock"]
        found += ["temporary directory: " + name for name in self.names(self.tmp)]
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            found += ["mount: " + line.strip() for line in file if str(self.base) in line]
        return found + ["cgroup: " + name for name in self.cgroups()]

    @staticmethod
    def names(folder):
        try:
            return sorted(os.listdir(folder))
        except FileNotFoundError:
            return []

    def cgroups(self):
        """Those that a process of this trial has made: their names begin with pinfold-PID-."""
        found = []
        for root, names, _ in os.walk("/sys/fs/cgroup"):
            found += [os.path.join(root, name) for name in names
                      if name.startswith("pinfold-") and name.split("-")[1].isdigit() and int(name.split("-")[1]) in self.pids]
        return found

    def check_nothing_left(self, next_run):
        """The janitor removes most of it after the processes have ended; the next run and the next list remove the rest."""
        if not self.leftovers():
            return "at once"
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            if not self.leftovers():
                return "by the janitor"
            time.sleep(0.01)
        self.run("session", "list")
        self.run(*next_run)
        until(lambda: not self.living(), "the end of the next run's processes")
        until(lambda: not self.leftovers(), lambda: "the removal of leftovers by the janitor or the next run: " + "; ".join(self.leftovers()[:8]))
        return "by the next run"

    def check_stores(self):
        if (self.home / ".config/pinfold/plugin-approvals.json").read_bytes() != self.approvals:
            raise Wrong("the store of plugin approvals changed")
        journal = self.home / ".local/state/pinfold/journal.jsonl"
        with open(journal, "rb") as file:
            file.seek(self.journal_seen)
            text = file.read()
        self.journal_seen += len(text)
        for line in text.splitlines():
            try:
                json.loads(line)
            except ValueError:
                # A death in the middle of the write cuts a line off; the next line must not be lost with it.
                if line and line.count(b'{"schema"') != 1:
                    raise Wrong("lines of the journal are mixed: %r" % line[:300]) from None
                self.must("log", "--json")

    def reset(self):
        """After a failure: the next trial begins with a clean world."""
        self.end_survivors()
        for path in (self.workspace / "leak", self.outside / "made", self.workspace / "precious.txt"):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.runtime / "pinfold", ignore_errors=True)
        for name in self.names(self.tmp):
            shutil.rmtree(self.tmp / name, ignore_errors=True)
        for group in self.cgroups():
            try:
                os.rmdir(group)
            except OSError:
                pass
        self.journal_seen = (self.home / ".local/state/pinfold/journal.jsonl").stat().st_size

    def close(self):
        self.end_survivors()
        shutil.rmtree(self.base, ignore_errors=True)
