"""files.py: approval requests for paths that are not shown, while the program waits."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

QUESTION = r"wants to (\w+)"


def check_once_is_that_one_operation(world):
    one = world.sh(f"cat {world.outside}/file; cat {world.outside}/file; echo ended $?")
    assert one.wait_for(QUESTION)[1] == "read"
    one.answer("o")
    one.wait_for("outside file text")
    one.wait_for(QUESTION)  # the second time is another operation
    one.answer("d")
    one.wait_for("Permission denied.*ended 1")
    assert one.end() == 0


def check_a_session_is_asked_once(world):
    one = world.sh(f"cat {world.outside}/file; cat {world.outside}/file; stat -c %s {world.outside}/file; echo ended $?")
    one.wait_for(QUESTION)
    one.answer("s")
    one.wait_for("outside file text.*outside file text.*18.*ended 0")
    assert one.end() == 0
    assert one.text.count("wants to") == 1
    # The next run knows nothing of it.
    again = world.sh(f"cat {world.outside}/file")
    again.answer("d")
    assert again.end() == 1


def check_deny_is_eacces_and_a_structured_denial(world):
    one = world.sh(f"cat {world.outside}/file; cat {world.outside}/file", flags=("--report", "report.json"))
    one.answer("d")
    one.end()
    assert one.text.count("wants to") == 1  # a no is not asked about again
    assert one.text.count("Permission denied") == 2
    denial, = [each for each in world.report()["denials"] if each["resource"] == f"{world.outside}/file"]
    assert (denial["operation"], denial["source"], denial["count"]) == ("read", "observed", 2), denial
    assert denial["allow_with"] == f"--read {world.outside}/file", denial


def check_enter_and_escape_and_silence_mean_no(world):
    for key in ("\r", "\x1b\r", "\x04", "n"):
        one = world.sh(f"cat {world.outside}/file")
        one.answer(key)
        assert one.end() == 1 and "outside file" not in one.text, key


def check_keys_typed_before_the_request_are_no_answer(world):
    one = world.sh(f"sleep 0.5; cat {world.outside}/file")
    one.send("s\rsss\ra\rooo\r")
    one.wait_for(r"then Enter: ")
    one.send("s\r")  # at once: faster than a person can read
    one.stays_without("outside file text", 1.0)
    one.send("d\r")
    assert one.end() == 1


def check_ctrl_c_denies_and_interrupts(world):
    one = world.sh(f"cat {world.outside}/file; echo went on; sleep 1000")
    one.wait_for(r"then Enter: ")  # from here on no key is flushed, and Ctrl-C needs no silence before it
    one.send("\x03")
    assert one.end() in (1, 2, 130), one.text
    assert "outside file" not in one.text


def check_a_new_file_once(world):
    one = world.sh(f"umask 027; echo made > {world.outside}/new; echo ended $?; ls {world.outside}")
    assert one.wait_for(QUESTION)[1] == "create"
    one.answer("o")
    one.wait_for("ended 0")
    one.end()
    made = world.outside / "new"
    assert made.read_text() == "made\n" and made.stat().st_mode & 0o777 == 0o640, oct(made.stat().st_mode)
    assert "No such file" in one.text  # the directory is as hidden as before


def check_a_read_grant_gives_no_write(world):
    script = ("import os,sys; f=open(sys.argv[1]); print('read', f.read())\n"
              "for how in (os.O_WRONLY, os.O_RDWR):\n"
              "  try: os.open('/proc/self/fd/%d' % f.fileno(), how); print('WRITABLE')\n"
              "  except OSError as e: print('refused', e.errno)\n"
              "try: os.fchmod(f.fileno(), 0o777); print('CHANGED')\n"
              "except OSError as e: print('refused', e.errno)\n")
    for key in ("o", "s"):
        one = world.start("/usr/bin/python3", "-c", script, str(world.outside / "file"))
        one.wait_for(QUESTION)
        one.answer(key)
        one.wait_for("read outside file text")
        while one.process.poll() is None and "wants to" in one.text[one.seen:]:
            one.answer("d")
        # Writing it is another question: no.
        for _ in range(3):
            one.pump(0.2)
            if re.search(r"then Enter: ", one.text[one.seen:]):
                one.answer("d")
        one.end()
        assert "WRITABLE" not in one.text and "CHANGED" not in one.text, one.text
    assert (world.outside / "file").read_text() == "outside file text\n"


def check_a_granted_descriptor_opens_no_other_path(world):
    (world.outside / "folder/inner").write_text("inner\n")
    world.own()
    script = ("import os,sys; d=os.open(sys.argv[1], os.O_RDONLY|os.O_DIRECTORY); print(sorted(os.listdir(d)))\n"
              "for name in ('../file', '../other'):\n"
              "  try: os.stat(name, dir_fd=d); print('REACHED', name)\n"
              "  except OSError as e: print('refused', name)\n")
    one = world.start("/usr/bin/python3", "-c", script, str(world.outside / "folder"))
    one.wait_for(QUESTION)
    one.answer("s")
    one.wait_for("inner.*refused ../file")
    one.end()
    assert "REACHED" not in one.text, one.text


def check_a_directory_is_asked_for_and_used(world):
    place = world.outside / "folder"
    script = (f"mkdir {place}/sub && mv {place}/sub {place}/moved && printf '#!/bin/sh\\necho it runs\\n' > {place}/moved/tool && "
              f"chmod +x {place}/moved/tool && {place}/moved/tool && cd {place}/moved && echo here > relative && rm relative && "
              f"cd / && rm -r {place}/moved; echo ended $?")
    one = world.sh(script)
    assert one.wait_for(QUESTION)[1] == "create"
    one.answer("s")
    one.wait_for("it runs.*ended 0")
    assert one.end() == 0 and one.text.count("wants to") == 1, one.text
    assert not list(place.iterdir())


def check_changes_of_names_once(world):
    place = world.outside / "folder"
    one = world.sh(f"mkdir {place}/a; mv {place}/a {place}/b; rmdir {place}/b; unlink {world.outside}/other; echo ended $?")
    for operation in ("create", "rename", "delete", "delete"):
        assert one.wait_for(QUESTION)[1] == operation
        one.answer("o")
    one.wait_for("ended 0")
    one.end()
    assert not list(place.iterdir()) and not (world.outside / "other").exists()


def check_a_working_directory_that_becomes_writable(world):
    one = world.sh(f"cd {world.outside}/folder && pwd && echo x > made && mkdir sub && cat made; echo ended $?",
                   flags=("--ask", "terminal", "--read", str(world.outside)))
    one.wait_for(QUESTION)
    one.answer("s")
    one.wait_for("ended \\d")
    one.end()
    assert (world.outside / "folder/made").read_text() == "x\n"
    assert (world.outside / "folder/sub").is_dir(), one.text


def check_entering_a_hidden_directory(world):
    one = world.sh(f"cd {world.outside} && cat file; echo ended $?")
    one.wait_for(QUESTION)
    one.answer("s")
    one.wait_for("outside file text.*ended 0")
    one.end()


def check_a_program_outside_is_started(world):
    tool = world.outside / "tool"
    tool.write_text("#!/bin/sh\necho the tool runs\n")
    tool.chmod(0o755)
    world.own()
    one = world.sh(f"{tool}; echo ended $?")
    assert one.wait_for(QUESTION)[1] == "exec"
    one.answer("s")
    one.wait_for("the tool runs.*ended 0")
    one.end()


def check_hidden_names_in_a_granted_directory_stay_hidden(world):
    secret = world.outside / "project/.env"
    secret.parent.mkdir()
    secret.write_text("TOKEN=canary\n")
    (secret.parent / "plain").write_text("plain text\n")
    world.own()
    one = world.sh(f"cat {secret.parent}/plain; ls {secret.parent}; cat {secret}; echo ended $?",
                   flags=("--ask", "terminal", "--hide", str(secret)))
    # The command requests the file; `ls` requests the directory.
    for _ in range(4):
        one.pump(0.5)
    while one.process.poll() is None:
        found = one.wait_for(r"then Enter: |ended")
        if "ended" in found[0]:
            break
        text = one.text[:found.start()]
        wanted = re.findall(r"what\s+(\S+)", text)[-1]
        time.sleep(0.45)
        one.send("d\r" if wanted.endswith(".env") else "s\r")
    one.end()
    assert "plain text" in one.text and "canary" not in one.text, one.text


def check_two_questions_at_once(world):
    one = world.sh(f"cat {world.outside}/file & cat {world.outside}/other & wait; echo ended")
    one.wait_for(QUESTION)
    one.answer("o")
    one.wait_for(QUESTION)
    one.answer("o")
    one.wait_for("ended")
    one.end()
    assert "outside file text" in one.text and "another thing" in one.text


def check_equal_questions_at_once_are_one(world):
    one = world.sh(f"for i in 1 2 3 4 5; do cat {world.outside}/file & done; wait; echo ended")
    one.wait_for(QUESTION)
    one.answer("s")
    one.wait_for("ended")
    one.end()
    assert one.text.count("wants to") == 1 and one.text.count("outside file text") == 5, one.text


def check_other_processes_run_during_a_request(world):
    one = world.sh(f"(for i in $(seq 300); do date +%s%N > tick; sleep 0.1; [ -e enough ] && break; done) & cat {world.outside}/file; wait")
    one.wait_for(QUESTION)
    tick = world.workspace / "tick"
    end = time.monotonic() + 60
    seen = set()
    while len(seen - {""}) < 2:
        assert time.monotonic() < end, "waited 60 s for the other process to go on: %s" % seen
        seen.add(tick.read_text() if tick.exists() else "")
        time.sleep(0.02)
    one.answer("o")
    (world.workspace / "enough").touch()
    one.end()


def check_an_answer_after_the_asker_died(world):
    one = world.sh(f"cat {world.outside}/file & sleep 1; kill -9 $!; wait; echo went on; cat {world.outside}/other; echo ended")
    one.wait_for(QUESTION)
    one.wait_for("withdrawn")
    one.wait_for("went on")
    one.wait_for(QUESTION)  # not decided by the keys for the first
    one.answer("d")
    one.wait_for("ended")
    one.end()
    assert "outside file" not in one.text


def check_a_flood_is_cut_off(world):
    for i in range(100):
        (world.outside / f"f{i}").write_text("x")
    world.own()
    script = ("import threading,os,sys\n"
              "def t(i):\n  try: open(sys.argv[1]+'/f%d'%i)\n  except OSError as e: pass\n"
              "a=[threading.Thread(target=t,args=(i,)) for i in range(100)]\n"
              "[x.start() for x in a]; [x.join() for x in a]; print('ended')")
    one = world.start("/usr/bin/python3", "-c", script, str(world.outside))
    for _ in range(40):
        found = one.wait_for(r"then Enter: |ended\s")
        if "ended" in found[0]:
            break
        time.sleep(0.4)
        one.send("d\r")
    one.end()
    assert one.text.count("wants to") <= 31, one.text.count("wants to")
    assert "there were too many" in one.text, one.text[-500:]


def check_without_the_page_the_report_says_so(world):
    """pinfold-web is a program of its own, and may be missing beside pinfold."""
    alone = world.base / "alone"
    alone.mkdir()
    shutil.copy(world.pinfold, alone / "pinfold")
    world.own()
    ran = world.quietly(alone / "pinfold", "run", "--ask", "web", "--report", "report.json", "--", "cat", world.outside / "file")
    reported = ran.stderr.decode()
    assert ran.returncode == 1 and ran.stdout == b"" and "too many" not in reported, reported
    assert "pinfold-web is not installed" in reported and "--ask terminal" in reported, reported
    assert [note for note in world.report()["notes"] if note.startswith("1 approval request was denied without asking: pinfold-web is not installed")], reported
    reported = world.quietly(alone / "pinfold", "web").stderr.decode()
    assert "pinfold-web is not installed" in reported, reported


def check_hostile_names_are_shown_escaped(world):
    name = world.outside / "a\x1b[2J\u202e\nb [a] always"
    name.write_text("hostile\n")
    world.own()
    one = world.start("cat", str(name))
    one.wait_for(r"then Enter: ")
    assert "\x1b[2J" not in one.text and "\u202e" not in one.text, one.text
    time.sleep(0.45)
    one.send("o\r")
    one.wait_for("hostile")
    one.end()


def check_a_target_replaced_while_asking(world):
    secret = world.outside / "secret"
    secret.write_text("the canary\n")
    world.own()
    changes = {
        "a link": lambda path: (path.unlink(), os.symlink(secret, path)),
        "another file": lambda path: (path.rename(path.with_name("aside")), path.write_text("the canary\n")),
    }
    for what, change in changes.items():
        path = world.outside / "target"
        for old in (path, path.with_name("aside")):
            if old.is_symlink() or old.exists():
                old.unlink()
        path.write_text("harmless\n")
        world.own()
        one = world.start("cat", str(path))
        one.wait_for(QUESTION)
        change(path)
        one.answer("o")
        assert one.end() == 1, one.text
        assert "canary" not in one.text and "changed after you were asked" in one.text, (what, one.text)


def check_a_directory_on_the_way_swapped_while_asking(world):
    (world.outside / "elsewhere").mkdir()
    (world.outside / "elsewhere/file").write_text("the canary\n")
    (world.outside / "folder/file").write_text("harmless\n")
    world.own()
    one = world.start("cat", str(world.outside / "folder/file"))
    one.wait_for(QUESTION)
    (world.outside / "folder").rename(world.outside / "aside")
    os.symlink(world.outside / "elsewhere", world.outside / "folder")
    one.answer("o")
    one.end()
    assert "canary" not in one.text, one.text


def check_asking_needs_a_terminal(world):
    done = world.quietly(world.pinfold, "run", "--ask", "terminal", "--", "cat", world.outside / "file")
    assert done.returncode == 1 and b"no terminal" in done.stderr, done
    done = world.quietly(world.pinfold, "run", "--", "cat", world.outside / "file")
    assert done.returncode == 1 and b"wants to" not in done.stderr, done


def check_a_shell_asks_by_itself(world):
    one = world.start(flags=("--shell", "/bin/sh"), command="shell")
    one.wait_for(r"\(pinfold\)")
    one.send(f"cat {world.outside}/file\n")
    one.wait_for(QUESTION)
    one.answer("s")
    one.wait_for("outside file text")
    one.send("echo done $((40+2)); exit\n")
    one.wait_for("done 42")
    assert one.end() == 0


def check_a_granted_file_opens_at_once(world):
    """Within ten milliseconds of the answer, the median of several; a slow machine is reported, not failed."""
    script = ("import sys,time\n"
              "for name in sys.argv[1:]:\n  open(name).read(); print('opened', time.clock_gettime_ns(time.CLOCK_MONOTONIC), flush=True)\n")
    names = []
    for i in range(7):
        names.append(str(world.outside / f"t{i}"))
        (world.outside / f"t{i}").write_text("x")
    world.own()
    one = world.start("/usr/bin/python3", "-c", script, *names)
    times = []
    for _ in names:
        one.wait_for(r"then Enter: ")
        time.sleep(0.45)
        answered = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        one.send("s\r")
        times.append((int(one.wait_for(r"opened (\d+)")[1]) - answered) / 1e6)
    one.end()
    print("        from the answer to the open file: " + " ".join("%.1f" % each for each in times) + " ms")
    assert sorted(times)[len(times) // 2] < 1000


def check_the_journal_has_questions_and_answers(world):
    one = world.sh(f"cat {world.outside}/file")
    one.answer("o")
    one.end()
    done = world.quietly(world.pinfold, "log", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    asked = [each for each in lines if each.get("kind") == "question" or "question" in each]
    assert asked and any("once" in json.dumps(each) for each in lines), done.stdout


def check_other_backends_offer_to_run_again(world):
    doctor = world.quietly(world.pinfold, "doctor").stdout.decode()
    for backend in ("bubblewrap", "landlock"):
        section = doctor.split(f"backend {backend}")[1].split("\n\n")[0] if f"backend {backend}" in doctor else "cannot be used"
        if "cannot be used" in section:
            continue
        one = world.sh(f"cat {world.outside}/file; echo x > {world.outside}/folder/y",
                       flags=("--ask", "terminal", "--backend", backend, "--on-unavailable", "warn"))
        one.wait_for("run again")
        for _ in range(2):
            one.answer("s")
        one.wait_for("outside file text")
        assert one.end() == 0, one.text
        assert (world.outside / "folder/y").read_text() == "x\n"
        (world.outside / "folder/y").unlink()


def check_always_holds_for_the_next_run(world):
    one = world.sh(f"cat {world.outside}/file")
    one.answer("a")
    one.wait_for("outside file text")
    assert one.end() == 0
    again = world.quietly(world.pinfold, "run", "--", "cat", world.outside / "file")
    assert again.returncode == 0 and again.stdout == b"outside file text\n", again
    listed = world.quietly(world.pinfold, "grants", "list").stdout.decode()
    assert f"{world.outside}/file" in listed, listed
    # There is no such grant in another project.
    other = world.home / "elsewhere"
    other.mkdir()
    world.own()
    done = world.quietly("sh", "-c", f"cd {other} && {world.pinfold} run -- cat {world.outside}/file")
    assert done.returncode == 1, done
    number = re.search(r"^(\d+)", listed, re.M)[1]
    assert world.quietly(world.pinfold, "grants", "revoke", number).returncode == 0
    done = world.quietly(world.pinfold, "run", "--", "cat", world.outside / "file")
    assert done.returncode == 1 and b"outside file" not in done.stdout, done


def check_a_home_below_a_private_directory(world):
    """Shown and granted paths below it are mounted in the run's own file system."""
    for where in ("/tmp", "/var/tmp", "/dev/shm"):
        with tempfile.TemporaryDirectory(prefix="pinfold-home-", dir=where) as made:
            base = pathlib.Path(made)
            home, work, data = base / "home", base / "home/work", base / "home/data/deep"
            for path in (home, work, data):
                path.mkdir(parents=True)
            (data / "file").write_text("of the home\n")
            for path in (base, home, work, data.parent, data, data / "file"):
                if world.identity is not None:
                    os.chown(path, world.identity, world.identity)
            world.workspace, world.env["HOME"] = work, str(home)
            one = world.sh(f"cat {data}/file; mkdir {data.parent}/new && echo x > {data.parent}/new/text; echo ended $?")
            for _ in range(2):
                one.wait_for(QUESTION)
                one.answer("s")
            one.wait_for("ended 0")
            assert one.end() == 0 and "of the home" in one.text and one.text.count("wants to") == 2, one.text
            assert (data.parent / "new/text").read_text() == "x\n"
