"""scenes.py: the uses of Pinfold in which a process dies: a run, one on a terminal, a question, a session, the page, a plugin.

Invariant: begin() starts, ready() waits for the command to run, wind_down() asks for the ordinary end, finish() waits for the
end of every program that the scene started and judges it. Not here: the killed process, the time and the signal (run), the host afterwards (world.py).
"""
import fcntl
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import termios
import time

from world import PATIENCE, PLUGIN, Wrong, children, command_line, descendants, stat_fields

# Tries without end to read the secret, to copy it and to write outside; leaves a process behind that has left its session.
# Ends when its input ends.
COMMAND = r'''
setsid sleep 1000 >/dev/null 2>&1 </dev/null &
echo ready
while :; do
  read -r -t 0.01 line
  [ $? -le 128 ] && break
  { read -r found < "$1"; } 2>/dev/null && echo "$found" > leak
  { echo x > "$2"; } 2>/dev/null
done
echo done
'''
# Reads what no rule grants, so that a question waits; then ends.
ASKING = r'''echo ready; { read -r found < "$1"; } 2>/dev/null && echo "got it"; echo done'''

VARIANTS = {"plain": [], "limits": ["--memory", "256M", "--processes", "50"], "placeholder": ["--protect", "precious.txt"],
            "names": ["--net", "example.org"]}


class Ended(Exception):
    """The scene's own program ended before the event: a process died too soon for this moment, which is no failure."""


class Reader:
    """The output of a program as it comes, without waiting for its end."""

    def __init__(self, fd, process):
        self.fd, self.process, self.text, self.open = fd, process, b"", True
        os.set_blocking(fd, False)

    def pump(self, seconds=0.0):
        if not self.open:
            time.sleep(seconds)
            return
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if ready:
            try:
                data = os.read(self.fd, 65536)
            except BlockingIOError:
                return
            except OSError:  # EIO: the other side of the terminal is closed
                data = b""
            self.text += data
            self.open = bool(data)

    def wait_for(self, word):
        end = time.monotonic() + PATIENCE
        while word not in self.text:
            over = self.process.poll() is not None
            self.pump(0 if over else 0.02)
            if word in self.text:
                return
            if over or not self.open:
                raise Ended()
            if time.monotonic() > end:
                raise Wrong("waited %d s for %r; the program showed %r" % (PATIENCE, word, self.text[-300:]))

    def wait_for_end(self):
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self.pump(0.02)
            if time.monotonic() > end:
                raise Wrong("waited %d s for the end of `%s`; it showed %r" %
                            (PATIENCE, " ".join(command_line(self.process.pid)), self.text[-300:]))
        for _ in range(1000):
            had = len(self.text)
            self.pump()
            if len(self.text) == had:
                break
        return self.process.returncode


def first_process(supervisor):
    """PID 1 of the sandbox, or, where there is no pid namespace, the supervisor's child that has children."""
    below = descendants(supervisor)
    for pid in below:
        try:
            with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
                spaces = [line.split()[1:] for line in file if line.startswith("NSpid")]
        except OSError:
            continue
        if spaces and len(spaces[0]) > 1 and spaces[0][-1] == "1":
            return pid
    for pid in children(supervisor):
        if children(pid):
            return pid
    return None


class Run:
    """One command with pipes."""
    name, backends, phases = "run", ("native", "bubblewrap", "landlock"), ("start", "running", "ending")
    roles = ("supervisor", "supervisor", "first process", "any below")

    def __init__(self, world, backend, draw):
        self.world, self.backend, self.draw = world, backend, draw
        self.variant = draw.choice(sorted(self.variants()))
        self.killed = set()  # pids that the trial ended
        self.main = self.out = None

    def variants(self):
        return [name for name in VARIANTS if not (self.backend == "landlock" and name == "names")]

    def flags(self):
        return ["--backend", self.backend, "--on-unavailable", "warn", *VARIANTS[self.variant]]

    def next_run(self):
        return ["run", *self.flags(), "--", "/bin/true"]

    def command(self, text=COMMAND):
        return ["--", "bash", "-c", text, "bash", str(self.world.secret), str(self.world.outside / "made")]

    def begin(self):
        self.main = self.world.popen("run", *self.flags(), *self.command(), stderr=subprocess.STDOUT)
        self.out = Reader(self.main.stdout.fileno(), self.main)

    def ready(self):
        self.out.wait_for(b"ready")

    def wind_down(self):
        self.main.stdin.close()

    def supervisor(self):
        return self.main.pid

    def victim(self, role):
        """The process id for a role, or None if there is no such process now."""
        supervisor = self.supervisor()
        if role == "supervisor" or supervisor is None:
            return supervisor
        if role == "first process":
            return first_process(supervisor)
        below = descendants(supervisor)
        return self.draw.choice(below) if below else None

    def finish(self, way):
        if not self.main.stdin.closed:
            self.main.stdin.close()
        code = self.out.wait_for_end()
        self.main.stdout.close()
        self.judge(code, self.out.text, way, self.main.pid)

    def judge(self, code, text, way, pid):
        if way == "stop, continue" and (code != 0 or b"done" not in text):
            raise Wrong("a process stood still and went on, but the run ended with %d: %r" % (code, text[-300:]))
        if code == 0 and b"done" not in text:
            raise Wrong("the run reports success, but the command did not come to its end: %r" % text[-300:])
        # A supervisor that lives says why its run has failed: by the command's own signal, or in words.
        if pid not in self.killed and code not in (0, 137, 143) and b"pinfold" not in text and way != "RLIMIT_AS":
            raise Wrong("the run ended with %d and no message: %r" % (code, text[-300:]))


class OnTerminal(Run):
    """One command on a terminal: a supervisor that lives restores its settings."""
    name = "terminal"
    argument = ()

    def open_terminal(self, words):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        if self.world.identity is not None:
            os.fchown(slave, self.world.identity, self.world.identity)
        self.settings = termios.tcgetattr(slave)
        world = self.world

        def lead():
            world.become()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.slave = slave
        self.main = subprocess.Popen([world.pinfold, *words], stdin=slave, stdout=slave, stderr=slave, env=world.env, cwd=world.workspace,
                                     preexec_fn=lead)
        world.pids.add(self.main.pid)
        self.out = Reader(self.master, self.main)

    def begin(self):
        self.open_terminal(["run", *self.flags(), *self.command()])

    def wind_down(self):
        try:
            os.write(self.master, b"\r")
        except BlockingIOError:
            pass

    def finish(self, way):
        end = time.monotonic() + PATIENCE
        while self.main.poll() is None and time.monotonic() < end:
            # A question takes only keys that come after 0.3 seconds of silence, and drops those that were typed before it.
            self.wind_down()
            if (stat_fields(self.main.pid) or "X")[0] == "T":
                os.kill(self.main.pid, signal.SIGCONT)  # it stopped with its command, as after Ctrl-Z; a shell's `fg` does this
            silence = time.monotonic() + 1
            while self.main.poll() is None and time.monotonic() < silence:
                self.out.pump(0.05)
        code = self.out.wait_for_end()
        settings = termios.tcgetattr(self.slave)
        os.close(self.slave)
        os.close(self.master)
        if self.main.pid not in self.killed and way != "RLIMIT_AS" and settings != self.settings:
            raise Wrong("the supervisor lived, but the terminal's settings are not as before: %r, before %r" % (settings[:4], self.settings[:4]))
        self.judge(code, self.out.text, way, self.main.pid)


class AskTerminal(OnTerminal):
    """A command that waits for an approval on the terminal."""
    name, backends, phases = "approval on the terminal", ("native",), ("start", "asking", "ending")

    def variants(self):
        return ["plain"]

    def begin(self):
        self.open_terminal(["run", *self.flags(), "--ask", "terminal", *self.command(ASKING)])

    def ready(self):
        self.out.wait_for(b"then Enter: ")


class AskWeb(Run):
    """A command that waits for an approval on the page; the page's program is a child of the supervisor."""
    name, backends, phases = "approval on the page", ("native",), ("start", "asking", "ending")
    roles = ("supervisor", "first process", "page", "page", "any below")

    def variants(self):
        return ["plain"]

    def begin(self):
        self.main = self.world.popen("run", *self.flags(), "--ask", "web", "--timeout", "2s", *self.command(ASKING), stderr=subprocess.STDOUT)
        self.out = Reader(self.main.stdout.fileno(), self.main)

    def ready(self):
        """Until a watcher of the control socket is sent the question."""
        self.out.wait_for(b"ready")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.main.poll() is not None:
                raise Ended()
            if self.watch():
                return
        raise Wrong("waited %d s for the question on the control socket" % PATIENCE)

    def watch(self):
        for name in self.world.names(self.world.runtime / "pinfold"):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as one:
                one.settimeout(0.5)
                try:
                    if self.world.identity is not None:
                        os.seteuid(self.world.identity)
                    one.connect(str(self.world.runtime / "pinfold" / name / "control"))
                    one.send(b'{"v":1,"ask":"watch"}')
                    for _ in range(10):
                        packet = one.recv(1 << 20)
                        if b'"question"' in packet:
                            return True
                        if not packet:
                            return False
                except OSError:
                    pass
                finally:
                    if self.world.identity is not None:
                        os.seteuid(0)
        return False

    def wind_down(self):
        """Its time runs out."""

    def victim(self, role):
        if role != "page":
            return super().victim(role)
        return next((pid for pid in descendants(self.main.pid) if "".join(command_line(pid)[:1]).endswith("pinfold-web")), None)

    def judge(self, code, text, way, pid):
        if code not in (124,) or way == "kill":
            super().judge(code, text, "any", pid)


class Session(Run):
    """A session with one command in it."""
    name = "session"
    roles = ("session", "session", "first process", "any below", "client")

    def begin(self):
        self.client = self.page = None
        self.main = self.world.popen("session", "start", "--detach", "--name", "s", *self.flags(), stderr=subprocess.STDOUT)
        self.out = Reader(self.main.stdout.fileno(), self.main)

    def ready(self):
        self.out.wait_for(b"s\n")
        self.main.wait()
        self.client = self.world.popen("session", "exec", "s", *self.command(), stderr=subprocess.STDOUT)
        self.client_out = Reader(self.client.stdout.fileno(), self.client)
        self.client_out.wait_for(b"ready")

    def supervisor(self):
        """The process of the session; a child of this test once `session start` has ended."""
        for top in children(os.getpid()):
            for pid in [top, *descendants(top)]:
                if command_line(pid)[1:3] == ["session", "start"] and pid != self.main.pid:
                    self.world.pids.add(pid)
                    return pid
        return None

    def victim(self, role):
        if role == "client":
            return (self.client or self.main).pid
        return super().victim("supervisor" if role == "session" else role)

    def wind_down(self):
        self.stopping = self.world.popen("session", "stop", "s", stdin=subprocess.DEVNULL)

    def finish(self, way):
        self.finish_client(way)
        code = self.out.wait_for_end()
        self.main.stdout.close()
        self.main.stdin.close()
        if code != 0 and self.main.pid not in self.killed and b"pinfold" not in self.out.text and way != "RLIMIT_AS":
            raise Wrong("`session start` ended with %d and no message: %r" % (code, self.out.text[-300:]))
        code, out, err = self.world.run("session", "stop", "s")
        if code != 0 and "no session" not in err:
            raise Wrong("`session stop` ended with %d: %s" % (code, (out + err)[-300:]))
        if "s" in self.world.must("session", "list").split():
            raise Wrong("the session is listed after its end")

    def finish_client(self, way):
        if self.client is None:
            return
        self.client.stdin.close()
        code = self.client_out.wait_for_end()
        self.client.stdout.close()
        text = self.client_out.text
        if self.client.pid not in self.killed and way != "RLIMIT_AS" and code not in (0, 137) and b"pinfold" not in text:
            raise Wrong("the client of the session ended with %d and no message: %r" % (code, text[-300:]))
        if way == "stop, continue" and not hasattr(self, "stopping") and (code != 0 or b"done" not in text):
            raise Wrong("a process stood still and went on, but the session's command ended with %d: %r" % (code, text[-300:]))


class Page(Session):
    """`pinfold web` beside a session: neither takes the other along."""
    name, backends, phases = "page", ("native", "landlock"), ("start", "running", "ending")
    roles = ("page", "page", "session")

    def variants(self):
        return ["plain"]

    def begin(self):
        super().begin()
        self.page = self.world.popen("web", stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.page_out = Reader(self.page.stdout.fileno(), self.page)

    def ready(self):
        super().ready()
        self.page_out.wait_for(b"#")

    def victim(self, role):
        return self.page.pid if role == "page" else super().victim(role)

    def finish(self, way):
        if self.page.pid in self.killed and self.client is not None and not hasattr(self, "stopping"):
            code, out, err = self.world.run("session", "exec", "s", "--", "echo", "lives")
            if out != "lives\n":
                raise Wrong("the page's program died, and then the session did not run a command: %d %s" % (code, (out + err)[-300:]))
        super().finish(way)
        if self.page.pid not in self.killed and way != "RLIMIT_AS" and self.page.poll() is not None:
            raise Wrong("the page's program ended with %d: %r" % (self.page.returncode, self.page_out.text[-300:]))
        if self.page.poll() is None:
            self.page.terminate()
        self.page_out.wait_for_end()
        self.page.stdout.close()


class Plugin(Run):
    """A plugin that echoes lines."""
    name, backends = "plugin", ("native",)  # the others refuse to run plugins with gaps
    roles = ("supervisor", "first process", "plugin", "any below")

    def variants(self):
        return ["plain"]

    def begin(self):
        self.main = self.world.popen("plugin", "run", PLUGIN, "--backend", self.backend, stderr=subprocess.STDOUT)
        self.out = Reader(self.main.stdout.fileno(), self.main)
        self.main.stdin.write(b'"ready"\n')

    def judge(self, code, text, way, pid):
        super().judge(code, text + b"done" if code == 0 else text, way, pid)

    def victim(self, role):
        if role != "plugin":
            return super().victim(role)
        return next((pid for pid in descendants(self.main.pid) if any(word.endswith("echo_plugin") for word in command_line(pid))), None)


SCENES = (Run, Run, Run, OnTerminal, AskTerminal, AskWeb, Session, Session, Page, Plugin)
