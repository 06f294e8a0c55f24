# contract.py: what scripts rely on: exit codes, streams, argv, environment, flags and their spellings.
# Invariant: each check has the promise as its name.
# Not here: wrong input (bad_input.py), the report (reports.py).
import hashlib
import json
import os
import shlex
import signal
import subprocess

from harness import check, expect, typed, validate


@check("the command's own exit code comes through")
def _(w):
    for code in (0, 1, 7, 100, 255):
        w.run("--", "sh", "-c", f"exit {code}").code_is(code)


@check("124 when the time is over, and soon")
def _(w):
    ran = w.run("--timeout", "300ms", "--", "sleep", "30").code_is(124).says("timed out", "--timeout")
    expect(ran.seconds < 10, f"took {ran.seconds:.1f} s")


@check("too few open files are an error that names the cause; few are enough, and the command keeps the caller's limit")
def _(w):
    def limited(count, how="-n"):
        script = f'ulimit {how} {count}; exec "$@"'
        return subprocess.run(["sh", "-c", script, "sh", w.program, "run", "--net", "example.com", "-c", "ulimit -Sn"], cwd=w.ws,
                              env=w.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    for count in (30, 40):
        done = limited(count)
        expect(done.returncode == 125 and "open files" in done.stderr and "ulimit -n" in done.stderr and
               "denied" not in done.stderr and "refused" not in done.stderr, f"{count}: {done}")
    for how in ("-n", "-Sn"):
        done = limited(64, how)
        expect(done.returncode == 0 and done.stdout == "64\n" and "denied" not in done.stderr, f"{how} 64: {done}")


@check("127 when there is no such command")
def _(w):
    w.run("--", "no-such-command-xyz").code_is(127).says("no-such-command-xyz")
    w.run("--", "./nope").code_is(127)
    w.run("--", "/no/such/program").code_is(127)


@check("126 when the policy refuses")
def _(w):
    w.run("--exec", "bash", "--", "ls").code_is(126).says("--exec ls")
    # A symlink that leads a rule out of the workspace is refused, and nothing appears where it leads (row 5).
    os.symlink(w.home, os.path.join(w.ws, "a"))
    os.mkdir(os.path.join(w.home, "b"))
    w.run("--write", "a/b", "--", "touch", "a/b/canary").code_is(126)
    expect(os.listdir(os.path.join(w.home, "b")) == [], "the planted symlink was followed")


@check("128+n when a signal ended the command")
def _(w):
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
        w.run("--", "sh", "-c", f"kill -{int(number)} $$; sleep 5").code_is(128 + int(number))


@check("the first plain word starts the command; -- ends the flags")
def _(w):
    w.run("printf", "%s|", "--read", "-c").code_is(0).out_is(b"--read|-c|")
    w.run("--", "printf", "%s|", "a", "--", "b").code_is(0).out_is(b"a|--|b|")


@check("argv arrives word for word, with any bytes")
def _(w):
    words = ["a b", "$(touch canary)", "`id`", '"', "'", "x\ny", "", "*", "~", "\\", "é", "--", "${HOME}", ";|&<>"]
    w.run("--", "printf", "%s\\0", *words).code_is(0).out_is(b"".join(x.encode() + b"\0" for x in words))
    raw = [w.program, "run", "--", "printf", "%s", b"\xff\xfe"]
    done = subprocess.run(raw, cwd=w.ws, env=w.env, capture_output=True)
    expect(done.stdout == b"\xff\xfe", f"bytes changed: {done.stdout!r} {done.stderr!r}")
    expect(not os.path.exists(os.path.join(w.ws, "canary")), "an argument was run by a shell")


@check("-c text is one argument of the shell and is never parsed before (row 28)")
def _(w):
    for text in ("cat /proc/$$/cmdline; :", "cat /proc/$$/cmdline; : \"a 'b'\" '$(touch x)'", "cat /proc/$$/cmdline\n:\n# `id`",
                 "cat /proc/$$/cmdline; : \\\"", "cat /proc/$$/cmdline; # --read / -- \"", " cat /proc/$$/cmdline ; : "):
        w.run("-c", text).code_is(0).out_is(b"/bin/sh\0-c\0" + text.encode() + b"\0")
    expect(os.listdir(w.ws) == [], f"something ran twice: {os.listdir(w.ws)}")


@check("-c: pipes, quotes and exit codes are the shell's")
def _(w):
    w.run("-c", "echo \"a  b\" | tr a-z A-Z; exit 9").code_is(9).out_is(b"A  B\n")
    w.run("-c", "").code_is(0)
    w.run("-c", "--version").silent("pinfold 0")


@check("--shell chooses the shell of -c")
def _(w):
    w.run("--shell", "bash", "-c", "echo ${BASH_VERSION:+bash}").code_is(0).out_is(b"bash\n")
    w.run("--shell=/bin/sh", "-c", "echo $0").code_is(0).out_is(b"/bin/sh\n")


@check("stdin, stdout and stderr are faithful and apart")
def _(w):
    data = bytes(range(256)) * 8192  # 2 MiB, every byte
    ran = w.run("--", "sh", "-c", "cat; echo err >&2", stdin=data).code_is(0)
    expect(hashlib.sha256(ran.raw_out).digest() == hashlib.sha256(data).digest(), "stdout differs from stdin")
    expect(ran.raw_err == b"err\n", f"stderr is {ran.raw_err!r}")
    w.run("--", "sh", "-c", "exec cat", stdin=b"").code_is(0).out_is(b"")


@check("only 0, 1 and 2 are open in the command")
def _(w):
    read, write = os.pipe()
    try:
        os.set_inheritable(write, True)
        done = subprocess.run([w.program, "run", "--", "sh", "-c", "ls /proc/$$/fd"], cwd=w.ws, env=w.env,
                              capture_output=True, close_fds=False)
        expect(done.stdout.split() == [b"0", b"1", b"2"], f"open: {done.stdout!r} {done.stderr!r}")
    finally:
        os.close(read)
        os.close(write)


@check("the workspace is writable, the home is hidden, other paths need a flag")
def _(w):
    w.run("-c", "echo hi > made && cat made").code_is(0).out_is(b"hi\n")
    expect(open(os.path.join(w.ws, "made")).read() == "hi\n", "the file is not on the host")
    secret, data = os.path.join(w.home, "secret.txt"), os.path.join(w.other, "data.txt")
    for path in (secret, data):
        ran = w.run("--", "cat", path)
        expect(ran.code != 0 and "canary" not in ran.out, f"{path} was read")
    w.run("--read", w.other, "--", "cat", data).code_is(0).prints("canary-in-other")
    w.run("--read", "../other", "--", "cat", data).code_is(0).prints("canary-in-other")
    expect(w.run("--read", w.other, "-c", f"echo x > {data}").code != 0, "a --read path was written")
    w.run("--write", w.other, "-c", f"echo changed > {data}").code_is(0)
    expect(open(data).read() == "changed\n", "a --write path was not written")


@check("--hide wins inside a shown directory")
def _(w):
    w.write(os.path.join(w.ws, "private.txt"), b"canary-hidden")
    w.write(os.path.join(w.ws, "key.pem"), b"canary-pem")
    w.run("--hide", "private.txt", "-c", "cat private.txt").silent("canary-hidden")
    w.run("--hide", "**/*.pem", "-c", "cat key.pem").silent("canary-pem")
    w.run("-c", "cat private.txt").code_is(0).prints("canary-hidden")


@check("--protect keeps a file, and a name that does not exist yet")
def _(w):
    w.write(os.path.join(w.ws, "keep.txt"), b"old")
    w.run("--protect", "keep.txt", "-c", "echo new > keep.txt; rm -f keep.txt; mv keep.txt x")
    expect(open(os.path.join(w.ws, "keep.txt")).read() == "old", "a protected file changed")
    w.run("--protect", "later.txt", "-c", "echo new > later.txt")
    expect(not os.path.exists(os.path.join(w.ws, "later.txt")), "a protected name came into being")


@check("--env passes or sets; other variables are removed")
def _(w):
    w.run("-c", "echo [$SECRET_TOKEN]").code_is(0).out_is(b"[]\n")
    w.run("--env", "SECRET_TOKEN", "-c", "echo [$SECRET_TOKEN]").code_is(0).out_is(b"[hunter2]\n")
    w.run("--env", "A=b c=$d", "-c", "echo \"$A\"").code_is(0).out_is(b"b c=$d\n")
    w.run("--env", "EMPTY=", "-c", "echo ${EMPTY-unset}").code_is(0).out_is(b"\n")


@check("--cwd inside the view; --workspace moves the work there")
def _(w):
    os.mkdir(os.path.join(w.ws, "sub"))
    w.run("--cwd", "sub", "--", "pwd").code_is(0).out_is(os.path.join(w.ws, "sub").encode() + b"\n")
    w.run("--workspace", w.other, "--", "pwd", cwd="/").code_is(0).out_is(w.other.encode() + b"\n")
    w.run("--workspace", w.other, "--workspace", w.ws, "-c", f"echo 1 > {w.other}/a && echo 2 > {w.ws}/b").code_is(0)


@check("several workspaces: each is writable and protected, the rest stays as tight")
def _(w):
    third = os.path.join(w.base, "third")
    os.makedirs(third)
    for root in (w.ws, w.other):
        os.makedirs(os.path.join(root, ".git", "hooks"))
        w.write(os.path.join(root, ".env"), b"KEY=1\n")
    both = ("--workspace", w.ws, "--workspace", w.other, "--hide", "**/.env")
    for root in (w.ws, w.other):
        w.run(*both, "-c", f"echo 1 > {root}/made").code_is(0)
        expect(os.path.exists(os.path.join(root, "made")), f"nothing was written to {root}")
        w.run(*both, "--force-advice", "-c",
              f"! echo 1 > {root}/.git/hooks/post-commit && ! mkdir {root}/.vscode && ! cat {root}/.env").code_is(0)
        expect(os.listdir(os.path.join(root, ".git", "hooks")) == [], "a hook was planted")
    w.run(*both, "-c", f"! ls {third} && ! cat {w.home}/secret.txt").code_is(0)
    w.run(*both, "--", "touch", os.path.join(w.base, "x"))  # into a private /tmp, or nowhere
    expect(not os.path.exists(os.path.join(w.base, "x")), "a file beside the workspaces came into being")
    # Without the second one nothing of it is there.
    w.run("--workspace", w.ws, "--", "cat", os.path.join(w.other, "data.txt")).code_is(1)


@check("a caller that ignores SIGCHLD gets the exit code")
def _(w):
    done = subprocess.run([w.program, "run", "--", "sh", "-c", "exit 7"], cwd=w.ws, env=w.env, capture_output=True, timeout=120,
                          preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    expect(done.returncode == 7, f"{done.returncode}: {done.stderr!r}")


@check("the other spellings: --sandbox, --sandbox-profile, --sandbox-allow-write, --sandbox-allow-network")
def _(w):
    w.run("--sandbox", "--", "true").code_is(0)
    w.run("--sandbox", "--sandbox-profile", "strict", "--", "true").code_is(0)
    w.run("--sandbox-allow-write", w.other, "-c", f"echo x > {w.other}/y").code_is(0)
    expect(os.path.exists(os.path.join(w.other, "y")), "--sandbox-allow-write did not write")
    w.pinfold("policy", "show", "--sandbox-allow-network").code_is(0).prints("--sandbox-allow-network")


@check("--net none has no way out, --net full sees the host's interfaces")
def _(w):
    w.run("--net", "none", "-c", "cat /proc/net/dev | tail -n +3 | grep -v ' lo:' | grep -c : ").out_is(b"0\n")
    inside = w.run("--net", "full", "-c", "cat /proc/net/dev | wc -l").code_is(0)
    expect(int(inside.out) == sum(1 for _ in open("/proc/net/dev")), "not the host's network")


@check("--exec none and a list")
def _(w):
    expect(w.run("--exec", "none", "--", "sh", "-c", "ls / | cat").code != 0, "a child was started")
    w.run("--exec", "sh", "--exec", "cat", "--", "sh", "-c", "echo hi | cat").code_is(0).out_is(b"hi\n")
    expect(w.run("--exec", "sh", "--", "sh", "-c", "ls /").code != 0, "a program outside of the list was started")


@check("limits apply: output, file size, processes")
def _(w):
    ran = w.run("--output-limit", "64K", "-c", "yes | head -c 10000000")
    expect(ran.code != 0 and len(ran.raw_out) <= 70000, f"{ran.code}, {len(ran.raw_out)} bytes")
    ran = w.run("--file-size", "64K", "-c", "head -c 1000000 /dev/zero > big")
    expect(ran.code != 0 and os.path.getsize(os.path.join(w.ws, "big")) <= 65536, "the file grew past its limit")
    ran = w.run("--processes", "8", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1 & done; wait")
    expect("fork" in ran.err.lower() or ran.code != 0, f"12 processes under a limit of 8: {ran.code} {ran.err!r}")


@check("--no-sandbox runs with nothing enforced and says so")
def _(w):
    ran = w.run("--no-sandbox", "--", "cat", os.path.join(w.home, "secret.txt"))
    ran.code_is(0).prints("canary-in-home").says("no sandbox")
    w.run("--no-sandbox", "--backend", "passthrough", "--", "true").code_is(0)


@check("--backend passthrough alone is refused")
def _(w):
    w.run("--backend", "passthrough", "-c", "touch canary").code_is(125).says("--no-sandbox")
    expect(not os.path.exists(os.path.join(w.ws, "canary")), "it ran")


@check("--explain prints plan and coverage and runs nothing")
def _(w):
    ran = w.run("--explain", "--", "touch", os.path.join(w.ws, "canary")).code_is(0)
    ran.prints("plan", "coverage", "network", "files.read", "would run").calm()
    expect(os.listdir(w.ws) == [], f"something was made: {os.listdir(w.ws)}")
    w.run("--explain", "--no-sandbox", "--on-unavailable", "deny", "--", "true").code_is(125).prints("refused")


@check("a gap is refused by default, and asked about only at a terminal")
def _(w):
    flags = ("--no-sandbox", "--profile", "moderate", "--on-unavailable")
    w.run(*flags, "deny", "-c", "touch canary").code_is(125).says("refused")
    w.run(*flags, "prompt", "-c", "touch canary").code_is(125)
    expect(os.listdir(w.ws) == [], "it ran")
    w.run(*flags, "warn", "-c", "touch canary").code_is(0).says("warning")


@check("prompt: yes runs, anything else does not")
def _(w):
    flags = ("--no-sandbox", "--profile", "moderate", "--on-unavailable", "prompt", "-c", "touch canary")
    for answer in (b"\n", b"n\n", b"yeah\n", b"\x04"):
        code, seen, asked = typed(w, b"", answer, "run", *flags)
        expect(asked and code == 125, f"{answer!r}: asked {asked}, code {code}, {seen[-300:]!r}")
        expect(os.listdir(w.ws) == [], f"it ran after {answer!r}")
    code, seen, asked = typed(w, b"", b"y\n", "run", *flags)
    expect(asked and code == 0 and os.listdir(w.ws) == ["canary"], f"yes: {code} {seen[-300:]!r}")


@check("signals are forwarded to the command")
def _(w):
    child = subprocess.Popen([w.program, "run", "-c", "trap 'echo got; exit 3' TERM; echo ready; while :; do sleep 0.05; done"],
                             cwd=w.ws, env=w.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(child.stdout.readline() == b"ready\n", "the command did not start")
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=120)
    expect(child.returncode == 3 and out == b"got\n", f"{child.returncode} {out!r} {err!r}")


@check("help has examples first; version; no command is not a success")
def _(w):
    for words in (("help",), ("--help",), ("run", "--help"), ("help", "run"), ("help", "policy", "why"), ("doctor", "-h")):
        ran = w.pinfold(*words).code_is(0).prints("Examples").calm()
        expect("Usage" not in ran.out or ran.out.index("Examples") < ran.out.index("Usage"), "examples are not first")
    w.pinfold("version").code_is(0).prints("pinfold ")
    w.pinfold("--version").code_is(0).prints("pinfold ")
    w.pinfold().code_is(125)


@check("policy show lists rules with their origin")
def _(w):
    ran = w.pinfold("policy", "show", "--read", w.other, "--timeout", "5s").code_is(0).calm()
    ran.prints("moderate", w.ws, w.other, "--read", "--timeout", "network", "none", "preset moderate").silent("hunter2")


@check("policy why: paths, variables and programs")
def _(w):
    secret = os.path.join(w.home, "secret.txt")
    w.pinfold("policy", "why", secret).code_is(0).prints("hidden", "--read " + secret)
    w.pinfold("policy", "why", "--read", secret, secret).code_is(0).prints("readable", "--read")
    w.pinfold("policy", "why", "/usr/bin").code_is(0).prints("readable", "preset moderate")
    w.pinfold("policy", "why", w.ws).code_is(0).prints("writable")
    w.pinfold("policy", "why", ".vscode").code_is(0).prints("protected name")
    w.pinfold("policy", "why", "SECRET_TOKEN").code_is(0).prints("not passed on", "--env SECRET_TOKEN").silent("hunter2")
    w.pinfold("policy", "why", "PATH").code_is(0).prints("variable PATH", "passed on")
    w.pinfold("policy", "why", "sh").code_is(0).prints("program sh", "can be started")
    w.pinfold("policy", "why", "--exec", "cat", "sh").code_is(0).prints("not in the list", "--exec sh")
    w.pinfold("policy", "why").code_is(125)


@check("policy why: hosts")
def _(w):
    w.pinfold("policy", "why", "example.com").code_is(0).prints("cannot be reached", "preset moderate", "--net example.com",
                                                                'network = ["example.com"]')
    by_name = ("--net", "*.example.org", "--net", "!b.example.org", "--net", "localhost:5432")
    for host, words in {"a.b.Example.org.:443": ("can be reached", "*.example.org", "any depth"),
                        "example.org": ("cannot be reached", "not example.org itself", "--net example.org"),
                        "b.example.org:80": ("cannot be reached", "denied by !b.example.org", "leave out"),
                        "a.example.org:22": ("cannot be reached", "port 22", "--net a.example.org:22"),
                        "10.1.2.3:22": ("cannot be reached", "gives no address", "--net 10.1.2.3:22"),
                        "localhost:5432": ("can be reached", "host's loopback"), "127.0.0.1:80": ("own loopback",)}.items():
        w.pinfold("policy", "why", *by_name, host).code_is(0).prints(*words)
    w.pinfold("policy", "show", *by_name).code_is(0).prints("domains", "*.example.org, ports 80 and 443", "b.example.org, every port")
    w.pinfold("policy", "why", "--net", "full", "example.com:443").code_is(0).prints("can be reached", "--net)")
    w.pinfold("policy", "why", "localhost:8080").code_is(0).prints("own loopback")
    w.pinfold("policy", "why", "*.example.org").code_is(0).prints("names below example.org", "policy why www.example.org", "--net '*.example.org'").silent("does not exist")
    w.write(os.path.join(w.ws, "notes.txt"))
    w.pinfold("policy", "why", "notes.txt").code_is(0).prints(w.ws + "/notes.txt").silent("host notes.txt")
    w.pinfold("policy", "why", "./example.com").code_is(0).prints("does not exist now").silent("host example.com")


@check("policy why: what changes it is named as a flag and as a line of a file, where each has the effect")
def _(w):
    secret = os.path.join(w.home, "secret.txt")

    def asked(*words, env=None):
        return json.loads(w.pinfold("policy", "why", "--json", *words, env=env).code_is(0).out)
    for subject in (secret, "/usr/bin/env", "SECRET_TOKEN", "example.com"):
        change = asked(subject)[0]["change"]
        # The line does in a file what the flag does on the command line.
        w.write(os.path.join(w.ws, "pinfold.toml"), change["toml"].encode() + b"\n")
        w.pinfold("policy", "trust", "--yes").code_is(0)
        by_file = asked(subject)[0]["decision"]
        w.pinfold("policy", "trust", "--revoke").code_is(0)
        os.unlink(os.path.join(w.ws, "pinfold.toml"))
        by_flag = asked(*shlex.split(change["flag"]), subject)[0]["decision"]
        expect(by_file == by_flag != asked(subject)[0]["decision"], f"{subject}: {change} {by_file} {by_flag}")
    expect(asked("--hide", secret, secret)[0]["change"] is None, "a flag cannot lift a flag")
    expect(asked(secret, env={"PINFOLD_HIDE": secret})[0]["change"]["toml"] is None, "a file cannot lift a variable")
    expect(asked("LD_PRELOAD")[0]["change"]["toml"] is None, "a file cannot pass LD_PRELOAD on")
    expect(asked("PINFOLD")[0]["change"] is None, "PINFOLD is not to be set")
    exec_list = asked("sh", env={"PINFOLD_EXEC": "cat,ls"})[0]["change"]
    expect(exec_list == {"flag": "--exec cat --exec ls --exec sh", "toml": None}, exec_list)
    both = asked("sh")
    expect([one["subject"].split()[0] for one in both][0] == "program" and len(both) == 2, both)


@check("doctor works from anywhere, also from the home directory")
def _(w):
    for directory in (w.ws, w.home, "/"):
        w.pinfold("doctor", cwd=directory).code_is(0).prints("native", "files.read", "kernel", "starts here").calm()


@check("doctor leaves nothing behind when its reader stops early")
def _(w):
    tmp = os.path.join(w.base, "doctor-tmp")
    os.mkdir(tmp)
    doctor = subprocess.Popen([w.program, "doctor"], cwd=w.ws, env={**w.env, "TMPDIR": tmp}, stdout=subprocess.PIPE)
    doctor.stdout.close()
    expect(doctor.wait(timeout=300) in (0, 125), f"doctor ended with {doctor.returncode}")
    expect(os.listdir(tmp) == [], os.listdir(tmp))


# As if on a host whose administrator allows no user namespace: the setting belongs to the user namespace around.
NO_NAMESPACES = ("unshare", "--map-root-user", "sh", "-c",
                 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" "$@"')


@check("a backend that cannot stand is refused with the reason, and nothing runs")
def _(w):
    argv = [*NO_NAMESPACES, w.program, "run", "--backend", "native", "--report", w.ws + "/r.json", "-c", "touch canary"]
    done = subprocess.run(argv, cwd=w.ws, env=w.env, capture_output=True, text=True)
    expect(done.returncode == 125, done)
    expect("pinfold: refused: making the sandbox's namespaces" in done.stderr, done.stderr)
    expect("user.max_user_namespaces=10000" in done.stderr, done.stderr)
    with open(w.ws + "/r.json", encoding="utf-8") as file:
        report = json.load(file)
    validate(report)
    expect(report["backend"] is None and [one["stands"] for one in report["choice"]] == [False], report)
    expect(any("user.max_user_namespaces=10000" in fix for fix in report["fixes"]), report["fixes"])
    expect(not os.path.exists(w.ws + "/canary"), "it ran")


@check("doctor and run with --backend landlock name a fix that works")
def _(w):
    fix = "leave out --backend landlock: native enforces every required step"
    w.pinfold("doctor", "--backend", "landlock").code_is(125).prints("`pinfold run --backend landlock true` would be refused here; " + fix)
    w.pinfold("doctor", "--backend", "landlock", "--fix-hints").code_is(125).prints("# " + fix).silent("Nothing to fix")
    w.run("--backend", "landlock", "--", "true").code_is(125).says(fix).silent("install bubblewrap")


@check("doctor --fix-hints is a script that a shell can read")
def _(w):
    w.pinfold("doctor", "--fix-hints").code_is(0).prints("# ").calm()
    argv = [*NO_NAMESPACES, w.program, "doctor", "--backend", "native", "--fix-hints"]
    done = subprocess.run(argv, cwd=w.ws, env=w.env, capture_output=True, text=True)
    expect(done.returncode == 125 and not done.stderr, done)
    expect("echo 'user.max_user_namespaces = 10000' |" in done.stdout, done.stdout)
    expect("/etc/sysctl.d/" in done.stdout, done.stdout)
    subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=True)


@check("without a terminal nothing is coloured, and NO_COLOR applies")
def _(w):
    w.run("--no-such-flag").calm()
    w.run("--", "cat", os.path.join(w.home, "secret.txt"), env={"NO_COLOR": "1"}).calm()
