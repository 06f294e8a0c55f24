# pages.py: the documents as blocks, links, tables and headings; and the sources that they speak about.
# Invariant: reads only. A block that is never closed is an error.
# Not here: judging (checks.py), running examples (examples.py).
import glob
import os
import re

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def pages():
    """Every document, relative to the project."""
    found = [*glob.glob(os.path.join(ROOT, "*.md")), *glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)]
    return sorted(os.path.relpath(path, ROOT) for path in found)


def text_of(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def blocks(page):
    """(kind, line, text) of each ``` block, in order; a block in a list item without its indentation."""
    out, kind, begin, body, indent = [], None, 0, [], 0
    for number, line in enumerate(text_of(page).split("\n"), 1):
        bare = line.lstrip(" ")
        if bare.startswith("```") and kind is None:
            kind, begin, body, indent = bare[3:].strip(), number, [], len(line) - len(bare)
        elif bare.startswith("```"):
            out.append((kind, begin, "\n".join(body) + "\n"))
            kind = None
        elif kind is not None:
            body.append(line[min(indent, len(line) - len(bare)):])
    if kind is not None:
        raise ValueError(f"{page}:{begin}: the block is never closed")
    return out


def prose(page):
    """The text without its blocks."""
    return re.sub(r"^ *```.*?^ *```$", "", text_of(page), flags=re.S | re.M)


def headings(page):
    """Anchors, as the usual viewers make them."""
    out = set()
    for line in prose(page).split("\n"):
        if line.startswith("#"):
            words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            out.add(words.replace(" ", "-"))
    return out


def rows(page):
    """(heading cells, cells) of each table row; \\| is a bar."""
    out, head = [], None
    for line in prose(page).split("\n"):
        if not line.startswith("|"):
            head = None
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if head is None:
            head = cells
        elif not re.fullmatch(r"[-: ]*", "".join(cells)):
            out.append((head, cells))
    return out


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def keys():
    """Every key of src/policy/keys.h: name, aliases, place, variable, example."""
    with open(os.path.join(ROOT, "src", "policy", "keys.h"), encoding="utf-8") as file:
        text = file.read()
    row = re.compile(r'\{Key::k\w+,\s*"([^"]*)",\s*\{([^}]*)\},\s*Form::k\w+,\s*(k\w+),\s*"([^"]*)",\s*"((?:[^"\\]|\\.)*)"')
    return [{"name": name, "aliases": re.findall(r'"([^"]+)"', aliases), "place": place, "variable": variable,
             "example": example.replace('\\"', '"')} for name, aliases, place, variable, example in row.findall(text)]


def messages():
    """Every string of the sources, joined where the compiler joins them."""
    out = []
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith((".cc", ".h")) and not name.endswith("_test.cc"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = re.sub(r'"\s*\n\s*"', "", file.read())
                out += [one.replace('\\"', '"') for one in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)]
    return "\n".join(out)
