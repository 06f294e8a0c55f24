"""hostile_servers.py: servers that print garbage, never answer, flood, lie about ids, change, die, or do not end.

Not here: servers that mean well (own_servers.py, real_servers.py).
"""
import os
import sys

from harness import SERVERS, Client


def hostile(world, **options):
    client = Client(world, sys.executable, SERVERS / "hostile.py", era="legacy", back_off=10, refresh=1, **options)
    client.wait("tools")
    return client


def odd(world, how, **options):
    return Client(world, sys.executable, SERVERS / "odd_start.py", how, back_off=1, **options)


def test_garbage_is_counted_and_survived(world):
    with hostile(world) as client:
        assert client.text("garbage") == "done"
        counts = client.counts()
        assert (counts["noise"], counts["misshapen"]) == (6, 2), counts


def test_a_line_of_64_mib_fails_its_call_and_costs_no_memory(world):
    with hostile(world) as client:
        client.text("fine")
        before = client.memory_kib()
        answer = client.call("huge")
        assert answer["failure"] == "unreadable" and "67108" in answer["story"], answer
        assert client.memory_kib() - before < 14 * 1024
        assert client.text("fine") == "done"
        assert client.counts()["overlong"] == 1


def test_a_line_of_256_mib_without_a_request(world):
    with hostile(world) as client:
        assert client.text("endless") == "done"
        assert client.counts()["overlong"] == 1


def test_a_shorter_limit(world):
    with hostile(world, longest_line=100000) as client:
        assert client.call("huge")["failure"] == "unreadable"


def test_a_server_that_never_answers_times_out(world):
    with hostile(world, request=300) as client:
        assert client.call("silent")["failure"] == "timed out"
        assert client.text("fine") == "done"


def test_a_late_answer_is_dropped(world):
    with hostile(world, request=200) as client:
        assert client.call("late")["failure"] == "timed out"
    with hostile(world) as client:
        tag = client.begin_call("late")
        client.tell(do="cancel", tag=tag)
        assert client.wait("answer", tag=tag)["failure"] == "cancelled"
        assert client.text("fine") == "done"
        assert client.counts()["late"] == 1


def test_a_flood_is_read_and_the_answer_behind_it_too(world):
    with hostile(world) as client:
        assert client.text("flood") == "done"
        assert sum(event["event"] == "notified" for event in client.seen) == 2500


def test_a_flood_of_pings_is_answered(world):
    with hostile(world) as client:
        assert client.text("pings") == "300 answers"


def test_duplicate_and_unknown_responses(world):
    with hostile(world) as client:
        assert client.text("twice") == "done"
        assert client.call("strange")["failure"] == "unreadable"
        counts = client.counts()
        assert (counts["duplicate"], counts["unknown"]) == (2, 5), counts


def test_changed_and_new_tools_are_seen(world):
    with hostile(world) as client:
        client.tell(do="pins", id="i")
        assert client.wait("pins")["changes"] == []
        client.text("change")
        tools = client.wait("tools")
        while "sneaky" not in tools["names"]:
            tools = client.wait("tools")
        assert tools["hidden"] == ["description: now\\u{200b} with \\u{202e}extra"], tools
        client.tell(do="pins", id="i")
        changes = client.wait("pins")["changes"]
        assert [change["tool"] for change in changes] == ["fine", "sneaky"], changes
        assert any("\\u{202e}extra" in line for line in changes[0]["lines"]), changes


def test_a_crash_mid_call_and_a_restart_without_replay(world):
    with hostile(world) as client:
        other = client.begin_call("silent")
        client.wait("ready")
        answer = client.call("die")
        assert answer["failure"] == "ended" and "SIGSEGV" in answer["story"], answer
        assert client.wait("answer", tag=other)["failure"] == "ended"
        client.wait("state", state="backing off")
        client.wait("ready")
        assert client.text("fine") == "done"
        assert "exited with 7" in client.call("vanish")["story"]
        client.wait("ready")


def test_deep_nesting_and_latin_1(world):
    with hostile(world) as client:
        assert "nested too deeply" in client.call("deep")["story"]
        assert "not UTF-8" in client.call("latin1")["story"]
        assert client.text("fine") == "done"


def test_a_flood_on_stderr_is_drained_and_bounded(world):
    with hostile(world) as client:
        assert client.text("chatter") == "done"
        client.wait("stderr", line="noise 19999 " + "z" * 200)
        counts = client.counts()
        assert counts["stderrBytes"] > 4000000 and counts["stderrHeld"] < 320, counts


def test_one_that_ignores_the_end_and_sigterm_is_killed(world):
    with hostile(world, terminate=100, kill=100) as client:
        client.text("stubborn")
        mine = children(client)
        client.stop()
        assert mine and not any(os.path.exists("/proc/%d" % one) for one in mine), mine


def test_one_that_does_not_read_is_killed(world):
    with hostile(world, terminate=100, kill=100) as client:
        client.text("deaf")
        client.stop()


def test_one_that_exits_at_once_is_given_up(world):
    with odd(world, "exits", era="legacy") as client:
        assert "exited with 3" in client.wait("state", state="given up")["why"]
        pauses = [event["ms"] for event in client.seen if event.get("state") == "backing off"]
        assert pauses == [1, 2, 4, 8], pauses


def test_one_that_ends_at_the_probe_is_asked_as_legacy(world):
    with odd(world, "ends-at-probe") as client:
        assert client.wait("ready")["era"] == "legacy"
        assert not any(event.get("state") == "backing off" for event in client.seen)


def test_silence_at_the_probe_means_legacy(world):
    with odd(world, "silent-at-probe", probe=300) as client:
        assert client.wait("ready")["era"] == "legacy"


def test_one_that_never_says_anything(world):
    with odd(world, "mute", probe=50, handshake=50, terminate=10, kill=10) as client:
        assert "did not take initialize" in client.wait("state", state="given up")["why"]


def test_one_that_closes_its_output(world):
    with odd(world, "closes", era="legacy", terminate=10, kill=10) as client:
        assert "closed its output" in client.wait("state", state="given up")["why"]


def test_unknown_versions(world):
    with odd(world, "ancient") as client:
        assert "1999-09-09" in client.wait("state", state="given up")["why"]
    with odd(world, "later-version") as client:
        assert "2031-01-01" in client.wait("state", state="given up")["why"]


def test_pages_in_a_circle(world):
    with odd(world, "circle") as client:
        client.wait("ready")
        line = client.wait("ignored")["line"]
        while "circles" not in line:
            line = client.wait("ignored")["line"]
        assert "content" in client.call("t")


def test_a_command_that_does_not_exist(world):
    with Client(world, "/nonexistent/server", back_off=1) as client:
        assert "exited with 127" in client.wait("state", state="given up")["why"]


def children(client):
    path = "/proc/%d/task/%d/children" % (client.process.pid, client.process.pid)
    with open(path) as listed:
        return [int(word) for word in listed.read().split()]
