# golden.py: the whole texts of help, completions and lists, against the files in golden/.
# Invariant: a difference is printed as a diff, and never accepted silently. No text depends on this machine: the paths of
# the test, times, ids and hashes are replaced, and rows for the system's own directories are left out.
# Not here: the plan, coverage and denials (tests/kernels/golden, src/*_test.cc); the machine-readable forms.
#
#   PINFOLD_UPDATE_GOLDEN=1 tests/cli/run PATH_TO_PINFOLD golden      writes the files: read their diff before the commit
import difflib
import json
import os
import re
import shlex
import shutil
import tempfile

from grants import store
from harness import HERE, Failed, check, expect

FOLDER = os.path.join(HERE, "golden")
UPDATE = os.environ.get("PINFOLD_UPDATE_GOLDEN") == "1"
SHOWN_LINES = 60  # of a diff
# Present or absent by the machine: the system's directories, and sockets below its temporary directory.
SYSTEM_ROW = re.compile(r"(?:read|hide)  +/(?!home/you\b|data\b).*  (?:preset \w+|Pinfold's own sockets)\n")
PLUGIN = {"id": "org.example.notes", "name": "Notes", "version": "1.2.0", "author": "@devtools-community",
          "description": "Keeps notes", "runtime": "binary", "entry": "server", "args": ["--stdio"],
          "permissions": {"network": ["*.example.org"], "filesystem": [{"path": "~/notes", "access": "read-write"}],
                          "environment": ["NOTES_URL"], "shell": {"commands": ["ls"]}, "clipboard": True,
                          "secrets": ["NOTES_TOKEN"]}}


class Scene:
    """A home of "/home/you" with a project; collects a transcript of commands there."""

    def __init__(self, w):
        self.w = w
        # Not below /tmp, about which some texts have a sentence of their own.
        where = "/srv" if os.geteuid() == 0 else os.path.expanduser("~")
        self.base = os.path.realpath(tempfile.mkdtemp(prefix="pinfold-golden-", dir=where))
        self.home = os.path.join(self.base, "home", "you")
        self.project = os.path.join(self.home, "project")
        self.data = os.path.join(self.base, "data")
        for path in (self.project, self.data, os.path.join(self.home, "notes")):
            os.makedirs(path)
        self.env = {"HOME": self.home, "PATH": "/usr/bin:/bin", "USER": "you", "TERM": "dumb", "LANG": "C.UTF-8", "TZ": "UTC",
                    "NOTES_URL": "https://notes.example.org", "XDG_RUNTIME_DIR": os.path.join(self.base, "run")}
        os.mkdir(self.env["XDG_RUNTIME_DIR"], 0o700)
        self.out = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base, ignore_errors=True)

    def run(self, *words, exact=False):
        ran = self.w.pinfold(*words, cwd=self.project, env=self.env)
        text = f"$ pinfold {shlex.join(words)}\n{ran.out}{ran.err}" + (f"[exit code {ran.code}]\n" if ran.code else "") + "\n"
        self.out += text if exact else text.replace(self.base, "")
        return ran

    def columns(self, *replacements):
        """Without the machine: the columns of a table are as wide as the paths of this test, so their blanks count as two."""
        for pattern, text in ((r"sha256:[0-9a-f]{64}", "sha256:HASH"), *replacements):
            self.out = re.sub(pattern, text, self.out)
        self.out = re.sub(r"(?<=\S) {2,}", "  ", self.out)
        self.out = SYSTEM_ROW.sub("", self.out)


def compare(name, text):
    path = os.path.join(FOLDER, name + ".txt")
    known = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            known = file.read()
    if text == known:
        return
    if UPDATE:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    diff = list(difflib.unified_diff(known.splitlines(), text.splitlines(), f"tests/cli/golden/{name}.txt", "printed now", lineterm="", n=1))
    more = [f"… {len(diff) - SHOWN_LINES} more lines"] if len(diff) > SHOWN_LINES else []
    raise Failed("\n    ".join(["another text:", *diff[:SHOWN_LINES], *more,
                                "if it is right: PINFOLD_UPDATE_GOLDEN=1 tests/cli/run PATH_TO_PINFOLD golden"]))


def versionless(w, text):
    version = w.pinfold("version").code_is(0).out.split()[1]
    return text.replace(version, "VERSION")


@check("golden: the help of pinfold, of every group and of every command")
def _(w):
    with Scene(w) as scene:
        overview = scene.run("--help", exact=True).code_is(0).out
        commands = re.findall(r"^  pinfold ((?:[a-z-]+ )?[a-z-]+)  ", overview[overview.index("\nCommands\n"):], re.M)
        groups = sorted({one.split()[0] for one in commands if " " in one})
        expect(len(commands) > 30 and len(groups) > 3, commands)
        for words in (*((one,) for one in groups), *(one.split() for one in commands)):
            scene.run("help", *words, exact=True).code_is(0)
        compare("help", versionless(w, scene.out))


@check("golden: the manual page and the completions")
def _(w):
    for words in (("man-page",), ("completions", "bash"), ("completions", "zsh"), ("completions", "fish")):
        compare("-".join(words), versionless(w, w.pinfold(*words).code_is(0).out))


@check("golden: policy show and policy why")
def _(w):
    with Scene(w) as scene:
        flags = ("--write", scene.data, "--net", "example.org", "--env", "CI=1", "--timeout", "30s")
        scene.run("policy", "show", *flags)
        scene.run("policy", "why", *flags, scene.data, os.path.join(scene.home, ".ssh"), ".git/hooks/pre-commit", "/tmp/x",
                  "example.org", "www.example.net", "HOME", "AWS_SECRET_ACCESS_KEY", "env")
        scene.columns()
        compare("policy", scene.out)


@check("golden: init")
def _(w):
    with Scene(w) as scene:
        for name in ("package.json", "package-lock.json", ".env", "server.pem"):
            w.write(os.path.join(scene.project, name), b"{}\n")
        scene.run("init")
        with open(os.path.join(scene.project, "pinfold.toml"), encoding="utf-8") as file:
            scene.out += "pinfold.toml:\n" + file.read() + "\n"
        scene.run("init")
        scene.columns()
        compare("init", scene.out)


def journal_of(scene):
    """Runs of every kind, at fixed times."""
    directory = os.path.join(scene.home, ".local", "state", "pinfold")
    os.makedirs(directory, mode=0o700)
    lines = []

    def run(number, argv, *events, outcome=None, code=0, denials=0, profile="moderate"):
        def line(kind, **fields):
            at = f"2026-01-31T12:00:{len(lines):02}.000Z"
            lines.append({"schema": "pinfold.journal/1", "time": at, "run": f"{number}" * 12, "kind": kind, **fields})
        line("start", argv=argv, argc=len(argv), cwd=scene.project, workspaces=[scene.project], profile=profile, pid=2 ** 30)
        for kind, fields in events:
            line(kind, **fields)
        if outcome:
            line("end", outcome=outcome, exit_code=code, backend="native", duration_ms=1250 * number, denials=denials)

    def denial(operation, resource, rule, allow, count=1):
        return "denial", {"operation": operation, "resource": resource, "rule": rule, "allow_with": allow, "source": "observed",
                          "count": count, "program": "sh"}

    def request(number, operation, resource, because):
        return "question", {"question": number, "operation": operation, "resource": resource, "program": "sh", "because": because}

    def decision(number, answer, by):
        return "answer", {"question": number, "answer": answer, "by": by}

    notes = os.path.join(scene.home, "notes")
    run(1, ["make", "test", "a\nb"], outcome={"kind": "exited", "code": 0})
    run(2, ["/bin/sh", "-c", "cat ~/notes; exit 3"], denial("read", notes, "not visible: no rule grants this path", f"--read {notes}", 4),
        denial("connect", "example.org:443", "network none (preset moderate)", "--net example.org:443"),
        outcome={"kind": "exited", "code": 3}, code=3, denials=2)
    run(3, ["/bin/sh", "-c", "rm -rf /"], request("advice", "run", "rm -rf /", "advice (delete-root): deletes everything"),
        decision("advice", "deny", "advice"),
        outcome={"kind": "refused", "by": "advice", "reason": "advice (delete-root): deletes everything", "fix": None}, code=126)
    run(4, ["make"], request("1", "read", notes, "not visible: no rule grants this path"), decision("1", "once", "terminal"),
        request("2", "write", notes, "not visible: no rule grants this path"), decision("2", "deny", "terminal"),
        request("3", "connect", "example.org", "network none (preset moderate)"), decision("3", "always", "page"),
        request("4", "connect", "example.net", "network none (preset moderate)"), outcome={"kind": "exited", "code": 0})
    run(5, ["sleep", "60"], outcome={"kind": "timed_out", "after_ms": 1000}, code=124, profile="strict")
    run(6, ["crash"], outcome={"kind": "signaled", "signal": 11, "name": "SIGSEGV", "by": None}, code=139)
    run(7, ["nope"], outcome={"kind": "setup_failed", "stage": "not_found", "reason": "nope: command not found in the sandbox's view\n" + "x" * 250,
                              "fix": None}, code=127)
    run(8, ["killed"])
    with open(os.path.join(directory, "journal.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in lines)
    os.chmod(os.path.join(directory, "journal.jsonl"), 0o600)


@check("golden: log and stats")
def _(w):
    with Scene(w) as scene:
        scene.run("log")
        scene.run("stats")
        journal_of(scene)
        for words in (("log",), ("log", "--denied", "--limit", "2"), ("log", "--run", "7777"), ("log", "--run", "beef"), ("stats",)):
            scene.run(*words)
        scene.columns()
        compare("log", scene.out)


@check("golden: grants")
def _(w):
    with Scene(w) as scene:
        scene.run("grants", "list")
        w.home = scene.home
        store(w, [(1, "read", scene.data), (3, "net", "example.org:443"), (4, "read", os.path.join(scene.home, "gone"))])
        store(w, [(2, "write", os.path.join(scene.home, "notes"))], scene.project)
        for words in (("list",), ("why", scene.data, "example.org", "/usr"), ("revoke", "9"), ("revoke", "1"), ("clear",), ("clear", "--user", "--yes")):
            scene.run("grants", *words)
        scene.columns()
        compare("grants", scene.out)


@check("golden: session list")
def _(w):
    with Scene(w) as scene:
        scene.run("session", "list")
        scene.run("session", "start", "--name", "build", "--detach").code_is(0)
        try:
            scene.run("session", "list")
            scene.run("session", "list", "--json")
        finally:
            scene.run("session", "stop", "build")
        scene.columns((r"\bbuild +[0-9a-f]{8,} +[0-9]+s", "build  ID  AGE"), (r'"id": "[0-9a-f]+"', '"id": "ID"'),
                      (r'"(age|age_seconds|started_at|since|pid)": [^,\n]+', r'"\1": N'))
        compare("session-list", scene.out)


@check("golden: the review of a plugin")
def _(w):
    with Scene(w) as scene:
        scene.run("plugin", "list")
        folder = os.path.join(scene.home, ".config", "pinfold", "plugins", "notes")
        os.makedirs(folder, mode=0o755)
        os.chmod(os.path.join(scene.home, ".config", "pinfold"), 0o700)
        manifest = os.path.join(folder, "pinfold.plugin.json")
        w.write(manifest, json.dumps(PLUGIN).encode())
        scene.run("plugin", "show", "org.example.notes")
        w.write(os.path.join(folder, "server"), b"#!/bin/sh\n", 0o755)
        for words in (("list",), ("review", "org.example.notes"), ("allow", "org.example.notes", "--yes"), ("list",)):
            scene.run("plugin", *words)
        more = {**PLUGIN["permissions"], "network": ["*.example.org", "example.net"], "secrets": []}
        w.write(manifest, json.dumps({**PLUGIN, "version": "1.3.0", "permissions": more}).encode())
        for words in (("list",), ("review", "org.example.notes"), ("deny", "org.example.notes"), ("list",)):
            scene.run("plugin", *words)
        scene.columns((r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:]+Z)?", "DATE"))
        compare("plugin-review", scene.out)
