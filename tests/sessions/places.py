"""places.py: names, lists, and where sessions are found."""
import os
import shutil
import socket
import subprocess
import threading

from world import native_only, prefix, until


def check_two_sessions_are_separate(world):
    world.start(name="one")
    world.start(name="two")
    world.sh("echo mine > $TMPDIR/f", name="one")
    assert world.sh("cat $TMPDIR/f", name="two", check=False).returncode != 0
    if world.backend != "landlock":
        assert b"sleep" in world.sh("sleep 1000 & until ps ax -o comm= | grep -q sleep; do sleep 0.05; done; ps ax -o comm=", name="one").stdout
        assert b"sleep" not in world.sh("ps ax -o comm=", name="two").stdout
    world.run("session", "stop", "one")
    assert world.sh("echo lives", name="two").stdout == b"lives\n"


@native_only
def check_names(world):
    world.start(name="alpha")
    world.start(name="alpine")
    taken = world.run("session", "start", "--name", "alpha", check=False)
    assert taken.returncode == 125 and b"already" in taken.stderr, taken
    for bad in ("", "-x", ".x", "a b", "a/b", "x" * 65, "0123abcd"):
        assert world.run("session", "start", "--name=" + bad, check=False).returncode == 125, bad
    assert world.sh("echo a", name="alpha").stdout == b"a\n"
    assert world.sh("echo b", name="alpi").stdout == b"b\n"
    ambiguous = world.sh("true", name="alp", check=False)
    assert ambiguous.returncode == 125 and b"alpha, alpine" in ambiguous.stderr, ambiguous
    unknown = world.sh("true", name="beta", check=False)
    assert unknown.returncode == 125 and b"alpha, alpine" in unknown.stderr, unknown
    only_id = world.run("session", "start").stdout.decode().strip()
    assert len(only_id) == 8
    world_ids = [entry["id"] for entry in world.listed()]
    assert only_id in world_ids and world.sh("echo c", name=only_id).stdout == b"c\n"


@native_only
def check_list_shows_running_commands(world):
    assert b"no session" in world.run("session", "list").stderr
    world.start()
    running = world.popen("session", "exec", "s", "--", "sleep", "1000")
    until(lambda: world.listed()[0]["commands"] == 1, "it is counted")
    table = world.run("session", "list").stdout.decode().splitlines()
    assert table[0].split() == ["NAME", "ID", "AGE", "RUNNING", "BACKEND", "WORKSPACE"]
    row = table[1].split()
    assert (row[0], row[3], row[4], row[5]) == ("s", "1", world.backend, str(world.workspace)), row
    running.terminate()
    running.communicate()


@native_only
def check_list_while_others_start_and_stop(world):
    problems = []

    def many(index):
        for turn in range(3):
            name = "n%d-%d" % (index, turn)
            if world.run("session", "start", "--detach", "--name", name, check=False).returncode != 0:
                problems.append(name)
            elif world.run("session", "stop", name, check=False).returncode != 0:
                problems.append("stop " + name)

    threads = [threading.Thread(target=many, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if world.run("session", "list", "--json", check=False).returncode != 0:
            problems.append("list")
    assert not problems, problems
    world.assert_nothing_left()


@native_only
def check_leftovers_of_killed_sessions_are_removed(world):
    world.start()  # makes the directory
    world.run("session", "stop", "s")
    stale = world.place() / "deadbeef"
    stale.mkdir(mode=0o700)
    dead = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    dead.bind(str(stale / "control"))
    dead.close()
    (world.place() / "@ghost").symlink_to("deadbeef")
    if world.user != "root" and os.geteuid() == 0:
        for path in (stale, stale / "control"):
            shutil.chown(path, 12345, 12345)
    gone = world.sh("true", name="ghost", check=False)
    assert gone.returncode == 125 and b"no session" in gone.stderr, gone
    world.assert_nothing_left()
    world.start(name="ghost")


@native_only
def check_a_place_that_others_may_enter_is_not_used(world):
    world.place().mkdir(mode=0o755)
    if world.user != "root" and os.geteuid() == 0:
        shutil.chown(world.place(), 12345, 12345)
    os.chmod(world.place(), 0o755)
    name = world.start("--detach")
    assert list(world.place().iterdir()) == []  # it is in /tmp/pinfold-UID
    assert world.sh("echo there").stdout == b"there\n"
    world.run("session", "stop", name)


@native_only
def check_a_refused_policy_is_refused_at_the_start(world):
    bad = world.run("session", "start", "--read", str(world.base / "not-there"), check=False)
    same = world.run("run", "--read", str(world.base / "not-there"), "--", "true", check=False)
    assert bad.returncode == same.returncode == 125 and bad.stderr == same.stderr, (bad, same)
    for flag in ("--no-sandbox", "-c"):
        assert world.run("session", "start", flag, check=False).returncode == 125
    assert world.run("session", "start", "ls", check=False).returncode == 125
    world.assert_nothing_left()


@native_only
def check_gaps_need_consent(world):
    if "landlock" not in subprocess.run([*prefix(world.user), world.pinfold, "doctor"], capture_output=True, text=True, env=world.env,
                                        cwd=world.workspace, check=False).stdout:
        return
    refused = world.run("session", "start", "--backend", "landlock", "--net", "example.org", check=False)
    as_run = world.run("run", "--backend", "landlock", "--net", "example.org", "--", "true", check=False)
    assert refused.returncode == as_run.returncode != 0, (refused, as_run)


@native_only
def check_no_stream_of_the_caller_is_held(world):
    """A pipe that read `session start` ends with it."""
    ran = subprocess.run(["sh", "-c", "\"$@\" 2>&1 7>&1 | cat", "sh", *world.command("session", "start", "--detach", "--name", "s")],
                         cwd=world.workspace, env=world.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert ran.stdout == b"s\n"
    held = {os.readlink("/proc/%d/fd/%s" % (world.keeper(), fd)) for fd in ("0", "1", "2")}
    assert held == {"/dev/null"}, held
    assert os.readlink("/proc/%d/cwd" % world.keeper()) == "/"


@native_only
def check_the_socket_cannot_be_reached_from_inside(world):
    """Not by path, and not by one that is shown on purpose: else one sandbox could command another."""
    world.start("--read", str(world.runtime), "--read", str(world.base), name="one")
    world.start(name="two")
    ask = "import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_SEQPACKET)\ns.connect(sys.argv[1])\ns.send(b'{\"v\":1,\"ask\":\"describe\"}')\nprint(s.recv(100000))"
    control = str(world.place() / "@two" / "control")
    bare = subprocess.run([*prefix(world.user), "/usr/bin/python3", "-c", ask, control], capture_output=True, check=False)
    assert b"described" in bare.stdout, bare
    inside = world.exec("--", "/usr/bin/python3", "-c", ask, control, name="one", check=False)
    assert b"described" not in inside.stdout, inside
