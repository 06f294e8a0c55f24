"""reports.py: the report of network denials, and the network by name together with other features."""
import json

from world import GOOD, SECRET, grants, run


def check_the_connections_are_in_the_report(world):
    done = world.boxed("curl -sS http://a.test/page; curl -sS -m 5 http://a.test:81/; true", *grants("a.test"))
    (seen, ) = done.report["denials"]
    assert seen["resource"] == "a.test:81" and seen["program"] == "curl", seen
    (one, ) = done.report["connections"]
    assert one["host"] == "a.test" and one["address"] == GOOD and one["port"] == 80 and one["end"] == "finished", one
    assert one["bytes_up"] > 50 and one["bytes_down"] > len(SECRET) and one["duration_ms"] >= 0, one
    assert done.report["more_connections"] == 0


def check_denials_are_folded_and_shown(world):
    done = world.boxed("for i in 1 2 3; do getent hosts other.test; done; getent hosts 'A.Other.TEST'; true", *grants("a.test"))
    names = [one["resource"] for one in done.report["denials"]]
    assert names == ["other.test", "a.other.test"], names
    text = done.stderr.decode()
    assert "connect  other.test" in text and "--net other.test" in text, text


def check_without_a_network_the_name_is_reported(world):
    """Not the name server, and never the widest way."""
    programs = {
        "curl": "curl -sS -m 20 http://curl.a.test/",
        "wget": "wget -q -T 20 -t 1 http://wget.a.test/",
        "git": "git ls-remote http://git.a.test/x",
        "python": "python3 -c 'import socket; socket.getaddrinfo(\"python.a.test\", 443)'",
        "node": "node -e 'require(\"dns\").lookup(\"node.a.test\", () => {})'",
        "npm": "npm view x --registry http://npm.a.test --fetch-retries 0",
        "getent": "getent hosts getent.a.test",
    }
    for name, command in programs.items():
        done = world.boxed(command + "; true", "--observe", "fast")
        denials = [one for one in done.report["denials"] if one["operation"] in ("connect", "send")]
        assert [one["resource"] for one in denials] == [name + ".a.test"], (name, denials, done.stderr)
        assert denials[0]["allow_with"] == "--net " + name + ".a.test" and denials[0]["source"] == "observed", denials
    assert "--net full" not in world.boxed("curl -sS http://a.test/; true").stderr.decode()


def check_each_reason_is_reported(world):
    """One host and port, refused for different things."""
    (world.work / "reasons.py").write_text("""
import socket
for text in (b"GET / HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n", b"GET / HTTP/1.1\\r\\n\\r\\n"):
    s = socket.create_connection(("a.test", 80))
    s.sendall(text)
    try: s.recv(100)
    except OSError: pass
""")
    done = world.boxed("python3 reasons.py", *grants("a.test"))
    rules = [one["rule"] for one in done.report["denials"] if one["resource"].startswith("a.test")]
    assert len(rules) == 2 and rules[0] != rules[1], done.report["denials"]


def check_the_offered_flag_works(world):
    done = world.boxed("getent hosts db; curl -sS -m 20 http://api.test/; true", "--net", "api.test", "--resolve", "api.test=127.0.0.77")
    ways = {one["resource"].split(":")[0]: one["allow_with"] or "" for one in done.report["denials"]}
    assert ways == {"db": "--net db:80 --net db:443", "api.test": ""}, done.report["denials"]
    done = world.boxed("true", *ways["db"].split())
    assert done.returncode == 0, done.stderr


def check_a_flood_of_denials_is_reported(world):
    """A thousand made-up names do not hide later denials silently."""
    (world.work / "flood.py").write_text("""
import socket
for i in range(1100):
    try: socket.getaddrinfo("x%d.evil.test" % i, 443)
    except OSError: pass
""")
    done = world.boxed("python3 flood.py", *grants("a.test"))
    assert len(done.report["denials"]) == 1000, len(done.report["denials"])
    (note, ) = done.report["notes"]
    assert int(note.split()[0]) >= 100 and "more attempts were denied" in note, note


def check_where_names_lead_can_be_said(world):
    """For hosts that only a private name server knows."""
    world.names.asked.clear()
    done = world.boxed("curl -sS http://hidden.test/page", *grants("hidden.test"), "--resolve", "hidden.test=" + GOOD)
    assert SECRET in done.stdout.decode(), (done.stdout, done.stderr)
    assert "hidden.test" not in world.names.asked
    done = world.boxed("true", "--net", "a.test", "--resolve", "hidden.test")
    assert done.returncode == 125 and b"NAME=ADDRESS" in done.stderr, done


def check_the_files_that_programs_ask(world):
    done = world.boxed("cat /etc/resolv.conf; grep hosts: /etc/nsswitch.conf; echo x >> /etc/resolv.conf; ls /run/systemd/resolve /run/nscd /run/avahi-daemon",
                       *grants("a.test"))
    text = done.stdout.decode()
    assert "nameserver 127.0.0.53" in text and "127.0.0.1" not in text and "hosts: files dns" in text, text
    assert "socket" not in text and "resolv.conf: Permission denied" in done.stderr.decode(), done.stderr


def check_explain_and_why(world):
    prefix, environment = world._as_who()  # pylint: disable=protected-access
    done = run(*prefix, world.pinfold, "run", "--explain", "--net", "*.w.test", "--", "true", cwd=world.work, env=environment)
    assert done.returncode == 0 and b"*.w.test" in done.stdout, done
    done = run(*prefix, world.pinfold, "policy", "why", "--net", "*.w.test", "w.test:443", "--json", cwd=world.work, env=environment)
    text = done.stdout.decode()
    assert "not w.test itself" in text or "covers names below" in text, (done.stdout, done.stderr)
    if text.lstrip().startswith(("{", "[")):
        json.loads(text)
