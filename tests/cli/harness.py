# harness.py: a scratch home and workspace, one way to run pinfold, and named checks.
# Invariant: every check runs; none is skipped; what a check made is gone afterwards.
# Not here: the checks themselves (contract.py, bad_input.py, reports.py).
# Needs the Debian package python3-jsonschema.
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "docs", "reference", "report.schema.json")
CHECKS = []


def check(name):
    """Registers a function as a check of this name."""
    def register(function):
        CHECKS.append((name, function))
        return function
    return register


class Failed(Exception):
    pass


class Ran:
    def __init__(self, code, out, err, seconds, argv):
        self.code, self.raw_out, self.raw_err, self.seconds, self.argv = code, out, err, seconds, argv
        self.out = out.decode("utf-8", "backslashreplace")
        self.err = err.decode("utf-8", "backslashreplace")

    def _fail(self, what):
        shown = " ".join(repr(word)[:120] for word in self.argv[1:12])
        raise Failed(f"{what}\n    argv: {shown}\n    code: {self.code}\n    stdout: {self.out[:600]!r}\n"
                     f"    stderr: {self.err[:1200]!r}")

    def code_is(self, code):
        if self.code != code:
            self._fail(f"exit code {self.code}, expected {code}")
        return self

    def says(self, *texts):
        for text in texts:
            if text not in self.err:
                self._fail(f"stderr does not say {text!r}")
        return self

    def silent(self, *texts):
        for text in texts:
            if text in self.err or text in self.out:
                self._fail(f"output has {text!r}")
        return self

    def prints(self, *texts):
        for text in texts:
            if text not in self.out:
                self._fail(f"stdout does not have {text!r}")
        return self

    def out_is(self, data):
        if self.raw_out != data:
            self._fail(f"stdout is not {data[:200]!r}")
        return self

    def calm(self):
        """No terminal, so no escape sequence."""
        if b"\x1b" in self.raw_out or b"\x1b" in self.raw_err:
            self._fail("an escape character was printed")
        return self


def expect(condition, what):
    if not condition:
        raise Failed(what)


class World:
    """A home with a secret, a workspace, and an environment; everything below one directory."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.base = tempfile.mkdtemp(prefix="pinfold-cli-", dir=os.environ.get("PINFOLD_TEST_DIR", "/tmp"))
        self.base = os.path.realpath(self.base)
        self.home = os.path.join(self.base, "home")
        self.ws = os.path.join(self.base, "ws")
        self.other = os.path.join(self.base, "other")
        for directory in (self.home, self.ws, self.other):
            os.makedirs(directory)
        self.write(os.path.join(self.home, "secret.txt"), b"canary-in-home\n")
        self.write(os.path.join(self.other, "data.txt"), b"canary-in-other\n")
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": self.home, "LANG": "C.UTF-8", "TERM": "xterm",
                    "USER": os.environ.get("USER", "nobody"), "SECRET_TOKEN": "hunter2"}

    @staticmethod
    def write(path, data=b"", mode=0o644):
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)

    def pinfold(self, *words, cwd=None, stdin=b"", env=None, timeout=300):
        argv = [self.program, *words]
        begin = time.monotonic()
        done = subprocess.run(argv, cwd=cwd or self.ws, input=stdin, env={**self.env, **(env or {})},
                              capture_output=True, timeout=timeout)
        return Ran(done.returncode, done.stdout, done.stderr, time.monotonic() - begin, argv)

    def run(self, *words, **options):
        return self.pinfold("run", *words, **options)

    def report(self, *words, **options):
        """Runs with --report; returns what ran and the report, which is held against the schema."""
        path = os.path.join(self.base, "report.json")
        if os.path.exists(path):
            os.unlink(path)
        ran = self.run("--report", path, *words, **options)
        expect(os.path.exists(path), f"no report was written: {ran.err}")
        expect(os.stat(path).st_mode & 0o777 == 0o600, "the report is not owner-only")
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        validate(report)
        expect(report["exit_code"] == ran.code, f"report says {report['exit_code']}, exit code was {ran.code}")
        return ran, report

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)


def validate(report):
    import jsonschema
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(report))
    expect(not errors, "; ".join(f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in errors[:5]))


def main(program, wanted):
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        print("tests/cli needs python3-jsonschema (Debian package)")
        print("0 passed, 1 failed")
        return 1
    if not os.access(program, os.X_OK):
        print(f"{program}: not a program")
        print("0 passed, 1 failed")
        return 1
    passed = failed = 0
    for name, function in CHECKS:
        if wanted and not any(word in name for word in wanted):
            continue
        world = World(program)
        try:
            before = sorted(os.listdir(world.ws))
            function(world)
            left = [n for n in os.listdir(world.ws) if n not in before and n.startswith(".pinfold")]
            expect(not left, f"left in the workspace: {left}")
            passed += 1
            print(f"ok    {name}")
        except Failed as problem:
            failed += 1
            print(f"FAIL  {name}\n    {problem}")
        except Exception as problem:  # a check that breaks is a check that failed
            failed += 1
            print(f"FAIL  {name}\n    {type(problem).__name__}: {problem}")
        finally:
            world.close()
        sys.stdout.flush()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def typed(w, before, after, *words):
    """At a pseudo-terminal: types `before` at once, and `after` when the question is there. Exit code, screen, asked?"""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(w.ws)
        os.execve(w.program, [w.program, *words], w.env)
    os.write(master, before)
    seen, asked, end = b"", False, time.monotonic() + 120
    while time.monotonic() < end:
        if select.select([master], [], [], 0.2)[0]:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
        if b"[y/N]" in seen and not asked:
            time.sleep(0.3)
            os.write(master, after)
            asked = True
    status = os.waitpid(pid, 0)[1]
    os.close(master)
    return os.waitstatus_to_exitcode(status), seen, asked
