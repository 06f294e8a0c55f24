"""terminals.py: commands and shells at a terminal, through a pty."""
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import fcntl

from world import PATIENCE, native_only, until, with_word


class Screen:
    """A terminal with one command of ours on it."""

    def __init__(self, world, *arguments, env=None, rows=31, columns=97):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

        def lead():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen(world.command(*arguments), cwd=world.workspace, env={**world.env, **(env or {})}, stdin=slave,
                                      stdout=slave, stderr=slave, preexec_fn=lead)
        os.close(slave)
        self.text = ""

    def read(self):
        if select.select([self.master], [], [], 0.1)[0]:
            try:
                self.text += os.read(self.master, 65536).decode(errors="replace").replace("\r", "")
            except OSError:
                return False
        return True

    def expect(self, pattern):
        deadline = time.monotonic() + PATIENCE
        while not re.search(pattern, self.text, re.S):
            assert time.monotonic() < deadline and (self.read() or re.search(pattern, self.text, re.S)), (pattern, self.text)
        self.text = self.text[re.search(pattern, self.text, re.S).end():]

    def type(self, text):
        os.write(self.master, text.encode())

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self):
        deadline = time.monotonic() + PATIENCE
        while self.child.poll() is None and time.monotonic() < deadline:
            self.read()
        code = self.child.wait()
        while self.read() and select.select([self.master], [], [], 0)[0]:
            pass
        os.close(self.master)
        return code


def check_a_terminal_of_its_own(world):
    world.start()
    screen = Screen(world, "session", "exec", "s", "--", "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && stty size; tty; echo $TERM; exit 4",
                    env={"TERM": "vt100"})
    screen.expect(r"31 97\n")
    screen.expect(r"/dev/pts/\d+\n")
    screen.expect("vt100\n")
    assert screen.end() == 4


def check_typing_resizing_and_interrupting(world):
    world.start()
    screen = Screen(world, "session", "exec", "s", "--", "sh", "-c",
                    "trap 'echo interrupted; exit 6' INT; trap 'stty size' WINCH; read a; echo got-$a; echo waiting; while :; do sleep 0.05; done")
    screen.type("words\r")
    screen.expect("got-words\n")
    screen.expect("waiting\n")
    screen.resize(40, 120)
    screen.expect("40 120\n")
    screen.type("\x03")
    screen.expect("interrupted\n")
    assert screen.end() == 6


def check_a_server_started_at_a_terminal_stays(world):
    world.start()
    word = world.word()
    screen = Screen(world, "session", "exec", "s", "--", "sh", "-c", "sleep %s & echo started" % word)
    screen.expect("started\n")
    assert screen.end() == 0
    until(lambda: with_word(word), "the server runs after its command's end")


def check_stopping_and_going_on(world):
    """Ctrl-Z gives the terminal back to the caller's shell, and fg goes on."""
    world.start()
    screen = Screen(world, "session", "exec", "s", "--", "sh", "-c", "sleep 0.2; echo ready; read a; echo went-on-$a")
    screen.expect("ready\n")
    screen.type("\x1a")

    def stopped():
        with open("/proc/%d/stat" % screen.child.pid, encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"

    until(stopped, "the client is stopped")
    os.kill(screen.child.pid, signal.SIGCONT)
    screen.type("x\r")
    screen.expect("went-on-x\n")
    assert screen.end() == 0


def check_shells_say_where_they_are(world):
    for shell in ("bash", "zsh", "fish", "dash"):
        screen = Screen(world, "shell", *world.flags(), "--ask", "never", "--shell", "/usr/bin/" + shell if shell in ("zsh", "fish") else "/bin/" + shell,
                        env={"HISTFILE": "/dev/null"})
        screen.expect(r"\(pinfold\) ")
        screen.type("echo in-$((40+2))\r" if shell != "fish" else "echo in-(math 40+2)\r")
        screen.expect("in-42")
        screen.expect(r"\(pinfold\) ")
        screen.type("exit 5\r")
        assert screen.end() == 5, shell


def state_of(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]


@native_only
def check_a_shell_has_job_control_and_prints_denials(world):
    (world.home / "secret").write_text("x")
    screen = Screen(world, "shell", *world.flags(), "--ask", "never", "--shell", "/bin/bash")
    screen.expect(r"\(pinfold\) ")
    word = world.word()
    screen.type("sleep %s\r" % word)
    sleeper, = until(lambda: with_word(word), "sleep runs in the foreground")
    screen.type("\x1a")
    screen.expect("Stopped")
    screen.expect(r"\(pinfold\) ")
    screen.type("jobs\r")
    screen.expect(r"Stopped\s+sleep %s.*\(pinfold\) " % word)
    screen.type("fg\r")
    screen.expect("sleep %s\n" % word)
    until(lambda: state_of(sleeper) == "S", "sleep goes on in the foreground")
    screen.type("\x03")
    screen.expect(r"\(pinfold\) ")
    screen.type("echo code-$?\r")
    screen.expect("code-130\n")
    screen.type("ls -A /tmp; cat %s\r" % (world.home / "secret"))
    screen.expect("No such file")
    screen.type("exit\r")
    screen.expect("denied 1 thing")
    screen.end()
    assert {each.name for each in world.home.iterdir()} <= {"secret", ".local", ".cache"}, list(world.home.iterdir())
