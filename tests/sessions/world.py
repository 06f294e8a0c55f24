"""world.py: a place of its own for each check: a workspace, a runtime directory, and sessions that end with it.
Not here: the checks."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ORDINARY = 12345
USERS = ("root", "ordinary user") if os.geteuid() == 0 else ("ordinary user",)
PATIENCE = 120  # seconds, for expected events; never for forbidden ones


def prefix(user):
    if os.geteuid() != 0 or user == "root":
        return []
    return ["setpriv", "--reuid=%d" % ORDINARY, "--regid=%d" % ORDINARY, "--clear-groups"]


def backends(pinfold, user):
    """Those that stand here."""
    out = []
    for name in ("native", "bubblewrap", "landlock"):
        ran = subprocess.run([*prefix(user), pinfold, "run", "--backend", name, "--on-unavailable", "warn", "--", "/bin/true"],
                             cwd="/usr", env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"}, capture_output=True, check=False)
        if ran.returncode == 0:
            out.append(name)
    return out


def native_only(check):
    """A check of a property that is the same on every backend."""
    check.native_only = True
    return check


def until(condition, what):
    """Waits for an expected event."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("waited %d s for: %s" % (PATIENCE, what))


def is_gone(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def with_word(word):
    """The processes of this machine that have this word among their arguments."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open("/proc/%s/cmdline" % entry, "rb") as file:
                    if word.encode() in file.read().split(b"\0") and not is_gone(int(entry)):
                        found.append(int(entry))
            except OSError:
                pass
    return found


class World:
    _count = 0

    def __init__(self, pinfold, backend, user):
        self.backend, self.user = backend, user
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="pinfold-sessions-", dir="/var/tmp"))
        self.base.chmod(0o755)
        # An ordinary user may not be able to reach the build directory.
        self.pinfold = str(self.base / "pinfold")
        shutil.copy(pinfold, self.pinfold)
        os.chmod(self.pinfold, 0o755)
        self.workspace, self.runtime, self.home = self.base / "work", self.base / "run", self.base / "home"
        for each in (self.workspace, self.runtime, self.home):
            each.mkdir(mode=0o700)
            if os.geteuid() == 0 and user != "root":
                os.chown(each, ORDINARY, ORDINARY)
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.runtime), "TERM": "xterm",
                    "LANG": "C.UTF-8"}
        self.sessions = []
        World._count += 1
        self._words = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for entry in json.loads(self.run("session", "list", "--json", check=False).stdout or "[]"):
            self.run("session", "stop", entry["id"], check=False)
        shutil.rmtree(self.base, ignore_errors=True)

    def word(self):
        """A unique number of seconds to sleep: the test finds the process by it from outside."""
        self._words += 1
        return "%d" % (100000 + os.getpid() % 10000 * 10000 + World._count * 20 + self._words)

    def command(self, *arguments):
        return [*prefix(self.user), self.pinfold, *arguments]

    def popen(self, *arguments, **options):
        options.setdefault("cwd", self.workspace)
        options.setdefault("env", self.env)
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(self.command(*arguments), **options)

    def run(self, *arguments, check=True, **options):
        options.setdefault("cwd", self.workspace)
        options.setdefault("env", self.env)
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        ran = subprocess.run(self.command(*arguments), capture_output=True, timeout=PATIENCE, check=False, **options)
        if check:
            assert ran.returncode == 0, (arguments, ran)
        return ran

    def flags(self):
        return ["--backend", self.backend, "--on-unavailable", "warn"]

    def start(self, *flags, name="s"):
        return self.run("session", "start", "--name", name, *self.flags(), *flags).stdout.decode().strip()

    def exec(self, *arguments, check=True, name="s", **options):
        return self.run("session", "exec", name, *arguments, check=check, **options)

    def sh(self, text, *flags, check=True, name="s", **options):
        return self.exec(*flags, "--", "sh", "-c", text, check=check, name=name, **options)

    def listed(self):
        return json.loads(self.run("session", "list", "--json").stdout)

    def keeper(self, name="s"):
        """The session's own process."""
        return next(entry["pid"] for entry in self.listed() if entry["name"] == name)

    def place(self):
        return self.runtime / "pinfold"

    def assert_nothing_left(self):
        left = [str(each) for each in self.place().iterdir() if each.name != ".lock"] if self.place().exists() else []
        assert left == [], left
        # The janitor of a killed session needs some time.
        until(lambda: with_word(self.pinfold) == [], f"nothing of {self.pinfold} runs any more")
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            assert str(self.base) not in file.read()


def kill(pid, number=signal.SIGKILL):
    os.kill(pid, number)
