"""python_server.py: a small legacy server by hand, in python: errors, pages, unknown tools, a secret in all places.

Not here: any library.
"""
import json
import sys


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def tool(name):
    return {"name": name, "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}


PAGES = {None: (["fail", "leak"], "two"), "two": (["strict"], None)}
SECRET = "hunter2hunter2"


def call(number, name, arguments):
    if name == "fail":
        send({"id": number, "error": {"code": -32000, "message": "it failed with " + SECRET, "data": {SECRET: SECRET}}})
    elif name == "leak":
        print("stderr says", SECRET, file=sys.stderr, flush=True)
        print("stdout says", SECRET, flush=True)
        send({"method": "notifications/message", "params": {"level": "info", "data": SECRET}})
        send({"id": number, "result": {"content": [{"type": "text", "text": "it is " + SECRET, SECRET: [SECRET]}]}})
    elif name == "strict":
        send({"id": number, "result": {"content": [{"type": "text", "text": json.dumps(arguments)}]}})
    else:
        send({"id": number, "error": {"code": -32602, "message": "unknown tool"}})


for line in sys.stdin:
    message = json.loads(line)
    method, number, params = message.get("method"), message.get("id"), message.get("params", {})
    if number is None:
        continue
    if method == "initialize":
        send({"id": number, "result": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}, "logging": {}},
                                       "serverInfo": {"name": "python-small", "version": "1.0"}}})
    elif method == "tools/list":
        names, cursor = PAGES[params.get("cursor")]
        send({"id": number, "result": {"tools": [tool(name) for name in names], **({"nextCursor": cursor} if cursor else {})}})
    elif method == "tools/call":
        call(number, params["name"], params.get("arguments"))
    else:
        send({"id": number, "error": {"code": -32601, "message": "no such method"}})
