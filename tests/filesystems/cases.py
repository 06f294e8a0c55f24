"""cases.py: the conditions on every file system. Each case gets a World (run) and raises AssertionError with the reason.

Invariant: each denied attempt works bare first; each case compares the host afterwards.
"""
import os
import shutil

HOOK = "#!/bin/sh\ntouch {}\n"


def case_a_command_works_and_leaves_nothing_else(world):
    ran = world.boxed("mkdir -p d/e && echo text > d/e/file && ln -s e d/link && mv d/e/file d/moved && cat d/moved && rm -r d/e")
    assert ran.returncode == 0 and ran.stdout == "text\n", (ran.stdout, ran.stderr)
    assert world.names() == ["d"], world.names()
    assert sorted(os.listdir(world.workspace / "d")) == ["link", "moved"]


def case_a_path_outside_is_not_reached(world):
    canary = world.mounted.outside / "canary"
    canary.write_text("untouched\n")
    os.chmod(canary, 0o666)
    script = f"echo changed > {canary}"
    assert world.bare(script).returncode == 0 and canary.read_text() == "changed\n"
    canary.write_text("untouched\n")
    ran = world.boxed(script)
    assert ran.returncode != 0 and canary.read_text() == "untouched\n", ran.stderr


def case_protected_names_are_not_made_in_any_spelling(world):
    spellings = [".vscode", ".VSCode", ".mcp.json", ".MCP.JSON", ".envrc", ".claude"]
    for name in spellings:
        made = world.bare(f"mkdir {name}")
        assert made.returncode == 0, made.stderr
        os.rmdir(world.workspace / name)
    for name in spellings:
        world.boxed(f"mkdir {name}; touch {name}; ln -s /etc {name}; mkdir t && mv t {name}; rm -rf t")
        assert not [each for each in world.names() if each.lower() == name.lower()], (name, world.names())


def case_an_existing_repository_keeps_its_hooks(world):
    world.bare("git init -q .", check=True)
    canary = world.mounted.outside / "hook-ran"
    before = (world.workspace / ".git/config").read_bytes()
    # Mounts cannot cover every spelling there: the run must be refused, and the message must say why.
    confined = world.boxed_or_refused if world.folds_case else world.boxed
    if world.folds_case:
        ran = confined("echo ran")
        assert (ran.returncode, ran.stdout) == (125, "") and "its file system also finds it as" in ran.stderr, (ran.stdout, ran.stderr)
    for git in (".git", ".GIT", ".Git"):
        hook = world.workspace / git / "hooks/pre-commit"
        plant = f"mkdir -p {git}/hooks; printf '#!/bin/sh\\ntouch {canary}\\n' > {git}/hooks/pre-commit; chmod +x {git}/hooks/pre-commit"
        world.bare(plant, check=True)
        assert hook.exists()
        hook.unlink()
        if git != ".git" and not world.folds_case:
            shutil.rmtree(world.workspace / git)
        confined(plant)
        confined(f"printf '[core]\\n\\tfsmonitor = touch {canary}; :\\n' >> {git}/config")
    world.bare("git status; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x")
    assert not canary.exists(), "git on the host executed a hook or setting that the run planted"
    assert (world.workspace / ".git/config").read_bytes() == before
    assert not (world.workspace / ".git/hooks/pre-commit").exists()


def case_a_new_repository_is_disarmed(world):
    canary = world.mounted.outside / "hook-ran"
    plant = (f"git init -q r && printf '#!/bin/sh\\ntouch {canary}\\n' > r/.git/hooks/pre-commit && chmod +x r/.git/hooks/pre-commit"
             f" && git -C r config core.fsmonitor 'touch {canary}; :'")
    use = "git -C r status; git -C r -c user.name=a -c user.email=a@b commit -q --allow-empty -m x"
    world.bare(plant, check=True)
    world.bare(use)
    assert canary.exists(), "the bare control executed nothing"
    canary.unlink()
    shutil.rmtree(world.workspace / "r")
    ran = world.boxed(plant)
    assert ran.returncode == 0, ran.stderr
    world.bare(use)
    assert not canary.exists(), "git on the host executed what the run planted: " + ran.stderr
    assert world.bare("git -C r rev-parse --git-dir").stdout == ".git\n"


def case_a_rebase_that_runs_programs_is_disarmed(world):
    """Mounts protect the repository, but git itself has to write this file: only its time tells that the run wrote it."""
    canary = world.mounted.outside / "hook-ran"
    world.bare("git init -q . && git config user.name a && git config user.email a@b && git commit -q --allow-empty -m x", check=True)
    todo = world.workspace / ".git/rebase-merge/git-rebase-todo"
    plant = f"mkdir .git/rebase-merge && printf 'exec touch {canary}\\n' > .git/rebase-merge/git-rebase-todo"
    world.bare(plant, check=True)
    assert todo.exists()
    shutil.rmtree(todo.parent)
    ran = world.boxed_or_refused("echo ran") if world.folds_case else world.boxed(plant)
    assert not todo.exists() and (world.folds_case or "git-rebase-todo" in ran.stderr), (ran.returncode, ran.stderr)
    assert not [name for name in world.names() if name.startswith(".pinfold-clock")], world.names()


def case_a_time_out_ends_the_run(world):
    ran = world.boxed("while :; do find . >/dev/null; done", "--timeout", "500ms")
    assert ran.returncode == 124, (ran.returncode, ran.stderr)
    assert world.names() == []


def case_a_hundred_files_are_listed_and_removed(world):
    ran = world.boxed("for i in $(seq 100); do echo $i > f$i; done; ls | wc -l; rm -f f*")
    assert ran.returncode == 0 and ran.stdout == "100\n", (ran.stdout, ran.stderr)
    assert world.names() == []


def case_the_file_tools_write_whole_files(world):
    ran = world.pinfold("files", "write", "note.txt", input_text="content\n")
    assert ran.returncode == 0, ran.stderr
    assert (world.workspace / "note.txt").read_text() == "content\n" and world.names() == ["note.txt"], world.names()
