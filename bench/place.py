"""place.py: where measurements are made: an ordinary user's scratch home, and the programs that this user can reach.

Invariant: what is compared is measured in turns, in one place, by one user.
Not here: what is measured (run, growth.py), the clocks (spawn_timer.cc, fs_ops.cc).
"""
import json
import os
import re
import shutil
import subprocess
import sys

USER_ID = 12345


class Place:
    """Scratch home and workspace of the ordinary user, with programs that this user can reach."""

    def __init__(self, base, pinfold):
        self.home = base / "home"
        self.workspace = self.home / "project"
        self.bin = base / "bin"
        self.workspace.mkdir(parents=True)
        self.bin.mkdir()
        here = pinfold.resolve().parent
        for name in ("pinfold", "spawn_timer", "fs_ops", "mount_floor", "net_load", "relay_driver"):
            shutil.copy2(pinfold if name == "pinfold" else here / name, self.bin / name)
            (self.bin / name).chmod(0o755)
        shutil.copy2(self.bin / "fs_ops", self.workspace / "fs_ops")  # visible inside
        self.become = []
        if os.geteuid() == 0:
            ids = ["--reuid", str(USER_ID), "--regid", str(USER_ID), "--clear-groups", "--inh-caps=-all"]
            self.become = ["setpriv", *ids]
            self.give(self.home)
        self.env = dict(PATH="/usr/local/bin:/usr/bin:/bin", HOME=str(self.home), USER="bench", LANG="C.UTF-8")

    def give(self, path):
        """Hands a path, and all below it, to the user."""
        if self.become:
            for at, directories, files in os.walk(path):
                os.chown(at, USER_ID, USER_ID)
                for name in files:
                    os.chown(os.path.join(at, name), USER_ID, USER_ID)

    def command(self, argv):
        return dict(args=[*self.become, *map(str, argv)], cwd=self.workspace, env=self.env)

    def output(self, argv):
        done = subprocess.run(**self.command(argv), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("bench: %s: exit %d\n%s" % (" ".join(map(str, argv)), done.returncode, done.stderr))
        return done.stdout

    def boxed(self, *command, flags=()):
        return [self.bin / "pinfold", "run", *flags, "--", *command]

    def times(self, rounds, commands):
        """Microseconds from start to end of each command, measured in turns; {name: {min, median, p99, mean}}."""
        argv = [self.bin / "spawn_timer", rounds]
        for number, command in enumerate(commands.values()):
            argv += ([":::"] if number else []) + command
        return dict(zip(commands, json.loads(self.output(argv))))

    def backends(self):
        """The names of those that can be used here, as `pinfold doctor` finds out."""
        done = subprocess.run(**self.command([self.bin / "pinfold", "doctor"]), capture_output=True, text=True, check=False)
        parts = re.split(r"^backend (\S+)$", done.stdout, flags=re.MULTILINE)
        return [name for name, text in zip(parts[1::2], parts[2::2]) if "cannot be used:" not in text]

    def bwrap(self, *command):
        """bubblewrap with the same view: system read-only, private /proc /dev /tmp, the project writable."""
        argv = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session"]
        for path in ("/usr", "/etc", "/sys"):
            argv += ["--ro-bind", path, path]
        for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
            if os.path.islink("/" + name):
                argv += ["--symlink", os.readlink("/" + name), "/" + name]
            elif os.path.isdir("/" + name):
                argv += ["--ro-bind", "/" + name, "/" + name]
        argv += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        argv += ["--bind", self.workspace, self.workspace, "--chdir", self.workspace]
        return [*argv, "--", *command]
