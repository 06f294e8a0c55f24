"""page.py: docs/benchmarks/ from the results: one Markdown page, and its charts.

Invariant: pure: the same results make the same files, and every word about a number comes from the results.
Not here: measuring (run), drawing (svg.py).
"""
import growth
import rows as table
import svg

FLOOR = "kernel alone"
CLASSES = {FLOOR: "floor", "without": "floor"}
LINKS = "[`bench/`](../../bench)"
NAMES = {"pinfold by calls": "Pinfold, by calls", "pinfold files search": "`pinfold files search`", "without": "Pinfold, without"}
POLICY = ("The policy is the same for all: the system is read-only, the project writable, the rest of the home can be neither read nor changed, there is a `/tmp` to write to, "
          "processes and names are its own, and there is no network (but for the rows about it).")
HOW = ("- Everything is measured in turns (A B C A B C…) within one run, as an ordinary user, after a warm-up; noise hits all alike. Read the ratios.\n"
       "- Before anything is measured, each sandbox is shown to confine: a file outside of the project is read and overwritten bare, and inside it must be possible to do neither.\n"
       "- A program that cannot do a row has `cannot` and the reason. Slow rows run fewer rounds; results.json has the counts.\n"
       "- Medians; a 99th percentile is given where there were a hundred runs or more. In brackets: times bare. “Best peer”: Pinfold's number divided by that of the best of the others.")


def number(value, digits):
    return format(value, ",.%df" % digits)


def median(values, name):
    return values[name]["median"] if name in values and "median" in values[name] else None


class Reasons:
    """The reasons for missing numbers, each once below its table."""

    def __init__(self):
        self.known = []

    def mark(self, who, why):
        if (who, why) not in self.known:
            same = next((index for index, (_, other) in enumerate(self.known) if other == why), None)
            if same is not None:
                return "cannot (%d)" % (same + 1)
            self.known.append((who, why))
        return "cannot (%d)" % (self.known.index((who, why)) + 1)

    def lines(self):
        return ["%d. cannot: %s" % (index + 1, why) for index, (_, why) in enumerate(self.known)]


def cell(row, values, name, reasons, base):
    value = values.get(name)
    if value is None:
        return ""
    if "cannot" in value:
        return reasons.mark(name, value["cannot"])
    out = number(value["median"], row.digits)
    if base and name != base and median(values, base):
        out += " (%.2f ×)" % (value["median"] / values[base]["median"])
    return out


def verdict(budgets):
    return "<br>".join("%s: **%s**" % (one["limit"], "met" if one["met"] else "NOT met") for one in budgets)


def group_table(group, results):
    """The rows of one group, in Markdown; [] where none was measured."""
    there = [row for row in group.rows if row.name in results["rows"]]
    if not there:
        return []
    everyone = there[0].everyone
    labels = {name: who["label"] for name, who in results["contenders"].items()}
    titles = {**labels, **NAMES}
    columns = []
    for row in there:
        for name in results["rows"][row.name]["values"]:
            if name not in columns:
                columns.append(name)
    columns = [name for name in (*labels, *columns) if name in columns] if everyone else columns
    columns = list(dict.fromkeys(columns))
    best = ["best peer"] if everyone else []
    reasons, lines = Reasons(), []
    head = ["", *[titles.get(name, format(int(name), ",") if name.isdigit() else name) for name in columns], *best, "budget"]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    notes = []
    for row in there:
        one = results["rows"][row.name]
        values = one["values"]
        base = "bare" if "bare" in values else None
        cells = [row.title + (", " + row.unit if row.unit else "")]
        cells += [cell(row, values, name, reasons, base) for name in columns]
        if everyone:
            peers = [name for name in labels if name not in ("bare", "pinfold")]
            name = table.best_peer(row, {key: value for key, value in values.items() if "median" in value}, peers)
            ours = median(values, "pinfold")
            cells.append("%.2f × %s" % (ours / values[name]["median"], labels[name]) if name and ours is not None and values[name]["median"] else "")
        lines.append("| " + " | ".join([*cells, verdict(one["budgets"])]) + " |")
        if "note" in one:
            notes.append("%s: %s" % (row.title.lstrip("… "), one["note"]))
    # Without the empty line, some readers of Markdown take the reasons for lines of the last note.
    between = [""] if notes and reasons.known else []
    below = ["", *["- " + note for note in notes], *between, *reasons.lines()] if notes or reasons.known else []
    return ["## " + group.title, "", *([group.text, ""] if group.text else []), *lines, *below, ""]


def budgets_table(results):
    lines, met, count = [], 0, 0
    for group in table.GROUPS:
        for row in group.rows:
            for one in results["rows"].get(row.name, {}).get("budgets", ()):
                count += 1
                met += one["met"]
                what = "%s: %s" % (group.title, row.title.lstrip("… "))
                lines.append("| %s | %s | %s | %s |" % (what, number(one["measured"], 2), one["limit"], "met" if one["met"] else "**NOT met**"))
    return ["## Budgets", "", "%d of %d are met. Where one is not: [what a start costs](../design/performance.md)." % (met, count), "",
            "| what | measured | allowed | |", "|---|---|---|---|", *lines, ""]


def contenders_table(results):
    lines = ["| | version | how it is called |", "|---|---|---|"]
    for who in results["contenders"].values():
        lines.append("| %s | %s | %s |" % (who["label"], who["version"], who["flags"] + (" — takes no part here: " + who["cannot"] if "cannot" in who else "")))
    return lines


def charts(results):
    """{file name: text} for every chart whose numbers are there."""
    found, labels = {}, {name: who["label"] for name, who in results["contenders"].items()}
    labels[FLOOR] = "the kernel alone"

    def values(row):
        return {name: value for name, value in results["rows"].get(row, {}).get("values", {}).items() if "median" in value and name in labels}

    def kind(name):
        return CLASSES.get(name, name)

    def ordered(row, more=False):
        return sorted(values(row).items(), key=lambda item: item[1]["median"], reverse=more)

    def entries(names):
        return [(labels[name], kind(name)) for name in labels if name in names]
    if values("start"):
        items = [(labels[name], kind(name), value["median"], value.get("p99")) for name, value in ordered("start")]
        found["start.svg"] = svg.dots("Start and end of /bin/true", "median, and the 99th percentile as a thin line; logarithmic; less is better", items, "ms")
    if values("crowd"):
        items = [(labels[name], kind(name), value["median"]) for name, value in ordered("crowd", True) if name != "bare"]
        found["crowd.svg"] = svg.bars("A hundred sandboxes at once", "how many end each second; more is better", items, "/s")
    if values("memory"):
        items = [(labels[name], kind(name), value["median"], None) for name, value in ordered("memory") if name != "bare"]
        found["memory.svg"] = svg.dots("Memory beside the command", "PSS of every process but the command; logarithmic; less is better", items, "MiB")
    for file, title, about, names in (
            ("work.svg", "Work in a sandbox", "times bare, start of the sandbox included; less is better", ("compile", "git", "npm", "rg", "find")),
            ("files.svg", "Single operations", "times bare; less is better", ("stat-project", "stat-system", "open-project", "open-system", "read")),
            ("net.svg", "The network by name", "times direct; more is better", ("download", "upload", "requests"))):
        lines = [(table.ROWS[name].title.replace("`", "").replace(", g++ -O1", ""), {kind(who): value["median"] / values(name)["bare"]["median"] for who, value in values(name).items()
                                                          if who not in ("bare", FLOOR)}) for name in names if "bare" in values(name)]
        if lines:
            found[file] = svg.shares(title, about, lines, entries({name for _, each in lines for name in each}))
    for file, title, about, prefix, sizes in (
            ("mounts.svg", "Many directories to show", "start and end of /bin/true by their number; logarithmic; less is better", "mounts-%d", growth.COUNTS),
            ("trees.svg", "Large workspaces", "start and end of /bin/true by the number of files; logarithmic; less is better", "tree-%d", growth.SIZES)):
        names = {name for size in sizes for name in values(prefix % size)} - {"bare"}
        series = {kind(name): [values(prefix % size).get(name, {}).get("median") for size in sizes] for name in labels if name in names}
        if series:
            found[file] = svg.lines(title, about, [format(size, ",") for size in sizes], series, "ms", entries(names))
    return found


CHART_OF = {"start": ("start.svg", "crowd.svg"), "beside": ("memory.svg",), "work": ("work.svg",), "files": ("files.svg",), "net": ("net.svg",), "mounts": ("mounts.svg",),
            "trees": ("trees.svg",)}


def warnings(machine):
    """What takes away from the numbers."""
    said = []
    if machine.get("quick"):
        said.append("this was a quick look, with few rounds and small trees")
    if machine["load_at_start"] > machine["processors"] / 2:
        said.append("the machine was busy with other things, which hits what takes long and has many processes more")
    return ["**Not to be quoted: %s.**" % "; ".join(said), ""] if said else []


def page(results, drawn):
    machine = results["machine"]
    lines = ["# Pinfold beside its peers", "",
             "Written by `make bench` on %s, in %s minutes; the numbers are in `bench/results.json`, the programs in %s. Do not edit: run it again." % (
                 machine["date"], machine["took_minutes"], LINKS), "",
             "%s · %d processors · %s · kernel %s · %s · Node %s · load when it began: %s" % (
                 machine["processor"], machine["processors"], machine["memory"], machine["kernel"], machine["system"], machine["node"], machine["load_at_start"]), "",
             *warnings(machine), POLICY, "", *contenders_table(results), "", HOW, ""]
    lines += budgets_table(results)
    for group in table.GROUPS:
        text = group_table(group, results)
        if text:
            pictures = ["![%s](%s)" % (group.title, name) for name in CHART_OF.get(group.name, ()) if name in drawn]
            lines += [*text[:2], *[line for picture in pictures for line in (picture, "")], *text[2:]]
    return "\n".join(lines).rstrip() + "\n"


def write(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    drawn = charts(results)
    for name, text in drawn.items():
        (folder / name).write_text(text)
    (folder / "README.md").write_text(page(results, drawn))
