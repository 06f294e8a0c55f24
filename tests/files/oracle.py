"""oracle.py: what git ignores, asked of git itself: random patterns, files of them at several depths, random paths.

Invariant: the paths exist, so that git sees directories as such; nothing is tracked. Not here: what the tools do with the answer.
"""
import os
import random
import subprocess

PIECES = ["a", "b", "c", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[a-c]", "[^b]", "\\a", "\\*", " ", ".", "!", "#", "[[:alpha:]]", "[]a]", "[a\\]]",
          "\\ ", "**/", "/**", "/**/", "[", "]", "-", "[b-]", "\\"]
NAMES = ["a", "b", "c", "ab", "abc", "a b", "a ", ".a", "!a", "#a", "*", "ba", "cab", "[", "a]", "-", "\\a"]


def random_lines(chance):
    lines = []
    for _ in range(chance.randrange(1, 7)):
        line = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 7)))
        lines.append(chance.choice(["", "", "", "!", "/"]) + line + chance.choice(["", "", "", "/", "  ", "\r"]))
    return "\n".join(lines) + chance.choice(["\n", ""])


def random_tree(chance, top):
    paths = []

    def fill(at, depth):
        for name in chance.sample(NAMES, chance.randrange(3, 7)):
            path = at + name
            if depth < 3 and chance.random() < 0.5:
                os.mkdir(os.path.join(top, path))
                paths.append(path + "/")
                fill(path + "/", depth + 1)
            else:
                open(os.path.join(top, path), "w").close()
                paths.append(path)
        if at and chance.random() < 0.3:
            with open(os.path.join(top, at, ".gitignore"), "w", newline="") as out:
                out.write(random_lines(chance))

    fill("", 0)
    return paths


def check_paths_that_git_ignores(w):
    chance = random.Random(int(os.environ.get("PINFOLD_SEED", "7")))
    answers = ignored = 0
    for number in range(60):
        top = str(w.ws / ("r%d" % number))
        os.mkdir(top)
        w.own(top)
        env = dict(w.env, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
        subprocess.run(["git", "init", "-q", top], check=True, env=env, preexec_fn=w.become, capture_output=True)
        paths = random_tree(chance, top)
        with open(os.path.join(top, ".git/info/exclude"), "w") as out:
            out.write(random_lines(chance))
        w.own(top)
        for _ in range(4):
            with open(os.path.join(top, ".gitignore"), "w", newline="") as out:
                out.write(random_lines(chance))
            w.own(top)
            reported = subprocess.run(["git", "check-ignore", "-z", "--stdin"], input="\0".join(path.rstrip("/") for path in paths).encode(), cwd=top, env=env,
                                  preexec_fn=w.become, capture_output=True, check=False)
            assert reported.returncode in (0, 1), reported.stderr
            theirs = set(reported.stdout.decode().split("\0"))
            ours = subprocess.run([str(w.bin / "ignore_oracle"), top], input=("\0".join(paths) + "\0").encode(), preexec_fn=w.become,
                                  capture_output=True, check=True).stdout.decode()
            assert len(ours) == len(paths), (len(ours), len(paths))
            for path, answer in zip(paths, ours):
                answers += 1
                ignored += answer == "1"
                assert (path.rstrip("/") in theirs) == (answer == "1"), (path, answer, open(os.path.join(top, ".gitignore")).read(), top)
    print("        %d answers, %d of them ignored" % (answers, ignored))
    assert ignored > answers // 20 and answers > 5000, (answers, ignored)


def check_a_million_accesses(w):
    """The stress program; its own words are printed."""
    (w.base / "home2").mkdir()
    place = w.base / "stress"
    place.mkdir()
    w.own()
    done = subprocess.run([str(w.bin / "files_stress"), str(place), os.environ.get("PINFOLD_ACCESSES", "1000000")], env=w.env, preexec_fn=w.become,
                          capture_output=True, timeout=900, check=False)
    print("        " + done.stdout.decode().splitlines()[0])
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
