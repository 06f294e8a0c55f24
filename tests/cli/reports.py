# reports.py: --report FILE: one object for each outcome, held against docs/reference/report.schema.json; denials and their fix.
# Invariant: every report that a check reads was validated by World.report.
# Not here: the schema (docs/reference/report.schema.json).
import base64
import os
import resource
import shutil
import stat
import subprocess
import json

from harness import check, expect, validate


@check("report: exited")
def _(w):
    ran, report = w.report("-c", "exit 5")
    ran.code_is(5)
    expect(report["outcome"] == {"kind": "exited", "code": 5}, report["outcome"])
    expect(report["backend"] == "native", report["backend"])
    taken = {"backend": "native", "chosen": True, "stands": True, "why": "enforces every required step", "fix": None}
    expect(report["choice"] == [taken], report["choice"])
    expect(report["accepted_gaps"] == [] and report["fixes"] == [], report)
    expect(report["usage"]["wall_ms"] > 0 and report["usage"]["processes"] >= 1, report["usage"])
    steps = {row["step"] for row in report["coverage"]}
    for step in ("files.read", "files.hidden", "network", "processes", "environment", "system-calls"):
        expect(step in steps, f"coverage lacks {step}: {sorted(steps)}")


@check("report: signaled")
def _(w):
    _, report = w.report("-c", "kill -9 $$; sleep 5")
    expect(report["outcome"] == {"kind": "signaled", "signal": 9, "name": "SIGKILL", "by": None}, report["outcome"])


@check("report: timed_out")
def _(w):
    ran, report = w.report("--timeout", "300ms", "--", "sleep", "30")
    ran.code_is(124)
    expect(report["outcome"]["kind"] == "timed_out" and report["outcome"]["after_ms"] >= 300, report["outcome"])


@check("report: ended by a limit, which is named")
def _(w):
    _, report = w.report("--output-limit", "64K", "-c", "yes | head -c 10000000")
    expect(report["outcome"]["kind"] == "signaled" and report["outcome"]["by"] == "limit.output", report["outcome"])


@check("report: refused by policy")
def _(w):
    ran, report = w.report("--exec", "bash", "--", "ls")
    ran.code_is(126)
    expect(report["outcome"]["kind"] == "refused" and report["outcome"]["by"] == "policy", report["outcome"])
    expect(report["backend"] is None and report["coverage"] == [], "a backend before the policy was read?")


@check("report: refused because it cannot be enforced")
def _(w):
    ran, report = w.report("--no-sandbox", "--profile", "moderate", "--on-unavailable", "deny", "-c", "touch canary")
    ran.code_is(125)
    expect(report["outcome"]["kind"] == "refused" and report["outcome"]["by"] == "enforcement", report["outcome"])
    expect(any(row["required"] and row["strength"] != "enforced" for row in report["coverage"]), "no gap is listed")
    expect(not os.path.exists(os.path.join(w.ws, "canary")), "it ran")


@check("report: set-up failed, not found")
def _(w):
    ran, report = w.report("--", "no-such-command-xyz")
    ran.code_is(127)
    expect(report["outcome"]["kind"] == "setup_failed" and report["outcome"]["stage"] == "not_found", report["outcome"])


@check("report: set-up failed, wrong policy")
def _(w):
    ran, report = w.report("--read", "/no/such/path", "--", "true")
    ran.code_is(125)
    expect(report["outcome"]["kind"] == "setup_failed" and report["outcome"]["stage"] == "sandbox", report["outcome"])
    expect("/no/such/path" in report["outcome"]["reason"], report["outcome"])


@check("report: --no-sandbox does not claim to enforce")
def _(w):
    _, report = w.report("--no-sandbox", "--profile", "moderate", "--", "true")
    expect(report["backend"] == "passthrough", report["backend"])
    expect({"files.read", "network"} <= {row["step"] for row in report["accepted_gaps"]}, report["accepted_gaps"])
    expect(report["notes"] == [], report["notes"])
    for row in report["coverage"]:
        if row["step"].startswith("files.") or row["step"] in ("network", "processes", "system-calls"):
            expect(row["strength"] != "enforced", f"{row['step']} is claimed to be enforced")


@check("report: replaces a file and a symlink, and leaves nothing beside it")
def _(w):
    path, target = os.path.join(w.other, "r.json"), os.path.join(w.other, "target")
    w.write(path, b"old", 0o644)
    w.run("--report", path, "--", "true").code_is(0)
    validate(json.load(open(path)))
    expect(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "not owner-only")
    os.unlink(path)
    w.write(target, b"untouched")
    os.symlink(target, path)
    w.run("--report", path, "--", "true").code_is(0)
    expect(not os.path.islink(path) and open(target).read() == "untouched", "a symlink was followed")
    expect(sorted(os.listdir(w.other)) == ["data.txt", "r.json", "target"], os.listdir(w.other))


@check("report: in the workspace, the command neither sees nor steers it")
def _(w):
    w.run("--report", "r.json", "-c", "ls -A; ln -s /etc/passwd r.json; mkdir d").code_is(0).out_is(b"")
    path = os.path.join(w.ws, "r.json")
    expect(not os.path.islink(path), "the planted symlink stayed")
    validate(json.load(open(path)))
    w.run("--report", "r.json", "-c", "rm -f r.json; mkdir r.json; touch r.json/x").code_is(125).says("report")


@check("report: if the command moves its directory away, it is kept, and an error names its path")
def _(w):
    # The same where a directory above is moved, and where the directory was a symbolic link.
    for made, moved, real in ((("out",), "mv out away", "away"), (("top", "top/out"), "mv top away", "away/out"),
                              (("real",), "rm link", "real")):
        for each in made:
            os.mkdir(os.path.join(w.ws, each))
        if made == ("real",):
            os.symlink("real", os.path.join(w.ws, "link"))
        asked = "link" if made == ("real",) else made[-1]
        file = os.path.join(w.ws, real, "r.json")
        w.run("--report", asked + "/r.json", "-c", moved + "; exit 3").code_is(125).says(
            f"{os.path.join(w.ws, asked)} was moved or removed", file, "the command's exit code was 3")
        validate(json.load(open(file)))
        shutil.rmtree(os.path.join(w.ws, real.split("/")[0]))
    os.mkdir(os.path.join(w.ws, "out"))
    w.run("--report", "out/r.json", "-c", "rmdir out").code_is(125).says("writing the report")
    expect(os.listdir(w.ws) == [], os.listdir(w.ws))
    os.mkdir(os.path.join(w.ws, "out"))
    w.run("--report", "out/r.json", "-c", "mv out away; mkdir out").code_is(125).says("was replaced while the command ran")
    expect(os.listdir(os.path.join(w.ws, "out")) == [], "a file was written")


@check("report: a limit on the size of files is an error of the report, and the command's own signal")
def _(w):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))  # noqa: E731
    path = os.path.join(w.other, "r.json")
    done = subprocess.run([w.program, "run", "--no-journal", "--report", path, "-c", "head -c 5000 /dev/zero >big; echo $?"], cwd=w.ws, env=w.env, capture_output=True, preexec_fn=limit)
    expect(done.stdout == b"153\n", f"the command was not ended by SIGXFSZ: {done.stdout!r}")
    expect(done.returncode == 125 and b"report" in done.stderr, f"exit {done.returncode}: {done.stderr!r}")
    expect(sorted(os.listdir(w.other)) == ["data.txt"], os.listdir(w.other))


@check("report: to a pipe of its own")
def _(w):
    read, write = os.pipe()
    done = subprocess.run([w.program, "run", "--report", f"/dev/fd/{write}", "--", "echo", "hi"], cwd=w.ws, env=w.env,
                          capture_output=True, pass_fds=[write])
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    expect(done.stdout == b"hi\n" and done.returncode == 0, f"{done.returncode} {done.stderr!r}")
    validate(json.loads(text))


def only(report, operation, resource):
    found = [d for d in report["denials"] if d["operation"] == operation and d["resource"] == resource]
    expect(len(found) == 1, f"no {operation} of {resource}: {report['denials']}")
    return found[0]


@check("denial: allow_with is a flag that a shell can take; its condition is only in the table")
def _(w):
    ran, report = w.report("--timeout", "1s", "--", "sleep", "5")
    expect(only(report, "limit", "limit.time")["allow_with"] == "--timeout 2s", report["denials"])
    ran.says("allow: --timeout 2s")
    ran, report = w.report("-c", "mkdir .vscode")
    path = os.path.join(w.ws, ".vscode")
    expect(only(report, "create", path)["allow_with"] == f"--write {path}", report["denials"])
    ran.says(f"allow: --write {path} (once it exists)")
    ran, report = w.report("--net", "*.a.test", "--net", "!c.a.test", "-c", "getent hosts c.a.test; true")
    ran.says("allow: leave out")
    expect(all(one["allow_with"] is None for one in report["denials"]), report["denials"])


@check("denial: a hidden file, with the flag that shows it; and the flag works")
def _(w):
    secret = os.path.join(w.home, "secret.txt")
    ran, report = w.report("--", "cat", secret)
    denial = only(report, "read", secret)
    expect(denial["allow_with"] == f"--read {secret}" and denial["rule"].startswith("not visible"), denial)
    expect(denial["source"] == "inferred", denial)
    ran.says("denied", f"--read {secret}")
    w.run(*denial["allow_with"].split(" "), "--", "cat", secret).code_is(0).prints("canary-in-home")
    w.run("--quiet", "--", "cat", secret).silent("pinfold: denied")


@check("denial: writing a read-only file")
def _(w):
    data = os.path.join(w.other, "data.txt")
    ran, report = w.report("--read", w.other, "-c", f"echo x >> {data}")
    denial = only(report, "write", data)
    expect(denial["allow_with"] == f"--write {data}" and "--read" in denial["rule"], denial)
    w.run("--read", w.other, *denial["allow_with"].split(" "), "-c", f"echo x >> {data}").code_is(0)


@check("denial: a hidden toolchain is suggested as a whole (E13)")
def _(w):
    tools = os.path.join(w.home, ".foo", "bin")
    os.makedirs(tools)
    w.write(os.path.join(tools, "footool"), b"#!/bin/sh\necho footool works\n", 0o755)
    path = f"{tools}:{w.env['PATH']}"
    ran, report = w.report("-c", "footool", env={"PATH": path})
    denial = only(report, "exec", os.path.join(tools, "footool"))
    expect(denial["allow_with"] == f"--read {os.path.join(w.home, '.foo')}", denial)
    w.run(*denial["allow_with"].split(" "), "-c", "footool", env={"PATH": path}).code_is(0).out_is(b"footool works\n")
    # The same when it is the command itself.
    ran, report = w.report("--", "footool", env={"PATH": path})
    ran.code_is(127)
    expect(f"--read {os.path.join(w.home, '.foo')}" in json.dumps(report), f"no suggestion: {report['outcome']}")


@check("denial: a protected name")
def _(w):
    os.mkdir(os.path.join(w.ws, ".vscode"))
    w.write(os.path.join(w.ws, ".vscode", "tasks.json"), b"{}")
    _, report = w.report("-c", "echo x > .vscode/tasks.json")
    expect(any("protected name .vscode" in d["rule"] for d in report["denials"]), report["denials"])
    expect(open(os.path.join(w.ws, ".vscode", "tasks.json")).read() == "{}", "it was written")


@check("denial: an ordinary missing file is none")
def _(w):
    _, report = w.report("-c", "cat nope; cat /etc/nope; cat ~/nope; no-such-command-xyz")
    expect(report["denials"] == [], report["denials"])


@check("denial: names that are not UTF-8 are whole in the report, and escaped on stderr")
def _(w):
    path = os.path.join(w.home.encode(), b"bad\xff\x1b]0;x")
    with open(path, "wb") as file:
        file.write(b"canary")
    report_path = os.path.join(w.base, "r.json")
    done = subprocess.run([w.program, "run", "--report", report_path, "--", "sh", "-c", ': < "$1"', "sh", path], cwd=w.ws,
                          env=w.env, capture_output=True)
    report = json.load(open(report_path, encoding="utf-8"))
    validate(report)
    expect(any(base64.b64decode(d.get("resource_bytes", "")) == path for d in report["denials"]), report["denials"])
    summary = done.stderr[done.stderr.index(b"pinfold: denied"):]
    expect(b"\x1b" not in summary and b"\xff" not in summary, summary)


@check("denial: a flood is bounded and the summary short")
def _(w):
    names = [os.path.join(w.home, f"s{i}") for i in range(500)]
    for name in names:
        w.write(name, b"")
    ran, report = w.report("-c", "for i in $(seq 0 499); do cat ~/s$i; done")
    expect(0 < len(report["denials"]) <= 200, len(report["denials"]))
    expect(ran.err.count("allow: ") <= 10 and "more" in ran.err, ran.err[-500:])


@check("a large repository with dependencies runs, and the report names the directories that were not searched")
def _(w):
    os.makedirs(os.path.join(w.ws, ".git", "hooks"))
    os.makedirs(os.path.join(w.ws, "node_modules", "one", ".vscode"))
    for number in range(260):
        directory = os.path.join(w.ws, "data", str(number))
        os.makedirs(directory)
        for name in range(200):
            os.mknod(os.path.join(directory, str(name)))
    ran, report = w.report("--", "true")
    ran.code_is(0)
    below = [row for row in report["coverage"] if row["step"] == "files.protected-below"]
    expect(len(below) == 1 and not below[0]["required"] and "not searched" in below[0]["gap"], below)
    expect(all(row["strength"] == "enforced" for row in report["coverage"] if row["required"]), report["coverage"])
    refused = w.run("--protect", "keep.me", "--", "true")
    expect(refused.code == 125, f"a name of one's own must be found everywhere, but: {refused.code} {refused.err}")
