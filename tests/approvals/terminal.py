"""terminal.py: a program on a terminal of its own, its output, and keys for it.

Invariant: all output is kept; each wait names its text and has a time limit; nothing outlives the test.
Not here: requests and decisions (run).
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

PATIENCE = 120  # a slow machine is no failure


class Terminal:
    def __init__(self, argv, env, cwd, identity=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.text = ""
        self.seen = 0

        def lead():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            if identity is not None:
                os.setgroups([])
                os.setgid(identity)
                os.setuid(identity)

        if identity is not None:
            os.fchown(slave, identity, identity)
        self.process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env, cwd=cwd, preexec_fn=lead,
                                        close_fds=True)
        os.close(slave)

    def pump(self, seconds):
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.text += data.decode("utf-8", "replace")
        return bool(data)

    def wait_for(self, pattern, seconds=PATIENCE):
        """The match of the next text that fits, after the previous match."""
        end = time.monotonic() + seconds
        while True:
            found = re.compile(pattern, re.S).search(self.text, self.seen)
            if found:
                self.seen = found.end()
                return found
            if time.monotonic() > end or not self.pump(0.1):
                found = re.compile(pattern, re.S).search(self.text, self.seen)
                if found:
                    self.seen = found.end()
                    return found
                raise AssertionError(f"waited {seconds} s for {pattern!r}: {self.text[self.seen:]!r}")

    def stays_without(self, pattern, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.pump(0.05)
        if re.compile(pattern, re.S).search(self.text, self.seen):
            raise AssertionError(f"{pattern!r} appeared: {self.text[self.seen:]!r}")

    def send(self, keys):
        os.write(self.master, keys.encode())

    # Keys that come too soon are no answer.
    def answer(self, key):
        self.wait_for(r"then Enter: ")
        time.sleep(0.45)
        self.send(key if key < " " else key + "\r")

    def end(self):
        """The exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.pump(0.05)
        if self.process.poll() is None:
            self.kill()
            raise AssertionError(f"waited {PATIENCE} s for the end of the command: {self.text[-600:]!r}")
        while self.pump(0):
            ready, _, _ = select.select([self.master], [], [], 0)
            if not ready:
                break
        return self.process.returncode

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def close(self):
        self.kill()
        if self.master >= 0:
            os.close(self.master)
        self.master = -1
