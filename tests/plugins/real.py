"""real.py: the official servers from npm as plugins: everything, filesystem and memory, each with its special features.

Invariant: what each is denied it reaches bare.
Not here: the same without a sandbox, over the protocol in all its forms (tests/mcp).
"""
import json
import shutil

from real_packages import modules_beside
from tools import INITIALIZE, home_of

ENTRY = "node_modules/@modelcontextprotocol/server-%s/dist/index.js"


def manifest_of(place, server, **more):
    """All three in one folder, one after the other: the packages are large."""
    name = place.plugin("official", id="org.example." + server, entry=ENTRY % server, runtime="node", **more)
    place.fine("plugin", "allow", name, "--yes")
    return name


def bare_answer(place, server, arguments, tool, given, env=()):
    """What the server itself answers, without Pinfold."""
    said = [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": given}}]
    ran = place.bare("/usr/bin/node", place.plugins / "official" / (ENTRY % server), *arguments, env=env,
                     text="".join(json.dumps(one) + "\n" for one in said))
    return next(line["result"] for line in map(json.loads, ran.stdout.splitlines()) if line.get("id") == 2)


def call(place, name, tool, given, code=0, env=()):
    ran = place.run("plugin", "call", name, tool, json.dumps(given), env=env)
    assert ran.returncode == code, ran
    return ran.stdout.decode()


def everything(place):
    name = manifest_of(place, "everything")
    assert "get-sum" in place.fine("plugin", "tools", name)
    env = {"AWS_SECRET_ACCESS_KEY": "canary-canary"}
    assert "canary-canary" in json.dumps(bare_answer(place, "everything", [], "get-env", {}, env))
    calls = [{"id": "a", "tool": "get-sum", "arguments": {"a": 2, "b": 3}}, {"id": "b", "tool": "get-env"},
             {"id": "c", "tool": "get-structured-content", "arguments": {"location": "New York"}},
             {"id": "d", "tool": "get-tiny-image"}, {"id": "e", "tool": "no-such-tool"}]
    ran = place.run("plugin", "call", name, "--calls", text="".join(json.dumps(one) + "\n" for one in calls), env=env)
    answers = {one["id"]: one for one in map(json.loads, ran.stdout.splitlines())}
    assert ran.returncode == 1 and list(answers) == ["a", "b", "c", "d", "e"], ran
    assert "5" in json.dumps(answers["a"]["result"])
    seen = answers["b"]["result"]["content"][0]["text"]
    assert "canary" not in seen and set(json.loads(seen)) <= {
        "HOME", "LANG", "LOGNAME", "PATH", "PINFOLD", "PINFOLD_NETWORK", "TERM", "TMPDIR", "USER"}, seen
    assert "structuredContent" in answers["c"]["result"] and "no tool" in answers["e"]["error"]["reason"]


def filesystem(place):
    docs, other = place.home / "docs", place.home / "other"
    for folder in (docs, other):
        folder.mkdir()
        (folder / "a.txt").write_text("canary")
    place.own()
    # By its own arguments it may have both; only one was declared.
    arguments = [str(docs), str(other)]
    name = manifest_of(place, "filesystem", args=arguments, permissions={"filesystem": [{"path": "~/docs", "access": "read-write"}]})
    assert "canary" in json.dumps(bare_answer(place, "filesystem", arguments, "read_text_file", {"path": str(other / "a.txt")}))
    bare = bare_answer(place, "filesystem", arguments, "write_file", {"path": str(other / "b.txt"), "content": "x"})
    assert not bare.get("isError") and (other / "b.txt").read_text() == "x", bare
    (other / "b.txt").unlink()
    for text in ("one", "two"):  # the second time beside it, and renamed
        assert "Successfully" in call(place, name, "write_file", {"path": str(docs / "b.txt"), "content": text})
        assert (docs / "b.txt").read_text() == text
    assert sorted(each.name for each in docs.iterdir()) == ["a.txt", "b.txt"], "it left another file"
    assert "canary" in call(place, name, "read_text_file", {"path": str(docs / "a.txt")})
    assert "canary" not in call(place, name, "read_text_file", {"path": str(other / "a.txt")}, code=1)
    call(place, name, "write_file", {"path": str(other / "b.txt"), "content": "x"}, code=1)
    call(place, name, "write_file", {"path": str(other / "a.txt"), "content": "x"}, code=1)
    assert [(each.name, each.read_text()) for each in other.iterdir()] == [("a.txt", "canary")]


def memory(place):
    entity = {"entities": [{"name": "Ada", "entityType": "person", "observations": ["wrote programs"]}]}
    name = manifest_of(place, "memory", permissions={"environment": ["MEMORY_FILE_PATH"]})
    # By itself it writes into its own code.
    call(place, name, "create_entities", entity, code=1)
    store = home_of(place, name) / "memory.jsonl"
    env = {"MEMORY_FILE_PATH": str(store)}
    call(place, name, "create_entities", entity, env=env)
    assert "Ada" in store.read_text() and "Ada" in call(place, name, "read_graph", {}, env=env)
    call(place, name, "create_entities", entity, code=1, env={"MEMORY_FILE_PATH": str(place.home / "elsewhere.jsonl")})
    assert not (place.home / "elsewhere.jsonl").exists()
    bare_answer(place, "memory", [], "create_entities", entity, env={"MEMORY_FILE_PATH": str(place.home / "elsewhere.jsonl")})
    assert (place.home / "elsewhere.jsonl").exists()


def check_official_servers_confined(place):
    shutil.copytree(modules_beside(place.pinfold), place.plugins / "official/node_modules", symlinks=True)
    place.own()
    everything(place)
    filesystem(place)
    memory(place)
