# own_directories.py: Pinfold's own directories (settings, secrets, grants, journal, caches, sockets) are hidden from every
# command, whatever the rules say; and each project has a cache of its own.
# Invariant: every check shows that the same words reach something beside the own directory.
# Not here: what a preset hides (src/policy), plugins (tests/plugins).
import hashlib
import os
import shutil

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
