# terminal.py: a program on a terminal of its own, until it shows a text.
# Invariant: the program has ended when until() returns. Not here: judging the text (examples.py).
import os
import pty
import select
import signal
import time

LONG = 60


def until(argv, cwd, env, last):
    """Everything that the program shows up to the text `last`; it is then killed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execvpe(argv[0], argv, env)
    shown = b""
    end = time.monotonic() + LONG
    try:
        while last.encode() not in shown and time.monotonic() < end:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                data = os.read(terminal, 4096)
            except OSError:  # EIO: the program has ended
                break
            # Pinfold asks whether the terminal answers, before it takes a key.
            if b"\x1b[5n" in data:
                os.write(terminal, b"\x1b[0n")
            shown += data.replace(b"\x1b[5n", b"")
    finally:
        os.close(terminal)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return shown.decode(errors="replace").replace("\r\n", "\n")
