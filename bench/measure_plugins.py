"""measure_plugins.py: the cost of confinement for an MCP server: time to the first response, time of each later one, idle memory.

Invariant: as measure_start.py; bare and confined run the same server, which gets the same requests in turns.
Not here: the client's own work (tests/mcp/measure.py), the budgets (rows.py).
"""
import json
import os
import pathlib
import shutil
import subprocess
import time

from measure_start import descendants, pss
from place import Cannot, Failed, sample

SERVERS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "plugins" / "servers"
LINE = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
# What a connector to some web service loads before its first answer; the plain servers load next to nothing.
LIBRARIES = {"python": "import asyncio, concurrent.futures, email.message, http.client, logging, sqlite3, ssl, urllib.request, xml.etree.ElementTree\n",
             "node": "for (const name of ['http', 'https', 'http2', 'tls', 'crypto', 'zlib', 'stream/web', 'worker_threads']) require(name);\n"}
RUNTIMES = {"python": ("server.py", "/usr/bin/python3"), "node": ("server.js", "node")}


class Talk:
    """A server that was started and has given its first answer."""

    def __init__(self, place, argv):
        began = time.monotonic()
        self.child = subprocess.Popen(**place.command(argv, place.home), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self.first = 0.0
        self.ask()
        self.first = time.monotonic() - began

    def ask(self):
        began = time.monotonic()
        self.child.stdin.write(LINE)
        answer = b""
        while not answer.endswith(b"\n"):
            more = os.read(self.child.stdout.fileno(), 65536)
            if not more:
                raise Failed("the server ended without an answer")
            answer += more
        return time.monotonic() - began

    def end(self):
        self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()


def commands(bench, runtime, libraries=""):
    """{bare, pinfold}: how to start the same server."""
    place, (entry, program) = bench.place, RUNTIMES[runtime]
    called = runtime + ("-connector" if libraries else "")
    folder = place.home / ".config" / "pinfold" / "plugins" / called
    if not folder.exists():
        folder.mkdir(parents=True)
        (place.home / ".config" / "pinfold").chmod(0o700)
        (folder / entry).write_text(libraries + (SERVERS / entry).read_text())
        manifest = dict(id="org.example." + called, name=called, version="1.0.0", author="@bench", description="a plugin of the bench",
                        runtime=runtime, entry=entry)
        (folder / "pinfold.plugin.json").write_text(json.dumps(manifest))
        place.give(place.home / ".config")
        place.output([place.bin / "pinfold", "plugin", "allow", manifest["id"], "--yes"], place.home)
    return {"bare": [program, folder / entry], "pinfold": [place.bin / "pinfold", "plugin", "run", "org.example." + called]}


def first_answer(runtime, libraries=""):
    def measure(bench):
        if runtime == "node" and not shutil.which("node"):
            return {"bare": Cannot("node is not installed")}
        found = {}
        for turn in range(-1, bench.rounds(30)):
            for name, argv in commands(bench, runtime, libraries).items():
                talk = Talk(bench.place, argv)
                talk.end()
                if turn >= 0:
                    found.setdefault(name, []).append(talk.first * 1000)
        return {name: sample(numbers) for name, numbers in found.items()}
    return measure


def calls(bench):
    talks = {name: Talk(bench.place, argv) for name, argv in commands(bench, "python").items()}
    try:
        found = {name: [] for name in talks}
        for _ in range(bench.rounds(2000)):
            for name, talk in talks.items():
                found[name].append(talk.ask() * 1000)
        return {name: sample(numbers) for name, numbers in found.items()}
    finally:
        for talk in talks.values():
            talk.end()


def idle(bench):
    """MiB beside the server, for each of twenty."""
    if os.geteuid() != 0:
        return {"pinfold": Cannot("only root may look at the memory of a sandbox")}
    argv = commands(bench, "python")["pinfold"]
    talks = [Talk(bench.place, argv) for _ in range(20)]
    try:
        ours = [pid for talk in talks for pid in descendants(talk.child.pid) if os.path.basename(exe_of(pid)).startswith("pinfold")]
        return {"pinfold": dict(median=sum(map(pss, ours)) / 1024 / len(talks), count=len(talks))}
    finally:
        for talk in talks:
            talk.end()


def exe_of(pid):
    try:
        return os.readlink("/proc/%d/exe" % pid)
    except OSError:
        return ""
