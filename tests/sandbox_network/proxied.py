"""proxied.py: the network by name without a network namespace (landlock): programs that know a proxy reach granted hosts by the run's own,
and nothing else can be connected to.

Invariant: each denied attempt reaches its canary bare first, and the canary's own count is looked at afterwards.
Not here: the proxy by itself (tests/relay/proxy.py), the filter by itself (filter_test.cc).
"""
import contextlib
import shutil
import socket
import subprocess
import time

from asking import NEAR
from confinement import denied, reach, expect_denial
from programs import HTTPS, reaches
from world import GOOD, OTHER, SECRET, SIX, grants, must, run

# Checks of the other modules that hold here as they are: their programs know a proxy, or must reach nothing at all.
AS_THEY_ARE = {
    "check_curl_over_http_tls_and_http2", "check_names_below_a_wildcard_and_in_other_scripts",
    "check_go_and_a_static_program", "check_raw_addresses", "check_a_name_that_leads_elsewhere_the_second_time",
    "check_dns_carries_nothing_out", "check_the_hosts_own_loopback", "check_an_empty_list_is_none", "check_malformed_rules_are_refused",
    "check_where_names_lead_can_be_said", "check_explain_and_why", "check_a_name_granted_while_its_query_waits",
}
RAW = "(curl -sS -m 20 --http0.9 http://%s:7001/ || true)"  # the first bytes of a plain server

# Every way to connect that the kernel has; each prints its result.
WAYS = r"""
import ctypes, os, socket, struct, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
FASTOPEN = 0x20000000
HOST, PORT, FIRST = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def first():  # somewhere else before: the run's proxy, or another server
    if FIRST != "proxy": return (FIRST, PORT)
    return ("127.0.0.1", int(os.environ["HTTP_PROXY"].rsplit(":", 1)[1]))
def tcp(family=socket.AF_INET):
    s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(20); return s
def call(function, *arguments):
    ctypes.set_errno(0)
    if function(*arguments) < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def name(host, port): return struct.pack("=H", socket.AF_INET) + struct.pack(">H", port) + socket.inet_aton(host) + bytes(8)
def plain(): s = tcp(); s.connect((HOST, PORT)); return s
def six(): s = tcp(socket.AF_INET6); s.connect(("::ffff:" + HOST, PORT)); return s
def again():
    s = tcp(); s.connect(first()); call(libc.connect, s.fileno(), bytes(16), 16); s.connect((HOST, PORT)); return s
def nonblocking():
    import select
    s = tcp(); s.setblocking(False); error = s.connect_ex((HOST, PORT))
    if error not in (0, 115): raise OSError(error, os.strerror(error))
    select.select([], [s], [], 20); s.settimeout(20); return s
def thread():
    out = []
    def run():
        try: out.append(plain())
        except OSError as error: out.append(error)
    t = threading.Thread(target=run); t.start(); t.join()
    if isinstance(out[0], OSError): raise out[0]
    return out[0]
def sendto(): s = tcp(); s.setblocking(True); s.sendto(b"x", FASTOPEN, (HOST, PORT)); return s
def sendmsg(): s = tcp(); s.setblocking(True); s.sendmsg([b"x"], [], FASTOPEN, (HOST, PORT)); return s
def message(host, port):
    to = ctypes.create_string_buffer(name(host, port), 16); data = ctypes.create_string_buffer(b"x", 1)
    part = ctypes.create_string_buffer(struct.pack("=QQ", ctypes.addressof(data), 1))
    head = struct.pack("=QIIQQQQiI", ctypes.addressof(to), 16, 0, ctypes.addressof(part), 1, 0, 0, 0, 0)
    return ctypes.create_string_buffer(head + bytes(8)), (to, data, part)
def sendmmsg():
    s = tcp(); s.setblocking(True); vector, kept = message(HOST, PORT); call(libc.sendmmsg, s.fileno(), vector, 1, FASTOPEN); return s
def deferred():
    s = tcp(); s.setsockopt(socket.IPPROTO_TCP, 30, 1); s.connect((HOST, PORT)); s.send(b"x"); return s
def anonymous_name(): s = tcp(); s.setblocking(True); call(libc.sendto, s.fileno(), b"x", 1, FASTOPEN, name(HOST, PORT), 16); return s
for way in (plain, six, again, nonblocking, thread, sendto, sendmsg, sendmmsg, deferred, anonymous_name):
    try: print(way.__name__, "reached" if b"canary" in way().recv(100) else "nothing", flush=True)
    except OSError as error: print(way.__name__, error, flush=True)
"""
SWAP = r"""
import ctypes, os, socket, struct, sys, threading
port = int(os.environ["HTTP_PROXY"].rsplit(":", 1)[1])
def name(host, port): return struct.pack("=H", socket.AF_INET) + struct.pack(">H", port) + socket.inet_aton(host) + bytes(8)
good, bads = name("127.0.0.1", port), [name(sys.argv[1], 7001), name("127.0.0.1", 7001)]
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(good, 16)
stop, swaps = False, 0
def swap():
    global swaps
    while not stop or swaps < 300000:
        ctypes.memmove(buffer, bads[swaps // 2 % 2] if swaps % 2 else good, 16); swaps += 1
t = threading.Thread(target=swap); t.start()
done = 0
for i in range(3000):
    s = socket.socket(); done += libc.connect(s.fileno(), buffer, 16) == 0; s.close()
stop = True; t.join(); print("swaps", swaps, "connected", done)
"""
OPTIONS = r"""
import socket
for level, option, value in ((0, 4, bytes([131, 7, 4]) + socket.inet_aton("10.77.0.2") + bytes(1)), (1, 25, b"lo\0"), (1, 62, 1), (6, 30, 1), (6, 23, 5), (0, 50, bytes(4))):
    try: socket.socket().setsockopt(level, option, value); print("set", level, option)
    except OSError as error: print("refused", level, option, error)
"""
SERVE = r"""
import socket
for make in (lambda s: s.bind(("127.0.0.1", 0)), lambda s: s.bind(("0.0.0.0", 8124)), lambda s: s.listen(1)):
    try: make(socket.socket()); print("serves")
    except OSError as error: print("refused", error)
for family, kind, protocol in ((2, 2, 0), (2, 3, 1), (16, 3, 0), (1, 1, 0), (10, 1, 0)):
    try: socket.socket(family, kind, protocol); print("made", family, kind)
    except OSError as error: print("refused", error)
"""
MANNERS = r"""
import errno, os, select, socket, threading
port = int(os.environ["HTTP_PROXY"].rsplit(":", 1)[1])
def answer(s): s.settimeout(60); s.sendall(b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"); return s.recv(100).split(b"\r")[0]
s = socket.socket(); s.connect(("127.0.0.1", port)); print(s.getpeername() == ("127.0.0.1", port), s.connect_ex(("127.0.0.1", port)) == errno.EISCONN)
print(answer(s))
s = socket.socket(); s.setblocking(False); print(errno.errorcode[s.connect_ex(("127.0.0.1", port))])
poll = select.epoll(); poll.register(s, select.EPOLLOUT); print(poll.poll(60)[0][1] & select.EPOLLOUT != 0, s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)); print(answer(s))
done, kept = [], [socket.socket() for _ in range(40)]
crowd = [threading.Thread(target=lambda s=s: done.append(s.connect_ex(("127.0.0.1", port)))) for s in kept]
for t in crowd: t.start()
for t in crowd: t.join()
print(len(done), set(done))
for s in kept: s.close()
for _ in range(60):
    try: last = answer(socket.create_connection(("127.0.0.1", port))); break
    except OSError: pass
print(last)
try: socket.socket(fileno=os.dup(0)).connect(("127.0.0.1", port)); print("stdin")
except OSError as error: print("no socket")
"""
# All that could block a call on another process's copy of the socket: changed flags, SO_LINGER, full buffers, close during the call.
HOLD = r"""
import os, socket, struct, threading
to = ("127.0.0.1", int(os.environ["HTTP_PROXY"].rsplit(":", 1)[1]))
def turns(s):
    try:
        for i in range(200): s.setblocking(i % 2 == 0)
    except OSError: pass
def attempt(s):
    try: s.connect(to)
    except OSError: pass
while True:
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 1000))
    turning = threading.Thread(target=turns, args=(s,)); turning.start()
    attempt(s)
    other = os.dup(s.fileno())
    try:
        while True: os.write(other, bytes(1 << 16)) if not s.setblocking(False) else None
    except OSError: pass
    again = [threading.Thread(target=attempt, args=(s,)) for _ in range(4)]
    for t in again: t.start()
    os.close(other); s.close(); turning.join()
    for t in again: t.join()
"""


def script(world, name, text):
    (world.work / name).write_text(text)
    return "/usr/bin/python3 " + name


def check_direct_connections_are_refused_in_every_way(world):
    ways = script(world, "ways.py", WAYS)
    for host, canary in ((OTHER, world.elsewhere), ("127.0.0.1", world.loopback)):
        bare = world.bare("%s %s 7001 %s" % (ways, host, GOOD)).stdout.decode()
        assert bare.count(" reached") == len(bare.splitlines()) == 10, bare
        before = canary.accepted
        done = world.boxed("%s %s 7001 proxy" % (ways, host), *HTTPS)
        text = done.stdout.decode()
        assert len(text.splitlines()) == 10 and "reached" not in text, (text, done.stderr)
        assert canary.accepted == before, text
        if host == OTHER:
            expect_denial(done, operation="connect", resource=OTHER + ":7001", address=OTHER, program=lambda name: name.startswith("python"))
        else:
            expect_denial(done, operation="connect", resource="localhost:7001", allow_with=lambda flag: "--net localhost:7001" in flag)


def check_an_address_swapped_while_it_is_read(world):
    before = world.elsewhere.accepted, world.loopback.accepted
    done = world.boxed("%s %s" % (script(world, "swap.py", SWAP), OTHER), *HTTPS, timeout=600)
    words = done.stdout.decode().split()
    assert words[0] == "swaps" and int(words[1]) >= 300000 and 0 < int(words[3]) < 3000, (done.stdout, done.stderr)
    assert (world.elsewhere.accepted, world.loopback.accepted) == before


def check_no_option_leads_a_connection_elsewhere(world):
    options = script(world, "options.py", OPTIONS)
    bare = world.bare(options).stdout.decode()
    assert bare.count("set ") >= 5, bare  # an ordinary user may set them
    done = world.boxed(options, *HTTPS)
    assert done.stdout.decode().count("refused") == 6 and b"set" not in done.stdout, (done.stdout, done.stderr)


def check_nothing_listens_and_no_other_socket_is_made(world):
    serve = script(world, "serve.py", SERVE)
    bare = world.bare(serve).stdout.decode()
    assert bare.count("serves") == 3 and bare.count("made") >= 4, bare
    done = world.boxed(serve, *HTTPS)
    assert done.stdout.decode().count("refused") == 8, (done.stdout, done.stderr)


def check_sockets_behave_as_they_do_elsewhere(world):
    """Blocking and not, in threads, twice; and a crowd at a queue of one, for which the supervisor never waits."""
    place = "/proc/sys/net/core/somaxconn"
    with open(place, encoding="ascii") as file:
        usual = file.read()
    try:
        with open(place, "w", encoding="ascii") as file:
            file.write("1")
        done = world.boxed(script(world, "manners.py", MANNERS), *HTTPS, timeout=300)
    finally:
        with open(place, "w", encoding="ascii") as file:
            file.write(usual)
    no = "b'HTTP/1.1 407 Proxy Authentication Required'"
    want = ["True True", no, "EINPROGRESS", "True 0", no, "40 {0}", no, "no socket"]
    assert done.stdout.decode().splitlines() == want, (done.stdout, done.stderr)


def check_nothing_holds_the_supervisor_up(world):
    """It still ends what takes too long."""
    began = time.monotonic()
    done = world.boxed(script(world, "hold.py", HOLD), "--timeout", "3s", *HTTPS, timeout=300)
    assert done.returncode == 124 and time.monotonic() - began < 120, (done.returncode, done.stdout, done.stderr[-600:])


def check_without_the_token_every_request_is_refused(world):
    """Neither a program inside that has forgotten it, nor other processes of the host that find the port during the run."""
    for name in ("port", "tried"):
        (world.work / name).unlink(missing_ok=True)
    inside = """curl -sS -o /dev/null -w '%{http_code} ' -x ${HTTP_PROXY##*@} http://a.test/page; echo $HTTP_PROXY > port
        until [ -e tried ]; do sleep 0.1; done"""
    prefix, environment = world._as_who()  # pylint: disable=protected-access
    running = subprocess.Popen([*prefix, world.pinfold, "run", *world.backend_flags, *HTTPS, "--", "bash", "-c", inside], cwd=world.work,
                               env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 60
        while not (world.work / "port").exists() or not (world.work / "port").read_text().endswith("\n"):
            assert time.monotonic() < end
            time.sleep(0.05)
        proxy = (world.work / "port").read_text().strip()
        with_token = run("curl", "-sS", "-x", proxy, "http://a.test/page")
        assert SECRET in with_token.stdout.decode(), with_token  # so that the port is the right one
        for place in (proxy.split("@")[1], "http://pinfold:%s@%s" % ("0" * 32, proxy.split("@")[1]), "socks5h://" + proxy.split("@")[1]):
            other = run("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-x", place, "http://a.test/page")
            assert other.stdout in (b"407", b"000"), (place, other)
    finally:
        (world.work / "tried").touch()
        out, _ = running.communicate(timeout=60)
    assert out == b"407 ", out
    port = int(proxy.rsplit(":", 1)[1])
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        raise AssertionError("the proxy outlives its run")
    except ConnectionRefusedError:
        pass


def check_git_and_npm(world):
    html = world.base / "html"
    if not (html / "repo.git").exists():
        must("bash", "-c", "cd %s && git init -q once && cd once && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && "
             "git clone -q --bare . %s/repo.git && cd %s/repo.git && git update-server-info" % (world.base, html, html))
        (html / "npm").mkdir()
        (html / "npm" / "thing").write_text('{"name": "thing", "dist-tags": {"latest": "4.5.6"}, "versions": {"4.5.6": {"name": "thing", '
                                            '"version": "4.5.6", "dist": {"tarball": "http://a.test/x.tgz"}}}}')
    shutil.rmtree(world.work / "copy", ignore_errors=True)
    reaches(world, "git -c http.sslCAInfo=crt clone -q https://a.test/repo.git copy && git -C copy log --format=%s", *HTTPS, want="one")
    reaches(world, "npm view thing version --registry http://a.test/npm/", *HTTPS, want="4.5.6")


def check_services_of_the_host_by_grant(world):
    reaches(world, RAW % "localhost" + "; " + RAW % "127.0.0.1", "--net", "localhost:7001")
    denied(world, RAW % "localhost", "--net", "localhost:7000", canary=world.loopback)
    # Not past the proxy; the report says so.
    done = denied(world, reach("127.0.0.1", 7001), "--net", "localhost:7001", canary=world.loopback)
    expect_denial(done, resource="localhost:7001", rule=lambda rule: "HTTP_PROXY" in rule)


def check_hosts_that_are_not_granted(world):
    for name in ("other.test", "a.test.evil.test", "nota.test"):
        done = denied(world, RAW % name, *HTTPS, canary=world.elsewhere)
        expect_denial(done, operation="connect", host=name, port=7001, source="observed", allow_with=lambda flag, name=name: "--net " + name in flag)
    done = denied(world, RAW % "a.test", *HTTPS, canary=world.canaries[7001])
    expect_denial(done, host="a.test", port=7001, rule=lambda rule: "port 7001 is not among" in rule)
    done = denied(world, "curl -sS http://w.test/page", *grants("*.w.test"))
    expect_denial(done, host="w.test", rule=lambda rule: "not w.test itself" in rule)
    for name, canary in (("loop.test", world.loopback), ("loop6.test", world.loopback6), ("private.test", world.elsewhere)):
        done = denied(world, RAW % name, "--net", name + ":7001", canary=canary)
        expect_denial(done, host=name, rule=lambda rule: "that no rule grants" in rule)


def check_python_and_a_name_that_has_only_ipv6(world):
    script(world, "get.py", """
import ssl, urllib.request
print(urllib.request.urlopen("https://a.test/page", context=ssl.create_default_context(cafile="crt")).read().decode())
try: import requests
except ImportError: raise SystemExit
assert requests.get("https://a.test/page", verify="crt").text.strip() == %r
""" % SECRET)
    reaches(world, "/usr/bin/python3 get.py", *HTTPS)
    for family in ("", "-4"):
        reaches(world, "curl -sS %s --cacert crt https://six.test/page" % family, *grants("six.test", near=(SIX, )))


def check_addresses(world):
    reaches(world, RAW % GOOD, "--net", "10.77.0.0/24:7001")
    reaches(world, "curl -sS 'http://[%s]/page'" % SIX, "--net", "[%s]:80" % SIX)


def check_reported_denials(world):
    done = world.boxed("curl -sS http://a.test/page; curl -sS -m 20 http://a.test:81/; true", *HTTPS)
    (seen, ) = done.report["denials"]
    assert seen["resource"] == "a.test:81" and seen["host"] == "a.test", seen
    (one, ) = done.report["connections"]
    assert one["host"] == "a.test" and one["address"] == GOOD and one["port"] == 80 and one["bytes_down"] > len(SECRET), one
    rows = {row["step"]: row for row in done.report["coverage"]}
    assert rows["network"]["strength"] == "enforced" and "proxy" in rows["network"]["mechanism"], rows["network"]
    assert "know no proxy" in rows["network.inside"]["gap"], rows["network.inside"]
    token = world.boxed("echo $HTTP_PROXY", *HTTPS)
    secret = token.stdout.decode().split(":")[2].split("@")[0]
    assert len(secret) == 32 and secret not in str(token.report) and secret not in token.stderr.decode(), token.report


def check_names_refused_and_granted_once(world):
    page = "curl -sS http://public.test/page; "
    with contextlib.closing(world.asked(page + page + "echo ended")) as one:
        one.wait_for("wants to connect")
        one.answer("d")
        one.wait_for("ended")
        one.end()
        assert one.text.count("wants to") == 1 and SECRET not in one.text, one.text
    with contextlib.closing(world.asked(page + "sleep 2.5; " + page + "echo ended", *NEAR)) as one:
        one.wait_for("wants to connect")
        one.answer("o")
        one.wait_for(SECRET)
        one.wait_for("wants to connect")
        one.answer("d")
        one.wait_for("ended")
        one.end()


def check_where_it_cannot_be_done_it_is_refused(world):
    """Connections without waiting are switched off in this namespace: no proxy, and nothing runs."""
    place = "/proc/sys/net/ipv4/tcp_fastopen"
    try:
        with open(place, "w", encoding="ascii") as file:
            file.write("0")
        done = world.boxed("echo it ran", *HTTPS)
    finally:
        with open(place, "w", encoding="ascii") as file:
            file.write("1")
    assert done.returncode == 125 and b"it ran" not in done.stdout and b"network namespace" in done.stderr, done


def check_a_session(world):
    prefix, environment = world._as_who()  # pylint: disable=protected-access
    session = [*prefix, world.pinfold, "session"]
    name = "proxied-" + world.user
    began = run(*session, "start", "--name", name, *world.backend_flags, *HTTPS, cwd=world.work, env=environment)
    assert began.returncode == 0, began
    try:
        for _ in range(2):
            done = run(*session, "exec", name, "--", "curl", "-sS", "http://a.test/page", cwd=world.work, env=environment)
            assert SECRET in done.stdout.decode(), done
        before = world.elsewhere.accepted
        done = run(*session, "exec", name, "--", "bash", "-c", reach(OTHER, 7001), cwd=world.work, env=environment)
        assert SECRET not in done.stdout.decode() and world.elsewhere.accepted == before, done
    finally:
        run(*session, "stop", name, cwd=world.work, env=environment)
