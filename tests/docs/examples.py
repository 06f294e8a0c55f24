# examples.py: the documents' examples, run for real in a scratch home with a project.
# Invariant: a TOML block passes `policy check`, a wrong one fails with the words shown; a shell line that calls pinfold exits 0.
# Nothing outside of the scratch directory is touched. Not here: finding the blocks (pages.py).
import json
import os
import re
import shutil
import subprocess
import tempfile

import pages
import terminal

SHELL_PAGES = ("README.md", "docs/index.md", *(f"docs/guides/{name}.md" for name in (
    "getting-started", "agents", "network", "approvals", "learn", "team-policies", "ci", "containers", "troubleshooting", "advice", "redaction", "files")),
    *(f"docs/reference/{name}.md" for name in ("cli", "policy", "presets", "report", "exit-codes", "journal")))
TRANSCRIPT_PAGES = ("README.md", *(f"docs/{name}.md" for name in ("guides/getting-started", "guides/network", "guides/advice", "guides/redaction", "reference/exit-codes")))
# What a line calls and a test machine need not have; it stands in for the tool, nothing of which is under test.
STAND_INS = ("npm", "mvn", "analyse", "agent", "claude", "script", "x")


# Three permanent grants, for the examples that name one.
GRANTS = json.dumps({"version": 1, "project": None, "grants": [
    {"number": number, "kind": "read", "resource": f"/srv/data-{number}", "since": "2026-11-16T12:00:00Z", "program": "/usr/bin/make", "operation": "read",
     "asked": f"/srv/data-{number}"} for number in (1, 2, 3)]})


class Project:
    """A home with what the examples name, and a project in it."""

    def __init__(self, pinfold):
        self.base = os.path.realpath(tempfile.mkdtemp(prefix="pinfold-docs-", dir=os.environ.get("PINFOLD_TEST_DIR", "/tmp")))
        self.home = os.path.join(self.base, "home")
        self.ws = os.path.join(self.home, "project")
        for directory in ("home/data", "home/.foo", "home/.m2/repository", "home/.cache/thing", "home/.ssh", "home/library",
                          "home/.config/fish/completions", "home/project/secrets", "home/project/build/bin", "home/project/bin",
                          "home/.agent", "home/.claude", "home/.config/pinfold/grants", "home/project/.pinfold", "home/project/src"):
            os.makedirs(os.path.join(self.base, directory))
        os.symlink(pinfold, os.path.join(self.base, "pinfold"))
        os.symlink(pinfold, os.path.join(self.ws, "build", "bin", "pinfold"))
        self.write("src/main.cc", "int x;  // TODO\n")
        self.write("../.config/pinfold/grants/user.json", GRANTS, 0o600)
        os.chmod(os.path.join(self.home, ".config", "pinfold", "grants"), 0o700)
        self.write("Makefile", "all test:\n\t@echo made\n")
        for name in STAND_INS:
            for place in (name, "bin/" + name):
                self.write(place, "#!/bin/sh\necho stand-in\n", 0o755)
        self.env = {"HOME": self.home, "PATH": f"{self.base}:{self.ws}/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb",
                    "API_URL": "x", "AGENT_KEY": "x", "ANTHROPIC_API_KEY": "x", "USER": "ada", "AWS_SECRET_ACCESS_KEY": "hunter2"}
        for words in (("init", "-q"), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")):
            subprocess.run(["git", *words], cwd=self.ws, env=self.env, check=True)

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.ws, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def run(self, argv):
        return subprocess.run(argv, cwd=self.ws, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)


def in_project(pinfold, work):
    project = Project(pinfold)
    try:
        return work(project)
    finally:
        project.close()


def toml(pinfold):
    """Every ```toml block passes, as does a ```toml user as the user's own file; every ```toml wrong fails with the text that follows it."""
    found = []
    count = 0

    def judge(project, page, line, kind, text, following):
        file = "pinfold.toml" if kind != "toml user" else "../.config/pinfold/config.toml"
        os.makedirs(os.path.join(project.home, ".config", "pinfold"), exist_ok=True)
        project.write(file, text)
        ran = project.run(["pinfold", "policy", "check", file])
        if kind != "toml wrong" and ran.returncode != 0:
            found.append(f"{page}:{line}: {ran.stderr}")
        if kind == "toml wrong":
            missing = [one for one in following.strip().split("\n") if one.strip() not in ran.stderr]
            if ran.returncode == 0 or missing or not following.strip():
                found.append(f"{page}:{line}: exit {ran.returncode}, not said: {missing}\n{ran.stderr}")

    for page in pages.pages():
        all_blocks = pages.blocks(page)
        for i, (kind, line, text) in enumerate(all_blocks):
            if kind not in ("toml", "toml user", "toml wrong"):
                continue
            count += 1
            following = all_blocks[i + 1][2] if i + 1 < len(all_blocks) and all_blocks[i + 1][0] == "text" else ""
            in_project(pinfold, lambda project: judge(project, page, line, kind, text, following))
    return found if count >= 6 else found + [f"only {count} blocks were found"]


def shell_lines():
    for page in SHELL_PAGES:
        for kind, begin, text in pages.blocks(page):
            if kind != "sh":
                continue
            for offset, line in enumerate(text.split("\n"), 1):
                if re.search(r"\bpinfold ", line) and not line.startswith("tests/"):
                    yield page, begin + offset, line


def shell(pinfold):
    """Every line of a ```sh block that calls pinfold works as it stands there."""
    found = []
    count = 0

    def judge(project, page, number, line):
        if "pinfold init" not in line:
            project.write("pinfold.toml", 'timeout = "1m"\n')
        for name in re.findall(r"--policy (\S+)", line):
            project.write(name, 'timeout = "5m"\n')
        argv = ["bash", "--norc", "-c", line]
        if "completions zsh" in line:
            argv = ["zsh", "-f", "-c", "autoload -Uz compinit; compinit -u -D; " + line]
        ran = project.run(argv)
        if ran.returncode != 0 or "pinfold: error" in ran.stderr:
            found.append(f"{page}:{number}: {line.strip()}\n  exit {ran.returncode}\n  {ran.stdout[-300:]}{ran.stderr}")

    for page, number, line in shell_lines():
        count += 1
        in_project(pinfold, lambda project: judge(project, page, number, line))
    return found if count >= 25 else found + [f"only {count} lines were found"]


def request(pinfold):
    """The approval request at the beginning of docs/guides/approvals.md equals the output of its command on a terminal."""
    text = pages.blocks("docs/guides/approvals.md")[0][2]
    command = text.split("\n")[0].removeprefix("$ ")
    wanted = text.split("\n", 1)[1].strip()

    def work(project):
        os.makedirs(os.path.join(project.home, "keys"))
        project.write("../keys/release.key", "x")
        return terminal.until(["bash", "--norc", "-c", command], project.ws, project.env, wanted.split("\n")[-1]).replace(project.home, "/home/you")

    shown = in_project(pinfold, work)
    return [] if wanted in shown else [f"it shows:\n{shown}"]


def transcripts(pinfold):
    """A ```console block equals the output of its commands, in order."""
    found = []
    count = 0

    def judge(project, page, line, text):
        project.write("../.bashrc", "")
        shown = ""
        for command in re.findall(r"^\$ (.*)$", text, re.M):
            # The order of both streams, as on a terminal.
            ran = subprocess.run(["bash", "--norc", "-c", command], cwd=project.ws, env=project.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=60)
            shown += f"$ {command}\n{ran.stdout}"
        shown = shown.replace(project.home, "/home/you")
        # The columns of a table depend on the length of the home's path, and the number of look-ups on the C library.
        if re.sub(r"( \(×\d+\))? +", " ", shown).strip() != re.sub(r"( \(×\d+\))? +", " ", text).strip():
            found.append(f"{page}:{line}: it shows:\n{shown}")

    for page in TRANSCRIPT_PAGES:
        for kind, line, text in pages.blocks(page):
            if kind == "console":
                count += 1
                in_project(pinfold, lambda project: judge(project, page, line, text))
    return found if count >= len(TRANSCRIPT_PAGES) else found + [f"only {count} transcripts were found"]


def picture(pinfold):
    """The README's picture shows the output of its commands."""
    ran = subprocess.run([os.path.join(pages.ROOT, "tools", "record-terminal"), pinfold, "--check"], capture_output=True, text=True, timeout=120)
    return [] if ran.returncode == 0 else [ran.stdout + ran.stderr]

