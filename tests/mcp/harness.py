"""harness.py: the client (mcp_driver) with a server behind it; commands and results are lines of text.

Invariant: everything ends with the test; waiting has a limit only so that a hang is a failure and not a hang.
Not here: the tests.
"""
import json
import os
import pathlib
import queue
import subprocess
import threading
import time

SERVERS = pathlib.Path(__file__).resolve().parent / "servers"
PATIENCE = 120


class Client:
    """mcp_driver with a server; options as key=value."""

    def __init__(self, world, *command, environment=None, **options):
        words = [word for key, value in options.items() for word in ("--" + key.replace("_", "-"), str(value))]
        self.events, self.seen, self.tags = queue.Queue(), [], 0
        self.process = subprocess.Popen([world.driver, *words, "--", *map(str, command)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env={**os.environ, **(environment or {})})
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.events.put(json.loads(line))
        self.events.put({"event": "closed"})

    def tell(self, **order):
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()

    def wait(self, event, **want):
        """The next event of this kind with these values; the others stay for later."""
        def fits(one):
            return one["event"] == event and all(one.get(key) == value for key, value in want.items())
        for one in self.seen:
            if fits(one):
                self.seen.remove(one)
                return one
        end = time.monotonic() + PATIENCE
        while True:
            try:
                one = self.events.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError("no %s with %s; seen %s" % (event, want, self.seen[-5:])) from None
            if fits(one):
                return one
            assert one["event"] != "closed", "the client ended; wanted %s %s; seen %s" % (event, want, self.seen[-5:])
            self.seen.append(one)

    def begin_call(self, name, arguments=None, **more):
        self.tags += 1
        tag = "t%d" % self.tags
        self.tell(do="call", tag=tag, name=name, arguments=arguments or {}, **more)
        return tag

    def call(self, name, arguments=None, **more):
        return self.wait("answer", tag=self.begin_call(name, arguments, **more))

    def text(self, name, arguments=None, **more):
        answer = self.call(name, arguments, **more)
        assert "content" in answer, answer
        return "\n".join(part.get("text", "") for part in answer["content"])

    def request(self, method, **params):
        self.tags += 1
        self.tell(do="request", tag="r%d" % self.tags, method=method, params=params)
        return self.wait("answer", tag="r%d" % self.tags)

    def counts(self):
        self.tell(do="counts")
        return self.wait("counts")

    def memory_kib(self):
        self.tell(do="memory")
        return self.wait("memory")["Pss"]

    def stop(self):
        self.tell(do="stop")
        self.wait("stopped")

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=PATIENCE)
        assert code == 0, "mcp_driver ended with %s" % code

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
            self.process.wait()
        else:
            self.close()
