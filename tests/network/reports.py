"""reports.py: what is told afterwards, and how the network by name meets the rest of Pinfold."""
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


def check_a_flood_of_denials_is_told(world):
    """A thousand made-up names do not hide what comes after them in silence."""
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


def check_a_backend_that_cannot_refuses(world):
    prefix, environment = world._as_who()  # pylint: disable=protected-access
    done = run(*prefix, world.pinfold, "run", "--backend", "landlock", "--net", "a.test", "--on-unavailable", "warn", "--", "echo", "it ran",
               cwd=world.work, env=environment)
    assert done.returncode == 125 and b"it ran" not in done.stdout and b"network namespace" in done.stderr, done


def check_explain_and_why(world):
    prefix, environment = world._as_who()  # pylint: disable=protected-access
    done = run(*prefix, world.pinfold, "run", "--explain", "--net", "*.w.test", "--", "true", cwd=world.work, env=environment)
    assert done.returncode == 0 and b"*.w.test" in done.stdout, done
    done = run(*prefix, world.pinfold, "policy", "why", "--net", "*.w.test", "w.test:443", "--json", cwd=world.work, env=environment)
    text = done.stdout.decode()
    assert "not w.test itself" in text or "covers names below" in text, (done.stdout, done.stderr)
    if text.lstrip().startswith(("{", "[")):
        json.loads(text)
