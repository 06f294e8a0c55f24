"""programs.py: real programs reach granted hosts, unchanged: no proxy variables, no certificates of ours.

Invariant: each check looks at what came through, on both sides where it can.
"""
import shutil
import time

from world import GOOD, SECRET, SIX, grants, must

HTTPS = grants("a.test")


def reaches(world, script, *flags, want=SECRET, timeout=300):
    done = world.boxed(script, *flags, timeout=timeout)
    assert done.returncode == 0 and want in done.stdout.decode(), (done.returncode, done.stdout[-500:], done.stderr[-1500:])
    return done


def check_curl_over_http_tls_and_http2(world):
    for script in ("curl -sS http://a.test/page", "curl -sS --cacert crt https://a.test/page",
                   "curl -sS --cacert crt --http1.1 --tls-max 1.2 https://a.test/page", "curl -sS http://A.Test./page"):
        reaches(world, script, *HTTPS)
    done = reaches(world, "curl -sS --http2 -o /dev/null -w '%{http_version}' --cacert crt https://a.test/page", *HTTPS, want="2")
    assert done.report["denials"] == [], done.report["denials"]


def check_names_below_a_wildcard_and_in_other_scripts(world):
    wild = grants("*.w.test")
    reaches(world, "curl -sS http://deep.w.test/page && curl -sS http://very.deep.w.test/page", *wild)
    reaches(world, "curl -sS http://xn--bcher-kva.test/page", *grants("bücher.test"))


def check_a_name_that_has_only_ipv6(world):
    reaches(world, "curl -sS --cacert crt https://six.test/page", *grants("six.test", near=(SIX, )))
    # Programs that know only one family reach it all the same.
    reaches(world, "curl -sS -4 http://six.test/page", *grants("six.test", near=(SIX, )))
    reaches(world, "curl -sS -6 http://six.test/page", *grants("six.test", near=(SIX, )))
    reaches(world, "curl -sS -6 http://a.test/page", *HTTPS)


def check_addresses_and_ranges(world):
    for rule in (GOOD + ":7001", "10.77.0.0/24:7001", "10.0.0.0/8:7001"):
        reaches(world, "timeout 10 nc -d %s 7001 | head -n 1" % GOOD, "--net", rule)
    reaches(world, "curl -sS 'http://[%s]/page'" % SIX, "--net", "[%s]:80" % SIX)
    reaches(world, "curl -sS 'http://[%s]/page'" % SIX, "--net", "[fd77::/16]:80")


def check_node_fetch(world):
    (world.work / "fetch.mjs").write_text("""
        const answers = await Promise.all(Array.from({length: 20}, () => fetch('https://a.test/page').then(r => r.text())));
        console.log(answers.every(a => a === answers[0]), answers[0]);""")
    reaches(world, "NODE_EXTRA_CA_CERTS=crt node fetch.mjs", *HTTPS, want="true " + SECRET)


def check_python(world):
    (world.work / "get.py").write_text("""
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile="crt")
print(urllib.request.urlopen("https://a.test/page", context=context).read().decode())
try:
    import requests
except ImportError:
    sys.exit()
assert requests.get("https://a.test/page", verify="crt").text.strip() == %r
""" % SECRET)
    reaches(world, "python3 get.py", *HTTPS)
    if world.bare("/usr/bin/python3 -c 'import requests'").returncode == 0:
        reaches(world, "/usr/bin/python3 get.py", *HTTPS)


def check_java_http_client(world):
    source = world.work / "Get.java"
    source.write_text("""
        import java.net.URI; import java.net.http.*;
        class Get { public static void main(String[] a) throws Exception {
          var client = HttpClient.newHttpClient();
          for (String url : a) {
            var answer = client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
            System.out.println(answer.version() + " " + answer.body());
          } } }""")
    world.bare("rm -f trust; keytool -importcert -noprompt -storepass changeit -alias t -file crt -keystore trust -storetype JKS")
    assert (world.work / "trust").exists()
    reaches(world, "java -Xmx128m -Djavax.net.ssl.trustStore=trust Get.java https://a.test/page http://a.test/page", *HTTPS,
            want="HTTP_2 " + SECRET)


def check_go_and_a_static_program(world):
    folder = world.base / "go"
    if not (folder / "get").exists():
        folder.mkdir(exist_ok=True)
        (folder / "main.go").write_text("""package main
            import ("fmt"; "io"; "net/http"; "os")
            func main() { for _, url := range os.Args[1:] { answer, err := http.Get(url); if err != nil { fmt.Println(err); os.Exit(1) }
              body, _ := io.ReadAll(answer.Body); fmt.Print(answer.Proto, " ", string(body)) } }""")
        must("bash", "-c", "cd %s && GOCACHE=%s/cache GO111MODULE=off CGO_ENABLED=0 go build -o get main.go" % (folder, folder), timeout=300)
    shutil.copy(folder / "get", world.work / "get")
    reaches(world, "SSL_CERT_FILE=crt ./get https://a.test/page", *HTTPS, want="HTTP/2.0 " + SECRET)
    reaches(world, "busybox wget -q -O - http://a.test/page", *HTTPS)


def check_nc_and_a_server_that_speaks_first(world):
    flags = grants("a.test:7000", "a.test:7001")
    reaches(world, "echo hello | timeout 10 nc -N a.test 7000", *flags, want="hello")
    reaches(world, "timeout 10 nc -d a.test 7001 | head -n 1", *flags)


def check_ssh_and_git_over_it(world):
    key = world.work / "key"
    shutil.copy(world.base / "ssh" / "client", key)
    must("chown", "--reference=%s" % world.work, str(key))
    key.chmod(0o600)
    known = (world.base / "ssh" / "host.pub").read_text().split()
    (world.work / "known").write_text("a.test %s %s\n" % (known[0], known[1]))
    ssh = "ssh -F none -i key -o UserKnownHostsFile=known -o BatchMode=yes"
    flags = grants("a.test:22")
    reaches(world, "%s %s@a.test echo %s" % (ssh, world.account(), "'" + SECRET + "'"), *flags)
    reaches(world, """rm -rf copy; export GIT_SSH_COMMAND="%s" GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
        git clone -q %s@a.test:%s/repo.git copy && cd copy && date +%%N > file && git add file && git commit -qm %s && git push -q origin HEAD:refs/heads/%s
        git ls-remote origin""" % (ssh.replace("-i key", "-i $PWD/key").replace("=known", "=$PWD/known"), world.account(), world.base,
                                   world.user, world.user), *flags, want="refs/heads/" + world.user)


def check_websocket_and_long_poll(world):
    """A connection that is upgraded and used both ways, and one that is silent for a while."""
    (world.work / "upgraded.py").write_text("""
import socket, time
with socket.create_connection(("a.test", 7000)) as s:
    s.sendall(b"GET / HTTP/1.1\\r\\nHost: a.test:7000\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n")
    got = s.recv(4096)
    for i in range(200):
        frame = bytes([0x81, 0x80 | 5]) + b"mask" + b"%05d" % i
        s.sendall(frame)
        back = b""
        while len(back) < len(frame):
            back += s.recv(4096)
        assert back == frame
    time.sleep(3)
    s.sendall(b"still")
    print(s.recv(10).decode(), "there")
""")
    reaches(world, "python3 upgraded.py", *grants("a.test:7000"), want="still there")


def check_a_gibibyte_down_and_up(world):
    done = reaches(world, "curl -sS -o /dev/null -w '%{size_download}' http://a.test/large", *HTTPS, want=str(1 << 30), timeout=300)
    down = [one["bytes_down"] for one in done.report["connections"]]
    assert max(down) > 1 << 30, down
    done = reaches(world, "head -c 1G /dev/zero | timeout 250 nc -N a.test 7002", *grants("a.test:7002"), want=str(1 << 30), timeout=300)
    assert [one["bytes_up"] for one in done.report["connections"]] == [1 << 30], done.report["connections"]


def check_bytes_sent_before_the_end_arrive(world):
    """The program ends at once after its last write, as it would bare."""
    before = world.canaries[7002].accepted
    for _ in range(5):
        done = world.boxed("exec 3<>/dev/tcp/a.test/7002; head -c 3000000 /dev/zero >&3", *grants("a.test:7002"))
        assert done.returncode == 0, done.stderr
        assert [one["bytes_up"] for one in done.report["connections"]] == [3000000], done.report["connections"]
    # The kernel has accepted the connections; the thread of the server may still wait for a processor.
    until = time.monotonic() + 60
    while world.canaries[7002].accepted < before + 5 and time.monotonic() < until:
        time.sleep(0.05)
    assert world.canaries[7002].accepted == before + 5, f"the server accepted {world.canaries[7002].accepted - before} of 5 connections in 60 s"


def check_services_of_the_host_by_grant_and_of_the_sandbox(world):
    reaches(world, "timeout 10 nc -d localhost 7001 | head -n 1; timeout 10 nc -d 127.0.0.1 7001 | head -n 1", "--net", "localhost:7001")
    # The sandbox has its own ports; all of them but those granted on loopback.
    (world.work / "own.py").write_text("""
import socket, threading
server = socket.create_server(("127.0.0.1", 7000))
everywhere = socket.create_server(("0.0.0.0", 7003))
threading.Thread(target=lambda: server.accept()[0].sendall(b"my own"), daemon=True).start()
print(socket.create_connection(("localhost", 7000)).recv(10).decode())
try:
    socket.create_server(("127.0.0.1", 7001))
except OSError as error:
    print("taken", error.errno)
""")
    done = reaches(world, "python3 own.py", "--net", "localhost:7001", "--net", "a.test", want="my own")
    assert "taken 98" in done.stdout.decode(), done.stdout


def check_udp_is_refused_at_once(world):
    (world.work / "udp.py").write_text("""
import errno, socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(20)
began = time.monotonic()
s.connect((socket.gethostbyname("a.test"), 443))
try:
    s.send(b"hello"); s.recv(10)
except OSError as error:
    print(errno.errorcode[error.errno], "at once" if time.monotonic() - began < 10 else "late")
""")
    reaches(world, "python3 udp.py", *HTTPS, want="ECONNREFUSED at once")


def check_open_connections_do_not_hold_up_the_end(world):
    began = time.monotonic()
    done = world.boxed("exec 3<>/dev/tcp/a.test/7000; echo hello >&3; read line <&3; echo $line; sleep 100 & sleep 0.1", *grants("a.test:7000"))
    assert done.stdout == b"hello\n" and time.monotonic() - began < 20, (done.stdout, time.monotonic() - began)


def check_package_managers_and_resolvers_of_their_own(world):
    """c-ares in Node, musl in a static busybox, Go's own: each asks the stub by itself."""
    reaches(world, "node -e \"require('dns').resolve4('a.test', (e, a) => console.log(e || a[0]))\"", *HTTPS, want="198.18.")
    reaches(world, "busybox nslookup -type=a a.test", *HTTPS, want="198.18.")
    assert GOOD not in world.boxed("getent ahosts a.test", *HTTPS).stdout.decode()
