"""worker: runs seeds one after the other in its own environment, bare and boxed, and prints one JSON line for each run.

Started by tests/syscall_fuzz/run through unshare. Not here: the report (run).
"""
import argparse
import contextlib
import json
import os
import re
import resource
import selectors
import subprocess
import time

import judge
import environment
import world

SHARED = f"{world.HOME}/shared"
VARIANTS = ([], ["--observe", "off"], ["--observe", "full"], ["--debuggers"], ["--memory", "256M", "--processes", "60"], ["--profile", "strict", "--write", world.PROJECT], ["--net", "full"],
            ["--write", SHARED], ["--net", "canary.example:4711"], ["--profile", "permissive", "--net", "none"], ["--profile", "read-only"])
READ_BY_PERMISSIVE = ("reached socket agent", "read home-file", "read name", "read link", "read attribute", "read other-file", "copied home-file", "copied other-file")
BOX_SECONDS, BARE_SECONDS, SURVIVOR_SECONDS = 10, 8, 20


def variant_of(seed):
    return VARIANTS[seed % len(VARIANTS)]


class Run:
    """One run of the program: its arguments, its output, its exit code."""

    def __init__(self, uid, words, seconds):
        self.uid = uid
        self.output, self.code, self.late = "", None, False
        variables = {"HOME": world.HOME, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "fuzz", "XDG_RUNTIME_DIR": "/run/user", "SECRET_TOKEN": world.marked("environment")}
        with subprocess.Popen(words, cwd=world.PROJECT, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, user=uid, group=uid,
                              extra_groups=[], start_new_session=True, preexec_fn=self.limit) as process:
            self.read(process, seconds)

    @staticmethod
    def limit():
        for limit, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 64 << 20), (resource.RLIMIT_NOFILE, 1024), (resource.RLIMIT_NPROC, 300), (resource.RLIMIT_CPU, 20)):
            resource.setrlimit(limit, (most, most))

    def read(self, process, seconds):
        """Reads until the process has ended, not until the end of its output: a process that it left behind may hold that open."""
        end = os.pidfd_open(process.pid)
        os.set_blocking(process.stdout.fileno(), False)
        chunks, deadline = [], time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(end, selectors.EVENT_READ)
            selector.register(process.stdout, selectors.EVENT_READ)
            ended = False
            while not ended:
                ready = [key.fileobj for key, _ in selector.select(max(0, deadline - time.monotonic()))]
                if not ready:
                    self.late = True
                    process.kill()
                    deadline += 5
                ended = end in ready
                with contextlib.suppress(BlockingIOError):
                    while chunk := os.read(process.stdout.fileno(), 65536):
                        chunks.append(chunk)
                    if not ended and process.stdout in ready:
                        selector.unregister(process.stdout)
        os.close(end)
        self.code = process.wait()
        self.output = b"".join(chunks).decode("utf-8", "replace")


class Worker:
    def __init__(self, arguments):
        self.arguments = arguments
        environment.enter([arguments.pinfold, arguments.program])
        self.pinfold = f"{environment.BIN}/{os.path.basename(arguments.pinfold)}"
        self.program = f"{environment.BIN}/{os.path.basename(arguments.program)}"
        self.world = world.World(arguments.uid, self.program)
        self.world.prepare()
        self.last = None

    def words(self, seed, only, trace=False):
        out = [self.program, "--seed", str(seed), "--sibling", str(self.world.canary.pid)]
        if only is not None:
            out += ["--only", ",".join(map(str, only))]
        return out + (["--trace"] if trace else [])

    def boxed_words(self, seed, backend):
        return [self.pinfold, "run", "--quiet", "--no-journal", "--backend", backend, "--on-unavailable", "warn", "--timeout", f"{BOX_SECONDS - 2}s", "--report", "/run/report/report.json",
                "--hide", "hidden.txt", "--protect", "keep.txt", "--protect", "keep-new", *([] if "--write" in variant_of(seed)[:1] else ["--read", SHARED]), "--read", self.program, *variant_of(seed), "--"]

    def fresh(self):
        if self.last is None:
            self.world.build()
            self.world.end_canary()
            self.world.prepare()
            self.last = self.world.snapshot()
        else:
            self.world.build_project()
        self.world.reached()

    def survivors(self, patience):
        """Processes that are left, after at most so many seconds; the worker is their parent, and waits for them."""
        deadline = time.monotonic() + patience
        while True:
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0] > 0:
                    pass
            left = [int(each) for each in os.listdir("/proc") if each.isdigit() and int(each) not in (1, self.world.canary.pid)]
            if not left or time.monotonic() > deadline:
                return [f"{each} ({name_of(each)})" for each in left]
            time.sleep(0.002)

    def one(self, seed, backend, only=None, trace=False):
        """backend None: bare."""
        self.fresh()
        before, project, whole = self.last, judge.project_before(), judge.whole_workspace()
        hidden = {os.stat(f"{world.PROJECT}/{name}").st_ino for name in (".env", "hidden.txt")}
        report = "/run/report/report.json"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(report)
        began = time.monotonic()
        words = self.words(seed, only, trace)
        run = Run(self.arguments.uid, words if backend is None else self.boxed_words(seed, backend) + words, BARE_SECONDS if backend is None else BOX_SECONDS + 5)
        run.hidden = hidden
        took = time.monotonic() - began
        survivors = self.survivors(0 if backend is None else SURVIVOR_SECONDS)
        world.end_others({1, self.world.canary.pid})
        after = self.world.snapshot()
        found = judge.findings(run, before, after, project, self.world.reached(), survivors)
        if backend is not None and "read-only" in variant_of(seed):
            found += judge.workspace_changes(whole)
        coverage = {}
        if backend is not None:
            try:
                with open(report, encoding="utf-8") as file:
                    coverage = {row["step"]: row["strength"] for row in json.load(file)["coverage"]}
            except (OSError, ValueError, KeyError) as problem:
                found.append(f"no report: {problem}; exit {run.code}: {run.output[-300:]}")
            found = [each for each in found if not self.granted(each, seed)]
            if "@@ begin" not in run.output:
                found.append(f"the program did not start: exit {run.code}: {run.output[-300:]}")
        # A bare run, or a finding, leaves nothing to build on.
        self.last = None if backend is None or before != after else after
        calls = {name: (int(made), int(good)) for line in re.findall(r"@@ calls(.*)", run.output) for name, made, good in re.findall(r" (\w+)=(\d+)/(\d+)", line)}
        begin = re.search(r"@@ begin (\d+) (\w+)", run.output)
        flips = bool(begin and begin[2] == "flipping")
        said = {each: excuse for each in found if (excuse := judge.excused(each, coverage, flips))}
        return {"seed": seed, "backend": backend or "bare", "found": [each for each in found if each not in said], "said": said, "calls": calls, "took": took, "code": run.code,
                "steps": int(begin[1]) if begin else 0, "flips": flips, "whole": "@@ end" in run.output, "output": run.output if trace else ""}

    @staticmethod
    def granted(finding, seed):
        """Findings that are the meaning of the run's own flags."""
        flags = variant_of(seed)
        if flags[:2] == ["--net", "full"] and finding in ("reached socket tcp", "reached socket tcp6", "reached socket udp"):
            return True
        # The home can be read, but for credentials; a socket that can be seen can be talked to (docs/design/not-promised.md).
        if "permissive" in flags and any(judge.is_about(finding, each) for each in READ_BY_PERMISSIVE):
            return True
        return flags == ["--write", SHARED] and finding.startswith(f"changed {SHARED}")

    def shrink(self, seed, backend, steps, kinds):
        """Fewer steps with the same kind of finding, at most so many runs; None where it does not come again."""
        fails = lambda only: bool(kinds & {judge.kind_of(each) for each in self.one(seed, backend, only)["found"]})  # noqa: E731
        if not any(fails(None) for _ in range(3)):
            return None
        kept, size, runs = list(range(steps)), max(1, steps // 2), 0
        while size >= 1 and runs < 60:
            at = 0
            while at < len(kept) and runs < 60:
                fewer = kept[:at] + kept[at + size:]
                runs += 1
                if fewer and fails(fewer):
                    kept = fewer
                else:
                    at += size
            size //= 2
        return kept


def name_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read(80).replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return "gone"


def say(result):
    print(json.dumps(result), flush=True)


def main():
    parse = argparse.ArgumentParser()
    for name in ("--pinfold", "--program", "--backends", "--only"):
        parse.add_argument(name, default="")
    for name in ("--uid", "--first", "--stride", "--bare-every"):
        parse.add_argument(name, type=int, default=1)
    parse.add_argument("--seeds", type=int, default=1 << 60)
    parse.add_argument("--seconds", type=float, default=1e9)
    parse.add_argument("--trace", action="store_true")
    arguments = parse.parse_args()
    worker = Worker(arguments)
    backends = arguments.backends.split(",")
    ends = time.monotonic() + arguments.seconds
    only = [int(each) for each in arguments.only.split(",")] if arguments.only else None
    shrunk = 0
    for count in range(arguments.seeds):
        if time.monotonic() >= ends:
            break
        seed = arguments.first + count * arguments.stride
        if count % arguments.bare_every == 0:
            say(worker.one(seed, None, only, arguments.trace))
        for backend in [backends[count % len(backends)]]:
            result = worker.one(seed, backend, only, arguments.trace)
            if result["found"] and not only and shrunk < 3:
                shrunk += 1
                result["only"] = worker.shrink(seed, backend, result["steps"], {judge.kind_of(each) for each in result["found"]})
            say(result)
    world.as_user(arguments.uid, world.drop_keys)


if __name__ == "__main__":
    main()
