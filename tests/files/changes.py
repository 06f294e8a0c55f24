"""changes.py: reading, writing, editing and searching allowed files.

Invariant: a file is always the old one or the new one, whole; other attributes do not change.
Not here: ways out (cases.py).
"""
import base64
import json
import os
import random
import signal
import stat
import subprocess
import time


def check_reading_lines(w):
    w.put("f", "".join("line %d\n" % i for i in range(1, 3001)))
    ran = w.files("read", "f").is_(0, "lines 1 to 2000", "--offset 2001")
    assert ran.out.count("\n") == 2000
    assert w.files("read", "--offset", "2999", "f").ok().out == "line 2999\nline 3000\n"
    assert w.files("read", "-n", "--offset", "10", "--limit", "2", "f").ok().out == "    10\tline 10\n    11\tline 11\n"
    assert w.files("read", "--max-bytes", "9", "f").is_(0, "cut").out == "line 1\nli"
    answer = w.files("read", "--json", "--offset", "3000", "f").ok().json()
    assert answer["text"] == "line 3000\n" and answer["more"] is False and answer["line_ends"] == "lf", answer
    assert w.files("read", "--offset", "9999", "f").ok().out == ""
    w.put("empty")
    assert w.files("read", "empty").ok().out == ""


def check_binary_huge_and_other_text(w):
    w.put("bin", bytes(range(256)))
    ran = w.files("read", "bin").is_(0, "binary file of 256 bytes", "--base64")
    assert ran.out == ""
    assert base64.b64decode(w.files("read", "--base64", "bin").ok().out) == bytes(range(256))
    assert w.files("read", "--json", "bin").ok().json()["content"] == "binary"
    w.files("edit", "bin", "--old", "A", "--new", "B").is_(126, "binary")
    w.files("write", "--base64", "bin2", stdin=base64.b64encode(b"\0\1\2")).ok()
    assert (w.ws / "bin2").read_bytes() == b"\0\1\2"
    w.put("latin", b"caf\xe9\n")
    assert w.files("read", "latin").ok().raw == b"caf\xe9\n"
    answer = w.files("read", "--json", "latin").ok().json()
    assert answer["content"] == "other" and base64.b64decode(answer["text_base64"]) == b"caf\xe9\n", answer
    w.files("edit", "latin", "--old", "caf", "--new", "CAF").ok()
    assert (w.ws / "latin").read_bytes() == b"CAF\xe9\n"
    w.put("huge", "first\nsecond\n")
    os.truncate(w.ws / "huge", 10 << 30)
    began = time.monotonic()
    assert w.files("read", "--limit", "1", "huge").is_(0).raw in (b"first\n", b"")
    w.files("edit", "huge", "--old", "first", "--new", "x").is_(126)
    assert time.monotonic() - began < 60
    with open(w.ws / "long", "wb") as out:
        out.write(b"a" * (8 << 20) + b"needle" + b"b" * (1 << 20))
    w.own()
    assert w.files("search", "-l", "needle", "long").ok().out == "long\n"
    assert w.files("read", "long").is_(0, "cut").raw == b"a" * (256 << 10)


def check_writing(w):
    w.files("write", "new", stdin="one\n").is_(0, "created")
    assert (w.ws / "new").read_text() == "one\n"
    w.files("write", "new", stdin="two\n").is_(0, "replaced")
    w.files("write", "--create-only", "new", stdin="x").is_(125, "exists already")
    assert (w.ws / "new").read_text() == "two\n"
    w.files("write", "a/b/c", stdin="x").is_(127, "--parents")
    assert not (w.ws / "a").exists()
    w.files("write", "--parents", "a/b/c", stdin="deep\n").ok()
    assert (w.ws / "a/b/c").read_text() == "deep\n"
    w.files("write", "a", stdin="x").is_(125, "directory")
    diff = w.files("write", "--dry-run", "new", stdin="three\n").ok().out
    assert "-two\n+three\n" in diff and (w.ws / "new").read_text() == "two\n"
    w.files("write", "--dry-run", "--parents", "q/r", stdin="x\n").ok()
    assert not (w.ws / "q").exists()
    assert sorted(os.listdir(w.ws)) == ["a", "new"], os.listdir(w.ws)


def check_modes_owners_and_attributes_are_kept(w):
    path = w.put("run.sh", "#!/bin/sh\nold\n", 0o751)
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pass  # a file system without them
    before = os.listxattr(path)
    owner = os.stat(path).st_uid
    w.files("write", "run.sh", stdin="#!/bin/sh\nnew\n").ok()
    w.files("edit", "run.sh", "--old", "new", "--new", "newer").ok()
    now = os.stat(path)
    assert stat.S_IMODE(now.st_mode) == 0o751 and now.st_uid == owner, oct(now.st_mode)
    assert os.listxattr(path) == before
    if w.user == "root":
        os.chown(path, 12345, 12346)
        w.files("edit", "run.sh", "--old", "newer", "--new", "new").ok()
        assert (os.stat(path).st_uid, os.stat(path).st_gid) == (12345, 12346)
        path.chmod(0o4755)
        w.files("write", "run.sh", stdin="x").ok()
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o755
    else:
        path.chmod(0o444)
        w.files("write", "run.sh", stdin="x").is_(125, "may not be written")


def check_line_ends_are_kept(w):
    w.put("dos", b"a\r\nb\r\nc\r\n")
    w.files("edit", "dos", "--old", "a\nb\n", "--new", "x\ny\nz\n").ok()
    assert (w.ws / "dos").read_bytes() == b"x\r\ny\r\nz\r\nc\r\n"
    w.files("write", "dos", stdin="1\n2\n").is_(0, "CRLF")
    assert (w.ws / "dos").read_bytes() == b"1\r\n2\r\n"
    w.put("mark", b"\xef\xbb\xbfa\r\nb")
    w.files("edit", "mark", "--old", "a", "--new", "A").ok()
    assert (w.ws / "mark").read_bytes() == b"\xef\xbb\xbfA\r\nb"


def check_editing(w):
    w.put("f", "".join("line %d\n" % i for i in range(1, 21)))
    ran = w.files("edit", "f", "--old", "line 7\n", "--new", "seven\n").ok()
    assert ran.out == ("--- a/f\n+++ b/f\n@@ -4,7 +4,7 @@\n line 4\n line 5\n line 6\n-line 7\n+seven\n line 8\n line 9\n line 10\n"), ran.out
    w.files("edit", "f", "--old", "line 1", "--new", "x").is_(125, "times", "--all")
    w.files("edit", "f", "--old", "nowhere", "--new", "x").is_(127, "not in the file")
    w.files("edit", "f", "--old", "line 2\n  line 3", "--new", "x").is_(127, "other blanks")
    w.files("edit", "f", "--old", "line", "--new", "--row", "--all").ok()
    assert (w.ws / "f").read_text().count("--row") == 19
    before = (w.ws / "f").read_text()
    w.files("edit", "--dry-run", "f", "--old", "seven", "--new", "7").ok()
    assert (w.ws / "f").read_text() == before
    many = [{"old": "seven", "new": "7"}, {"old": "--row 8\n", "new": ""}]
    answer = w.files("edit", "--json", "f", stdin=json.dumps(many)).ok().json()
    assert answer["replaced"] == 2 and "-seven\n" in answer["diff"], answer
    before = (w.ws / "f").read_text()
    w.files("edit", "f", stdin=json.dumps([{"old": "7", "new": "x", "all": True}, {"old": "missing", "new": ""}])).is_(127, "edit 2")
    assert (w.ws / "f").read_text() == before
    w.files("edit", "f", stdin="no json").is_(125, "not JSON")
    w.files("edit", "f", stdin='{"old": "a", "knew": "b"}').is_(125, "knew")
    # The output is a patch.
    w.put("p", "a\nb\nc")
    old = (w.ws / "p").read_bytes()
    diff = w.files("edit", "p", "--old", "c", "--new", "d\ne").ok().raw
    new = (w.ws / "p").read_bytes()
    (w.ws / "p").write_bytes(old)
    done = subprocess.run(["git", "apply", "-"], input=diff, cwd=w.ws, capture_output=True, check=False)
    assert done.returncode == 0 and (w.ws / "p").read_bytes() == new, done.stderr


def check_edits_at_once(w):
    """Twelve programs, each with its own counter in one file: none of their edits is lost."""
    w.put("f", "".join("n%d=0\n" % i for i in range(12)))
    script = 'for v in 0 1 2 3 4 5 6 7; do "$0" files edit f --old "n$1=$v" --new "n$1=$((v + 1))" >/dev/null || exit 1; done'
    running = [subprocess.Popen(["sh", "-c", script, w.pinfold, str(i)], cwd=w.ws, env=w.env, preexec_fn=w.become) for i in range(12)]
    assert [one.wait(timeout=300) for one in running] == [0] * 12
    assert (w.ws / "f").read_text() == "".join("n%d=8\n" % i for i in range(12)), (w.ws / "f").read_text()


def check_killed_in_the_middle(w):
    """SIGKILL at random: the file is whole, the old one or the new one, and at most an unnamed remainder is left."""
    texts = [("%d\n" % i) * 400000 for i in range(2)]
    path = w.put("f", texts[0])
    chance = random.Random(1)
    kinds = set()
    for i in range(60):
        one = subprocess.Popen([w.pinfold, "files", "write", "f"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=w.ws, env=w.env,
                               preexec_fn=w.become)
        one.stdin.write(texts[(i + 1) % 2].encode())
        one.stdin.close()
        time.sleep(chance.random() * 0.02)
        one.send_signal(signal.SIGKILL)
        kinds.add(one.wait(timeout=60))
        assert path.read_text() in texts, "torn at kill %d" % i
    assert -signal.SIGKILL in kinds, kinds
    # Between the link and the rename a name can be left; it is one of Pinfold's.
    assert all(name == "f" or name.startswith(".pinfold-") for name in os.listdir(w.ws)), os.listdir(w.ws)
    w.files("write", "f", stdin="fine\n").ok()


def check_disk_full(w):
    """A file size limit stands for a full disk: the old file stays, nothing is left."""
    w.put("f", "old\n")
    ran = w.sh("sh", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$0" files write f', w.pinfold, stdin=b"x" * 100000)
    assert ran.code == 125 and "File too large" in ran.err, (ran.code, ran.err)
    assert (w.ws / "f").read_text() == "old\n" and os.listdir(w.ws) == ["f"], os.listdir(w.ws)


def check_searching(w):
    w.put("a.c", "int foo;\nint bar;\n  foo();\nend\n")
    w.put("b.h", "FOO\nfoobar\n")
    w.put("sub/c.c", "a\nb\nc foo\nd\ne\n")
    assert w.files("search", "foo").ok().out == "a.c:1:int foo;\na.c:3:  foo();\nb.h:2:foobar\nsub/c.c:3:c foo\n"
    assert w.files("search", "-w", "foo").ok().out == "a.c:1:int foo;\na.c:3:  foo();\nsub/c.c:3:c foo\n"
    assert w.files("search", "-i", "-l", "foo").ok().out == "a.c\nb.h\nsub/c.c\n"
    assert w.files("search", "--count", "foo").ok().out == "a.c:2\nb.h:1\nsub/c.c:1\n"
    assert w.files("search", "-F", "foo();").ok().out == "a.c:3:  foo();\n"
    assert w.files("search", "-g", "*.c", "-l", "foo").ok().out == "a.c\nsub/c.c\n"
    assert w.files("search", "-g", "!sub", "-l", "foo").ok().out == "a.c\nb.h\n"
    assert w.files("search", "-g", "sub/", "-l", "foo").ok().out == "sub/c.c\n"
    assert w.files("search", "-C", "1", "foo", "sub").ok().out == "sub/c.c-2-b\nsub/c.c:3:c foo\nsub/c.c-4-d\n"
    assert w.files("search", "-C", "9", "^int b", "a.c").ok().out == "a.c-1-int foo;\na.c:2:int bar;\na.c-3-  foo();\na.c-4-end\n"
    assert w.files("search", "-m", "1", "foo", "a.c").ok().out == "a.c:1:int foo;\n"
    assert w.files("search", "^(int|end)", "a.c").ok().out.count("\n") == 3
    assert w.files("search", "f[^x]*d").is_(1).out == ""
    limited = w.files("search", "--limit", "2", "foo").is_(0, "only the first 2")
    assert limited.out.count("\n") == 2
    answer = w.files("search", "--json", "o+", "a.c").ok().json()
    assert answer["files"][0]["lines"][0] == {"number": 1, "text": "int foo;", "hits": [[5, 2]]}, answer
    w.put("big", "x\n" * 700000 + "needle here\n" + "y\n" * 700000)
    assert w.files("search", "-C", "1", "needle", "big").ok().out == "big-700000-x\nbig:700001:needle here\nbig-700002-y\n"
    assert w.files("search", "(needle|nothing)", "big").ok().out == "big:700001:needle here\n"
    w.put("bin", b"foo\0")
    assert "bin" not in w.files("search", "-l", "foo").ok().out


def check_search_agrees_with_grep(w):
    """Random files and patterns, with context and limits, held against grep."""
    chance = random.Random(2)
    for i in range(40):
        w.put("d%d/f%d" % (i % 5, i), "".join("".join(chance.choice("abc ") for _ in range(chance.randrange(12))) + "\n"
                                              for _ in range(chance.randrange(60))))
    for i in range(60):
        pattern = "".join(chance.choice(["a", "b", "c", "ab", ".", "[ab]", "a*", "(b|c)", "^", "$", " "]) for _ in range(chance.randrange(1, 5)))
        flags = chance.choice([[], ["-i"], ["-m", "2"], ["-C", "2"], ["-C", "1", "-m", "1"]])
        if pattern.isalpha():
            flags = [*flags, "-w"]
        ours = w.files("search", *flags, pattern)
        theirs = w.sh("grep", "-rnHE", *flags, "--", pattern, ".")
        if pattern.strip("^$") != pattern and ("^" in pattern[1:] or "$" in pattern[:-1]):
            continue  # anchors in the middle: not the same thing to both

        def grouped(text):
            """By file; grep walks in another order, and puts its separators between files differently."""
            out = {}
            for line in text.splitlines():
                if line != "--":
                    line = line.removeprefix("./")
                    out.setdefault(line.split(":")[0].split("-")[0], []).append(line)
            return out

        assert grouped(ours.out) == grouped(theirs.out), (pattern, flags, ours.out[:300], theirs.out[:300])


def check_globbing(w):
    for name in ("a.cc", "src/b.cc", "src/deep/c.h", "src/deep/d.cc", ".hidden/e.cc", ".git/x.cc"):
        w.put(name, "x")
    assert w.files("glob", "*.cc").ok().out == ".hidden/e.cc\na.cc\nsrc/b.cc\nsrc/deep/d.cc\n"
    assert w.files("glob", "src/*.cc").ok().out == "src/b.cc\n"
    assert w.files("glob", "src/**/*.{cc,h}").ok().out == "src/b.cc\nsrc/deep/c.h\nsrc/deep/d.cc\n"
    assert w.files("glob", "**/*.h", "src").ok().out == "src/deep/c.h\n"
    assert w.files("glob", str(w.ws) + "/src/*.cc").ok().out == "src/b.cc\n"
    assert w.files("glob", "--limit", "1", "*.cc").is_(0, "only the first 1").out.count("\n") == 1
    assert w.files("glob", "*.nothing").is_(1).out == ""
    assert w.files("glob", "--json", "a.*").ok().json()["paths"] == [{"path": "a.cc"}]
    w.files("glob", "/srv/**").is_(126)
