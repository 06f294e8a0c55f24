"""servers.py: plugins that use their permissions: each runtime, each permission.

Invariant: each check tries allowed and denied access.
Not here: a plugin that tries everything (overreach.py).
"""
import http.server
import json
import os
import pathlib
import shutil
import threading

ASK = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'

# Does what each line asks and tells how it went.
TRIES = r"""
import json, os, subprocess, sys, urllib.request
def attempt(do, *words):
    if do == "read": return open(words[0]).read()
    if do == "write": return open(words[0], "w").write("written")
    if do == "env": return os.environ[words[0]]
    if do == "get": return urllib.request.urlopen(words[0], timeout=60).read().decode()
    if do == "run": return subprocess.run(words, capture_output=True, check=True).stdout.decode()
    if do == "argv": return json.dumps(sys.argv[1:])
for line in sys.stdin:
    try: answer = {"ok": attempt(*json.loads(line))}
    except Exception as error: answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
"""


def tries(place, name, *attempts, **more):
    """The answers of the plugin, one for each attempt."""
    out = place.fine("plugin", "run", name, "--quiet", text="".join(json.dumps(one) + "\n" for one in attempts), **more)
    return [json.loads(line) for line in out.splitlines()]


def allowed(place, permissions, **more):
    name = place.plugin("tries", entry="tries.py", source=TRIES, permissions=permissions, **more)
    place.fine("plugin", "allow", name, "--yes")
    return name


def check_each_runtime(place):
    place.plugin("python", entry="server.py")
    place.plugin("node", entry="server.js")
    place.plugin("binary", entry="echo_plugin")
    shutil.copy(pathlib.Path(place.pinfold).parent / "echo_plugin", place.plugins / "binary/echo_plugin")
    place.own()
    for runtime in ("python", "node", "binary"):
        name = "org.example." + runtime
        place.fine("plugin", "allow", name, "--yes")
        out = place.fine("plugin", "run", name, text=ASK + "\n" + ASK + "\n")
        answers = [json.loads(line) for line in out.splitlines()]
        assert answers == [{"echo": json.loads(ASK), "by": runtime}] * 2, answers
    found = json.loads(place.fine("plugin", "doctor", "--json"))
    assert all(row["ok"] for row in found) and len(found) == 3, found
    assert {os.path.basename(row["runs_with"]) for row in found} >= {"echo_plugin"}, found


def check_a_virtual_environment(place):
    name = place.plugin("venv", entry="main.py", source="import marker, sys\nprint(marker.TEXT, sys.prefix)\n")
    made = place.bare("/usr/bin/python3", "-m", "venv", "--without-pip", place.plugins / "venv/.venv")
    assert made.returncode == 0, made
    packages = next((place.plugins / "venv/.venv/lib").glob("python3*/site-packages"))
    (packages / "marker.py").write_text("TEXT = 'of the environment'\n")
    place.own()
    place.fine("plugin", "allow", name, "--yes")
    out = place.fine("plugin", "run", name)
    assert out.startswith("of the environment") and out.strip().endswith(".venv"), out
    python = place.plugins / "venv/.venv/bin/python3"
    python.unlink()
    stolen = place.home / "stolen"
    shutil.copy("/usr/bin/python3", stolen)
    os.symlink(stolen, python)
    place.own()
    place.fine("plugin", "allow", name, "--yes")
    assert "leads to" in place.refused("plugin", "run", name)


def check_node_modules_of_its_own(place):
    name = place.plugin("modules", entry="main.js", source="console.log(require('marker'))\n")
    (place.plugins / "modules/node_modules/marker").mkdir(parents=True)
    (place.plugins / "modules/node_modules/marker/index.js").write_text("module.exports = 'of its own'\n")
    place.own()
    place.fine("plugin", "allow", name, "--yes")
    assert place.fine("plugin", "run", name).strip() == "of its own"


def check_arguments(place):
    name = allowed(place, {}, args=["--root", "${__dirname}/data", "$(whoami) 'x"])
    [answer] = tries(place, name, ["argv"])
    assert json.loads(answer["ok"]) == ["--root", str(place.plugins / "tries/data"), "$(whoami) 'x"]


def check_files_as_declared(place):
    for folder in ("read", "write", "other"):
        (place.home / folder).mkdir()
        (place.home / folder / "file").write_text(folder)
    place.own()
    name = allowed(place, {"filesystem": [{"path": "~/read", "access": "read"}, {"path": "~/write", "access": "write"}]})
    answers = tries(place, name, *[[do, str(place.home / folder / "file")]
                                   for folder in ("read", "write", "other") for do in ("read", "write")])
    assert ["ok" in answer for answer in answers] == [True, False, True, True, False, False], answers
    assert [(place.home / folder / "file").read_text() for folder in ("read", "write", "other")] == ["read", "written", "other"]
    (place.home / "read/file").unlink()
    (place.home / "read").rmdir()
    said = place.refused("plugin", "run", name, code=125)
    assert "pinfold.plugin.json" in said, said


def check_variables_and_secrets(place):
    name = allowed(place, {"environment": ["PLAIN"], "secrets": ["FROM_ENV", "FROM_FILE"]})
    secrets = place.config / "secrets"
    secrets.mkdir(mode=0o700)
    (secrets / "FROM_FILE").write_text("file-value\n")
    (secrets / "FROM_FILE").chmod(0o600)
    place.own()
    env = {"PLAIN": "p", "FROM_ENV": "e", "OTHER_SECRET": "o"}
    answers = tries(place, name, ["env", "PLAIN"], ["env", "FROM_ENV"], ["env", "FROM_FILE"], ["env", "OTHER_SECRET"],
                    ["env", "HOME"], ["env", "TMPDIR"], env=env)
    assert [answer.get("ok") for answer in answers[:4]] == ["p", "e", "file-value", None], answers
    assert answers[4]["ok"].endswith("/plugins/org.example.tries/home"), answers
    assert answers[5]["ok"] == "/tmp"
    assert "FROM_ENV is neither in the environment nor in" in place.refused("plugin", "run", name, code=125)
    (secrets / "FROM_FILE").chmod(0o644)
    assert "is not yours alone" in place.refused("plugin", "run", name, code=125, env=env)
    for words in (("show", name), ("review", name, "--json")):
        assert "file-value" not in place.fine("plugin", *words, env=env)


def check_commands_as_declared(place):
    name = allowed(place, {"shell": {"commands": ["echo", "cat"]}})
    answers = tries(place, name, ["run", "echo", "hello"], ["run", "sh", "-c", "echo from sh"], ["run", "whoami"],
                    ["run", "/usr/bin/whoami"], ["run", "sh", "-c", "whoami"], ["run", "cat", str(place.home / "x")])
    assert [answer.get("ok") for answer in answers] == ["hello\n", "from sh\n", None, None, None, None], answers
    none = allowed(place, {})
    answers = tries(place, none, ["run", "echo", "hello"], ["run", "sh", "-c", "true"])
    assert not any("ok" in answer for answer in answers), answers
    missing = allowed(place, {"shell": {"commands": ["no-such-command"]}})
    assert "was not found on PATH" in place.refused("plugin", "run", missing, code=125)


class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # pylint: disable=invalid-name
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def check_hosts_as_declared(place):
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        ports = [server.server_address[1] for server in servers]
        name = allowed(place, {"network": ["localhost:%d" % ports[0]]})
        answers = tries(place, name, ["get", "http://localhost:%d/" % ports[0]], ["get", "http://localhost:%d/" % ports[1]])
        assert [answer.get("ok") for answer in answers] == ["hello", None], answers
        none = allowed(place, {})
        [answer] = tries(place, none, ["get", "http://localhost:%d/" % ports[0]])
        assert "ok" not in answer
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def check_its_home_stays_and_is_private(place):
    name = allowed(place, {})
    home = tries(place, name, ["env", "HOME"])[0]["ok"]
    assert "ok" in tries(place, name, ["write", home + "/state"])[0]
    assert tries(place, name, ["read", home + "/state"])[0]["ok"] == "written"
    assert pathlib.Path(home).stat().st_mode & 0o077 == 0 and pathlib.Path(home).is_relative_to(place.home)
    assert "ok" in tries(place, name, ["write", "/tmp/x"])[0]
    assert "ok" not in tries(place, name, ["read", "/tmp/x"])[0]


def check_pinfolds_own_files_are_not_for_plugins(place):
    for path in ("~/.config", "~/.config/pinfold", "~/.config/pinfold/plugin-approvals.json", "~/.local/state/pinfold", "~/.local"):
        for access in ("read", "write"):
            target = place.home / path[2:]
            if not target.exists():
                target.mkdir(parents=True)
            place.own()
            name = allowed(place, {"filesystem": [{"path": path, "access": access}]})
            said = place.refused("plugin", "run", name, code=125)
            assert "Pinfold's own" in said or "plugin's own folder" in said, said


def check_a_permission_that_cannot_be_enforced_is_refused(place):
    name = place.plugin("one", permissions={"network": ["api.example.org"]})
    place.fine("plugin", "allow", name, "--yes")
    assert "there is no backend" in place.refused("plugin", "run", name, "--backend", "nonsense", code=125)
    report = place.home / "report.json"
    place.fine("plugin", "run", name, "--report", report)
    coverage = json.loads(report.read_text())["coverage"]
    assert coverage and all(row["strength"] == "enforced" for row in coverage if row["required"]), coverage
    # On this backend names and other processes are visible.
    place.refused("plugin", "run", name, "--backend", "landlock", "--report", report, code=125)
    outcome = json.loads(report.read_text())["outcome"]
    assert outcome["kind"] == "refused" and outcome["by"] == "enforcement" and "processes is partial" in outcome["reason"], outcome


def check_the_journal_names_the_plugin(place):
    name = place.plugin("one")
    place.fine("plugin", "allow", name, "--yes")
    place.fine("plugin", "run", name)
    assert "server.py" in place.fine("log")
    assert "plugin " + name in place.fine("log", "--json")
