"""rows.py: the table of all measurements: name, title, unit, function, budget.

Invariant: a budget is a ratio or a difference between numbers of one row, measured in turns within one run, or a plain bound.
Not here: measuring (measure_*.py, growth.py), the contenders (peers.py), printing (page.py).
"""
import dataclasses
import typing

import growth
import measure_net as net
import measure_plugins as plugins
import measure_start as start
import measure_work as work
from texts import DENSE, JSON_LINES, PLAIN


@dataclasses.dataclass(frozen=True)
class Budget:
    """`of` is held against `by` times or plus `allowed`; without `by` it is a plain bound."""

    allowed: float
    of: str = "pinfold"
    by: str = ""
    kind: str = "times"   # times, plus or plain
    more: bool = False    # as much or more is wanted

    def judge(self, values):
        """(measured, met), or None where a number is missing."""
        ours, other = values.get(self.of), values.get(self.by)
        if not isinstance(ours, dict) or self.by and not isinstance(other, dict):
            return None
        measured = ours["median"]
        if self.kind == "times":
            measured /= other["median"]
        elif self.kind == "plus":
            measured -= other["median"]
        return measured, measured >= self.allowed if self.more else measured <= self.allowed


def times(allowed, by="bare", **more):
    return Budget(allowed, by=by, **more)


def plain(allowed, **more):
    return Budget(allowed, kind="plain", **more)


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    title: str
    unit: str
    measure: typing.Callable
    budgets: tuple = ()
    more: bool = False      # more is better
    digits: int = 1
    everyone: bool = True   # the columns are the contenders; else the result of measure


@dataclasses.dataclass(frozen=True)
class Group:
    name: str
    title: str
    rows: tuple
    text: str = ""


def alone(*arguments, **more):
    return Row(*arguments, **more, everyone=False)


GROUPS = (
    Group("start", "Starting", (
        Row("start", "start and end of `/bin/true`", "ms", start.starts, (times(4.5), times(0.5, "bwrap")), digits=2),
        Row("start-p99", "… the slowest of a hundred (p99)", "ms", start.tails, digits=2),
        Row("session", "a command in a live session", "ms", start.in_session, (times(2.5),), digits=2),
        Row("crowd", "100 at once: ended each second", "/s", start.crowd_throughput, more=True, digits=0),
        Row("crowd-latency", "… from asking for all to the end of one", "ms", start.crowd_latency, digits=0),
    ), "“kernel alone” is `bench/start_floor.cc`: the system calls that make such a sandbox and end it, and nothing else."),
    Group("beside", "Beside the command", (
        Row("memory", "memory (PSS of all processes but the command)", "MiB", start.memory, (plain(2),), digits=2),
        Row("helpers", "processes", "", start.helpers, digits=0),
    )),
    Group("work", "Work", (
        Row("compile", "a C++ file, `g++ -O1`", "ms", work.compiling, (times(1.03, of="pinfold by calls"),), digits=0),
        Row("git", "`git status`, 30,000 files", "ms", work.git_status),
        Row("npm", "`npm install` of a local package", "ms", work.npm_install, (times(1.15),), digits=0),
        Row("rg", "`rg` over 100,000 files", "ms", work.ripgrep, digits=0),
        Row("find", "`find /usr`", "ms", work.find_usr, digits=0),
    ), "Start and end of the sandbox included."),
    Group("files", "Single operations", tuple(
        Row(name, title, "ns", work.file_operation(key), (times(1.1),), digits=0) for name, title, key in (
            ("stat-project", "stat, in the project", "stat, project"), ("stat-system", "stat, of the system", "stat, system"),
            ("open-project", "open and close, in the project", "open and close, project"),
            ("open-system", "open and close, of the system", "open and close, system"), ("read", "read 4 KiB", "read 4 KiB"))),
        "The least of several turns. “Landlock alone” is the bare program under two Landlock rules, each right above the files: the cost of Landlock alone (`bench/fs_ops.cc`). "
        "The other sandboxes use mounts only."),
    Group("net", "The network by name", (
        Row("download", "download", "MB/s", net.by_name("download"), (times(0.9, more=True),), more=True, digits=0),
        Row("upload", "upload", "MB/s", net.by_name("upload"), more=True, digits=0),
        Row("connect", "a new connection, until the first byte", "ms", net.by_name("connect"), (Budget(0.3, by="bare", kind="plus"),), digits=2),
        Row("requests", "requests one after the other", "/s", net.by_name("requests"), (times(0.8, more=True),), more=True, digits=0),
        Row("net-start", "start and end of `/bin/true` with a rule by name", "ms", net.by_name("start"), (times(1.2, "without"),), digits=2),
    ), "curl in the sandbox, nginx outside, on two ends of a virtual wire; the rule names one domain. A name that is not granted was tried first, and refused."),
    Group("relay", "The relay by itself", (
        alone("relay-download", "download", "MB/s", net.relayed("download"), (times(0.9, "direct", of="relayed", more=True),), more=True, digits=0),
        alone("relay-upload", "upload", "MB/s", net.relayed("upload"), more=True, digits=0),
        alone("relay-connect", "a new connection, until the first byte", "ms", net.relayed("connect"),
              (Budget(0.3, of="relayed", by="direct", kind="plus"),), digits=3),
        alone("relay-requests", "requests one after the other", "/s", net.relayed("requests"), (times(0.8, "direct", of="relayed", more=True),),
              more=True, digits=0),
    ), "On loopback; the plainest relay decides nothing, and passes on with blocking calls (`bench/net_load.cc`)."),
    Group("mounts", "Many directories to show", tuple(
        Row("mounts-%d" % count, "start with %s directories shown, each elsewhere" % format(count, ","), "ms", growth.mounts(count))
        for count in growth.COUNTS), "“kernel alone” does the three system calls that each needs, and nothing else (`bench/mount_floor.cc`). An empty field was not tried."),
    Group("rules", "Many rules", (
        alone("rules-read", "`--read` below a shown directory", "ms", growth.rules("rules-read"), (times(3, "10", of="1000"),)),
        alone("rules-nothing", "`--hide` where nothing is shown", "ms", growth.rules("rules-nothing"), (times(3, "10", of="1000"),)),
        alone("rules-hide", "`--hide`, each below a shown directory: a mask for each", "ms", growth.rules("rules-hide")),
        alone("rules-write", "`--write`, each elsewhere: a mount and some fifty protected names for each", "ms", growth.rules("rules-write")),
        alone("rules-workspace", "`--workspace`, each elsewhere: the same, and patterns", "ms", growth.rules("rules-workspace")),
    ), "Start and end of `pinfold run true`, by the number of rules."),
    Group("trees", "Large workspaces", tuple(
        Row("tree-%d" % size, "start in a workspace of %s files" % format(size, ","), "ms", growth.workspace(size)) for size in growth.SIZES),
        "Pinfold looks for files that should be protected, for 50 ms at most."),
    Group("own", "A pattern of your own over a large workspace", (
        alone("pattern", "`--hide '**/*.nothing'`", "ms", growth.own_pattern),)),
    Group("observe", "Cost of observing calls", (
        alone("observe", "a C++ file, `g++ -O1`", "ms", work.observing, digits=0),), "`--observe off`, `fast` (the default) and `full`."),
    Group("library", "In the process of an application", (
        alone("library", "`/bin/true` through the library", "ms", start.library, (times(1.3, of="in a session"),), digits=2),)),
    Group("sessions", "Many sessions", (
        alone("sessions", "memory of 100 sessions (PSS)", "MiB", start.session_memory, (plain(200),)),)),
    Group("backends", "Other ways to enforce", (
        alone("backends", "start and end of `/bin/true`", "ms", start.backends, digits=2),)),
    Group("plugins", "Plugins", (
        *[alone("plugin-" + runtime, "until the first answer, %s with the libraries of a web client" % runtime.title(), "ms",
                plugins.first_answer(runtime, plugins.LIBRARIES[runtime]), (times(1.1),)) for runtime in plugins.RUNTIMES],
        *[alone("plugin-least-" + runtime, "until the first answer, the least %s server there can be" % runtime.title(), "ms", plugins.first_answer(runtime))
          for runtime in plugins.RUNTIMES],
        alone("plugin-call", "a line and its answer", "ms", plugins.calls, (Budget(0.2, by="bare", kind="plus"),), digits=3),
        alone("plugin-idle", "memory beside one of twenty that wait (PSS)", "MiB", plugins.idle, (plain(2),), digits=2),
    )),
    Group("safety", "Reading text", (
        alone("redact-plain", "redaction of plain text, for each second of processor time", "MB/s", lambda bench: work.redaction_speed(bench, PLAIN),
              (plain(200, more=True),), more=True, digits=0),
        alone("redact-dense", "redaction of dense logs", "MB/s", lambda bench: work.redaction_speed(bench, DENSE), (plain(50, more=True),), more=True, digits=0),
        alone("redact-json", "redaction of JSON lines", "MB/s", lambda bench: work.redaction_speed(bench, JSON_LINES, "--json"), more=True, digits=0),
        alone("advice", "advice about one command", "µs", work.advice_speed, (plain(50),)),
    )),
    Group("search", "Searching", tuple(
        alone("search-" + name, title + " in `/usr/include`", "ms", work.searching(words), (times(1.5, "rg", of="pinfold files search"),))
        for name, title, words in work.PATTERNS)),
)
ROWS = {row.name: row for group in GROUPS for row in group.rows}


def limit(budget):
    """The bound in words."""
    sign = "≥" if budget.more else "≤"
    if budget.kind == "times":
        return "%s %g × %s" % (sign, budget.allowed, "that with " + budget.by if budget.by.isdigit() else budget.by)
    return "%s %s%g" % (sign, "+" if budget.kind == "plus" else "", budget.allowed) + (" more than %s" % budget.by if budget.kind == "plus" else "")


def judged(row, values):
    """[(budget, measured, met)] of those that can be held against numbers."""
    return [(budget, *verdict) for budget in row.budgets if (verdict := budget.judge(values))]


def best_peer(row, values, peers):
    """The name of the peer with the best number, or None."""
    there = [name for name in peers if isinstance(values.get(name), dict)]
    return (max if row.more else min)(there, key=lambda name: values[name]["median"]) if there else None
