"""imports.py: bundles and clients' servers become plugins that ask for nothing.

Invariant: values of variables are nowhere in the imported files.
Not here: running imported plugins (servers.py).
"""
import json
import os
import shutil


def check_a_bundle(place):
    bundle = place.base / "bundle"
    (bundle / "server").mkdir(parents=True)
    (bundle / "server/index.js").write_text("console.log(JSON.stringify(process.argv.slice(2)))\n")
    (bundle / "manifest.json").write_text(json.dumps({
        "manifest_version": "0.3", "name": "My Bundle", "display_name": "A Bundle", "version": "1.2.3", "description": "d",
        "author": {"name": "Ada"},
        "server": {"type": "node", "entry_point": "server/index.js", "mcp_config": {
            "command": "node", "args": ["${__dirname}/server/index.js", "--dir=${user_config.dir}", "--key=${user_config.key}",
                                        "--data=${__dirname}/data"],
            "env": {"API_KEY": "${user_config.key}"}}},
        "user_config": {"dir": {"type": "string", "default": "here"}, "key": {"type": "string", "sensitive": True}}}))
    place.own()
    said = place.fine("plugin", "import", bundle / "manifest.json")
    assert "\"secrets\": [\"API_KEY\"]" in said and "--key=" in said and "no permissions yet" in said, said
    assert place.states() == {"my-bundle": "new"}
    review = json.loads(place.fine("plugin", "show", "my-bundle", "--json"))
    assert review["name"] == "A Bundle" and review["author"] == "Ada" and review["permissions"] == []
    place.fine("plugin", "allow", "my-bundle", "--yes")
    out = json.loads(place.fine("plugin", "run", "my-bundle"))
    assert out == ["--dir=here", "--data=%s/data" % (place.plugins / "my-bundle")], out
    assert "exists already" in place.refused("plugin", "import", bundle / "manifest.json", code=125)
    assert sorted(os.listdir(place.plugins)) == ["my-bundle"]


def check_a_clients_servers(place):
    project = place.base / "project"
    (project / "src").mkdir(parents=True)
    (project / "package.json").write_text("{}")
    (project / "src/main.js").write_text("console.log(require('./part'))\n")
    (project / "src/part.js").write_text("module.exports = 'whole'\n")
    modules = place.base / "installed/node_modules"
    (modules / "pkg").mkdir(parents=True)
    (modules / "dep").mkdir()
    (modules / "pkg/index.js").write_text("console.log(require('dep'))\n")
    (modules / "dep/index.js").write_text("module.exports = 'hoisted'\n")
    shutil.copy(os.path.join(os.path.dirname(place.pinfold), "echo_plugin"), place.base / "native")
    (place.base / "lone.py").write_text("print('lone')\n")
    config = place.base / "client.json"
    config.write_text(json.dumps({"other": 1, "mcpServers": {
        "Project": {"command": "node", "args": [str(project / "src/main.js")], "env": {"GITHUB_TOKEN": "ghp_value", "LEVEL": "1"}},
        "hoisted": {"command": "/usr/bin/node", "args": [str(modules / "pkg/index.js")]},
        "native": {"command": str(place.base / "native"), "args": ["--x"]},
        "lone": {"command": "python3", "args": ["lone.py"]},
        "fetched": {"command": "npx", "args": ["-y", "some-package"]},
        "uv": {"command": "uvx", "args": ["some-package"]},
        "box": {"command": "docker", "args": ["run", "x"]},
        "module": {"command": "python3", "args": ["-m", "x"]},
        "remote": {"url": "https://example.org/mcp"},
        "script": {"command": str(place.base / "lone.sh")}}}))
    (place.base / "lone.sh").write_text("#!/bin/sh\n")
    place.own()
    said = place.fine("plugin", "import", config, "Project")
    assert "\"secrets\": [\"GITHUB_TOKEN\"]" in said and "\"environment\": [\"LEVEL\"]" in said, said
    found = place.bare("grep", "-r", "ghp_value", place.plugins)
    assert found.returncode == 1, found
    for name in ("hoisted", "native", "lone"):
        place.fine("plugin", "import", config, name)
    for name, out in (("project", "whole\n"), ("hoisted", "hoisted\n"), ("lone", "lone\n"), ("native", "")):
        place.fine("plugin", "allow", name, "--yes")
        assert place.fine("plugin", "run", name) == out, name
    for name, why, code in (("fetched", "fetches code", 126), ("uv", "fetches code", 126), ("box", "not a runtime", 126),
                            ("module", "not followed by a script", 126), ("remote", "nothing to run here", 126),
                            ("script", "is a script", 126), ("nobody", "names no server", 125)):
        assert why in place.refused("plugin", "import", config, name, code=code), name
    assert "say which" in place.refused("plugin", "import", config, code=125)
    assert json.loads(place.fine("plugin", "import", config, "lone", "--plugins", place.base, "--json"))["id"] == "lone"


def check_invalid_imports(place):
    for text, why in (("{", "not JSON"), ("{}", "neither mcpServers"), ('{"mcpServers": {}}', "names no server"),
                      ('{"server": {"type": "perl"}}', "is not known"),
                      ('{"name": "x", "server": {"type": "node", "entry_point": "../x.js"}}', "imported manifest is not valid")):
        file = place.base / "file.json"
        file.write_text(text)
        place.own()
        assert why in place.refused("plugin", "import", file, code=125), text
    place.refused("plugin", "import", place.base / "missing.json", code=125)
    assert place.states() == {}
