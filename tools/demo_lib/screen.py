"""screen.py: the table as it is seen: widths, colours, the row that is being worked on.

Invariant: no line is wider than the terminal; escape sequences are for colour and the cursor, where colour is wanted.
Not here: the texts of the rows (tools/demo).
"""
import os
import shutil
import textwrap

INDENT, ROW_INDENT, WHAT, CELL, TIME, GAP = 2, 4, 39, 9, 8, 2
SAID_FROM = 110  # columns from which there is room for Pinfold's own words
WIDEST = 130

# From the 16 colours that every theme gives a readable value on its own background; never black, white or faint.
STYLES = {"": "", "bold": "1", "bad": "31", "good": "32", "odd": "35", "alarm": "1;7;31"}


class Screen:
    def __init__(self, stream):
        self.stream = stream
        terminal = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        # Without a locale this is UTF-8, as in Python; LC_ALL=C means ASCII.
        locale = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
        self.live = terminal
        self.colour = terminal and not os.environ.get("NO_COLOR")
        self.unicode = "utf" in locale.lower()
        stream.reconfigure(encoding="utf-8", errors="replace")
        self.frame = 0
        self.open_row = None
        if self.colour:
            self.stream.write("\x1b[?25l")

    def close(self):
        if self.colour:
            self.stream.write("\x1b[?25h")
        self.stream.flush()

    # ---- lines ----

    def columns(self):
        """What fits into a line; the last column stays free, for some terminals wrap there."""
        if self.stream.isatty():
            columns = os.get_terminal_size(self.stream.fileno()).columns or 80
        else:
            columns = shutil.get_terminal_size((120, 50)).columns
        return min(columns, WIDEST) - 1

    def wide(self):
        return self.columns() >= SAID_FROM - 1

    def line(self, *parts):
        """Parts are texts, or (text, style)."""
        self.stream.write(self._render(parts).rstrip(" ") + "\n")
        self.stream.flush()

    def paragraph(self, text, style="", indent=INDENT):
        for line in textwrap.wrap(text, max(self.columns() - indent, 10)):
            self.line(" " * indent, (line, style))

    def commands(self, listed):
        """(command, comment): to paste, so whole even where they must wrap; the comments where all of them fit."""
        margin, longest = " " * ROW_INDENT, max(len(command) for command, _ in listed)
        fits = all(len(margin) + longest + len(f"   # {comment}") <= self.columns() for _, comment in listed)
        for command, comment in listed:
            self.stream.write(margin + (f"{command:{longest}}   # {comment}" if fits else command) + "\n")

    def heading(self, title):
        """A section: its name on a rule that spans the table."""
        rule = "─" if self.unicode else "-"
        width = self.columns() if self.wide() else min(self.columns(), self._table_width())
        self.line(" " * INDENT, (title, "bold"), " ", rule * (width - INDENT - len(title) - 1))

    def row_start(self, cells):
        """Shows a row that is being worked on; cells as for row()."""
        self.open_row = cells
        if self.live:
            self._draw()

    def tick(self):
        """The next frame of the progress display."""
        self.frame += 1
        if self.live and self.open_row is not None:
            self._draw()

    def row(self, cells):
        """Ends the row: (what, bare, boxed, time, said), each a text or (text, style)."""
        self.open_row = None
        self.stream.write(("\r" if self.live else "") + self._row(cells) + "\n")
        self.stream.flush()

    def abandon_row(self):
        """Leaves the row as it is and goes on below it."""
        if self.live and self.open_row is not None:
            self.stream.write("\n")
        self.open_row = None

    def waiting(self):
        frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" if self.unicode else "|/-\\"
        return frames[self.frame % len(frames)]

    # ---- parts ----

    def _draw(self):
        cells = [self.waiting() if cell is None else cell for cell in self.open_row]
        self.stream.write("\r" + self._row(cells))
        self.stream.flush()

    def _table_width(self):
        return ROW_INDENT + WHAT + 2 * (GAP + CELL) + GAP + TIME

    def _row(self, cells):
        """A later picture of a row is never shorter than an earlier one, so it covers it."""
        parts = [" " * ROW_INDENT]
        for (name, width), cell in zip(self._widths().items(), cells):
            text, style = cell if isinstance(cell, tuple) else (cell, "")
            if name == "said" and len(text) > width:
                text = text.rsplit(", ", 1)[0]
            text = self._cut(text, width)
            # The word alone is coloured, not the blanks beside it: an alarm is shown in reverse.
            blanks = " " * (width - len(text))
            parts += [blanks, (text, style)] if name == "took" else [(text, style), blanks]
            parts.append(" " * (GAP if width else 0))
        return self._render(parts).rstrip(" ")

    def _widths(self):
        """A width for each column; 0 for those that a narrow terminal has no room for."""
        room = self.columns() - ROW_INDENT
        took = TIME if room >= 60 else 0
        fixed = 2 * (GAP + CELL) + (GAP + took if took else 0)
        what = max(min(WHAT, room - fixed), 8)
        said = room - what - fixed - GAP if self.wide() else 0
        return {"what": what, "bare": CELL, "boxed": CELL, "took": took, "said": said}

    def _cut(self, text, width):
        dots = "…" if self.unicode else "..."
        text = "".join(letter if letter.isprintable() else "?" for letter in text)
        return text if len(text) <= width else (text[:max(width - len(dots), 0)] + dots)[:width]

    def _render(self, parts):
        room, done = max(self.columns(), 1), ""
        for part in parts:
            text, style = part if isinstance(part, tuple) else (part, "")
            text = text[:room]
            room -= len(text)
            code = STYLES[style] if self.colour and text else ""
            done += f"\x1b[{code}m{text}\x1b[0m" if code else text
        return done
