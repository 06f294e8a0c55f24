# checks.py: the documents against the program's tables, the sources and each other.
# Invariant: each function returns the problems that it found; nothing is run but `pinfold help`.
# Not here: examples (examples.py).
import os
import re
import subprocess

import pages

# Words in docs/reference/cli.md that are no flags: placeholders.
NO_FLAGS = {"--flag", "--"}


def helps(pinfold):
    """Each command with its flags, all spellings, out of `pinfold help`."""
    overview = subprocess.run([pinfold, "help"], capture_output=True, text=True, check=True).stdout
    listed = overview.split("\nCommands\n")[1].split("\n\n")[0]
    out = {}
    for line in listed.split("\n"):
        name = re.match(r"  pinfold ((?:policy |session |grants |plugin |files )?\S+)", line).group(1)
        text = subprocess.run([pinfold, "help", *name.split()], capture_output=True, text=True, check=True).stdout
        out[name] = set()
        for flag in re.findall(r"^  (-.*?)(?:  |$)", text.split("\nUsage\n")[1], re.M):
            out[name] |= {word.rstrip(",") for word in flag.split() if word.startswith("-")}
    return out


def flags(pinfold):
    """Every flag is in docs/reference/cli.md, and every flag there exists."""
    text = pages.text_of("docs/reference/cli.md")
    found = []
    known = set()
    for command, spellings in helps(pinfold).items():
        known |= spellings
        # Commands of a group may share a heading; each then has its usage below it.
        shared = re.search(rf"^## `pinfold {command.split()[0]}`$", text, re.M) and re.search(rf"^- `pinfold {command}\b", text, re.M)
        if not shared and not re.search(rf"^## .*`pinfold {command}\b", text, re.M):
            found.append(f"docs/reference/cli.md has no heading for `pinfold {command}`")
        for flag in sorted(spellings):
            if not re.search(rf"`[^`\n]*(?<![\w-]){re.escape(flag)}(?![\w-])", text):
                found.append(f"docs/reference/cli.md does not have {flag} of `pinfold {command}`")
    for page in ("docs/reference/cli.md", "docs/reference/policy.md", "docs/guides/troubleshooting.md", "docs/reference/presets.md"):
        for code in re.findall(r"`(--[a-z][a-z0-9-]*)", pages.prose(page)):
            if code not in known | NO_FLAGS:
                found.append(f"{page}: there is no flag {code}")
    return found


def keys(_):
    """Every key, with place, variable and older names, has its row in docs/reference/policy.md, and an example that is run."""
    places = {"kTop": "top", "kInProfile": "profile", "kAnywhere": "both"}
    table = {pages.quoted(cells[0])[0]: cells for head, cells in pages.rows("docs/reference/policy.md") if head[0] == "key"}
    examples = "".join(text for kind, _, text in pages.blocks("docs/reference/policy.md") if kind in ("toml", "toml user"))
    all_keys = pages.keys()
    found = [] if len(all_keys) > 20 else [f"only {len(all_keys)} keys were found in src/policy/keys.h"]
    for key in all_keys:
        name = key["name"]
        cells = table.pop(name, None)
        if cells is None:
            found.append(f"docs/reference/policy.md has no row for the key {name}")
            continue
        if cells[1] != places[key["place"]]:
            found.append(f"{name}: the place is {places[key['place']]}, not {cells[1]}")
        if pages.quoted(cells[3]) != ([key["variable"]] if key["variable"] else []):
            found.append(f"{name}: the variable is {key['variable'] or 'none'}, not {cells[3]}")
        if pages.quoted(cells[4]) != key["aliases"]:
            found.append(f"{name}: the older names are {key['aliases']}, not {cells[4]}")
        if not re.search(rf"^(\[{name}\.|{name} = )", examples, re.M):
            found.append(f"{name}: no example in docs/reference/policy.md")
    return found + [f"docs/reference/policy.md has a row for {name}, which is no key" for name in table]


def links(_):
    """Every link between documents leads to a file and, where it names one, to a heading."""
    found = []
    for page in pages.pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", pages.prose(page)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(pages.ROOT, full)):
                found.append(f"{page}: {target}: no such file")
            elif anchor and anchor not in pages.headings(full):
                found.append(f"{page}: {target}: no such heading")
    return found


def messages(_):
    """What docs/guides/troubleshooting.md quotes as Pinfold's message, Pinfold can say."""
    said = pages.messages()
    found = []
    count = 0
    for head, cells in pages.rows("docs/guides/troubleshooting.md"):
        if not head[0].startswith("message"):
            continue
        for message in pages.quoted(cells[0]):
            for part in re.split(r"…", message):
                part = re.sub(r"^(trust\.json|limit\.[a-z-]+) ", "", part.strip(" :'"))
                if len(part) < 6 or part.startswith(("limit.", "PINFOLD_")):
                    continue
                count += 1
                if part not in said and part not in COMPOSED:
                    found.append(f"docs/guides/troubleshooting.md: nothing says `{part}`")
    return found if count > 40 else found + [f"only {count} messages were found"]


# Put together at run time, each from parts that the sources have.
COMPOSED = {"can be written by every user", "cannot be a number", "cannot be a list", "255 bytes", "cannot hide",
            "-c and a command are both given"}


def presets(pinfold):
    """docs/reference/presets.md has a column for each preset, and names no other."""
    reported = subprocess.run([pinfold, "run", "--profile", "?", "--", "true"], capture_output=True, text=True).stderr
    names = re.search(r"the profiles are ([a-z, -]+)\)", reported)
    if not names:
        return [f"the presets were not listed: {reported}"]
    head = next(head for head, cells in pages.rows("docs/reference/presets.md"))
    columns = [pages.quoted(cell)[0] for cell in head[1:]]
    return [] if sorted(columns) == sorted(names.group(1).split(", ")) else [f"{columns} are not {names.group(1)}"]
