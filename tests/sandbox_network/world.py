"""world.py: the host that the sandboxed programs see beyond their relay: addresses, a name server, web, ssh and plain servers.

Invariant: lives in a network namespace of its own and in one scratch directory; all of it ends with the test.
Not here: the checks.
"""
import contextlib
import json
import os
import pathlib
import pwd
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parent.parent / "approvals"))
from terminal import Terminal  # noqa: E402

GOOD, OTHER, SIX = "10.77.0.1", "10.77.0.2", "fd77::1"
PUBLIC = "11.77.0.1"  # no private address, and in this namespace the test's own
USERS = ["root", "user"] if os.geteuid() == 0 else ["user"]
ORDINARY = pwd.getpwnam("nobody").pw_uid  # ssh wants an account
# Where names lead; a list is answered in turns, one at each question.
NAMES = {
    "a.test": GOOD, "b.test": GOOD, "deep.w.test": GOOD, "very.deep.w.test": GOOD, "w.test": GOOD, "other.test": OTHER,
    "a.test.evil.test": OTHER, "nota.test": OTHER, "six.test": SIX, "loop.test": "127.0.0.1", "loop6.test": "::1",
    "meta.test": "169.254.169.254", "private.test": OTHER, "mapped.test": "::ffff:127.0.0.1", "rebind.test": [GOOD, "127.0.0.1"],
    "xn--bcher-kva.test": GOOD, "public.test": PUBLIC, "more.public.test": PUBLIC,
}
SECRET = "the canary of the test"


def run(*command, timeout=300, **more):
    return subprocess.run(command, capture_output=True, timeout=timeout, check=False, **more)


def must(*command, **more):
    done = run(*command, **more)
    assert done.returncode == 0, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout


def wait_for(address, port):
    for _ in range(1200):
        with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError("waited 60 s for a server on %s:%d" % (address, port))


class Server:
    """Calls handle(socket) in a thread for each connection; counts them."""

    def __init__(self, handle, address, port):
        self.handle = handle
        self.accepted = 0
        self.socket = socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                                           backlog=4096)
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
        with contextlib.suppress(OSError), client:
            self.handle(client)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def echo(client):
    while data := client.recv(1 << 16):
        client.sendall(data)


def greet(client):
    """Speaks first, as mail and database servers do."""
    client.sendall(SECRET.encode() + b"\n")
    client.recv(1)


def count(client):
    """Says how much it got once the other side has closed its half."""
    size = 0
    while data := client.recv(1 << 20):
        size += len(data)
    client.sendall(b"%d\n" % size)


class NameServer:
    """A and AAAA of NAMES over UDP and TCP; records its queries."""

    def __init__(self, address):
        self.asked = []
        self.turn = {}
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind((address, 53))
        threading.Thread(target=self._datagrams, daemon=True).start()
        Server(self._stream, address, 53)

    def _datagrams(self):
        while True:
            message, peer = self.udp.recvfrom(4096)
            with contextlib.suppress(Exception):
                self.udp.sendto(self.answer(message), peer)

    def _stream(self, client):
        while size := client.recv(2):
            message = client.recv(struct.unpack(">H", size)[0])
            reply = self.answer(message)
            client.sendall(struct.pack(">H", len(reply)) + reply)

    def answer(self, message):
        at, labels = 12, []
        while message[at]:
            labels.append(message[at + 1:at + 1 + message[at]].decode())
            at += message[at] + 1
        kind = struct.unpack(">H", message[at + 1:at + 3])[0]
        name = ".".join(labels).lower()
        self.asked.append(name)
        address = NAMES.get(name)
        if isinstance(address, list):
            turn = self.turn[name] = self.turn.get(name, -1) + 1
            address = address[turn // 2 % len(address)]  # A and AAAA are one turn
        record = b""
        if address and (kind == 28) == (":" in address) and kind in (1, 28):
            data = socket.inet_pton(socket.AF_INET6 if kind == 28 else socket.AF_INET, address)
            record = b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(data)) + data
        code = 0 if address else 3
        header = message[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, 1 if record else 0, 0, 0)
        return header + message[12:at + 5] + record


class World:
    def __init__(self, pinfold, backend):
        self.pinfold = pinfold
        self.backend = backend
        # What landlock lacks by nature is accepted; what of the network it lacks is checked.
        self.backend_flags = ["--backend", backend] + (["--on-unavailable", "warn"] if backend == "landlock" else [])
        self.user = USERS[0]
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="pinfold-network-", dir="/var/tmp"))
        self.base.chmod(0o755)
        self.servers = []
        self.canaries = {}

    def __enter__(self):
        must("ip", "link", "set", "lo", "up")
        for address in (GOOD + "/32", OTHER + "/32", PUBLIC + "/32", SIX + "/128"):
            must("ip", "addr", "add", address, "dev", "lo")
        (self.base / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:2\n")
        must("mount", "--bind", str(self.base / "resolv.conf"), os.path.realpath("/etc/resolv.conf"))
        self.names = NameServer("127.0.0.1")
        for port, handle in ((7000, echo), (7001, greet), (7002, count)):
            self.canaries[port] = Server(handle, GOOD, port)
        self.loopback = Server(greet, "127.0.0.1", 7001)
        self.loopback6 = Server(greet, "::1", 7001)
        self.elsewhere = Server(greet, OTHER, 7001)
        self.public = Server(greet, PUBLIC, 7001)
        self.loopback_web = Server(greet, "127.0.0.1", 443)
        self._web()
        self._ssh()
        for user in USERS:
            for place in ("home", "work"):
                folder = self.base / user / place
                folder.mkdir(parents=True)
                shutil.copy(self.base / "crt", folder / "crt")
                if user == "user" and os.geteuid() == 0 and len(USERS) == 2:
                    for path in (self.base / user, folder, folder / "crt"):
                        os.chown(path, ORDINARY, ORDINARY)
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.terminate()
            server.wait()
        shutil.rmtree(self.base, ignore_errors=True)

    def _web(self):
        must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(self.base / "key"), "-out", str(self.base / "crt"),
             "-days", "2", "-subj", "/CN=a.test", "-addext",
             "subjectAltName=DNS:a.test,DNS:b.test,DNS:six.test,DNS:*.w.test,DNS:very.deep.w.test,DNS:xn--bcher-kva.test")
        html = self.base / "html"
        html.mkdir()
        (html / "page").write_text(SECRET + "\n")
        with open(html / "large", "wb") as large:
            large.truncate(1 << 30)
        listen = "".join("listen %s:80; listen %s:443 ssl http2; " % (at, at) for at in (GOOD, PUBLIC, "[%s]" % SIX))
        (self.base / "conf").write_text("""
            daemon off; worker_processes 1; pid %(d)s/pid; error_log %(d)s/error.log; user root;
            events { worker_connections 512; }
            http {
              access_log off; client_body_temp_path %(d)s/body; proxy_temp_path %(d)s/proxy; fastcgi_temp_path %(d)s/fastcgi;
              uwsgi_temp_path %(d)s/uwsgi; scgi_temp_path %(d)s/scgi; client_max_body_size 0; sendfile on;
              server { %(listen)s ssl_certificate %(d)s/crt; ssl_certificate_key %(d)s/key; root %(d)s/html; }
            }""" % {"d": self.base, "listen": listen})
        self._start("/usr/sbin/nginx", "-c", str(self.base / "conf"), "-p", str(self.base))
        wait_for(GOOD, 443)
        wait_for(SIX, 443)

    def _ssh(self):
        """As the user of the test; the keys are the test's own."""
        folder = self.base / "ssh"
        folder.mkdir()
        for name in ("host", "client"):
            must("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name))
        shutil.copy(folder / "client.pub", folder / "authorized")
        (folder / "config").write_text("""
            ListenAddress %s:22\nHostKey %s/host\nAuthorizedKeysFile %s/authorized\nPidFile none\nStrictModes no
            UsePAM no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n""" % (GOOD, folder, folder))
        os.makedirs("/run/sshd", exist_ok=True)
        self._start("/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "config"))
        wait_for(GOOD, 22)
        must("git", "init", "-q", "--bare", str(self.base / "repo.git"))

    def _start(self, *command):
        log = open(self.base / "servers.log", "ab")  # pylint: disable=consider-using-with
        self.servers.append(subprocess.Popen(command, stdout=log, stderr=log))

    def as_user(self, user):
        self.user = user
        return self

    @property
    def work(self):
        return self.base / self.user / "work"

    def _as_who(self):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.base / self.user / "home"), "LANG": "C.UTF-8"}
        prefix = []
        if self.user == "user" and len(USERS) == 2:
            prefix = ["setpriv", "--reuid", str(ORDINARY), "--regid", str(ORDINARY), "--clear-groups"]
        return prefix, environment

    def bare(self, script, timeout=300):
        prefix, environment = self._as_who()
        return run(*prefix, "bash", "-c", script, cwd=self.work, env=environment, timeout=timeout)

    def asked(self, script, *flags):
        """With a simulated person at a terminal, who answers requests."""
        _, environment = self._as_who()
        identity = ORDINARY if self.user == "user" and len(USERS) == 2 else None
        return Terminal([self.pinfold, "run", "--ask", "terminal", *self.backend_flags, *flags, "--", "bash", "-c", script],
                        {**environment, "TERM": "dumb"}, str(self.work), identity)

    def boxed(self, script, *flags, timeout=300, wrapper=()):
        """→ the finished process, with .report. `wrapper`: a command that starts pinfold."""
        prefix, environment = self._as_who()
        report = self.work / "report.json"
        report.unlink(missing_ok=True)
        done = run(*prefix, *wrapper, self.pinfold, "run", *self.backend_flags, "--report", str(report), *flags, "--", "bash", "-c", script,
                   cwd=self.work, env=environment, timeout=timeout)
        done.report = json.loads(report.read_text()) if report.exists() else None
        return done

    def account(self):
        return pwd.getpwuid(os.geteuid()).pw_name


def grants(*names, near=(GOOD, )):
    """--net for each name, and for the private addresses that the names lead to."""
    flags = []
    for name in names:
        flags += ["--net", name]
        ports = [name.rsplit(":", 1)[1]] if ":" in name else ["80", "443"]
        for port in ports:
            for address in near:
                flags += ["--net", ("[%s]:%s" if ":" in address else "%s:%s") % (address, port)]
    return flags
