"""world: a random tree, random rules over it, random operations in it.

Invariant: everything follows from the seed; no operation changes what another one is about.
Not here: what should come of it (model.py), running it (run).
"""
import os
import random

PLAIN = ("a", "b", "notes.txt", "main.c", "data", "x y", "ünï", "-n")
SECRET = ("key.sec", "deep.sec")  # for a pattern
PROTECTED = (".vscode", ".envrc", ".mcp.json")


class World:
    def __init__(self, seed, base):
        self.random = random.Random(seed)
        self.base = base
        self.workspace = f"{base}/ws"
        self.directories, self.files, self.links = [], [], []
        for top in ("ws", "out"):
            self._grow(f"{base}/{top}", 0)
        self._add_links()
        self.flags = self._rules()
        self.operations = self._operations()

    def _grow(self, directory, depth):
        self.directories.append(directory)
        names = self.random.sample(PLAIN, self.random.randint(3, 5)) + self.random.sample(SECRET, self.random.randint(0, 1))
        for name in names:
            path = f"{directory}/{name}"
            if depth < 2 and name in PLAIN[:2]:
                self._grow(path, depth + 1)
            else:
                self.files.append(path)

    def _add_links(self):
        for number in range(4):
            at = self.random.choice([each for each in self.directories if each.startswith(self.workspace)])
            self.links.append((f"{at}/link{number}", self.random.choice(self.files)))

    def build(self):
        for each in self.directories:
            os.makedirs(each)
        for each in self.files:
            with open(each, "w", encoding="utf-8") as file:
                file.write("content\n")
            os.chmod(each, 0o600)
        for at, target in self.links:
            os.symlink(target, at)

    def _rules(self):
        flags = ["--workspace", self.workspace]
        inner = [each for each in self.directories + self.files if each not in (self.workspace, f"{self.base}/out")]
        chosen = self.random.sample(inner, self.random.randint(1, 6))
        self.rules = []
        for path in chosen:
            rule = self.random.choice(("--read", "--write", "--hide", "--protect"))
            if rule == "--protect" and not path.startswith(self.workspace):
                rule = "--read"
            self.rules.append((rule, path))
            flags += [rule, path]
        if self.random.random() < 0.5:
            flags += ["--hide", "**/*.sec"]
        return flags

    def _operations(self):
        """Only one attempt that changes a file uses it; reading, listing and creating names need no file of their own."""
        pick = self.random
        operations = [["read", each] for each in self.files]
        operations += [["read-by-link", at] for at, _ in self.links]
        operations += [["list", each] for each in self.directories]
        free = self.files[:]
        pick.shuffle(free)
        changing = ("write", "empty", "truncate", "mode", "times", "attribute")
        for path in free[: len(free) * 2 // 3]:
            operations.append([pick.choice(changing), path])
        rest = free[len(free) * 2 // 3:]
        ruled = {path for _, path in self.rules}
        new = 0
        for path in rest:
            if path in ruled:
                continue  # a rule's own path is a mount point: gone or renamed, the rule would be, too
            new += 1
            kind = pick.choice(("remove", "rename", "link"))
            beside = f"{os.path.dirname(path)}/new{new}"
            operations.append([kind, path] if kind == "remove" else [kind, path, beside])
        for directory in self.directories:
            new += 1
            name = pick.choice([f"new{new}", f"new{new}", pick.choice(PROTECTED)])
            operations.append([pick.choice(("create", "make-directory", "make-link")), f"{directory}/{name}"])
        return operations
