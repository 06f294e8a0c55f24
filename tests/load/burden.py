"""burden.py: an artificial load, and decoys: files and processes of another user, as on a shared machine.

Invariant: everything that is made here is removed and every process that is started here is ended, by its own id, in close(); if this
process dies first, the kernel ends them (PR_SET_PDEATHSIG), and the next start removes the files. Not here: what runs beside it (run).
"""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

OTHER = 54321  # no suite uses this user
PR_SET_PDEATHSIG = 1
PREFIX = "pinfold-load-"
PLACES = ("/home", "/srv", "/tmp", "/var/tmp")
LIBC = ctypes.CDLL(None, use_errno=True)

BUSY = ["/bin/sh", "-c", "while :; do :; done"]
FORKS = ["/bin/sh", "-c", "while :; do /bin/true; done"]
DISK = ["/bin/sh", "-c", 'while :; do dd if=/dev/zero of="$1/block" bs=64k count=256 conv=fsync 2>/dev/null; rm -f "$1/block"; done', "sh"]


class Burden:
    def __init__(self, pinfold):
        self.pinfold = pinfold
        self.processes, self.folders = [], []

    def __enter__(self):
        try:
            self.remove_left()
            self.make_load()
            if os.geteuid() == 0:
                self.make_decoys()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    @staticmethod
    def remove_left():
        """The folders of a load that was killed: their names hold the number of the process that made them."""
        for place in PLACES:
            for path in pathlib.Path(place).glob(PREFIX + "*"):
                owner = path.name[len(PREFIX):].split("-")[0]
                if owner.isdigit() and not os.path.exists("/proc/" + owner):
                    shutil.rmtree(path, ignore_errors=True)

    def folder(self, place):
        path = pathlib.Path(tempfile.mkdtemp(prefix="%s%d-" % (PREFIX, os.getpid()), dir=place))
        self.folders.append(path)
        return path

    def start(self, argv, user=None, cwd="/"):
        def prepare():
            os.setsid()  # Ctrl-C on the terminal goes to the script, which ends these
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)

        one = subprocess.Popen(argv, cwd=cwd, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}, preexec_fn=prepare,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(one)
        return one

    def make_load(self):
        for _ in range(4 * (os.cpu_count() or 1)):
            self.start(BUSY)
        self.start(FORKS)
        self.start([*DISK, str(self.folder("/var/tmp"))])

    def make_decoys(self):
        for place in PLACES:
            folder = self.folder(place)
            for name in ("closed", "closed/.ssh", "closed/project", "closed/project/.git", "open"):
                (folder / name).mkdir()
            for name in ("closed/.ssh/id_rsa", "closed/project/.envrc", "closed/project/.git/config", "open/notes.txt", "open/pinfold-0"):
                (folder / name).write_text("a decoy\n")
            for at, folders, files in os.walk(folder):
                for name in [".", *folders, *files]:
                    os.lchown(os.path.join(at, name), OTHER, OTHER)
            (folder / "closed").chmod(0o700)
            folder.chmod(0o755)
        # Processes of another user, with names that suites look for; one of them runs sandboxes, with and without limits, all the time.
        self.start(["/bin/sleep", "100000"], OTHER)
        self.start(["/bin/bash", "-c", "exec -a pinfold-janitor sleep 100000"], OTHER)
        program = self.folder("/var/tmp")
        program.chmod(0o755)
        shutil.copy(self.pinfold, program / "pinfold")
        runs = 'while :; do "$0" run --no-journal -- sleep 0.1; "$0" run --no-journal --memory 64M --processes 20 -- sleep 0.1; done'
        for user in (OTHER, None):
            self.start(["/bin/sh", "-c", runs, str(program / "pinfold")], user, cwd=str(self.folders[1] / "open") if user else "/usr")

    def close(self):
        for one in self.processes:
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGKILL)  # each leads a group of its own, with only its children in it
        for one in self.processes:
            one.wait()
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)
