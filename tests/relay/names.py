"""names.py: the DNS stub, and which destinations a name may lead to.

Invariant: a name that is not granted is answered at once and never asked for outside.
"""
import socket
import struct
import threading
import time

from harness import (A, AAAA, ANY, DNS, HTTPS, MX, OUTSIDE, PTR, SRV, TXT, Relay, Server, address_of, ask, ask_tcp, connect, echo,
                     exactly, is_reset, question, refused, turned_away)

NEAR = ("--near", "127.77.0.0/16")
HOST = ("--host", "a.test=" + OUTSIDE)


def test_a_granted_name_has_its_own_address(driver):
    with Relay(driver, *NEAR, *HOST, "--host", "b.test=" + OUTSIDE, "--grant", "a.test:7001", "--grant", "b.test:7001") as relay:
        first = address_of("a.test")
        assert first.startswith("127.64."), first
        assert address_of("A.Test.") == first == ask_tcp("a.test")[1][0]
        assert address_of("b.test") != first
        assert relay.stats()["names"] == 2


def test_other_names_do_not_exist_and_are_reported_once(driver):
    with Relay(driver, *NEAR, *HOST, "--grant", "a.test:7001") as relay:
        began = time.monotonic()
        for _ in range(100):
            assert ask("evil.test") == (3, [])
        assert time.monotonic() - began < 2, "a refusal must be quick"
        event = relay.wait(event="denied", name="evil.test")
        assert event["allow_with"] == "--net evil.test" and event["why"], event
        relay.never(event="denied", name="evil.test")
        assert relay.stats()["denials"] == 100
        for name in ("a.test.evil.test", "nota.test", "test", "x.a.test"):
            assert ask(name) == (3, []), name


def test_wildcards_ask_outside_for_each_name(driver):
    with Relay(driver, *NEAR, "--host", "x.w.test=" + OUTSIDE, "--grant", "*.w.test:7001", "--servers", "127.77.0.53:9",
               "--try-ms", "100", "--tries", "1") as relay:
        assert ask("x.w.test")[0] == 0
        assert ask("w.test") == (3, [])
        assert ask("y.w.test")[0] == 2, "no server answers outside: SERVFAIL, not a made-up address"
        assert relay.stats()["names"] == 1


def test_other_types_are_answered_at_once(driver):
    with Relay(driver, *NEAR, *HOST, "--grant", "a.test:7001") as relay:
        for kind in (AAAA, HTTPS, MX, TXT, ANY):
            assert ask("a.test", kind)[1] == [], kind
            assert ask("a.test", kind)[0] in (0, 4), kind
        assert ask("_ldap._tcp.a.test", SRV) == (0, [])
        assert ask("_ldap._tcp.evil.test", SRV) == (3, [])
        assert relay.wait(event="denied")["name"] == "evil.test"
        assert ask("1.0.0.127.in-addr.arpa", PTR) == (3, [])
        assert ask("localhost") == (0, ["127.0.0.1"]) and ask("localhost", AAAA) == (0, ["::1"])
        relay.never(event="denied")


def test_malformed_messages_do_no_harm(driver):
    with Relay(driver, *NEAR, *HOST, "--grant", "a.test:7001") as relay:
        good = question("a.test")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            for size in range(len(good)):
                udp.sendto(good[:size], DNS)
            udp.sendto(good[:12] + b"\xc0\x0c" + good[-4:], DNS)
            udp.sendto(b"\xff" * 4000, DNS)
            udp.sendto(good + b"x" * 2000, DNS)
        with socket.create_connection(DNS, timeout=60) as tcp:
            tcp.sendall(b"\xff\xff" + b"x" * 5000)
            try:
                assert tcp.recv(10) == b""
            except ConnectionResetError:
                pass
        streams = [socket.create_connection(DNS, timeout=60) for _ in range(200)]
        assert ask("a.test")[0] == 0 and ask_tcp("a.test")[0] == 0
        assert relay.descriptors() < 100
        for each in streams:
            each.close()


def test_many_questions_on_one_stream(driver):
    with Relay(driver, *NEAR, *HOST, "--grant", "a.test:7001"):
        with socket.create_connection(DNS, timeout=60) as tcp:
            one = question("a.test", number=7)
            tcp.sendall((struct.pack(">H", len(one)) + one) * 500)
            for _ in range(500):
                size = struct.unpack(">H", exactly(tcp, 2))[0]
                assert exactly(tcp, size)[:2] == b"\0\7"


def test_names_are_bounded(driver):
    options = [word for i in range(20) for word in ("--host", "n%d.w.test=%s" % (i, OUTSIDE))]
    with Relay(driver, *NEAR, *options, "--grant", "*.w.test:7001", "--names", "10") as relay:
        codes = [ask("n%d.w.test" % i)[0] for i in range(20)]
        assert codes == [0] * 10 + [2] * 10, codes
        assert relay.wait(event="denied")["reason"] == 5
        assert relay.stats()["listeners"] == 10


def test_a_real_resolver_outside(driver):
    """c-ares against a small server: addresses, a name without any, a server that says nothing."""
    answers = {b"\1a\3out\0": OUTSIDE, b"\1p\3out\0": "10.1.2.3", b"\1m\3out\0": "169.254.169.254"}
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.77.0.53", 5300))
    asked = []

    def serve():
        while True:
            message, peer = server.recvfrom(4096)
            end = message.index(b"\0", 12) + 1
            name, kind = message[12:end], struct.unpack(">H", message[end:end + 2])[0]
            asked.append(name)
            known = name in answers
            records = b""
            if known and kind == A:
                records = b"\xc0\x0c" + struct.pack(">HHIH", A, 1, 60, 4) + socket.inet_aton(answers[name])
            if name != b"\4slow\3out\0":
                code = 0x8180 if known else 0x8183
                server.sendto(message[:2] + struct.pack(">HHHHH", code, 1, 1 if records else 0, 0, 0) + message[12:end + 4] + records, peer)

    threading.Thread(target=serve, daemon=True).start()
    with Server(echo, 7001), Relay(driver, *NEAR, "--servers", "127.77.0.53:5300", "--grant", "*.out:7001", "--try-ms", "200",
                                   "--tries", "2") as relay:
        with connect("a.out", 7001) as client:
            client.sendall(b"hello")
            assert exactly(client, 5) == b"hello"
        count = len(asked)
        assert ask("a.out")[0] == 0 and len(asked) == count, "kept for its time to live"
        assert ask("none.out") == (3, [])
        assert ask("p.out") == (3, [])
        event = relay.wait(event="denied", name="p.out")
        assert event["address"] == "10.1.2.3" and event["allow_with"] == "--net 10.1.2.3:7001" and "private" in event["why"], event
        assert ask("m.out") == (3, [])
        assert "metadata" in relay.wait(event="denied", name="m.out")["why"]
        assert ask("evil.example") == (3, []) and not any(b"evil" in name for name in asked)
        began = time.monotonic()
        assert ask("slow.out")[0] == 2 and time.monotonic() - began < 25
        relay.rests()


def test_an_address_must_be_granted_as_such(driver):
    with Server(echo, 7001) as server, Relay(driver, *HOST, "--grant", "a.test:7001") as relay:
        assert ask("a.test") == (3, []), "it leads to loopback"
        assert "loopback" in relay.wait(event="denied", name="a.test")["why"]
        relay.tell("near 127.77.0.0/16")
        with connect("a.test", 7001) as client:
            client.sendall(b"x")
            assert exactly(client, 1) == b"x"
        assert server.accepted == 1


def test_a_granted_network_is_decided_by_the_address_connected_to(driver):
    with Relay(driver, "--address", "127.77.0.0/24:7003") as relay:
        # The listener takes all addresses.
        assert turned_away("127.78.0.1", 7003)
        event = relay.wait(event="denied")
        assert event["address"] == "127.78.0.1" and event["port"] == 7003, event


def test_localhost_reaches_the_host_by_grant(driver):
    with Server(echo, 7004, "127.0.0.1"), Relay(driver, "--grant", "localhost:7004") as relay:
        with socket.create_connection(("127.64.255.1", 7004), timeout=60) as client:
            client.sendall(b"host")
            assert exactly(client, 4) == b"host"
        assert relay.wait(event="closed")["address"] == "127.0.0.1"
        relay.tell("revoke localhost:7004")
        assert refused("127.64.255.1", 7004), "still listening"


def test_a_question_can_wait_for_a_grant(driver):
    with Server(echo, 7001), Relay(driver, *NEAR, *HOST, "--wait", "a.test", "--wait", "b.test") as relay:
        results = {}
        threads = [threading.Thread(target=lambda name=name, way=way: results.update({(name, way): way(name)}))
                   for name in ("a.test", "b.test") for way in (ask, ask_tcp)]
        for each in threads:
            each.start()
        time.sleep(0.5)
        assert relay.stats()["waiting"] == 4 and not results
        relay.tell("grant a.test:7001")
        relay.tell("refuse b.test")
        for each in threads:
            each.join(5)
        assert results[("a.test", ask)] == results[("a.test", ask_tcp)] and results[("a.test", ask)][0] == 0, results
        assert results[("b.test", ask)] == results[("b.test", ask_tcp)] == (3, []), results
        assert relay.stats()["waiting"] == 0


def test_rules_change_while_running(driver):
    with Server(echo, 7001), Server(echo, 7005), Relay(driver, *NEAR, *HOST, "--grant", "a.test:7001") as relay:
        address = address_of("a.test")
        client = socket.create_connection((address, 7001), timeout=60)
        client.sendall(b"one")
        assert exactly(client, 3) == b"one"
        relay.tell("grant a.test:7005")
        other = socket.create_connection((address, 7005), timeout=60)
        other.sendall(b"two")
        assert exactly(other, 3) == b"two"
        relay.tell("revoke a.test:7001")
        assert is_reset(client)
        assert relay.wait(event="closed")["end"] == "its grant was removed"
        other.sendall(b"still")
        assert exactly(other, 5) == b"still"
        assert refused(address, 7001), "still listening"
        relay.tell("grant a.test:7001")
        assert address_of("a.test") == address, "an address is a name's own for the whole run"
        other.close()
        client.close()
