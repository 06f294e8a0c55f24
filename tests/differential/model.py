"""model: what should come of an operation, from what `pinfold policy why` says of the paths in it, and nothing else."""
import json
import os
import subprocess

READS = {"read", "read-by-link", "list"}


def decisions(pinfold, flags, paths, run):
    """{path: "hidden" | "readable" | "writable"}"""
    paths = sorted(paths)
    answer = run([pinfold, "policy", "why", "--json", *flags, "--", *paths])
    if answer.returncode != 0:
        raise RuntimeError(f"policy why: {answer.stderr.strip()}")
    out = {}
    said = [each for each in json.loads(answer.stdout)]
    for path, each in zip(paths, said, strict=True):
        text = each["decision"]
        if text.startswith("readable and writable"):
            out[path] = "writable"
        elif text.startswith("readable"):
            out[path] = "readable"
        elif text.startswith("hidden") or text.startswith("not visible"):
            out[path] = "hidden"
        else:
            raise RuntimeError(f"policy why: a decision that the model does not know: {path}: {text}")
    return out


def paths_of(operation):
    """The objects that decide: the path, and the directory in which the name is created or removed."""
    out = set()
    for path in operation[1:]:
        out |= {path, os.path.dirname(path)}
    return out


def seen_beyond(directory, names, decided):
    """Names in a listing that are hidden, and lead to nothing that is shown."""
    shown = [path for path, decision in decided.items() if decision != "hidden"]
    for name in names:
        path = f"{directory}/{name}"
        if decided.get(path) == "hidden" and not any(each.startswith(path + "/") for each in shown):
            yield path


def allowed(operation, decided):
    name, path = operation[0], operation[1]
    if name == "read-by-link":  # `why` names the target
        return decided[path] != "hidden" and decided[os.path.dirname(path)] != "hidden"
    if name in READS:
        return decided[path] != "hidden"
    if name in ("remove", "rename", "link"):
        ok = decided[path] == "writable" and decided[os.path.dirname(path)] == "writable"
        return ok and all(decided[other] == "writable" for other in operation[2:])
    if name in ("create", "make-directory", "make-link"):
        return decided[path] == "writable" and decided[os.path.dirname(path)] == "writable"
    return decided[path] == "writable"
