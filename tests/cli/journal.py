# journal.py: the journal, `pinfold log` and `pinfold stats`: recorded events, omitted events, and the state after a crash.
# Invariant: every line that a check reads is held against docs/reference/journal.schema.json.
# Not here: many writers on one small file (src/session/journal_test.cc), recognising secrets (src/safety).
import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time

from harness import HERE, check, expect

LINE_SCHEMA = os.path.join(HERE, "..", "..", "docs", "reference", "journal.schema.json")


def directory(w):
    return os.path.join(w.home, ".local", "state", "pinfold")


def journal(w):
    return os.path.join(directory(w), "journal.jsonl")


def valid(lines):
    import jsonschema
    with open(LINE_SCHEMA, encoding="utf-8") as file:
        validator = jsonschema.Draft202012Validator(json.load(file))
    out = [json.loads(line) for line in lines]
    for one in out:
        errors = [e.message for e in validator.iter_errors(one)]
        expect(not errors, f"{one}: {errors}")
    return out


def lines(w, *flags):
    return valid(w.pinfold("log", "--json", *flags).code_is(0).out.splitlines())


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not condition():
        expect(time.monotonic() < end, what)
        time.sleep(0.02)


@check("log: only a terminal gets cut texts, with the command that prints the whole")
def _(w):
    long = "/srv" + ("/" + "x" * 150) * 2
    w.run("--read", long, "--", "true").code_is(125)
    w.pinfold("log").code_is(0).prints(long).silent("…", "the whole text")
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    subprocess.run([w.program, "log"], cwd=w.ws, env=w.env, stdout=terminal, check=True, timeout=60)
    os.close(terminal)
    seen = os.read(master, 65536).decode()
    os.close(master)
    expect(long not in seen and "…" in seen and "the whole text: pinfold log --run " in seen, seen)


@check("log: advice that denied is not an answer of the user")
def _(w):
    w.run("-c", "rm -rf /").code_is(126).says("refused by advice (delete-root): ")
    w.pinfold("log").code_is(0).prints("advice denied it").silent("asked")


@check("journal: the start, the denials and the end of a run, as the schema says")
def _(w):
    w.run("-c", "cat ~/secret.txt; exit 3").code_is(3)
    start, denial, end = lines(w)
    expect([one["kind"] for one in (start, denial, end)] == ["start", "denial", "end"], (start, denial, end))
    expect(start["run"] == denial["run"] == end["run"] and re.fullmatch("[0-9a-f]{12}", start["run"]), start)
    expect(start["argv"] == ["/bin/sh", "-c", "cat ~/secret.txt; exit 3"] and start["argc"] == 3, start)
    expect(start["cwd"] == w.ws and start["workspaces"] == [w.ws] and start["profile"] == "moderate", start)
    expect(denial["resource"] == os.path.join(w.home, "secret.txt") and denial["operation"] == "read", denial)
    expect(denial["allow_with"].startswith("--read "), denial)
    expect(end["exit_code"] == 3 and end["backend"] == "native" and end["denials"] == 1, end)
    expect(os.stat(journal(w)).st_mode & 0o777 == 0o600, "not owner-only")
    expect(os.stat(directory(w)).st_mode & 0o777 == 0o700, "the directory is not owner-only")


@check("journal: runs that are refused or fail are recorded, wrong flags and --explain are not")
def _(w):
    w.run("--exec", "bash", "--", "ls").code_is(126)
    w.run("--read", "/no/such/path", "--", "true").code_is(125)
    w.run("--", "no-such-command-xyz").code_is(127)
    w.run("--timeout", "300ms", "--", "sleep", "30").code_is(124)
    w.run("--nope", "true").code_is(125)
    w.run("--explain", "--", "true").code_is(0)
    ends = [one for one in lines(w) if one["kind"] == "end"]
    expect([one["outcome"]["kind"] for one in ends] == ["refused", "setup_failed", "setup_failed", "timed_out"], ends)
    expect([one["exit_code"] for one in ends] == [126, 125, 127, 124], ends)


@check("journal: off by flag, by variable and by the user's own file, never by the project's")
def _(w):
    w.run("--no-journal", "true").code_is(0)
    w.run("true", env={"PINFOLD_JOURNAL": "off"}).code_is(0)
    os.makedirs(os.path.join(w.home, ".config", "pinfold"))
    w.write(os.path.join(w.home, ".config", "pinfold", "config.toml"), b"journal = false\n")
    w.run("true").code_is(0)
    w.run("--read", "/no/such/path", "true").code_is(125)
    expect(not os.path.exists(journal(w)), "something was recorded")
    w.run("true", env={"PINFOLD_JOURNAL": "on"}).code_is(0)
    expect(len(lines(w)) == 2, lines(w))
    w.run("--no-user-file", "true").code_is(0)
    expect(len(lines(w)) == 4, lines(w))
    w.run("true", env={"PINFOLD_JOURNAL": "perhaps"}).code_is(125).says("PINFOLD_JOURNAL", "on, off")
    w.write(os.path.join(w.ws, "pinfold.toml"), b"journal = false\n")
    w.run("true").code_is(125).says("pinfold.toml:1:1", "config.toml")


@check("journal: secrets are not in the file")
def _(w):
    key = "sk-" + "a1b2c3d4e5" * 4
    w.run("--env", "PLAIN=hunter2", "--", "true", "--password", "hunter2", "--api-key=hunter2", "https://u:hunter2@h/", key)
    w.run("-c", f"TOKEN=hunter2 true; : -H 'Authorization: Bearer hunter2'; : {key}")
    w.run("--", "sh", "-c", "cat '/root/x?token=hunter2' https://u:hunter2@h; exit 1")
    with open(journal(w), encoding="ascii") as file:
        text = file.read()
    expect("hunter2" not in text and "a1b2c3" not in text, text)
    expect(text.count("[redacted") >= 7, text)


@check("journal: a secret that the command was given is not in the file, however it is written")
def _(w):
    w.run("--env", "MY_API_KEY=sunny-orchard-1777", "--", "echo", "sunny-orchard-1777", "x=c3Vubnktb3JjaGFyZC0xNzc3").code_is(0)
    w.run("--env", "PWD=" + w.ws, "--", "echo", "sunny-orchard-1777").code_is(0)
    with open(journal(w), encoding="ascii") as file:
        starts = [json.loads(line) for line in file if '"start"' in line]
    expect(starts[1]["cwd"] == w.ws, starts[1])
    first, second = (one["argv"] for one in starts)
    expect(first[1:] == ["[redacted: MY_API_KEY]", "x=[redacted: MY_API_KEY]"], first)
    expect(second[1:] == ["sunny-orchard-1777"], second)


@check("journal: with any command name, a line is short, ASCII and whole")
def _(w):
    for words in ((b"true", b"\xff\xfe\x1b[31m\n\"'"), (b"true", b"x" * 100000), (b"true", *[b"y" * 300] * 300)):
        subprocess.run([w.program, "run", "--", *words], cwd=w.ws, env=w.env, check=True)
    with open(journal(w), "rb") as file:
        raw = file.read().splitlines()
    expect(len(raw) == 6 and all(len(one) < 16384 for one in raw), [len(one) for one in raw])
    expect(all(32 <= byte < 127 for one in raw for byte in one), "not plain ASCII")
    starts = [one for one in valid(raw) if one["kind"] == "start"]
    expect([one["argc"] for one in starts] == [2, 2, 301], starts)
    w.pinfold("log").code_is(0).calm()


@check("journal: runs at the same time neither mix nor lose lines")
def _(w):
    script = 'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" run -- true "$1-$i"; done'
    running = [subprocess.Popen(["sh", "-c", script, w.program, str(n)], cwd=w.ws, env=w.env) for n in range(8)]
    expect(all(one.wait(120) == 0 for one in running), "a run failed")
    found = lines(w)
    names = sorted(one["argv"][1] for one in found if one["kind"] == "start")
    expect(names == sorted(f"{n}-{i}" for n in range(8) for i in range(1, 11)), names)
    expect(sum(one["kind"] == "end" for one in found) == 80, "an end is missing")


@check("journal: a run whose supervisor is killed has no end, and the next one is whole")
def _(w):
    for _ in range(5):
        before = os.path.getsize(journal(w)) if os.path.exists(journal(w)) else 0
        running = subprocess.Popen([w.program, "run", "--", "sleep", "60"], cwd=w.ws, env=w.env)
        wait_for(lambda: os.path.exists(journal(w)) and os.path.getsize(journal(w)) > before, "no start was written")
        w.pinfold("log").prints("running")
        running.send_signal(signal.SIGKILL)
        running.wait()
        w.pinfold("log").prints("no end").silent("running")
    w.run("true").code_is(0)
    kinds = [one["kind"] for one in lines(w)]
    expect(kinds == ["start"] * 6 + ["end"], kinds)


@check("journal: killed at any moment, no line but the last is torn")
def _(w):
    w.run("true")
    for i in range(40):
        running = subprocess.Popen([w.program, "run", "--", "true", "x" * 9000], cwd=w.ws, env=w.env)
        time.sleep(0.001 * i)
        running.kill()
        running.wait()
    w.run("--", "true", "last").code_is(0)
    with open(journal(w), "rb") as file:
        raw = file.read()
    expect(raw.endswith(b"\n"), "the last run's line is torn")
    found = lines(w)
    expect(found[-2]["argv"] == ["true", "last"] and found[-1]["kind"] == "end", found[-2:])


@check("journal: a torn line is passed over, and the next line begins on its own")
def _(w):
    w.run("--", "true", "one")
    with open(journal(w), "ab") as file:
        file.write(b'{"schema":"pinfold.journal/1","time":"2026-')
    expect(len(lines(w)) == 2, "a torn line was read")
    w.run("--", "true", "two")
    expect([one["argv"][1] for one in lines(w) if one["kind"] == "start"] == ["one", "two"], lines(w))
    w.pinfold("log").code_is(0).says("1 damaged line")


@check("journal: rotation while it is read and followed loses no line")
def _(w):
    w.run("--", "true", "first")
    with open(journal(w), "rb") as file:
        sample = file.read().splitlines(keepends=True)
    with open(journal(w), "ab") as file:  # just below 8 MiB, so that every writer wants to rotate
        while file.tell() < (8 << 20) - 1000:
            file.write(sample[0].replace(b'"first"', b'"filler"'))
    follower = subprocess.Popen([w.program, "log", "--json", "--follow"], cwd=w.ws, env=w.env, stdout=subprocess.PIPE)
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(follower.stdout))
    reader.start()
    script = 'for i in 1 2 3 4 5; do "$0" run -- true "$1-$i"; done'
    running = [subprocess.Popen(["sh", "-c", script, w.program, str(n)], cwd=w.ws, env=w.env) for n in range(4)]
    while any(one.poll() is None for one in running):
        w.pinfold("log", "--limit", "1").code_is(0)
    wanted = {f"{n}-{i}" for n in range(4) for i in range(1, 6)}
    expect(sorted(os.listdir(directory(w))) == ["journal.jsonl", "journal.jsonl.1"], os.listdir(directory(w)))

    def names(found):
        return [one["argv"][1] for one in found if one["kind"] == "start" and one["argv"][1] != "filler"]
    expect(sorted(names(lines(w))) == sorted(wanted | {"first"}), names(lines(w)))
    wait_for(lambda: sum(b'"end"' in one for one in list(seen)) >= 21, "the follower did not see every end")
    follower.kill()
    follower.wait()
    reader.join()
    followed = names(json.loads(one) for one in seen)
    expect(sorted(followed) == sorted(wanted | {"first"}), followed)


@check("journal: a planted symlink, a stranger's file or a writable one is not written to, and the run goes on")
def _(w):
    target = os.path.join(w.base, "target")
    w.write(target, b"precious\n")
    os.makedirs(directory(w), mode=0o700)
    os.symlink(target, journal(w))
    w.run("true").code_is(0).says("pinfold: note: this run is not in the journal", "symlink")
    w.run("--quiet", "true").code_is(0).silent("journal")
    w.pinfold("log").code_is(126).says("symlink")
    os.unlink(journal(w))
    w.write(journal(w), b"", 0o666)
    w.run("true").code_is(0).says("can be written by others", "chmod go-w")
    os.unlink(journal(w))
    os.mkfifo(journal(w), 0o600)
    w.run("true").code_is(0).says("not a regular file")
    shutil.rmtree(directory(w))
    elsewhere = os.path.join(w.base, "elsewhere")
    os.mkdir(elsewhere)
    os.symlink(elsewhere, directory(w))
    w.run("true").code_is(0).says("symlink")
    expect(os.listdir(elsewhere) == [], "the symlink was followed")
    with open(target, "rb") as file:
        expect(file.read() == b"precious\n", "the symlink was followed")


@check("journal: a state directory that cannot be made is a note, not a failure")
def _(w):
    w.run("true", env={"XDG_STATE_HOME": "/proc"}).code_is(0).says("note: this run is not in the journal", "/proc/pinfold")
    w.run("true", env={"XDG_STATE_HOME": os.path.join(w.other, "data.txt")}).code_is(0).says("not in the journal")
    w.run("--no-journal", "true", env={"XDG_STATE_HOME": "/proc"}).code_is(0).silent("journal")
    w.run("true", env={"XDG_STATE_HOME": os.path.join(w.base, "state")}).code_is(0).silent("journal")
    expect(os.path.exists(os.path.join(w.base, "state", "pinfold", "journal.jsonl")), "XDG_STATE_HOME has no effect")


@check("journal: a command that may write the home directory cannot write the journal")
def _(w):
    w.run("true")
    own = journal(w)
    w.run("--write", w.home, "-c", f"echo x >> {own}; rm -f {own}; mv {directory(w)} ~/gone; mv ~/.local ~/local; "
          f"rm -rf ~/.local; true")
    found = lines(w)
    expect([one["kind"] for one in found if one["kind"] != "denial"] == ["start", "end"] * 2, found)
    w.pinfold("log").silent("damaged")


@check("log: one line for each run, newest last, with its denials below")
def _(w):
    w.pinfold("log").code_is(0).prints("nothing is recorded yet", directory(w))
    w.pinfold("stats").code_is(0).prints("nothing is recorded yet")
    w.run("--", "true", "one")
    w.run("-c", "cat ~/secret.txt")
    w.run("--", "true", "\x1b[31mred")
    text = w.pinfold("log").code_is(0).calm().out.splitlines()
    expect(len(text) == 4 and text[0].endswith("true one") and "exit 1" in text[1], text)
    expect(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  [0-9a-f]{8}  ok ", text[0]), text)
    expect(re.match(r"    denied  read .*secret.txt  .*allow: --read ", text[2]), text)
    expect(text[0].index("true one") == text[1].index("/bin/sh -c") == text[3].index("true "), text)
    ran = w.pinfold("log", "--denied").code_is(0)
    expect(len(ran.out.splitlines()) == 2 and "secret.txt" in ran.out, ran.out)
    expect([one["kind"] for one in lines(w, "--denied")] == ["denial"], lines(w, "--denied"))
    run = text[1].split()[2]
    expect(w.pinfold("log", "--run", run[:6]).out.splitlines()[0].split() == text[1].split(), "--run")
    expect({one["run"][:8] for one in lines(w, "--run", run)} == {run}, lines(w, "--run", run))
    expect(len(w.pinfold("log", "--limit", "1").out.splitlines()) == 1, "--limit 1")
    expect(len(lines(w, "--limit", "2")) == 5, lines(w, "--limit", "2"))
    w.pinfold("log", "--run", "fffffffffffff").code_is(0).prints("no recorded run matches")


@check("log: --since takes lengths of time and dates")
def _(w):
    w.run("true")
    with open(journal(w), encoding="ascii") as file:
        old = file.read().replace(lines(w)[0]["time"][:10], "2020-02-29").replace('"true"', '"old"')
    old = re.sub(r'"run":"[0-9a-f]{12}"', '"run":"000000000000"', old)
    with open(journal(w), "a", encoding="ascii") as file:
        file.write(old)
    for since, count in (("1h", 1), ("30m", 1), ("7d", 1), ("2w", 1), ("2020-02-28", 2), ("2020-03-02", 1),
                         ("2020-02-29T00:00:00Z", 2), ("2020-03-01T12:00+01:00", 1), ("2099-01-01", 0)):
        found = w.pinfold("log", "--since", since).code_is(0).out
        expect((0 if "no recorded run" in found else len(found.splitlines())) == count, f"{since}: {found}")
        expect(len(lines(w, "--since", since)) == 2 * count, since)
        counted = json.loads(w.pinfold("stats", "--json", "--since", since).code_is(0).out)
        expect(counted["runs"] == count, f"{since}: {counted}")
    for since in ("soon", "", "5", "1y", "-1h", "2026-02-30", "0d"):
        w.pinfold("log", f"--since={since}").code_is(125).says("--since", "fix:", "7d")
        w.pinfold("stats", f"--since={since}").code_is(125).says("--since", "fix:", "7d")


@check("log: wrong input is an error with its fix")
def _(w):
    for words in (("log", "x"), ("log", "--limit", "0"), ("log", "--limit", "x"), ("log", "--run", "../x"),
                  ("log", "--since"), ("log", "--nope"), ("stats", "--follow"), ("stats", "x")):
        w.pinfold(*words).code_is(125).says("pinfold: error", "fix:").out_is(b"")


@check("stats: counts by program and by resource, as text and as JSON")
def _(w):
    for _ in range(3):
        w.run("-c", "cat ~/secret.txt")
    w.run("true")
    w.run("--exec", "bash", "--", "ls")
    counted = json.loads(w.pinfold("stats", "--json").code_is(0).out)
    expect(counted["schema"] == "pinfold.stats/1" and counted["runs"] == 5 and counted["denials"] == 3, counted)
    expect(counted["outcomes"] == {"ok": 1, "exit 1": 3, "refused": 1}, counted)
    shell = next(one for one in counted["programs"] if one["program"] == "sh")
    expect(shell["runs"] == 3 and shell["denials"] == 3 and shell["hits"] >= 3, counted)
    expect([one["resource"] for one in counted["resources"]] == [os.path.join(w.home, "secret.txt")], counted)
    text = w.pinfold("stats").code_is(0).calm().prints("by program", "by resource", "secret.txt", "3 exit 1").out
    head, row = (next(line for line in text.splitlines() if line.startswith(name)) for name in ("by program", "  sh"))
    expect(head.rstrip().index("denials") + 7 == re.match(r"  sh +3 +3", row).end(), text)


@check("log: colour on a terminal only, never with NO_COLOR; a line fits the terminal")
def _(w):
    w.run("--", "true", *["word"] * 60)

    def screen(env):
        pid, master = pty.fork()
        if pid == 0:
            os.execve("/bin/sh", ["sh", "-c", 'stty cols 90; exec "$0" log', w.program], env)
        out = b""
        try:
            while chunk := os.read(master, 65536):
                out += chunk
        except OSError:
            pass
        os.waitpid(pid, 0)
        os.close(master)
        return out.decode()
    coloured = screen(w.env)
    expect("\x1b[32mok\x1b[0m" in coloured, coloured)
    plain = screen({**w.env, "NO_COLOR": "1"})
    expect("\x1b" not in plain and "…" in plain and all(len(line) <= 90 for line in plain.splitlines()), plain)


@check("log --follow ends when its reader has closed the pipe")
def _(w):
    w.run("true")
    ran = subprocess.run(["sh", "-c", '"$0" log --json --follow | head -n 1', w.program], cwd=w.ws, env=w.env, timeout=60,
                         capture_output=True)
    expect(json.loads(ran.stdout)["kind"] == "start", ran.stdout)


def limited(w, most, *words, stderr=subprocess.PIPE):
    """Runs pinfold under a limit on the size of files (RLIMIT_FSIZE), with SIGXFSZ and SIGPIPE at their default."""
    return subprocess.run([w.program, *words], cwd=w.ws, env=w.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=stderr, timeout=60,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))


@check("journal: a limit on the size of files costs the lines of the run, never the run, and leaves no half line")
def _(w):
    w.run("true").code_is(0)
    with open(journal(w), "rb") as file:
        before = file.read()
    for backend in ("native", "bubblewrap", "landlock"):
        done = limited(w, len(before) + 100, "run", "--backend", backend, "--on-unavailable", "warn", "-c",
                       "exit 3")
        said = done.stderr.decode()
        # bubblewrap's start needs a larger file in memory than this.
        if backend == "bubblewrap":
            expect(done.returncode == 125 and "File too large" in said, (done.returncode, said))
        else:
            expect(done.returncode == 3, (backend, done.returncode, said))
        expect("this run is not in the journal" in said and "ulimit -f" in said, said)
        with open(journal(w), "rb") as file:
            expect(file.read() == before, "something of the run is in the journal")


@check("journal: the command gets the default of SIGXFSZ, although pinfold survives it")
def _(w):
    for backend in ("native", "bubblewrap", "landlock"):
        done = limited(w, 256 << 20, "run", "--backend", backend, "--on-unavailable", "warn", "-c",
                       "truncate -s 512M big; echo $?")
        expect(done.stdout == b"153\n" and done.returncode == 0, (backend, done))


@check("journal: a reader of stderr that is gone costs neither the report nor the exit code")
def _(w):
    report = os.path.join(w.base, "report.json")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = limited(w, resource.RLIM_INFINITY, "run", "--report", report, "-c", "cat ~/secret.txt 2>/dev/null; exit 3",
                       stderr=writer)
    finally:
        os.close(writer)
    expect(done.returncode == 3, done.returncode)
    expect(json.load(open(report, encoding="utf-8"))["exit_code"] == 3, "the report")
