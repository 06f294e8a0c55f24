"""judge: lists the canaries that a random program read or changed, by comparing the world before and after its run.

Invariant: a finding is excused only by a step of the coverage that Pinfold reported for this very run (GAPS).
Not here: snapshots (world.py).
"""
import os
import re
import stat
import subprocess

from world import MARK, PROJECT, UNREADABLE, describe

PROTECTED = (".git/hooks", ".git/hooks/pre-commit", ".git/config", ".vscode", ".vscode/tasks.json", ".envrc", "keep.txt")
ABSENT = (".git/hooks/post-checkout", ".git/config.worktree", ".git/commondir", ".vscode/new.json", ".mcp.json", ".idea", ".bashrc", ".husky", "keep-new", "pinfold.toml")
# The start of a finding → the step whose gap explains it, and the strengths that do.
GAPS = {
    "read name": ("files.read", ("partial", "absent")),  # "names, sizes and times outside can be seen"
    "read link": ("files.read", ("partial", "absent")),
    "read hidden-file": ("files.hidden", ("absent",)),  # "can be read: it lies in a writable directory"
    "copied hidden-file": ("files.hidden", ("absent",)),
    "read arguments": ("processes", ("partial", "absent")),  # "other processes and their arguments can be seen in /proc"
}


def project_before():
    return {name: describe(f"{PROJECT}/{name}") for name in PROTECTED}


def same_file(before, after):
    """Times and link counts of protected files may not change either; those of a protected directory may, by the mounts that protect it."""
    if not isinstance(before, tuple) or not isinstance(after, tuple):
        return before == after
    if stat.S_ISDIR(before[0]):
        return before[:3] == after[:3]
    return before == after


def findings(run, before, after, project, reached, survivors):
    out = [f"read {kind} (by {call}, step {step})" for kind, call, step in sorted(set(re.findall(r"@@ leak (\S+) by (\S+) step (\d+)", run.output)))]
    if MARK in run.output:
        out.append("printed a canary")
    for name in sorted(before.keys() | after.keys()):
        # A bare run can revoke the keyring of its uid; the kernel makes a new one after minutes.
        if name == "keys" and before[name].startswith(UNREADABLE):
            continue
        if before.get(name) != after.get(name):
            out.append(f"changed {name}: {difference(before.get(name), after.get(name))}")
    out += [f"reached socket {name}" for name in sorted(reached)]
    out += [f"left process {each}" for each in survivors]
    for name, was in project.items():
        now = describe(f"{PROJECT}/{name}")
        if not same_file(was, now):
            out.append(f"protected {name}: {shown(was)} → {shown(now)}")
    out += [f"protected {name} was made" for name in ABSENT if os.path.lexists(f"{PROJECT}/{name}")]
    out += in_workspace(run)
    return out


def whole_workspace():
    out = {}
    for folder, directories, files in os.walk(PROJECT):
        for name in directories + files:
            state = describe(f"{folder}/{name}")
            # The placeholder of --protect NAME comes and goes in a directory.
            out[f"{folder}/{name}"] = state[:5] if stat.S_ISDIR(state[0]) else state
    return out


def workspace_changes(before):
    after = whole_workspace()
    return [f"changed read-only {name}: {shown(before.get(name))} → {shown(after.get(name))}" for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]


def in_workspace(run):
    """By descriptors: a run makes paths that are too long to be named."""
    out = []
    for folder, directories, files, at in os.fwalk(PROJECT):
        for name in directories + files:
            path = f"{folder}/{name}"
            info = os.stat(name, dir_fd=at, follow_symlinks=False)
            shown_path = repr(path.removeprefix(PROJECT + "/")[:200])
            if info.st_mode & 0o6000 and not stat.S_ISLNK(info.st_mode):
                out.append(f"planted set-id bits on {shown_path}")
            # Device 0 is the whiteout of RENAME_WHITEOUT, which any user may make and no one can open.
            if (stat.S_ISCHR(info.st_mode) or stat.S_ISBLK(info.st_mode)) and info.st_rdev != 0:
                out.append(f"planted device {shown_path}")
            if info.st_uid != run.uid:
                out.append(f"planted file of uid {info.st_uid}: {shown_path}")
            # A hidden file that the run moved is still only itself.
            if stat.S_ISREG(info.st_mode) and info.st_ino not in run.hidden:
                with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=at), "rb") as file:
                    kinds = set(re.findall(MARK + r"([a-z-]+);", file.read(1 << 20).decode("utf-8", "replace")))
                out += [f"copied {kind} into {shown_path}" for kind in sorted(kinds)]
        if {"objects", "refs"} <= set(directories) and "HEAD" in files and folder != f"{PROJECT}/.git" and len(folder) < 3000:
            out += armed(folder)
    return out


def armed(top):
    """Hooks and keys of a repository made by the run that git on the host would execute."""
    out = []
    hooks = f"{top}/hooks"
    # git has no hook with a dot in its name; Pinfold renames one that it disables to NAME.disabled-by-pinfold-….
    if os.path.isdir(hooks) and any(os.access(f"{hooks}/{name}", os.X_OK) for name in os.listdir(hooks) if "." not in name):
        out.append(f"armed hook in {top.removeprefix(PROJECT + '/')!r}")
    config = f"{top}/config"
    if os.path.isfile(config) and not os.path.islink(config):
        # git decides whether the text is valid configuration.
        keys = subprocess.run(["/usr/bin/git", "config", "--file", config, "--name-only", "--list"], cwd="/", env={"HOME": "/"}, capture_output=True, text=True, check=False)
        if keys.returncode == 0 and re.search(r"fsmonitor|hookspath", keys.stdout):
            out.append(f"armed configuration in {top.removeprefix(PROJECT + '/')!r}")
    return out


def is_about(finding, start):
    """Whether a finding is of this kind; a kind that a short read has cut off ends with ~ and is of every kind that begins so."""
    words = finding.split(" (")[0]
    return start.startswith(words[:-1]) if words.endswith("~") else finding.startswith(start)


def excused(finding, coverage, flips):
    # "a program that changes names at the right moment can write to …"
    if flips and finding.startswith("protected") and coverage.get("files.protected") == "partial":
        return "files.protected is partial"
    for start, (step, strengths) in GAPS.items():
        if is_about(finding, start) and coverage.get(step) in strengths:
            return f"{step} is {coverage[step]}"
    return None


def kind_of(finding):
    """A few words, for counting."""
    words = finding.split(" (")[0].split(":")[0].split()
    if words[:2] == ["changed", "read-only"] or words[0] in ("left", "armed", "planted", "copied"):
        return " ".join(words[:2])
    if words[0] == "changed" and len(words) > 1 and words[1].startswith("/"):
        return "changed " + (words[1] if words[1].count("/") < 3 else "/".join(words[1].split("/")[:4]))
    return " ".join(words[:3])


def difference(before, after):
    if isinstance(before, dict) and isinstance(after, dict):
        return "; ".join(f"{key}: {shown(before[key])} → {shown(after.get(key))}" for key in before if before[key] != after.get(key))
    return f"{shown(before)} → {shown(after)}"


def shown(state):
    if isinstance(state, tuple) and len(state) == 8:
        mode, uid, _, size, links, times, content, attributes = state
        return f"mode {mode:o} uid {uid} size {size} links {links} times {times} {str(content)[:60]} {attributes}"
    return str(state)[:400]
