#!/usr/bin/python3
"""net_programs.py: the network by name with real programs (curl in the sandbox, nginx outside): direct, Pinfold, and srt where it is there.

  bench/net_programs.py PATH_TO_PINFOLD [--srt PATH_TO_SRT] [--rounds N]
                                          prints JSON: {"cannot": {contender: why}, row: {contender: [numbers]}}

In a network namespace of its own (tests/sandbox_network/world.py). Invariant: all take turns within one run, as an ordinary user; before that a name that
is not granted was reached directly and refused to everyone else. Not here: the relay by itself (net_speed.py).
"""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "sandbox_network"))
import world as place  # noqa: E402

# srt reaches no private address and none of its own host, with any setting: the servers have a namespace, and the programs another one,
# in which every address is free.
ADDRESS = place.GOOD = "1.2.3.4"
SINK = "1.2.3.7"
NAMES = {"a.test": ADDRESS, "b.test": ADDRESS, "up.test": SINK}
GRANTED = ("a.test", "up.test")
GRANTS = [word for name in GRANTED for word in ("--net", name)]
INSIDE = "PINFOLD_BENCH_NETWORK"
SIZE = 256 << 20
SCRIPTS = {
    "download": "curl -sSf -o /dev/null -w '%%{speed_download}' --range 0-%d http://a.test/large" % (SIZE - 1),
    "upload": "curl -sSf -o /dev/null -w '%{speed_upload}' -H 'Expect:' -T large http://up.test/sink",
    "connect": "curl -sSf -o /dev/null -w '%{time_starttransfer}\\n' -H 'Connection: close' 'http://a.test/page?[1-200]' | sort -n | sed -n 100p",
    "requests": "began=$(date +%s%N); curl -sSf -o /dev/null 'http://a.test/page?[1-2000]'; echo $((2000 * 1000000000 / ($(date +%s%N) - began)))",
}
NOT_GRANTED = "curl -sSf -m 10 -o /dev/null http://b.test/page"


def swallow(client):
    """Reads one request with its body, and says yes."""
    head, buffer = b"", bytearray(1 << 20)
    while b"\r\n\r\n" not in head:
        data = client.recv(1 << 16)
        if not data:
            return
        head += data
    head, _, body = head.partition(b"\r\n\r\n")
    length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    left = length - len(body)
    while left > 0:
        count = client.recv_into(buffer, min(left, len(buffer)))
        if not count:
            return
        left -= count
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


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
        self.cannot = {}
        self.contenders = {"bare": ["bash", "-c"], "pinfold": [world.pinfold, "run", *GRANTS, "--", "bash", "-c"]}
        if srt:
            settings = world.work / "srt.json"
            settings.write_text(json.dumps({"network": {"allowedDomains": list(GRANTED), "deniedDomains": []},
                                            "filesystem": {"denyRead": [], "allowWrite": ["."], "denyWrite": []}}))
            self.contenders["srt"] = [srt, "--settings", str(settings), "-c"]

    def run(self, *words):
        prefix, environment = self.world._as_who()  # pylint: disable=protected-access
        return subprocess.run([*self.there, *prefix, *words], cwd=self.world.work, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def output(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            raise RuntimeError("%s: %s" % (words, done.stderr[-400:]))
        return done.stdout

    def peer(self, name, work):
        """A peer has three tries; then the benchmark leaves it out and reports the reason. → what `work` returned, or None"""
        for attempt in range(3):
            try:
                return work()
            except (RuntimeError, ValueError, subprocess.TimeoutExpired) as problem:
                if name in ("bare", "pinfold"):
                    raise
                if attempt == 2:
                    self.cannot[name] = str(problem).strip().splitlines()[-1][:160]
                    self.contenders.pop(name, None)
        return None

    def seconds(self, *words):
        began = time.monotonic()
        self.output(*words)
        return time.monotonic() - began


def check(runner):
    """A sandbox that lets a name through without a grant is not measured."""
    for name, words in list(runner.contenders.items()):
        reached = runner.run(*words, NOT_GRANTED).returncode == 0
        if name == "bare" and not reached:
            raise RuntimeError("the name that is not granted is not reached even directly")
        if name == "pinfold" and reached:
            raise RuntimeError("pinfold let a name through that was not granted")
        if name == "srt" and reached:
            del runner.contenders[name]
            runner.cannot[name] = "let a name through that was not granted"


def measure(runner, rounds):
    found = {name: {where: [] for where in runner.contenders} for name in SCRIPTS}
    for name, script in SCRIPTS.items():
        for turn in range(-1, rounds):
            for where, words in list(runner.contenders.items()):
                number = runner.peer(where, lambda words=words: float(runner.output(*words, script)))
                if turn >= 0 and number is not None:
                    found[name][where].append(number)
    found["start"] = {"without": [], "pinfold": []}
    for _ in range(rounds * 10):
        for name, words in (("without", []), ("pinfold", GRANTS)):
            found["start"][name].append(runner.seconds(runner.world.pinfold, "run", *words, "--", "/bin/true"))
    if "srt" in runner.contenders:
        words = runner.contenders["srt"]
        found["start"]["srt"] = [runner.peer("srt", lambda: runner.seconds(*words, "/bin/true")) for _ in range(rounds)]
    whole = {name: {where: numbers for where, numbers in each.items() if where not in runner.cannot} for name, each in found.items()}
    return dict(cannot=runner.cannot, **whole)


def sweep():
    """srt leaves sockets in /tmp when it is ended, and stumbles over those of an equal process number."""
    for path in pathlib.Path("/tmp").glob("srt-mux-*.sock"):
        with contextlib.suppress(OSError):
            if path.stat().st_uid == place.ORDINARY:
                path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pinfold", type=pathlib.Path)
    parser.add_argument("--srt", help="the program of @anthropic-ai/sandbox-runtime")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    if not os.environ.get(INSIDE):
        os.environ[INSIDE] = "1"
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        os.execvp("unshare", ["unshare", *user, "--net", "--mount", sys.executable, *sys.argv])
    with place.World(str(given.pinfold.resolve()), "auto") as world:
        world.as_user("user")
        place.must("ip", "addr", "add", SINK + "/32", "dev", "lo")
        sink = place.Server(swallow, SINK, 80)
        with open(world.work / "large", "wb") as large:
            large.truncate(SIZE)
        # One name server for all, which the other host reaches, too.
        place.NAMES.update(NAMES)
        place.NameServer(ADDRESS)
        (world.base / "resolv.conf").write_text("nameserver %s\noptions timeout:2\n" % ADDRESS)
        with another_host() as there:
            runner = Runner(world, there, given.srt)
            check(runner)
            print(json.dumps(measure(runner, given.rounds)))
        sink.close()
        sweep()
    return 0


if __name__ == "__main__":
    sys.exit(main())
