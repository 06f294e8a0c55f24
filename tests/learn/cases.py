"""cases.py: real programs that need something beside their workspace, and odd names.

Each case: how its world is made, the command, and what the rules may name. The command must fail under the default profile and pass
under the learned profile.
"""
import os
import subprocess


class Case:
    def __init__(self, name, make, command, rules, *, flags=(), clean="", varies=False):
        self.name, self.make, self.command, self.rules, self.flags = name, make, command, rules, flags
        self.clean = clean    # what the command makes and would find the next time
        self.varies = varies  # its output differs each time


def make_git(world):
    world.file("~/shared/git.inc", "[user]\n  name = Ada\n  email = ada@example.org\n")
    upstream = world.path("~/upstream")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    world.file("~/upstream/readme", "hello\n")
    for words in (["init", "-q", "-b", "main"], ["add", "."],
                  ["-c", "user.name=U", "-c", "user.email=u@example.org", "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", upstream, *words], check=True, env=env, stdout=subprocess.DEVNULL)


def make_npm(world):
    world.file("package.json", '{"name": "app", "version": "1.0.0", "private": true}\n')
    world.file("~/packages/left/package.json", '{"name": "left", "version": "1.0.0", "main": "index.js"}\n')
    world.file("~/packages/left/index.js", "module.exports = (text) => '<' + text;\n")


def make_cpp(world):
    for name in "abcd":
        world.file("~/sdk/include/sdk/%s.h" % name, "inline int %s() { return 1; }\n" % name)
    world.file("~/sdk/other/unused.h", "\n")
    world.file("main.cc", "".join('#include "sdk/%s.h"\n' % name for name in "abcd") + "int main() { return a() + b() + c() + d() - 4; }\n")
    world.file("Makefile", "main: main.cc\n\tg++ -O0 -I$(HOME)/sdk/include main.cc -o main\n\t./main\n")


def make_pytest(world):
    for name in ("__init__", "one", "two", "three"):
        world.file("~/site/lib/helper/%s.py" % name, "VALUE = 7\n")
    world.file("test_it.py", "import sys, os\nsys.path.insert(0, os.path.expanduser('~/site/lib'))\n"
               "from helper import one, two, three\n\ndef test_value():\n    assert one.VALUE + two.VALUE == 14\n")


def make_links(world):
    world.file("~/v1/data/f", "x\n")
    os.symlink("v1", world.path("~/current"))


def make_odd(world):
    for name in ('a b', 'quo"te', "new\nline", "st*r [x]", "back\\slash"):
        world.file("~/odd names/%s/f" % name, "x\n")
    folder = os.fsencode(world.path("~/bytes"))
    os.makedirs(folder)
    with open(folder + b"/caf\xe9", "w", encoding="utf-8") as out:
        out.write("x\n")


def make_tool(world):
    world.file("~/tools/bin/greet", "#!/bin/sh\n. \"$HOME/tools/lib/words\"\necho \"$WORD\"\n", 0o755)
    world.file("~/tools/lib/words", "WORD=hello\n")


def make_state(world):
    world.file("~/state/app/old", "x\n")


CASES = [
    Case("git", make_git, ["sh", "-ec", "git clone -q ~/upstream copy; cd copy; echo x > x; git add x;"
                           " git -c include.path=$HOME/shared/git.inc commit -qm second; git log --oneline | wc -l"],
         ["~/shared", "~/upstream"], clean="copy"),
    Case("npm", make_npm, ["sh", "-ec", "npm install --offline --no-audit --no-fund --install-links ~/packages/left >&2;"
                           " node -e 'console.log(require(\"left\")(1))'"],
         ["~/packages"], clean="node_modules"),
    Case("make and g++", make_cpp, ["make"], ["~/sdk/include"], clean="main"),
    Case("pytest", make_pytest, ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"], ["~/site/lib"], varies=True),
    Case("a link on the way", make_links, ["sh", "-ec", "cat ~/current/data/f"], ["~/v1/data", "~/current/data"]),
    Case("a program beside the workspace", make_tool, ["sh", "-ec", "~/tools/bin/greet"], ["~/tools"]),
    Case("the command itself beside the workspace", make_tool, ["{home}/tools/bin/greet"], ["~/tools"]),
    Case("odd names", make_odd, ["sh", "-ec", "cat ~/'odd names/a b/f' ~/'odd names/quo\"te/f' ~/'odd names/new\nline/f'"
                                 " ~/'odd names/st*r [x]/f' ~/'odd names/back\\slash/f' ~/bytes/*"],
         ["~/odd names", "~/bytes"]),
    Case("writing beside the workspace", make_state, ["sh", "-ec", "echo new > ~/state/app/new; cat ~/state/app/old"],
         ["~/state/app"], flags=["--verify"]),
    Case("a workspace that may only be read", lambda world: world.file("in", "x\n"), ["sh", "-ec", "cp in out"],
         ["~/ws"], flags=["--profile", "read-only"], clean="out"),
]
