"""lasting.py: a yes for longer than once holds, whatever kept the path away: hidden names, rules that only read, files that are replaced."""
QUESTION = r"wants to (\w+)"


def answers(one, *keys):
    for key in keys:
        one.wait_for(QUESTION)
        one.answer(key)


def check_hidden_files_are_granted_for_the_session(world):
    for name in (".env", "sub/.env", "id_rsa", "plain"):
        path = world.workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("the hidden text\n")
    world.own()
    for name in (".env", "sub/.env", "id_rsa", "plain"):
        one = world.sh(f"cat {name}; cat {world.workspace}/{name}; echo x >> {name} 2>&1 || echo kept; echo ended", flags=("--ask", "terminal", "--hide", "plain"))
        answers(one, "s")
        one.wait_for("the hidden text.*the hidden text")
        answers(one, "d")  # writing it is another question
        one.wait_for("kept.*ended")
        assert one.end() == 0, (name, one.text)
        assert (world.workspace / name).read_text() == "the hidden text\n", name


def check_hidden_files_are_granted_for_always(world):
    (world.workspace / ".env").write_text("the hidden text\n")
    world.own()
    one = world.sh("cat .env")
    answers(one, "a")
    one.wait_for("the hidden text")
    assert one.end() == 0, one.text
    again = world.quietly(world.pinfold, "run", "--", "cat", ".env")
    assert again.stdout == b"the hidden text\n", again


def check_writing_where_a_rule_only_reads(world):
    place = world.outside / "folder"
    one = world.sh(f"cd {place}; mkdir m1; mkdir m2; echo 1 > m3; mkdir {place}/m4; echo ended $?", flags=("--ask", "terminal", "--read", str(place)))
    answers(one, "s")
    one.wait_for("ended 0")
    assert one.end() == 0 and one.text.count("wants to") == 1, one.text
    assert sorted(each.name for each in place.iterdir()) == ["m1", "m2", "m3", "m4"]


def check_writing_after_reading_was_granted(world):
    one = world.sh(f"cat {world.outside}/file; echo changed > {world.outside}/file; cat {world.outside}/file; echo ended $?")
    answers(one, "s", "s")
    one.wait_for("changed.*ended 0")
    assert one.end() == 0 and one.text.count("wants to") == 2, one.text
    assert (world.outside / "file").read_text() == "changed\n"


def check_a_directory_outdoes_a_file_in_it(world):
    """sed -i: reads the file, makes another beside it, and renames that one over it."""
    one = world.sh(f"sed -i s/what/all/ {world.outside}/file; cat {world.outside}/file; sed -i s/all/much/ {world.outside}/file; echo ended $?")
    answers(one, "s", "s")
    one.wait_for("all lies outside.*ended 0")
    assert one.end() == 0 and one.text.count("wants to") == 2, one.text
    assert (world.outside / "file").read_text() == "much lies outside\n"


def check_names_below_a_granted_directory_stay_hidden(world):
    (world.outside / "secret").write_text("canary\n")
    world.own()
    secret = world.outside / "secret"
    one = world.sh(f"echo 1 > {world.outside}/new && cat {secret}; echo ended $?", flags=("--ask", "terminal", "--hide", str(secret)))
    answers(one, "s", "d")
    one.wait_for("ended 1")
    one.end()
    assert "canary" not in one.text, one.text


def check_git_config_is_replaced_when_granted(world):
    world.quietly("git", "init", "-q", str(world.workspace))
    one = world.sh("git config a.b c; git config a.b d; git config a.b; echo ended $?")
    answers(one, "s")
    one.wait_for("ended 0")
    assert one.end() == 0 and one.text.count("wants to") == 1, one.text
    assert "b = d" in (world.workspace / ".git/config").read_text()


def check_git_config_is_kept_after_a_yes_for_once(world):
    """The kernel takes the wall away with the file that it stood on: it is put up again."""
    world.quietly("git", "init", "-q", str(world.workspace))
    one = world.sh("git config a.b c; grep -c ' .*/.git/config ' /proc/self/mountinfo; echo x >> .git/config; echo ended $?")
    answers(one, "o")
    one.wait_for(r"[1-9]\d*\s")
    answers(one, "d")
    one.wait_for("ended [12]")
    one.end()
    text = (world.workspace / ".git/config").read_text()
    assert "b = c" in text and "x\n" not in text.splitlines(), text


def check_a_hidden_file_is_kept_hidden_after_it_was_replaced_once(world):
    (world.workspace / ".env").write_text("the hidden text\n")
    world.own()
    one = world.sh("echo new > next; python3 -c 'import os; os.rename(\"next\", \".env\")'; cat .env; echo ended $?")
    answers(one, "o")
    one.wait_for(QUESTION)  # reading it is another question still
    one.answer("d")
    one.wait_for("ended 1")
    one.end()
    assert (world.workspace / ".env").read_text() == "new\n", one.text


def check_a_granted_file_is_replaced(world):
    path = world.outside / "file"
    one = world.sh(f"echo one > {path}; echo two > {world.outside}/next; mv {world.outside}/next {path}; cat {path}; rm {path}; echo ended $?")
    answers(one, "s", "s")
    one.wait_for("two.*ended 0")
    assert one.end() == 0 and one.text.count("wants to") == 2, one.text
    assert not path.exists()


def check_the_log_shows_a_shell_as_it_was_typed(world):
    one = world.start(flags=("--shell", "/bin/bash"), command="shell")
    one.wait_for(r"\(pinfold\)")
    one.send("exit\n")
    assert one.end() == 0, one.text
    shown = world.quietly(world.pinfold, "log").stdout.decode()
    assert "pinfold shell (bash)" in shown and "PINFOLD_SHELL_FILES" not in shown, shown
