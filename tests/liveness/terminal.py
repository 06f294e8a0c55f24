"""terminal.py: commands on a terminal: job control, keys, window size, prompts.

Not here: the driver of the terminal (stage.py).
"""
from rows import Row
from stage import Failure, Terminal
from streams import equal

SHELL = ["bash", "--norc", "--noprofile", "-i"]


def at_prompt(terminal):
    terminal.type("PS1='RE''ADY> '\n")
    terminal.expect(r"READY> ")


def job_control(stage):
    with Terminal(stage, SHELL) as terminal:
        at_prompt(terminal)
        terminal.type("sleep 100 &\n")
        terminal.expect(r"\[1\] \d+")
        terminal.type("jobs\n")
        terminal.expect(r"\[1\]\+\s+Running\s+sleep 100 &")
        terminal.type("fg\n")
        terminal.expect(r"fg\r\n.*sleep 100\r\n")
        terminal.settle()
        terminal.type("\x1a")
        terminal.expect(r"\[1\]\+\s+Stopped\s+sleep 100")
        terminal.type("bg\n")
        terminal.expect(r"\[1\]\+ sleep 100 &")
        terminal.type("kill %1; wait %1; echo status $?\n")
        terminal.expect(r"status 143")
        terminal.type("exit 3\n")
        equal("exit code", terminal.end(), 3)
        if "no job control" in terminal.seen or "cannot set terminal" in terminal.seen:
            raise Failure("the shell had no job control:\n" + terminal.seen)


def interrupt_key(stage):
    with Terminal(stage, ["sleep", "100"]) as terminal:
        terminal.settle(0.5)
        terminal.type("\x03")
        equal("exit code after Ctrl-C", terminal.end(), 130)


def interrupt_in_shell(stage):
    with Terminal(stage, SHELL) as terminal:
        at_prompt(terminal)
        terminal.type("sleep 100\n")
        terminal.settle()
        terminal.type("\x03")
        terminal.expect(r"READY> ")
        terminal.type("echo status $?\n")
        terminal.expect(r"status 130")
        terminal.expect(r"READY> ")
        terminal.type("\x04")
        equal("exit code after Ctrl-D", terminal.end(), 0)


def window_size(stage):
    script = "trap 'stty size' WINCH; stty size; until read -r -t 0.1 line; do :; done; exit 6"
    with Terminal(stage, ["bash", "-c", script], rows=31, columns=97) as terminal:
        terminal.expect(r"31 97")
        terminal.resize(50, 132)
        terminal.expect(r"50 132")
        terminal.type("\n")
        equal("exit code", terminal.end(), 6)


def suspend_and_resume(stage):
    """Ctrl-Z from an outer shell: the whole run stops, and goes on after fg."""
    with Terminal(stage.bare(), SHELL) as terminal:
        at_prompt(terminal)
        run = " ".join("'%s'" % word for word in stage.inner(["cat"]))
        terminal.type("PS1='OUT''ER> '; %s\n" % run)
        terminal.expect(r"\n")
        terminal.settle(0.6)
        terminal.type("before\n")
        terminal.expect(r"before\r\nbefore\r\n")
        terminal.type("\x1a")
        terminal.expect(r"Stopped")
        terminal.expect(r"OUTER> ")
        terminal.type("fg\n")
        terminal.settle(0.5)
        terminal.type("after\n")
        terminal.expect(r"after\r\nafter\r\n")
        terminal.settle()
        terminal.type("\x04")
        terminal.expect(r"OUTER> ")
        terminal.type("exit 5\n")
        equal("exit code", terminal.end(), 5)


def terminal_is_restored(stage):
    """After a run, the caller's terminal echoes and edits as before."""
    with Terminal(stage.bare(), SHELL) as terminal:
        at_prompt(terminal)
        run = " ".join("'%s'" % word for word in stage.inner(["sh", "-c", "stty raw -echo; echo inside"]))
        # Bare, stty changes the terminal for good; that is what the second stty repairs in the control.
        terminal.type("before=$(stty -g); %s; %s; [ \"$(stty -g)\" = \"$before\" ] && echo sa''me\n"
                      % (run, "true" if stage.boxed else 'stty "$before"'))
        terminal.expect(r"inside")
        terminal.expect(r"same")
        terminal.type("exit 0\n")
        equal("exit code", terminal.end(), 0)


def repl(stage):
    with Terminal(stage, ["python3", "-q"]) as terminal:
        terminal.expect(r">>> ")
        terminal.type("import os; print(os.isatty(0), os.isatty(1), os.get_terminal_size().columns, 6 * 7)\n")
        terminal.expect(r"True True 80 42")
        terminal.expect(r">>> ")
        terminal.type("\x04")
        equal("exit code", terminal.end(), 0)


def script_inside(stage):
    with Terminal(stage, ["script", "-qec", "tty; stty size; exit 9", "log"]) as terminal:
        terminal.expect(r"/dev/pts/\d+")
        terminal.expect(r"24 80")
        equal("exit code", terminal.end(), 9)
    if not (stage.workspace / "log").exists():
        raise Failure("script wrote no log")


def partly_a_terminal(stage):
    """stdout is a file, stdin a terminal: each descriptor keeps its type."""
    script = 'exec "$@" > out'
    command = ["sh", "-c", "test -t 0 && test ! -t 1 && echo apart"]
    with Terminal(stage.bare(), ["sh", "-c", script, "sh", *stage.inner(command)]) as terminal:
        equal("exit code", terminal.end(), 0)
    equal("the file", (stage.workspace / "out").read_text(), "apart\n")


ROWS = [
    Row("bash with job control", "bash", check=job_control, steps="terminal"),
    Row("Ctrl-C ends the command", "sleep:coreutils", check=interrupt_key, steps="terminal"),
    Row("Ctrl-C and Ctrl-D in a shell", "bash", check=interrupt_in_shell, steps="terminal"),
    Row("the window size follows", "stty:coreutils", check=window_size, steps="terminal"),
    Row("Ctrl-Z from the outer shell, fg", "bash", check=suspend_and_resume, steps="terminal"),
    Row("the terminal is as before", "stty:coreutils", check=terminal_is_restored, steps="terminal"),
    Row("stdin a terminal, stdout a file", "sh:dash", check=partly_a_terminal),
    Row("python's prompt", "python3", check=repl, steps="terminal"),
    Row("script on a terminal", "script:bsdutils", check=script_inside, steps="terminal devices"),
]
