# large_trees.py: workspaces that are large, slow or many: a start stays bounded, and names the directories that it did not search.
# Invariant: no check depends on how fast this machine is: the checks count queries, names and gaps, not milliseconds.
# Not here: how a start grows (bench/growth.py), the order of the search (src/plan/search_test.cc).
import json
import os
import shlex
import subprocess
import sys

from harness import HERE, Ran, check, expect

BOUND_ENTRIES = 50_000


def gap_of(report, step):
    rows = [row for row in report["coverage"] if row["step"] == step]
    expect(len(rows) == 1, f"{len(rows)} rows for {step}")
    return rows[0]


def in_large(w, layout, *words):
    """Runs pinfold in a workspace that is a file system in memory, filled by the shell lines of `layout`; many files on a disk, made
    and removed again, are slow for the next check."""
    at, report = f"{w.base}/large", f"{w.base}/large.json"
    os.makedirs(at, exist_ok=True)
    lines = ["set -e", "mount --make-rprivate /", f"mount -t tmpfs tmpfs {at}", f"cd {at}", *layout,
             f"exec {w.program} run --report {report} " + shlex.join(words)]
    argv = ["unshare", "--mount", "bash", "-c", "\n".join(lines)]
    done = subprocess.run(argv, env=w.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    expect(os.path.exists(report), f"it did not start: {done.stderr[-400:]}")
    with open(report, encoding="utf-8") as file:
        return Ran(done.returncode, done.stdout, done.stderr, 0, argv), json.load(file), at


def files(directory, count):
    """A shell line that makes so many files."""
    return f"mkdir -p {directory}; (cd {directory}; seq {count} | xargs touch)"


def slowly(w, words, delay, directories, files_each):
    """Runs pinfold with a slow workspace at w.base/slow; what ran, and how often the file system was asked."""
    at = f"{w.base}/slow"
    os.makedirs(at, exist_ok=True)
    argv = [sys.executable, os.path.join(HERE, "slow_files.py"), at, str(delay), str(directories), str(files_each), "--",
            w.program, "run", "--workspace", at, *words]
    done = subprocess.run(argv, cwd=w.ws, env=w.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    ran = Ran(done.returncode, done.stdout, done.stderr, 0, argv)
    expect("asked " in ran.err, f"the slow file system did not work: {ran.err[-400:]}")
    return ran, int(ran.err.rsplit("asked ", 1)[1].split()[0])


@check("one directory with more names than the bound: a preset's gap names it, a pattern of one's own refuses")
def one_large_directory(w):
    layout = [files("many", BOUND_ENTRIES + 5000)]
    _, report, at = in_large(w, layout, "true")
    for step in ("files.patterns", "files.protected-below"):
        row = gap_of(report, step)
        expect(row["strength"] == "partial" and not row["required"] and f"{at}/many" in row["gap"], row)
    ran, _, _ = in_large(w, layout, "--hide", "**/*.nothing", "true")
    ran.code_is(125).says("**/*.nothing", "cannot be applied everywhere", f"{at}/many")


@check("a workspace whose own top is larger than the bound is guarded by name")
def large_top(w):
    script = ("cat .envrc; echo changed > .envrc; cat .envrc; echo new > .vimrc; ls .vimrc; echo x > 1; cat 1")
    ran, _, _ = in_large(w, ["echo kept > .envrc", files(".", BOUND_ENTRIES + 5000)], "-c", script)
    expect(ran.out == "kept\nkept\nx\n", f"inside: {ran.out!r} {ran.err[-400:]}")


@check("what tools made is searched after the project's own files")
def tools_last(w):
    layout = [files(f"node_modules/package{number}", 2000) for number in range(30)]
    layout += ["mkdir -p packages/app", "echo secret > packages/app/.env"]
    ran, report, at = in_large(w, layout, "cat", "packages/app/.env")
    row = gap_of(report, "files.patterns")
    # On a machine so busy that 50 ms were over before the fourth directory, the gap says so itself.
    if f"{at}/packages" not in row["gap"]:
        expect(ran.code != 0 and "secret" not in ran.out, "the file was not hidden")
        expect(f"{at}/node_modules" in row["gap"], row)


@check("a slow workspace: no more questions than fit into the bound, and those that were begun")
def slow_workspace(w):
    delay = 0.004  # so that fewer than 13 of them fit into 50 ms
    ran, fixed = slowly(w, ["true"], delay, 0, 0)  # entering, listing and mounting an empty one
    ran.code_is(0)
    for directories, each in ((100, 20), (1, 60000)):
        # The end of a run looks for repositories in unsearched directories, within a bound of its own.
        slowly(w, ["true"], delay, directories, each)[0].code_is(0).says("hooks and settings that changed")
        ran, asked = slowly(w, ["--explain", "true"], delay, directories, each)
        ran.code_is(0)
        expect(asked <= fixed + 20, f"asked {asked} times, {fixed} for an empty workspace")
        slowly(w, ["--hide", "**/*.nothing", "true"], delay, directories, each)[0].code_is(125).says("cannot be applied everywhere")


@check("a hundred workspaces at once: each is writable, with its patterns and protected names")
def many_workspaces(w):
    words = []
    for number in range(100):
        root = f"{w.base}/many/{number}"
        os.makedirs(root + "/.git/hooks")
        w.write(root + "/.env", b"secret\n")
        words += ["--workspace", root]
    script = (f"cd {w.base}/many; for d in *; do echo x > $d/made || exit 1; ! cat $d/.env 2>/dev/null || exit 2; "
              "! echo x 2>/dev/null > $d/.git/hooks/post-commit || exit 3; ! mkdir $d/.vscode 2>/dev/null || exit 4; done")
    w.run(*words, "--force-advice", "-c", script).code_is(0)
    for number in range(100):
        left = sorted(os.listdir(f"{w.base}/many/{number}"))
        expect(left == [".env", ".git", "made"], f"left in {number}: {left}")
