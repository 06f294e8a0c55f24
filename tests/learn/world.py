"""world.py: a home with a workspace, things beside it that programs need, and files that no profile should grant.

Invariant: everything lies below one new directory, which is removed; everything in it belongs to the user of the test.
"""
import os
import shutil
import subprocess
import tempfile

USER_ID = 12345
CANARY = "canary-7391-do-not-tell"
# Below the home: never granted by a learned profile.
SECRETS = (".ssh/id_ed25519", ".ssh/config", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", "other/.env", "other/credentials.json",
           ".local/share/keyrings/login.keyring", ".bash_history")
PRIVATE = "private/diary"  # no secret by its name, and nothing that any case needs


class World:
    def __init__(self, who):
        self.who = who
        self.base = tempfile.mkdtemp(prefix="pinfold-learn-", dir="/var/tmp")
        os.chmod(self.base, 0o755)
        self.home, self.workspace = self.base + "/home", self.base + "/home/ws"
        os.makedirs(self.workspace)
        for name in SECRETS + (PRIVATE,):
            self.file("~/" + name, CANARY + "\n")
        self.own()

    def path(self, name):
        return self.home + name[1:] if name.startswith("~/") else os.path.join(self.workspace, name)

    def file(self, name, text="", mode=0o644):
        path = self.path(name) if isinstance(name, str) else name
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        os.chmod(path, mode)
        return path

    def own(self):
        if os.geteuid() != 0 or self.who == "root":
            return
        for at, directories, files in os.walk(os.fsencode(self.home)):
            for name in [b"."] + directories + files:
                os.chown(os.path.join(at, name), USER_ID, USER_ID, follow_symlinks=False)

    def argv(self, command):
        if os.geteuid() != 0 or self.who == "root":
            return command
        return ["setpriv", "--reuid", str(USER_ID), "--regid", str(USER_ID), "--clear-groups", "--inh-caps=-all"] + command

    def environment(self):
        return {"HOME": self.home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}

    def go(self, command, patience=900):
        """Runs it as the user of the test, in the workspace."""
        return subprocess.run(self.argv(command), cwd=self.workspace, env=self.environment(), timeout=patience, check=False,
                              capture_output=True, stdin=subprocess.DEVNULL)

    def remove(self):
        shutil.rmtree(os.fsencode(self.base))
