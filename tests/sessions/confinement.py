"""confinement.py: the objects that a command brings into a sandbox, and access by them: streams, Pinfold's own directories, limits, tracers.

Each attempt is made bare first, where it must succeed. Both `run` and `session exec`, because descriptors cross in different ways.
"""
import os
import subprocess
import sys
import time

from world import PATIENCE, native_only, prefix, until, with_word

# Python does not start with a directory as its own input.
CHMOD_BESIDE = "exec 7<&{fd} {fd}<>/dev/null && exec python3 -c \"import os; os.fchdir(7); os.chmod('keys/id', 0o777)\""
CHMOD_ITSELF = "import os; os.fchmod(0, 0o777)"
CHMOD_BY_NAME = "import os; os.chmod('/proc/self/fd/0', 0o777)"


def bare(world, *argv, **options):
    return subprocess.run([*prefix(world.user), *argv], cwd=world.workspace, env=world.env, capture_output=True, timeout=PATIENCE,
                          check=False, **options)


def own(world, path):
    if os.geteuid() == 0 and world.user != "root":
        os.chown(path, 12345, 12345)


def ways(world):
    """run, and session exec."""
    world.start()
    yield lambda *argv, **options: world.run("run", "-q", *world.flags(), "--", *argv, check=False, **options)
    yield lambda *argv, **options: world.run("session", "exec", "s", "--", *argv, check=False, **options)


def hidden_file(world, name="keys/id"):
    path = world.home / name
    path.parent.mkdir(exist_ok=True)
    own(world, path.parent)
    path.write_text("0123456789")
    path.chmod(0o600)
    own(world, path)
    return path


def mode(path):
    return path.stat().st_mode & 0o777


def check_a_directory_is_no_stream(world):
    key = hidden_file(world)
    for flags in (os.O_RDONLY, os.O_PATH):
        place = os.open(world.home, flags | os.O_DIRECTORY)
        try:
            assert bare(world, "sh", "-c", CHMOD_BESIDE.format(fd=0), stdin=place).returncode == 0 and mode(key) == 0o777
            key.chmod(0o600)
            for boxed in ways(world):
                ran = boxed("sh", "-c", CHMOD_BESIDE.format(fd=0), stdin=place)
                assert ran.returncode == 125 and b"standard input is a directory" in ran.stderr, ran
            world.run("session", "stop", "s")
            # The other two, by a shell: the test needs them to read the output.
            for stream in (1, 2):
                ran = subprocess.run([*prefix(world.user), world.pinfold, "run", "-q", *world.flags(), "--", "sh", "-c",
                                      CHMOD_BESIDE.format(fd=stream)], cwd=world.workspace, env=world.env, stdin=subprocess.DEVNULL,
                                     **{"stdout" if stream == 1 else "stderr": place}, timeout=PATIENCE, check=False)
                assert stream == 2 or ran.returncode == 125, ran  # output on the third goes through a pipe
            assert mode(key) == 0o600
        finally:
            os.close(place)


def check_a_file_for_reading_cannot_be_changed(world):
    key = hidden_file(world)
    for script in (CHMOD_ITSELF, CHMOD_BY_NAME, "import os; os.setxattr(0, 'user.x', b'1')", "import os; os.utime(0, (1, 1))"):
        with open(key, "rb") as file:
            reached = bare(world, "python3", "-c", script, stdin=file)
            assert reached.returncode == 0 or b"not supported" in reached.stderr, reached  # attributes, by the file system
        key.chmod(0o600)
        before = key.stat()
        for boxed in ways(world):
            with open(key, "rb") as file:
                ran = boxed("python3", "-c", script, stdin=file)
            assert ran.returncode == 1 and b"OSError" in ran.stderr or b"PermissionError" in ran.stderr, (script, ran)
            assert key.stat().st_mode == before.st_mode and key.stat().st_mtime == before.st_mtime, script
        world.run("session", "stop", "s")


def check_a_file_for_reading_is_a_file(world):
    key = hidden_file(world)
    script = ("import os, mmap; a = os.read(0, 3); os.lseek(0, 1, 0); m = mmap.mmap(0, 0, prot=mmap.PROT_READ); "
              "print(a.decode(), m[4:6].decode(), os.fstat(0).st_size); os.read(0, 4)")
    for boxed in ways(world):
        with open(key, "rb", buffering=0) as file:
            file.seek(2)
            ran = boxed("python3", "-c", script, stdin=file)
            assert ran.stdout == b"234 45 10\n", ran
            assert file.tell() == 5, file.tell()  # a later reader continues after it


def check_a_file_of_the_workspace_can_be_opened_again(world):
    path = world.workspace / "in"
    path.write_text("words\n")
    own(world, path)
    for boxed in ways(world):
        with open(path, "rb") as file:
            assert boxed("cat", "/dev/stdin", stdin=file).stdout == b"words\n"


def check_a_file_for_writing_is_written(world):
    out = hidden_file(world, "out")
    for _ in ways(world):
        with open(out, "wb") as file:
            argv = world.command("run", "-q", *world.flags(), "--", "sh", "-c", "echo written")
            assert subprocess.run(argv, cwd=world.workspace, env=world.env, stdin=subprocess.DEVNULL, stdout=file, timeout=PATIENCE,
                                  check=False).returncode == 0
        assert out.read_text() == "written\n"


def check_dev_null_of_the_host_is_not_changed(world):
    if world.user != "root" or world.backend != "native":
        return
    mode = os.stat("/dev/null").st_mode & 0o777
    # Sets the current value: harmless, but refused.
    attempts = ["os.fchmod(0, %d)" % mode, "os.chmod('/dev/null', %d)" % mode]
    for attempt in attempts:
        assert bare(world, "python3", "-c", "import os; " + attempt, stdin=subprocess.DEVNULL).returncode == 0
    for boxed in ways(world):
        for attempt in attempts:
            ran = boxed("python3", "-c", "import os; open('/dev/null', 'w').write('x'); " + attempt)
            assert ran.returncode == 1 and b"Read-only file system" in ran.stderr, ran


def check_own_places_stay_as_they_are_where_nothing_is_there_yet(world):
    places = (".config/pinfold/config.toml", ".local/state/pinfold/journal")
    for name in places:
        script = "mkdir -p ~/%s && echo 'network = \"full\"' > ~/%s" % (os.path.dirname(name), name)
        assert bare(world, "sh", "-c", script).returncode == 0 and (world.home / name).exists()
        top = name.split("/", maxsplit=1)[0]
        subprocess.run(["rm", "-rf", world.home / top], check=True)
        around = "; mkdir -p ~/x/pinfold ~/x/state/pinfold; mv ~/x ~/%s; ln -s x ~/%s" % (top, top)
        for more in ("", around):
            world.run("run", "-q", *world.flags(), "--no-journal", "--write", str(world.home), "--", "sh", "-c", script + more, check=False)
            assert not (world.home / name).exists(), (name, more)
            subprocess.run(["rm", "-rf", world.home / top], check=True)
        # Beside them every name can be created, and files that Pinfold creates during the run end no command. Landlock's rules give
        # existing names; a new name beside them would need a rule that covers them, too.
        if world.backend == "landlock":
            assert bare(world, "mkdir", "-p", str(world.home / top / "other")).returncode == 0
        beside = "sleep 1; mkdir -p ~/%s/other && echo fine > ~/%s/other/x && cat ~/%s/other/x" % ((top,) * 3)
        assert world.run("run", "-q", *world.flags(), "--write", str(world.home), "--", "sh", "-c", beside).stdout == b"fine\n"
        subprocess.run(["rm", "-rf", world.home / ".config", world.home / ".local"], check=True)


def check_the_place_of_sockets_stays_as_it_is(world):
    place = world.place()
    script = "mv %s %s.x; mkdir %s && touch %s/planted" % ((place,) * 4)
    for there in (True, False):
        if there:
            world.start()
        world.run("run", "-q", *world.flags(), "--write", str(world.runtime), "--", "sh", "-c", script, check=False)
        assert [each.name for each in world.runtime.iterdir()] == ["pinfold"] and not (place / "planted").exists(), there
        if there:
            world.run("session", "stop", "s")
        subprocess.run(["rm", "-rf", place], check=True)
    assert bare(world, "sh", "-c", "mkdir -p %s && " % place + script).returncode == 0 and (place / "planted").exists()


HOLD_LOCKS = """
import fcntl, os, sys, time
held = []
for at, directories, files in os.walk(sys.argv[1]):
    for name in ['.'] + files:
        try:
            held.append(os.open(os.path.join(at, name), os.O_RDONLY))
            fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            pass
print(len(held), flush=True)
sys.stdin.read()
"""


def check_a_command_does_not_hold_locks_that_others_need(world):
    world.start()
    place = str(world.place())
    inside = ["run", "-q", *world.flags(), "--no-journal", "--read", str(world.runtime), "--"]
    for argv in (world.command(*inside, "python3", "-c", HOLD_LOCKS, place),
                 world.command("run", "-q", "--no-journal", "--profile", "danger-full-access", "--", "python3", "-c", HOLD_LOCKS, place)):
        with subprocess.Popen(argv, cwd=world.workspace, env=world.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as holder:
            line = holder.stdout.readline()
            assert line.strip().isdigit(), (line, holder.stderr.read())
            begin = time.monotonic()
            assert [each["name"] for each in world.listed()] == ["s"]
            assert world.sh("echo works").stdout == b"works\n"
            assert time.monotonic() - begin < 8
            started = world.run("session", "start", "--name", "t", *world.flags(), check=False)
            if "danger-full-access" in argv:
                # It has the user's own rights. The error names the file and the process.
                assert started.returncode == 125 and b"/.lock for 10 seconds" in started.stderr and b"process " in started.stderr, started
            else:
                assert started.returncode == 0, started
                world.run("session", "stop", "t")
            holder.stdin.close()
    world.start(name="t")
    world.run("session", "stop", "t")


FAKE = """
import fcntl, os, socket, sys
base = sys.argv[1]
os.makedirs(base + '/deadbeef', mode=0o700)
os.chmod(base, 0o700)
held = os.open(base + '/deadbeef', os.O_RDONLY)
fcntl.flock(held, fcntl.LOCK_EX)
os.symlink('deadbeef', base + '/@fake')
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(base + '/deadbeef/control')
s.listen(5)
print('ready', flush=True)
while True:
    c, _ = s.accept()
    got = c.recv(65536)
    print('answered' if got else 'nothing', flush=True)
    if got:
        break
"""


@native_only
def check_a_sandbox_is_not_taken_for_a_session(world):
    for inside in (False, True):
        subprocess.run(["rm", "-rf", world.place()], check=True)
        argv = [*prefix(world.user), *(["unshare", "--user", "--map-root-user"] if inside else []), sys.executable, "-c", FAKE,
                str(world.place())]
        with subprocess.Popen(argv, env=world.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as fake:
            try:
                assert fake.stdout.readline() == b"ready\n"
                with world.popen("session", "exec", "fake", "--", "cat") as client:
                    answer = fake.stdout.readline()
                    client.kill() if not inside else client.wait(PATIENCE)
                # Outside of a sandbox it is the user's own program, and receives all.
                assert answer == (b"nothing\n" if inside else b"answered\n"), answer
            finally:
                fake.kill()


def check_as_much_output_as_the_limit_says(world):
    world.start("--output-limit", "1K")
    for argv in (["run", "-q", *world.flags(), "--output-limit", "1K", "--"], ["session", "exec", "s", "--"]):
        ran = world.run(*argv, "seq", "1", "5000", check=False)
        expected = "".join("%d\n" % each for each in range(1, 500)).encode()[:1024]
        assert ran.stdout == expected, (len(ran.stdout), ran)


SHARED = """
import mmap, os, sys, time
size = int(sys.argv[1]) << 20
held = mmap.mmap(-1, size, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
for at in range(0, size, 4096):
    held[at] = 1
for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        sum(held[at] for at in range(0, size, 4096))
        time.sleep(3)
        os._exit(0)
time.sleep(2)
print('held')
"""


def check_shared_memory_counts_once(world):
    flags = ["run", "-q", *world.flags(), "--memory", "128M", "--", "python3", "-c", SHARED]
    over = world.run(*flags, "300", "0", check=False)
    assert over.returncode != 0 and b"held" not in over.stdout, over
    within = world.run(*flags, "40", "4", check=False)
    assert within.stdout == b"held\n", within


BURN = """
import os, signal, sys, time
if sys.argv[1] == 'ignored':
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(8):
    pid = os.fork()
    if pid == 0:
        while time.process_time() < 0.5:
            pass
        os._exit(0)
    try:
        os.waitpid(pid, 0)
    except OSError:
        pass
print('all')
"""


def check_time_of_processes_without_a_waiting_parent_counts(world):
    for how in ("waited", "ignored"):
        ran = world.run("run", "-q", *world.flags(), "--cpu-time", "1s", "--", "python3", "-c", BURN, how, check=False)
        assert ran.returncode == 137 and b"all" not in ran.stdout, (how, ran)


HOLD = """
import ctypes, os, time
libc = ctypes.CDLL(None)
libc.ptrace.argtypes = [ctypes.c_long] * 4
os.setsid()
seen = set()
open('holding', 'w').close()
while True:
    for pid in os.listdir('/proc'):
        if pid.isdigit() and pid not in seen and int(pid) != os.getpid() and libc.ptrace(0x4206, int(pid), 0, 0) == 0:
            seen.add(pid)
            open('caught', 'a').write(pid + chr(10))
    time.sleep(0.01)
"""


@native_only
def check_a_tracer_does_not_hold_up_others(world):
    world.start("--debuggers")
    (world.workspace / "hold.py").write_text(HOLD)
    # A tracer may stop its tracee at each signal; but SIGKILL and a time-out still end it.
    for flags, script, code in (((), "exec sleep 2", 0), (("--timeout", "3s"), "sleep 0.3; sleep 1000", 124)):
        word = world.word()
        caught = world.workspace / "caught"
        world.sh("python3 hold.py %s >/dev/null 2>&1 </dev/null &" % word)
        until((world.workspace / "holding").exists, "the tracer looks for processes")
        (world.workspace / "holding").unlink()
        ran = world.sh(script, *flags, check=False)
        assert ran.returncode == code, ran
        assert caught.exists(), "nothing was traced"
        caught.unlink()
        for pid in with_word(word):
            os.kill(pid, 9)
    world.run("session", "stop", "s")


def check_priorities_of_all_the_users_processes(world):
    script = "import os, sys; os.setpriority(int(sys.argv[1]), 0, os.getpriority(os.PRIO_PROCESS, 0) + 1); print('done')"
    itself = world.run("run", "-q", *world.flags(), "--", "python3", "-c", script, str(os.PRIO_PROCESS), check=False)
    assert itself.stdout == b"done\n", itself
    # With a pid namespace only the sandbox's processes exist. Bare, or as root, the call would reach all processes of the user.
    if world.backend == "landlock" and world.user != "root":
        ran = world.run("run", "-q", *world.flags(), "--", "python3", "-c", script, str(os.PRIO_USER), check=False)
        assert b"done" not in ran.stdout and b"PermissionError" in ran.stderr, ran
