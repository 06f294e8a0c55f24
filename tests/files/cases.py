"""cases.py: ways out of the scope, and rules that must hold on the place that is reached.

Invariant: each denial is first shown to be reachable bare; afterwards the host is looked at.
Not here: writing and editing that is allowed (changes.py).
"""
import os
import socket
import stat

from world import CANARY

REFUSED = 126


def refused_everywhere(w, name, *words):
    """Reading, writing and editing through this name."""
    w.files("read", name).is_(REFUSED, *words)
    w.files("write", name, stdin="overwritten\n").is_(REFUSED)
    w.files("edit", name, "--old", "canary", "--new", "x").is_(REFUSED)
    w.untouched()


def check_dots(w):
    w.put("sub/inside", "in\n")
    w.bare("../../outside/file")
    refused_everywhere(w, "../../outside/file", "no rule grants this path", "--read")
    refused_everywhere(w, "sub/../../../outside/file")
    assert w.files("read", "sub/../sub/./inside").ok().out == "in\n"


def check_absolute_paths(w):
    w.put("a", "in\n")
    refused_everywhere(w, str(w.outside / "file"))
    assert w.files("read", str(w.ws / "a")).ok().out == "in\n"
    w.files("read", "--allow-absolute", "no", str(w.ws / "a")).is_(REFUSED, "allow_absolute = false (--allow-absolute)", "--allow-absolute yes")
    w.files("read", "--profile", "strict", str(w.ws / "a")).is_(REFUSED, "preset strict")
    assert w.files("read", "--profile", "strict", "a").ok().out == "in\n"
    assert w.files("read", "--profile", "strict", "--allow-absolute", "yes", str(w.ws / "a")).ok().out == "in\n"
    w.link("u", "/etc/hostname")
    w.files("read", "--read", "/etc/hostname", "--allow-absolute", "no", "u").is_(REFUSED, "out of the directory")
    (w.ws / "pinfold.toml").write_text("allow_absolute = false\n")
    w.own()
    w.files("read", str(w.ws / "a")).is_(REFUSED, "pinfold.toml:1")


def check_paths_that_a_preset_shows_to_programs_are_not_shown(w):
    with open("/etc/passwd", encoding="utf-8") as file:
        bare = file.read()
    w.link("link", "/etc/passwd")
    for spelled in ("/etc/passwd", "../" * 30 + "etc/passwd", "link", "/proc/self/root/etc/passwd"):
        w.files("read", spelled).is_(REFUSED)
    w.files("read", "/etc/passwd").is_(REFUSED, "--read /etc/passwd")
    for spelled in ("/etc/passwd", "link"):
        assert w.files("read", "--read", "/etc/passwd", spelled).ok().out == bare


def check_symlinks_that_lead_out(w):
    w.link("file", str(w.outside / "file"))
    w.link("dir", str(w.outside))
    w.link("relative", "../../outside/file")
    w.link("chain1", "chain2")
    w.link("chain2", "chain3")
    w.link("chain3", "dir/folder/file")
    for name in ("file", "dir/file", "relative", "chain1", "dir/folder/../file"):
        w.bare(name)
        refused_everywhere(w, name)
    w.files("list", "dir").is_(REFUSED)
    w.files("list", "dir/").is_(REFUSED)
    w.files("write", "dir/new", stdin="x").is_(REFUSED)
    w.files("write", "--parents", "dir/new/er", stdin="x").is_(REFUSED)
    assert w.files("search", "canary").is_(1).out == ""
    assert w.files("glob", "**/file").ok().out == "file\n"  # the link's own name, not its target
    w.untouched()


def check_symlinks_inside_are_followed(w):
    w.put("real/f", "one\n", 0o640)
    w.link("l", "real/f")
    w.link("dangling", "real/new")
    w.link("absolute", str(w.ws / "real/f"))
    assert w.files("read", "l").ok().out == "one\n"
    assert w.files("read", "absolute").ok().out == "one\n"
    w.files("write", "l", stdin="two\n").ok()
    assert os.path.islink(w.ws / "l") and (w.ws / "real/f").read_text() == "two\n"
    w.files("write", "dangling", stdin="new\n").ok()
    assert os.path.islink(w.ws / "dangling") and (w.ws / "real/new").read_text() == "new\n"


def check_circles_of_symlinks(w):
    w.link("a", "b")
    w.link("b", "a")
    w.link("self", "self/x")
    for name in ("a", "self"):
        w.files("read", name).is_(REFUSED, "symlinks")


def check_magic_links(w):
    w.link("root", "/proc/self/root")
    w.link("cwd", "/proc/self/cwd/../../outside/file")
    w.link("fd", "/proc/self/fd/0")
    assert (w.ws / ("root" + str(w.outside / "file"))).read_text() == CANARY
    refused_everywhere(w, "root" + str(w.outside / "file"), "own /proc")
    w.files("read", "cwd").is_(REFUSED)
    w.files("read", "fd", stdin="x").is_(REFUSED)
    w.files("read", "/proc/self/environ").is_(REFUSED)


def check_hard_links(w):
    os.link(w.outside / "file", w.ws / "hard")
    w.bare("hard")
    refused_everywhere(w, "hard", "hard links")
    assert w.files("search", "canary").is_(1, "could not be read").out == ""
    assert w.files("read", "--read", w.ws / "hard", "hard").ok().out == CANARY


def check_pipes_sockets_and_devices(w):
    os.mkfifo(w.ws / "pipe")
    one = socket.socket(socket.AF_UNIX)
    os.chdir(w.ws)
    one.bind("sock")
    os.chdir("/")
    w.own()
    w.files("read", "pipe").is_(REFUSED, "a pipe")
    w.files("write", "pipe", stdin="x").is_(REFUSED, "a pipe")
    w.files("read", "sock").is_(REFUSED, "a socket")
    w.files("search", "x").is_(1)
    if w.user == "root":
        os.mknod(w.ws / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        w.files("read", "null").is_(REFUSED, "a device")
        w.files("write", "null", stdin="x").is_(REFUSED, "a device")
    w.files("read", ".").is_(125, "is a directory")
    one.close()


def check_read_only_roots(w):
    target = w.outside / "file"
    flags = ["--read", w.outside]
    assert w.files("read", *flags, target).ok().out == CANARY
    w.files("write", *flags, target, stdin="x").is_(REFUSED, "read-only", "--write")
    w.files("edit", *flags, target, "--old", "canary", "--new", "x").is_(REFUSED)
    w.files("write", *flags, w.outside / "new", stdin="x").is_(REFUSED)
    w.untouched()
    w.link("into", str(target))
    w.files("write", *flags, "into", stdin="x").is_(REFUSED, "read-only")
    w.untouched()
    w.put("a", "x\n")
    w.files("write", "--profile", "read-only", "a", stdin="y").is_(REFUSED, "preset read-only", 'write = ["')
    w.files("write", "--write", target, target, stdin="granted\n").ok()
    assert target.read_text() == "granted\n"


def check_protected_names(w):
    w.put(".git/config", "[core]\n")
    w.put(".git/hooks/pre-commit", "#!/bin/sh\n")
    w.link("way", ".git/hooks")
    for name in (".git/hooks/pre-commit", "./.git/../.git/hooks/pre-commit", "way/pre-commit", ".git/hooks/new", "way/new", ".git/config",
                 ".vscode/tasks.json", ".envrc", "deep/.vscode/x", ".GIT/hooks/x", ".Git/Config", ".VSCode", "pinfold.toml"):
        (w.ws / name).parent.mkdir(parents=True, exist_ok=True)
        w.own()
        assert os.access((w.ws / name).parent, os.W_OK), name
        before = (w.ws / name).read_bytes() if (w.ws / name).exists() else None
        w.files("write", "--parents", name, stdin="planted\n").is_(REFUSED, "protected name")
        now = (w.ws / name).read_bytes() if (w.ws / name).exists() else None
        assert now == before, name
    assert w.files("read", ".git/config").ok().out == "[core]\n"
    w.files("write", "--write", w.ws / ".git/config", ".git/config", stdin="mine\n").ok()
    # The offered flag works: for a new file it names the existing directory.
    w.files("write", ".git/hooks/new", stdin="x\n").is_(REFUSED, f"--write {w.ws}/.git/hooks,")
    w.files("write", "--write", w.ws / ".git/hooks", ".git/hooks/new", stdin="x\n").ok()


def check_a_refused_write_offers_writing(w):
    w.put(".env", "TOKEN=1\n")
    w.own()
    w.files("write", ".env", stdin="x\n").is_(REFUSED, f"--write {w.ws}/.env")
    w.files("write", w.home / "x", stdin="x\n").is_(REFUSED, f"--write {w.home}/x")
    w.files("read", ".env").is_(REFUSED, f"--read {w.ws}/.env")


def check_an_offset_behind_the_end_is_an_error(w):
    w.put("three", "1\n2\n3\n")
    done = w.files("read", "--offset", "9", "three").ok()
    assert done.out == "" and "fewer than 9 lines" in done.err, (done.out, done.err)


def check_private_files(w):
    w.put(".env", "TOKEN=1\n")
    w.put("sub/.ENV", "TOKEN=2\n")
    w.link("alias", ".env")
    for name in (".env", "alias", "./sub/../.env", "sub/.ENV"):
        assert "TOKEN" in (w.ws / name).read_text()
        w.files("read", name).is_(REFUSED, "**/.env (preset moderate)")
        w.files("write", name, stdin="x").is_(REFUSED)
    assert w.files("search", "TOKEN", "-g", ".env").is_(1).out == ""
    assert [one["name"] for one in w.files("list", "--json").ok().json()["entries"]] == ["alias", "sub"]
    w.files("read", "--ignored", "ask", ".env").is_(REFUSED, "nothing here can ask you")
    assert w.files("read", "--ignored", "allow", ".env").ok().out == "TOKEN=1\n"
    assert w.files("read", "--read", w.ws / ".env", ".env").ok().out == "TOKEN=1\n"
    # A rule of the user's own is not lifted.
    w.files("read", "--ignored", "allow", "--hide", "**/.env", ".env").is_(REFUSED, "--hide")


def check_ignored_files(w):
    w.put(".gitignore", "build/\n*.log\n!keep.log\n")
    w.put("build/out", "needle\n")
    w.put("a.log", "needle\n")
    w.put("keep.log", "needle\n")
    w.put("sub/.gitignore", "x\n")
    w.put("sub/x", "needle\n")
    for name, rule in (("build/out", ".gitignore:1: build/"), ("a.log", ".gitignore:2: *.log"), ("sub/x", "sub/.gitignore:1: x")):
        w.files("read", name).is_(REFUSED, "git-ignored", rule, "ignored = deny (preset moderate)", "--ignored allow")
        w.files("write", name, stdin="x").is_(REFUSED, rule)
        assert w.files("read", "--ignored", "allow", name).ok().out == "needle\n"
        assert w.files("read", "--read", w.ws / name, name).ok().out == "needle\n"
    assert w.files("search", "-l", "needle").ok().out == "keep.log\n"
    assert w.files("search", "-l", "needle", "--ignored", "allow").ok().out == "a.log\nbuild/out\nkeep.log\nsub/x\n"
    assert w.files("search", "-l", "needle", "--read", w.ws / "build/out").ok().out == "build/out\nkeep.log\n"
    assert w.files("glob", "**/*").ok().out == ".gitignore\nkeep.log\nsub/.gitignore\n"
    names = [one["name"] for one in w.files("list", "--json").ok().json()["entries"]]
    assert names == [".gitignore", "keep.log", "sub"], names
    every = {one["name"]: one["ignored"] for one in w.files("list", "--json", "--all").ok().json()["entries"]}
    assert every["build"] and every["a.log"] and not every["keep.log"], every
    w.files("list", "build").is_(REFUSED)
    (w.home / ".config/pinfold").mkdir(parents=True)
    (w.home / ".config/pinfold/config.toml").write_text('ignored = "allow"\n')
    w.own()
    w.files("read", "a.log").ok()


def check_a_project_cannot_widen(w):
    w.put(".gitignore", "secret\n")
    w.put("secret", "x\n")
    w.put("pinfold.toml", 'ignored = "allow"\n')
    w.files("read", "secret").is_(REFUSED, "ignored allow", "pinfold.toml:1")


def check_strange_names(w):
    for name in (b"new\nline", b"esc\x1b[31m", b"not-utf8-\xff", "zero\u200bwidth".encode(), "bidi\u202ename".encode(), b"x" * 255, b"-dash"):
        path = os.path.join(os.fsencode(w.ws), name)
        with open(path, "wb") as out:
            out.write(b"needle\n")
        w.own()
        assert w.files("read", "--", name).ok().out == "needle\n", name
        if name not in (b"x" * 255, b"-dash"):
            os.unlink(path)
            w.files("write", "--", name, stdin="x").is_(125, "characters")
            assert not os.path.exists(path)
            with open(path, "wb") as out:
                out.write(b"needle\n")
            w.own()
    w.files("read", "x" * 256).is_(125, "255")
    w.files("read", "/".join(["x" * 200] * 30)).is_(127)
    w.files("read", "").is_(125, "empty")
    listed = w.files("list").ok()
    assert "\x1b" not in listed.out and "\u202e" not in listed.out, listed.out
    entries = w.files("list", "--json").ok().json()["entries"]
    assert any("name_base64" in one for one in entries), entries
    assert len(entries) == 7, entries
    found = w.files("search", "--json", "needle").ok().json()
    assert found["searched"] == 7, found


def check_missing_and_wrong(w):
    w.put("f", "x\n")
    w.files("read", "missing").is_(127, "No such file")
    w.files("read", "f/x").is_(127, "Not a directory")
    w.files("read", "f/").is_(127, "Not a directory")
    w.files("read").is_(125)
    w.files("list", "f").is_(125, "no directory")
    w.files("search", "(").is_(125, "no regular expression")
    w.files("glob", "../*").is_(125)
    w.files("frobnicate").is_(125)
    answer = w.files("read", "--json", "../../outside/file").is_(REFUSED).json()
    assert answer["ok"] is False and answer["error"]["kind"] == "refused" and "--read" in answer["error"]["fix"], answer


def check_hidden_paths_do_not_tell_whether_they_exist(w):
    there = w.files("read", str(w.outside / "file")).is_(REFUSED).err
    missing = w.files("read", str(w.outside / "nope")).is_(REFUSED).err
    assert there.replace("outside/file", "X") == missing.replace("outside/nope", "X"), (there, missing)


def check_nested_rules(w):
    w.put("secret/pub/f", "shown\n")
    w.put("secret/f", "hidden\n")
    flags = ["--hide", w.ws / "secret", "--read", w.ws / "secret/pub"]
    assert w.files("read", *flags, "secret/pub/f").ok().out == "shown\n"
    w.files("read", *flags, "secret/f").is_(REFUSED)
    w.files("read", *flags, "secret/pub/../f").is_(REFUSED)
    assert w.files("read", *flags, "secret/pub/../../secret/pub/f").ok().out == "shown\n"
    assert w.files("search", *flags, "-l", "n").ok().out == "secret/pub/f\n"
    w.files("list", *flags, "secret").is_(REFUSED)
