"""waiting.py: the process that is there before its command: made, confined, and asleep until it is asked for."""
import os
import signal

from world import native_only, until


def fields(pid):
    """Of /proc/PID/stat, from the state on; empty for an ended process."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return ["X", "0"]


def children(pid):
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and fields(int(entry))[1] == str(pid)]


def waiting(world):
    """Below the session's process: the sandbox's first process, the keeper of the next command, and the process that will execute it."""
    return [(keeper, ready) for first in children(world.keeper()) for keeper in children(first) for ready in children(keeper)]


def asleep(world):
    pairs = waiting(world)
    return pairs if len(pairs) == 1 and all(fields(pid)[0] == "S" for pid in pairs[0]) else None


def confined(pid):
    with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
        lines = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
    return lines["NoNewPrivs"] == "1" and lines["Seccomp"] == "2" and int(lines["CapEff"], 16) == 0


@native_only
def check_the_waiting_process_sleeps_and_is_confined(world):
    world.start()
    world.sh("true")
    # Waiting for a vfork would count as work, and an idle session as load.
    (_, ready), = until(lambda: asleep(world), "one process waits for the next command")
    until(lambda: confined(ready), "it is behind its filter")
    assert world.sh("echo here").stdout == b"here\n"
    (_, another), = until(lambda: asleep(world), "and one for the one after")
    assert another != ready


@native_only
def check_a_killed_waiting_process_is_replaced(world):
    world.start()
    for turn in range(3):
        world.sh("true")
        (keeper, ready), = until(lambda: asleep(world), "one process waits for the next command")
        os.kill(ready, signal.SIGKILL)
        until(lambda ready=ready: fields(ready)[0] in "ZX", "it is gone")
        assert fields(keeper)[0] not in "ZX", "the keeper stays"
        assert world.sh("echo %d" % turn).stdout == b"%d\n" % turn


@native_only
def check_a_command_that_cannot_run_is_an_error_and_the_next_one_runs(world):
    world.start()
    world.sh("true")
    until(lambda: asleep(world), "one process waits for the next command")
    ran = world.run("session", "exec", "s", "--", "/no/such/program", check=False)
    assert ran.returncode == 127 and b"/no/such/program" in ran.stderr, (ran.returncode, ran.stderr)
    ran = world.run("session", "exec", "s", "--cwd", "/no/such/place", "--", "true", check=False)
    assert ran.returncode == 125 and b"/no/such/place" in ran.stderr, (ran.returncode, ran.stderr)
    assert world.sh("echo lives").stdout == b"lives\n"


@native_only
def check_a_watched_session_starts_commands_ahead_too(world):
    """Behind the filter every call of ours on the way to the command must be one that does not wait."""
    world.start("--observe", "full")
    for turn in range(3):
        until(lambda: asleep(world) or turn == 0, "one process waits for the next command")
        assert world.sh("cat; pwd; echo %d" % turn).stdout == b"%s\n%d\n" % (os.fsencode(world.workspace), turn)
