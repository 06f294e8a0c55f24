"""programs.py: ordinary work in the workspace raises no question about anything in it."""
import os
import re
import time

WORK = {
    "git": ("git init -q repo && cd repo && git config user.email a@b.c && git config user.name A && echo x > f && git add f && "
            "git commit -qm one && git checkout -qb other && echo y >> f && git commit -qam two && git --no-pager log --oneline && git --no-pager status"),
    "npm": ("mkdir -p dep app && echo '{\"name\":\"dep\",\"version\":\"1.0.0\",\"main\":\"i.js\"}' > dep/package.json && echo 'module.exports=7' > dep/i.js && "
            "cd app && echo '{\"name\":\"app\",\"version\":\"1.0.0\"}' > package.json && npm install --no-audit --no-fund --offline ../dep && node -e 'console.log(require(\"dep\"))'"),
    "pytest": "echo 'def test_one(tmp_path): (tmp_path/\"a\").write_text(\"b\"); assert 1' > test_one.py && python3 -m pytest -q test_one.py",
    "g++": "printf '#include <iostream>\\n#include \"h.h\"\\nint main(){std::cout<<V;}' > m.cc && echo '#define V 7' > h.h && g++ -g -o m m.cc && ./m",
}


def work(world, script):
    """Denies every request; returns the requests."""
    one = world.sh(script + "; echo ended $?")
    asked = []
    while True:
        found = one.wait_for(r"then Enter: |ended (\d+)", 300)
        if found[1] is not None:
            one.end()
            return int(found[1]), asked, one.text
        asked.append(re.findall(r"what\s+(\S+)", one.text[:found.start()])[-1])
        time.sleep(0.45)
        one.send("d\r")


def check_ordinary_work_is_not_asked_about(world):
    for name, script in WORK.items():
        code, asked, text = work(world, script)
        print("        %s: %d questions%s" % (name, len(asked), "".join(" " + each for each in asked)))
        assert code == 0, (name, text[-800:])
        inside = [each for each in asked if each.startswith(str(world.workspace))]
        assert not inside, (name, inside)
        for entry in list(world.workspace.iterdir()):
            os.system(f"rm -rf '{entry}'")
