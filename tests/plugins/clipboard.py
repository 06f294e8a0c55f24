"""clipboard.py: a real clipboard (Xvfb and xclip), and plugins that were or were not allowed to have it.

Invariant: each clipboard is read on the host, by the host's own xclip; what a plugin cannot reach it reached bare.
Not here: its risk points (src/plugin/risk_test.cc).
"""
import json
import os
import signal
import subprocess
import time

# Each line is something to do; each answer a line. By the socket alone, as a plugin without a shell has to.
BY_SOCKET = r"""
const net = require('net'), fs = require('fs');
const say = (text) => new Promise((done) => {
  const chunks = [], peer = net.connect(process.env.PINFOLD_CLIPBOARD || '/nowhere', () => peer.end(text));
  peer.on('data', (part) => chunks.push(part));
  peer.on('error', (error) => done('failed: ' + error.code));
  peer.on('end', () => done(Buffer.concat(chunks).toString()));
});
(async () => {
  for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) console.log(JSON.stringify(await say(JSON.parse(line))));
})();
"""

# The displays and clipboards that it finds; `reached` is the text that it got from them.
REACHES = r"""
import json, os, socket, subprocess, sys
display, copied = sys.argv[1:3]
def unix(path):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    return "connected"
def program(*words): return subprocess.run(words, capture_output=True, check=True, env={**os.environ, "DISPLAY": ":" + display}).stdout.decode()
attempts = {
    "the display's socket": lambda: unix("/tmp/.X11-unix/X" + display),
    "its abstract socket": lambda: unix("\0/tmp/.X11-unix/X" + display),
    "xclip": lambda: program("/usr/bin/xclip", "-selection", "clipboard", "-out") == copied,
    "xsel": lambda: program("/usr/bin/xsel", "--clipboard", "--output") == copied,
    "DISPLAY": lambda: os.environ["DISPLAY"],
}
out = {}
for name, attempt in attempts.items():
    try: out[name] = bool(attempt())
    except Exception: out[name] = False
out["PINFOLD_CLIPBOARD"] = "PINFOLD_CLIPBOARD" in os.environ
print(json.dumps(out))
"""


class Display:
    """An X server of the user's own, without a screen."""

    def __init__(self, place):
        self.place = place
        reading, writing = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "64x64x8", "-nolisten", "tcp"],
                                       pass_fds=[writing], preexec_fn=place.become, env=place.env, cwd=place.home,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as answer:
            self.number = answer.readline().strip()  # it is written when the server listens
        assert self.number, "Xvfb did not start"
        self.env = {"DISPLAY": ":" + self.number}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.kill()  # programs that own a selection end with it
        self.server.wait()

    def copy(self, text):
        # What keeps the selection stays in the background, so there is no output to wait for.
        done = subprocess.run(["xclip", "-selection", "clipboard", "-in"], input=text.encode(), env={**self.place.env, **self.env},
                              preexec_fn=self.place.become, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=True)
        assert done.returncode == 0
        self.wait_for(text)

    def paste(self):
        return self.place.bare("xclip", "-selection", "clipboard", "-out", env=self.env).stdout.decode()

    def wait_for(self, text):
        """xclip returns before the server has its selection."""
        end = time.monotonic() + 60
        while self.paste() != text:
            assert time.monotonic() < end, "the clipboard never holds %r" % text[:80]
            time.sleep(0.02)


def said(place, name, *requests, env=()):
    out = place.fine("plugin", "run", name, "--quiet", text="".join(json.dumps(one) + "\n" for one in requests), env=env)
    return [json.loads(line) for line in out.splitlines()]


def allowed(place, source, entry="main.js", **more):
    name = place.plugin("clip", entry=entry, source=source, **more)
    place.fine("plugin", "allow", name, "--yes")
    return name


def check_clipboard_without_a_shell(place):
    name = allowed(place, BY_SOCKET, permissions={"clipboard": True})
    with Display(place) as display:
        display.copy("größer")
        assert said(place, name, "paste\n", env=display.env) == ["ok\ngrößer"]
        assert said(place, name, "copy\nby the plugin\n", env=display.env) == ["ok\n"]
        display.wait_for("by the plugin\n")
        assert said(place, name, "paste\n", env=display.env) == ["ok\nby the plugin\n"]
        long = "x" * (1 << 20)
        assert said(place, name, "copy\n" + long, env=display.env) == ["ok\n"]
        display.wait_for(long)
        answers = said(place, name, "copy\n" + long + "x", "copy\n" + long * 3, "nonsense\n", "", "copy", "paste\n", env=display.env)
        assert [answer.split(" ")[0] for answer in answers[:5]] == ["error:"] * 5 and answers[5] == "ok\n" + long, \
            [answer[:80] for answer in answers]
    log = place.fine("log", "--json")
    uses = [line for line in map(json.loads, log.splitlines()) if line["kind"] == "use"]
    assert [(use["operation"], use["resource"], use["bytes"]) for use in uses[:3]] == \
        [("paste", "clipboard", 8), ("copy", "clipboard", 14), ("paste", "clipboard", 14)], uses
    assert "by the plugin" not in log
    assert "paste clipboard" in place.fine("log")


def check_clipboard_by_the_usual_commands(place):
    source = r"""
import subprocess, time
def run(text): return subprocess.run(text, shell=True, capture_output=True).stdout.decode()
def becomes(copy, paste, wanted):
    # The host's own program returns before the display server has the new selection.
    said = run(copy)
    for _ in range(200):
        got = run(paste)
        if got == wanted: break
    print(repr(said + got), flush=True)
for text in ("xclip -selection clipboard -o", "wl-paste", "wl-paste -n", "xsel -bo", "pbpaste", "xclip --nonsense || printf no"): print(repr(run(text)))
becomes("printf one | xclip -sel clip", "pbpaste", "one")
becomes("printf two | wl-copy", "xclip -o", "two")
becomes("wl-copy three four", "wl-paste -n", "three four")
becomes("printf five | pbcopy", "xsel --clipboard --output", "five")
becomes("printf six | xsel -ib", "pbpaste", "six")
becomes("wl-copy --clear", "pbpaste", "")
becomes("printf last | xclip", "pbpaste", "last")
"""
    name = allowed(place, source, entry="main.py", permissions={"clipboard": True, "shell": {"commands": []}})
    with Display(place) as display:
        display.copy("canary")
        got = place.fine("plugin", "run", name, "--quiet", env=display.env).splitlines()
        assert got == [repr(text) for text in ("canary", "canary\n", "canary", "canary", "canary", "no", "one", "two", "three four", "five",
                                               "six", "", "last")], got
        display.wait_for("last")


def check_clipboard_that_was_not_declared(place):
    with Display(place) as display:
        display.copy("canary")
        arguments = [display.number, "canary"]
        for shell in (None, {"commands": ["xclip", "xsel"]}):
            name = allowed(place, REACHES, entry="main.py", args=arguments, permissions={"shell": shell} if shell else {})
            bare = json.loads(place.bare("/usr/bin/python3", place.plugins / "clip/main.py", *arguments, env=display.env).stdout)
            assert bare.pop("PINFOLD_CLIPBOARD") is False and all(bare.values()), bare
            boxed = json.loads(place.fine("plugin", "run", name, "--quiet", env=display.env))
            assert not any(boxed.values()), boxed
        # A plugin with the clipboard permission does not get the display either.
        name = allowed(place, REACHES, entry="main.py", args=arguments, permissions={"clipboard": True})
        boxed = json.loads(place.fine("plugin", "run", name, "--quiet", env=display.env))
        assert boxed.pop("PINFOLD_CLIPBOARD") and not any(boxed.values()), boxed
        none = allowed(place, BY_SOCKET, permissions={})
        assert said(place, none, "paste\n", env=display.env) == ["failed: ENOENT"]


def check_clipboard_that_is_not_there(place):
    name = allowed(place, BY_SOCKET, permissions={"clipboard": True})
    [answer] = said(place, name, "paste\n")
    assert answer.startswith("error: there is no display"), answer
    with Display(place) as display:  # with nothing in it
        [answer] = said(place, name, "paste\n", env=display.env)
        assert answer.startswith("error: xclip failed"), answer
        display.copy("back")
        [answer] = said(place, name, "paste\n", env=display.env)
        assert answer == "ok\nback"
        [answer] = said(place, name, "paste\n", env={"DISPLAY": display.env["DISPLAY"] + "9"})
        assert answer.startswith("error: "), answer


def check_clipboard_programs_of_the_plugins_own_are_not_run(place):
    """One that it planted on PATH, where it may write, would be run outside."""
    tools = place.home / "bin"
    tools.mkdir()
    for program in ("xclip", "xsel", "wl-copy", "wl-paste"):
        (tools / program).write_text("#!/bin/sh\necho planted >> '%s/harm'\necho planted\n" % place.home)
        (tools / program).chmod(0o755)
    place.own()
    env = {"PATH": "%s:%s" % (tools, place.env["PATH"])}
    with Display(place) as display:
        display.copy("canary")
        env.update(display.env)
        name = allowed(place, BY_SOCKET, permissions={"clipboard": True})
        assert said(place, name, "paste\n", env=env) == ["ok\nplanted\n"], "the user's own programs are the user's"
        (place.home / "harm").unlink()
        name = allowed(place, BY_SOCKET, permissions={"clipboard": True, "filesystem": [{"path": "~/bin", "access": "read-write"}]})
        [answer] = said(place, name, "paste\n", env=env)
        assert answer.startswith("error: ") and not (place.home / "harm").exists(), answer


def check_clipboard_many_at_once_and_nothing_left(place):
    source = r"""
import os, socket, sys, threading
def one(number):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(os.environ["PINFOLD_CLIPBOARD"])
    peer.sendall(b"paste\n")
    answers.append(peer.makefile("rb").read())
answers = []
silent = [socket.socket(socket.AF_UNIX) for _ in range(5)]
for peer in silent: peer.connect(os.environ["PINFOLD_CLIPBOARD"])
threads = [threading.Thread(target=one, args=[number]) for number in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len([answer for answer in answers if answer == b"ok\ncanary"]), flush=True)
sys.stdin.read()
"""
    name = allowed(place, source, entry="main.py", permissions={"clipboard": True})
    runtime = place.base / "run"
    runtime.mkdir(mode=0o700)
    place.own()

    def seats():
        return [one for one in (runtime / "pinfold").iterdir() if one.name.startswith("clipboard-")]

    with Display(place) as display:
        display.copy("canary")
        display.env["XDG_RUNTIME_DIR"] = str(runtime)
        running = subprocess.Popen([place.pinfold, "plugin", "run", name], env={**place.env, **display.env}, cwd=place.home,
                                   preexec_fn=place.become, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            assert running.stdout.readline() == b"20\n"
            [seat] = seats()
            assert seat.stat().st_mode & 0o077 == 0
            # A second one beside it has its own, and leaves the first alone.
            assert place.fine("plugin", "run", name, env=display.env) == "20\n"
            assert seats() == [seat]
        finally:
            running.send_signal(signal.SIGKILL)
            running.wait()
        end = time.monotonic() + 300
        while time.monotonic() < end:  # what the killed one left, the next one takes away
            place.fine("plugin", "run", name, env=display.env)
            if not seats():
                return
        raise AssertionError(seats())
