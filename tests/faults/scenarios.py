"""scenarios.py: the commands whose system calls are made to fail, and the conditions afterwards.

Invariant: judge() gets the outcome of one run and gives every broken promise in words; a run that reports success must have
kept all of them. Not here: promises that hold for every command (run).
"""
import json
import re
import shutil
import signal

REPORT = "report.json"
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


class Scenario:
    """One command line. `standing`: faults of every run, beside the one that the sweep adds."""
    name = ""
    users = ("user", "root")
    short_users = users  # those of the short sweep
    standing = ()
    process = None  # only processes of this name are swept
    alone = False  # one run at a time
    short = True  # a part of the short sweep, too
    every = 1  # the short sweep tries one of so many call sites

    def owns(self, name):
        """Is this name below the world one that the command makes?"""
        return False

    def tidy(self, lane):
        """Processes that may still remove leftovers before the check for them."""

    def prepare(self, lane):
        """The files in the world before the run."""

    def text(self, lane):
        """The run's standard input."""
        return ""

    def argv(self, lane):
        raise NotImplementedError

    def judge(self, lane, outcome):
        return []

    def learn(self, lane, outcome):
        """Sees the run without a fault."""


class Run(Scenario):
    def __init__(self, backend, flags=(), name=None):
        self.backend, self.flags = backend, flags
        self.name = name or "run-" + backend
        self.short = not flags and backend == "native"
        if backend != "native":
            self.short_users = ("user",)

    def argv(self, lane):
        gaps = ["--on-unavailable", "warn"] if self.backend == "landlock" else []
        return [lane.programs["pinfold"], "run", "--backend", self.backend, *gaps, "--protect", "precious.txt", "--file-size", "64M",
                *self.flags, "--report", REPORT, "--", *lane.probe()]

    def learn(self, lane, outcome):
        assert outcome.code == 0, (outcome.code, outcome.err)
        self.coverage = coverage(lane)
        self.out = outcome.out

    def judge(self, lane, outcome):
        wrong = []
        mark = lane.project / "mark"
        reported = mark.read_text() if mark.exists() else ""
        wrong += ["weaker: " + line for line in reported.splitlines() if line.startswith("through") and line not in self.out]
        entries = lane.journal()
        if entries is None:
            wrong.append("the journal has a line that cannot be read")
        report = None
        if (lane.project / REPORT).exists():
            try:
                report = json.loads((lane.project / REPORT).read_text())
            except ValueError:
                wrong.append("the report is half written")
        if outcome.code == 0:
            if not reported.endswith("whole\n") or outcome.out != self.out:
                wrong.append("success, but the output is not whole: %r" % outcome.out)
            if report is None:
                wrong.append("success, but there is no report")
            if entries == [] and "journal" not in outcome.err:
                wrong.append("success, but nothing is in the journal, and no warning")
            if report is not None and coverage(lane) != self.coverage and "warning" not in outcome.err:
                wrong.append("success, but coverage differs: %s" % [row for row in coverage(lane) if row not in self.coverage])
        elif outcome.code != 125 and not (outcome.code == 126 and outcome.call.startswith("execve")):
            wrong.append("exit %d" % outcome.code)
        return wrong


def coverage(lane):
    """Without the rows of the bounded searches: each ends after 50 ms, and this suite's tracer delays every system call."""
    rows = json.loads((lane.project / REPORT).read_text())["coverage"]
    return [{key: value for key, value in row.items() if key != "mechanism"} for row in rows
            if row["step"] != "files.patterns" and "the search ended before" not in (row.get("gap") or "")]


class MakesRepositories(Run):
    """The command makes git repositories whose hook and configuration run programs: afterwards they are disabled, or a message
    names them."""
    MAKE = """
for git in made/.git bare; do
  mkdir -p $git/objects $git/refs $git/hooks $git/rebase-merge
  echo 'ref: refs/heads/main' > $git/HEAD
  printf '[core]\\n\\tfsmonitor = ./planted\\n' > $git/config
  printf '#!/bin/sh\\n' > $git/hooks/pre-commit; chmod +x $git/hooks/pre-commit
  echo 'exec ./planted' > $git/rebase-merge/git-rebase-todo
done
exec "$@"
"""

    def __init__(self, name, backend="native"):
        super().__init__(backend, name=name)

    def owns(self, name):
        return name.startswith(("home/project/made", "home/project/bare"))

    def argv(self, lane):
        words = super().argv(lane)
        at = words.index("--") + 1
        return [*words[:at], "/bin/sh", "-c", self.MAKE, "sh", *words[at:]]

    @staticmethod
    def armed(lane):
        """The repositories in which git would run a planted program."""
        found = []
        for git in ("made/.git", "bare"):
            at = lane.project / git
            if not all((at / part).exists() for part in ("HEAD", "objects", "refs")):
                continue
            if ((at / "hooks/pre-commit").exists() or "fsmonitor" in ((at / "config").read_text() if (at / "config").exists() else "")
                    or (at / "rebase-merge/git-rebase-todo").exists()):
                found.append(git.split("/")[0])
        return found

    def learn(self, lane, outcome):
        super().learn(lane, outcome)
        assert not self.armed(lane), outcome.err

    def judge(self, lane, outcome):
        return super().judge(lane, outcome) + ["armed, and no message names it: %s: %s" % (each, outcome.err.strip()) for each in self.armed(lane)
                                               if "BASE/world/home/project/%s" % each not in outcome.err
                                               and "BASE/world/home/project (" not in outcome.err]


class Approves(Run):
    """Every request for a path below one directory is approved: brokered calls (once) and live mounts (session).
    Its program is another one, whose call sites were not tried before."""
    every = 5
    short_users = ("user",)
    SCRIPT = """
at=$1; shift
{ cat $at/file; echo more >> $at/file; mkdir $at/new; echo x > $at/new/a; mv $at/new/a $at/new/b; ln $at/new/b $at/new/c
  chmod 700 $at/new/b; rm $at/new/c; ls $at; } > /dev/null 2>&1
exec "$@"
"""

    def __init__(self, decision):
        super().__init__("native", name="approve-" + decision)
        self.decision = decision

    def prepare(self, lane):
        outside = lane.world / "outside"
        (outside / "granted").mkdir(parents=True)
        (outside / "granted/file").write_text("granted\n")
        (outside / "other").write_text("not granted\n")
        (outside / "other").chmod(0o600)

    def owns(self, name):
        return name.startswith("outside/granted/")

    def argv(self, lane):
        outside = lane.world / "outside/granted"
        return [lane.programs["host"], lane.project, outside, REPORT, self.decision, "--", "/bin/sh", "-c", self.SCRIPT, "sh",
                outside, *lane.probe()]

    def learn(self, lane, outcome):
        super().learn(lane, outcome)
        assert (lane.world / "outside/granted/new/b").read_text() == "x\n", outcome.err

    def judge(self, lane, outcome):
        # The library keeps no journal. If it cannot read the command's output, that command gets SIGPIPE.
        wrong = [each for each in super().judge(lane, outcome) if "journal" not in each and each != "exit 141"]
        other = lane.world / "outside/other"
        if other.read_text() != "not granted\n" or other.stat().st_mode & 0o777 != 0o600:
            wrong.append("a file that was not granted has changed")
        return wrong


class Janitor(Run):
    """The supervisor is killed while the command runs; each call of the process that tidies after it fails in turn."""
    process = "pinfold-janitor"
    standing = ("0:epoll_wait:2:0",)

    def __init__(self, backend):
        super().__init__(backend, name="janitor-" + backend)
        self.short = backend == "native"
        self.short_users = self.users

    def learn(self, lane, outcome):
        assert outcome.signal == signal.SIGKILL, (outcome.code, outcome.err)

    def judge(self, lane, outcome):
        return []

    def tidy(self, lane):
        """The next run in the project, which removes what the janitor could not."""
        lane.ask("run", "--backend", self.backend, "--on-unavailable", "warn", "--protect", "precious.txt", "--no-journal", "--", "true")


class Session(Run):
    """A session with one command. `stop` is tried twice: one fault must not keep a session alive."""
    users = short_users = ("user",)

    def __init__(self):
        super().__init__("native", name="session")
        self.short = False  # five minutes

    def tidy(self, lane):
        """The next commands remove the directories of dead sessions, and placeholders."""
        lane.ask("session", "list")
        lane.ask("run", "--protect", "precious.txt", "--no-journal", "--", "true")

    def judge(self, lane, outcome):
        # A client whose call failed ends its command with SIGPIPE, and says why.
        return [each for each in super().judge(lane, outcome) if each != "exit 141"]

    def argv(self, lane):
        words = " ".join("'%s'" % word for word in lane.probe())
        return ["/bin/sh", "-c", "P=%s; s=$($P session start --name s --detach --protect precious.txt --file-size 64M) && "
                "$P session exec --report %s s -- %s; code=$?; $P session stop s || $P session stop s 2>/dev/null; exit $code" % (
                    lane.programs["pinfold"], REPORT, words)]


class Store(Scenario):
    """A command that changes a store: afterwards it holds the old content or the new, and the new one if it succeeded."""
    def __init__(self, name, words, listing, setup=()):
        self.name, self.words, self.listing, self.setup = name, words, listing, setup

    def prepare(self, lane):
        (lane.project / "sub").mkdir()
        (lane.project / "pinfold.toml").write_text('network = ["example.org"]\n')
        plugin = lane.home / ".config/pinfold/plugins/echo"
        plugin.mkdir(parents=True)
        (plugin / "pinfold.plugin.json").write_text(json.dumps({
            "id": "org.example.echo", "name": "Echo", "version": "1.0.0", "author": "@tests", "description": "a plugin of the tests",
            "runtime": "binary", "entry": "server"}))
        shutil.copy(lane.programs["plugin"], plugin / "server")
        grants = lane.home / ".config/pinfold/grants"
        grants.mkdir(mode=0o700)
        file = grants / "user.json"
        file.write_text(json.dumps({"version": 1, "project": None, "grants": [
            {"number": number, "kind": "read", "resource": "/srv/%d" % number, "since": "2026-11-16T10:00:00.000Z", "program": "cat",
             "operation": "open", "asked": "/srv/%d" % number} for number in (1, 2)]}, indent=2))
        file.chmod(0o600)
        lane.own()
        for words in self.setup:
            ran = lane.ask(*words)
            assert ran.returncode == 0, (words, ran.stderr)
        self.old = self.state(lane)

    def argv(self, lane):
        return [lane.programs["pinfold"], *self.words]

    def state(self, lane):
        if callable(self.listing):
            return self.listing(lane)
        ran = lane.ask(*self.listing)
        return ran.returncode, *(TIME.sub("TIME", stream.decode().replace(str(lane.base), "BASE")) for stream in (ran.stdout, ran.stderr))

    def learn(self, lane, outcome):
        assert outcome.code == 0, (outcome.code, outcome.err)
        self.new = self.state(lane)
        self.out = outcome.out

    def judge(self, lane, outcome):
        now = self.state(lane)
        if now not in (self.old, self.new):
            return ["neither the old content nor the new one: %s" % (now,)]
        if outcome.code == 0 and now != self.new:
            return ["success, but the store has the old content"]
        if outcome.code == 0 and outcome.out != self.out:
            return ["success, but the output is not whole: %r" % outcome.out]
        return []


class Plugin(Store):
    """A plugin that is approved answers one request of an MCP client."""
    users = short_users = ("user",)

    def __init__(self):
        super().__init__("plugin-run", ("plugin", "run", "org.example.echo"), ("plugin", "list", "--json"),
                         setup=[("plugin", "allow", "org.example.echo", "--yes")])

    def text(self, lane):
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}}) + "\n"


class LongStore(Store):
    """In the whole sweep only."""
    short = False


class Learn(Store):
    """Shows every directory of the host, also those that other tests make and remove: so it runs by itself."""
    alone = True
    short = False


def file_state(path):
    def read(lane):
        file = lane.project / path
        return file.read_text() if file.exists() else None
    return read


def pins(lane):
    """The pinned tools of every plugin."""
    return [(str(file.relative_to(lane.home)), file.read_text()) for file in sorted((lane.home / ".config/pinfold").rglob("*.json"))
            if "grants" not in file.parts and "approvals" not in file.name and "plugins" not in file.parts]


def all_scenarios():
    plugins = ("plugin", "list", "--json")
    grants = ("grants", "list", "--all")
    trust = ("policy", "trust", "--list")
    return [
        Run("native"), Run("bubblewrap"), Run("landlock"),
        Run("native", ("--memory", "256M", "--processes", "100", "--net", "localhost:9", "--observe", "full"), name="run-limits"),
        Store("grants-revoke", ("grants", "revoke", "1"), grants),
        Store("grants-clear", ("grants", "clear", "--all", "--yes"), grants),
        Store("trust", ("policy", "trust", "--yes"), trust),
        Store("trust-revoke", ("policy", "trust", "--revoke"), trust, setup=[("policy", "trust", "--yes")]),
        Store("plugin-allow", ("plugin", "allow", "org.example.echo", "--yes"), plugins),
        Store("plugin-deny", ("plugin", "deny", "org.example.echo"), plugins),
        Store("plugin-revoke", ("plugin", "revoke", "org.example.echo"), plugins,
              setup=[("plugin", "allow", "org.example.echo", "--yes")]),
        MakesRepositories("repositories"), Approves("once"), Approves("session"), Janitor("native"), Janitor("landlock"), Session(),
        Learn("learn", ("learn", "--no-project-file", "-o", "learned.toml", "--", "/bin/cat", "readme.txt"), file_state("learned.toml")),
        Store("init", ("init", "sub"), file_state("sub/pinfold.toml")),
        LongStore("pins", ("plugin", "tools", "org.example.echo"), pins, setup=[("plugin", "allow", "org.example.echo", "--yes")]),
        Plugin(),
        LongStore("files-edit", ("files", "edit", "--no-project-file", "readme.txt", "--old", "hello", "--new", "world"), file_state("readme.txt")),
    ]
