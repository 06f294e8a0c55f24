"""texts.py: the texts for timing redaction, and the timing.

Invariant: processor time, not wall time: other programs use the machine, too. Not here: budgets (rows.py), how well it redacts (redaction).
"""
import os
import subprocess
import tempfile

PLAIN = """The quick brown fox jumps over the lazy dog while the committee discusses, at some length, whether foxes ought
to be quick at all. Nobody had asked the dog; it slept on, as dogs do, in the warm light of an ordinary afternoon.
"""
DENSE = """2026-03-01T10:22:33.123Z INFO [http-nio-8080-exec-7] c.e.api.OrderService : id=48211 status=200 took=12ms user_agent="Mozilla/5.0" path=/v1/orders/99 trace=4bf92f3577b34da6a3ce929d0e0e4736
10.0.3.17 - - [01/Mar/2026:10:22:33 +0000] "GET /api/v2/items?page=3&limit=50 HTTP/1.1" 200 5316 "-" "curl/8.5.0"
{"level":"debug","ts":1709288553.12,"caller":"cache/lru.go:118","msg":"evicted","key":"user:48211:profile","size":2048}
"""
JSON_LINES = '{"a":"' + PLAIN.strip().replace("\n", " ") + '"}\n'


def speed(pinfold, text, flags=(), megabytes=64):
    """MB for each second of processor time, three times."""
    numbers = []
    with tempfile.NamedTemporaryFile() as file:
        file.write((text * (megabytes * 1000000 // len(text) + 1)).encode()[:megabytes * 1000000])
        file.flush()
        for _ in range(3):
            begin = os.times()
            with open(file.name, "rb") as source:
                subprocess.run([pinfold, "redact", *flags], stdin=source, stdout=subprocess.DEVNULL, check=True)
            end = os.times()
            numbers.append(megabytes / (end.children_user - begin.children_user + end.children_system - begin.children_system))
    return numbers
