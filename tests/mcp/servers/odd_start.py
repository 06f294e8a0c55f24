"""odd_start.py: servers that are difficult from the first line on; the first argument says how.

Not here: what the client should do about it (hostile_servers.py).
"""
import json
import os
import sys
import time

HOW = sys.argv[1]
TOOLS = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


if HOW == "exits":
    sys.exit(3)
if HOW == "mute":
    time.sleep(60)
if HOW == "closes":
    os.close(1)
    time.sleep(60)
for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if number is None:
        continue
    if method == "server/discover":
        if HOW == "ends-at-probe":
            sys.exit(1)
        if HOW == "silent-at-probe":
            continue
        if HOW == "later-version":
            send({"id": number, "result": {"supportedVersions": ["2031-01-01"], "capabilities": {}}})
        else:
            send({"id": number, "error": {"code": -32601, "message": "no such method"}})
    elif method == "initialize":
        version = "1999-09-09" if HOW == "ancient" else "2025-06-18"
        send({"id": number, "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": HOW, "version": "0"}}})
    elif method == "tools/list":
        page = dict(TOOLS)
        if HOW == "circle":
            page["nextCursor"] = "b" if message["params"].get("cursor") == "a" else "a"
        send({"id": number, "result": page})
    elif method == "tools/call":
        send({"id": number, "result": {"content": []}})
