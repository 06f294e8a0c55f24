"""rows.py: the table of real programs. A row is a script (run by bash, stopped at the first error) and its expected output.

Invariant: a row uses nothing but the packages it names; its files are copied fresh into the workspace.
Not here: streams and signals (streams.py), terminals (terminal.py).
"""
import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    needs: str  # commands, each "command" or "command:package"
    script: str = ""
    want: str = "^$"  # a pattern that stdout must contain
    files: str = ""  # a folder of programs/
    prepare: str = ""  # a script that runs before, always bare
    path: str = ""  # put in front of PATH; ~ is the stage's home
    account: str = ""  # the ordinary user has this account of Debian's base system instead of a bare number
    check: typing.Optional[typing.Callable] = None  # instead of a script: check(stage)
    timeout: int = 180
    # The steps of coverage that it needs whole: if coverage reports a gap in one of them, the row may fail. Most need none.
    steps: str = ""
    flags: tuple = ()  # for pinfold run


GIT_NAME = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.test GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.test\n"

ROWS = [
    Row("debuggers: strace, and a leak checker", "strace gcc", """
        strace -f -o log true
        grep -c execve log
        echo '#include <stdlib.h>
        int main(int c, char** v) { if (c > 1) { volatile char* p = malloc(7); p = 0; } return 0; }' > a.c
        gcc -fsanitize=address a.c -o a
        ./a && echo clean
        ./a leak 2> log || grep -o "7 byte(s) leaked" log
        """, "^1\nclean\n7 byte.s. leaked", flags=("--debuggers",)),
    Row("git init, commit, log, branch, merge", "git", GIT_NAME + """
        git init -q -b main .
        echo one > file; git add file; git commit -q -m one
        git switch -q -c side; echo two >> file; git commit -q -am two
        git switch -q main; git merge -q --no-edit side
        git stash list; git tag v1; git gc -q
        git -c user.name=x log --oneline | wc -l
        """, "^2$", steps="files.git"),
    Row("git worktree, clone, config", "git", GIT_NAME + """
        git init -q -b main . ; echo one > file; git add file; git commit -q -m one
        git worktree add -q tree -b side
        (cd tree; echo two > file; git commit -q -am two)
        git log --oneline side | wc -l
        git worktree list | grep -c side
        git clone -q . copy; git -C copy rev-parse --abbrev-ref HEAD
        """, "^main$", steps="files.git"),
    Row("git commit in an existing repository", "git", GIT_NAME + """
        echo more >> file; git commit -q -am more; git log --oneline | wc -l
        """, "^2$", prepare=GIT_NAME + "git init -q -b main . ; echo one > file; git add file; git commit -q -m one"),
    Row("make and g++", "make g++", "make -s -j2 check && ./hello", "hello from 2 files, 4 threads", files="make"),
    Row("python: multiprocessing", "python3", "python3 pool.py", "pool, queue, shared memory, manager: fine",
        files="python", steps="tmp network.inside"),
    Row("python: sqlite3", "python3", "python3 tables.py", "sum 49995000", files="python"),
    Row("python: sockets on loopback", "python3", "python3 loopback.py", "tcp, udp and unix sockets: fine",
        files="python", steps="network.inside"),
    Row("python: venv and pip, wheel and sdist", "python3 python3:python3-venv", """
        python3 -m venv env
        python3 backend.py
        env/bin/pip install -q --disable-pip-version-check --no-index ./hello_sdist-1.0-py3-none-any.whl
        env/bin/hello-sdist
        env/bin/pip uninstall -q -y hello-sdist
        rm -f ./*.whl; tar czf hello_sdist-1.0.tar.gz --transform 's,^,hello_sdist-1.0/,' pyproject.toml backend.py hello_sdist
        env/bin/pip install -q --disable-pip-version-check --no-index ./hello_sdist-1.0.tar.gz
        env/bin/python -c 'import hello_sdist, sys; assert sys.prefix != sys.base_prefix; hello_sdist.main()'
        """, "installed and running", files="sdist"),
    Row("node: workers, children, fetch", "node:nodejs", "node main.mjs", "workers, children, fetch, watch: fine",
        files="node", steps="network.inside"),
    Row("npm: pack, install, run", "npm node:nodejs", """
        (cd left && npm pack --silent --offline)
        cd app
        npm install --silent --offline --no-audit --no-fund ../left/left-1.0.0.tgz
        [ "$(cat node_modules/left/built)" = yes ]
        npm test --silent
        """, r"^\[  x\]$", files="npm"),
    Row("cargo: build, test, run, offline", "cargo rustc", """
        cargo build --offline -q
        cargo test --offline -q >/dev/null
        cargo run --offline -q
        """, "build-script 12", files="cargo"),
    Row("java: compile and run", "javac:default-jdk-headless java:default-jdk-headless",
        "javac Main.java && java -Xmx256m Main", "39999600000 text child", files="java", steps="tmp"),
    Row("go: build, test, run", "go:golang-go", """
        export GOFLAGS=-mod=mod GOPROXY=off
        go build -o hello . && go test ./... >/dev/null && ./hello
        """, "9900 child", files="go", steps="network.inside"),
    Row("dash: 1,000 pipelines", "dash", """
        dash -c 'i=0; while [ $i -lt 1000 ]; do echo $i | cat | cat >last; i=$((i + 1)); done; cat last'
        """, "^999$"),
    Row("perl: 1,000 children at once", "perl", "perl forks.pl", "1000 children", files="perl"),
    Row("perl: forking server, signals, locks", "perl", "perl server.pl", "got hello", files="perl", steps="network.inside"),
    Row("tar, gzip, xz, zip", "tar gzip xz:xz-utils zip unzip", """
        mkdir in && seq 1000 > in/numbers && ln -s numbers in/link && chmod 640 in/numbers
        tar czf a.tar.gz in && tar cJf a.tar.xz in && zip -qr a.zip in
        mkdir x y z && tar xzf a.tar.gz -C x && tar xJf a.tar.xz -C y && unzip -q a.zip -d z
        diff -r in x/in && diff -r in y/in && diff -r in z/in && stat -c %a x/in/numbers
        """, "^640$"),
    Row("tmux inside", "tmux", """
        export TMUX_TMPDIR=$(mktemp -d)
        tmux -L live -f /dev/null new-session -d -x 80 -y 24 sh
        tmux -L live send-keys 'echo in-$((40+2))' Enter
        for i in $(seq 200); do tmux -L live capture-pane -p | tee pane | grep -x in-42 && break; sleep 0.1; done; cat pane
        tmux -L live kill-server; rm -rf "$TMUX_TMPDIR"
        """, "in-42", steps="network.inside devices"),
    Row("ssh-keygen", "ssh-keygen:openssh-client", "ssh-keygen -q -t ed25519 -N '' -C live -f key && ssh-keygen -lf key.pub",
        r"^256 SHA256:\S+ live \(ED25519\)$", account="www-data"),
    Row("script, without a terminal", "script:bsdutils", """
        script -qec 'test -t 0 && echo on-a-terminal' /dev/null | tr -d '\\r'
        """, "on-a-terminal", steps="devices"),
    Row("temporary files, fifos, locks", "flock:util-linux mkfifo:coreutils", """
        a=$(mktemp); b=$(mktemp -d); echo x > "$a"; mv "$a" "$b/a"; rm -r "$b"
        echo x > /dev/shm/live.$$; rm /dev/shm/live.$$; echo x > /var/tmp/live.$$; rm /var/tmp/live.$$
        mkfifo pipe; (echo through > pipe &) ; cat pipe
        flock lock true; ln pipe hard; ln -s pipe soft; chmod 600 lock; touch -d 2001-01-01 lock; truncate -s 1M big
        """, "through", steps="tmp"),
    Row("who, where, when", "ps:procps id:coreutils", """
        test "$(id -u)" = "$(stat -c %u .)"
        id -un >/dev/null || test "$(id -u)" != 0
        ps -ef | grep -q 'ps -ef'; uname -a >/dev/null; hostname >/dev/null; nproc >/dev/null; df . >/dev/null
        test "$(TZ=Asia/Tokyo date -d @0 +%H)" = 09
        test "$(getent hosts localhost | wc -l)" -ge 1
        test -w "$PWD" && cd ~ && ls >/dev/null && echo here
        """, "^here$", steps="processes files.read"),
    Row("tools in the home", "sh:dash", """
        from-local && from-cargo && from-pyenv && from-nvm
        """, "^from-nvm$", path="~/.local/bin:~/.cargo/bin:~/.pyenv/shims:~/.nvm/versions/node/v1/bin", prepare="""
        for place in .local/bin/from-local .cargo/bin/from-cargo .pyenv/shims/from-pyenv .nvm/versions/node/v1/bin/from-nvm; do
          mkdir -p ~/"${place%/*}"; printf '#!/bin/sh\necho %s\n' "${place##*/}" > ~/"$place"; chmod 755 ~/"$place"
        done
        """),
    Row("caches in the home", "sh:dash", """
        mkdir -p ~/.cache/live ~/.npm && echo x > ~/.cache/live/a && echo y > ~/.npm/live-b && cat ~/.cache/live/a
        rm -r ~/.cache/live ~/.npm/live-b
        """, "^x$", steps="files.read files.write"),
]
