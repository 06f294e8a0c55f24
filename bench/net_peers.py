#!/usr/bin/python3
"""net_peers.py: the network by name with real programs (curl in the sandbox, nginx outside): direct, pinfold, and srt from npm where it is there.

  bench/net_peers.py PATH_TO_PINFOLD [--srt PATH_TO_SRT] [--rounds N] [--json FILE]

In a network namespace of its own (tests/network/world.py). Invariant: all take turns within one run, as an ordinary user, and medians are
compared; being slow is shown, never a failure. Not here: the relay by itself, and the plainest relay that there can be (net_speed.py).
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "network"))
import world as place  # noqa: E402

# srt reaches no private address and none of its own host, whatever is allowed: the servers have a namespace, and the programs another one,
# in which every address is free.
ADDRESS = place.GOOD = place.NAMES["a.test"] = "1.2.3.4"
GRANTS = [*place.grants("a.test", near=(ADDRESS, )), "--resolve", "a.test=" + ADDRESS]

DOWNLOAD, LATENCY_MS, REQUESTS, START = 0.9, 0.3, 0.8, 1.2  # the budgets
INSIDE = "PINFOLD_BENCH_NETWORK"
SCRIPTS = {
    "download": "curl -sSf -o /dev/null -w '%{speed_download}' --range 0-268435455 http://a.test/large",
    "connect": "curl -sSf -o /dev/null -w '%{time_starttransfer}\\n' -H 'Connection: close' 'http://a.test/page?[1-200]' | sort -n | sed -n 100p",
    "requests": "began=$(date +%s%N); curl -sSf -o /dev/null 'http://a.test/page?[1-2000]'; echo $((2000 * 1000000000 / ($(date +%s%N) - began)))",
}


@contextlib.contextmanager
def another_host():
    """A network namespace at the other end of a wire. → what to put in front of a command that is to run there"""
    child = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    there = ["nsenter", "--target", str(child.pid), "--net"]
    try:
        own = os.readlink("/proc/self/ns/net")
        while os.readlink("/proc/%d/ns/net" % child.pid) == own:
            time.sleep(0.01)
        place.must("ip", "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", str(child.pid))
        for prefix, address in (([], "1.2.3.6/24"), (there, "1.2.3.5/24")):
            place.must(*prefix, "ip", "addr", "add", address, "dev", "wire")
            place.must(*prefix, "ip", "link", "set", "wire", "up")
        place.must(*there, "ip", "link", "set", "lo", "up")
        yield there
    finally:
        child.kill()
        child.wait()


class Runner:
    def __init__(self, world, there, srt):
        self.world = world
        self.there = there
        self.places = {"direct": self.direct, "pinfold": self.pinfold}
        if srt:
            settings = world.work / "srt.json"
            settings.write_text(json.dumps({"network": {"allowedDomains": ["a.test"], "deniedDomains": []},
                                            "filesystem": {"denyRead": [], "allowWrite": ["."], "denyWrite": []}}))
            self.srt_words = [srt, "--settings", str(settings), "-c"]
            self.places["srt"] = lambda script: self.run(*self.srt_words, script)

    def run(self, *words):
        prefix, environment = self.world._as_who()  # pylint: disable=protected-access
        done = subprocess.run([*self.there, *prefix, *words], cwd=self.world.work, env=environment, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise RuntimeError("%s: %s" % (words, done.stderr[-400:]))
        return done.stdout

    def direct(self, script):
        return self.run("bash", "-c", script)

    def pinfold(self, script):
        return self.run(self.world.pinfold, "run", *GRANTS, "--", "bash", "-c", script)

    def seconds(self, *words):
        began = time.monotonic()
        self.run(*words)
        return time.monotonic() - began


def measure(runner, rounds):
    found = {name: {where: [] for where in runner.places} for name in SCRIPTS}
    for name, script in SCRIPTS.items():
        for turn in range(-1, rounds):
            for where, run in runner.places.items():
                number = float(run(script))
                if turn >= 0:
                    found[name][where].append(number)
    starts = {"without": ["run"], "pinfold": ["run", *GRANTS]}
    found["start"] = {name: [] for name in starts}
    if "srt" in runner.places:
        found["start"]["srt"] = []
    for _ in range(rounds * 10):
        for name, words in starts.items():
            found["start"][name].append(runner.seconds(runner.world.pinfold, *words, "--", "/bin/true"))
    if "srt" in runner.places:
        found["start"]["srt"] = [runner.seconds(*runner.srt_words, "/bin/true") for _ in range(rounds)]
    return {name: {where: statistics.median(numbers) for where, numbers in each.items()} for name, each in found.items()}


def verdict(met):
    word = "met" if met else "NOT met"
    return ("\x1b[3%dm%s\x1b[0m" % (2 if met else 1, word)) if sys.stdout.isatty() else word


def show(found):
    def times(name, where, base="direct"):
        return found[name][where] / found[name][base] if where in found[name] else None
    print("\n%-34s %12s %12s %12s   %s" % ("curl inside, nginx outside", "direct", "pinfold", "srt", ""))
    for name, label, scale, unit in (("download", "download", 1e-6, "MB/s"), ("connect", "new connection, one request", 1e3, "ms"),
                                     ("requests", "requests on one connection", 1, "/s"), ("start", "start and end of /bin/true", 1e3, "ms")):
        cells = []
        for where in ("direct", "pinfold", "srt"):
            where = "without" if name == "start" and where == "direct" else where
            cells.append("%.2f %s" % (found[name][where] * scale, unit) if where in found[name] else "–")
        print("%-34s %12s %12s %12s" % (label, *cells) + ("   (first: pinfold without network)" if name == "start" else ""))
    print("\n%-34s %12s %12s %12s" % ("budget", "pinfold", "allowed", "srt"))
    rows = [("download / direct", times("download", "pinfold"), DOWNLOAD, times("download", "srt"), "x", True),
            ("connection, more than direct", (found["connect"]["pinfold"] - found["connect"]["direct"]) * 1e3, LATENCY_MS,
             (found["connect"]["srt"] - found["connect"]["direct"]) * 1e3 if "srt" in found["connect"] else None, " ms", False),
            ("requests / direct", times("requests", "pinfold"), REQUESTS, times("requests", "srt"), "x", True),
            ("start with names / without", times("start", "pinfold", "without"), START, times("start", "srt", "without"), "x", False)]
    for label, ours, allowed, theirs, unit, more in rows:
        met = ours >= allowed if more else ours <= allowed
        print("%-34s %12s %12s %12s   %s" % (label, "%.2f%s" % (ours, unit), "%.2f%s" % (allowed, unit),
                                             "%.2f%s" % (theirs, unit) if theirs is not None else "–", verdict(met)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pinfold", type=pathlib.Path)
    parser.add_argument("--srt", help="the program of @anthropic-ai/sandbox-runtime")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    given = parser.parse_args()
    if not os.environ.get(INSIDE):
        os.environ[INSIDE] = "1"
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        os.execvp("unshare", ["unshare", *user, "--net", "--mount", sys.executable, *sys.argv])
    with place.World(str(given.pinfold.resolve()), "auto") as world:
        world.as_user("user")
        # What asks the host by itself needs the name there.
        hosts = world.base / "hosts"
        shutil.copy("/etc/hosts", hosts)
        with open(hosts, "a", encoding="ascii") as file:
            file.write("\n%s a.test\n" % ADDRESS)
        place.must("mount", "--bind", str(hosts), "/etc/hosts")
        with another_host() as there:
            found = measure(Runner(world, there, given.srt), given.rounds)
    show(found)
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
