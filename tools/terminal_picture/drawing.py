# drawing.py: lines of a terminal as one SVG image that types the commands and then stays as it is.
# Invariant: the same lines give the same bytes; a viewer without animation, or with reduced motion, shows the whole text.
# Not here: where the lines come from (recording.py).
import itertools
from xml.sax.saxutils import escape

CELL, ROW, SIZE, MARGIN, TITLE = 7.6, 18, 12.6, 18, 34
COLUMNS = 116
SECONDS_A_KEY = 0.035
# Text, background, frame, and the colours of SGR numbers 31 to 36 with the bright ones beside them.
THEMES = {
    "light": {"text": "#24292f", "back": "#ffffff", "bar": "#f3f4f6", "frame": "#d0d7de", "dim": "#6e7781", 31: "#cf222e", 32: "#1a7f37",
              33: "#9a6700", 34: "#0969da", 35: "#8250df", 36: "#1b7c83"},
    "dark": {"text": "#e6edf3", "back": "#0d1117", "bar": "#161b22", "frame": "#30363d", "dim": "#8b949e", 31: "#ff7b72", 32: "#3fb950",
             33: "#d29922", 34: "#79c0ff", 35: "#d2a8ff", 36: "#56d4dd"},
}


def style_of(numbers, theme):
    """The attributes of a run of cells with these SGR numbers."""
    colour = next((theme[n - 60 if n >= 90 else n] for n in sorted(numbers) if 31 <= n <= 36 or 91 <= n <= 96), None)
    if colour is None and numbers & {2, 90}:
        colour = theme["dim"]
    return (f' fill="{colour}"' if colour else "") + (' font-weight="600"' if 1 in numbers else "")


def wrapped(line):
    """The line's cells in rows of COLUMNS, as a terminal breaks them."""
    cells = line.cells
    return [cells[i:i + COLUMNS] for i in range(0, len(cells), COLUMNS)] or [[]]


def row_text(cells, y, theme):
    """One text element for each run of one style; its length is fixed, so that every font keeps the columns."""
    parts, column = [], 0
    for numbers, run in itertools.groupby(cells, key=lambda cell: cell[1]):
        text = "".join(character for character, _ in run)
        if text.strip():
            begin = len(text) - len(text.lstrip())
            words = text.strip()
            parts.append(f'<text x="{MARGIN + (column + begin) * CELL:.1f}" y="{y}" textLength="{len(words) * CELL:.1f}"{style_of(numbers, theme)}>'
                         f"{escape(words)}</text>")
        column += len(text)
    return "".join(parts)


def draw(lines, theme_name):
    theme = THEMES[theme_name]
    body, now, y = [], 0.4, TITLE + MARGIN + SIZE
    for line in lines:
        now += line.pause
        rows = "".join(row_text(cells, round(y + i * ROW, 1), theme) for i, cells in enumerate(wrapped(line)))
        if line.typed:
            # A cover in the colour of the background moves from the typed characters, one at a time.
            left, width = MARGIN + 2 * CELL, line.typed * CELL
            seconds = line.typed * SECONDS_A_KEY
            rows += (f'<rect class="cover" x="{left:.1f}" y="{y - SIZE:.1f}" width="{width + 2:.1f}" height="{ROW}" fill="{theme["back"]}" '
                     f'style="--w:{width + 4:.0f}px;animation-duration:{seconds:.2f}s;animation-timing-function:steps({line.typed});'
                     f'animation-delay:{now + 0.3:.2f}s"/>')
        if rows:
            body.append(f'<g class="line" style="animation-delay:{now:.2f}s">{rows}</g>')
        if line.typed:
            now += 0.3 + line.typed * SECONDS_A_KEY
        y += ROW * len(wrapped(line))
    width, height = round(2 * MARGIN + COLUMNS * CELL), round(y - SIZE + MARGIN)
    dots = "".join(f'<circle cx="{20 + 18 * i}" cy="{TITLE / 2:.0f}" r="5.5" fill="{theme["frame"]}"/>' for i in range(3))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">
<title>A terminal: Pinfold denies what an installer tries, and asks before another command reads a file</title>
<style>
text {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {SIZE}px; white-space: pre }}
.line {{ fill: {theme["text"]} }}
.cover {{ transform: translateX(var(--w)); opacity: 0 }}
@media (prefers-reduced-motion: no-preference) {{
  .line {{ animation: show 1ms linear both }}
  .cover {{ animation: type 1s both }}
}}
@keyframes show {{ from {{ opacity: 0 }} to {{ opacity: 1 }} }}
@keyframes type {{ from {{ transform: none; opacity: 1 }} 99.9% {{ opacity: 1 }} to {{ transform: translateX(var(--w)); opacity: 0 }} }}
</style>
<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9" fill="{theme["back"]}" stroke="{theme["frame"]}"/>
<path d="M.5 {TITLE}V9.500a9 9 0 0 1 9-9h{width - 19}a9 9 0 0 1 9 9V{TITLE}z" fill="{theme["bar"]}" stroke="{theme["frame"]}"/>
{dots}
{chr(10).join(body)}
</svg>
"""
