"""real_servers.py: servers that others wrote, from npm.

Not here: installing them (run).
"""
import json
import os
import pathlib
import tempfile

from harness import SERVERS, Client


def official(world, name, *arguments, **options):
    entry = world.modules / "@modelcontextprotocol" / ("server-" + name) / "dist" / "index.js"
    return Client(world, "node", entry, *arguments, **options)


def test_everything(world):
    with official(world, "everything") as client:
        assert client.wait("ready")["era"] == "legacy"
        names = client.wait("tools")["names"]
        assert len(names) > 8 and "echo" in names, names
        assert client.text("echo", {"message": "hello"}) == "Echo: hello"
        assert "structured" in client.call("get-structured-content", {"location": "New York"})
        tag = client.begin_call("trigger-long-running-operation", {"duration": 1, "steps": 4})
        assert "content" in client.wait("answer", tag=tag)
        assert len([event for event in client.seen if event["event"] == "progress"]) == 4, client.seen
        wrong = client.call("echo", {"message": 5}, check=True)
        assert wrong["failure"] == "refused", wrong
        assert "result" in client.request("prompts/list") and "result" in client.request("resources/list")
        assert client.request("no/such")["code"] == -32601


def test_everything_cancelled(world):
    with official(world, "everything") as client:
        client.wait("tools")
        tag = client.begin_call("trigger-long-running-operation", {"duration": 3600, "steps": 7200})
        client.wait("progress", tag=tag)
        client.tell(do="cancel", tag=tag)
        assert client.wait("answer", tag=tag)["failure"] == "cancelled"
        assert client.text("echo", {"message": "still here"}) == "Echo: still here"


def test_filesystem(world):
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        with official(world, "filesystem", folder) as client:
            assert "write_file" in client.wait("tools")["names"]
            path = str(pathlib.Path(folder, "a.txt"))
            client.text("write_file", {"path": path, "content": "größer\n"})
            assert pathlib.Path(path).read_text() == "größer\n"
            assert client.text("read_text_file", {"path": path}) == "größer\n"
            answer = client.call("read_text_file", {"path": "/etc/hostname"})
            assert answer["isError"], answer


def test_memory(world):
    with tempfile.TemporaryDirectory() as folder:
        store = pathlib.Path(folder, "memory.jsonl")
        with official(world, "memory", environment={"MEMORY_FILE_PATH": str(store)}) as client:
            entity = {"name": "Ada", "entityType": "person", "observations": ["wrote programs"]}
            assert "content" in client.call("create_entities", {"entities": [entity]})
            assert json.loads(client.text("read_graph"))["entities"][0]["name"] == "Ada"
        assert "Ada" in store.read_text()


def test_the_official_library_of_the_modern_era(world):
    with Client(world, "node", SERVERS / "sdk_modern.mjs", environment={"MODULES": str(world.modules)}, refresh=1) as client:
        ready = client.wait("ready")
        assert (ready["era"], ready["instructions"]) == ("modern", "Be kind."), ready
        assert client.wait("tools")["names"] == ["add", "greet", "grow"]
        client.wait("notified", method="notifications/subscriptions/acknowledged")
        assert client.call("add", {"a": 2, "b": 3})["structured"] == {"sum": 5}
        asked = client.call("greet")
        assert asked["asks"]["who"]["params"]["message"] == "who?", asked
        reply = {"who": {"action": "accept", "content": {"name": "Ada"}}}
        assert client.text("greet", state=asked["state"], responses=reply) == "hello Ada"
        client.text("grow")
        assert "late" in client.wait("tools")["names"]
