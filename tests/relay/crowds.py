"""crowds.py: many connections at once; nothing leaks, nothing grows without bound.

Invariant: what a crowd took is given back when it is gone.
"""
import contextlib
import resource
import select
import socket
import threading
import time

from harness import OUTSIDE, Relay, address_of, exactly, turned_away

NEAR = ("--near", "127.77.0.0/16")
HOST = ("--host", "a.test=" + OUTSIDE, "--grant", "a.test:7001")


class Echoes:
    """An echo server for thousands of clients: one thread, no thread per client."""

    def __init__(self, port, address=OUTSIDE):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((address, port))
        self.listener.listen(4096)
        self.listener.setblocking(False)
        self.poll = select.epoll()
        self.poll.register(self.listener, select.EPOLLIN)
        self.clients = {}
        self.stopped = False
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self):
        while not self.stopped:
            for fd, _ in self.poll.poll(0.2):
                if fd == self.listener.fileno():
                    try:
                        while True:
                            client, _ = self.listener.accept()
                            self.clients[client.fileno()] = client
                            self.poll.register(client, select.EPOLLIN)
                    except OSError:
                        continue
                try:
                    data = self.clients[fd].recv(1 << 14)
                    if data:
                        self.clients[fd].sendall(data)
                except OSError:
                    data = b""
                if not data:
                    self.poll.unregister(fd)
                    self.clients.pop(fd).close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopped = True
        self.thread.join()
        self.listener.close()
        for each in self.clients.values():
            each.close()
        self.poll.close()


def most_descriptors():
    """As many as the hard limit allows, and root may have more."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(hard, 65536), max(hard, 65536)))
        return max(hard, 65536)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def crowd(address, count):
    clients = []
    for _ in range(count):
        clients.append(socket.create_connection((address, 7001), timeout=120))
    return clients


def talk(clients, word):
    for each in clients:
        each.sendall(word)
    for each in clients:
        assert exactly(each, len(word)) == word


def test_thousands_of_connections_leak_nothing(driver):
    """10,000 where the hard limit of descriptors lets this process and the relay have two each; it says how many."""
    hard = most_descriptors()
    with Echoes(7001), Relay(driver, *NEAR, *HOST, "--quiet", "yes") as relay:
        count = min(relay.stats()["most"], (hard - 300) // 2)
        assert 4_000 <= count <= 10_000, "RLIMIT_NOFILE is too low here: %d" % hard
        address = address_of("a.test")
        talk(crowd(address, 50), b"warm")
        deadline = time.monotonic() + 60
        while relay.stats()["connections"] and time.monotonic() < deadline:
            time.sleep(0.1)
        descriptors, memory = relay.descriptors(), relay.memory_kib()
        peak = 0
        for _ in range(2):
            clients = crowd(address, count)
            talk(clients, b"hello")
            assert relay.stats()["connections"] == count
            peak = relay.memory_kib()
            relay.rests(0.2)
            talk(clients, b"again")
            for each in clients:
                each.close()
            deadline = time.monotonic() + 60
            while relay.stats()["connections"] and time.monotonic() < deadline:
                time.sleep(0.2)
            assert relay.stats()["connections"] == 0
        assert relay.descriptors() <= descriptors + 32, (descriptors, relay.descriptors())
        assert peak - memory < count * 8, "more than 8 KiB for one connection: %d KiB for %d" % (peak - memory, count)
        print("        %d connections, %.1f KiB each" % (count, (peak - memory) / count))


def test_too_many_are_turned_away_at_once(driver):
    with Echoes(7001), Relay(driver, *NEAR, *HOST, "--most", "20") as relay:
        clients = crowd(address_of("a.test"), 20)
        talk(clients, b"in")
        assert turned_away(address_of("a.test"), 7001)
        event = relay.wait(event="denied")
        assert event["reason"] == 5 and "20 connections" in event["why"], event
        clients.pop().close()
        relay.wait(event="closed")
        talk(crowd(address_of("a.test"), 1), b"room again")


def test_few_descriptors_are_enough(driver):
    most_descriptors()
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    try:
        relay = Relay(driver, *NEAR, *HOST, "--quiet", "yes")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    with Echoes(7001), relay:
        address = address_of("a.test")
        clients = []
        for _ in range(400):
            try:
                clients += crowd(address, 1)
            except ConnectionResetError:
                pass
        deadline = time.monotonic() + 60
        while relay.stats()["turned_away"] <= 200 and time.monotonic() < deadline:
            time.sleep(0.1)
        stats = relay.stats()
        assert 30 < stats["connections"] < 128 and stats["turned_away"] > 200, stats
        relay.rests(0.2)
        for each in clients:
            each.close()
        time.sleep(0.5)
        talk(crowd(address, 5), b"after")
