"""stage.py: runs a row: the user, the scratch home, bare or boxed.

Invariant: the same command, environment and files in both; only the `pinfold run …` in front differs.
Not here: the rows (rows.py, streams.py, terminal.py).
"""
import json
import os
import pathlib
import pty
import pwd
import re
import select
import shutil
import signal
import subprocess
import time

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
USER_ID = 12345
PATIENCE = 120  # seconds, for an event that must come on a busy machine
PATH = "/usr/local/bin:/usr/bin:/bin"


# What `--on-unavailable warn` says before the command does: the first line, and one for each gap.
WARNING = re.compile(rb"\Apinfold: warning: [^\n]*\n(  [^\n]*\n)*")


def run_flags(backend):
    """For `pinfold run`. Native runs as users run it, and refuses on a gap; the other backends warn and continue."""
    return ["--backend", backend] + ([] if backend == "native" else ["--on-unavailable", "warn"])


class Failure(Exception):
    """The expected and the real output, in words."""


def exit_code(status):
    """A return code as a shell gives it: 128+n for a signal. Accepts Popen's negative numbers."""
    return 128 - status if status < 0 else status


class Stage:
    """One user (root, or an ordinary one), bare (pinfold is None) or boxed."""

    def __init__(self, who, base, pinfold, switch_user, backend="native"):
        self.who = who
        self.backend = backend
        self.base = base
        self.home = base / who / "home"
        self.uid = USER_ID
        self.pinfold = pinfold
        self.switch_user = switch_user
        self.workspace = None
        self.flags = ()  # of the row

    @property
    def boxed(self):
        return self.pinfold is not None

    def give(self, path):
        """Hands a path, and all below it, to the user that the row runs as."""
        if self.switch_user:
            for each in [path, *path.rglob("*")]:
                os.chown(each, self.uid, self.uid, follow_symlinks=False)

    def fresh_workspace(self, row):
        # Some programs want their user to have a name; the usual one deliberately has none.
        named = self.switch_user and row.account
        self.uid = pwd.getpwnam(row.account).pw_uid if named else USER_ID
        self.home = self.base / self.who / ("home-" + row.account if named else "home")
        if not self.home.exists():
            self.home.mkdir(parents=True)
            self.give(self.home)
        self.flags = row.flags
        name = re.sub(r"[^a-z0-9]+", "-", row.name.lower()).strip("-")
        self.workspace = self.home / ("boxed" if self.boxed else "bare") / name
        self.workspace.parent.mkdir(exist_ok=True)
        if row.files:
            shutil.copytree(PROGRAMS / row.files, self.workspace)
        else:
            self.workspace.mkdir()
        self.give(self.workspace.parent)

    def environment(self, extra=None):
        name = "root" if self.who == "root" else "live"
        values = dict(PATH=PATH, HOME=str(self.home), USER=name, LOGNAME=name, LANG="C.UTF-8", TERM="xterm")
        return {**values, **(extra or {})}

    def inner(self, command):
        """What this user would type: `pinfold run …` (boxed), then the command."""
        return ([str(self.pinfold), "run", *run_flags(self.backend), *self.flags, "--"] if self.boxed else []) + list(command)

    def coverage(self):
        """Step → (strength, gap), as a run in this workspace says before its command starts."""
        report = self.workspace.parent / "report.json"
        argv = self.argv(["true"])
        argv[-2:-2] = ["--report", str(report)]
        subprocess.run(argv, env=self.environment(), cwd=self.workspace, stdin=subprocess.DEVNULL, capture_output=True,
                       timeout=PATIENCE, check=False)
        try:
            rows = json.loads(report.read_text())["coverage"]
            report.unlink()
        except (OSError, ValueError, KeyError):
            return {}
        return {row["step"]: (row["strength"], row["gap"]) for row in rows}

    def argv(self, command):
        """The whole argument list: become the user first."""
        ids = ["--reuid", str(self.uid), "--regid", str(self.uid), "--clear-groups", "--inh-caps=-all"]
        return (["setpriv", *ids] if self.switch_user else []) + self.inner(command)

    def bare(self):
        """The same place and user without the box: for a shell from which a boxed command is typed."""
        stage = Stage(self.who, self.base, None, self.switch_user)
        stage.home, stage.uid, stage.workspace = self.home, self.uid, self.workspace
        return stage

    def popen(self, command, env=None, **options):
        if self.boxed and self.backend != "native":
            options.setdefault("stderr", subprocess.DEVNULL)  # each run warns about its gaps
        return subprocess.Popen(self.argv(command), env=self.environment(env), cwd=self.workspace, **options)

    def run(self, command, env=None, timeout=PATIENCE, **options):
        """Runs to the end; (exit code, stdout, stderr) with bytes kept as text."""
        options.setdefault("stdin", subprocess.DEVNULL)
        child = self.popen(command, env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        try:
            out, err = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            self.end_survivors()  # processes that still hold the pipes
            out, err = child.communicate()
            raise Failure("not done after %d s\n%s%s" % (timeout, tail(out), tail(err))) from None
        if self.boxed:
            err = WARNING.sub(b"", err)
        return exit_code(child.returncode), out.decode(errors="replace"), err.decode(errors="replace")

    def survivors(self):
        """Processes on the host that still belong to this stage: their HOME is the stage's, or they stand in it."""
        mark = b"HOME=%s\0" % os.fsencode(self.home)
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                with open("/proc/%s/environ" % entry, "rb") as file:
                    here = mark in file.read() + b"\0"
                here = here or os.readlink("/proc/%s/cwd" % entry).startswith(str(self.home))
                if here:
                    with open("/proc/%s/cmdline" % entry, "rb") as file:
                        text = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
                    if text:  # a zombie has none
                        found.append((int(entry), text))
            except OSError:
                continue  # gone, or not ours
        return found

    def end_survivors(self):
        for pid, _ in self.survivors():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def tail(text, lines=25):
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    return "".join("      | %s\n" % line for line in text.splitlines()[-lines:])


class Terminal:
    """A command on a terminal of its own, driven like a person would: type, read, resize."""

    def __init__(self, stage, command, rows=24, columns=80):
        argv, env = stage.argv(command), stage.environment()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(stage.workspace)
                set_size(0, rows, columns)
                os.execvpe(argv[0], argv, env)
            finally:
                os._exit(127)
        self.seen = ""  # everything so far
        self.mark = 0  # up to where expect() has matched
        self.status = None

    def type(self, text):
        os.write(self.fd, text.encode())

    def resize(self, rows, columns):
        set_size(self.fd, rows, columns)

    def expect(self, pattern, timeout=PATIENCE):
        deadline = time.monotonic() + timeout
        while True:
            found = re.compile(pattern).search(self.seen, self.mark)
            if found:
                self.mark = found.end()
                return found
            if not self._read(deadline):
                raise Failure("the terminal did not show /%s/ within %d s:\n%s" % (pattern, timeout, tail(self.seen)))

    def settle(self, seconds=0.3):
        """Waits until the program has read the typed keys; for keys without a visible answer."""
        end = time.monotonic() + seconds
        while self._read(end):
            pass

    def end(self, timeout=PATIENCE):
        """Waits for the end; the exit code as a shell gives it."""
        deadline = time.monotonic() + timeout
        while self._read(deadline):
            pass
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                return exit_code(self.status)
            time.sleep(0.01)
        raise Failure("still running after %d s:\n%s" % (timeout, tail(self.seen)))

    def _read(self, deadline):
        """One chunk; False at the end of the stream or of the time."""
        ready, _, _ = select.select([self.fd], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            chunk = os.read(self.fd, 65536)
        except OSError:  # EIO: the other side is closed
            return False
        self.seen += chunk.decode(errors="replace")
        return bool(chunk)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass


def set_size(fd, rows, columns):
    import fcntl
    import struct
    import termios

    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
