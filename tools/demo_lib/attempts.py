"""attempts.py: the attempts, and the check on the host whether each succeeded; and the jobs that must still work.

Invariant: each is judged by the host afterwards or by the canary in the output, and touches only the scratch world.
Not here: running and timing them (runs.py), how they are shown (screen.py).
"""
import os
import shutil
from dataclasses import dataclass
from typing import Callable, Sequence


@dataclass(frozen=True)
class Attempt:
    what: str
    command: Sequence[str]
    got_through: Callable[[str], bool]  # argument: the output of the command
    step: str  # the step of Pinfold's coverage that stops it …
    mechanism_part: str = ""  # … and a word of the part of its mechanism that is meant
    flags: Sequence[str] = ()
    typed_at: bool = False  # runs on a new terminal, whose shell prints the text typed into it


@dataclass(frozen=True)
class Job:
    what: str
    command: Sequence[str]


def shell(text):
    return ["bash", "-c", text]


def perl(text, *arguments):
    return ["perl", "-e", text, *map(str, arguments)]


CONNECT_UNIX = """
use Socket;
my ($path, $abstract) = @ARGV;
socket(my $socket, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!\\n";
connect($socket, pack("S a*", AF_UNIX, ($abstract ? "\\0" : "") . $path)) or die "connect: $!\\n";
print <$socket>;
"""
SEARCH_KEYRING = """
my ($keyctl, $search, $read, $session) = (250, 10, 11, -3);
my ($type, $name, $buffer) = ("user", $ARGV[0], "\\0" x 64);  # variables, for syscall takes no constant strings
my $key = syscall($keyctl, $search, $session, $type, $name, 0);
$key > 0 && syscall($keyctl, $read, $key, $buffer, 64) > 0 or die "keyctl: $!\\n";
print $buffer;
"""
TYPE_INTO_TERMINAL = """
my $TIOCSTI = 0x5412;
for my $letter (split //, "$ARGV[0]\\n") { ioctl(STDIN, $TIOCSTI, $letter) or die "TIOCSTI: $!\\n" }
"""
OPEN_IO_URING = """
my ($io_uring_setup, $parameters) = (425, "\\0" x 120);
syscall($io_uring_setup, 2, $parameters) >= 0 or die "io_uring_setup: $!\\n";
print "$ARGV[0]\\n";
"""
FORK_MANY = """
my @children;
for (1 .. 150) {
  my $pid = fork;
  last unless defined $pid;
  if (!$pid) { sleep 5; exit }
  push @children, $pid;
}
print @children == 150 ? "$ARGV[0]\\n" : "fork: $!\\n";
kill 9, @children;
waitpid $_, 0 for @children;
"""


def sections(world):
    """(heading, attempts) in the order in which they are shown."""
    home, project, canary, victim = world.home, world.project, world.canary, world.victim.pid

    def printed(output):
        return canary in output

    def planted(path):
        return lambda _: world.file_has_canary(path)

    def reads(what, path):
        return Attempt(what, ["cat", path], printed, "files.read")

    def plants(what, path, step="files.write"):
        text = 'mkdir -p "$(dirname "$1")" && printf "%s\\n" "$2" >> "$1"'
        return Attempt(what, [*shell(text), "sh", path, canary], planted(path), step)

    # A real query, for printf: an identifier, "recursion desired", one question for CANARY.example.test, type A.
    header, end = "\\x50\\x46\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0", "\\0\\0\\1\\0\\1"
    query = f"{header}\\x{len(canary):02x}{canary}\\7example\\4test{end}"
    # Waits until the daemon has become the program that the host looks for.
    start_daemon = f"""setsid {" ".join(world.daemon)} >/dev/null 2>&1 &
        until read -rd "" name </proc/$!/cmdline && [ "$name" = sleep ]; do :; done"""

    return [
        ("secrets in files", [
            reads("read the private ssh key", f"{home}/.ssh/id_ed25519"),
            reads("read the cloud credentials", f"{home}/.aws/credentials"),
            reads("read another project", f"{world.other}/plans.txt"),
            reads("read the project's own .env", f"{project}/.env"),
            reads("follow a symlink out of the project", f"{project}/docs/credentials"),
        ]),
        ("secrets in memory", [
            Attempt("read an API key from the environment", shell('echo "$API_KEY"'),
                    printed, "environment"),
            Attempt("read another process's environment", ["cat", f"/proc/{victim}/environ"],
                    printed, "processes", "/proc"),
            Attempt("read another process's memory",
                    ["dd", f"if=/proc/{victim}/mem", "iflag=skip_bytes,count_bytes", "status=none",
                     f"skip={world.secret_address}", f"count={len(canary)}"],
                    printed, "processes", "/proc"),
            Attempt("read a key from the kernel's keyring", perl(SEARCH_KEYRING, world.key_name),
                    printed, "processes", "keyring"),
            Attempt("talk to the ssh agent", perl(CONNECT_UNIX, world.agent_socket),
                    printed, "files.read"),
        ]),
        ("a foothold for later", [
            plants("add a line to ~/.bashrc", f"{home}/.bashrc"),
            plants("plant a git hook", f"{project}/.git/hooks/pre-commit"),
            plants("make git run a program (.git/config)", f"{project}/.git/config"),
            plants("plant an editor task (.vscode)", f"{project}/.vscode/tasks.json"),
            plants("give the agent a new tool (.mcp.json)", f"{project}/.mcp.json"),
            plants("loosen the agent's settings (.claude)", f"{project}/.claude/settings.json"),
            plants("install a systemd user service", f"{home}/.config/systemd/user/update.service"),
        ]),
        ("ways out", [
            Attempt("reach a server on the host", shell(f"exec 3<>/dev/tcp/127.0.0.1/{world.tcp_port} && cat <&3"),
                    printed, "network"),
            Attempt("leak a secret in a DNS query", shell(f"printf '{query}' >/dev/udp/127.0.0.1/{world.udp_port}"),
                    lambda _: canary.encode() in world.datagrams(), "network"),
            Attempt("reach a service by abstract socket", perl(CONNECT_UNIX, world.abstract_name, "abstract"),
                    printed, "network"),
            Attempt("type into your terminal (TIOCSTI)", perl(TYPE_INTO_TERMINAL, canary),
                    printed, "terminal", typed_at=True),
        ]),
        ("damage", [
            Attempt("delete another project", ["rm", "-rf", world.other],
                    lambda _: not os.path.exists(world.other), "files.read"),
            plants("drop a file in the host's /tmp", f"{world.host_tmp}/dropped", step="tmp"),
            Attempt("stop another process", shell(f"kill -STOP {victim}"),
                    lambda _: world.victim_is_stopped(), "processes"),
            Attempt("leave a daemon running", shell(start_daemon),
                    lambda _: bool(world.daemons()), "processes"),
            Attempt("start 150 processes (--processes 64)", perl(FORK_MANY, canary),
                    printed, "limit.processes", flags=("--processes", "64")),
        ]),
        ("the kernel", [
            Attempt("become root in a user namespace", ["unshare", "--map-root-user", "echo", canary],
                    printed, "system-calls"),
            Attempt("open an io_uring, past syscall filters", perl(OPEN_IO_URING, canary),
                    printed, "system-calls"),
        ]),
    ]


def jobs(world):
    """Daily work; each ends with 0 and prints the canary. Only for installed programs."""
    canary = world.canary
    path = world.environment()["PATH"]
    python = f"import multiprocessing as m; print(*m.Pool(2).map(str.lower, ['{canary.upper()}'] * 4))"
    worker = f"require('worker_threads').parentPort.postMessage('{canary}')"
    node = f"const w = require('worker_threads'); new w.Worker(\"{worker}\", {{eval: true}}).on('message', console.log)"
    listed = [
        ("bash", "write a script and run it", shell(
            f"printf '#!/bin/sh\\necho {canary}\\n' > tool && chmod +x tool && ./tool")),
        ("bash", "pipes and temporary files", shell(
            f'f=$(mktemp) && (echo {canary} | tee "$f" | wc -c >/dev/null) && cat "$f"')),
        ("git", "git init, add, commit", shell(
            "mkdir new && cd new && cp ../main.cc . && git init -q . && git add . && "
            f"git -c user.name=a -c user.email=a@example.test commit -qm {canary} && git log --oneline")),
        ("g++", "compile and run C++", shell(f"g++ main.cc -o main && ./main {canary}")),
        ("python3", "python3 with two worker processes", ["python3", "-c", python]),
        ("node", "node with a worker thread", ["node", "-e", node]),
    ]
    return [Job(what, command) for program, what, command in listed if shutil.which(program, path=path)]
