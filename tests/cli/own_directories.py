# own_directories.py: Pinfold's own directories (settings, secrets, grants, journal, caches, sockets) are hidden from every
# command, with any rules; and each project has a cache of its own.
# Invariant: every check shows that the same words reach something beside the own directory.
# Not here: what a preset hides (src/policy), plugins (tests/plugins).
import hashlib
import os
import shutil
import subprocess
import time

from harness import check, expect

BACKENDS = ("native", "bubblewrap", "landlock")
OWN = (".config/pinfold/secrets/TOKEN", ".config/pinfold/grants/user.json", ".local/state/pinfold/plugins/x/home/key",
       ".cache/pinfold/projects/0123456789abcdef/home/key")


def furnish(w, paths):
    for path in paths:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        w.write(path, b"canary-of-pinfold\n", 0o600)


def on(w, backend, *words, **options):
    return w.run("--backend", backend, "--on-unavailable", "warn", *words, **options)


@check("own: no rule shows Pinfold's own directories, on any backend")
def _(w):
    own = [os.path.join(w.home, path) for path in OWN]
    furnish(w, own)
    w.write(os.path.join(w.home, ".config/other.conf"), b"beside\n")
    script = "cat ~/.config/other.conf; cat " + " ".join(own) + "; true"
    for backend in BACKENDS:
        for rule in (("--read", w.home), ("--write", w.home), ("--read", os.path.join(w.home, ".config"), "--read", "~/.local")):
            on(w, backend, *rule, "-c", script).code_is(0).prints("beside").silent("canary-of-pinfold")


@check("own: they are hidden wherever HOME, the XDG variables and symlinks put them")
def _(w):
    real = os.path.join(w.other, "real")
    places = {"XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "s", "XDG_CACHE_HOME": "x", "XDG_RUNTIME_DIR": "r"}
    env = {name: os.path.join(real, place) for name, place in places.items()}
    own = [os.path.join(path, "pinfold", "sub", "key") for path in env.values()]
    furnish(w, own + [os.path.join(w.home, OWN[0])])
    os.chmod(os.path.join(env["XDG_RUNTIME_DIR"], "pinfold"), 0o700)
    link = os.path.join(w.base, "link")
    os.symlink(real, link)
    linked = {name: os.path.join(link, place) for name, place in places.items()}
    script = f"cat {w.other}/data.txt; cat {' '.join(own)} ~/{OWN[0]}; true"
    for backend in BACKENDS:
        for variables in (env, linked):
            on(w, backend, "--read", w.other, "--read", w.home, "-c", script, env=variables).prints("canary-in-other").silent(
                "canary-of-pinfold")


@check("own: a command that may write the home neither sees, makes nor moves them, also when they are missing")
def _(w):
    os.mkdir(os.path.join(w.home, "plain"))
    script = ("mkdir -p ~/.config/pinfold/secrets ~/.local/state/pinfold; mv ~/.config ~/c; mv ~/.local ~/l; "
              "echo planted > ~/.config/pinfold/config.toml; echo planted > ~/.local/state/pinfold/journal.jsonl; "
              "echo fine > ~/plain/new; cat ~/.local/state/pinfold/journal.jsonl; true")
    for backend in BACKENDS:
        on(w, backend, "--write", w.home, "-c", script).code_is(0).silent("pinfold.journal")
        expect(open(os.path.join(w.home, "plain/new"), "rb").read() == b"fine\n", backend)
        expect(not os.path.exists(os.path.join(w.home, ".config/pinfold/config.toml")), f"{backend}: settings were made")
        with open(os.path.join(w.home, ".local/state/pinfold/journal.jsonl"), "rb") as file:
            expect(b"planted\n" not in file.readlines(), f"{backend}: the journal was written to")
        os.unlink(os.path.join(w.home, "plain/new"))


def tree(top):
    return sorted(os.path.join(at, name) for at, directories, files in os.walk(top) for name in directories + files)


@check("own: those of another environment are hidden, too, and nothing is left where none was")
def _(w):
    elsewhere = {name: os.path.join(w.other, name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    for path in elsewhere.values():
        os.makedirs(path, mode=0o700)
    config = os.path.join(w.home, ".config/pinfold/config.toml")
    script = ("mkdir -p ~/.config/pinfold ~/.local/state/pinfold ~/.cache/pinfold; mv ~/.config ~/c; mkdir -p ~/.config/pinfold; "
              "echo 'network = \"full\"' > ~/.config/pinfold/config.toml; echo x > ~/.local/state/pinfold/journal.jsonl; "
              "echo x > ~/.cache/pinfold/x; rmdir ~/.config/pinfold; echo ran")
    for backend in BACKENDS:
        for before in ((), (".config",), (".config", ".local/state", ".cache/keep")):
            for path in before:
                os.makedirs(os.path.join(w.home, path))
            was = tree(w.home)
            on(w, backend, "--write", w.home, "-c", script, env=elsewhere).prints("ran")
            expect(tree(w.home) == was, (backend, before, set(tree(w.home)) ^ set(was)))
            on(w, backend, "--read", w.home, "-c", "ls -A ~/.config ~/.config/pinfold; echo ran", env=elsewhere).prints("ran")
            expect(tree(w.home) == was, (backend, before, "after --read"))
            on(w, backend, "--write", w.home, "--explain", "--", "true", env=elsewhere)
            expect(tree(w.home) == was, (backend, before, "after --explain"))
            for path in reversed(before):
                os.removedirs(os.path.join(w.home, path))
            os.makedirs(w.home, exist_ok=True)
    # Without a sandbox the same words do make them.
    w.run("--no-sandbox", "-c", script, env=elsewhere)
    expect(os.path.exists(config), "the control made nothing")
    shutil.rmtree(os.path.join(w.home, ".config"))


@check("own: runs share the temporary ones, the last one removes them, and a directory in use stays")
def _(w):
    elsewhere = {"XDG_CONFIG_HOME": os.path.join(w.other, "c")}
    os.makedirs(elsewhere["XDG_CONFIG_HOME"], mode=0o700)
    made = os.path.join(w.home, ".config/pinfold")
    wait = ("echo started; read x; mkdir -p ~/.config/pinfold 2>/dev/null; echo planted > ~/.config/pinfold/config.toml; echo ended")
    def start(backend):
        words = ["run", "--backend", backend, "--on-unavailable", "warn", "--write", w.home, "-c", wait]
        process = subprocess.Popen([w.program, *words], cwd=w.ws, env={**w.env, **elsewhere}, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        expect(process.stdout.readline() == "started\n", backend)
        return process
    for first, second in (("native", "native"), ("native", "landlock"), ("landlock", "bubblewrap")):
        runs = [start(first), start(second)]
        expect(os.stat(made).st_mode & 0o7777 == 0o1700, "not marked")
        for index, run in enumerate(runs):
            out, _ = run.communicate("go\n", timeout=60)
            expect(out == "ended\n", (first, second, out))
            expect(not os.path.exists(made + "/config.toml"), f"{first}, {second}: settings were made")
            expect(os.path.exists(made) == (index == 0), (first, second, index))
        expect(not os.path.exists(os.path.join(w.home, ".config")), "the directory above is left")
    # A run that is killed leaves it to its janitor, and at the latest to the next run.
    run = start("native")
    run.kill()
    run.wait()
    on(w, "native", "--write", w.home, "--", "true", env=elsewhere).code_is(0)
    deadline = time.monotonic() + 10
    while os.path.exists(made) and time.monotonic() < deadline:
        time.sleep(0.05)
    expect(not os.path.exists(made), "a killed run left it")
    # One that the user's own Pinfold uses meanwhile stays, with an ordinary mode.
    run = start("native")
    w.write(os.path.join(made, "config.toml"), b"# mine\n", 0o600)
    run.communicate("go\n", timeout=60)
    expect(open(os.path.join(made, "config.toml"), "rb").read() == b"# mine\n", "the user's settings")
    expect(os.stat(made).st_mode & 0o7777 == 0o700 and os.stat(os.path.dirname(made)).st_mode & 0o7777 == 0o700, "the mark stayed")


@check("own: danger-full-access shows them, and says so")
def _(w):
    furnish(w, [os.path.join(w.home, path) for path in OWN])
    on(w, "native", "--profile", "danger-full-access", "-c", f"cat ~/{OWN[0]}").code_is(0).prints("canary-of-pinfold").says(
        "danger-full-access hides nothing", "secrets, settings and grants")
    on(w, "native", "--profile", "permissive", "-c", f"cat ~/{OWN[0]}").silent("canary-of-pinfold", "hides nothing")


@check("own: a link to one of them, or to a directory above it, may not be writable")
def _(w):
    places = {"XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".local/state", "XDG_CACHE_HOME": ".cache", "XDG_RUNTIME_DIR": "run"}
    real = os.path.join(w.other, "dotfiles")
    script = "rm -f ~/{0}; mkdir -p ~/{0}/pinfold && echo planted > ~/{0}/pinfold/config.toml"
    for variable, place in places.items():
        # As `stow` does it: the directory itself, or the one above it.
        for linked in (place, place + "/pinfold"):
            at, target = os.path.join(w.home, linked), os.path.join(real, linked)
            os.makedirs(target, mode=0o700, exist_ok=True)
            os.makedirs(os.path.dirname(at), mode=0o700, exist_ok=True)
            if os.path.isdir(at):
                os.rename(at, at + ".before")
            os.symlink(target, at)
            env = {variable: os.path.join(w.home, place)}
            for backend in BACKENDS:
                ran = on(w, backend, "--write", w.home, "-c", script.format(linked), env=env).code_is(126)
                ran.says(f"the symbolic link {at} -> {target} leads to Pinfold's own", "could replace it", f"rm {at}")
                expect(os.path.islink(at), f"{backend}: {at} was replaced")
            if place != ".cache":  # which Pinfold opens without following links
                on(w, "native", "-c", "echo fine", env=env).code_is(0).prints("fine")
            # The fix as printed.
            fix = "rm " + ran.err.split(": rm ")[1].splitlines()[0]
            expect(os.system(fix) == 0, fix)
            on(w, "native", "--write", w.home, "-c", "echo fine", env=env).code_is(0).prints("fine")
            os.rename(at, at + ".copy")
            if os.path.isdir(at + ".before"):
                os.rename(at + ".before", at)


@check("own: a rule that names one of them, or something in it, is an error that says so")
def _(w):
    furnish(w, [os.path.join(w.home, path) for path in OWN])
    for path in (OWN[0], ".config/pinfold", ".local/state/pinfold"):
        for flag in ("--read", "--write", "--workspace"):
            if flag == "--workspace" and path == OWN[0]:
                continue
            w.run(flag, os.path.join(w.home, path), "--", "true").code_is(125).says("which no sandbox shows", "Pinfold's own")
    shutil.rmtree(os.path.join(w.home, ".config/pinfold"))
    w.run("--write", os.path.join(w.home, ".config/pinfold"), "--", "true").code_is(125).says("cannot be granted").silent("create it")
    w.pinfold("policy", "why", os.path.join(w.home, OWN[0])).prints("no sandbox shows").silent("--read")


@check("own: the file tools keep away from them")
def _(w):
    furnish(w, [os.path.join(w.home, OWN[0])])
    w.write(os.path.join(w.home, ".config/other.conf"), b"beside\n")
    words = ("--allow-absolute", "yes", "--read", w.home)
    w.pinfold("files", "read", *words, os.path.join(w.home, ".config/other.conf")).code_is(0).prints("beside")
    done = w.pinfold("files", "read", *words, os.path.join(w.home, OWN[0]))
    expect(done.code != 0 and "canary-of-pinfold" not in done.out + done.err, done.err)
    w.pinfold("files", "search", *words, "canary-of", w.home).silent("canary-of-pinfold\n")


@check("cache: each project has its own, by SHA-256, and it says whose it is")
def _(w):
    key = hashlib.sha256(os.fsencode(w.ws)).hexdigest()[:40]
    projects = os.path.join(w.home, ".cache/pinfold/projects")
    for backend in BACKENDS:
        on(w, backend, "-c", f"echo {backend} >> ~/.cache/kept").code_is(0)
        expect(os.listdir(projects) == [key], os.listdir(projects))
    with open(os.path.join(projects, key, "project"), "rb") as file:
        expect(file.read() == os.fsencode(w.ws), "the project's path")
    with open(os.path.join(projects, key, "home/kept"), encoding="utf-8") as file:
        expect(file.read().split() == list(BACKENDS), "kept from run to run")
    # One that says that it is another project's is left alone.
    w.write(os.path.join(projects, key, "project"), b"/another/project", 0o600)
    for backend in BACKENDS:
        on(w, backend, "-c", "test ! -e ~/.cache/kept; echo new > ~/.cache/fresh").says("belongs to another project")
    expect(not os.path.exists(os.path.join(projects, key, "home/fresh")), "it was written to")
    expect(os.path.exists(os.path.join(projects, key + "-2", "home/fresh")), os.listdir(projects))
