"""confinement.py: attempts that must fail: rows 20 and 22 to 26 of the confinement table, where names are granted.

Invariant: each attempt reaches its canary bare first, and the canary's own count is looked at afterwards.
"""
import contextlib
import os
import socket
import threading
import time

from world import GOOD, OTHER, SECRET, Server, grants, greet, must

WEB = grants("a.test")
TRY = "timeout 10 bash -c 'exec 3<>/dev/tcp/%s/%d; head -n 1 <&3'"


def reach(host, port):
    return TRY % (host, port)


def denied(world, script, *flags, canary=None, want=SECRET):
    """The script reaches its canary bare, and nothing boxed. → the boxed run"""
    bare = world.bare(script)
    assert want in bare.stdout.decode(), ("bare", script, bare)
    before = canary.accepted if canary else 0
    done = world.boxed(script, *flags)
    assert want not in done.stdout.decode(), ("reached", script, flags, done.stdout)
    assert canary is None or canary.accepted == before, (script, "its canary was connected to")
    return done


def expect_denial(done, **want):
    """Some denial has these values."""
    for denial in done.report["denials"]:
        if all(denial.get(key) == value or (callable(value) and value(denial.get(key) or "")) for key, value in want.items()):
            return denial
    raise AssertionError("no denial with %s: %s" % (want, done.report["denials"]))


def check_raw_addresses(world):
    done = denied(world, reach(OTHER, 7001), *WEB, canary=world.elsewhere)
    expect_denial(done, operation="connect", resource=OTHER + ":7001", address=OTHER, port=7001)
    denied(world, "curl -sS http://%s/page" % GOOD, "--net", "b.test")
    denied(world, reach("::ffff:" + OTHER, 7001), *WEB, canary=world.elsewhere)
    # A range ends where it ends; a granted address is granted with its port alone.
    denied(world, reach(OTHER, 7001), "--net", "10.77.0.0/31:7001", canary=world.elsewhere)
    denied(world, reach(OTHER, 7001), "--net", "10.0.0.0/8:7001", "--net", "!10.77.0.2", canary=world.elsewhere)
    denied(world, reach(GOOD, 7001), "--net", GOOD + ":80", canary=world.canaries[7001])


def check_names_that_are_not_granted(world):
    for name in ("other.test", "a.test.evil.test", "nota.test"):
        done = denied(world, reach(name, 7001), *WEB, canary=world.elsewhere)
        expect_denial(done, operation="connect", host=name, source="observed", allow_with=lambda flag, name=name: "--net " + name in flag)
    # The apex is not below itself, and a denial inside a wildcard holds.
    done = denied(world, "curl -sS http://w.test/page", *grants("*.w.test"))
    expect_denial(done, host="w.test", rule=lambda rule: "not w.test itself" in rule)
    done = denied(world, "curl -sS http://deep.w.test/page", *grants("*.w.test"), "--net", "!deep.w.test")
    expect_denial(done, host="deep.w.test", rule=lambda rule: "!deep.w.test" in rule)


def check_ports_that_are_not_granted(world):
    done = denied(world, reach("a.test", 7001), *WEB, canary=world.canaries[7001])
    expect_denial(done, host="a.test", port=7001, operation="connect", allow_with=lambda flag: "--net a.test:7001" in flag,
         rule=lambda rule: "port 7001 is not among" in rule, program=lambda name: name == "bash")


def check_granted_names_that_lead_elsewhere(world):
    """Loopback, link-local, metadata, private: refused unless that address is granted as such."""
    for name, canary in (("loop.test", world.loopback), ("loop6.test", world.loopback6), ("mapped.test", None),
                         ("private.test", world.elsewhere)):
        done = denied(world, reach(name, 7001), "--net", name + ":7001", canary=canary)
        expect_denial(done, host=name, rule=lambda rule: "that no rule grants" in rule)
    with contextlib.ExitStack() as stack:
        must("ip", "addr", "add", "169.254.169.254/32", "dev", "lo")
        stack.callback(must, "ip", "addr", "del", "169.254.169.254/32", "dev", "lo")
        canary = Server(greet, "169.254.169.254", 7001)
        done = denied(world, reach("meta.test", 7001), "--net", "meta.test:7001", canary=canary)
        expect_denial(done, host="meta.test", address="169.254.169.254")
        canary.close()


def check_a_name_that_leads_elsewhere_the_second_time(world):
    """Each question to the outer server is answered with the good address and then with the host's loopback."""
    before = world.loopback_web.accepted
    for _ in range(6):
        world.boxed("for i in 1 2 3 4; do curl -sS -m 5 -k -o /dev/null https://rebind.test/page; done", *grants("rebind.test"))
    assert world.loopback_web.accepted == before, "the host's loopback was reached"


def check_other_names_on_a_granted_address(world):
    done = denied(world, "curl -sS -k --resolve b.test:443:$(getent ahosts a.test | grep -v : | head -n 1 | cut -d' ' -f1) https://b.test/page", *WEB)
    expect_denial(done, host="a.test", port=443, rule=lambda rule: "b.test" in rule)
    done = denied(world, "curl -sS -H 'Host: b.test' http://a.test/page", *WEB)
    expect_denial(done, host="a.test", port=80, rule=lambda rule: "b.test" in rule)
    # Without a name at all, and with the name hidden behind something that is no TLS.
    denied(world, "curl -sS -k https://$(getent ahosts a.test | grep -v : | head -n 1 | cut -d' ' -f1)/page", *WEB)
    denied(world, "curl -sS --http1.0 -H 'Host:' http://a.test/page", *WEB)


def check_dns_carries_nothing_out(world):
    """Neither through the stub nor around it, over UDP and TCP."""
    script = """python3 - <<'END'
import socket, struct
message = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + b"\\x06secret\\x06%s\\x04test\\0" + struct.pack(">HH", 1, 1)
for server in ("127.0.0.1", "%s", "8.8.8.8"):
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        try:
            s = socket.socket(socket.AF_INET, kind); s.settimeout(3); s.connect((server, 53))
            s.send(struct.pack(">H", len(message)) + message if kind == socket.SOCK_STREAM else message); s.recv(512)
        except OSError:
            pass
END
getent hosts $(printf 'x%%.0s' $(seq 60)).secret.%s.test; true"""
    for who in ("bare", "boxed"):
        word = "tunnel" if who == "bare" else "hidden"
        text = script % (word, GOOD, word)
        world.names.asked.clear()
        (world.bare(text) if who == "bare" else world.boxed(text, *WEB))
        seen = [name for name in world.names.asked if word in name]
        assert (who == "bare") == bool(seen), (who, world.names.asked)


def check_malformed_questions_do_no_harm(world):
    """Huge, truncated, looping, and at random; then the stub still answers."""
    (world.work / "fuzz.py").write_text("""
import os, socket, struct
server = ("127.0.0.53", 53)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
head = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0)
for message in [b"", b"x", head, head + b"\\xc0\\x0c\\0\\1\\0\\1", head + b"\\x3f" + b"a" * 20, head + b"\\x01a" * 200 + b"\\0\\0\\1\\0\\1",
                os.urandom(4000), *[os.urandom(i) for i in range(1, 200)]]:
    s.sendto(message, server)
for message in [b"\\xff\\xff", b"\\0\\0", struct.pack(">H", 3) + b"abc", os.urandom(3000)]:
    t = socket.create_connection(server); t.sendall(message); t.close()
""")
    done = world.boxed("python3 fuzz.py; getent ahosts a.test", *WEB)
    assert "198.18." in done.stdout.decode(), (done.stdout, done.stderr)


def check_the_hosts_own_loopback(world):
    denied(world, reach("127.0.0.1", 7001), *WEB, canary=world.loopback)
    denied(world, reach("localhost", 7001), *WEB, canary=world.loopback)
    denied(world, reach("::1", 7001), *WEB, canary=world.loopback6)
    denied(world, reach("0.0.0.0", 7001), *WEB, canary=world.loopback)
    denied(world, "curl -sS http://127.0.0.1:7001/ --http0.9", "--net", "localhost:7000", canary=world.loopback)


def check_nothing_listens_on_the_host(world):
    """While it runs: neither the relay's own sockets nor those of the sandbox can be reached from outside."""
    def listening():
        lines = []
        for path in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(path, encoding="ascii") as table:
                lines += [line.split()[1] for line in table if line.split()[3] == "0A"]
        return sorted(lines)
    before = listening()
    seen = []

    def look():
        end = time.monotonic() + 120
        while not (world.work / "listening").exists() and time.monotonic() < end:
            time.sleep(0.02)
        seen.append(listening())
        for address in ("198.18.1.0", "127.0.0.53", "127.0.0.1"):
            with contextlib.suppress(OSError), socket.create_connection((address, 8123), timeout=1):
                seen.append(address)
        (world.work / "looked").touch()
    looker = threading.Thread(target=look)
    looker.start()
    done = world.boxed("getent hosts a.test; python3 -c \"import os, socket, time; s = socket.create_server(('0.0.0.0', 8123)); open('listening', 'w'); "
                       "[time.sleep(0.02) for _ in iter(lambda: os.path.exists('looked'), True)]\"", *WEB)
    looker.join()
    for name in ("listening", "looked"):
        (world.work / name).unlink(missing_ok=True)
    assert done.returncode == 0, done.stderr
    assert seen == [before], (before, seen)


def check_an_empty_list_is_none(world):
    (world.work / "pinfold.toml").write_text("network = []\n")
    must("chown", "--reference=%s" % world.work, str(world.work / "pinfold.toml"))
    try:
        denied(world, reach("a.test", 7001), canary=world.canaries[7001])
        denied(world, reach(GOOD, 7001), canary=world.canaries[7001])
    finally:
        os.unlink(world.work / "pinfold.toml")


def check_malformed_rules_are_refused(world):
    for rule in ("127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "fe80::1%lo:80", "evil\n.a.test", "a.test\r\nx", "a" * 300, "a..test", "-a.test",
                 "*", "*.*.test", "a.*.test", "a.test:0", "a.test:65536", "a.test:http", "https://a.test/", "a.test/x", "0.0.0.0/0", "198.18.0.1",
                 "xn--a.test", "a test", "[::]:80", "!"):
        done = world.boxed("echo it ran", "--net", rule)
        assert done.returncode == 125 and b"it ran" not in done.stdout and done.stderr, (rule, done)


def check_few_descriptors_are_enough(world):
    """64 open files are enough for one name and one connection: nothing is reported as denied that no rule denies."""
    done = world.boxed("curl -sS http://a.test/page", *WEB, wrapper=("prlimit", "--nofile=64"))
    if world.backend == "bubblewrap":  # which takes a descriptor for each file that a mask hides
        assert done.returncode == 125 and b"this process may have 64" in done.stderr and not done.report["denials"], done
        return
    assert SECRET in done.stdout.decode() and not done.report["denials"], (done.stdout, done.stderr, done.report["denials"])


def check_many_and_slow_connections(world):
    """Hundreds at once, half of them half closed, twice over. (Thousands: tests/relay.)"""
    (world.work / "crowd.py").write_text("""
import resource, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
for turn in range(2):
    crowd = []
    for i in range(400):
        s = socket.create_connection(("a.test", 7000)); s.sendall(b"x"); crowd.append(s)
    for i, s in enumerate(crowd):
        assert s.recv(1) == b"x"
        if i % 2: s.shutdown(socket.SHUT_WR)
    for s in crowd: s.close()
print("all answered")
""")
    done = world.boxed("python3 crowd.py", *grants("a.test:7000"), timeout=200)
    assert b"all answered" in done.stdout, (done.stdout, done.stderr[-800:])
    assert len(done.report["connections"]) == 800, len(done.report["connections"])
