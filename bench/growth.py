"""growth.py: how a start grows with the number of rules and with the size of the workspace.

Invariant: as run: in turns, as an ordinary user. Beside each start with many mounts stands what the kernel alone takes for them.
Not here: the budgets of an ordinary start (run), the clocks (spawn_timer.cc, mount_floor.cc).
"""
import os
import statistics
import subprocess
import sys
import time

TIMES_RULES = 3.0  # the budget: 1,000 rules that need no mount of their own, against 10
COUNTS = (10, 100, 1000, 10000)
SIZES = (10, 1000, 30000, 300000)
FILES_EACH, DIRECTORIES_EACH = 20, 10
REFUSED = 125


def rule_paths(place):
    """Directories outside of the workspace, by names that are short from inside it: argument lists have a limit."""
    names = ["../r/%d/%d" % (number // 100, number) for number in range(max(COUNTS))]
    for name in names:
        os.makedirs(place.workspace / name, exist_ok=True)
    place.give(place.home / "r")
    return names


def repeated(flag, names):
    return [word for name in names for word in (flag, name)]


def measure_rules(place, rounds):
    names = rule_paths(place)
    true = "/bin/true"
    # What each kind of rule costs: nothing but a look, a mount, a mask, a writable root with its protected names.
    kinds = {
        "read, below what is shown": lambda some: place.boxed(true, flags=["--read", "../r", *repeated("--read", some)]),
        "hide, where nothing is shown": lambda some: place.boxed(true, flags=repeated("--hide", some)),
        "read, each elsewhere (mounts)": lambda some: place.boxed(true, flags=repeated("--read", some)),
        "hide, below what is shown (mounts)": lambda some: place.boxed(true, flags=["--read", "../r", *repeated("--hide", some)]),
        "write, each elsewhere (mounts)": lambda some: place.boxed(true, flags=repeated("--write", some)),
        "--workspace, each elsewhere (mounts)": lambda some: place.boxed(true, flags=repeated("--workspace", some)),
    }
    floor = {}
    for count in COUNTS:
        file = place.home / ("paths-%d" % count)
        file.write_text("".join("%s\n" % (place.workspace / name).resolve() for name in names[:count]))
        floor[count] = [place.bin / "mount_floor", file]
    few = max(3, rounds // 50)
    print("\nrules: start and end of /bin/true, median of %d, ms" % few)
    print("%-38s" % "number of rules" + "".join("%10s" % format(count, ",") for count in COUNTS) + "   1,000 / 10")
    out = {}
    for kind, command in {**kinds, "the kernel alone, as many mounts": None}.items():
        # A writable root has some fifty names to look after, and an open descriptor for them.
        counts = [count for count in COUNTS if count <= 1000 or "write" not in kind and "workspace" not in kind]
        commands = {}
        for count in counts:
            commands[count] = command(names[:count]) if command else floor[count]
            # The kernel lets go of many mounts after their process has ended: the next start is not to pay for that.
            commands["after %d" % count] = ["/bin/sleep", "0.1"]
        times = place.times(few, commands)
        out[kind] = {count: times[count]["median"] for count in counts}
        ratio = out[kind][1000] / out[kind][10]
        judged = "" if "mounts" in kind else "  allowed %.1fx: %s" % (TIMES_RULES, "met" if ratio <= TIMES_RULES else "NOT met")
        row = "".join("%10.1f" % (out[kind][count] / 1000) if count in out[kind] else "%10s" % "" for count in COUNTS)
        print("%-38s%s %10.1fx%s" % (kind, row, ratio, judged))
        sys.stdout.flush()
    return out


class Links:
    """Names for nothing: a hard link is made in a fraction of the time of a file, and a search sees no difference."""

    MOST = 30000  # file systems bound the links of one file

    def __init__(self, place):
        self.folder, self.made, self.source = place.home / "links", 0, ""
        self.folder.mkdir()

    def make(self, path):
        if self.made % self.MOST == 0:
            self.source = "%s/%d" % (self.folder, self.made)
            with open(self.source, "w", encoding="ascii"):
                pass
        os.link(self.source, path)
        self.made += 1


def make_tree(links, root, files):
    """Directories of twenty files, ten directories in each, breadth first."""
    open_directories, made = [root], 0
    for directory in open_directories:
        os.makedirs(directory)
        for number in range(min(FILES_EACH, files - made)):
            links.make("%s/file%d.c" % (directory, number))
            made += 1
        if len(open_directories) * FILES_EACH < files:
            open_directories += ["%s/dir%d" % (directory, number) for number in range(DIRECTORIES_EACH)]
        if made >= files:
            return


def make_flat(links, root, files):
    """All in one directory."""
    os.makedirs(root + "/all")
    for number in range(files):
        links.make("%s/all/file%d.c" % (root, number))


def refusal(place, flags):
    """Milliseconds until a run is refused, or None if it is not."""
    took = []
    for _ in range(5):
        began = time.monotonic()
        done = subprocess.run(**place.command(place.boxed("/bin/true", flags=flags)), capture_output=True, check=False)
        took.append((time.monotonic() - began) * 1000)
        if done.returncode != REFUSED:
            return None
    return statistics.median(took)


def measure_trees(place, rounds):
    links, trees = Links(place), {}
    for size in SIZES:
        trees["%s files" % format(size, ",")] = str(place.home / ("tree%d" % size))
        make_tree(links, str(place.home / ("tree%d" % size)), size)
    trees["%s files in one directory" % format(SIZES[-1], ",")] = str(place.home / "flat")
    make_flat(links, str(place.home / "flat"), SIZES[-1])
    for root in trees.values():
        os.chmod(root, 0o777)
    few = max(5, rounds // 10)
    own = ["--hide", "**/*.nothing"]
    commands = {}
    for name, root in trees.items():
        commands[name] = place.boxed("/bin/true", flags=["--workspace", root])
    times = place.times(few, commands)
    print("\ntrees: start and end of /bin/true, median of %d, ms; what is cached stays cached" % few)
    print("%-38s %10s %10s   %s" % ("workspace", "moderate", "/ smallest", "with a pattern of one's own"))
    smallest = times["%d files" % SIZES[0]]["median"]
    out = {}
    for name, root in trees.items():
        refused = refusal(place, ["--workspace", root, *own])
        if refused is None:
            ours = place.times(few, {name: place.boxed("/bin/true", flags=["--workspace", root, *own])})[name]["median"]
        out[name] = dict(moderate=times[name]["median"], own=None if refused else ours, refused_after_ms=refused)
        text = "refused after %.1f ms" % refused if refused else "%.1f ms" % (ours / 1000)
        print("%-38s %10.1f %9.1fx   %s" % (name, times[name]["median"] / 1000, times[name]["median"] / smallest, text))
        sys.stdout.flush()
    return out
