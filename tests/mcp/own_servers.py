"""own_servers.py: small servers of our own: node, python, C++ (legacy), python (modern).

Not here: hostile ones (hostile_servers.py), those of others (real_servers.py).
"""
import sys

from harness import SERVERS, Client

SECRET = "hunter2hunter2"


def test_a_server_in_cpp(world):
    with Client(world, world.echo) as client:
        ready = client.wait("ready")
        assert (ready["era"], ready["version"], ready["name"]) == ("legacy", "2025-06-18", "echo-cpp"), ready
        assert client.wait("tools")["names"] == ["echo"]
        assert client.text("echo", {"a": "line\nline \u2028 \"q\" 😀"}) == '{"a":"line\\nline \u2028 \\"q\\" 😀"}'


def test_a_server_in_node_with_cr_before_each_newline(world):
    with Client(world, "node", SERVERS / "node_server.mjs") as client:
        assert client.wait("ready")["version"] == "2025-03-26"
        client.wait("tools")
        answer = client.call("double", {"n": 21})
        assert answer["structured"] == {"n": 42}, answer
        lie = client.call("lie")
        assert lie["failure"] == "wrong" and "/n: is not of type number" in lie["story"], lie


def test_progress_keeps_a_call_alive_and_is_filtered(world):
    with Client(world, "node", SERVERS / "node_server.mjs", request=5000) as client:
        tag = client.begin_call("slow", {"steps": 10})
        assert client.wait("answer", tag=tag)["content"][0]["text"] == "slow but done"
        steps = [event for event in client.seen if event["event"] == "progress"]
        assert [event["done"] for event in steps] == list(range(1, 11)), steps
        assert steps[0]["message"] == "step 1 [redacted]", steps[0]


def test_a_cancelled_call_ends_at_once_and_the_server_is_notified(world):
    with Client(world, "node", SERVERS / "node_server.mjs") as client:
        client.wait("tools")
        tag = client.begin_call("slow", {"steps": 100000})
        client.wait("progress", done=2)
        client.tell(do="cancel", tag=tag)
        assert client.wait("answer", tag=tag)["failure"] == "cancelled"
        client.wait("stderr", line="cancelled as asked")


def test_the_server_may_ask_for_roots_only_if_they_were_declared(world):
    with Client(world, "node", SERVERS / "node_server.mjs", root="/some/where") as client:
        assert '"uri":"file:///some/where"' in client.text("roots")
    with Client(world, "node", SERVERS / "node_server.mjs") as client:
        assert '"code":-32601' in client.text("roots")
        assert client.counts()["refused"] == 2


def test_a_server_in_python_with_pages(world):
    with Client(world, sys.executable, SERVERS / "python_server.py") as client:
        assert client.wait("ready")["version"] == "2024-11-05"
        assert client.wait("tools")["names"] == ["fail", "leak", "strict"]
        assert client.call("nothing")["code"] == -32602
        refused = client.call("strict", {"path": 5}, check=True)
        assert refused["failure"] == "refused" and "/path: is not of type string" in refused["story"], refused


def test_a_secret_is_taken_out_wherever_it_is(world):
    with Client(world, sys.executable, SERVERS / "python_server.py") as client:
        client.wait("tools")
        failed = client.call("fail")
        assert failed["story"] == "it failed with [redacted]", failed
        assert client.text("leak") == "it is [redacted]"
        client.wait("stderr", line="stderr says [redacted]")
        everything = repr(client.seen) + repr(failed)
        assert "stdout says [redacted]" in everything and "notifications/message" in everything
        assert SECRET not in everything


def test_a_modern_server_in_python(world):
    with Client(world, sys.executable, SERVERS / "modern_server.py", refresh=1) as client:
        ready = client.wait("ready")
        assert (ready["era"], ready["name"]) == ("modern", "python-modern"), ready
        assert client.wait("tools")["names"] == ["first"]
        client.wait("notified", method="notifications/subscriptions/acknowledged")
        client.text("first")
        assert client.wait("tools")["names"] == ["first", "second"]
        asked = client.call("second")
        assert asked["asks"]["ok"]["method"] == "elicitation/create", asked
        assert client.text("second", state=asked["state"], responses={"ok": {"action": "accept"}}) == "accept"


def test_a_server_of_later_versions_only_is_refused(world):
    with Client(world, sys.executable, SERVERS / "modern_server.py", "2027-07-07") as client:
        assert "2027-07-07" in client.wait("state", state="given up")["why"]


def test_a_known_era_is_not_asked_for_again(world):
    with Client(world, sys.executable, SERVERS / "odd_start.py", "silent-at-probe", era="legacy", probe=1000000) as client:
        client.wait("ready")


def test_stopped_and_started_again(world):
    with Client(world, world.echo) as client:
        client.wait("tools")
        client.stop()
        assert client.call("echo")["failure"] == "refused"
        client.tell(do="start")
        assert client.wait("tools")["names"] == ["echo"]
        client.text("echo")
