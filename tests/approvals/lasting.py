"""lasting.py: session and always grants hold for hidden names, read-only rules and files that are replaced."""
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
    one = world.sh(f"sed -i s/outside/changed/ {world.outside}/file; cat {world.outside}/file; sed -i s/changed/replaced/ {world.outside}/file; echo ended $?")
    answers(one, "s", "s")
    one.wait_for("changed file text.*ended 0")
    assert one.end() == 0 and one.text.count("wants to") == 2, one.text
    assert (world.outside / "file").read_text() == "replaced file text\n"


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


def check_repositories_in_a_granted_directory_are_cleaned(world):
    """More of them than are held open: the directory is searched at the end, as if it had been granted at the start."""
    place = world.outside / "folder"
    one = world.sh(f"cd {place}; mkdir m && for i in $(seq 300); do mkdir -p m/$i/.git; done; git init -q m/last &&"
                   " git -C m/last config core.fsmonitor /bin/false; cat m/last/.git/config; echo ended $?",
                   flags=("--ask", "terminal", "--read", str(place)))
    answers(one, "s")
    one.wait_for("fsmonitor.*ended 0")
    assert one.end() == 0, one.text
    assert "fsmonitor" not in (place / "m/last/.git/config").read_text(), one.text
    assert "core.fsmonitor" in one.text, one.text


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


def check_a_run_keeps_the_policy_that_it_began_with(world):
    """A policy file that changes during a run applies to the next run: it neither widens nor ends this one."""
    settings = world.home / ".config/pinfold/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("")
    (world.outside / "folder/inner").write_text("inner text\n")
    world.own()
    for text in (f'[files]\nwrite = ["{world.outside}"]\nread = ["{world.outside}"]\n', "this is no policy ["):
        settings.write_text("")
        one = world.sh(f"cat {world.outside}/file && cat {world.outside}/folder/inner; echo x > {world.outside}/file; echo ended")
        one.wait_for(QUESTION)
        settings.write_text(text)
        one.answer("s")
        one.wait_for("outside file text")
        answers(one, "d", "d")  # both are asked about still
        one.wait_for("ended")
        one.end()
        assert "inner text" not in one.text and (world.outside / "file").read_text() == "outside file text\n", one.text


def check_the_store_exchanged_while_asking(world):
    """An always grant is stored in the directory that existed before the run."""
    store = world.home / ".config/pinfold/grants"
    store.mkdir(parents=True, mode=0o700)
    world.own()
    one = world.sh(f"cat {world.outside}/file; echo ended")
    one.wait_for(QUESTION)
    store.rename(store.with_name("aside"))
    (world.outside / "planted").mkdir()
    world.own()
    store.symlink_to(world.outside / "planted")
    one.answer("a")
    one.wait_for("outside file text.*ended")
    one.end()
    assert "was replaced by another directory during the run" in one.text, one.text
    assert not list((world.outside / "planted").iterdir()) and not list(store.with_name("aside").iterdir())
