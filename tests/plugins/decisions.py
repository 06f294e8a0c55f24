"""decisions.py: how plugins are found, and what the user decides about them; the file that remembers it.

Invariant: each check begins with no decision at all.
Not here: what a plugin may do once it runs (servers.py, overreach.py).
"""
import json
import os
import random
import re
import signal
import subprocess
import time


def check_no_plugins_is_fine(place):
    assert "there are no plugins" in place.fine("plugin", "list")
    assert json.loads(place.fine("plugin", "list", "--json")) == []
    place.fine("plugin", "doctor")
    place.plugins.rmdir()
    assert "there are no plugins" in place.fine("plugin", "list")


def check_a_bad_one_never_stops_the_others(place):
    place.plugin("good")
    place.plugin("typo", permissions={"netwrk": []})
    place.plugin("gone", entry="nothing.py", source=None)
    place.plugin("outside", entry="link.py")
    os.symlink("/etc/passwd", place.plugins / "outside/link.py")
    place.plugin("one")
    place.plugin("two", id="org.example.one")
    (place.plugins / "empty").mkdir()
    (place.plugins / "a-file").write_text("x")
    (place.plugins / "huge").mkdir()
    (place.plugins / "huge/pinfold.plugin.json").write_bytes(b"[" * (100 << 20))
    place.plugin("pipe")
    os.mkfifo(place.plugins / "pipe/fifo")
    place.plugin("shared")
    place.own()
    (place.plugins / "shared").chmod(0o777)
    os.symlink("/nowhere", place.plugins / "dangling")
    elsewhere = place.base / "elsewhere"
    place.plugin("moved")
    (place.plugins / "moved").rename(elsewhere)
    os.symlink(elsewhere, place.plugins / "linked")
    rows = {row["folder"].rsplit("/", 1)[-1]: row for row in json.loads(place.fine("plugin", "list", "--json"))}
    states = {name: row["state"] for name, row in rows.items()}
    new = {name for name, state in states.items() if state == "new"}
    assert new == {"good", "elsewhere"}, states
    assert "a-file" not in states
    assert re.search(r"pinfold\.plugin\.json:\d+:\d+: permissions has no key \"netwrk\" \(did you mean network\?\)",
                     rows["typo"]["why"]), rows["typo"]
    assert "also that of" in rows["one"]["why"] and "also that of" in rows["two"]["why"]
    assert "leads out" in rows["outside"]["why"], rows["outside"]
    assert "longer than" in rows["huge"]["why"], rows["huge"]
    assert "can be written by others" in rows["shared"]["why"]
    place.fine("plugin", "allow", "org.example.good", "--yes")
    assert place.fine("plugin", "run", "org.example.good", text='{"a": 1}\n')
    place.refused("plugin", "run", "org.example.one")
    place.refused("plugin", "run", "shared")
    place.refused("plugin", "doctor", code=1)


def check_new_allow_deny_revoke(place):
    name = place.plugin("one", permissions={"network": ["api.example.org"]})
    assert "is new" in place.refused("plugin", "run", name)
    assert "review " + name in place.refused("plugin", "run", name)
    assert place.refused("plugin", "allow", name)  # the word was not typed
    assert not place.approvals_file.exists()
    shown = place.run("plugin", "allow", name, "--yes")
    assert shown.returncode == 0 and "api.example.org" in shown.stderr.decode(), shown
    row = place.approvals()["approved"][name]
    assert row["version"] == "1.0.0" and row["permissions_hash"].startswith("sha256:") and row["tools"] == {}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["approved_at"])
    assert place.approvals_file.stat().st_mode & 0o777 == 0o600
    place.fine("plugin", "run", name)
    place.fine("plugin", "deny", name)
    assert set(place.approvals()["denied"][name]) == {"denied_at"} and place.approvals()["approved"] == {}
    assert "was denied" in place.refused("plugin", "run", name)
    place.rewrite("one", version="2.0.0", permissions={})
    (place.plugins / "one").rename(place.plugins / "renamed")
    assert "was denied" in place.refused("plugin", "run", name)
    place.fine("plugin", "revoke", name)
    assert place.states() == {name: "new"}
    assert "neither allowed nor denied" in place.fine("plugin", "revoke", name)


def check_growth_asks_shrinkage_does_not(place):
    name = place.plugin("one", permissions={"network": ["a.example.org", "b.example.org"], "environment": ["A", "B"]})
    place.fine("plugin", "allow", name, "--yes")
    before = place.approvals()["approved"][name]
    place.rewrite("one", permissions={"environment": ["B", "A", "A"], "network": ["B.example.ORG.", "a.example.org"]})
    assert place.states() == {name: "approved"}  # the same in another order and another spelling
    assert place.approvals()["approved"][name]["permissions_hash"] == before["permissions_hash"]
    place.rewrite("one", permissions={"network": ["a.example.org"]})
    place.fine("plugin", "run", name)
    after = place.approvals()["approved"][name]
    assert after["permissions"] == {"network": ["a.example.org"]} and after["approved_at"] == before["approved_at"]
    place.rewrite("one", permissions={"network": ["a.example.org", "b.example.org"]})
    assert "asks for more" in place.refused("plugin", "run", name)  # a removed permission needs a new approval
    place.rewrite("one", permissions={"network": ["c.example.org"], "shell": {"commands": []}})
    review = json.loads(place.fine("plugin", "review", name, "--json"))
    assert review["state"] == "changed" and review["risk"]["level"] == "high"
    assert review["change"]["added"] == ["Connect to c.example.org", "Run sh"], review["change"]
    assert review["change"]["removed"] == ["Connect to a.example.org"] and not review["change"]["code_changed"]
    shown = place.fine("plugin", "show", name)
    assert "+ Connect to c.example.org" in shown and "- Connect to a.example.org" in shown


def check_changed_code_asks(place):
    name = place.plugin("one")
    place.fine("plugin", "allow", name, "--yes")
    with open(place.plugins / "one/server.py", "a", encoding="utf-8") as file:
        file.write("# more\n")
    assert "changed code" in place.refused("plugin", "run", name)
    assert "its code changed" in place.fine("plugin", "show", name)
    place.fine("plugin", "allow", name, "--yes")
    place.plugin("one", entry="other.py", source="print(1)\n")
    assert "changed code" in place.refused("plugin", "run", name)


def check_the_file_is_not_believed_when_in_doubt(place):
    name = place.plugin("one")
    place.fine("plugin", "allow", name, "--yes")
    good = place.approvals_file.read_bytes()

    def doubted(why):
        assert why in place.refused("plugin", "run", name), why
        listed = place.run("plugin", "list")
        assert listed.returncode == 126 and why in listed.stderr.decode(), listed

    for text, why in ((good[:-20], "is damaged"), (good.replace(b"1.0.0", b"1.0.0\xff"), "is damaged"), (b"", "is damaged"),
                      (good.replace(b"sha256:", b"sha1:", 1), "is damaged")):
        place.approvals_file.write_bytes(text)
        doubted(why)
    place.approvals_file.write_bytes(good)
    place.approvals_file.chmod(0o666)
    doubted("can be written by others")
    place.approvals_file.unlink()
    (place.base / "elsewhere.json").write_bytes(good)
    os.symlink(place.base / "elsewhere.json", place.approvals_file)
    place.own()
    doubted("cannot be read")
    place.approvals_file.unlink()
    place.approvals_file.write_bytes(good[:-20])
    place.own()
    said = place.run("plugin", "allow", name, "--yes")
    assert said.returncode == 0 and "renamed aside" in said.stderr.decode(), said
    aside = [file for file in place.config.iterdir() if ".damaged-" in file.name]
    assert [file.read_bytes() for file in aside] == [good[:-20]]
    place.fine("plugin", "run", name)


def check_nothing_is_lost_when_writers_are_killed(place):
    kept = set()
    chance = random.Random(7)
    killed = 0
    began = time.monotonic()
    place.fine("plugin", "deny", "org.example.first")
    took = time.monotonic() - began
    for number in range(120):
        name = "org.example.n%d" % number
        writer = subprocess.Popen([place.pinfold, "plugin", "deny", name], env=place.env, cwd=place.home,
                                  preexec_fn=place.become, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * took)
        writer.send_signal(signal.SIGKILL)
        code = writer.wait()
        if code == 0:
            kept.add(name)
        else:
            killed += 1
        if place.approvals_file.exists():
            stored = set(place.approvals()["denied"])  # whole, or this fails
            assert kept <= stored, kept - stored
            kept = stored
    assert killed > 10, killed
    place.fine("plugin", "deny", "org.example.last")
    assert kept | {"org.example.last"} == set(place.approvals()["denied"])


def check_writers_at_once_lose_nothing(place):
    names = ["org.example.n%d" % number for number in range(16)]
    writers = [subprocess.Popen([place.pinfold, "plugin", "deny", name], env=place.env, cwd=place.home,
                                preexec_fn=place.become, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
               for name in names]
    for writer in writers:
        _, said = writer.communicate(timeout=300)
        assert writer.returncode == 0, said
    assert set(place.approvals()["denied"]) == set(names)


def check_a_full_disk_keeps_the_old_file(place):
    name = place.plugin("one")
    place.fine("plugin", "allow", name, "--yes")
    stored = place.approvals_file.read_bytes()
    ran = place.bare("/bin/sh", "-c", "ulimit -f 0; exec \"$0\" plugin deny org.example.other", place.pinfold)
    assert ran.returncode != 0 and place.approvals_file.read_bytes() == stored, ran
    if os.geteuid() != 0:
        return  # a disk of one's own takes root to mount
    small = place.base / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "small", str(small)], check=True)
    try:
        (small / "pinfold").mkdir(mode=0o700)
        place.own()
        env = {"XDG_CONFIG_HOME": str(small)}
        place.fine("plugin", "deny", "org.example.first", env=env)
        before = (small / "pinfold/plugin-approvals.json").read_bytes()
        with open(small / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(b"x" * 512)
            except OSError:
                pass
        failed = [place.run("plugin", "deny", "org.example.n%d" % number, env=env).returncode for number in range(3)]
        assert all(failed), failed
        assert (small / "pinfold/plugin-approvals.json").read_bytes() == before
        (small / "filler").unlink()
        place.fine("plugin", "deny", "org.example.again", env=env)
        assert set(json.loads((small / "pinfold/plugin-approvals.json").read_text())["denied"]) == \
            {"org.example.first", "org.example.again"}
        assert set(os.listdir(small / "pinfold")) == {"plugin-approvals.json", ".plugin-approvals.lock"}, "something is left"
    finally:
        subprocess.run(["umount", str(small)], check=True)


def check_manifests_that_try_something(place):
    """Keys twice, deep nesting, an entry outside, a denied plugin under another name: none of them runs."""
    def manifest(text):
        folder = place.plugins / "odd"
        folder.mkdir(exist_ok=True)
        (folder / "main.py").write_text("print('ran')")
        (folder / "pinfold.plugin.json").write_text(text)
        place.own()
        [row] = json.loads(place.fine("plugin", "list", "--json"))
        return row["state"], row["why"]

    whole = '{"id": "org.example.odd", "name": "Odd", "version": "1", "runtime": "python", "entry": "main.py"%s}'
    assert manifest(whole % "") == ("new", "")
    for more, why in ((', "permissions": {}, "permissions": {"shell": {"commands": []}}', "is set twice"),
                      (', "permissions": {"network": ["a.example"], "network": []}', "is set twice"),
                      (', "permissions": {"Network": ["a.example"]}', "has no key"), (', "permission": {}', "there is no key"),
                      (', "x": ' + "[" * 5000 + "]" * 5000, ""), (', "entry": "../other/main.py"', ""),
                      (', "args": ["a\\u0000b"]', "")):
        state, said = manifest(whole % more)
        assert state == "broken" and why in said, (more[:60], said)
    for entry, why in (("../x.py", "leads out"), ("/etc/passwd", ""), ("a/../../x", ""), ("", ""), (".", "")):
        state, said = manifest((whole % "").replace("main.py", entry))
        assert state == "broken" and why in said, (entry, said)
    manifest(whole % "")
    place.fine("plugin", "deny", "org.example.odd")
    (place.plugins / "odd").rename(place.plugins / "even")
    assert "was denied" in place.refused("plugin", "run", "org.example.odd")


def check_files_are_not_read_again_but_no_change_is_missed(place):
    name = place.plugin("big", entry="main.py", source="print(open('data').read(3))\n")
    data = place.plugins / "big/data"
    data.write_text("old" + "x" * (2 << 20))
    place.own()
    place.fine("plugin", "allow", name, "--yes")
    remembered = place.home / ".local/state/pinfold/plugins" / name / "files"
    end = time.monotonic() + 60
    while not remembered.exists():  # files have to rest a moment first
        assert time.monotonic() < end and place.fine("plugin", "run", name) == "old\n"
        time.sleep(0.5)
    assert place.fine("plugin", "run", name) == "old\n"
    was = data.stat()
    with open(data, "r+", encoding="ascii") as file:
        file.write("new")
    os.utime(data, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert data.stat().st_size == was.st_size and data.stat().st_mtime_ns == was.st_mtime_ns
    assert "changed code" in place.refused("plugin", "run", name)


def check_the_prompt_wants_the_word(place):
    name = place.plugin("jira", name="Jira Connector", author="@devtools-community", permissions={
        "network": ["*.atlassian.net"], "environment": ["JIRA_API_TOKEN"], "clipboard": True})
    question = r"anything else leaves it undecided: "
    for typed, code, state in (("y\n", 126, "new"), ("\n", 126, "new"), ("Allow\n", 126, "new"), ("deny\n", 0, "denied"),
                               ("allow\n", 0, "approved")):
        one = place.terminal("plugin", "review", name)
        one.wait_for(question)
        assert place.answered(one, typed) == code, (typed, one.text)
        assert place.states() == {name: state}, typed
    one = place.terminal("plugin", "show", name)
    assert one.end() == 0
    for text in ("Jira Connector", "by @devtools-community · v1.0.0", "NETWORK", "Connect to: *.atlassian.net", "⚠ MEDIUM",
                 "SECRETS", "Read environment variable: JIRA_API_TOKEN", "CLIPBOARD", "○ LOW", "⛔ HIGH", "5 points",
                 "access the network, read a secret and read and change your clipboard", "secret + network", "It cannot",
                 "start any other program", "server.py", "sha256:"):
        assert text in one.text, (text, one.text)


def check_keys_typed_too_soon_are_no_answer(place):
    name = place.plugin("one")
    begin = place.home / "begin"
    wait = "while [ ! -e '%s' ]; do sleep 0.05; done; exec '%s' plugin allow %s" % (begin, place.pinfold, name)
    one = place.terminal("-c", wait, program="/bin/sh")
    one.send("allow\n")
    one.wait_for("allow")  # the terminal has them
    begin.write_text("")
    one.wait_for("leaves it undecided: ")
    assert place.answered(one, "no\n") == 126, one.text
    assert place.states() == {name: "new"}


def check_text_of_a_plugin_cannot_draw(place):
    name = place.plugin("evil", name="Good\u202eEvil", description="\u200bsafe \U000e0041<b>", author="a\u2066b")
    shown = place.fine("plugin", "show", name)
    for character in "\u202e\u200b\U000e0041\u2066\x1b":
        assert character not in shown
    for text in ("Good\\u{202e}Evil", "name: U+202E", "description: U+200B", "description: U+E0041", "author: U+2066"):
        assert text in shown, (text, shown)
    assert json.loads(place.fine("plugin", "show", name, "--json"))["flagged"]
    place.plugin("esc", name="x\x1b[2Jy")
    assert "control character" in place.fine("plugin", "list").replace("\n", " ")


def check_another_directory(place):
    place.plugin("one")
    other = place.base / "other"
    other.mkdir()
    (place.plugins / "one").rename(other / "one")
    assert place.states() == {}
    place.fine("plugin", "allow", "org.example.one", "--yes", "--plugins", other)
    place.fine("plugin", "run", "org.example.one", "--plugins", other)
    place.refused("plugin", "list", "--plugins", place.base / "missing", code=125)
    config = place.base / "xdg"
    (config / "pinfold").mkdir(parents=True)
    (config / "pinfold").chmod(0o700)
    (other / "one").rename(place.plugins / "one")
    place.plugins.rename(config / "pinfold/plugins")
    place.own()
    env = {"XDG_CONFIG_HOME": str(config)}
    assert "new" in place.fine("plugin", "list", env=env)
    place.fine("plugin", "allow", "org.example.one", "--yes", env=env)
    assert (config / "pinfold/plugin-approvals.json").exists()
