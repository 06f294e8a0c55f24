"""modern_server.py: a server of the modern era by hand, in python: strict about what every request must carry.

Not here: any library.
"""
import json
import sys

META = "io.modelcontextprotocol/"
SERVES = sys.argv[1:] or ["2026-07-28"]
listening = None
tools = ["first"]


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def result(number, value):
    send({"id": number, "result": {"resultType": "complete", "_meta": {META + "serverInfo": {"name": "python-modern", "version": "1"}}, **value}})


def changed():
    if listening is not None:
        send({"method": "notifications/tools/list_changed", "params": {"_meta": {META + "subscriptionId": listening}}})


def call(number, params):
    name = params["name"]
    if name == "first":
        tools.append("second")
        changed()
        result(number, {"content": [{"type": "text", "text": "there is a second one now"}]})
    elif "requestState" not in params:
        send({"id": number, "result": {"resultType": "input_required", "requestState": "opaque",
                                       "inputRequests": {"ok": {"method": "elicitation/create", "params": {"message": "Sure?"}}}}})
    else:
        assert params["requestState"] == "opaque"
        result(number, {"content": [{"type": "text", "text": params["inputResponses"]["ok"]["action"]}]})


for line in sys.stdin:
    message = json.loads(line)
    number, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if number is None:
        continue
    meta = params.get("_meta", {})
    version = meta.get(META + "protocolVersion")
    if version is None or META + "clientCapabilities" not in meta:
        send({"id": number, "error": {"code": -32602, "message": "a request must carry version and capabilities"}})
    elif version not in SERVES:
        send({"id": number, "error": {"code": -32022, "message": "unsupported", "data": {"supported": SERVES, "requested": version}}})
    elif method == "server/discover":
        result(number, {"supportedVersions": SERVES, "capabilities": {"tools": {"listChanged": True}}})
    elif method == "tools/list":
        result(number, {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in tools], "ttlMs": 0, "cacheScope": "private"})
    elif method == "tools/call":
        call(number, params)
    elif method == "subscriptions/listen":
        listening = number
        send({"method": "notifications/subscriptions/acknowledged",
              "params": {"notifications": params["notifications"], "_meta": {META + "subscriptionId": number}}})
    else:
        send({"id": number, "error": {"code": -32601, "message": "no such method"}})
