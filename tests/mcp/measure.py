"""measure.py: the time that the client adds to a call, and its memory when idle.

Invariant: compares with the same bytes to the same server by the least code possible, in the same minute.
Not here: budgets.
"""
import json
import os
import statistics
import subprocess
import time

from harness import Client

CALLS = 20000
ROUNDS = 5


def bare(world):
    """µs for a line out and a line back, without any client."""
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "echo", "arguments": {"text": "hello"}, "_meta": {"progressToken": 1}}}).encode() + b"\n"
    with subprocess.Popen([world.echo], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as server:
        into, out = server.stdin.fileno(), server.stdout.fileno()
        began = time.monotonic()
        for _ in range(CALLS):
            os.write(into, line)
            os.read(out, 65536)
        took = (time.monotonic() - began) / CALLS * 1e6
        server.stdin.close()
    return took


def with_client(world):
    with Client(world, world.echo, era="legacy") as client:
        client.wait("tools")
        client.tell(do="bench", name="echo", arguments={"text": "hello"}, count=CALLS)
        bench = client.wait("bench")
        return bench["us"], bench["work"], client.memory_kib()


def main(world):
    rows = [(bare(world), *with_client(world)) for _ in range(ROUNDS)]
    plain, ours, work, memory = (statistics.median(column) for column in zip(*rows))
    print("a line and its answer, bare: %.1f µs; a call through the client: %.1f µs; added: %.1f µs" % (plain, ours, ours - plain))
    print("processor time of the client for each call: %.1f µs" % work)
    print("PSS of the idle client after %d calls: %d KiB" % (CALLS, memory))
    return 0
