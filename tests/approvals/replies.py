"""replies.py: a terminal that answers what the command asks it; none of that answers a question of Pinfold's.

Invariant: the terminal of these checks answers in order, after a fixed delay; it is sent the bytes that a person at it would see.
"""
import re
import time

QUERIES = {rb"\x1b\]4;1;\?\x07": b"\x1b]4;1;rgb:aaaa/aaaa/aaaa\x07", rb"\x1b\[6n": b"\x1b[12;40R",
           rb"\x1b\[c": b"\x1b[?64;1;2;6;22c", rb"\x1bP\$qm\x1b\\": b"\x1bP1$ra\ra\rm\x1b\\"}
FENCE = {rb"\x1b\[5n": b"\x1b[0n"}
ASKS = r"printf '\033]4;1;?\007'; printf '\033[6n\033[c\033P$qm\033\\'; "


class Answering:
    """Answers the queries in the output, `lag` seconds later, in order."""

    def __init__(self, terminal, lag, table):
        self.terminal, self.lag, self.table = terminal, lag, table
        self.looked, self.due = 0, []
        self.pattern = re.compile(b"|".join(b"(" + each + b")" for each in table))
        self.answers = list(table.values())

    def serve(self, seconds, until=None):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            alive = self.terminal.pump(0.02)
            shown = self.terminal.text.encode()
            for found in self.pattern.finditer(shown, self.looked):
                self.due.append((time.monotonic() + self.lag, self.answers[found.lastindex - 1]))
                self.looked = found.end()
            now, late = [], []
            for each in self.due:
                (now if each[0] <= time.monotonic() else late).append(each)
            self.due = late
            if now:
                self.terminal.send(b"".join(each[1] for each in now).decode())
            if not alive or (until and until in self.terminal.text):
                return
            # The bytes right after the request are the attack.


def attempt(world, lag, table, last, expected):
    world.env["TERM"] = "xterm"
    script = "for i in 1 2 3 4 5 6 7 8 9 10; do " + ASKS + "done; cat %s/file; echo ended $?; sleep 3" % world.outside
    one = world.sh(script)
    terminal = Answering(one, lag, table)
    terminal.serve(60, until="then Enter: ")
    assert "wants to" in one.text, one.text
    terminal.serve(lag + 5)
    assert "outside file text" not in one.text and "ended" not in one.text, one.text
    assert "not one of the letters" not in one.text, one.text
    one.send(last)
    terminal.serve(60, until="ended")
    assert expected in one.text, one.text
    one.end()
    assert str(world.outside) not in world.quietly(world.pinfold, "grants", "list").stdout.decode()


def check_replies_of_a_terminal_are_no_answer(world):
    for lag in (0.0, 0.6):
        attempt(world, lag, {**QUERIES, **FENCE}, "d\r", "ended 1")


def check_replies_after_the_time_out_are_no_answer(world):
    attempt(world, 3.0, QUERIES, "d\r", "ended 1")


def check_keys_of_a_person_at_such_a_terminal_count(world):
    attempt(world, 0.3, {**QUERIES, **FENCE}, "x\x7fo\r", "outside file text")


def check_half_a_sequence_does_not_hide_the_question(world):
    world.env["TERM"] = "xterm"
    one = world.sh(r"printf '\033]0;'; cat %s/file; echo ended $?" % world.outside)
    found = one.wait_for(r"\x1b\]0;(.*?)wants to")
    assert "\x18" in found[1] or "\x1b\\" in found[1], found[1]
    Answering(one, 0, FENCE).serve(1)
    one.send("d\r")
    one.wait_for("ended 1")


def check_a_line_that_is_no_answer_is_asked_for_again(world):
    one = world.sh(f"cat {world.outside}/file; echo ended $?")
    one.answer("yes")
    one.wait_for("not one of the letters.*then Enter: ")
    one.send("o\r")
    one.wait_for("outside file text")


def check_a_terminal_that_does_not_reply_loses_no_answer(world):
    """TERM promises replies and none comes: the first keys typed at the question count, and those at the next at once."""
    world.env["TERM"] = "xterm"
    one = world.sh(f"cat {world.outside}/file; cat {world.outside}/other; echo ended $?")
    one.answer("o")  # sooner than the reply is given up
    one.wait_for("outside file text")
    one.answer("o")
    one.wait_for("another thing")
    one.wait_for("ended 0")


def check_keys_before_the_question_are_dropped_and_said_so(world):
    # Sooner than a person can have read it; on a busy machine the keys may come later than that, and are looked at.
    for _ in range(20):
        one = world.sh(f"cat {world.outside}/file; echo ended $?")
        one.wait_for(r"then Enter: ")
        one.send("x\r")
        found = one.wait_for("keys typed before this question appeared were dropped|not one of the letters")
        one.answer("o")
        one.wait_for("outside file text")
        if "dropped" in found[0]:
            return
    raise AssertionError("keys were never too soon")
