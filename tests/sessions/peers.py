"""peers.py: which processes a session talks to: not to a confined one; and what a client says of a session that does not answer."""
import os
import shlex
import shutil
import signal
import subprocess

from world import ORDINARY, PATIENCE, kill, native_only, prefix, until, with_word

# The profile that shows every file of the host, control sockets included.
FULL_ACCESS = "danger-full-access"

# Every way to a control socket: by its path, through each process's root and working directory, by a link, by a descriptor, relative
# to its directory; and by a child that has ended by the time the session is asked. Prints a line for each.
REACH = """
import os, socket, sys
place, names = sys.argv[1], sys.argv[2:]
def ask(how, path, ends=False, at=None):
    try:
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(20)
        if at:
            os.chdir(at)
        if ends:
            if os.fork() == 0:
                os._exit(s.connect(path) or 0)
            os.wait()
        else:
            s.connect(path)
        s.send(b'{"v":1,"ask":"describe"}')
        answer = s.recv(100000)
        print(how, 'REACHED' if b'described' in answer else 'refused')
    except OSError as error:
        print(how, error)
for name in names:
    control = place + '/' + name + '/control'
    ask('path', control)
    ask('ended', control, ends=True)
    for pid in filter(str.isdigit, os.listdir('/proc')):
        for link in ('root', 'cwd'):
            through = '/proc/%s/%s' % (pid, link)
            if os.path.lexists(through + control):
                ask(through, through + control)
    try:
        os.symlink(control, 'link')
        ask('link', 'link')
        os.unlink('link')
    except OSError as error:
        print('link', error)
    try:
        directory = os.open(os.path.dirname(control), os.O_PATH)
        ask('descriptor', '/proc/self/fd/%d/control' % directory)
    except OSError as error:
        print('descriptor', error)
    ask('relative', 'control', at=os.path.dirname(control))
try:
    print('listed', os.listdir(place))
except OSError as error:
    print('listed', error)
print('tried')
"""


def sessions_of(world):
    return [each.name for each in world.place().iterdir() if each.is_dir() and not each.is_symlink()]


def own(world, path):
    if os.geteuid() == 0 and world.user != "root":
        os.chown(path, ORDINARY, ORDINARY)


def check_a_confined_command_reaches_no_session(world):
    world.start()
    names = sessions_of(world)
    (world.workspace / "reach.py").write_text(REACH)
    script = ["python3", "reach.py", str(world.place()), *names]
    bare = subprocess.run([*prefix(world.user), *script], cwd=world.workspace, env=world.env, capture_output=True, timeout=PATIENCE, check=False)
    for how in (b"path", b"link", b"descriptor", b"relative"):
        assert how + b" REACHED" in bare.stdout, bare
    shutil.copy(world.pinfold, world.workspace / "pinfold")
    own(world, world.workspace / "pinfold")
    for flag in ("--read", "--write"):
        ran = world.run("run", *world.flags(), flag, str(world.place()), "--", "true", check=False)
        assert ran.returncode == 125 and b"no sandbox shows" in ran.stderr, ran
    tried = [[], ["--read", str(world.runtime)], ["--write", str(world.runtime)], ["--net", "full", "--write", str(world.runtime)]]
    if world.backend != "landlock":  # which needs a place that the command cannot write
        tried.append(["--profile", FULL_ACCESS])
    for number, flags in enumerate(tried):
        other = "other%d" % number
        world.start(*flags, name=other)
        for argv in (["run", "-q", *world.flags(), *flags, "--"], ["session", "exec", other, "--"]):
            ran = world.run(*argv, *script, check=False)
            assert b"tried" in ran.stdout and b"REACHED" not in ran.stdout, (flags, ran)
            if world.backend != "landlock" and FULL_ACCESS not in flags:
                assert names[0].encode() not in ran.stdout.rpartition(b"listed")[2], (flags, ran)  # its names are hidden, too
            # The program itself, as a client.
            ran = world.run(*argv, "env", "XDG_RUNTIME_DIR=%s" % world.runtime, "./pinfold", "session", "exec", "s", "--", "echo", "REACHED", check=False)
            assert ran.returncode != 0 and b"REACHED" not in ran.stdout, (flags, ran)
        world.run("session", "stop", other)
    assert world.sh("echo lives").stdout == b"lives\n"


def check_the_directory_of_sessions_is_hidden_before_there_is_one(world):
    """A run that shows $XDG_RUNTIME_DIR shows no session that is started later."""
    if world.backend == "landlock":  # it cannot revoke granted rights; connecting is refused there
        return
    script = "echo ready; read line; ls -A %s" % world.place()
    with world.popen("run", "-q", *world.flags(), "--read", str(world.runtime), "--", "sh", "-c", script, stdin=subprocess.PIPE) as run:
        assert run.stdout.readline() == b"ready\n"
        world.start()
        out, _ = run.communicate(b"\n", timeout=PATIENCE)
    assert sessions_of(world) and out == b"", out


SETUID = """
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 none {at}
cp /usr/bin/bwrap {at}/bwrap
chmod 4755 {at}/bwrap
mount --bind {at}/bwrap /usr/bin/bwrap
exec {then}
"""


def check_a_setuid_bubblewrap_makes_no_difference(world):
    """It makes no user namespace: other namespaces and the filter must tell the confined process."""
    if world.backend != "bubblewrap" or os.geteuid() != 0 or world.user == "root":
        return
    (world.workspace / "reach.py").write_text(REACH)
    at = world.base / "setuid"
    at.mkdir()
    script = ("trap '{0} session stop s' EXIT; {0} session start --name s {1} >&2 || exit 9; {0} session exec s -- echo works; "
              "{0} run -q {1} --profile {3} -- python3 reach.py {2} $(cd {2} && ls -d ????????)").format(world.pinfold, shlex.join(world.flags()), world.place(), FULL_ACCESS)
    then = shlex.join([*prefix(world.user), "sh", "-c", script])
    ran = subprocess.run(["unshare", "--mount", "sh", "-c", SETUID.format(at=at, then=then)], cwd=world.workspace, env=world.env,
                         stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
    assert ran.stdout.startswith(b"works\n") and b"tried" in ran.stdout and b"REACHED" not in ran.stdout, ran
    assert b"path refused" in ran.stdout or b"path [Errno" in ran.stdout, ran


@native_only
def check_a_client_that_is_confined_more_gets_an_error(world):
    world.start()
    confined = ["setpriv", "--no-new-privs"]
    ran = subprocess.run([*confined, *world.command("session", "exec", "s", "--", "echo", "inside")], cwd=world.workspace, env=world.env,
                         capture_output=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 125 and ran.stdout == b"" and b"no_new_privs" in ran.stderr and b"same shell" in ran.stderr, ran
    # Where the session is confined as much, the client is not confined more.
    script = "trap '{0} session stop both' EXIT; {0} session start --name both >/dev/null && {0} session exec both -- echo inside".format(world.pinfold)
    ran = subprocess.run([*confined, *prefix(world.user), "sh", "-c", script], cwd=world.workspace, env=world.env, capture_output=True,
                         timeout=PATIENCE, check=False)
    assert ran.stdout == b"inside\n", ran


@native_only
def check_a_root_client_with_fewer_capabilities_is_refused(world):
    """Same user, same namespaces, no filter: only /proc/PID/status tells."""
    if os.geteuid() != 0 or world.user != "root":
        return
    world.start()
    (world.workspace / "reach.py").write_text(REACH)
    script = ["python3", "reach.py", str(world.place()), *sessions_of(world)]
    options = {"cwd": world.workspace, "env": world.env, "capture_output": True, "timeout": PATIENCE, "check": False}
    assert b"path REACHED" in subprocess.run(script, **options).stdout
    for fewer in (["--bounding-set", "-sys_admin"], ["--bounding-set", "-all", "--inh-caps", "-all"]):
        ran = subprocess.run(["setpriv", *fewer, *script], **options)
        assert b"tried" in ran.stdout and b"REACHED" not in ran.stdout, (fewer, ran)
        ran = subprocess.run(["setpriv", *fewer, *world.command("session", "exec", "s", "--", "echo", "inside")], **options)
        # With no capability at all it may not look at the session's namespaces.
        assert ran.returncode == 125 and ran.stdout == b"" and (b"capabilit" in ran.stderr or b"cannot be examined" in ran.stderr), (fewer, ran)
    # Where the session has as few, the client is not confined more.
    script = "trap '{0} session stop both' EXIT; {0} session start --name both >/dev/null && {0} session exec both -- echo inside".format(world.pinfold)
    ran = subprocess.run(["setpriv", "--bounding-set", "-sys_admin", "sh", "-c", script], **options)
    assert ran.stdout == b"inside\n", ran


@native_only
def check_a_stopped_session_blocks_no_client(world):
    world.start()
    keeper = world.keeper()
    word = world.word()
    running = world.popen("session", "exec", "s", "--", "sleep", word)
    timed = world.popen("session", "exec", "s", "--timeout", "2s", "--", "sleep", word)
    until(lambda: len([pid for pid in with_word(word) if "sleep" in os.readlink("/proc/%d/exe" % pid)]) == 2, "both run")
    kill(keeper, signal.SIGSTOP)
    try:
        fix = b"kill -CONT %d" % keeper
        ran = world.sh("true", check=False)
        assert ran.returncode == 125 and b"is stopped" in ran.stderr and fix in ran.stderr, ran
        ran = world.run("session", "stop", "s", check=False)
        assert ran.returncode == 125 and b"error: process %d" % keeper in ran.stderr and b"is stopped" in ran.stderr and fix in ran.stderr, ran
        ran = world.run("session", "list")
        assert b"unresponsive" in ran.stdout and fix in ran.stderr, ran
        assert [entry["state"] for entry in world.listed()] == ["unresponsive"]
        running.send_signal(signal.SIGINT)
        _, reported = running.communicate(timeout=PATIENCE)
        assert running.returncode == 125 and fix in reported, (running.returncode, reported)
        timed.communicate(timeout=PATIENCE)
        assert timed.returncode == 124, timed.returncode
    finally:
        kill(keeper, signal.SIGCONT)
    until(lambda: not with_word(word), "their clients have ended, and so do they")
    assert world.sh("echo lives").stdout == b"lives\n"
