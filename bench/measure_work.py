"""measure_work.py: common work in a sandbox: compile, run git, install, search; and the cost of single file operations.

Invariant: as measure_start.py; every contender works on the same files, with the same command.
Not here: which rows there are, and their budgets (rows.py).
"""
import json
import os
import pathlib
import shutil
import subprocess
import tarfile

import texts
from measure_start import milliseconds
from place import Cannot, Failed, sample

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRAPPED_US = 40  # the time that a trapped call waits for the supervisor: docs/design/performance.md
COMPILE = ["g++", "-std=c++20", "-O1", "-Iinclude", "-Isrc", "-c", "-o", "out.o", "src/base/glob.cc"]


class Links:
    """Names for one of a few files: a hard link is made in a fraction of the time of a file, and a search sees no difference."""

    MOST = 30000  # file systems bound the links of one file

    def __init__(self, folder, text=""):
        self.folder, self.text, self.made, self.source = folder, text, 0, ""
        self.folder.mkdir()

    def make(self, path):
        if self.made % self.MOST == 0:
            self.source = "%s/%d" % (self.folder, self.made)
            pathlib.Path(self.source).write_text(self.text, encoding="ascii")
        os.link(self.source, path)
        self.made += 1


def make_tree(links, root, files, each=20, below=10):
    """Directories of twenty files, ten directories in each, breadth first."""
    open_directories, made = [root], 0
    for directory in open_directories:
        os.makedirs(directory)
        for number in range(min(each, files - made)):
            links.make("%s/file%d.c" % (directory, number))
            made += 1
        if len(open_directories) * each < files:
            open_directories += ["%s/dir%d" % (directory, number) for number in range(below)]
        if made >= files:
            return


def everyone_does(bench, rounds, argv, workspace=None):
    commands = {each.name: each.wrap(argv, workspace) for each in bench.able()}
    found = bench.place.times(bench.rounds(rounds), commands, {"srt": 2} if rounds > 4 else {}, workspace)
    return bench.everyone(milliseconds(found))


def sources(bench):
    """A few of our own sources, in the project."""
    for name in ("include", "src"):
        if not (bench.place.workspace / name).exists():
            shutil.copytree(ROOT / name, bench.place.workspace / name)
    bench.place.give(bench.place.workspace)
    return COMPILE


def trapped(bench, argv, *flags):
    """The number of the command's trapped calls."""
    report = bench.place.workspace / "report.json"
    bench.place.output(bench.place.boxed(*argv, flags=[*flags, "--report", report]))
    return json.loads(report.read_text())["usage"]["trapped_calls"]


def compiling(bench):
    argv = sources(bench)
    calls = trapped(bench, argv)
    found = everyone_does(bench, 5, argv)
    bare = found["bare"]["median"]
    found["pinfold by calls"] = dict(median=bare + calls * TRAPPED_US / 1000)
    bench.note("compile", "%d calls waited to be looked at, %d µs each: %.3f × bare." % (calls, TRAPPED_US, found["pinfold by calls"]["median"] / bare))
    return found


def repository(bench):
    """30,000 files under git, in a workspace of their own."""
    root = bench.place.home / "repository"
    if not root.exists():
        make_tree(Links(bench.place.home / "git-links", "int x;\n"), str(root), 2000 if bench.quick else 30000)
        bench.place.give(root)
        who = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "gc.auto=0"]
        for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "all"], ["status"]):
            bench.place.output(["git", *words], root)
    return root


def git_status(bench):
    # GIT_OPTIONAL_LOCKS=0: no contender may refresh the index for later ones.
    return everyone_does(bench, 10, ["env", "GIT_OPTIONAL_LOCKS=0", "git", "status", "--porcelain"], repository(bench))


def npm_install(bench):
    if not shutil.which("npm"):
        return bench.everyone({each.name: Cannot("npm is not installed") for each in bench.able()})
    root = bench.place.home / "package"
    if not root.exists():
        package = root / "one"
        package.mkdir(parents=True)
        for number in range(40):
            (package / ("file%d.js" % number)).write_text("module.exports = %d\n" % number)
        (package / "package.json").write_text(json.dumps(dict(name="one", version="1.0.0")))
        with tarfile.open(root / "one.tgz", "w:gz") as archive:
            archive.add(package, "package")
        shutil.rmtree(package)
        (root / "package.json").write_text(json.dumps(dict(name="bench", version="1.0.0", private=True)))
        bench.place.give(root)
    script = "rm -rf node_modules package-lock.json .npm && npm install --silent --offline --no-audit --no-fund --cache .npm ./one.tgz && test -f node_modules/one/file39.js"
    return everyone_does(bench, 5, ["sh", "-c", script], root)


def ripgrep(bench):
    if not shutil.which("rg"):
        return bench.everyone({each.name: Cannot("rg is not installed") for each in bench.able()})
    root = bench.place.home / "many"
    if not root.exists():
        text = "".join("int value%d = %d;\n" % (number, number) for number in range(40)) + "needle\n"
        make_tree(Links(bench.place.home / "rg-links", text), str(root), 5000 if bench.quick else 100000)
        bench.place.give(root)
    return everyone_does(bench, 5, ["rg", "--count", "needle", "."], root)


def find_usr(bench):
    return everyone_does(bench, 5, ["sh", "-c", "find /usr 2>/dev/null | tail -n 1"])  # the user may not read some of it


def files(bench):
    """Nanoseconds for each operation; the least of several turns: noise only ever adds."""
    found = {}
    argv = [bench.place.workspace / "fs_ops", bench.place.workspace]
    commands = {**{each.name: each.wrap(argv) for each in bench.able()}, "Landlock alone": [*argv, "landlock"]}
    for _ in range(2 if bench.quick else 5):
        for who, command in commands.items():
            try:
                for name, number in json.loads(bench.place.output(command)).items():
                    found.setdefault(name, {}).setdefault(who, []).append(number)
            except Failed as problem:
                for numbers in found.values():
                    numbers[who] = Cannot(str(problem))
    return {name: {who: one if isinstance(one, Cannot) else dict(median=min(one), min=min(one), count=len(one)) for who, one in numbers.items()}
            for name, numbers in found.items()}


def file_operation(name):
    def measure(bench):
        return bench.everyone(bench.once(files)[name])
    return measure


def observing(bench):
    argv = sources(bench)
    commands = {"bare": argv, **{how: bench.place.boxed(*argv, flags=["--observe", how]) for how in ("off", "fast", "full")}}
    calls = {how: trapped(bench, argv, "--observe", how) for how in ("off", "fast", "full")}
    bench.note("observe", "Calls that waited: " + ", ".join("%s %s" % (how, format(count, ",")) for how, count in calls.items()) + ".")
    return milliseconds(bench.place.times(bench.rounds(5), commands))


PATTERNS = (("rare", "a rare word", ["timespec_get"]), ("frequent", "a frequent word", ["include"]),
            ("expression", "an expression with a word in it", ["[a-z]+_mutex_[a-z]+lock"]), ("wide", "an expression without", ["[A-Z]{12}[0-9]"]),
            ("case", "a word in either case", ["-i", "Timespec_Get"]))


def searching(words):
    """`pinfold files search` beside rg; both find the same lines, or there is no number. rg gets --hidden, as Pinfold searches hidden files."""
    def measure(bench):
        tree, place = "/usr/include", bench.place
        if not os.path.isdir(tree) or not shutil.which("rg"):
            return {"rg": Cannot("needs rg and /usr/include")}
        ours = [place.bin / "pinfold", "files", "search", "--profile", "read-only", "--workspace", tree, *words, tree]
        theirs = ["rg", "--hidden", "--no-heading", "--no-ignore-global", "--no-require-git", "-n", *words, tree]
        lines = [sorted(line.rstrip("\r") for line in place.run(argv, tree).stdout.split("\n") if line) for argv in (ours, theirs)]
        lines[0] = sorted(line if line.startswith("/") else "%s/%s" % (tree, line) for line in lines[0])
        if lines[0] != lines[1]:
            return {"rg": Cannot("they did not find the same lines: %d, %d" % tuple(map(len, lines)))}
        return milliseconds(place.times(bench.rounds(15), {"rg": theirs, "pinfold files search": ours}, cwd=tree))
    return measure


def redaction_speed(bench, text, *flags):
    numbers = texts.speed(bench.place.bin / "pinfold", text, flags, 8 if bench.quick else 64)
    return {"pinfold": dict(median=max(numbers), min=min(numbers), count=len(numbers))}


def advice_speed(bench):
    """Microseconds for one command of each labelled set; the slowest set counts."""
    files_of = sorted((ROOT / "tests/safety/commands").glob("*.jsonl"))
    done = subprocess.run([bench.place.bin / "bench_safety", *files_of], capture_output=True, text=True, check=True)
    numbers = {line.split()[0]: float(line.split()[3]) for line in done.stdout.splitlines()[1:] if ".jsonl" in line}
    slowest = max(numbers, key=numbers.get)
    bench.note("advice", "The slowest of %d sets (%s)." % (len(numbers), slowest))
    return {"pinfold": sample(list(numbers.values())) | dict(median=numbers[slowest])}
