"""commands.py: many commands in one sandbox, each with its own streams, limits and report."""
import concurrent.futures
import http.server
import json
import os
import signal
import subprocess
import threading
import time

from world import is_gone, native_only, until, with_word


def check_files_of_one_command_are_there_for_the_next(world):
    world.start()
    world.sh("echo kept > $TMPDIR/a; mkdir $TMPDIR/d; echo seen > in-the-workspace")
    assert world.sh("cat $TMPDIR/a; test -d $TMPDIR/d; cat in-the-workspace").stdout == b"kept\nseen\n"
    assert not os.path.exists("/tmp/d") and (world.workspace / "in-the-workspace").read_text() == "seen\n"


def check_a_server_left_by_one_command_serves_the_next(world):
    world.start()
    if world.backend == "landlock":  # no sockets between programs there
        world.sh("mkfifo $TMPDIR/ask; (cat $TMPDIR/ask > $TMPDIR/got; mv $TMPDIR/got $TMPDIR/done) >/dev/null 2>&1 &")
        world.sh("echo hello > $TMPDIR/ask")
        until(lambda: world.sh("cat $TMPDIR/done", check=False).stdout == b"hello\n", "the output arrived")
        return
    world.sh("echo here > index.html; python3 -m http.server 8765 --bind 127.0.0.1 >/dev/null 2>&1 &")
    fetch = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:8765/').read().decode(), end='')"
    ran = until(lambda: (lambda one: one if one.returncode == 0 else None)(world.exec("--", "python3", "-c", fetch, check=False)),
                "the server answers")
    assert ran.stdout == b"here\n", ran


def check_a_unix_server_serves_the_next(world):
    if world.backend == "landlock":
        return
    world.start()
    serve = ("import socket,os\ns=socket.socket(socket.AF_UNIX); s.bind(os.environ['TMPDIR']+'/sock'); s.listen()\n"
             "if os.fork(): os._exit(0)\n"
             "c,_=s.accept(); c.sendall(b'hello')")
    ask = "import os,socket; s=socket.socket(socket.AF_UNIX); s.connect(os.environ['TMPDIR']+'/sock'); print(s.recv(9).decode())"
    world.exec("--", "python3", "-c", serve)
    assert world.exec("--", "python3", "-c", ask).stdout == b"hello\n"


def check_a_server_that_holds_the_streams_does_not_hold_the_client(world):
    world.start()
    word = world.word()
    ran = world.sh("echo out; echo err >&2; sleep %s & exit 3" % word, check=False)  # stdout and stderr stay open in it
    assert (ran.returncode, ran.stdout, ran.stderr) == (3, b"out\n", b"err\n"), ran
    until(lambda: with_word(word), "it runs")
    # Its later output is discarded, and does not end it.
    world.sh("(sleep 0.3; head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; echo fine > $TMPDIR/wrote; sleep 1000) &")
    until(lambda: world.sh("cat $TMPDIR/wrote", check=False).stdout == b"fine\n", "the background process can still write")


def check_exit_codes_and_signals(world):
    world.start()
    assert world.sh("exit 42", check=False).returncode == 42
    assert world.sh("kill -TERM $$", check=False).returncode == 128 + signal.SIGTERM
    assert world.exec("--", "no-such-command", check=False).returncode == 127
    assert world.exec("--", "/etc/passwd", check=False).returncode == 126


def check_streams_pass_bytes(world):
    world.start()
    data = os.urandom(3 << 20)
    assert world.exec("--", "cat", input=data).stdout == data
    big = world.sh("head -c 2000000 /dev/zero >&2; echo end", check=True)
    assert len(big.stderr) == 2000000 and big.stdout == b"end\n"
    odd = b"\xff\xfe\x01 a"
    assert world.exec("--", "printf", "%s", odd).stdout == odd
    assert world.exec("--env", b"ODD=\xfe\xff", "--", "sh", "-c", "printf %s \"$ODD\"").stdout == b"\xfe\xff"


def check_long_arguments(world):
    world.start()
    long = "x" * 100_000
    assert world.exec("--", "sh", "-c", "printf %s \"$2\"", long, long, long[:-1] + "y").stdout.decode() == long[:-1] + "y"


def check_signals_reach_only_that_command(world):
    world.start()
    other = world.popen("session", "exec", "s", "--", "sleep", world.word())
    mine = world.popen("session", "exec", "s", "--", "sh", "-c", "trap 'echo got; exit 5' INT; echo ready; while :; do sleep 0.05; done")
    assert mine.stdout.readline() == b"ready\n"
    until(lambda: world.listed()[0]["commands"] == 2, "both run")
    mine.send_signal(signal.SIGINT)
    assert mine.communicate()[0] == b"got\n" and mine.returncode == 5
    assert other.poll() is None
    other.terminate()
    other.communicate()
    assert other.returncode == 128 + signal.SIGTERM, other.returncode


def check_a_timeout_ends_that_tree_and_nothing_else(world):
    world.start()
    stays, child, hidden = world.word(), world.word(), world.word()
    world.sh("sleep %s >/dev/null 2>&1 &" % stays)
    beside = world.popen("session", "exec", "s", "--", "sleep", world.word())
    double = "import os,sys\nif os.fork()==0:\n os.setsid()\n if os.fork()==0: os.execvp('sleep',['sleep',sys.argv[1]])\n os._exit(0)\nos.wait()"
    script = "python3 -c \"$1\" %s; setsid sleep %s & sleep 1000" % (hidden, child)
    for seconds in (1, 5, 25, 125):  # a slow machine may need longer to start both
        timed = world.popen("session", "exec", "s", "--timeout", "%ds" % seconds, "--", "sh", "-c", script, "sh", double)
        started = False
        while timed.poll() is None:
            started = started or bool(with_word(hidden) and with_word(child))
            time.sleep(0.02)
        timed.communicate()
        assert timed.returncode == 124, timed.returncode
        if started:
            break
    assert started, "sleep %s and sleep %s never ran at the same time" % (hidden, child)
    assert not with_word(hidden) and not with_word(child)
    until(lambda: with_word(stays), "it runs")
    assert beside.poll() is None
    world.sh("true")
    beside.terminate()
    beside.communicate()


def check_limits_are_each_commands_own(world):
    world.start()
    assert world.sh("head -c 100000 /dev/zero", "--output-limit", "10K", check=False).returncode == 128 + signal.SIGKILL
    assert world.sh("head -c 100000 /dev/zero").returncode == 0
    burn = "while :; do :; done"
    assert world.sh(burn, "--cpu-time", "300ms", check=False).returncode in (128 + signal.SIGKILL, 128 + signal.SIGXCPU)
    eat = "x = bytearray(200 << 20)\nimport time\ntime.sleep(30)"
    ran = world.exec("--memory", "50M", "--report", str(world.workspace / "r.json"), "--", "python3", "-c", eat, check=False)
    assert ran.returncode == 128 + signal.SIGKILL, ran
    assert json.loads((world.workspace / "r.json").read_text())["outcome"]["by"] == "limit.memory"


def check_limits_of_the_session_hold_for_each_command(world):
    world.start("--timeout", "1s", "--output-limit", "20K")
    assert world.exec("--", "sleep", "1000", check=False).returncode == 124
    assert world.sh("head -c 100000 /dev/zero", "--timeout", "100s", check=False).returncode == 128 + signal.SIGKILL
    assert world.sh("sleep 1.5; echo over", "--timeout", "100s").stdout == b"over\n"


def check_a_report_is_that_commands(world):
    world.start()
    secret = world.home / "secret"
    secret.write_text("x")
    report = world.workspace / "report.json"
    world.exec("--report", str(report), "--", "cat", str(secret), check=False)
    reported = json.loads(report.read_text())
    assert reported["outcome"] == {"kind": "exited", "code": 1} and reported["backend"] == world.backend, reported
    assert reported["coverage"] and [d["resource"] for d in reported["denials"]] == [str(secret)], reported
    assert reported["usage"]["processes"] >= 1 and reported["usage"]["peak_memory_bytes"] > 0
    world.exec("--report", str(report), "--", "true")
    assert json.loads(report.read_text())["denials"] == []


def check_a_denial_is_summed_up_unless_quiet(world):
    world.start()
    (world.home / "secret").write_text("x")
    loud = world.exec("--", "cat", str(world.home / "secret"), check=False)
    assert b"denied 1 thing" in loud.stderr and b"--read" in loud.stderr, loud
    assert b"pinfold: denied" not in world.exec("--quiet", "--", "cat", str(world.home / "secret"), check=False).stderr


def check_directories(world):
    (world.workspace / "below").mkdir()
    (world.workspace / "below").chmod(0o755)
    world.start()
    assert world.exec("--", "pwd").stdout.decode().strip() == str(world.workspace)
    assert world.exec("--", "pwd", cwd=world.workspace / "below").stdout.decode().strip() == str(world.workspace / "below")
    assert world.exec("--", "pwd", cwd="/").stdout.decode().strip() in ("/", str(world.workspace))
    assert world.exec("--cwd", "below", "--", "pwd").stdout.decode().strip() == str(world.workspace / "below")
    hidden = world.exec("--cwd", str(world.runtime), "--", "pwd", check=False)
    # Without mounts the directory is the host's own; nothing in it can be read.
    assert world.backend == "landlock" or (hidden.returncode == 125 and b"directory" in hidden.stderr), hidden
    assert world.exec("--cwd", "/root", "--", "pwd", check=False).returncode == 125
    assert world.exec("--", "pwd", cwd=world.base).stdout.decode().strip() == str(world.workspace)


def check_variables(world):
    world.start("--env", "A=session")
    assert world.sh("echo $A $B", "--env", "B=mine").stdout == b"session mine\n"
    assert world.sh("echo $A", "--env", "A=other").stdout == b"other\n"
    assert world.sh("echo $C", "--env", "C", env={**world.env, "C": "passed"}).stdout == b"passed\n"
    assert world.sh("echo [$C]", env={**world.env, "C": "not passed"}).stdout == b"[]\n"


def check_fifty_at_once(world):
    world.start()
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        ran = list(pool.map(lambda n: world.sh("echo %d; exit %d" % (n, n % 7), check=False), range(50)))
    assert [(r.stdout, r.returncode) for r in ran] == [(b"%d\n" % n, n % 7) for n in range(50)], ran
    until(lambda: world.listed()[0]["commands"] == 0, "none runs any more")


def check_protected_names_stay_protected(world):
    """The guard answers the calls of every command, also of processes that one has left behind."""
    if world.backend == "landlock":
        return
    world.start()
    late = "while ! [ -e /tmp/go ]; do sleep 0.05; done; mkdir made-late && echo yes > /tmp/late; mkdir .vscode; echo $? > /tmp/refused"
    world.sh("(%s) >/dev/null 2>&1 &" % late)
    first = world.sh("mkdir .vscode", check=False)
    assert first.returncode != 0 and not (world.workspace / ".vscode").exists(), first
    world.sh("mkdir .mcp.json; mkdir fine; touch /tmp/go", check=False)
    until(lambda: world.sh("cat /tmp/refused", check=False).stdout.strip(), "the background process has tried")
    assert world.sh("cat /tmp/late /tmp/refused").stdout == b"yes\n1\n"
    assert (world.workspace / "made-late").is_dir() and (world.workspace / "fine").is_dir()
    assert not (world.workspace / ".vscode").exists() and not (world.workspace / ".mcp.json").exists()


def check_network_by_name_holds_for_the_session(world):
    if world.backend == "landlock":
        return

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # pylint: disable=invalid-name
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"from outside")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    fetch = "import urllib.request; print(urllib.request.urlopen('http://localhost:%d/').read().decode())"
    try:
        world.start("--net", "localhost:%d" % port)
        for _ in range(2):
            assert world.exec("--", "python3", "-c", fetch % port).stdout == b"from outside\n"
        report = world.workspace / "r.json"
        other = world.exec("--report", str(report), "--", "python3", "-c",
                           "import socket; socket.getaddrinfo('not.granted.example', 80)", check=False)
        assert other.returncode != 0
        assert "not.granted.example" in [d.get("host") for d in json.loads(report.read_text())["denials"]]
        world.start(name="closed")
        assert world.exec("--", "python3", "-c", fetch % port, name="closed", check=False).returncode != 0
    finally:
        server.shutdown()


def check_closed_streams(world):
    """A client that has none of the three."""
    world.start()
    ran = subprocess.run(["sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh", *world.command("session", "exec", "s", "--", "sh", "-c", "exit 9")],
                         cwd=world.workspace, env=world.env, check=False)
    assert ran.returncode == 9


@native_only
def check_gone_children_are_reaped(world):
    world.start()
    for _ in range(20):
        world.sh("(sleep 0.01 &) ; true")
    until(lambda: int(world.sh("ps ax -o stat= | grep -c Z || true").stdout) == 0, "no zombie inside")
    assert not is_gone(world.keeper())
