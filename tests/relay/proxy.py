"""proxy.py: the proxy on loopback, for sandboxes without a network of their own, with real clients and servers.

Invariant: what the proxy lets through is what the relay lets through; without the token it does nothing at all.
"""
import base64
import contextlib
import hashlib
import os
import socket
import subprocess
import sys
import threading
import time

from harness import OUTSIDE, Relay, Server, echo, exactly
from real_servers import HOST, NEAR, WEB, nginx, run

TOKEN = "t0ken-of-this-run"


@contextlib.contextmanager
def proxy(driver, *options):
    with Relay(driver, "--proxy-token", TOKEN, *options) as relay:
        relay.port = relay.wait(event="proxy")["port"]
        yield relay


def environment(relay, token=TOKEN, scheme="http"):
    place = "%s://pinfold:%s@127.0.0.1:%d" % (scheme, token, relay.port)
    return dict(os.environ, HTTP_PROXY=place, http_proxy=place, HTTPS_PROXY=place, https_proxy=place, ALL_PROXY=place,
                NO_PROXY="localhost,127.0.0.1", NODE_USE_ENV_PROXY="1")


def curl(relay, folder, url, *more, **how):
    return run("curl", "-sS", "--max-time", "30", "--cacert", str(folder / "crt"), *more, url, env=environment(relay, **how))


def raw(relay, *pieces):
    """Everything the proxy answers to these bytes, until it closes."""
    with socket.create_connection(("127.0.0.1", relay.port), timeout=120) as client:
        for piece in pieces:
            client.sendall(piece)
        out = b""
        with contextlib.suppress(ConnectionResetError):
            while part := client.recv(65536):
                out += part
        return out


def test_proxied_pages(driver):
    with nginx() as folder, proxy(driver, *WEB) as relay:
        want = hashlib.sha256((folder / "html" / "large").read_bytes()).digest()
        for scheme in ("http", "socks5h"):
            for url in ("http://a.test/small", "https://a.test/small"):
                got = curl(relay, folder, url, scheme=scheme)
                assert got.stdout == b"a page\n", (scheme, url, got)
            for url in ("http://a.test/large", "https://a.test/large"):
                assert hashlib.sha256(curl(relay, folder, url, scheme=scheme).stdout).digest() == want, (scheme, url)
        # Two requests of one client: a connection each, so that the second cannot be for another host.
        got = run("curl", "-sS", "http://a.test/small", "http://a.test/small", env=environment(relay))
        assert got.stdout == b"a page\n" * 2, got
        event = relay.wait(event="closed", port=443)
        assert event["name"] == "a.test" and event["end"] == "finished" and event["down"] > 0, event


def test_proxied_programs(driver):
    fetch = "fetch(process.argv[1]).then(r => r.text()).then(t => process.stdout.write(t)).catch(e => { console.error(e); process.exit(1) })"
    requests = "import sys, requests; sys.stdout.write(requests.get(sys.argv[1], verify=sys.argv[2]).text)"
    urllib = "import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())"
    with nginx() as folder, proxy(driver, *WEB) as relay:
        env = dict(environment(relay), NODE_EXTRA_CA_CERTS=str(folder / "crt"), SSL_CERT_FILE=str(folder / "crt"))
        for url in ("http://a.test/small", "https://a.test/small"):
            clients = [[sys.executable, "-c", requests, url, str(folder / "crt")], [sys.executable, "-c", urllib, url]]
            version = run("node", "-p", "process.versions.node").stdout.decode().split(".")
            if int(version[0]) >= 24:  # older ones do not look at these variables
                clients.append(["node", "-e", fetch, url])
            for client in clients:
                got = run(*client, env=env)
                assert got.stdout == b"a page\n", (client[:2], url, got)


def test_proxied_git(driver):
    with nginx() as folder, proxy(driver, *WEB) as relay:
        source = folder / "source"
        for words in (["init", "-q", str(source)], ["-C", str(source), "-c", "user.name=a", "-c", "user.email=a@a.test", "commit", "-q",
                                                     "--allow-empty", "-m", "one"],
                      ["clone", "-q", "--bare", str(source), str(folder / "html" / "repo.git")],
                      ["-C", str(folder / "html" / "repo.git"), "update-server-info"]):
            done = run("git", *words)
            assert done.returncode == 0, done
        got = run("git", "-c", "http.sslCAInfo=" + str(folder / "crt"), "clone", "-q", "https://a.test/repo.git", str(folder / "copy"),
                  env=dict(environment(relay), GIT_SSL_CAINFO=str(folder / "crt")))
        assert got.returncode == 0 and (folder / "copy" / ".git").is_dir(), got


def test_proxy_without_the_token_does_nothing(driver):
    with nginx() as folder, proxy(driver, *WEB) as relay:
        for scheme in ("http", "socks5h"):
            assert curl(relay, folder, "https://a.test/small", scheme=scheme).stdout == b"a page\n", "with it"
            got = curl(relay, folder, "https://a.test/small", token="guess", scheme=scheme)
            assert got.returncode != 0 and not got.stdout, (scheme, got)
        answer = raw(relay, b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 407 "), answer
        assert raw(relay, b"\x05\x01\x00") == b"\x05\xff"
        assert raw(relay, b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00")[:2] == b"\x00\x5b"
        before = relay.stats()["accepted"]
        assert before == 2, "only the two with the token reached the relay"
        relay.never(event="denied")


def test_proxied_names_that_are_not_granted(driver):
    with nginx() as folder, proxy(driver, *WEB, "--host", "b.test=" + OUTSIDE) as relay:
        got = curl(relay, folder, "http://b.test/small")
        assert b"--net b.test:80" in got.stdout, got
        assert relay.wait(event="denied", name="b.test")["port"] == 80
        got = curl(relay, folder, "https://b.test/small")
        assert got.returncode == 56 and b"403" in got.stderr, got
        assert curl(relay, folder, "https://b.test/small", scheme="socks5h").returncode == 97
        got = curl(relay, folder, "http://a.test:8080/small")
        assert b"--net a.test:8080" in got.stdout, got
        got = curl(relay, folder, "http://127.78.0.1/small")
        assert b"pinfold: " in got.stdout, got
        assert relay.wait(event="denied", name="")["address"] == "127.78.0.1"


def test_proxied_tls_for_another_name(driver):
    with nginx() as folder, proxy(driver, *WEB) as relay:
        got = run("curl", "-sS", "-k", "--connect-to", "b.test:443:a.test:443", "https://b.test/small", env=environment(relay))
        assert got.returncode in (35, 56) and not got.stdout, got
        event = relay.wait(event="denied")
        assert event["name"] == "a.test" and "b.test" in event["why"], event


def test_proxied_private_addresses(driver):
    with proxy(driver, "--host", "a.test=" + OUTSIDE, "--grant", "a.test:7001") as relay, Server(echo, 7001) as server:
        answer = raw(relay, request("a.test:7001"))
        assert answer.startswith(b"HTTP/1.1 403 "), answer
        assert relay.wait(event="denied")["address"] == OUTSIDE
        assert server.accepted == 0, "the server was never reached"


def request(host):
    word = base64.b64encode(b"x:" + TOKEN.encode()).decode()
    return ("CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n" % (host, host, word)).encode()


def tunnel(relay, host):
    client = socket.create_connection(("127.0.0.1", relay.port), timeout=120)
    client.sendall(request(host))
    want = b"HTTP/1.1 200 Connection established\r\n\r\n"
    got = exactly(client, len(want))
    assert got == want, got
    return client


def test_proxied_streams(driver):
    with proxy(driver, *NEAR, *HOST, "--grant", "a.test:7001") as relay, Server(echo, 7001):
        # In one segment with the request, and one byte at a time.
        with socket.create_connection(("127.0.0.1", relay.port), timeout=120) as client:
            client.sendall(request("a.test:7001") + b"early")
            assert exactly(client, 39 + 5).endswith(b"early")
        with socket.create_connection(("127.0.0.1", relay.port), timeout=120) as client:
            for byte in request("a.test:7001"):
                client.sendall(bytes([byte]))
            exactly(client, 39)
            client.sendall(b"late")
            assert exactly(client, 4) == b"late"
        data = os.urandom(1 << 20) * 16
        with tunnel(relay, "a.test:7001") as client:
            threading.Thread(target=lambda: (client.sendall(data), client.shutdown(socket.SHUT_WR)), daemon=True).start()
            assert hashlib.sha256(exactly(client, len(data))).digest() == hashlib.sha256(data).digest()
            assert client.recv(1) == b"", "the end is passed on"


def test_proxied_uploads(driver):
    received = []

    def take(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(65536)
        head, body = data.split(b"\r\n\r\n", 1)
        while len(body) < 5 << 20:
            body += connection.recv(65536)
        received.append((head, hashlib.sha256(body).hexdigest()))
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nyes")

    with proxy(driver, *NEAR, *HOST, "--grant", "a.test:80") as relay, Server(take, 80):
        data = os.urandom(5 << 20)
        got = subprocess.run(["curl", "-sS", "-H", "Expect:", "--data-binary", "@-", "http://a.test/up"], input=data, capture_output=True,
                             env=environment(relay), timeout=60, check=False)
        assert got.stdout == b"yes", got
        head, digest = received[0]
        assert digest == hashlib.sha256(data).hexdigest()
        assert head.startswith(b"POST /up HTTP/1.1\r\nHost: a.test\r\n") and b"roxy-" not in head, head
        assert TOKEN.encode() not in head and b"Basic" not in head, "the token stays here"


def test_proxied_names_that_are_asked_about(driver):
    with proxy(driver, *NEAR, *HOST, "--wait", "a.test") as relay, Server(echo, 7001):
        with socket.create_connection(("127.0.0.1", relay.port), timeout=120) as client:
            client.sendall(request("a.test:7001"))
            client.settimeout(0.3)
            try:
                assert not client.recv(1), "nothing is said before there is an answer"
                raise AssertionError("closed")
            except TimeoutError:
                pass
            client.settimeout(20)
            relay.tell("grant a.test:7001")
            assert exactly(client, 39).startswith(b"HTTP/1.1 200 ")
        relay.tell("wait b.test")
        with socket.create_connection(("127.0.0.1", relay.port), timeout=120) as client:
            client.sendall(request("b.test:7001"))
            time.sleep(0.1)
            relay.tell("refuse b.test")
            assert client.recv(13).startswith(b"HTTP/1.1 403 ")


def test_a_removed_grant_closes_its_tunnels(driver):
    with proxy(driver, *NEAR, *HOST, "--grant", "a.test:7001") as relay, Server(echo, 7001):
        with tunnel(relay, "a.test:7001") as client:
            client.sendall(b"x")
            assert exactly(client, 1) == b"x"
            relay.tell("revoke a.test:7001")
            with contextlib.suppress(ConnectionResetError):
                assert client.recv(1) == b""
        assert relay.wait(event="closed")["end"] != "finished"


def test_the_hosts_own_services(driver):
    with Server(echo, 0, "127.0.0.1") as server:
        server.port = server.socket.getsockname()[1]
        with proxy(driver, "--grant", "localhost:%d" % server.port) as relay:
            for host in ("localhost", "127.0.0.1"):
                with tunnel(relay, "%s:%d" % (host, server.port)) as client:
                    client.sendall(b"hello")
                    assert exactly(client, 5) == b"hello"
        with proxy(driver) as relay:
            for host in ("localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"):
                assert raw(relay, request("%s:%d" % (host, server.port))).startswith(b"HTTP/1.1 403 "), host


def test_servers_that_do_not_answer(driver):
    with proxy(driver, *NEAR, *HOST, "--grant", "a.test:7001", "--grant", "gone.test:7001", "--servers", "127.77.0.53:9", "--try-ms", "100",
               "--tries", "1") as relay:
        assert raw(relay, request("a.test:7001")).startswith(b"HTTP/1.1 502 ")
        assert raw(relay, request("gone.test:7001")).startswith(b"HTTP/1.1 502 ")


def test_clients_that_say_nothing(driver):
    with proxy(driver, *NEAR, *HOST, "--grant", "a.test:7001", "--proxy-clients", "50", "--proxy-patience-ms", "1000") as relay:
        with Server(echo, 7001):
            idle = [socket.create_connection(("127.0.0.1", relay.port), timeout=120) for _ in range(300)]
            with tunnel(relay, "a.test:7001") as client:
                client.sendall(b"x")
                assert exactly(client, 1) == b"x"
            assert relay.descriptors() < 100
            assert idle[-1].recv(1) == b"", "closed after a while"
            for each in idle:
                each.close()
            assert raw(relay, b"x" * 70000)[:13] in (b"HTTP/1.1 400 ", b""), "endless heads end"
