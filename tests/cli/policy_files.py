# policy_files.py: policies from files and variables: order, mistakes, profiles, init; against a real pinfold.
# Invariant: after each refusal the canary command has not run.
# Not here: consent (trust.py), flags (contract.py), keys against the documents (tests/docs).
import json
import os
import subprocess
import time

from harness import check, expect

CANARY = ("--", "touch", "canary")


def user_file(w, text):
    directory = os.path.join(w.home, ".config", "pinfold")
    os.makedirs(directory, exist_ok=True)
    w.write(os.path.join(directory, "config.toml"), text.encode())


def project_file(w, text, directory=None):
    w.write(os.path.join(directory or w.ws, "pinfold.toml"), text.encode())


def shown(w, *flags, **options):
    return json.loads(w.pinfold("policy", "show", "--json", *flags, **options).code_is(0).out)


def refused(w, code, texts, *flags, **options):
    w.run(*flags, *CANARY, **options).code_is(code).says(*texts).calm()
    expect(not os.path.exists(os.path.join(w.ws, "canary")), f"it ran: {flags[:4]}")


def in_project(w, text, *texts, code=125):
    project_file(w, text)
    refused(w, code, texts)


@check("files: user < project < variable < flag")
def _(w):
    def timeout(*flags, env=None):
        limit = shown(w, *flags, env=env)["limits"]["timeout"]
        return limit["milliseconds"] // 1000, limit["source"]
    user_file(w, 'timeout = "100s"\n')
    expect(timeout() == (100, "user_file"), timeout())
    project_file(w, 'timeout = "90s"\n')
    expect(timeout() == (90, "project_file"), timeout())
    env = {"PINFOLD_TIMEOUT": "80s"}
    expect(timeout(env=env) == (80, "environment"), timeout(env=env))
    expect(timeout("--timeout", "200s", env=env) == (200, "flag"), "flag")
    expect(timeout("--no-project-file") == (100, "user_file"), "--no-project-file")
    expect("timeout" not in shown(w, "--no-project-file", "--no-user-file")["limits"], "both files ignored")
    # The same when it is enforced, not just shown.
    project_file(w, 'timeout = "300ms"\n')
    w.run("--", "sleep", "20").code_is(124).says("pinfold.toml")
    w.run("--timeout", "20s", "--", "sleep", "0.6").code_is(0)


@check("files: the user's file below XDG_CONFIG_HOME, the project's file from below it")
def _(w):
    os.makedirs(os.path.join(w.base, "xdg", "pinfold"))
    w.write(os.path.join(w.base, "xdg", "pinfold", "config.toml"), b'processes = 77\n')
    policy = shown(w, env={"XDG_CONFIG_HOME": os.path.join(w.base, "xdg")})
    expect(policy["limits"]["processes"]["count"] == 77, policy["limits"])
    project_file(w, 'hide = ["private"]\n')
    for directory in ("private", "a/b"):
        os.makedirs(os.path.join(w.ws, directory))
    w.write(os.path.join(w.ws, "private", "key"), b"canary-private")
    # Relative to the file, not to where the command starts.
    hidden = [one["path"] for one in shown(w, cwd=os.path.join(w.ws, "a", "b"))["paths"] if one["access"] == "hide"]
    expect(os.path.join(w.ws, "private") in hidden, hidden[-3:])
    w.run("--workspace", w.ws, "-c", "cat ../../private/key", cwd=os.path.join(w.ws, "a", "b")).silent("canary-private")


@check("files: every mistake at once, with place and the nearest name")
def _(w):
    in_project(w, 'profle = "strict"\nnetwork = "ful"\ntimeout = "soon"\nread = 7\n[profiles.x]\nmemroy = "1G"\n'
               'enabled = true\n', "pinfold.toml:1:1", "did you mean profile", "pinfold.toml:2:11", "did you mean full",
               "pinfold.toml:3:", "pinfold.toml:4:", "read cannot be a number", "pinfold.toml:6:1", "did you mean memory",
               "pinfold.toml:7:1", "it goes to the top")
    project_file(w, 'a = = 1\nmemory = "1G"\nb = [1\n')
    ran = w.pinfold("policy", "check", "pinfold.toml").code_is(125).calm()
    expect("pinfold.toml:1:" in ran.err, f"first mistake: {ran.err}")
    project_file(w, 'a = = 1\nmemory = "1G"\nb = "x\nprocesses = 5\n')
    w.pinfold("policy", "check", "pinfold.toml").code_is(125).says("pinfold.toml:1:", "pinfold.toml:3:")
    in_project(w, 'read = ["x"]\nreadonly_paths = ["y"]\n', "set twice")
    in_project(w, 'network = ["none"]\n', "cannot be in a list")
    in_project(w, 'read = [{ pth = "/x" }]\n', "did you mean path")
    in_project(w, '[profiles.strict]\nmemory = "1G"\n', "is a preset")
    in_project(w, 'env = ["LD_PRELOAD"]\n', "a file cannot declare it")
    in_project(w, 'env = ["*"]\n', "every variable")
    in_project(w, 'profile = "danger-full-access"\n', "can only ask for it")
    in_project(w, 'read = ["gone"]\n', os.path.join(w.ws, "gone"), "does not exist")
    os.unlink(os.path.join(w.ws, "pinfold.toml"))
    user_file(w, 'read = ["data"]\nhide = ["x"]\n')
    refused(w, 125, ["config.toml:1:", "relative", "config.toml:2:"])


@check("files: binary files, and files that are too large")
def _(w):
    for data in (b"\xff\xfe\x00", b"\0" * 1000, b"x" * 300000, b"[" * 5000, b'read = "' + b"a" * 5000 + b'"'):
        w.write(os.path.join(w.ws, "pinfold.toml"), data)
        ran = w.run(*CANARY).calm()
        expect(ran.code in (125, 126) and not os.path.exists(os.path.join(w.ws, "canary")), f"{data[:9]!r}: {ran.code} {ran.err}")
    os.unlink(os.path.join(w.ws, "pinfold.toml"))
    os.mkdir(os.path.join(w.ws, "pinfold.toml"))
    expect(w.run(*CANARY).code in (125, 126), "a directory of that name")
    os.rmdir(os.path.join(w.ws, "pinfold.toml"))
    os.mkfifo(os.path.join(w.ws, "pinfold.toml"))
    expect(w.run(*CANARY, timeout=120).code in (125, 126), "a pipe of that name")


@check("files: profiles inherit, and the last word is the chosen profile's")
def _(w):
    project_file(w, 'processes = 900\n[profiles.base]\ninherits = "strict"\nprocesses = 200\nmemory = "64M"\n'
                 '[profiles.leaf]\ninherits = "base"\nmemory = "32M"\n')
    leaf = shown(w, "--profile", "leaf")
    expect((leaf["profile"], leaf["preset"]) == ("leaf", "strict"), (leaf["profile"], leaf["preset"]))
    expect(leaf["limits"]["processes"]["count"] == 200, leaf["limits"])
    expect(leaf["limits"]["memory"]["bytes"] == 32 << 20, leaf["limits"])
    expect(shown(w)["limits"]["processes"]["count"] == 900, "the top level alone")
    expect(shown(w, env={"PINFOLD_PROFILE": "base"})["limits"]["memory"]["bytes"] == 64 << 20, "by variable")
    user_file(w, '[profiles.bare]\ninherits = "empty"\n')
    w.run("--profile", "bare", "--no-project-file", "--", "/bin/true").code_is(127)  # on top of nothing: no program
    in_project(w, '[profiles.a]\ninherits = "b"\n[profiles.b]\ninherits = "a"\n', "in a circle", "a → b → a")
    in_project(w, '[profiles.a]\ninherits = "a"\n', "in a circle")
    in_project(w, 'profile = "modrate"\n', "pinfold.toml:1:11", "did you mean moderate")
    in_project(w, '[profiles.a]\ninherits = "reveiw"\n[profiles.review]\n', "pinfold.toml:2:12", "did you mean review")
    refused(w, 125, ["there is no profile"], "--profile", "nosuch", "--no-project-file")


@check("files: a user's profile cannot be changed by the project's profile of another name, only shadowed by its own")
def _(w):
    user_file(w, 'profile = "mine"\n[profiles.mine]\ninherits = "base"\n[profiles.base]\ninherits = "strict"\n')
    project_file(w, '[profiles.base]\ninherits = "permissive"\n')
    expect(shown(w)["preset"] == "strict", "the project's profile crept into the user's")


@check("files: older spellings mean the same")
def _(w):
    os.mkdir(os.path.join(w.ws, "s"))
    project_file(w, 'default_profile = "strict"\nblocked_paths = ["s"]\nmemory_limit_mb = 64\nwall_time = "9s"\n'
                 'allow_network = false\nfallback_on_unavailable = "deny"\noutput_size = "1M"\n')
    policy = shown(w)
    expect(policy["preset"] == "strict" and policy["limits"]["memory"]["bytes"] == 64 << 20, policy["limits"])
    expect(policy["limits"]["timeout"]["milliseconds"] == 9000 and policy["network"]["mode"] == "none", policy["limits"])


@check("variables: an unknown one is an error, a list is split, an empty one is nothing")
def _(w):
    refused(w, 125, ["PINFOLD_REED", "did you mean PINFOLD_READ"], env={"PINFOLD_REED": "/x"})
    refused(w, 125, ["PINFOLD_TIMEOUT"], env={"PINFOLD_TIMEOUT": "soon"})
    refused(w, 125, ["PINFOLD_PROFILE", "can only ask"], env={"PINFOLD_PROFILE": "danger-full-access"})
    env = {"PINFOLD_READ": f"{w.other}:{w.home}/secret.txt", "PINFOLD_EXEC": "sh,cat", "PINFOLD_NET": ""}
    ran = w.run("-c", f"cat {w.other}/data.txt ~/secret.txt; ls", env=env)
    ran.prints("canary-in-other", "canary-in-home")
    expect(ran.code != 0, "ls was started")
    w.run("-c", "echo $PINFOLD_READ", env=env).out_is(b"\n")


@check("files: optional paths")
def _(w):
    in_project(w, 'hide = ["later"]\n', "cannot hide")
    project_file(w, 'hide = [{ path = "later", optional = true }, { path = "a*[x]", optional = true }]\n')
    w.write(os.path.join(w.ws, "abc[x]"), b"seen")
    w.run("-c", "cat abc*").code_is(0).out_is(b"seen")
    w.write(os.path.join(w.ws, "later"), b"canary-later")
    w.run("-c", "cat later").silent("canary-later")


@check("files: enabled = false runs nothing until the user says which")
def _(w):
    project_file(w, "enabled = false\n")
    refused(w, 126, ["pinfold.toml:1:11", "switched off", "--no-sandbox", "--sandbox"])
    w.run("--sandbox", "--", "cat", os.path.join(w.home, "secret.txt")).silent("canary-in-home")
    w.run("--no-sandbox", "--", "true").code_is(0).says("no sandbox")
    in_project(w, 'enabled = "no"\n', "enabled cannot be a string")


@check("files: several workspaces")
def _(w):
    second = os.path.join(w.base, "second")
    os.mkdir(second)
    user_file(w, f'workspace = ["{w.ws}", "{second}"]\n')
    w.run("-c", f"echo 1 > one && echo 2 > {second}/two && mkdir {second}/.vscode").says("protected")
    expect(os.listdir(second) == ["two"], f"second workspace: {os.listdir(second)}")
    user_file(w, f'workspace = "{w.home}"\n')
    refused(w, 125, ["home directory"])


@check("policy show --toml, fed back, is the same policy")
def _(w):
    def without_origins(value):
        if isinstance(value, dict):
            return {k: without_origins(v) for k, v in value.items() if k not in ("source", "origin", "profile")}
        return [without_origins(one) for one in value] if isinstance(value, list) else value

    def rules(policy):
        policy = without_origins(policy)
        for name in ("paths", "patterns", "protect", "env"):
            policy[name] = sorted(policy[name], key=json.dumps)
        # Where Pinfold's own settings lie is not part of the text.
        policy["protect"] = [one for one in policy["protect"] if not one["name"].startswith("/")]
        return policy
    os.mkdir(os.path.join(w.ws, "deep dir"))
    user_file(w, f'read = ["{w.other}"]\nenv = ["SECRET_TOKEN"]\nmemory = "512M"\n')
    project_file(w, 'hide = ["deep dir", "**/*.pem"]\nprotect = [".github"]\nexec = ["sh", "cat"]\n[profiles.p]\n'
                 'inherits = "strict"\ntimeout = "7s"\n')
    for flags in ((), ("--profile", "p"), ("--write", w.other, "--env", 'Q=a"b\\c', "--hide", "~/x*"),
                  ("--exec", "any", "--output-limit", "5M", "--on-unavailable", "warn", "--workspace", w.other)):
        before = shown(w, *flags)
        text = w.pinfold("policy", "show", "--toml", *flags).code_is(0).raw_out
        home = os.path.join(w.base, "xdg", "pinfold")
        os.makedirs(home, exist_ok=True)
        w.write(os.path.join(home, "config.toml"), text)
        after = shown(w, "--no-project-file", env={"XDG_CONFIG_HOME": os.path.dirname(home)})
        a, b = rules(before), rules(after)
        expect(a == b, f"{flags}: {[(k, a[k], b[k]) for k in a if a[k] != b[k]]}\n{text.decode()}")


@check("init: a file that fits, passes, runs without consent, and is never overwritten")
def _(w):
    kinds = {"Node": "package.json", "Python": "pyproject.toml", "Rust": "Cargo.toml", "C and C++": "CMakeLists.txt",
             "Go": "go.mod", "Java": "pom.xml"}
    for name, marker in kinds.items():
        directory = os.path.join(w.base, "p-" + marker)
        os.mkdir(directory)
        w.write(os.path.join(directory, marker), b"")
        w.write(os.path.join(directory, "server.pem"), b"canary-pem")
        w.write(os.path.join(directory, 'odd".key'), b"canary-key")
        w.pinfold("init", cwd=directory).code_is(0).prints("wrote", f"{name} ({marker})")
        w.pinfold("policy", "check", "pinfold.toml", cwd=directory).code_is(0).prints("ok").silent("policy trust")
        w.run("-c", "cat server.pem *.key; echo fine", cwd=directory).prints("fine").silent("canary-")
        before = open(os.path.join(directory, "pinfold.toml"), "rb").read()
        w.pinfold("init", cwd=directory).code_is(125).says("was not changed")
        expect(open(os.path.join(directory, "pinfold.toml"), "rb").read() == before, "it was overwritten")
        # Every line that is commented out must be right, too.
        lines = [line[2:] if line.startswith(("# [", "# env", "# read", "# write", "# hide", "# protect", "# timeout", "# memory",
                                              "# processes", "# inherits")) else line for line in before.decode().split("\n")]
        os.makedirs(os.path.join(w.home, "data"), exist_ok=True)
        os.makedirs(os.path.join(w.home, ".cache", "this-project"), exist_ok=True)
        os.makedirs(os.path.join(directory, "secrets"), exist_ok=True)
        project_file(w, "\n".join(lines), directory)
        w.pinfold("policy", "check", "pinfold.toml", cwd=directory).code_is(0).prints("ok")
    os.symlink(os.path.join(w.other, "planted"), os.path.join(w.ws, "pinfold.toml"))
    w.pinfold("init").code_is(125)
    expect(not os.path.exists(os.path.join(w.other, "planted")), "init wrote through a symlink")
    w.pinfold("init", "no/such/dir").code_is(125)


@check("the project's file cannot be changed from inside, and a change outside does not reach a run")
def _(w):
    project_file(w, 'timeout = "60s"\n')
    before = open(os.path.join(w.ws, "pinfold.toml"), "rb").read()
    w.run("-c", "echo 'network = true' >> pinfold.toml; rm -f pinfold.toml; mv pinfold.toml x; ln -sf /etc/passwd pinfold.toml")
    expect(open(os.path.join(w.ws, "pinfold.toml"), "rb").read() == before, "it was changed from inside")
    os.unlink(os.path.join(w.ws, "pinfold.toml"))
    w.run("-c", "echo 'network = true' > pinfold.toml; mkdir pinfold.toml")
    expect(not os.path.exists(os.path.join(w.ws, "pinfold.toml")), "one was made from inside")

    project_file(w, f'hide = ["later.txt"]\n')
    w.write(os.path.join(w.ws, "later.txt"), b"canary-later\n")
    child = subprocess.Popen([w.program, "run", "-c", "echo up; read line; cat later.txt; cat ~/secret.txt"], cwd=w.ws, env=w.env,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(child.stdout.readline() == b"up\n", "it did not start")
    project_file(w, 'read = ["~/secret.txt"]\n')
    user_file(w, 'read = ["~/secret.txt"]\n')
    time.sleep(0.1)
    out, _ = child.communicate(b"go\n", timeout=120)
    expect(b"canary" not in out, f"the change reached the run: {out!r}")


@check("policy check: several files, the user's own, and missing files")
def _(w):
    user_file(w, 'timeout = "soon"\n')
    own = os.path.join(w.home, ".config", "pinfold", "config.toml")
    w.pinfold("policy", "check", own).code_is(125).says("config.toml:1:")
    user_file(w, 'timeout = "1m"\n')
    project_file(w, f'read = ["{w.other}"]\n')
    w.pinfold("policy", "check", own, "pinfold.toml").code_is(0).prints("ok", "policy trust", w.other)
    w.pinfold("policy", "check", "nope.toml").code_is(125).says("nope.toml")
    w.pinfold("policy", "check").code_is(125)
