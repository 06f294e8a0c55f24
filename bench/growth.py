"""growth.py: how a start grows with the number of rules and with the size of the workspace.

Invariant: as measure_start.py. Each start with many mounts is compared with the kernel's own time for these mounts.
Not here: which rows there are, and their budgets (rows.py), the clocks (spawn_timer.cc, mount_floor.cc).
"""
import os
import pathlib

from measure_start import FLOOR, TRUE, milliseconds
from measure_work import Links, make_tree
from place import Cannot

COUNTS = (10, 100, 1000, 10000)
SIZES = (1000, 30000, 300000)
# What each kind of rule costs: nothing but a look, a mount, a mask, a writable root with its protected names.
KINDS = {
    "rules-read": lambda names: ["--read", "../r", *repeated("--read", names)],
    "rules-nothing": lambda names: repeated("--hide", names),
    "rules-hide": lambda names: ["--read", "../r", *repeated("--hide", names)],
    "rules-write": lambda names: repeated("--write", names),
    "rules-workspace": lambda names: repeated("--workspace", names),
}


def repeated(flag, names):
    return [word for name in names for word in (flag, name)]


def rule_paths(bench):
    """Directories outside of the workspace, by names that are short from inside it: argument lists have a limit."""
    names = ["../r/%d/%d" % (number // 100, number) for number in range(max(COUNTS))]
    if not (bench.place.home / "r").exists():
        for name in names:
            os.makedirs(bench.place.workspace / name, exist_ok=True)
        bench.place.give(bench.place.home / "r")
    return names


def rested(commands):
    """The kernel lets go of many mounts after their process has ended: the next start is not to pay for that."""
    out = {}
    for name, command in commands.items():
        out[name] = command
        out["after %s" % name] = ["/bin/sleep", "0.1"]
    return out


def timed(bench, rounds, commands):
    found = milliseconds(bench.place.times(bench.rounds(rounds), rested(commands)))
    return {name: found[name] for name in commands}


def rules(kind):
    """Pinfold's starts with so many rules of one kind."""
    def measure(bench):
        names = rule_paths(bench)
        # A writable root has some fifty names to look after, and an open descriptor for them.
        counts = [count for count in COUNTS if count <= 1000 or kind not in ("rules-write", "rules-workspace")]
        if bench.quick:
            counts = counts[:3]
        found = timed(bench, 11, {str(count): bench.place.boxed(TRUE, flags=KINDS[kind](names[:count])) for count in counts})
        return {**found, **{str(count): Cannot("more writable directories than descriptors") for count in COUNTS if count not in counts and not bench.quick}}
    return measure


def mounts(count):
    """Starts with so many directories, each under another path: the contenders that take a list of directories, and the kernel alone."""
    def measure(bench):
        names = rule_paths(bench)[:count]
        full = [(bench.place.workspace / name).resolve() for name in names]
        file = bench.place.home / ("paths-%d" % count)
        file.write_text("".join("%s\n" % path for path in full))
        commands, out = {}, {}
        for each in bench.able():
            if each.name in ("pinfold", "bare"):
                commands[each.name] = each.wrap([TRUE], paths=names)
            elif each.name == "bwrap" and 3 * count + 60 > each.MOST:
                out[each.name] = Cannot("takes at most 9,000 arguments")
            elif each.name in ("bwrap", "crun"):
                commands[each.name] = each.wrap([TRUE], paths=full)
        commands[FLOOR] = [bench.place.bin / "mount_floor", file]
        return bench.everyone({**out, **timed(bench, 11 if count <= 1000 else 5, commands)})
    return measure


def tree_of(bench, size):
    root = bench.place.home / ("tree%d" % size)
    if not root.exists():
        bench.doing("making %s files" % format(size, ","))
        make_tree(Links(bench.place.home / ("links%d" % size)), str(root), size)
        bench.place.give(root)
    return root


def workspace(size):
    def measure(bench):
        small = min(size, 3000) if bench.quick else size
        root = tree_of(bench, small)
        commands = {each.name: each.wrap([TRUE], root) for each in bench.able()}
        return bench.everyone(milliseconds(bench.place.times(bench.rounds(30), commands, {each.name: each.slow for each in bench.able()}, root)))
    return measure


def own_pattern(bench):
    """A pattern of one's own over the largest workspace is refused rather than half applied; how long that takes."""
    out = {}
    for size in SIZES[:1] if bench.quick else SIZES:
        root = pathlib.Path(tree_of(bench, size))
        argv = bench.place.boxed(TRUE, flags=["--hide", "**/*.nothing"])
        first = bench.place.run(argv, root)
        out[format(size, ",") + " files"] = (Cannot("refused: the search ends after 50,000 entries or 50 ms") if first.returncode == 125 else
                                             milliseconds(bench.place.times(bench.rounds(15), {"own": argv}, cwd=root))["own"])
    return out
