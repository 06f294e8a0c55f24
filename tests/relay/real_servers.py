"""real_servers.py: nginx, sshd and OpenSSL behind the relay, with curl, ssh and Python as clients.

Invariant: each server runs in a scratch directory on an address of 127.77.0.0/16 and ends with its test.
"""
import contextlib
import hashlib
import os
import pathlib
import socket
import ssl
import subprocess
import tempfile
import time

from harness import OUTSIDE, Relay, address_of, connect, exactly, is_reset

NEAR = ("--near", "127.77.0.0/16")
HOST = ("--host", "a.test=" + OUTSIDE)
WEB = (*NEAR, *HOST, "--grant", "a.test:80", "--grant", "a.test:443")


@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="pinfold-net-") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, timeout=300, check=False, **more)


def wait_for(address, port):
    for _ in range(1200):
        with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError("waited 60 s for a server on %s:%d" % (address, port))


@contextlib.contextmanager
def nginx():
    with scratch() as folder:
        made = run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(folder / "key"), "-out", str(folder / "crt"),
                   "-days", "2", "-subj", "/CN=a.test", "-addext", "subjectAltName=DNS:a.test,DNS:b.test")
        assert made.returncode == 0, made.stderr
        (folder / "html").mkdir()
        (folder / "html" / "small").write_text("a page\n")
        (folder / "html" / "large").write_bytes(os.urandom(1 << 16) * 512)
        (folder / "conf").write_text("""
            daemon off; worker_processes 1; pid %(d)s/pid; error_log %(d)s/error.log; user root;
            events { worker_connections 512; }
            http {
              access_log off; client_body_temp_path %(d)s/body; proxy_temp_path %(d)s/proxy; fastcgi_temp_path %(d)s/fastcgi;
              uwsgi_temp_path %(d)s/uwsgi; scgi_temp_path %(d)s/scgi; client_max_body_size 0;
              server { listen %(a)s:80; listen %(a)s:443 ssl http2; ssl_certificate %(d)s/crt; ssl_certificate_key %(d)s/key;
                       root %(d)s/html; }
            }""" % {"d": folder, "a": OUTSIDE})
        server = subprocess.Popen(["/usr/sbin/nginx", "-c", str(folder / "conf"), "-p", str(folder)], stderr=subprocess.PIPE)
        try:
            wait_for(OUTSIDE, 443)
            yield folder
        finally:
            server.terminate()
            server.wait()


def curl(folder, url, *more):
    """curl that knows the relay's address of a.test, as a program inside would from DNS."""
    here = [word for port in (80, 443) for word in ("--resolve", "a.test:%d:%s" % (port, address_of("a.test")))]
    return run("curl", "-sS", "--max-time", "30", "--cacert", str(folder / "crt"), *here, *more, url)


def test_web_pages_over_http_and_tls(driver):
    with nginx() as folder, Relay(driver, *WEB) as relay:
        for url in ("http://a.test/small", "https://a.test/small"):
            for more in ([], ["--http1.1"], ["--tls-max", "1.2"]):
                got = curl(folder, url, *more)
                assert got.stdout == b"a page\n", (url, more, got)
        want = hashlib.sha256((folder / "html" / "large").read_bytes()).digest()
        for url in ("http://a.test/large", "https://a.test/large"):
            assert hashlib.sha256(curl(folder, url).stdout).digest() == want, url
        event = relay.wait(event="closed", port=443)
        assert event["end"] == "finished" and event["down"] > 0 and event["up"] > 0, event


def test_tls_for_another_name_is_refused(driver):
    with nginx() as folder, Relay(driver, *WEB) as relay:
        address = address_of("a.test")
        got = run("curl", "-sS", "-k", "--resolve", "b.test:443:" + address, "https://b.test/small")
        assert got.returncode in (35, 56) and not got.stdout, got
        event = relay.wait(event="denied")
        assert "b.test" in event["why"] and event["name"] == "a.test" and event["port"] == 443 and event["address"] == OUTSIDE, event
        assert relay.wait(event="closed")["end"] == "denied"
        # No name at all.
        got = run("curl", "-sS", "-k", "https://%s/small" % address)
        assert got.returncode in (35, 56), got
        assert "no SNI" in relay.wait(event="denied")["why"]
        # Case is no difference.
        context = ssl.create_default_context(cafile=str(folder / "crt"))
        with context.wrap_socket(socket.create_connection((address, 443)), server_hostname="A.TEST") as client:
            assert client.version()


def test_http_for_another_name_is_refused(driver):
    with nginx() as folder, Relay(driver, *WEB) as relay:
        got = curl(folder, "http://a.test/small", "-H", "Host: b.test")
        assert got.returncode in (52, 56) and not got.stdout, got
        assert "b.test" in relay.wait(event="denied")["why"]
        got = curl(folder, "http://a.test/small", "--http2-prior-knowledge")
        assert got.returncode != 0 and not got.stdout, got
        assert "HTTP/2" in relay.wait(event="denied")["why"]
        for evil in (b"GET / HTTP/1.0\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n", b"\x80\x2e\x01\x03\x01",
                     b"hello\r\n\r\n", b"GET http://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"):
            with connect("a.test", 80) as client:
                client.sendall(evil)
                assert is_reset(client), evil
            relay.wait(event="closed", end="denied")
        with connect("a.test", 443) as client:
            client.sendall(b"GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n")
            assert is_reset(client)


def test_a_hello_in_pieces(driver):
    """Byte by byte, over TLS records of a few bytes, and one that never ends."""
    context = ssl.create_default_context()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname="a.test")
    with contextlib.suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    record = outgoing.read()
    body = record[5:]
    small = b"".join(record[:3] + len(body[at:at + 50]).to_bytes(2, "big") + body[at:at + 50] for at in range(0, len(body), 50))
    with nginx(), Relay(driver, *WEB) as relay:
        for pieces in ([record[:40], record[40:200], record[200:]], [record[:1], record[1:6], record[6:]], [small]):
            with connect("a.test", 443) as client:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for piece in pieces:
                    client.sendall(piece)
                    time.sleep(0.05)
                assert exactly(client, 1) in (b"\x16", b"\x15"), "the server's answer"
        # The name is checked also when it comes last.
        evil = record.replace(b"a.test", b"b.test")
        with connect("a.test", 443) as client:
            client.sendall(evil[:100])
            time.sleep(0.1)
            client.sendall(evil[100:])
            assert is_reset(client)
        assert "b.test" in relay.wait(event="denied")["why"]
        with connect("a.test", 443) as client:
            client.sendall(record[:100])
            client.shutdown(socket.SHUT_WR)
            assert is_reset(client)
        assert "not complete" in relay.wait(event="denied")["why"]
        # Drips are not listened to for ever.
        with connect("a.test", 443) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with contextlib.suppress(OSError):
                for byte in b"\x16\x03\x01\x40\x00\x01\x00\x3f\xfc" + b"\3\3" + bytes(2000):
                    client.sendall(bytes([byte]))
                    time.sleep(0.0005)
                    if relay.process.poll() is not None:
                        break
            assert "denied" in relay.wait(event="closed", end="denied", timeout=30)["end"]


def test_uploads(driver):
    """OpenSSL's own server as the sink: 64 MiB through TLS."""
    with scratch() as folder, Relay(driver, *WEB, "--grant", "a.test:4433") as relay:
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(folder / "key"), "-out", str(folder / "crt"), "-days", "2",
            "-subj", "/CN=a.test", "-addext", "subjectAltName=DNS:a.test")
        with open(folder / "got", "wb") as sink:
            server = subprocess.Popen(["openssl", "s_server", "-quiet", "-naccept", "2", "-accept", OUTSIDE + ":4433", "-key", str(folder / "key"),
                                       "-cert", str(folder / "crt")], stdout=sink, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
            wait_for(OUTSIDE, 4433)
            data = os.urandom(1 << 20) * 64
            context = ssl.create_default_context(cafile=str(folder / "crt"))
            with context.wrap_socket(connect("a.test", 4433), server_hostname="a.test") as client:
                client.sendall(data)
                client.unwrap().close()
            relay.wait(event="closed")
            server.wait(timeout=120)
        assert hashlib.sha256((folder / "got").read_bytes()).digest() == hashlib.sha256(data).digest()


def test_ssh_on_its_port_and_on_443(driver):
    with scratch() as folder:
        for key in ("host", "mine"):
            assert run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)).returncode == 0
        (folder / "authorized").write_text((folder / "mine.pub").read_text())
        (folder / "conf").write_text("HostKey %(d)s/host\nAuthorizedKeysFile %(d)s/authorized\nStrictModes no\nUsePAM no\nPidFile none\n"
                                     "PermitRootLogin prohibit-password\nListenAddress %(a)s:22\nListenAddress %(a)s:443\n" % {"d": folder, "a": OUTSIDE})
        os.makedirs("/run/sshd", exist_ok=True)
        server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-f", str(folder / "conf")], stderr=subprocess.DEVNULL)
        try:
            wait_for(OUTSIDE, 22)
            with Relay(driver, *WEB, "--grant", "a.test:22") as relay:
                for port in ("22", "443"):
                    got = run("ssh", "-p", port, "-F", "none", "-i", str(folder / "mine"), "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes",
                              "-o", "UserKnownHostsFile=" + str(folder / "known"), "root@" + address_of("a.test"), "head -c 5000000 /dev/zero | wc -c; cat",
                              input=b"typed\n")
                    assert got.stdout == b"5000000\ntyped\n", got
                    assert relay.wait(event="closed")["end"] == "finished"
        finally:
            server.terminate()
            server.wait()
