"""harness.py: what the tests of the relay share: the relay itself, DNS questions, small servers.

Invariant: only loopback; servers on 127.77.0.0/16, the relay on 127.64.0.0/10; everything ends with the test.
Not here: the tests (run).
"""
import json
import os
import queue
import random
import socket
import struct
import subprocess
import threading
import time

PATIENCE = 60  # seconds, for an event that must come on a busy machine
DNS = ("127.64.255.53", 5353)
OUTSIDE = "127.77.0.1"
A, SOA, PTR, MX, TXT, AAAA, SRV, HTTPS, ANY = 1, 6, 12, 15, 16, 28, 33, 65, 255


class Relay:
    """The driver, with options as --flag value pairs; events by wait()."""

    def __init__(self, program, *options):
        self.events = queue.Queue()
        self.seen = []
        self.process = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.wait(event="rules", error="")
        self.wait(event="ready")

    def _read(self):
        for line in self.process.stdout:
            self.events.put(json.loads(line))

    def tell(self, line, answer="rules"):
        self.process.stdin.write(line + "\n")
        return self.wait(event=answer)

    def stats(self):
        return self.tell("stats", "stats")

    def wait(self, timeout=PATIENCE, **want):
        """The next event that has these values; the others stay for later."""
        def fits(event):
            return all(event.get(key) == value for key, value in want.items())
        for event in self.seen:
            if fits(event):
                self.seen.remove(event)
                return event
        end = time.monotonic() + timeout
        while True:
            try:
                event = self.events.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError("waited %g s for an event with %s; seen %s" % (timeout, want, self.seen[-5:])) from None
            if fits(event):
                return event
            self.seen.append(event)

    def never(self, seconds=0.3, **want):
        try:
            event = self.wait(timeout=seconds, **want)
        except AssertionError:
            return
        raise AssertionError("unexpected: %s" % event)

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def memory_kib(self):
        with open("/proc/%d/status" % self.process.pid) as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def cpu_seconds(self):
        with open("/proc/%d/stat" % self.process.pid) as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rests(self, most=0.05):
        """Waits until the relay uses less than `most` seconds of a processor in one second: work that was under way is done."""
        used = []
        while len(used) < 60:
            before = self.cpu_seconds()
            time.sleep(1)
            used.append(self.cpu_seconds() - before)
            if used[-1] < most:
                return
        raise AssertionError("waited 60 s for the relay to rest: the loop spins, %s" % used[-5:])

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.write("quit\n")
        code = self.process.wait(timeout=PATIENCE)
        assert code == 0, "the relay ended with %s" % code

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
            self.process.wait()
        else:
            self.close()


def question(name, kind=A, number=None):
    number = random.randrange(65536) if number is None else number
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".") if part)
    return struct.pack(">HHHHHH", number, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)


def parse(message):
    """→ (rcode, [addresses of the answer])"""
    _, flags, _, answers, _, _ = struct.unpack(">HHHHHH", message[:12])
    at = 12
    while message[at]:
        at += message[at] + 1
    at += 5
    found = []
    for _ in range(answers):
        at += 2 if message[at] >= 0xC0 else message.index(b"\0", at) + 1 - at
        kind, _, _, size = struct.unpack(">HHIH", message[at:at + 10])
        data = message[at + 10:at + 10 + size]
        at += 10 + size
        if kind in (A, AAAA):
            found.append(socket.inet_ntop(socket.AF_INET if kind == A else socket.AF_INET6, data))
    return flags & 15, found


def ask(name, kind=A, timeout=30.0):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.settimeout(timeout)
        udp.sendto(question(name, kind), DNS)
        return parse(udp.recv(4096))


def ask_tcp(name, kind=A):
    with socket.create_connection(DNS, timeout=PATIENCE) as tcp:
        message = question(name, kind)
        for byte in struct.pack(">H", len(message)) + message:  # one by one: framing must not depend on segments
            tcp.sendall(bytes([byte]))
        size = struct.unpack(">H", exactly(tcp, 2))[0]
        return parse(exactly(tcp, size))


def exactly(sock, size):
    data = b""
    while len(data) < size:
        piece = sock.recv(size - len(data))
        if not piece:
            raise AssertionError("the stream ended after %d of %d bytes" % (len(data), size))
        data += piece
    return data


def address_of(name):
    code, found = ask(name)
    assert code == 0 and found, "%s: rcode %d, %s" % (name, code, found)
    return found[0]


def connect(name, port, timeout=PATIENCE):
    return socket.create_connection((address_of(name), port), timeout=timeout)


class Server:
    """Calls handle(socket) in a thread for each connection."""

    def __init__(self, handle, port, address=OUTSIDE, backlog=4096):
        self.handle = handle
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((address, port))
        self.socket.listen(backlog)
        self.accepted = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self._one, args=(client,), daemon=True).start()

    def _one(self, client):
        try:
            with client:
                self.handle(client)
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def echo(client):
    while data := client.recv(1 << 16):
        client.sendall(data)


def is_reset(sock):
    """Did the other side reset, rather than end in order?"""
    try:
        while sock.recv(1 << 16):
            pass
        return False
    except ConnectionResetError:
        return True


def turned_away(address, port):
    """Is a connection reset, at once or as soon as it stands?"""
    try:
        with socket.create_connection((address, port), timeout=PATIENCE) as client:
            return is_reset(client)
    except ConnectionResetError:
        return True


def refused(address, port):
    try:
        socket.create_connection((address, port), timeout=PATIENCE).close()
    except ConnectionRefusedError:
        return True
    return False
