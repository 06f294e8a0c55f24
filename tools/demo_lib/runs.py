"""runs.py: runs one command, bare or with `pinfold run`, measures it, and reports the outcome.

Invariant: a run without a sandbox is marked as such; each is bounded in time and ends with its whole process group.
Not here: the commands (attempts.py), the world it runs in (world.py).
"""
import json
import os
import pty
import select
import signal
import subprocess
import time
from dataclasses import dataclass

import plugin

LIMIT_S = 20
TICK_S = 0.08

# Stands for the user's shell: runs the command at its terminal, then reads the text that was typed during that time.
SHELL_AT_TERMINAL = '"$@"; if read -t 0; then read -r -t 1 line; printf "%s\\n" "$line"; fi'


@dataclass
class Ran:
    code: int
    output: str
    took_ms: float
    report: dict  # Pinfold's own, empty if there is none

    def last_words(self):
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else f"exit code {self.code}"

    def was_refused(self):
        return self.report.get("outcome", {}).get("kind") == "refused"

    def was_kept_back(self):
        """An answer was, whole or in part."""
        return self.code == 126 or "[redacted" in self.output

    def why_kept_back(self):
        lines = [line for line in self.output.splitlines() if "[redacted" in line or "advice refuses" in line]
        return lines[0].split("refused: ")[-1] if lines else self.last_words()

    def ran_in_a_box(self):
        return self.report.get("outcome", {}).get("kind") in ("exited", "signaled", "timed_out")


class Runner:
    def __init__(self, pinfold, world, tick, stopping):
        """Checks `stopping` (an Event) while waiting, never between starting a process and storing it."""
        self.pinfold, self.world, self.tick, self.stopping = pinfold, world, tick, stopping

    def bare(self, command, on_terminal=False):
        return self._run(command, on_terminal, report_path=None)

    def boxed(self, command, flags=(), on_terminal=False):
        report_path = self._fresh_report()
        boxed = [self.pinfold, "run", "--quiet", "--report", report_path, *flags, "--", *command]
        return self._run(boxed, on_terminal, report_path)

    def plugin_bare(self, tool):
        folder = os.path.join(self.world.config, "plugins", plugin.FOLDER)
        return self._run(["python3", os.path.join(folder, "server.py")], False, None, plugin.said_to(tool))

    def plugin_boxed(self, tool):
        """`pinfold plugin run`: the plugin on these streams, for any MCP client."""
        report_path = self._fresh_report()
        command = [self.pinfold, "plugin", "run", "--quiet", "--report", report_path, plugin.ID]
        return self._run(command, False, report_path, plugin.said_to(tool))

    def plugin_called(self, tool):
        """`pinfold plugin call`: its response, as Pinfold's own client prints it."""
        return self._run([self.pinfold, "plugin", "call", plugin.ID, tool], False, None, plugin.said_to(tool))

    def plugin_reviewed(self):
        """What the user is shown, as values; empty if nothing is."""
        ran = self._run([self.pinfold, "plugin", "review", "--json", plugin.ID], False, None)
        try:
            return json.loads(ran.output)
        except ValueError:
            return {}

    def plugin_allowed(self):
        return self._run([self.pinfold, "plugin", "allow", "--yes", plugin.ID], False, None)

    def _fresh_report(self):
        report_path = os.path.join(self.world.base, "report.json")
        if os.path.exists(report_path):
            os.unlink(report_path)
        return report_path

    def _run(self, command, on_terminal, report_path, said=None):
        master = slave = None
        if on_terminal:
            master, slave = pty.openpty()
            command = ["setsid", "--ctty", "bash", "-c", SHELL_AT_TERMINAL, "shell", *command]
        output_path = os.path.join(self.world.base, "output")
        if said is not None:
            slave = os.memfd_create("said")
            os.write(slave, said.encode())
            os.lseek(slave, 0, os.SEEK_SET)
        # A file, not a pipe: a daemon left behind would keep a pipe open.
        with open(output_path, "w+b") as output:
            began = time.monotonic()
            try:
                process = subprocess.Popen(
                    command, cwd=self.world.project, env=self.world.environment(),
                    stdin=subprocess.DEVNULL if slave is None else slave, stdout=output, stderr=subprocess.STDOUT,
                    start_new_session=not on_terminal)  # on a terminal, setsid makes the session
                code = self._wait(process, began)
            except FileNotFoundError as error:
                code = 127
                output.write(f"no {error.filename}\n".encode())
            finally:
                for end in (master, slave):
                    if end is not None:
                        os.close(end)
            took_ms = (time.monotonic() - began) * 1000
            output.seek(0)
            text = output.read(1 << 20).decode("utf-8", "replace")
        return Ran(code, text, took_ms, _read_report(report_path))

    def _wait(self, process, began):
        """Waits without polling, so that the time is exact; calls tick() while it waits."""
        handle = os.pidfd_open(process.pid)
        try:
            while not select.select([handle], [], [], TICK_S)[0]:
                self.tick()
                if self.stopping.is_set():
                    raise KeyboardInterrupt
                if time.monotonic() - began > LIMIT_S:
                    break
        finally:
            os.close(handle)
            if process.poll() is None:  # too long, or interrupted
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    process.kill()  # not yet the leader of its group
                process.wait()
        if self.stopping.is_set():
            raise KeyboardInterrupt
        return process.returncode


def _read_report(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (TypeError, OSError, ValueError):
        return {}


def pinfold_said(ran, attempt, world):
    """The rule of the denial about the world's files or a limit; if none is listed, the mechanism of the step."""
    for denial in ran.report.get("denials", []):
        # A plugin's output is a response to a client, not error text.
        if isinstance(attempt, plugin.Reach) and denial["source"] == "inferred":
            continue
        if attempt.step == "network" and denial["operation"] == "connect":
            return denial["rule"]
        if denial["operation"] == "limit" or denial["resource"].startswith((world.base, world.host_tmp)):
            return denial["rule"].replace(" (preset moderate)", "")
    for row in ran.report.get("coverage", []):
        if row["step"] == attempt.step:
            parts = row["mechanism"].split("; ")
            return next((part for part in parts if attempt.mechanism_part in part), parts[0])
    return ""
