# trust.py: what a project's file asks for beyond the user's policy needs recorded consent to that very text.
# Invariant: after each refusal the canary command has not run, and the store is unchanged.
# Not here: what the keys mean (policy_files.py).
import json
import os
import random
import signal
import subprocess
import time

from harness import check, expect, typed
from policy_files import CANARY, project_file, refused, user_file


def store(w):
    return os.path.join(w.home, ".config", "pinfold", "trust.json")


def stored(w):
    with open(store(w), encoding="utf-8") as file:
        return {one["file"]: one for one in json.load(file)["trusted"]}


def wide(w):
    return f'read = ["{w.home}/secret.txt"]\n'


@check("trust: a wider file is refused with a list, and nothing runs")
def _(w):
    os.mkdir(os.path.join(w.home, "d"))
    cases = {f'read = ["{w.other}"]': f"read {w.other}", f'write = ["{w.home}/d"]': "write", 'network = "full"': "network full",
             'env = ["SECRET_TOKEN"]': "variable SECRET_TOKEN", 'tmp = "host"': "the host's /tmp", 'home = "host"': "home directory",
             'processes = 100000': "processes 100000", 'on_unavailable = "warn"': "on_unavailable warn",
             'profile = "permissive"': "network full", 'new_session = false': "terminal session",
             'env = ["PATH=/tmp"]': "variable PATH with another value", 'workspace = ["."]\nwrite = [".vscode"]': ".vscode",
             f'workspace = ["{w.other}"]': w.other}
    os.mkdir(os.path.join(w.ws, ".vscode"))
    for text, said in cases.items():
        project_file(w, text + "\n")
        refused(w, 126, ["asks for more than you allow", "pinfold.toml:", said, "pinfold policy trust", "--no-project-file"])
        w.run("--no-project-file", "--", "true").code_is(0)
    project_file(w, 'profile = "permissive"\n[profiles.mine]\ninherits = "danger-full-access"\n')
    refused(w, 125, ["can only ask"], "--profile", "mine")


@check("trust: what narrows, or what the user allows anyway, needs no consent")
def _(w):
    os.mkdir(os.path.join(w.ws, "build"))
    narrow = ('profile = "strict"\n', 'hide = ["build"]\nprotect = [".github"]\ntimeout = "5s"\nprocesses = 100\n',
              'workspace_access = "read"\nwrite = ["build"]\n', 'exec = ["touch", "true"]\n', 'env = ["NEW=1"]\nread = ["/usr"]\n',
              'network = false\non_unavailable = "deny"\n')
    for text in narrow:
        project_file(w, text)
        w.run("--", "true").code_is(0)
        w.pinfold("policy", "trust", "--yes").code_is(0).prints("needs no trust")
    user_file(w, f'read = ["{w.other}"]\nnetwork = "full"\n')
    project_file(w, f'read = ["{w.other}"]\nnetwork = "full"\n')
    w.run("--", "true").code_is(0)
    project_file(w, wide(w))
    w.run("--read", os.path.join(w.home, "secret.txt"), "--", "true").code_is(0)
    expect(not os.path.exists(store(w)), "something was stored")


@check("trust: --yes, a changed text is refused again with the difference, revoke")
def _(w):
    project_file(w, "# first\n" + wide(w))
    refused(w, 126, ["asks for more"])
    w.pinfold("policy", "trust").code_is(126).says("nothing was recorded", "--yes")
    expect(not os.path.exists(store(w)), "stored without consent")
    w.pinfold("policy", "trust", "--yes").code_is(0).says("secret.txt").prints("trusted:")
    expect(os.stat(store(w)).st_mode & 0o077 == 0, oct(os.stat(store(w)).st_mode))
    w.run("--", "cat", os.path.join(w.home, "secret.txt")).code_is(0).prints("canary-in-home")
    w.pinfold("policy", "trust", "--list").code_is(0).prints(w.ws, "as trusted")
    project_file(w, "# second\n" + wide(w))
    refused(w, 126, ["has changed since you trusted it"])
    w.pinfold("policy", "trust", "--list").code_is(0).prints("changed since")
    w.pinfold("policy", "trust").code_is(126).says("- # first", "+ # second")
    project_file(w, "# first\n" + wide(w))
    w.run("--", "true").code_is(0)
    w.pinfold("policy", "trust", "--revoke").code_is(0).prints("no longer trusted")
    refused(w, 126, ["asks for more"])
    w.pinfold("policy", "trust", "--revoke").code_is(0).prints("was not trusted")
    w.pinfold("policy", "trust", "--yes", w.ws, cwd=w.other).code_is(0)
    os.unlink(os.path.join(w.ws, "pinfold.toml"))
    w.pinfold("policy", "trust", "--list").code_is(0).prints("missing, or owned by another user")
    w.pinfold("policy", "trust", "--revoke", w.ws).code_is(0).prints("no longer trusted")
    w.pinfold("policy", "trust").code_is(125).says("there is no pinfold.toml")
    w.pinfold("policy", "trust", w.other).code_is(125)


@check("trust: the review shows everything: also paths that do not exist yet, and profiles that are not selected")
def _(w):
    project_file(w, wide(w) + 'write = [{ path = "~/later", optional = true }]\n[profiles.other]\nnetwork = "full"  # \u202e\n')
    ran = w.pinfold("policy", "trust", "--yes").code_is(0).says("~/later", "profiles.other", 'network = "full"').calm()
    expect("\u202e" not in ran.err, "a deceiving character was printed")
    odd = os.path.join(w.base.encode(), b"odd\xff")
    os.mkdir(odd)
    with open(os.path.join(odd, b"pinfold.toml"), "w", encoding="utf-8") as file:
        file.write(wide(w))
    done = subprocess.run([w.program, "policy", "trust", "--yes"], cwd=odd, env=w.env, capture_output=True)
    expect(done.returncode == 125 and b"not UTF-8" in done.stderr, f"{done.returncode} {done.stderr!r}")


@check("trust: consent to one project's text is none to the same text elsewhere")
def _(w):
    project_file(w, wide(w))
    w.pinfold("policy", "trust", "--yes").code_is(0)
    os.mkdir(os.path.join(w.base, "copy"))
    project_file(w, wide(w), os.path.join(w.base, "copy"))
    w.run("--", "true", cwd=os.path.join(w.base, "copy")).code_is(126)


@check("trust: at a terminal, y is yes; anything else, and keys typed before the request, are no")
def _(w):
    project_file(w, wide(w))
    for before, after in ((b"", b"n\n"), (b"", b"\n"), (b"", b"\x04"), (b"y\n", b"\n"), (b"y\ny\nyes\n", b"n\n")):
        code, seen, _ = typed(w, before, after, "policy", "trust")
        expect(code == 126 and b"[y/N]" in seen, f"{before!r} {after!r}: {code} {seen[-300:]!r}")
        expect(not os.path.exists(store(w)), f"stored after {before!r} {after!r}")
    code, seen, _ = typed(w, b"", b"y\n", "policy", "trust")
    expect(code == 0 and b"secret.txt" in seen, f"{code} {seen[-300:]!r}")
    w.run("--", "cat", os.path.join(w.home, "secret.txt")).prints("canary-in-home")


@check("trust: a file that another user owns or can write, or that a symlink leads out to, is not obeyed")
def _(w):
    path = os.path.join(w.ws, "pinfold.toml")
    project_file(w, 'timeout = "50s"\n')
    os.chmod(path, 0o666)
    refused(w, 126, ["can be written by every user", "chmod go-w"])
    os.chmod(path, 0o664)
    if os.getuid() == 0:  # CI runs as root; an ordinary user cannot give files away
        os.chown(path, -1, 12345)
        refused(w, 126, ["can be written by its group"])
        os.chmod(path, 0o644)
        os.chown(path, 12345, 12345)
        refused(w, 126, ["belongs to another user (uid 12345)", "chown"])
        user_file(w, 'timeout = "5s"\n')
        own = os.path.join(w.home, ".config", "pinfold", "config.toml")
        os.chown(own, 12345, 12345)
        refused(w, 126, ["config.toml belongs to another user"], "--no-project-file")
        os.unlink(own)
    os.unlink(path)
    w.write(os.path.join(w.other, "pinfold.toml"), b'timeout = "50s"\n')
    os.symlink(os.path.join(w.other, "pinfold.toml"), path)
    refused(w, 126, ["symlink that leads out of", "--no-project-file"])
    os.unlink(path)
    os.mkdir(os.path.join(w.ws, "etc"))
    w.write(os.path.join(w.ws, "etc", "p.toml"), b'timeout = "50s"\n')
    os.symlink("etc/p.toml", path)
    policy = json.loads(w.pinfold("policy", "show", "--json").code_is(0).out)
    expect(policy["limits"]["timeout"]["milliseconds"] == 50000, policy["limits"])
    os.unlink(path)
    os.symlink("pinfold.toml", path)
    expect(w.run(*CANARY).code in (125, 126), "a symlink to itself")


@check("trust: a damaged store is no consent, says so, and is not overwritten")
def _(w):
    project_file(w, wide(w))
    w.pinfold("policy", "trust", "--yes").code_is(0)
    good = open(store(w), "rb").read()
    for bad in (b"", b"{", b"[]", good[:-20], good.replace(b'"version": 1', b'"version": 2'), b"\xff" * 50, b'{"version":1,"trusted":[7]}'):
        w.write(store(w), bad, 0o600)
        refused(w, 126, ["trust.json", "is damaged", "no project file counts as trusted"])
        w.pinfold("policy", "trust", "--yes").code_is(126).says("is damaged")
        w.pinfold("policy", "trust", "--list").code_is(126)
        w.pinfold("policy", "trust", "--revoke").code_is(126)
        expect(open(store(w), "rb").read() == bad, f"{bad[:20]!r} was overwritten")
    w.write(store(w), good, 0o666)
    refused(w, 126, ["can be written by others"])
    os.unlink(store(w))
    os.symlink(os.path.join(w.other, "t.json"), store(w))
    w.write(os.path.join(w.other, "t.json"), good, 0o600)
    refused(w, 126, ["trust.json"])
    # A project that needs no consent is not held up by it.
    project_file(w, 'timeout = "50s"\n')
    w.run("--", "true").code_is(0)


@check("trust: kill -9 at any moment leaves a whole store")
def _(w):
    project_file(w, wide(w))
    w.pinfold("policy", "trust", "--yes").code_is(0)
    draw = random.Random(7)
    killed = 0
    for i in range(120):
        project_file(w, f"# {i} {'x' * 20000}\n" + wide(w))
        child = subprocess.Popen([w.program, "policy", "trust", "--yes"], cwd=w.ws, env=w.env, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, 0.004))
        child.send_signal(signal.SIGKILL)
        killed += child.wait() == -signal.SIGKILL
        one = stored(w)[os.path.join(w.ws, "pinfold.toml")]
        expect(one["text"].endswith(wide(w)), "half a text")
    expect(killed > 10, f"only {killed} were killed in time")
    w.pinfold("policy", "trust", "--yes").code_is(0)
    left = [name for name in os.listdir(os.path.dirname(store(w))) if name not in ("trust.json", ".trust.lock")]
    expect(len(left) <= killed, f"{len(left)} left: {left[:5]}")


@check("trust: ten at once all land")
def _(w):
    projects = [os.path.join(w.base, f"project{i}") for i in range(10)]
    for directory in projects:
        os.mkdir(directory)
        project_file(w, wide(w), directory)
    children = [subprocess.Popen([w.program, "policy", "trust", "--yes"], cwd=one, env=w.env, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE) for one in projects]
    for child in children:
        out, err = child.communicate(timeout=300)
        expect(child.returncode == 0, err)
    expect(set(stored(w)) == {os.path.join(one, "pinfold.toml") for one in projects}, sorted(stored(w)))
    w.run("--", "true", cwd=projects[3]).code_is(0)


@check("trust: the store and the user's file cannot be reached from inside")
def _(w):
    user_file(w, 'timeout = "50s"\n')
    before = open(os.path.join(os.path.dirname(store(w)), "config.toml"), "rb").read()
    for flags in ((), ("--profile", "permissive"), ("--write", w.home), ("--write", os.path.join(w.home, ".config"))):
        w.run(*flags, "-c", "echo 'network = true' >> ~/.config/pinfold/config.toml; echo x > ~/.config/pinfold/trust.json; "
              "mv ~/.config ~/c; rm -rf ~/.config/pinfold")
        expect(not os.path.exists(store(w)), f"{flags}: a store was made from inside")
        expect(open(os.path.join(os.path.dirname(store(w)), "config.toml"), "rb").read() == before, f"{flags}: changed from inside")
    # Also where there is none yet; and a rule that names it has no effect.
    own = os.path.dirname(store(w))
    os.unlink(os.path.join(own, "config.toml"))
    os.rmdir(own)
    w.run("--write", w.home, "-c", "mkdir ~/.config/pinfold && echo 'network = true' > ~/.config/pinfold/config.toml")
    # Pinfold itself may have made the directory, to be able to close it.
    expect(not os.path.exists(own) or not os.listdir(own), "it was written from inside")
    os.makedirs(own, exist_ok=True)
    w.run("--write", own, "-c", "echo > ~/.config/pinfold/config.toml").code_is(125).says("which no sandbox shows")
