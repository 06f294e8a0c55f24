# completions.py: the completion scripts in the real shells, and the manual page in groff.
# Invariant: each shell loads the script with nothing but itself, and gives the candidates that a person would see.
# Not here: the exact text of the scripts (src/cli/completions_test.cc).
import os
import pty
import select
import shlex
import subprocess
import time

from harness import HERE, check, expect

PRESETS = {"strict", "moderate", "permissive", "read-only", "workspace-write", "danger-full-access"}


def script(w, shell):
    path = os.path.join(w.base, f"completions.{shell}")
    w.write(path, w.pinfold("completions", shell).code_is(0).calm().raw_out)
    return path


def output_of(w, argv):
    done = subprocess.run(argv, cwd=w.ws, env={**w.env, "TERM": "dumb"}, capture_output=True, timeout=300)
    expect(not done.stderr, f"{argv[-1][-120:]}: {done.stderr[:400]!r}")
    return {line for line in done.stdout.decode().split("\n") if line}


def bash(w, *words):
    """Candidates for the last word, as bash splits the line: at blanks and at =."""
    code = (f"source {shlex.quote(w.script)}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; "
            "_pinfold; printf '%s\\n' \"${COMPREPLY[@]}\"")
    return output_of(w, ["bash", "--norc", "--noprofile", "-c", code])


def fish(w, line):
    found = output_of(w, ["fish", "--no-config", "-c", f"source {w.script}; complete -C {shlex.quote(line)}"])
    return {one.split("\t")[0] for one in found}


def zsh(w, line):
    return {one.replace("\\ ", " ") for one in output_of(w, ["zsh", "-f", os.path.join(HERE, "zsh_capture"), w.script, w.base, line])}


def project(w, shell):
    w.script = script(w, shell)
    os.mkdir(os.path.join(w.ws, "source dir"))
    os.mkdir(os.path.join(w.ws, "sub"))
    w.write(os.path.join(w.ws, "sub", "inner.txt"))
    w.write(os.path.join(w.ws, "some.txt"))


@check("completions: bash, without bash-completion")
def _(w):
    project(w, "bash")
    expect({"run", "policy", "init", "doctor", "completions", "man-page"} <= bash(w, "pinfold", ""), "commands")
    expect(bash(w, "pinfold", "po") == {"policy"}, bash(w, "pinfold", "po"))
    expect(bash(w, "pinfold", "policy", "") == {"show", "why", "check", "trust"}, "verbs")
    expect(bash(w, "pinfold", "run", "--re") == {"--read", "--report", "--resolve"}, bash(w, "pinfold", "run", "--re"))
    expect(bash(w, "pinfold", "run", "--net", "") == {"none", "full"}, "--net")
    expect(bash(w, "pinfold", "run", "--net", "=") == {"none", "full"}, "--net=")
    expect(bash(w, "pinfold", "run", "--net", "=", "f") == {"full"}, "--net=f")
    expect(bash(w, "pinfold", "run", "--profile", "") == PRESETS, "--profile")
    expect(bash(w, "pinfold", "run", "--on-unavailable", "p") == {"prompt"}, "--on-unavailable")
    expect(bash(w, "pinfold", "run", "--read", "s") == {"source dir", "sub", "some.txt"}, "--read")
    expect(bash(w, "pinfold", "run", "--cwd", "s") == {"source dir", "sub"}, "--cwd completes directories only")
    expect(bash(w, "pinfold", "run", "--timeout", "") == set(), "--timeout")
    expect({"any", "none", "ls"} <= bash(w, "pinfold", "run", "--exec", ""), "--exec")
    expect(bash(w, "pinfold", "run", "--env", "SECRET_") == {"SECRET_TOKEN"}, "--env")
    expect("mkfifo" in bash(w, "pinfold", "run", "--read", "/", "--", "mkf"), "a command after --")
    expect("mkfifo" in bash(w, "pinfold", "run", "mkf"), "a command without --")
    expect(bash(w, "pinfold", "run", "--", "ls", "so") == {"source dir", "some.txt"}, "files of the command")
    expect(bash(w, "pinfold", "run", "ls", "--re") == set(), "a flag of the command is not pinfold's")
    expect(bash(w, "pinfold", "policy", "check", "so") == {"source dir", "some.txt"}, "policy check")
    expect("--yes" in bash(w, "pinfold", "policy", "trust", "--"), "policy trust --")
    expect("--read" not in bash(w, "pinfold", "policy", "trust", "--"), "policy trust has no --read")
    expect(bash(w, "pinfold", "completions", "") == {"bash", "zsh", "fish"}, "completions")


@check("completions: bash, by pressing TAB at a terminal")
def _(w):
    project(w, "bash")
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(w.ws)
        os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "-i"], {**w.env, "PS1": "$ ", "TERM": "dumb"})

    def appears(text):
        seen, end = b"", time.monotonic() + 15
        while text not in seen and time.monotonic() < end:
            if select.select([master], [], [], 0.2)[0]:
                seen += os.read(master, 65536)
        expect(text in seen, f"{text!r} did not appear: {seen!r}")
    try:
        os.write(master, f"source {w.script}; echo lo''aded\n".encode())
        appears(b"loaded")
        for keys, line in ((b"pinfold run --prof\tst\t", b"pinfold run --profile strict "), (b"pinfold run --net=f\t", b"--net=full "),
                           (b"pinfold run --read=sour\t", b"--read=source\\ dir/"), (b"pinfold run -- mkfif\t", b"-- mkfifo ")):
            os.write(master, b"\x15" + keys)
            appears(line)
    finally:
        os.close(master)
        os.waitpid(pid, 0)


@check("completions: bash hands the command over to bash-completion where it is loaded")
def _(w):
    project(w, "bash")
    code = (f"_command_offset() {{ echo offset $1; }}; source {w.script}; "
            "COMP_WORDS=(pinfold run --read x -- git che); COMP_CWORD=6; _pinfold")
    expect(output_of(w, ["bash", "--norc", "--noprofile", "-c", code]) == {"offset 5"}, "the offset")


@check("completions: fish")
def _(w):
    project(w, "fish")
    expect({"run", "policy", "init"} <= fish(w, "pinfold "), "commands")
    expect(fish(w, "pinfold policy ") == {"show", "why", "check", "trust"}, fish(w, "pinfold policy "))
    expect({"--read", "--report"} <= fish(w, "pinfold run --re"), fish(w, "pinfold run --re"))
    expect(fish(w, "pinfold run --net ") == {"none", "full"}, fish(w, "pinfold run --net "))
    expect(fish(w, "pinfold run --net=") == {"--net=none", "--net=full"}, fish(w, "pinfold run --net="))
    expect(fish(w, "pinfold run --profile ") == PRESETS, "--profile")
    expect(fish(w, "pinfold run --read so") == {"source dir/", "some.txt"}, fish(w, "pinfold run --read so"))
    expect(fish(w, "pinfold run --cwd s") == {"source dir/", "sub/"}, fish(w, "pinfold run --cwd s"))
    expect("mkfifo" in fish(w, "pinfold run --read / -- mkf"), fish(w, "pinfold run --read / -- mkf"))
    expect("mkfifo" in fish(w, "pinfold run mkf"), fish(w, "pinfold run mkf"))
    expect({"source dir/", "some.txt"} <= fish(w, "pinfold run -- ls so"), fish(w, "pinfold run -- ls so"))
    expect("--read" not in fish(w, "pinfold run -- ls --re"), "a flag of the command is not pinfold's")
    expect("--yes" in fish(w, "pinfold policy trust --"), "policy trust --")
    expect("--read" not in fish(w, "pinfold policy trust --"), "policy trust has no --read")
    expect(fish(w, "pinfold completions ") == {"bash", "zsh", "fish"}, "completions")


@check("completions: zsh")
def _(w):
    project(w, "zsh")
    expect({"run", "policy", "init"} <= zsh(w, "pinfold "), zsh(w, "pinfold "))
    expect(zsh(w, "pinfold policy ") == {"show", "why", "check", "trust"}, zsh(w, "pinfold policy "))
    expect(zsh(w, "pinfold run --re") == {"--read", "--report", "--resolve"}, zsh(w, "pinfold run --re"))
    expect(zsh(w, "pinfold run --net ") == {"none", "full"}, zsh(w, "pinfold run --net "))
    expect(zsh(w, "pinfold run --profile ") == PRESETS, zsh(w, "pinfold run --profile "))
    expect({"some.txt", "source dir"} <= zsh(w, "pinfold run --read so"), zsh(w, "pinfold run --read so"))
    expect({"sub", "source dir"} == zsh(w, "pinfold run --cwd s"), zsh(w, "pinfold run --cwd s"))
    expect("mkfifo" in zsh(w, "pinfold run --read / -- mkf"), zsh(w, "pinfold run --read / -- mkf"))
    expect("mkfifo" in zsh(w, "pinfold run mkf"), zsh(w, "pinfold run mkf"))
    expect("some.txt" in zsh(w, "pinfold run -- ls so"), zsh(w, "pinfold run -- ls so"))
    expect("--yes" in zsh(w, "pinfold policy trust --"), zsh(w, "pinfold policy trust --"))
    expect(zsh(w, "pinfold completions ") == {"bash", "zsh", "fish"}, zsh(w, "pinfold completions "))


@check("completions and man-page: wrong words")
def _(w):
    w.pinfold("completions").code_is(125).says("bash, zsh, fish")
    w.pinfold("completions", "tcsh").code_is(125).says("tcsh", "bash, zsh, fish")
    w.pinfold("man-page", "x").code_is(125).says("takes no arguments")


@check("man-page: groff has no warning, and every command and flag is in it")
def _(w):
    page = os.path.join(w.base, "pinfold.1")
    w.write(page, w.pinfold("man-page").code_is(0).raw_out)
    done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-P-cbou", page], capture_output=True, timeout=300)
    expect(done.returncode == 0 and not done.stderr, done.stderr[:600])
    text = done.stdout.decode()
    for word in ("NAME", "SYNOPSIS", "policy trust", "--no-project-file", "PINFOLD_READ", "EXIT STATUS", "~/.config"):
        expect(word in text, f"{word} is missing")
    for line in w.pinfold("help", "run").out.split("\n"):
        if line.startswith("  -"):
            flag = line.split()[0].rstrip(",")
            expect(flag in text, f"{flag} is missing")
