"""svg.py: three kinds of charts as SVG text: dots on one axis, shares of bare, and lines; legible on light and dark.

Invariant: text in, text out; each number that is drawn is also written; lengths are drawn from zero, a logarithmic axis has dots and a label.
Not here: which charts there are, and their numbers (page.py).
"""
import html
import math

WIDTH, RIGHT, LINE = 760, 86, 30
LIGHT = dict(page="#ffffff", edge="#d8dee4", text="#1f2328", faint="#656d76", grid="#eaeef2", bare="#8b949e", pinfold="#1f6feb", bwrap="#bc6c00",
             firejail="#cf222e", crun="#8250df", codex="#1a7f37", srt="#bf3989", floor="#57606a")
DARK = dict(page="#151b23", edge="#30363d", text="#e6edf3", faint="#9198a1", grid="#262c36", bare="#8b949e", pinfold="#58a6ff", bwrap="#e3a13f",
            firejail="#ff7b72", crun="#bc8cff", codex="#4ac26b", srt="#f778ba", floor="#b1bac4")


def sheet(colours):
    rules = [".page{fill:%(page)s;stroke:%(edge)s}text{fill:%(text)s}.faint{fill:%(faint)s}.grid{stroke:%(grid)s}.one{stroke:%(faint)s}" % colours]
    rules += [".%s{fill:%s}.s-%s{stroke:%s}" % (name, colour, name, colour) for name, colour in colours.items() if name not in ("page", "edge", "text", "faint", "grid")]
    return "".join(rules)


STYLE = ("<style>text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}.title{font-size:16px;font-weight:600}.small{font-size:11px}"
         ".grid,.one{stroke-width:1}.line{fill:none;stroke-width:2}.strong{font-weight:600}" + sheet(LIGHT) +
         "@media (prefers-color-scheme: dark){" + sheet(DARK) + "}</style>")


def text(x, y, words, kind="", anchor="start"):
    return '<text x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>' % (x, y, kind, anchor, html.escape(words))


def rule(x1, y1, x2, y2, kind):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>' % (x1, y1, x2, y2, kind)


def dot(x, y, kind, radius=6.0):
    return '<circle cx="%.1f" cy="%.1f" r="%.1f" class="%s"/>' % (x, y, radius, kind)


def document(title, about, height, parts):
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">' % (
        WIDTH, height, WIDTH, height, html.escape(title + ": " + about, quote=True))
    frame = '<rect x="0.5" y="0.5" width="%d" height="%d" rx="8" class="page"/>' % (WIDTH - 1, height - 1)
    return "\n".join([head, STYLE, frame, text(20, 30, title, "title"), text(20, 49, about, "faint small"), *parts, "</svg>"]) + "\n"


def short(number):
    """A number in as many digits as matter."""
    if number == 0:
        return "0"
    digits = max(0, 2 - int(math.floor(math.log10(abs(number)))))
    return format(round(number, digits), ",.%df" % min(digits, 2 if abs(number) >= 0.1 else 3))


def room(labels):
    """Where the axis begins, so that the longest label fits before it."""
    return 34 + 7.4 * max(len(label) for label in labels)


def ticks(low, high):
    """1, 10, 100 … that lie between."""
    return [10.0 ** power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]


def dots(title, about, items, unit):
    """items: (label, class, number, tail or None), one line each, on a logarithmic axis; a tail is a thin line to a second number."""
    numbers = [value for _, _, number, tail in items for value in (number, tail) if value]
    low, high = min(numbers) / 1.6, max(numbers) * 1.3
    top, bottom = 74, 74 + LINE * len(items)
    left = room(label for label, *_ in items)

    def at(number):
        return left + (WIDTH - left - RIGHT) * (math.log(number) - math.log(low)) / (math.log(high) - math.log(low))
    parts = []
    for tick in ticks(low, high):
        parts += [rule(at(tick), top - 8, at(tick), bottom - 6, "grid"), text(at(tick), bottom + 12, "%s %s" % (format(tick, ",g"), unit), "faint small", "middle")]
    for number, (label, kind, value, tail) in enumerate(items):
        y = top + LINE * number + 8
        strong = "strong" if kind == "pinfold" else ""
        parts.append(text(left - 14, y + 4, label, strong, "end"))
        if not value:
            parts.append(text(left, y + 4, "0", "faint"))
            continue
        end = at(value)
        if tail and tail > value:
            parts += [rule(end, y, at(tail), y, "s-" + kind), rule(at(tail), y - 4, at(tail), y + 4, "s-" + kind)]
            end = at(tail)
        parts += [dot(at(value), y, kind), text(end + 12, y + 4, "%s %s" % (short(value), unit), strong)]
    return document(title, about, bottom + 26, parts)


def bars(title, about, items, unit):
    """items: (label, class, number), one bar each, from zero."""
    high = max(number for _, _, number in items)
    top, bottom = 70, 70 + LINE * len(items)
    left = room(label for label, *_ in items)
    parts = []
    for number, (label, kind, value) in enumerate(items):
        y = top + LINE * number
        strong = "strong" if kind == "pinfold" else ""
        length = (WIDTH - left - RIGHT) * value / high
        parts += [text(left - 14, y + 14, label, strong, "end"), '<rect x="%.1f" y="%d" width="%.1f" height="18" rx="3" class="%s"/>' % (left, y, max(1, length), kind),
                  text(left + length + 8, y + 14, short(value) + (" " + unit if unit else ""), strong)]
    return document(title, about, bottom + 14, parts)


def legend(entries, y):
    parts, x = [], 20
    for label, kind in entries:
        parts += [dot(x + 5, y, kind, 5), text(x + 16, y + 4, label, "small")]
        x += 28 + 6.4 * len(label)
    return parts


def shares(title, about, lines, entries):
    """lines: (label, {class: ratio}); one line each with a dot for everyone, and a mark at one. Numbers of pinfold are written."""
    numbers = [value for _, each in lines for value in each.values()]
    low, high = min(0.9, min(numbers) * 0.95), max(1.1, max(numbers) * 1.06)
    logarithmic = high / low > 4
    top, bottom = 96, 96 + LINE * len(lines)
    left = room(label for label, _ in lines)

    def at(number):
        part = math.log(number / low) / math.log(high / low) if logarithmic else (number - low) / (high - low)
        return left + (WIDTH - left - RIGHT) * part
    marks = [mark for mark in ((0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if logarithmic else (0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5)) if low <= mark <= high]
    parts = legend(entries, 70)
    for mark in marks:
        parts += [rule(at(mark), top - 8, at(mark), bottom - 6, "one" if mark == 1 else "grid"), text(at(mark), bottom + 12, "%g ×" % mark, "faint small", "middle")]
    for number, (label, each) in enumerate(lines):
        y = top + LINE * number + 8
        parts += [text(left - 14, y + 4, label, "", "end"), rule(at(low), y, at(high), y, "grid")]
        for kind, value in sorted(each.items(), key=lambda item: item[0] == "pinfold"):
            parts.append(dot(at(value), y, kind, 6.5 if kind == "pinfold" else 5))
        if "pinfold" in each:
            parts.append(text(WIDTH - RIGHT + 12, y + 4, "%.2f ×" % each["pinfold"], "strong"))
    return document(title, about + ("; logarithmic" if logarithmic else ""), bottom + 26, parts)


def lines(title, about, names, series, unit, entries):
    """series: {class: [number or None for each of names]}, on a logarithmic axis."""
    numbers = [value for each in series.values() for value in each if value]
    low, high = min(numbers) / 1.3, max(numbers) * 1.3
    top, bottom = 92, 300

    def x_of(index):
        return 90 + (WIDTH - 90 - RIGHT - 10) * index / max(1, len(names) - 1)

    def y_of(number):
        return bottom - (bottom - top) * (math.log(number / low) / math.log(high / low))
    parts = legend(entries, 70)
    for tick in ticks(low, high):
        parts += [rule(80, y_of(tick), WIDTH - 20, y_of(tick), "grid"), text(72, y_of(tick) + 4, "%s %s" % (format(tick, ",g"), unit), "faint small", "end")]
    parts += [text(x_of(index), bottom + 20, name, "faint small", "middle") for index, name in enumerate(names)]
    for kind, each in sorted(series.items(), key=lambda item: item[0] == "pinfold"):
        points = [(x_of(index), y_of(value)) for index, value in enumerate(each) if value]
        parts.append('<polyline points="%s" class="line s-%s"/>' % (" ".join("%.1f,%.1f" % point for point in points), kind))
        parts += [dot(x, y, kind, 4.5) for x, y in points]
        if kind == "pinfold" and points:
            parts.append(text(points[-1][0] + 10, points[-1][1] + 4, short([value for value in each if value][-1]) + " " + unit, "strong"))
    return document(title, about, bottom + 36, parts)
