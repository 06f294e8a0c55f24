"""net_speed.py: the relay beside direct connections and beside the plainest relay there can be, on loopback.

Invariant: all three take turns within one run, and medians are compared; being slow is shown, never a failure.
Not here: the clocks and the servers (net_load.cc), the sandbox around the relay.
"""
import contextlib
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "relay"))
from harness import OUTSIDE, Relay, address_of  # noqa: E402

PORT, FLOOR = 7101, "127.77.0.2"
MEBIBYTES, CONNECTS, REQUESTS = 256, 200, 2000

# name, service, size, unit
MEASURES = (("download", 0, MEBIBYTES, "MB/s"), ("upload", 1, MEBIBYTES, "MB/s"), ("connect", 2, CONNECTS, "us"), ("requests", 2, REQUESTS, "/s"))


@contextlib.contextmanager
def started(argv):
    """A program that prints when it is ready, and exits at the end of its standard input."""
    child = subprocess.Popen(list(map(str, argv)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if child.stdout.readline() != "ready\n":
            raise RuntimeError("did not start: %s" % argv)
        yield child
    finally:
        child.stdin.close()
        child.wait()
        child.stdout.close()


def samples(driver, load, rounds, become=()):
    """{measure: {"direct" | "floor" | "relayed": [one number a round]}}"""
    grants = [word for service in range(3) for word in ("--grant", "a.test:%d" % (PORT + service))]
    options = ("--near", "127.77.0.0/16", "--host", "a.test=" + OUTSIDE, "--quiet", "yes", *grants)
    program, *rest = [*become, str(driver), *options]
    found = {}
    with started([*become, load, "serve", OUTSIDE, PORT]), started([*become, load, "floor", FLOOR, PORT, OUTSIDE]), \
            Relay(program, *rest):
        places = {"direct": OUTSIDE, "floor": FLOOR, "relayed": address_of("a.test")}
        for name, service, size, _ in MEASURES:
            numbers = found[name] = {where: [] for where in places}
            for turn in range(-1, rounds):
                for where, address in places.items():
                    argv = [*become, load, name, address, PORT + service, size]
                    done = subprocess.run(list(map(str, argv)), check=True, capture_output=True, text=True)
                    if turn >= 0:  # the first is to warm up
                        numbers[where].append(float(done.stdout))
    return found
