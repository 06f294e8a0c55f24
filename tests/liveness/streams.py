"""streams.py: data between the caller and the command: bytes, exit codes, signals, arguments; and leftovers.

Not here: terminals (terminal.py).
"""
import hashlib
import os
import re
import select
import signal
import subprocess
import time

from rows import Row
from stage import PATIENCE, Failure, exit_code, tail


def equal(what, got, wanted, err=""):
    if got != wanted:
        raise Failure("%s: expected %r, got %r\n%s" % (what, wanted, got, tail(err)))


def big_stdout(stage):
    size = 200 * 1024 * 1024
    line = b"0123456789abcdef" * 4 + b"\n"
    with stage.popen(["sh", "-c", "yes %s | head -c %d" % (line[:-1].decode(), size)], stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE) as child:
        got, total = hashlib.sha256(), 0
        while chunk := child.stdout.read(1 << 20):
            got.update(chunk)
            total += len(chunk)
    wanted = hashlib.sha256()
    block = line * 16384
    for _ in range(size // len(block)):
        wanted.update(block)
    wanted.update((line * (size % len(block) // len(line) + 1))[: size % len(block)])
    equal("bytes", total, size)
    equal("sha256", got.hexdigest(), wanted.hexdigest())
    equal("exit code", exit_code(child.returncode), 0)


def big_stdin(stage):
    block = os.urandom(1 << 20)
    child = stage.popen(["sha256sum"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    wanted = hashlib.sha256()
    for _ in range(50):
        child.stdin.write(block)
        wanted.update(block)
    out, _ = child.communicate(timeout=PATIENCE)
    equal("sha256", out.decode().split()[0], wanted.hexdigest())


def both_streams(stage):
    code, out, err = stage.run(["sh", "-c", "yes out | head -c 20000000 & yes err | head -c 20000000 >&2; wait"])
    equal("exit code", code, 0)
    equal("stdout", hashlib.md5(out.encode()).digest(), hashlib.md5(b"out\n" * 5000000).digest())
    equal("stderr", hashlib.md5(err.encode()).digest(), hashlib.md5(b"err\n" * 5000000).digest())


def early_reader(stage):
    """The reader goes away after one line: the writer ends by SIGPIPE, as in `yes | head -1`."""
    child = stage.popen(["yes"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    equal("first line", child.stdout.readline(), b"y\n")
    child.stdout.close()
    try:
        equal("exit code", exit_code(child.wait(timeout=PATIENCE)), 128 + signal.SIGPIPE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        raise Failure("still writing 10 s after its reader left") from None


def slow_dialogue(stage):
    """Question and answer, line by line: nothing may wait for a full buffer."""
    child = stage.popen(["sh", "-c", 'while read -r line; do echo "got $line"; done; echo end'], stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE)
    for word in (b"one", b"two", b"three"):
        child.stdin.write(word + b"\n")
        child.stdin.flush()
        equal("answer", child.stdout.readline(), b"got " + word + b"\n")
    child.stdin.close()
    equal("after end of file", child.stdout.read(), b"end\n")
    equal("exit code", exit_code(child.wait()), 0)


def closed_stdin(stage):
    argv = ["sh", "-c", 'exec "$@" <&-', "sh", *stage.argv(["sh", "-c", "echo alive; exit 3"])]
    done = subprocess.run(argv, env=stage.environment(), cwd=stage.workspace, capture_output=True, timeout=PATIENCE)
    equal("stdout", done.stdout, b"alive\n", done.stderr)
    equal("exit code", exit_code(done.returncode), 3)


def all_closed(stage):
    argv = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *stage.argv(["sh", "-c", "touch ran; exit 4"])]
    done = subprocess.run(argv, env=stage.environment(), cwd=stage.workspace, timeout=PATIENCE)
    equal("exit code", exit_code(done.returncode), 4)
    equal("ran", (stage.workspace / "ran").exists(), True)


def exit_codes(stage):
    for code in (0, 1, 2, 42, 124, 126, 255):
        equal("exit code", stage.run(["sh", "-c", "exit %d" % code])[0], code)
    for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGABRT):
        got = stage.run(["sh", "-c", "ulimit -c 0; kill -%d $$" % number])[0]
        equal("killed by %s" % number.name, got, 128 + number)


def arguments(stage):
    given = ["", " ", "$(touch no)", "`touch no`", "a'b", 'a"b', "*", "new\nline", "\x1b[31m", "\u202e", "--", "--help",
             "-c", "x" * 100_000, os.fsdecode(b"\xff\xfe")]
    show = "import sys, os; sys.stdout.buffer.write(b'\\0'.join(os.fsencode(a) for a in sys.argv[1:]))"
    argv = ["python3", "-c", show, *given]
    done = subprocess.run(stage.argv(argv), env=stage.environment(), cwd=stage.workspace, capture_output=True, timeout=PATIENCE)
    equal("exit code", done.returncode, 0, done.stderr)
    if done.stdout.split(b"\0") != [os.fsencode(a) for a in given]:
        raise Failure("the arguments changed on the way")
    equal("run by a shell", (stage.workspace / "no").exists(), False)


def started(stage, script):
    """A command that says `ready` once its traps are set."""
    child = stage.popen(["bash", "-c", script + "; echo ready; while :; do sleep 0.05; done"], stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal("first line", child.stdout.readline(), b"ready\n")
    return child


def end_of(child, what):
    try:
        out, err = child.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        raise Failure("%s: still running after %d s" % (what, PATIENCE)) from None
    return exit_code(child.returncode), out, err


def signal_default(stage):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # bash itself would note SIGINT and wait for its child: let it be gone, as a program without a handler is.
        child = stage.popen(["sh", "-c", "echo ready; exec sleep 100"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
        equal("first line", child.stdout.readline(), b"ready\n")
        time.sleep(0.1)
        child.send_signal(number)
        equal("exit code after %s" % number.name, end_of(child, number.name)[0], 128 + number)


def signal_handled(stage):
    for number, name in ((signal.SIGTERM, "TERM"), (signal.SIGINT, "INT"), (signal.SIGHUP, "HUP"), (signal.SIGUSR1, "USR1"),
                         (signal.SIGUSR2, "USR2"), (signal.SIGQUIT, "QUIT")):
        child = started(stage, "trap 'echo handled; exit 7' %s" % name)
        child.send_signal(number)
        code, out, err = end_of(child, name)
        equal("output after %s" % name, out, b"handled\n", err)
        equal("exit code after %s" % name, code, 7)


def left_behind(stage):
    """Bare, a detached process outlives its command (the control); boxed, nothing does."""
    began = time.monotonic()
    code, out, err = stage.run(["sh", "-c", "setsid sh -c 'sleep 300; true' >/dev/null 2>&1 & (sleep 301 >/dev/null 2>&1 &) ; echo started"])
    equal("exit code", code, 0, err)
    if not stage.boxed:
        stage.end_survivors()
        return
    if time.monotonic() - began > 200:  # it stays for 300 s
        raise Failure("the run waited for the detached process")
    end = time.monotonic() + PATIENCE
    while stage.survivors() and time.monotonic() < end:
        time.sleep(0.05)
    equal("still running after %d s" % PATIENCE, [text for _, text in stage.survivors()], [])


def left_behind_open(stage):
    """As above, but the detached process keeps stdout open: the run ends with its command all the same."""
    began = time.monotonic()
    child = stage.popen(["sh", "-c", "(sleep 302 &) ; echo started"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    equal("first line", child.stdout.readline(), b"started\n")
    equal("exit code", exit_code(child.wait(timeout=PATIENCE)), 0)
    if time.monotonic() - began > 200:  # it stays for 302 s
        raise Failure("the run waited for the detached process")
    if stage.boxed:
        ready, _, _ = select.select([child.stdout], [], [], PATIENCE)
        equal("stdout is at its end", bool(ready) and child.stdout.read(), b"")
    child.stdout.close()


def in_a_pipeline(stage):
    """Four runs at once, each the next one's input."""
    commands = [["seq", "1000"], ["tac"], ["sort", "-n"], ["tail", "-n", "1"]]
    source, children = subprocess.DEVNULL, []
    for command in commands:
        child = stage.popen(command, stdin=source, stdout=subprocess.PIPE)
        if source != subprocess.DEVNULL:
            source.close()
        source = child.stdout
        children.append(child)
    equal("stdout", source.read(), b"1000\n")
    equal("exit codes", [exit_code(child.wait(timeout=PATIENCE)) for child in children], [0, 0, 0, 0])


def many_at_once(stage):
    """Eight runs at once in one project."""
    children = [stage.popen(["sh", "-c", "echo %d > out-%d; cat out-%d" % (n, n, n)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE) for n in range(8)]
    for n, child in enumerate(children):
        equal("stdout", child.communicate(timeout=PATIENCE)[0], b"%d\n" % n)
        equal("exit code", child.returncode, 0)


def not_found(stage):
    """A missing command gives 127 and names it; bare, a shell does the same."""
    command = ["no-such-command-here"]
    argv = stage.argv(command) if stage.boxed else stage.argv(["sh", "-c", command[0]])
    done = subprocess.run(argv, env=stage.environment(), cwd=stage.workspace, capture_output=True, timeout=PATIENCE)
    equal("exit code", done.returncode, 127, done.stderr)
    if not re.search(rb"no-such-command-here", done.stderr):
        raise Failure("stderr does not name the command:\n%s" % tail(done.stderr))


ROWS = [
    Row("200 MB through stdout", "yes:coreutils head:coreutils", check=big_stdout),
    Row("50 MB through stdin", "sha256sum:coreutils", check=big_stdin),
    Row("20 MB on stdout and stderr at once", "yes:coreutils", check=both_streams),
    Row("line by line through pipes", "sh:dash", check=slow_dialogue),
    Row("the reader goes away", "yes:coreutils", check=early_reader),
    Row("stdin closed", "sh:dash", check=closed_stdin),
    Row("stdin, stdout and stderr closed", "sh:dash", check=all_closed),
    Row("exit codes and deadly signals", "sh:dash", check=exit_codes),
    Row("strange arguments arrive unchanged", "python3", check=arguments),
    Row("TERM, INT, HUP end the command", "sleep:coreutils", check=signal_default),
    Row("six signals reach a handler", "bash", check=signal_handled),
    Row("a detached process does not stay", "setsid:util-linux", check=left_behind),
    Row("… nor if it holds stdout open", "sh:dash", check=left_behind_open),
    Row("four runs in one pipeline", "seq:coreutils", check=in_a_pipeline),
    Row("eight runs at once", "sh:dash", check=many_at_once),
    Row("a missing command", "sh:dash", check=not_found),
]
