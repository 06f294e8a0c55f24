# grants.py: what "always" leaves behind: listed, explained, applied to the next run, taken back; against a real pinfold.
# Invariant: a store that cannot be trusted gives nothing and is left as it is.
# Not here: how a grant comes about (live questions), the store alone (src/session/grant_store_test.cc).
import base64
import hashlib
import json
import os
import random
import signal
import subprocess
import time

from harness import check, expect, typed
from policy_files import project_file, shown, user_file


def place(w):
    return os.path.join(w.home, ".config", "pinfold", "grants")


def file_of(w, project=None):
    if project is None:
        return os.path.join(place(w), "user.json")
    return os.path.join(place(w), f"project-{hashlib.sha256(os.fsencode(project)).hexdigest()[:32]}.json")


def text(raw):
    raw = os.fsencode(raw)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode()}


def store(w, grants, project=None):
    """Writes the store as an "always" does: (number, kind, resource) each."""
    os.makedirs(place(w), mode=0o700, exist_ok=True)
    os.chmod(place(w), 0o700)
    body = {"version": 1, "project": None if project is None else text(project),
            "grants": [{"number": number, "kind": kind, "resource": text(resource), "since": "2026-11-16T10:00:00.000Z",
                        "program": "/usr/bin/cat", "operation": "read", "asked": text(resource)}
                       for number, kind, resource in grants]}
    w.write(file_of(w, project), json.dumps(body).encode(), 0o600)


def listed(w, *flags, **options):
    return json.loads(w.pinfold("grants", "list", "--json", *flags, **options).code_is(0).out)


@check("grants: list is a table, or JSON, or says kindly that there is none")
def _(w):
    w.pinfold("grants", "list").code_is(0).prints("no permanent grants").calm()
    expect(listed(w) == [], "an empty array")
    expect(not os.path.exists(os.path.join(w.home, ".config")), "looking made something")
    store(w, [(1, "read", w.other), (4, "net", "example.org:443"), (5, "read", os.path.join(w.base, "gone"))])
    store(w, [(2, "write", w.other)], w.ws)
    store(w, [(3, "read", os.fsencode(w.other) + b"/\xff\n\x1b")], w.other)
    ran = w.pinfold("grants", "list").code_is(0).calm()
    lines = ran.out.splitlines()
    expect([line.split()[0] for line in lines] == ["NUMBER", "1", "2", "4", "5"], ran.out)
    at = lines[0].index("RESOURCE")
    expect(all(line[at - 1] == " " and line[at] != " " for line in lines), f"not aligned: {ran.out}")
    ran.prints("everywhere", "2026-11-16", "/usr/bin/cat", w.ws, "example.org:443", "gone (gone)")
    ran = w.pinfold("grants", "list", "--all").code_is(0).calm()
    expect(len(ran.out.splitlines()) == 6 and "\\xff" in ran.out, ran.out)
    every = {one["number"]: one for one in listed(w, "--all")}
    expect(base64.b64decode(every[3]["resource_bytes"]) == os.fsencode(w.other) + b"/\xff\n\x1b", every[3])
    expect(every[2]["scope"] == "project" and every[2]["project"] == w.ws and every[1]["scope"] == "user", every)
    expect([every[n]["state"] for n in (1, 4, 5)] == ["stands", "stands", "gone"], every)
    w.pinfold("grants", "list", "x").code_is(125).says("takes no names")


@check("grants: a run obeys them: the user's everywhere, a project's in it; --no-grants leaves them out")
def _(w):
    secret = os.path.join(w.home, "secret.txt")
    cat = ("--", "cat", secret)
    w.run(*cat).code_is(1)
    store(w, [(7, "read", secret)], w.ws)
    w.run(*cat).code_is(0).prints("canary-in-home")
    w.run("--no-grants", *cat).code_is(1)
    w.run(*cat, cwd=w.other).code_is(1)
    w.run("--workspace", w.other, *cat).code_is(1)
    w.run("--workspace", w.ws, *cat, cwd=w.other).code_is(0)
    w.run("--hide", secret, *cat).code_is(1)
    os.symlink(w.ws, os.path.join(w.base, "alias"))
    w.run(*cat, cwd=os.path.join(w.base, "alias")).code_is(0)
    store(w, [(8, "read", secret)])
    os.unlink(file_of(w, w.ws))
    w.run(*cat, cwd=w.other).code_is(0).prints("canary-in-home")
    w.run("-c", f"echo x > {secret}").code_is(2)
    store(w, [(8, "write", w.other)])
    w.run("-c", f"echo x > {w.other}/new").code_is(0)
    expect(os.path.exists(os.path.join(w.other, "new")), "not written")
    w.run("--explain", "--", "true").code_is(0).prints("grant 8, always, 2026-11-16")


@check("grants: policy show and policy why name them; they stand above files and below flags")
def _(w):
    store(w, [(3, "read", w.other), (4, "net", "b.example:443")])
    user_file(w, f'hide = ["{w.other}"]\nnetwork = ["a.example"]\n')
    policy = shown(w)
    rule = [one for one in policy["paths"] if one["source"] == "grant"]
    expect([one["path"] for one in rule] == [w.other] and rule[0]["origin"] == "grant 3, always, 2026-11-16", rule)
    expect([one["rule"] for one in policy["network"]["domains"]] == ["a.example", "b.example:443"], policy["network"])
    w.pinfold("policy", "show").code_is(0).prints("grant 3, always, 2026-11-16", "grant 4, always")
    w.pinfold("policy", "why", w.other).code_is(0).prints("readable", "grant 3, always, 2026-11-16")
    w.pinfold("policy", "why", "--hide", w.other, w.other).code_is(0).prints("hidden").silent("grant 3")
    w.pinfold("policy", "why", "--net", "none", "b.example").code_is(0).prints("no network")
    w.pinfold("policy", "why", "--net", "c.example", "b.example").code_is(0).prints("can be reached", "grant 4")
    w.pinfold("policy", "why", "--no-grants", "b.example").code_is(0).prints("cannot be reached")
    toml = w.pinfold("policy", "show", "--toml").code_is(0).out
    path = os.path.join(w.ws, "printed.toml")
    w.write(path, toml.encode())
    w.pinfold("policy", "check", path).code_is(0)


@check("grants: a project's file that repeats a grant needs no further consent")
def _(w):
    store(w, [(3, "read", w.other)])
    project_file(w, f'read = ["{w.other}"]\n')
    w.run("--", "true").code_is(0)
    w.run("--no-grants", "--", "true").code_is(126).says("asks for more than you allow")


@check("grants: a path that became a link, or is gone, gives nothing and holds nothing up")
def _(w):
    lane = os.path.join(w.base, "lane")
    os.mkdir(lane)
    store(w, [(1, "read", lane), (2, "write", os.path.join(w.base, "gone"))])
    w.run("--", "ls", lane).code_is(0)
    os.rmdir(lane)
    os.symlink(w.home, lane)
    w.run("--", "cat", os.path.join(lane, "secret.txt")).code_is(1).silent("warning")
    w.pinfold("grants", "list").code_is(0).prints("lane (leads elsewhere)", "gone (gone)")


@check("grants: why names the grant or the rule that decides")
def _(w):
    store(w, [(3, "read", w.other), (4, "net", "*.b.example:443")])
    w.pinfold("grants", "why", os.path.join(w.other, "data.txt")).code_is(0).prints(
        "allowed by grant 3: read", "everywhere", "since 2026-11-16", "asked by /usr/bin/cat", "pinfold grants revoke 3")
    w.pinfold("grants", "why", "x.b.example").code_is(0).prints("allowed by grant 4: net *.b.example:443")
    w.pinfold("grants", "why", "x.b.example:80").code_is(0).prints("no grant applies", "cannot be reached")
    w.pinfold("grants", "why", "c.example").code_is(0).prints("no grant applies", "cannot be reached")
    w.pinfold("grants", "why", os.path.join(w.home, "secret.txt")).code_is(0).prints("no grant applies", "hidden")
    w.pinfold("grants", "why", w.ws).code_is(0).prints("no grant applies", "readable and writable")
    w.pinfold("grants", "why").code_is(125).says("needs a path or a host")
    w.pinfold("grants", "why", "").code_is(125)


@check("grants: revoke takes back all that were named, or none")
def _(w):
    store(w, [(1, "read", w.other), (2, "read", "/srv")])
    store(w, [(3, "write", w.other)], w.other)
    before = open(file_of(w), "rb").read()
    w.pinfold("grants", "revoke").code_is(125).says("no grant number is given")
    for word in ("x", "0", "-1", "1x", "99999999999999999999999"):
        w.pinfold("grants", "revoke", "--", word).code_is(125).says("is not the number of a grant")
    w.pinfold("grants", "revoke", "1", "9").code_is(125).says("there is no grant 9", "grants list --all")
    expect(open(file_of(w), "rb").read() == before, "changed all the same")
    w.pinfold("grants", "revoke", "1", "3").code_is(0).prints("revoked: grant 1: read", "revoked: grant 3: write")
    expect([one["number"] for one in listed(w, "--all")] == [2], listed(w, "--all"))
    expect(os.stat(file_of(w)).st_mode & 0o777 == 0o600, "not owner-only")
    w.run("--", "cat", os.path.join(w.other, "data.txt")).code_is(1)


@check("grants: clear asks; without a terminal it needs --yes; --project, --user and --all")
def _(w):
    def fill():
        store(w, [(1, "read", w.other)])
        store(w, [(2, "read", w.other)], w.ws)
        store(w, [(3, "read", w.other)], w.other)
    fill()
    w.pinfold("grants", "clear").code_is(126).says("no grant was revoked", "--yes")
    expect(len(listed(w, "--all")) == 3, "cleared without a yes")
    for flags, left in ((["--project"], [1, 3]), (["--user"], [2, 3]), (["--all"], []), ([], [3])):
        fill()
        w.pinfold("grants", "clear", "--yes", *flags).code_is(0).prints("revoked")
        expect([one["number"] for one in listed(w, "--all")] == left, f"{flags}: {listed(w, '--all')}")
    fill()
    w.pinfold("grants", "clear", "--yes", "--all", "--user").code_is(125).says("keep one of them")
    w.pinfold("grants", "clear", "3").code_is(125).says("grants revoke NUMBER")
    code, seen, _ = typed(w, b"y\n", b"n\n", "grants", "clear")
    expect(code == 126 and b"[y/N]" in seen and len(listed(w, "--all")) == 3, f"{code} {seen[-300:]!r}")
    code, seen, _ = typed(w, b"", b"y\n", "grants", "clear")
    expect(code == 0 and b"2 grants revoked" in seen, f"{code} {seen[-300:]!r}")
    w.pinfold("grants", "clear").code_is(0).prints("no grants to revoke")


@check("grants: a damaged store gives nothing, warns in every run, and is left as it is until it is cleared")
def _(w):
    secret = os.path.join(w.home, "secret.txt")
    store(w, [(1, "read", secret)])
    good = open(file_of(w), "rb").read()
    w.run("--", "cat", secret).code_is(0)
    for bad in (b"", b"{", b"[]", good[:-9], good.replace(b'"version": 1', b'"version": 2'), b"\xff" * 40,
                good.replace(os.fsencode(secret), b"/"), good.replace(os.fsencode(secret), os.fsencode(w.home))):
        w.write(file_of(w), bad, 0o600)
        ran, report = w.report("-c", f"cat {secret}; echo went on")
        ran.code_is(0).prints("went on").says("pinfold: warning:", "user.json is damaged", "no permanent grant applies",
                                              "fix: look at it, then set it aside: pinfold grants clear --user")
        expect("canary" not in ran.out, "granted all the same")
        expect(any("user.json is damaged" in note for note in report["notes"]), report["notes"])
        w.run("--quiet", "--", "true").code_is(0).says("warning")
        w.run("--no-grants", "--", "true").code_is(0).silent("warning")
        w.pinfold("policy", "show").code_is(0).says("user.json is damaged")
        w.pinfold("grants", "list").code_is(126).says("user.json is damaged", "grants clear")
        w.pinfold("grants", "revoke", "1").code_is(126).says("user.json is damaged")
        expect(open(file_of(w), "rb").read() == bad, f"{bad[:20]!r} was overwritten")
    ran = w.pinfold("grants", "clear", "--yes").code_is(0).prints("renamed aside: ", "user.json.damaged-")
    expect(not os.path.exists(file_of(w)), "still there")
    aside = [name for name in os.listdir(place(w)) if "damaged" in name]
    expect(len(aside) == 1 and open(os.path.join(place(w), aside[0]), "rb").read() == bad, aside)
    w.run("--", "true").code_is(0).silent("warning")


@check("grants: a store that another user owns or can write is ignored")
def _(w):
    secret = os.path.join(w.home, "secret.txt")
    store(w, [(1, "read", secret)])
    cat = ("--", "cat", secret)
    for mode in (0o620, 0o602):
        os.chmod(file_of(w), mode)
        w.run(*cat).code_is(1).says("can be written by others")
    os.chmod(file_of(w), 0o600)
    os.chmod(place(w), 0o770)
    w.run(*cat).code_is(1).says("can be written by others", "chmod go-w")
    os.chmod(place(w), 0o700)
    w.run(*cat).code_is(0)
    if os.getuid() == 0:  # CI runs as root; an ordinary user cannot give files away
        os.chown(file_of(w), 12345, 12345)
        w.run(*cat).code_is(1).says("belongs to another user (uid 12345)")
        os.chown(file_of(w), 0, 0)
    moved = os.path.join(w.other, "user.json")
    os.rename(file_of(w), moved)
    os.symlink(moved, file_of(w))
    w.run(*cat).code_is(1).says("symlink that leads out of")
    os.unlink(file_of(w))
    # One project's file under the name of another's.
    store(w, [(1, "read", secret)], w.other)
    os.rename(file_of(w, w.other), file_of(w, w.ws))
    w.run(*cat).code_is(1).says("another project's")


@check("grants: they cannot be made from inside")
def _(w):
    store(w, [(1, "read", w.other)])
    before = open(file_of(w), "rb").read()
    for flags in ((), ("--write", w.home), ("--write", os.path.join(w.home, ".config"))):
        w.run(*flags, "-c", f"echo x > {file_of(w)}; echo x > {file_of(w, w.ws)}; rm -rf {place(w)}; mv ~/.config ~/c")
        expect(open(file_of(w), "rb").read() == before, f"{flags}: changed from inside")
        expect(not os.path.exists(file_of(w, w.ws)), f"{flags}: made from inside")


@check("grants: ten revoke at once and all land")
def _(w):
    store(w, [(number, "read", f"/srv/{number}") for number in range(1, 21)])
    children = [subprocess.Popen([w.program, "grants", "revoke", str(number)], cwd=w.ws, env=w.env,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for number in range(1, 11)]
    for child in children:
        out, err = child.communicate(timeout=120)
        expect(child.returncode == 0, err)
    expect([one["number"] for one in listed(w)] == list(range(11, 21)), listed(w))


@check("grants: kill -9 at any moment leaves a whole store")
def _(w):
    draw = random.Random(11)
    killed = 0
    for i in range(80):
        store(w, [(number, "read", f"/srv/{'x' * 200}{number}") for number in range(1, 200)])
        child = subprocess.Popen([w.program, "grants", "revoke", "7"], cwd=w.ws, env=w.env, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, 0.006))
        child.send_signal(signal.SIGKILL)
        killed += child.wait() == -signal.SIGKILL
        with open(file_of(w), encoding="utf-8") as file:
            left = len(json.load(file)["grants"])
        expect(left in (198, 199), f"{left} grants are left")
    expect(killed > 5, f"only {killed} were killed in time")
    expect(len(listed(w)) in (198, 199), "the store is not read any more")
    w.pinfold("grants", "revoke", "8").code_is(0)


@check("grants: a lock that another program holds is an error that names the file, and no command waits for ever")
def _(w):
    import fcntl
    runtime = os.path.join(w.base, "runtime")
    os.makedirs(os.path.join(runtime, "pinfold"), mode=0o700)
    os.makedirs(place(w), mode=0o700)
    store(w, [(1, "read", w.other)])
    env = {**w.env, "XDG_RUNTIME_DIR": runtime}
    waits = {os.path.join(place(w), ".lock"): ["grants", "revoke", "1"],
             os.path.join(w.home, ".config", "pinfold", ".trust.lock"): ["policy", "trust", "--yes"],
             os.path.join(runtime, "pinfold", ".lock"): ["session", "start", "--name", "s", "--detach", "--no-project-file"]}
    project_file(w, 'network = "full"\n')
    held = []
    try:
        for path in waits:
            held.append(os.open(path, os.O_RDONLY if os.path.isdir(path) else os.O_RDWR | os.O_CREAT, 0o600))
            fcntl.flock(held[-1], fcntl.LOCK_EX)
        running = [(path, subprocess.Popen([w.program, *words], cwd=w.ws, env=env, stdin=subprocess.DEVNULL,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
                   for path, words in waits.items()]
        for path, process in running:
            out, err = process.communicate(timeout=60)
            expect(process.returncode == 125 and f"process {os.getpid()} has held the lock on {path}" in err and
                   f"kill {os.getpid()}" in err, (path, out, err))
        # Commands that only read do not wait.
        for words in (["session", "list"], ["grants", "list"], ["policy", "trust", "--list"], ["doctor"]):
            begin = time.monotonic()
            w.pinfold(*words, env={"XDG_RUNTIME_DIR": runtime}).silent("the lock on")
            expect(time.monotonic() - begin < 5, words)
    finally:
        for fd in held:
            os.close(fd)
    for words in (*waits.values(), ["session", "stop", "s"]):
        w.pinfold(*words, env={"XDG_RUNTIME_DIR": runtime}).code_is(0)
