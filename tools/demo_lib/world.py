"""world.py: the scratch home that is attacked: files with canaries, a host process, host servers, a key in the kernel.

Invariant: all of it is the demo's own, outside it nothing is touched, and close() takes all of it away again.
Not here: the attempts (attempts.py), running a command (runs.py).
"""
import ctypes
import os
import platform
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

import plugin

KEYCTL_JOIN_SESSION_KEYRING = 1
KEY_SPEC_SESSION_KEYRING = -3
SYS_ADD_KEY, SYS_KEYCTL = 248, 250  # x86-64, the only architecture that Pinfold is built for

# A host process with the canary in its environment and, at the address that it prints, in its memory. It ends with its
# stdin, so that it cannot outlive the demo. The prctl lets others read it where Yama would not.
VICTIM = """
import ctypes, os, sys
PR_SET_PTRACER, ANYONE = 0x59616d61, ctypes.c_ulong(-1)
ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANYONE, 0, 0, 0)
secret = ctypes.create_string_buffer(os.environ["API_KEY"].encode())
print(ctypes.addressof(secret), flush=True)
sys.stdin.read()
"""


class World:
    def __init__(self):
        self.base = tempfile.mkdtemp(prefix="pinfold-demo-", dir="/var/tmp")
        self.host_tmp = os.path.join("/tmp", os.path.basename(self.base))
        self.home = os.path.join(self.base, "home")
        self.project = os.path.join(self.home, "project")
        self.other = os.path.join(self.home, "other-project")
        # Outside the home, which is made anew for each attempt: approvals of a plugin stay.
        self.config = os.path.join(self.base, "config", "pinfold")
        self.approvals = os.path.join(self.config, "plugin-approvals.json")
        self.decided = None  # the text of the approvals, once there are any
        self.canary = "canary-" + secrets.token_hex(8)
        self.token = "jira-" + secrets.token_hex(8)
        self.key_name = os.path.basename(self.base)
        self.daemon = ["sleep", f"300.{secrets.randbelow(10**9):09}"]  # unlike every other sleep, by its length
        self.seen_daemons = []
        self.received = b""
        self.sockets = []
        self.victim = None

    def __enter__(self):
        try:
            self.tcp_port = self._serve(socket.AF_INET, ("127.0.0.1", 0))[1]
            self.jira_port = self._serve(socket.AF_INET, ("127.0.0.1", 0))[1]
            self.udp_port = self._listen_udp()
            self.agent_socket = self._serve(socket.AF_UNIX, os.path.join(self.base, "agent.sock"))
            self.abstract_name = os.path.basename(self.base)
            self._serve(socket.AF_UNIX, "\0" + self.abstract_name)
            self._start_victim()
            self._add_key()
            self.reset()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._end(self.daemons())
        if self.victim:
            self.victim.kill()
            self.victim.communicate()
        for each in self.sockets:
            each.close()
        shutil.rmtree(self.base, ignore_errors=True)
        shutil.rmtree(self.host_tmp, ignore_errors=True)

    def environment(self):
        """What a command is started with: the caller's PATH without the caller's own home, and two secrets."""
        real_home = os.path.join(os.environ.get("HOME") or "/nonexistent", "")
        path = [entry for entry in os.environ.get("PATH", "").split(":") if entry and not entry.startswith(real_home)]
        return {
            "PATH": ":".join(path) or "/usr/local/bin:/usr/bin:/bin",
            "HOME": self.home,
            "TERM": "dumb",
            "LC_ALL": "C",
            "API_KEY": self.canary,
            "JIRA_API_TOKEN": self.token,
            "SSH_AUTH_SOCK": self.agent_socket,
            "XDG_CONFIG_HOME": os.path.dirname(self.config),
            "XDG_STATE_HOME": os.path.join(self.base, "state"),
        }

    def reset(self):
        """Everything as it was before the first attempt."""
        self._end(self.seen_daemons)
        self.seen_daemons = []
        self.victim.send_signal(signal.SIGCONT)
        self.received = b""
        for directory in (self.home, self.host_tmp):
            shutil.rmtree(directory, ignore_errors=True)
            os.makedirs(directory, mode=0o700)
        files = {
            ".ssh/id_ed25519": self.canary,
            ".aws/credentials": self.canary,
            ".mozilla/cookies.txt": self.canary,
            ".bashrc": "# mine",
            "other-project/plans.txt": self.canary,
            "project/.env": self.canary,
            "project/.claude/settings.json": "{}",
            "project/.git/HEAD": "ref: refs/heads/main",
            "project/.git/config": "[core]",
            "project/.git/hooks/README": "none yet",
            "project/main.cc": '#include <cstdio>\nint main(int, char** word) { std::puts(word[1]); }',
        }
        for name, text in files.items():
            self._write(os.path.join(self.home, name), text + "\n")
        for name, text in plugin.files(self).items():
            self._write(os.path.join(self.config, "plugins", name), text)
        if self.decided is not None:
            self._write(self.approvals, self.decided)
        elif os.path.exists(self.approvals):
            os.unlink(self.approvals)
        os.symlink(os.path.join(self.home, ".aws"), os.path.join(self.project, "docs"))

    def keep_decision(self):
        """reset() restores the approvals of plugins as they are now."""
        try:
            with open(self.approvals, encoding="utf-8") as file:
                self.decided = file.read()
        except OSError:
            self.decided = None

    @staticmethod
    def _write(path, text):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(text)

    # ---- checks on the host afterwards ----

    def file_has_canary(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                return self.canary in file.read()
        except OSError:
            return False

    def victim_is_stopped(self):
        with open(f"/proc/{self.victim.pid}/status", encoding="utf-8") as file:
            return any(line.split()[:2] == ["State:", "T"] for line in file)

    def daemons(self):
        """Processes that an attempt left behind, by their exact command line."""
        wanted = "".join(word + "\0" for word in self.daemon).encode()
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if file.read() == wanted:
                        found.append(int(name))
            except OSError:
                pass  # it has exited already
        self.seen_daemons = found
        return found

    # ---- parts of the host ----

    @staticmethod
    def _end(pids):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def _start_victim(self):
        self.victim = subprocess.Popen(
            [sys.executable, "-c", VICTIM], env={"API_KEY": self.canary}, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.secret_address = int(self.victim.stdout.readline())

    def _add_key(self):
        """A key in a session keyring of the demo's own, which the kernel drops with its last process. May fail."""
        if platform.machine() != "x86_64":
            return
        syscall = ctypes.CDLL(None).syscall
        if syscall(SYS_KEYCTL, KEYCTL_JOIN_SESSION_KEYRING, None) < 0:
            return
        text = self.canary.encode()
        syscall(SYS_ADD_KEY, b"user", self.key_name.encode(), text, ctypes.c_size_t(len(text)),
                KEY_SPEC_SESSION_KEYRING)

    def _serve(self, family, address):
        """Answers every connection with the canary."""
        server = socket.socket(family, socket.SOCK_STREAM)
        self.sockets.append(server)
        server.bind(address)
        server.listen(16)

        def answer():
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return  # closed: the demo is over
                with client:
                    try:
                        client.sendall(self.canary.encode() + b"\n")
                    except OSError:
                        pass

        threading.Thread(target=answer, daemon=True).start()
        return server.getsockname()

    def _listen_udp(self):
        """A name server outside: keeps the queries, answers none."""
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sockets.append(self.udp)
        self.udp.bind(("127.0.0.1", 0))
        self.udp.setblocking(False)
        return self.udp.getsockname()[1]

    def datagrams(self):
        """Data that arrived since the last reset; on loopback it is there when the sender's call returns."""
        while True:
            try:
                self.received += self.udp.recv(65536)
            except BlockingIOError:
                return self.received
