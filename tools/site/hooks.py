# hooks.py: what mkdocs reads in a page and what a reader of the tree sees, made the same.
# Invariant: changes no link between two pages. Not here: the checks of the built site (tools/check-site).
import os
import posixpath
import re

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FENCE = re.compile(r"^( *)```toml (wrong|user)$")
LINK = re.compile(r"\[([^\]\n]+)\]\(((?:\.\./)+[^)\s#]+)(#[^)\s]*)?\)")
CODE = re.compile(r"`[^`\n]+`")


def outside(page):
    """Replaces a link to a file outside of docs/, which the site does not have, by its text and the file's path."""
    def replace(match):
        target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), match[2]))
        if target.startswith("docs/"):
            return match[0]
        if not os.path.exists(os.path.join(ROOT, target)):
            raise ValueError(f"docs/{page}: {match[2]}: no such file")
        text = match[1].strip("`")
        return f"`{target}`" if target.rstrip("/").endswith(text.rstrip("/")) else f"{match[1]} (`{target}`)"
    return replace


def line_for_site(line, page):
    line = LINK.sub(outside(page), line)
    # In a table, GitHub drops the backslash before a bar in code; Python's Markdown prints it.
    if line.startswith("|"):
        line = CODE.sub(lambda code: code[0].replace("\\|", "|"), line)
    return line


def on_page_markdown(markdown, page, **_):
    out, in_block = [], False
    for line in markdown.split("\n"):
        fence = FENCE.match(line)
        if fence and not in_block:
            title = {"wrong": "with mistakes", "user": "~/.config/pinfold/config.toml"}[fence[2]]
            line = f'{fence[1]}```toml title="{title}"'
        if line.lstrip().startswith("```"):
            in_block = not in_block
        out.append(line if in_block else line_for_site(line, page.file.src_path))
    return "\n".join(out)
