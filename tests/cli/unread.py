# unread.py: readers that do not read: time-outs and signals end pinfold all the same, and no output is lost while a reader lives.
# Invariant: a check waits for events; the long bounds are for a machine that is slow, not for pinfold.
# Not here: approvals on a terminal (tests/approvals).
import json
import os
import pty
import shutil
import signal
import subprocess
import termios
import threading
import time

from harness import check, expect

LONG = 120  # seconds: a run that is stuck is stuck for ever


def filled_pipe():
    """A pipe without room for one byte more."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    for size in (4096, 1):
        try:
            while True:
                os.write(write, b"x" * size)
        except BlockingIOError:
            pass
    os.set_blocking(write, True)
    return read, write


def start(w, *words, **streams):
    return subprocess.Popen([w.program, "run", *words], cwd=w.ws, env=w.env, stdin=subprocess.DEVNULL, **streams)


def ends(process, code, what):
    try:
        got = process.wait(LONG)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        got = "never"
    expect(got == code, f"{what}: ended with {got}, expected {code}")


@check("a time-out ends pinfold even if its stderr is not read")
def _(w):
    for name, words in (("a silent command", ("sleep", "1000")), ("a loud command", ("sh", "-c", "yes >&2"))):
        read, write = filled_pipe()
        ends(start(w, "--timeout", "300ms", "--", *words, stdout=subprocess.DEVNULL, stderr=write), 124, name)
        os.close(read)
        os.close(write)


@check("a time-out ends pinfold even if its stdout is not read")
def _(w):
    read, write = os.pipe()
    ends(start(w, "--timeout", "300ms", "--", "yes", stdout=write, stderr=write), 124, "one pipe for both")
    os.close(read)
    os.close(write)


@check("a time-out ends pinfold on a terminal that is stopped or not read")
def _(w):
    for stopped in (True, False):
        master, slave = pty.openpty()
        if stopped:
            termios.tcflow(slave, termios.TCOOFF)
        ends(start(w, "--timeout", "300ms", "--", "yes", stdout=slave, stderr=slave), 124, f"stopped: {stopped}")
        os.close(slave)
        os.close(master)


@check("a signal ends pinfold even if the last output is not read")
def _(w):
    read, write = os.pipe()
    process = start(w, "-c", "echo begun > begun; yes >&2", stdout=subprocess.DEVNULL, stderr=write)
    os.close(write)
    os.read(read, 1)
    process.send_signal(signal.SIGTERM)
    ends(process, 128 + signal.SIGTERM, "SIGTERM")
    os.close(read)


@check("a report for a pipe without a reader is an error after a time-out, not a wait for ever")
def _(w):
    fifo = os.path.join(w.base, "fifo")
    os.mkfifo(fifo)
    read = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    held = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    try:
        while True:
            os.write(held, b"x" * 4096)
    except BlockingIOError:
        pass
    process = start(w, "--timeout", "300ms", "--report", fifo, "--", "sleep", "1000", stderr=subprocess.PIPE)
    text = process.communicate(timeout=LONG)[1].decode()
    expect(process.returncode == 125 and "took nothing for" in text and "exit code was 124" in text, f"{process.returncode}: {text}")
    os.close(read)
    os.close(held)


@check("a slow reader gets all of the output, long after the command has ended")
def _(w):
    size = 150_000  # more than the caller's pipe and less than that, the relay's buffer and the command's pipe
    read, write = os.pipe()
    report = os.path.join(w.base, "slow.json")
    script = f"head -c {size} /dev/zero >&2; echo done > ended"
    process = start(w, "--report", report, "-c", script, stdout=subprocess.DEVNULL, stderr=write)
    os.close(write)
    # The command is gone when this file is there; what gives up on streams does so 3 s after that.
    # A user with many pipes gets smaller ones from the kernel (pipe-user-pages-soft): then some of it is read before.
    got = 0
    began = time.monotonic()
    while not os.path.exists(os.path.join(w.ws, "ended")):
        expect(process.poll() is None, "it ended before the command did")
        time.sleep(0.02)
        if time.monotonic() - began > 20:
            got += len(os.read(read, 4096))
    try:
        process.wait(5)
        expect(False, "it ended, and its output had not been read")
    except subprocess.TimeoutExpired:
        pass
    while chunk := os.read(read, 65536):
        got += len(chunk)
    os.close(read)
    ends(process, 0, "a slow reader")
    expect(got == size, f"{got} of {size} bytes came through")
    with open(report, encoding="utf-8") as file:
        expect(not json.load(file)["notes"], "something was noted")


@check("a reader that has stopped costs no processor time")
def _(w):
    read, write = os.pipe()
    process = start(w, "-c", "head -c 200000 /dev/zero >&2; echo done > ended; sleep 1", stdout=subprocess.DEVNULL, stderr=write)
    os.close(write)
    try:
        process.wait(4)
    except subprocess.TimeoutExpired:
        pass
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    drained = threading.Thread(target=lambda: [None for _ in iter(lambda: os.read(read, 65536), b"")])
    drained.start()
    ends(process, 0, "once it is read")
    drained.join()
    os.close(read)
    expect(used < 1.0, f"{used} s of processor time for waiting")


@check("a time-out and a signal end pinfold although the approval page hangs at its start")
def _(w):
    folder = os.path.join(w.base, "hanging")
    os.mkdir(folder)
    program, page = os.path.join(folder, "pinfold"), os.path.join(folder, "pinfold-web")
    shutil.copy(w.program, program)
    w.write(page, b"#!/bin/sh\nexec sleep 1000\n")
    os.chmod(page, 0o755)
    for words, signalled, code in ((("--timeout", "300ms", "--", "sleep", "1000"), False, 124),
                                   (("-c", "echo begun; sleep 1000"), True, 128 + signal.SIGTERM)):
        process = subprocess.Popen([program, "run", "--ask", "web", *words], cwd=w.ws, env=w.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if signalled:
            process.stdout.readline()
            process.send_signal(signal.SIGTERM)
        ends(process, code, "SIGTERM" if signalled else "a time-out")
        # pinfold gives the page 30 s: with this message it had waited for that.
        expect(b"did not print its link" not in process.stderr.read(), "pinfold waited for the page")
