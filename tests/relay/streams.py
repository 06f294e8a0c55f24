"""streams.py: the relay does not change the bytes of a connection, in both directions, at any speed.

Invariant: ends, half-closes and resets arrive unchanged.
"""
import hashlib
import os
import socket
import struct
import threading
import time

from harness import OUTSIDE, Relay, Server, address_of, connect, echo, exactly, is_reset, turned_away

NEAR = ("--near", "127.77.0.0/16")
HOST = ("--host", "a.test=" + OUTSIDE, "--grant", "a.test:7001")
BLOCK = os.urandom(1 << 20)
GIB = 1 << 30


def reset(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def pour(sock, size):
    for _ in range(size // len(BLOCK)):
        sock.sendall(BLOCK)
    sock.shutdown(socket.SHUT_WR)


def drain(sock, buffer=bytearray(1 << 20)):
    total = 0
    while count := sock.recv_into(buffer):
        total += count
    return total


def both_ways(driver, size, *options):
    got = {}
    served = threading.Event()

    def serve(client):
        writer = threading.Thread(target=pour, args=(client, size))
        writer.start()
        got["up"] = drain(client, bytearray(1 << 20))
        writer.join()
        served.set()

    with Server(serve, 7001), Relay(driver, *NEAR, *HOST, *options) as relay:
        with connect("a.test", 7001, timeout=120) as client:
            writer = threading.Thread(target=pour, args=(client, size))
            writer.start()
            got["down"] = drain(client)
            writer.join()
        event = relay.wait(event="closed", timeout=120)
        assert served.wait(30)
        assert got == {"up": size, "down": size}, got
        assert (event["up"], event["down"], event["end"]) == (size, size, "finished"), event
        assert event["address"] == OUTSIDE and event["name"] == "a.test", event
        stats = relay.stats()
        assert stats["up"] == stats["down"] == size and stats["connections"] == 0 and stats["pipes"] <= 4, stats


def test_a_gibibyte_both_ways_at_once(driver):
    both_ways(driver, GIB)


def test_the_same_without_pipes(driver):
    both_ways(driver, 128 << 20, "--pipes", "0")


def checked_echo(driver, *options):
    with Server(echo, 7001), Relay(driver, *NEAR, *HOST, *options):
        with connect("a.test", 7001) as client:
            sent, received = hashlib.sha256(), hashlib.sha256()

            def write():
                for i in range(300):
                    piece = os.urandom(1 + i * 517 % 90_001)
                    sent.update(piece)
                    client.sendall(piece)
                client.shutdown(socket.SHUT_WR)

            writer = threading.Thread(target=write)
            writer.start()
            while data := client.recv(10_000):
                received.update(data)
            writer.join()
            assert sent.digest() == received.digest()


def test_bytes_arrive_as_they_were(driver):
    checked_echo(driver)


def test_bytes_arrive_as_they_were_without_pipes(driver):
    checked_echo(driver, "--pipes", "0")


def test_short_messages_are_not_held_up(driver):
    """A read that got less than it could has read all, unless the end or urgent data is behind it."""
    with Server(echo, 7001), Relay(driver, *NEAR, *HOST):
        with connect("a.test", 7001) as client:
            client.sendall(b"x" * 1000)
            assert exactly(client, 1000)
            for size in (1, 16383, 16384, 16385, 40_000, 1):
                client.sendall(b"y" * size)
                assert exactly(client, size)
        for _ in range(50):  # all of it is there before the relay reads: it is still connecting
            with connect("a.test", 7001) as client:
                client.sendall(b"before")
                client.send(b"!", socket.MSG_OOB)
                client.sendall(b"after")
                assert exactly(client, 11) == b"beforeafter"
            with connect("a.test", 7001) as client:
                client.sendall(b"last")
                client.shutdown(socket.SHUT_WR)
                assert exactly(client, 4) == b"last" and client.recv(1) == b""


def test_half_close_is_kept(driver):
    def serve(client):
        data = b""
        while piece := client.recv(1000):
            data += piece
        time.sleep(0.3)
        client.sendall(b"you said %d bytes" % len(data))

    with Server(serve, 7001), Relay(driver, *NEAR, *HOST) as relay:
        with connect("a.test", 7001) as client:
            client.sendall(b"x" * 5000)
            client.shutdown(socket.SHUT_WR)
            assert client.recv(100) == b"you said 5000 bytes" and client.recv(1) == b""
        assert relay.wait(event="closed")["end"] == "finished"


def test_the_server_may_close_first(driver):
    done = threading.Event()

    def serve(client):
        client.sendall(b"bye")
        client.shutdown(socket.SHUT_WR)
        assert exactly(client, 4) == b"more"
        done.set()

    with Server(serve, 7001), Relay(driver, *NEAR, *HOST):
        with connect("a.test", 7001) as client:
            assert exactly(client, 3) == b"bye" and client.recv(1) == b""
            time.sleep(0.2)
            client.sendall(b"more")
            assert done.wait(5)


def test_a_server_that_speaks_first_is_not_held_up(driver):
    def serve(client):
        client.sendall(b"220 ready\r\n")
        echo(client)

    for port in (22, 25, 80, 443):
        with Server(serve, port), Relay(driver, *NEAR, *HOST, "--grant", "a.test:%d" % port):
            began = time.monotonic()
            with connect("a.test", port) as client:
                assert exactly(client, 11) == b"220 ready\r\n"
                assert time.monotonic() - began < 1


def test_resets_are_passed_on(driver):
    seen = []
    event = threading.Event()

    def serve(client):
        order = exactly(client, 1)
        if order == b"r":
            return reset(client)
        try:
            client.recv(10)
            seen.append("end")
        except ConnectionResetError:
            seen.append("reset")
        event.set()

    with Server(serve, 7001), Relay(driver, *NEAR, *HOST) as relay:
        with connect("a.test", 7001) as client:
            client.sendall(b"r")
            assert is_reset(client)
        assert relay.wait(event="closed")["end"] == "reset by the other side"
        client = connect("a.test", 7001)
        client.sendall(b"w")
        time.sleep(0.2)
        reset(client)
        assert event.wait(5) and seen == ["reset"], seen
        assert relay.wait(event="closed")["end"] == "reset by the program"
        # Also after one side has ended, and while the other is slow.
        client = connect("a.test", 7001)
        client.sendall(b"w")
        client.shutdown(socket.SHUT_WR)
        time.sleep(0.2)
        client.close()
        assert relay.wait(event="closed")


def test_slow_readers_hold_back_the_writer_and_cost_nothing(driver):
    sent = [0]

    def serve(client):
        while True:
            sent[0] += client.send(BLOCK)

    with Server(serve, 7001), Relay(driver, *NEAR, *HOST) as relay:
        with connect("a.test", 7001) as client:
            while sent[0] == 0:
                time.sleep(0.05)
            relay.rests()
            before = sent[0]
            time.sleep(1)
            assert sent[0] - before < len(BLOCK) and sent[0] < 64 << 20, sent
            assert relay.memory_kib() < 32 << 10
            total = 0
            while total < sent[0]:
                total += len(client.recv(1 << 16))
        relay.wait(event="closed")


def test_a_server_that_is_done_while_the_client_is_slow_does_not_spin(driver):
    def serve(client):
        client.sendall(BLOCK[:600_000])

    with Server(serve, 7001), Relay(driver, *NEAR, *HOST) as relay:
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect((address_of("a.test"), 7001))
        client.shutdown(socket.SHUT_WR)
        relay.rests()
        assert drain(client) == 600_000
        client.close()
        assert relay.wait(event="closed")["end"] == "finished"


def test_idle_connections_end(driver):
    with Server(echo, 7001), Relay(driver, *NEAR, *HOST, "--idle-ms", "4000", "--half-idle-ms", "4000") as relay:
        with connect("a.test", 7001) as idle, connect("a.test", 7001) as busy:
            for _ in range(16):
                busy.sendall(b"x")
                assert exactly(busy, 1) == b"x"
                time.sleep(0.3)
            assert is_reset(idle)
            assert relay.wait(event="closed")["end"] == "idle for too long"
            busy.sendall(b"x")
            assert exactly(busy, 1) == b"x"


def test_a_server_that_is_not_there(driver):
    with Relay(driver, *NEAR, *HOST, "--connect-ms", "500", "--host", "void.test=127.77.0.77", "--grant", "void.test:7006") as relay:
        assert turned_away(address_of("a.test"), 7001)
        assert relay.wait(event="closed")["end"] == "could not be reached"
        # A listener whose queue is full answers nothing.
        full = socket.socket()
        full.bind(("127.77.0.77", 7006))
        full.listen(0)
        stuck = []
        for _ in range(3):
            each = socket.socket()
            each.setblocking(False)
            each.connect_ex(("127.77.0.77", 7006))
            stuck.append(each)
        time.sleep(0.1)
        began = time.monotonic()
        with connect("void.test", 7006) as client:
            assert is_reset(client)
        assert 0.4 < time.monotonic() - began < 30
        assert relay.wait(event="closed")["end"] == "could not be reached"


def test_the_next_address_is_tried(driver):
    with Server(echo, 7001, "127.77.0.3"):
        with Relay(driver, *NEAR, "--host", "m.test=127.77.0.2,127.77.0.3,10.0.0.1", "--grant", "m.test:7001") as relay:
            with connect("m.test", 7001) as client:
                client.sendall(b"x")
                assert exactly(client, 1) == b"x"
            assert relay.wait(event="closed")["address"] == "127.77.0.3"
