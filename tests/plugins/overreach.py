"""overreach.py: a plugin that tries everything beyond its permissions, on canaries of the test's own.

Invariant: bare, every attempt reaches its canary, or the row proves nothing; as a plugin with no permissions none does; then
the host is looked at, not only what the plugin says.
Not here: allowed access (servers.py).
"""
import ctypes
import json
import os
import socket
import subprocess
import sys
import threading

# Each attempt prints whether it reached its target.
PYTHON = r"""
import ctypes, json, os, socket, subprocess, sys
home, port, sock, pid, tmp, own, key = sys.argv[1:8]
def read(path): return open(path).read()
def write(path): open(path, "a").write("pwned"); return "pwned"
def tcp(): socket.create_connection(("127.0.0.1", int(port)), 5).close(); return "connected"
def unix(): s = socket.socket(socket.AF_UNIX); s.connect(sock); s.close(); return "connected"
def spawn(*words): return subprocess.run(words, capture_output=True, check=True).stdout.decode() or "ran"
def fork():
    child = os.fork()
    if child == 0: os._exit(0)
    return str(os.waitpid(child, 0)[1])
def datagram():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("127.0.0.1", int(port)))  # so that a missing server is an error at once
    s.send(b"pwned")
    s.settimeout(60)
    return s.recv(100)
def abstract(): s = socket.socket(socket.AF_UNIX); s.connect("\0" + sock); s.close(); return "connected"
def keychain():
    # keyctl: 10 searches the session's keyring, 11 reads the key.
    syscall, text = ctypes.CDLL(None, use_errno=True).syscall, ctypes.create_string_buffer(100)
    found = syscall(250, 10, ctypes.c_long(-3), b"user", key.encode(), 0)
    return found > 0 and syscall(250, 11, ctypes.c_long(found), text, ctypes.c_long(100)) > 0 and text.value.decode()
def signal(): os.kill(int(pid), 0); return "there"
loader = next((p for p in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1") if os.path.exists(p)), "/lib64/ld-linux-x86-64.so.2")
attempts = {
    "read a private key": lambda: read(home + "/.ssh/id_rsa"),
    "read the browser's cookies": lambda: read(home + "/.mozilla/firefox/p/cookies.sqlite"),
    "read the browser's passwords": lambda: read(home + "/.config/google-chrome/Default/Login Data"),
    "read a key of the keychain": keychain,
    "read a document": lambda: read(home + "/Documents/report.txt"),
    "write a document": lambda: write(home + "/Documents/report.txt"),
    "write a start-up file": lambda: write(home + "/.bashrc"),
    "read a secret variable": lambda: os.environ["SECRET_API_KEY"],
    "read another process's environment": lambda: read("/proc/%s/environ" % pid),
    "signal another process": signal,
    "connect to a port of this machine": tcp,
    "send a datagram and get a reply": datagram,
    "connect to a socket of another program": unix,
    "connect to an abstract socket": abstract,
    "pipe a download into a shell": lambda: spawn("/bin/sh", "-c", "curl -sf http://127.0.0.1:%s/ | sh" % port),
    "start a program": lambda: spawn("/usr/bin/id", "-u"),
    "start a shell": lambda: spawn("/bin/sh", "-c", "echo x"),
    "start a program by the loader": lambda: spawn(loader, "/usr/bin/id"),
    "fork": fork,
    "see another plugin": lambda: "other" in os.listdir(home + "/.config/pinfold/plugins"),
    "read another plugin": lambda: read(home + "/.config/pinfold/plugins/other/server.py"),
    "read the approvals": lambda: read(home + "/.config/pinfold/plugin-approvals.json"),
    "change the approvals": lambda: write(home + "/.config/pinfold/plugin-approvals.json"),
    "change its own code": lambda: write(own + "/code.py"),
    "change its own manifest": lambda: write(own + "/pinfold.plugin.json"),
    "read the users of this machine": lambda: read("/etc/passwd"),
    "write to the host's temporary directory": lambda: write(tmp),
}
out = {}
for name, attempt in attempts.items():
    try: out[name] = bool(attempt())
    except BaseException as error: out[name] = False
print(json.dumps(out))
"""

NODE = r"""
const fs = require('fs'), net = require('net'), child = require('child_process'), {Worker} = require('worker_threads');
const [home, port, sock, pid, tmp, own] = process.argv.slice(2);
const connect = (options) => new Promise((done, failed) => { const s = net.connect(options, () => { s.destroy(); done(true); }); s.on('error', failed); });
const attempts = {
  'read a private key': () => fs.readFileSync(home + '/.ssh/id_rsa').length > 0,
  'write a document': () => { fs.appendFileSync(home + '/Documents/report.txt', 'pwned'); return true; },
  'read a secret variable': () => Boolean(process.env.SECRET_API_KEY),
  'connect to a port of this machine': () => connect({host: '127.0.0.1', port: Number(port)}),
  'connect to a socket of another program': () => connect({path: sock}),
  'start a program': () => child.execFileSync('/usr/bin/id').length > 0,
  'start a shell': () => child.execSync('echo x').length > 0,
  'start another node': () => child.execFileSync(process.execPath, ['-e', 'console.log(1)']).length > 0,
  'change its own code': () => { fs.appendFileSync(own + '/code.js', '\n'); return true; },
  'write to the host\'s temporary directory': () => { fs.writeFileSync(tmp, 'pwned'); return true; },
};
(async () => {
  const out = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try { out[name] = Boolean(await attempt()); } catch (error) { out[name] = false; }
  }
  await new Promise((done, failed) => new Worker('1', {eval: true}).on('exit', done).on('error', failed));  // threads are fine
  console.log(JSON.stringify(out));
})();
"""


class Answering:
    """One port of this machine that answers over TCP (with a script, as a web server) and over UDP."""

    def __init__(self):
        self.stream = socket.create_server(("127.0.0.1", 0))
        self.port = self.stream.getsockname()[1]
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(("127.0.0.1", self.port))
        for serve in (self.serve_streams, self.serve_datagrams):
            threading.Thread(target=serve, daemon=True).start()

    def serve_streams(self):
        while True:
            try:
                peer, _ = self.stream.accept()
                with peer:
                    peer.settimeout(10)
                    if peer.recv(4096):
                        peer.sendall(b"HTTP/1.0 200 OK\r\n\r\necho payload\n")
            except TimeoutError:
                pass
            except OSError:
                if self.stream.fileno() < 0:
                    return

    def serve_datagrams(self):
        while True:
            try:
                _, peer = self.datagrams.recvfrom(4096)
                self.datagrams.sendto(b"heard", peer)
            except OSError:
                return

    def close(self):
        self.stream.close()
        self.datagrams.close()


def keep_a_key(place):
    """A key of the kernel's keyring, in a session keyring of the test's own, which its children inherit."""
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    name = "pinfold-" + place.base.name
    assert syscall(250, 1, None) > 0, "no keyring here"  # KEYCTL_JOIN_SESSION_KEYRING
    assert syscall(248, b"user", name.encode(), b"canary", ctypes.c_size_t(6), ctypes.c_long(-3)) > 0, "no key here"
    return name


def try_everything(place, entry, source, interpreter):
    for folder in (".ssh", "Documents"):
        (place.home / folder).mkdir()
    (place.home / ".ssh/id_rsa").write_text("canary key")
    (place.home / "Documents/report.txt").write_text("canary report")
    (place.home / ".bashrc").write_text("# canary\n")
    for path in (".mozilla/firefox/p/cookies.sqlite", ".config/google-chrome/Default/Login Data"):
        (place.home / path).parent.mkdir(parents=True)
        (place.home / path).write_text("canary")
    tmp = "/tmp/pinfold-plugins-%d-%s" % (os.getpid(), place.base.name)
    listener = Answering()
    key = keep_a_key(place)
    path = str(place.base / "agent.sock")
    agent = socket.socket(socket.AF_UNIX)
    agent.bind(path)
    agent.listen()
    os.chmod(path, 0o777)
    other = socket.socket(socket.AF_UNIX)
    other.bind("\0" + path)
    other.listen()
    canary = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, preexec_fn=place.become,
                              env={**place.env, "CANARY": "x"})
    folder = place.plugins / "evil"
    arguments = [str(place.home), str(listener.port), path, str(canary.pid), tmp, str(folder), key]
    place.plugin("other")
    name = place.plugin("evil", entry=entry, source=source, args=arguments)
    place.fine("plugin", "allow", name, "--yes")
    env = {"SECRET_API_KEY": "sk-canary"}
    try:
        # The bare run does harm: it is done to a copy.
        before = {file: file.read_bytes() for file in (place.home / ".bashrc", place.home / "Documents/report.txt",
                                                       place.approvals_file, folder / "pinfold.plugin.json", folder / entry)}
        bare = json.loads(place.bare(interpreter, folder / entry, *arguments, env=env).stdout)
        assert all(bare.values()), "not reached bare: %s" % [name for name, reached in bare.items() if not reached]
        for file, content in before.items():
            file.write_bytes(content)
        os.unlink(tmp)
        place.own()
        boxed = json.loads(place.fine("plugin", "run", name, env=env))
        assert set(boxed) == set(bare)
        # Its own private directory of that name: what counts is the host's.
        boxed.pop("write to the host's temporary directory")
        assert not any(boxed.values()), "reached: %s" % [name for name, reached in boxed.items() if reached]
        assert not os.path.exists(tmp)
        for file, content in before.items():
            assert file.read_bytes() == content, file
    finally:
        listener.close()
        agent.close()
        other.close()
        canary.kill()
        canary.wait()
        if os.path.exists(tmp):
            os.unlink(tmp)


def check_python_reaches_nothing(place):
    try_everything(place, "code.py", PYTHON, "/usr/bin/python3")


def check_node_reaches_nothing(place):
    try_everything(place, "code.js", NODE, "/usr/bin/node")


def check_links_in_its_folder_give_no_access(place):
    (place.home / "secret").write_text("canary")
    name = place.plugin("links", entry="main.py", source="print(open('link').read())\n")
    os.symlink(place.home / "secret", place.plugins / "links/link")
    place.own()
    assert place.bare("/usr/bin/python3", "main.py", cwd=place.plugins / "links").stdout == b"canary\n"
    place.fine("plugin", "allow", name, "--yes")
    ran = place.run("plugin", "run", name)
    assert ran.returncode == 1 and b"canary" not in ran.stdout, ran
