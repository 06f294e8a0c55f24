# bad_input.py: wrong input gets a clear message with place and fix, the right exit code, and nothing half done.
# Invariant: after each wrong input the canary command has not run.
# Not here: right input (contract.py).
import os
import subprocess

from harness import check, expect


def wrong(w, code, texts, *words, **options):
    ran = w.run(*words, **options).code_is(code).says(*texts).calm()
    expect(not os.path.exists(os.path.join(w.ws, "canary")), f"it ran: {words[:4]}")
    return ran


CANARY = ("--", "touch", "canary")


@check("misspelt flags, profiles and commands get a suggestion")
def _(w):
    wrong(w, 125, ["unknown flag --raed", "did you mean --read"], "--raed", "/x", *CANARY)
    wrong(w, 125, ["did you mean --timeout"], "--timout=3s", *CANARY)
    wrong(w, 125, ["--profile", "did you mean moderate"], "--profile", "moderat", *CANARY)
    wrong(w, 125, ["did you mean native"], "--backend", "natve", *CANARY)
    wrong(w, 125, ["did you mean"], "--on-unavailable", "den", *CANARY)
    w.pinfold("rnu", "true").code_is(125).says("did you mean run")
    w.pinfold("policy", "whi", "/x").code_is(125).says("did you mean why")
    w.pinfold("docter").code_is(125).says("did you mean doctor")
    w.pinfold("ls", "-l").code_is(125).says("pinfold run -- ls")


@check("no command, or two of them")
def _(w):
    wrong(w, 125, ["no command", "fix:"])
    wrong(w, 125, ["no command"], "--")
    wrong(w, 125, ["empty"], "--", "")
    wrong(w, 125, ["both given"], "-c", "touch canary", *CANARY)
    wrong(w, 125, ["-c needs a value"], "-c")
    wrong(w, 125, ["--shell"], "--shell", "bash", *CANARY)


@check("values that are missing, doubled or not wanted")
def _(w):
    wrong(w, 125, ["--read needs a value"], "--read")
    wrong(w, 125, ["--read needs a value"], "--read", *CANARY)
    wrong(w, 125, ["takes no value"], "--explain=1", *CANARY)
    wrong(w, 125, ["contradicts"], "--timeout", "1s", "--timeout", "2s", *CANARY)
    wrong(w, 125, ["contradicts"], "--profile", "strict", "--sandbox-profile", "moderate", *CANARY)
    wrong(w, 125, ["--sandbox"], "--sandbox", "--no-sandbox", *CANARY)
    wrong(w, 125, ["--explain"], "--explain", "--report", "r.json", *CANARY)


@check("a path that is missing, empty, too long or impossible is named with its flag")
def _(w):
    wrong(w, 125, ["--read", "/no/such/path"], "--read", "/no/such/path", *CANARY)
    wrong(w, 125, ["--write", "nowhere"], "--write", "nowhere", *CANARY)
    wrong(w, 125, ["--workspace", "gone"], "--workspace", "gone", *CANARY)
    wrong(w, 125, ["--read", "empty"], "--read", "", *CANARY)
    wrong(w, 125, ["--read", "255"], "--read", "/" + "n" * 256, *CANARY)
    wrong(w, 125, ["--read", "4095"], "--read", "/a" * 2100, *CANARY)
    wrong(w, 125, ["--env", "1X"], "--env", "1X=y", *CANARY)
    wrong(w, 125, ["--env"], "--env", "=y", *CANARY)


@check("all problems are reported at once")
def _(w):
    wrong(w, 125, ["--timeout", "--memory", "--env"], "--timeout", "soon", "--memory", "lots", "--env", "-", *CANARY)


@check("absurd limits")
def _(w):
    for flag, values in {"--timeout": ("0", "0s", "-1s", "1x", "", "99999999999999999999s", "1e9s", "soon"),
                         "--cpu-time": ("0s", "-5s", "many"), "--memory": ("0", "-1", "5Q", "1.5.5G", "99999999999999999999T"),
                         "--processes": ("0", "-3", "two", "99999999999999999999"), "--file-size": ("-1", "x"),
                         "--output-limit": ("-1", "x", "0x10")}.items():
        for value in values:
            wrong(w, 125, [flag], f"{flag}={value}", *CANARY)


@check("names that are none; none, full and names contradict")
def _(w):
    for name in ("127.1", "0x7f.1", "2130706433:80", "a..b", "*", "*:443", "a b.c", "evil\n.allowed.com", "https://a.org/", "a.org/x", "a.org:0",
                 "a.org:65536", "localhost", "fe80::1%eth0", "x" * 64 + ".org", "a." * 150 + "org", "0.0.0.0/0", "10.1.2.3/8", "!a.org", "xn--99999.org"):
        wrong(w, 125, ["--net"], "--net", name, *CANARY)
    for other in ("none", "full"):
        wrong(w, 125, ["both"], "--net", other, "--net", "a.org", *CANARY)
    wrong(w, 125, ["did you mean full"], "--net", "ful", *CANARY)
    wrong(w, 125, ["both"], "--net", "none", "--net", "full", *CANARY)
    wrong(w, 125, ["both"], "--exec", "none", "--exec", "any", *CANARY)


@check("a working directory outside of the view")
def _(w):
    for directory in (w.home, w.other):
        ran = w.run("--cwd", directory, "--", "touch", os.path.join(w.ws, "canary"))
        expect(ran.code in (125, 126), f"code {ran.code}")
        ran.says(directory, "fix:")
    wrong(w, 125, ["no/such/dir"], "--cwd", "no/such/dir", *CANARY)
    expect(os.listdir(w.ws) == [], "it ran")


@check("a working directory that is gone")
def _(w):
    gone = os.path.join(w.base, "gone")
    script = f"mkdir '{gone}' && cd '{gone}' && rmdir '{gone}' && exec '{w.program}' run -- true"
    done = subprocess.run(["/bin/sh", "-c", script], env=w.env, capture_output=True)
    expect(done.returncode == 125 and b"working directory" in done.stderr, f"{done.returncode} {done.stderr!r}")


@check("the home directory, / and parents of the home are no workspace")
def _(w):
    for directory in (w.home, "/", w.base):
        w.run("--workspace", directory, "--", "touch", os.path.join(w.ws, "canary")).code_is(125).says("--workspace", "fix:")
    expect(os.listdir(w.ws) == [], "it ran")


@check("10,000 rules")
def _(w):
    directory = os.path.join(w.other, "many")
    os.mkdir(directory)
    flags = []
    for i in range(10000):
        path = os.path.join(directory, f"f{i}")
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
        flags += ["--read", path]
    ran = w.run(*flags, "--", "sh", "-c", f"ls {directory} | wc -l", timeout=120).code_is(0).out_is(b"10000\n")
    expect(ran.seconds < 30, f"took {ran.seconds:.1f} s")


@check("names with newlines, escapes, bidi and invalid UTF-8 work, and are shown escaped")
def _(w):
    for name in (b"new\nline", b"esc\x1b[31m", b"bad\xff\xfe", "bidi\u202e".encode(), b"quo'te\"", b"glob*[x]", b"-dash",
                 b"n" * 255, b" lead", b"back\\slash"):
        path = os.path.join(w.other.encode(), name)
        with open(path, "wb") as file:
            file.write(b"canary-odd")
        done = subprocess.run([w.program, "run", "--read", path, "--", "cat", path], cwd=w.ws, env=w.env, capture_output=True)
        expect(done.returncode == 0 and done.stdout == b"canary-odd", f"{name!r}: {done.returncode} {done.stderr!r}")
        missing = path[:-1] + b"~" if len(name) == 255 else path + b"-missing"
        done = subprocess.run([w.program, "run", "--read", missing, "--", "true"], cwd=w.ws, env=w.env, capture_output=True)
        expect(done.returncode == 125, f"{missing!r}: {done.returncode}")
        why = subprocess.run([w.program, "policy", "why", path], cwd=w.ws, env=w.env, capture_output=True)
        expect(why.returncode == 0, f"why {name!r}: {why.stderr!r}")
        for text in (done.stderr, why.stdout):
            expect(b"\x1b" not in text and "\u202e".encode() not in text and b"\xff" not in text, f"raw bytes shown: {text!r}")
        os.unlink(path)


@check("a suggestion for an odd name can be pasted into bash")
def _(w):
    for name in (b"a b", b"new\nline", b"bad\xff", b"it's $(x)"):
        path = os.path.join(w.home.encode(), name)
        with open(path, "wb") as file:
            file.write(b"canary-odd")
        why = subprocess.run([w.program, "policy", "why", path], cwd=w.ws, env=w.env, capture_output=True)
        line = [x for x in why.stdout.split(b"\n") if b"--read " in x][0]
        flag = line[line.index(b"--read "):]
        command = b"exec '" + w.program.encode() + b"' run " + flag + b" -- cat \"$1\""
        done = subprocess.run(["bash", "-c", command, "bash", path], cwd=w.ws, env=w.env, capture_output=True)
        expect(done.stdout == b"canary-odd", f"{flag!r}: {done.stderr!r}")


@check("a report that cannot be written stops the run before it starts")
def _(w):
    wrong(w, 125, ["--report", "fix:"], "--report", "no/such/dir/r.json", *CANARY)
    wrong(w, 125, ["--report", "directory"], "--report", w.other, *CANARY)
    wrong(w, 125, ["--report", "directory"], "--report", "x/", *CANARY)
    wrong(w, 125, ["--report"], "--report", "", *CANARY)
