"""measure_start.py: starts: alone, in a session, through the library, many at once; and the memory and processes beside the command.

Invariant: each function returns {contender or variant: sample, or Cannot with the reason}; all that one returns was measured in turns.
Not here: which rows there are, and their budgets (rows.py).
"""
import json
import os
import subprocess
import time

from place import Cannot, Failed, sample

TRUE = "/bin/true"
FLOOR = "kernel alone"


def milliseconds(times):
    """Samples in microseconds as milliseconds."""
    return {name: one if isinstance(one, Cannot) else {key: value / 1000 if key in ("median", "p99", "min", "mean") and value is not None else value
                                                       for key, value in one.items()} for name, one in times.items()}


def measured_starts(bench):
    every = {each.name: each.slow for each in bench.able()}
    commands = {each.name: each.wrap([TRUE]) for each in bench.able()}
    found = milliseconds(bench.place.times(bench.rounds(1000), {**commands, FLOOR: [bench.place.bin / "start_floor", TRUE]}, every))
    return bench.everyone(found)


def starts(bench):
    return bench.once(measured_starts)


def tails(bench):
    """The slowest of the same starts."""
    found = bench.once(measured_starts)
    few = Cannot("fewer than 100 starts")
    return {name: one if isinstance(one, Cannot) else few if one["p99"] is None else dict(median=one["p99"], count=one["count"], p99=None)
            for name, one in found.items()}


def stop_sessions(place, pinfold):
    listed = place.run([pinfold, "session", "list", "--json"])
    names = [entry["id"] for entry in json.loads(listed.stdout or "[]")]
    if names:
        place.run([pinfold, "session", "stop", *names])


def in_session(bench):
    place, pinfold = bench.place, bench.place.bin / "pinfold"
    place.output([pinfold, "session", "start", "--detach", "--name", "bench"])
    try:
        times = place.times(bench.rounds(500), {"bare": [TRUE], "pinfold": [pinfold, "session", "exec", "bench", "--", TRUE],
                                                "program": [pinfold, "version"]})
    finally:
        stop_sessions(place, pinfold)
    found = milliseconds(times)
    bench.note("session", "Of Pinfold's time %.2f ms are the start and end of the program itself (`pinfold version`)." % found.pop("program")["median"])
    return bench.everyone({**{each.name: each.sessions for each in bench.peers()}, **found})


def library(bench):
    place = bench.place
    numbers = json.loads(place.output([place.bin / "session_timer", bench.rounds(500), TRUE]))
    return {"bare": dict(median=numbers["bare"] / 1000), "in a session": dict(median=numbers["session"] / 1000), "a sandbox for each": dict(median=numbers["run"] / 1000)}


def crowd(bench):
    """A hundred at once; slow contenders have fewer rounds."""
    count, found = (20, {}) if bench.quick else (100, {})
    rounds = 1 if bench.quick else 3
    gathered = {}
    for turn in range(rounds):
        for each in bench.able():
            if turn and each.slow > 10 or isinstance(gathered.get(each.name), Cannot):
                continue
            bench.doing("%d × %s" % (count, each.name))
            try:
                one = bench.place.crowd(count, 1, each.many([TRUE]))
            except Failed as problem:
                one = Cannot(str(problem))
            if isinstance(one, Cannot):
                gathered[each.name] = one
            else:
                gathered.setdefault(each.name, []).append(one)
    for name, all_of in gathered.items():
        if isinstance(all_of, Cannot):
            found[name] = (all_of, all_of)
            continue
        latency = sample([one["median"] / 1000 for one in all_of])
        latency["p99"] = max(one["p99"] for one in all_of) / 1000
        found[name] = (sample([one["each_second"] for one in all_of]), latency)
    return found


def crowd_throughput(bench):
    return bench.everyone({name: pair[0] for name, pair in bench.once(crowd).items()})


def crowd_latency(bench):
    return bench.everyone({name: pair[1] for name, pair in bench.once(crowd).items()})


def text_of(pid, name):
    try:
        with open("/proc/%d/%s" % (pid, name), encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""  # the process has exited


def pids():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def descendants(pid):
    """The process and everything below it."""
    children = {}
    for each in pids():
        fields = text_of(each, "stat").rpartition(")")[2].split()
        if fields:
            children.setdefault(int(fields[1]), []).append(each)
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def runs_program(pid, program):
    try:
        return os.readlink("/proc/%d/exe" % pid) == str(program)
    except OSError:
        return False


def pss(pid):
    return next((int(line.split()[1]) for line in text_of(pid, "smaps_rollup").splitlines() if line.startswith("Pss:")), 0)


def beside_one(place, argv):
    """MiB of every process of a sandbox but the command itself, and how many they are."""
    child = subprocess.Popen(**place.command(argv), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            time.sleep(0.5)
            tree = set(descendants(child.pid))
            # A helper may have left the tree on purpose, to outlive its parent.
            tree |= {pid for pid in pids() if runs_program(pid, argv[0])}
            sleepers = {pid for pid in tree if text_of(pid, "comm").strip() == "sleep"}
            if sleepers:
                kibibytes = [pss(pid) for pid in tree - sleepers]
                return sum(kibibytes) / 1024, len(kibibytes)
        return None
    finally:
        tree = descendants(child.pid)
        child.terminate()
        try:
            child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        for pid in tree:
            if text_of(pid, "comm").strip() == "sleep":  # whose sandbox was left behind
                subprocess.run(["kill", str(pid)], stderr=subprocess.DEVNULL, check=False)


def beside(bench):
    if os.geteuid() != 0:  # PID 1 of a sandbox is not dumpable
        why = Cannot("only root may look at the memory of a sandbox")
        return {each.name: (why, why) for each in bench.able()}
    found = {each.name: [] for each in bench.able() if each.name != "bare"}
    for _ in range(1 if bench.quick else 3):
        for each in bench.able():
            if each.name in found:
                found[each.name].append(beside_one(bench.place, each.many(["/bin/sleep", "30"])))
    late = Cannot("the command did not start within 20 seconds")
    out = {"bare": (dict(median=0.0), dict(median=0))}
    for name, samples in found.items():
        there = [one for one in samples if one]
        out[name] = (sample([mib for mib, _ in there]), sample([count for _, count in there])) if there else (late, late)
    return out


def memory(bench):
    return bench.everyone({name: pair[0] for name, pair in bench.once(beside).items()})


def helpers(bench):
    return bench.everyone({name: pair[1] for name, pair in bench.once(beside).items()})


def session_memory(bench):
    """MiB of many sessions together."""
    place, pinfold = bench.place, bench.place.bin / "pinfold"
    if os.geteuid() != 0:
        return {"pinfold": Cannot("only root may look at the memory of a sandbox")}
    try:
        for _ in range(100):
            place.output([pinfold, "session", "start", "--detach"])
        return {"pinfold": dict(median=sum(pss(pid) for pid in pids() if runs_program(pid, pinfold)) / 1024)}
    finally:
        stop_sessions(place, pinfold)


def backends(bench):
    """Starts of every backend that can be used here; one with gaps in required steps is measured with them."""
    commands = {"bare": [TRUE]}
    for name in bench.place.backends():
        commands[name] = bench.place.boxed(TRUE, flags=["--backend", name, "--on-unavailable", "warn"])
    return milliseconds(bench.place.times(bench.rounds(200), commands))
