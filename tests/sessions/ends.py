"""ends.py: the ends of clients, sessions and owners, and leftovers."""
import fcntl
import os
import signal
import subprocess

from waiting import children, fields
from world import ORDINARY, PATIENCE, is_gone, kill, native_only, until, with_word


def check_a_killed_client_takes_its_tree_along_and_nothing_else(world):
    world.start()
    mine, beside = world.word(), world.word()
    world.sh("sleep %s >/dev/null 2>&1 &" % beside)
    until(lambda: with_word(beside), "the background process runs")
    client = world.popen("session", "exec", "s", "--", "sh", "-c", "setsid sleep %s & echo ready; sleep 1000" % mine)
    assert client.stdout.readline() == b"ready\n"
    until(lambda: with_word(mine), "it runs")
    client.kill()
    client.wait()
    until(lambda: not with_word(mine), "its tree ends")
    assert with_word(beside), world.listed()
    assert world.sh("echo lives").stdout == b"lives\n"
    until(lambda: world.listed()[0]["commands"] == 0, "it is not counted any more")


def check_stop_leaves_nothing(world):
    world.start()
    word = world.word()
    running = world.popen("session", "exec", "s", "--", "sleep", word)
    world.sh("setsid sleep %s >/dev/null 2>&1 & mkdir -p .git; touch /tmp/x" % word, check=False)
    until(lambda: len(with_word(word)) >= 2, "both run")
    keeper = world.keeper()
    world.run("session", "stop", "s")
    assert not [pid for pid in with_word(word) if pid != running.pid and "pinfold" not in os.readlink("/proc/%d/exe" % pid)]
    running.communicate()
    assert running.returncode == 125, running.returncode
    world.assert_nothing_left()
    assert not cgroups(keeper)


def cgroups(pid):
    """Those that this process has made."""
    found = set()
    for root, names, _ in os.walk("/sys/fs/cgroup"):
        found |= {os.path.join(root, name) for name in names if name.startswith("pinfold-%d-" % pid)}
    return found


def check_limits_by_cgroup_leave_nothing(world):
    world.start("--memory", "300M", "--processes", "50")
    keeper = world.keeper()
    assert os.geteuid() != 0 or world.user != "root" or cgroups(keeper)
    world.sh("true")
    world.run("session", "stop", "s")
    assert not cgroups(keeper), cgroups(keeper)
    world.assert_nothing_left()


def owned(world, *flags):
    """A shell that starts a session and stays; closing its input ends it."""
    text = "\"$@\" && read line"
    return subprocess.Popen(["sh", "-c", text, "sh", *world.command("session", "start", "--name", "s", *world.flags(), *flags)],
                            cwd=world.workspace, env=world.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def check_a_session_ends_with_its_owner(world):
    word = world.word()
    owner = owned(world)
    assert owner.stdout.readline() == b"s\n"
    keeper = world.keeper()
    world.sh("sleep %s >/dev/null 2>&1 &" % word)
    until(lambda: with_word(word), "it runs")
    owner.stdin.close()
    owner.wait()
    until(lambda: is_gone(keeper) and not with_word(word), "the session ends")
    world.assert_nothing_left()


def check_a_session_ends_with_an_owner_that_is_killed(world):
    owner = owned(world)
    assert owner.stdout.readline() == b"s\n"
    keeper = world.keeper()
    owner.kill()
    owner.wait()
    until(lambda: is_gone(keeper), "the session ends")
    until(lambda: world.listed() == [], "it is not listed")


def check_a_detached_session_stays(world):
    owner = owned(world, "--detach")
    assert owner.stdout.readline() == b"s\n"
    owner.stdin.close()
    owner.wait()
    assert world.sh("echo stays").stdout == b"stays\n"


@native_only
def check_command_substitution_does_not_end_it(world):
    """name=$(pinfold session start): the owner is the shell, not the subshell that reads the name."""
    text = "name=$(\"$@\"); sleep 0.3; %s session exec \"$name\" -- echo lives" % world.pinfold
    for shell in ("bash", "dash", "zsh"):
        ran = subprocess.run([*world.command()[:-1], shell, "-c", text, shell, world.pinfold, "session", "start", *world.flags()],
                             cwd=world.workspace, env=world.env, capture_output=True, check=False)
        assert ran.stdout == b"lives\n", (shell, ran)
    until(lambda: world.listed() == [], "each ended with its shell")


def check_a_killed_session_leaves_no_process(world):
    world.start()
    word = world.word()
    world.sh("setsid sleep %s >/dev/null 2>&1 &" % word)
    client = world.popen("session", "exec", "s", "--", "sleep", word)
    until(lambda: len(with_word(word)) >= 3, "both run, and the client")
    kill(world.keeper())
    client.communicate()
    assert client.returncode == 125
    until(lambda: not with_word(word), "everything inside ends")
    assert world.run("session", "list").stdout == b""  # and its files in the directory are removed
    world.assert_nothing_left()
    world.start()  # under the same name
    assert world.sh("echo again").stdout == b"again\n"


def status_of(pid):
    """/proc/PID/status as a dictionary of words; empty for a process that is gone."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
            return {line.split(":")[0]: line.split()[1:] for line in file}
    except OSError:
        return {}


def ancestors(pid):
    found = []
    while status_of(pid).get("PPid", ["0"]) != ["0"]:
        pid = int(status_of(pid).get("PPid", ["0"])[0])
        found.append(pid)
    return found


def first_process(command, session):
    """PID 1 of its pid namespace, or, where there is none, the session's child, above this command."""
    above = ancestors(command)
    above = above[:above.index(session)]
    return next((pid for pid in above if status_of(pid).get("NSpid", ["", "0"])[1:][-1:] == ["1"]), above[-1])


def check_a_first_process_that_is_killed_from_outside_takes_everything_along(world):
    """On landlock no pid namespace ends the others with it."""
    world.start()
    word = world.word()
    client = world.popen("session", "exec", "s", "--", "sh", "-c", "setsid sleep %s & echo ready; sleep %s" % (word, word))
    assert client.stdout.readline() == b"ready\n"
    session = world.keeper()
    inside = until(lambda: [pid for pid in with_word(word) if session in ancestors(pid)], "the command runs below the session")
    kill(first_process(inside[0], session))
    client.communicate()
    assert client.returncode == 125, client.returncode
    until(lambda: is_gone(session) and not with_word(word), "the end of the session and of its command's processes")
    world.assert_nothing_left()


def check_a_run_ends_with_its_first_process_that_is_killed_from_outside(world):
    word = world.word()
    run = world.popen("run", *world.flags(), "--", "sh", "-c", "setsid sleep %s & echo ready; sleep %s" % (word, word))
    assert run.stdout.readline() == b"ready\n"
    inside = until(lambda: [pid for pid in with_word(word) if run.pid in ancestors(pid)], "the command runs below the supervisor")
    kill(first_process(inside[0], run.pid))
    _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 125 and b"pinfold: " in err, (run.returncode, err)
    until(lambda: not with_word(word), "the end of every process of the run")


def check_a_start_that_is_killed_leaves_no_session(world):
    """No process knows the name of such a session."""
    world.run("session", "list")  # makes the lock, which a start needs before the session gets a name
    with open(world.place() / ".lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        client = world.popen("session", "start", "--detach", "--name", "s", *world.flags())
        session, = until(lambda: children(client.pid)[:1], "the session's process")
        client.kill()
        client.wait()
    until(lambda: is_gone(session), "the session's process ends")
    world.run("session", "list")
    world.assert_nothing_left()


def check_terminated_session_leaves_nothing(world):
    world.start()
    keeper = world.keeper()
    kill(keeper, signal.SIGTERM)
    until(lambda: is_gone(keeper), "it ends")
    world.assert_nothing_left()


def check_killing_the_keeper_ends_the_session(world):
    """A command may end the process that keeps it; it gains nothing by it."""
    world.start()
    word = world.word()
    keeper = world.keeper()
    ran = world.sh("setsid sleep %s >/dev/null 2>&1 & kill -9 $PPID || exit 77; sleep 1000" % word, check=False)
    if ran.returncode == 77 and world.backend == "landlock":  # there it is out of reach
        return
    until(lambda: is_gone(keeper) and not with_word(word), "the session ends")
    world.assert_nothing_left()


@native_only
def check_other_users_cannot_connect(world):
    if os.geteuid() != 0 or world.user != "root":
        return
    world.start()
    world.base.chmod(0o777)
    world.runtime.chmod(0o777)
    (world.runtime / "pinfold").chmod(0o777)
    identity = next(p.name for p in world.place().iterdir() if p.is_dir() and not p.is_symlink())
    for path in (world.place() / identity, world.place() / identity / "control"):
        path.chmod(0o777)  # the file system would let them: the session itself must not
    ask = ("import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_SEQPACKET)\ns.connect(sys.argv[1])\n"
           "s.send(b'{\"v\":1,\"ask\":\"describe\"}')\nprint(s.recv(100000))")
    control = str(world.place() / identity / "control")
    ours = subprocess.run(["/usr/bin/python3", "-c", ask, control], capture_output=True, check=False)
    assert b"described" in ours.stdout, ours
    theirs = subprocess.run(["setpriv", "--reuid=%d" % ORDINARY, "--regid=%d" % ORDINARY, "--clear-groups", "/usr/bin/python3", "-c", ask, control],
                            capture_output=True, check=False)
    assert b"described" not in theirs.stdout, theirs
    refused = world.run("session", "list", check=False)
    world.place().chmod(0o700)
    assert b"described" not in refused.stdout


@native_only
def check_nonsense_is_answered_and_has_no_effect(world):
    world.start()
    identity = next(p.name for p in world.place().iterdir() if p.is_dir() and not p.is_symlink())
    ask = ("import socket,sys\nfor text in (b'', b'x', b'[]', b'{}', b'{\"v\":2,\"ask\":\"describe\"}', b'{\"v\":1,\"ask\":\"run\"}',\n"
           "             b'{\"v\":1,\"ask\":\"run\",\"argv\":[\"true\"],\"variables\":[],\"fresh_signals\":true,\"knows_limits\":true,\"terminals\":0}',\n"
           "             b'{\"v\":1,\"in\":\"file\"}', b'[' * 30000, b'\\xff' * 200):\n"
           " s=socket.socket(socket.AF_UNIX,socket.SOCK_SEQPACKET); s.connect(sys.argv[1])\n"
           " if text: s.send(text); print(s.recv(100000).decode())\n s.close()")
    control = str(world.place() / identity / "control")
    ran = subprocess.run([*world.command()[:-1], "/usr/bin/python3", "-c", ask, control], capture_output=True, check=False, timeout=60)
    lines = ran.stdout.decode().splitlines()
    assert len(lines) == 9 and all('"failed"' in line for line in lines), ran
    assert "another version" in lines[3] and "is missing from the request" in lines[5], lines
    assert world.sh("echo fine").stdout == b"fine\n"
