"""table: what each backend enforces on each guest, for docs/reference/backends.md, from the golden files.

Invariant: nothing here is written by hand; `check` fails when the docs and the golden files differ.
Not here: making the golden files (run).
"""
import os
import re

import guests

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "reference", "backends.md")
BEGIN = "<!-- from tests/kernels/golden, by tests/kernels/run --docs -->\n"
END = "<!-- end -->\n"
ROW = re.compile(r"^  (\S+) +(required|best effort) +(enforced|partial|absent) +(.*)$", re.MULTILINE)


def golden(guest, user):
    path = f"{HERE}/golden/{guest.name}.{user}.txt"
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def backends_of(text):
    """backend → what doctor said of it, and after that the limits asked for by flags."""
    found = {}
    parts = re.split(r"^backend (\S+).*\n", text, flags=re.MULTILINE)
    for name, said in zip(parts[1::2], parts[2::2]):
        found[name] = found.get(name, "") + said
    return found


def rows_of(text):
    """step → (strength, mechanism); where a step comes twice, the limits asked for by flags are the later ones."""
    return {step: (strength, by) for step, _, strength, by in ROW.findall(text)}


def short(rows, step):
    strength, by = rows.get(step, ("absent", ""))
    if strength == "absent":
        return "**absent**" if step.startswith("limit.") else "none"
    by = re.sub(r"[;,].*", "", by)
    return by if strength == "enforced" else f"{by} (partial)"


def line(guest, user, text):
    rows = rows_of(text)
    name = f"{guest.kernel}: {guest.what}"
    if not rows:
        why = re.search(r"cannot be used: (.*)", text)
        fix = re.search(r"fix: +(.*)", text)
        return f"| {name} | {user} | refused: {why[1] if why else '?'} | | | {fix[1] if fix else ''} |"
    weaker = ", ".join(f"`{step}` {strength}" for step, (strength, _) in rows.items() if strength != "enforced") or "—"
    cells = [short(rows, step) for step in ("files.landlock", "limit.memory", "limit.processes")]
    return f"| {name} | {user} | {cells[0]} | {cells[1]} | {cells[2]} | {weaker} |"


def made():
    said = [(guest, user, backends_of(golden(guest, user))) for guest in guests.GUESTS for user in guests.USERS]
    names = list(dict.fromkeys(name for _, _, backends in said for name in backends))
    lines = []
    for name in names:
        lines += ["", f"## {name}", ""]
        lines.append("| kernel and host | as | Landlock (files) | `--memory 64M` | `--processes 64` | not fully enforced, or the fix |")
        lines.append("|---|---|---|---|---|---|")
        lines += [line(guest, user, backends[name]) for guest, user, backends in said if name in backends]
    return BEGIN + "\n".join(lines[1:]) + "\n\n" + END


def pieces():
    with open(DOCS, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    now, after = rest.split(END)
    return before, BEGIN + now + END, after


def write():
    before, _, after = pieces()
    with open(DOCS, "w", encoding="utf-8") as file:
        file.write(before + made() + after)


def check():
    """0 when the docs are current, or else 1, like a count of failures."""
    if pieces()[1] == made():
        return 0
    print("      FAIL docs/reference/backends.md is not current: tests/kernels/run --docs")
    return 1
