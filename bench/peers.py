"""peers.py: the contenders: bare, Pinfold, and the sandboxes that Debian and npm carry, each with its recommended flags for one policy.

The policy: the system read-only, the project writable, the rest of the home neither readable nor writable, a /tmp to write to, processes of its
own, no network. Invariant: a contender is measured only after a check that it confines: a canary can be read and written bare, and neither inside.
Not here: measuring (rows.py).
"""
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess

from place import USER_ID, Cannot, last_line

NPM = ("@anthropic-ai/sandbox-runtime", "@openai/codex")
SECRET = "the canary of the bench"


def install(folder):
    """What npm carries, below build/, once. Debian's are in tools/install-deps."""
    if all((folder / "node_modules" / name).exists() for name in NPM) or not shutil.which("npm"):
        return
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *NPM],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


class Contender:
    """One way to run a command. `flags` is the text for the page; `cannot` is the reason why it is left out here."""

    name = label = flags = ""
    program = None
    cannot = None
    slow = 1     # in how many rounds it has one turn, where starts alone are measured
    sessions = Cannot("starts a new sandbox for every command")
    domains = Cannot("has no rules by name")

    def __init__(self, place):
        self.place = place
        self.prepare()

    def prepare(self):
        pass

    def wrap(self, argv, workspace=None, paths=()):
        """The command in a sandbox; `paths` are shown read-only besides."""
        raise NotImplementedError

    def many(self, argv):
        """As wrap, for many at once."""
        return self.wrap(argv)

    def version(self):
        if not self.program:
            return ""
        done = self.place.run([self.program, "--version"])
        words = (done.stdout or done.stderr).strip().splitlines()[:1]
        return next((word.lstrip("v") for word in " ".join(words).split() if word.lstrip("v")[:1].isdigit()), "")


class Bare(Contender):
    name, label, flags = "bare", "bare", "`fork`, `exec`, `wait`"

    def wrap(self, argv, workspace=None, paths=()):
        return list(argv)


class Pinfold(Contender):
    name, label, flags = "pinfold", "Pinfold", "`pinfold run -- …`: the preset `moderate`"

    def prepare(self):
        self.program = self.place.bin / "pinfold"

    def version(self):
        return self.place.output([self.program, "version"]).split()[1]

    def wrap(self, argv, workspace=None, paths=()):
        flags = [word for path in paths for word in ("--read", path)]
        return self.place.boxed(*argv, flags=flags)


class Bubblewrap(Contender):
    name, label, program = "bwrap", "bubblewrap", "bwrap"
    flags = "`bwrap --unshare-all --die-with-parent --new-session --ro-bind /usr /usr --ro-bind /etc /etc --ro-bind /sys /sys --symlink … --proc /proc --dev /dev --tmpfs /tmp --bind PROJECT PROJECT`"
    MOST = 9000  # arguments that it reads

    def wrap(self, argv, workspace=None, paths=()):
        workspace = workspace or self.place.workspace
        words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session"]
        for path in ("/usr", "/etc", "/sys"):
            words += ["--ro-bind", path, path]
        for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
            if os.path.islink("/" + name):
                words += ["--symlink", os.readlink("/" + name), "/" + name]
            elif os.path.isdir("/" + name):
                words += ["--ro-bind", "/" + name, "/" + name]
        words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", workspace, workspace]
        words += [word for path in paths for word in ("--ro-bind", path, path)]
        return [*words, "--chdir", workspace, "--", *argv]


class Firejail(Contender):
    name, label, program, slow = "firejail", "firejail", "firejail", 4
    flags = "`firejail --quiet --noprofile --net=none --private-dev --private-tmp --whitelist=PROJECT --caps.drop=all --nonewprivs --noroot --nogroups --seccomp` (it is set-user-id root)"

    def wrap(self, argv, workspace=None, paths=()):
        workspace = workspace or self.place.workspace
        return ["firejail", "--quiet", "--noprofile", "--net=none", "--private-dev", "--private-tmp", "--whitelist=%s" % workspace, "--caps.drop=all",
                "--nonewprivs", "--noroot", "--nogroups", "--seccomp", *["--whitelist=%s" % path for path in paths], *argv]


class Crun(Contender):
    name, label, program = "crun", "crun", "crun"
    flags = "`crun --cgroup-manager=disabled run`, rootless: all namespaces, the same binds as bubblewrap, no capability, `noNewPrivileges`"

    def prepare(self):
        self.bundles = self.place.home / "bundles"
        self.state = self.place.home / "crun"
        for folder in (self.bundles, self.state):
            folder.mkdir()
        self.place.give(self.bundles)
        self.place.give(self.state)

    def bundle(self, argv, workspace, paths):
        argv = [str(word) for word in argv]
        shown = ["/usr", "/etc", "/sys"] + ["/" + name for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
                                            if os.path.isdir("/" + name) and not os.path.islink("/" + name)] + [str(path) for path in paths]
        read_only = ["rbind", "ro", "nosuid", "nodev"]
        mounts = [dict(destination="/proc", type="proc", source="proc"),
                  dict(destination="/dev", type="tmpfs", source="tmpfs", options=["nosuid", "strictatime", "mode=755", "size=65536k"]),
                  dict(destination="/dev/pts", type="devpts", source="devpts", options=["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"]),
                  dict(destination="/tmp", type="tmpfs", source="tmpfs", options=["nosuid", "nodev"]),
                  *[dict(destination=path, type="bind", source=path, options=read_only) for path in shown],
                  dict(destination=str(workspace), type="bind", source=str(workspace), options=["rbind", "rw", "nosuid", "nodev"])]
        user = USER_ID if self.place.become else os.getuid()
        group = USER_ID if self.place.become else os.getgid()
        config = dict(
            ociVersion="1.0.2", root=dict(path="rootfs", readonly=True), hostname="bench", mounts=mounts,
            process=dict(terminal=False, user=dict(uid=user, gid=group), args=argv, cwd=str(workspace), noNewPrivileges=True,
                         env=["%s=%s" % pair for pair in self.place.env.items()], capabilities={}),
            linux=dict(uidMappings=[dict(containerID=user, hostID=user, size=1)], gidMappings=[dict(containerID=group, hostID=group, size=1)],
                       namespaces=[dict(type=kind) for kind in ("pid", "network", "ipc", "uts", "mount", "user")]))
        text = json.dumps(config)
        folder = self.bundles / hashlib.sha256(text.encode()).hexdigest()[:16]
        if not folder.exists():
            (folder / "rootfs").mkdir(parents=True)
            for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
                if os.path.islink("/" + name):
                    (folder / "rootfs" / name).symlink_to(os.readlink("/" + name))
            (folder / "config.json").write_text(text)
            self.place.give(folder)
        return folder

    def words(self, argv, workspace, paths):
        return ["crun", "--cgroup-manager=disabled", "--root", self.state, "run", "--bundle", self.bundle(argv, workspace, paths)]

    def wrap(self, argv, workspace=None, paths=()):
        return [*self.words(argv, workspace or self.place.workspace, paths), "bench"]

    def many(self, argv):  # each needs a name of its own
        return ["sh", "-c", "exec %s bench$$" % shlex.join(map(str, self.words(argv, self.place.workspace, ())))]


class Codex(Contender):
    name, label, slow = "codex", "codex sandbox", 5
    flags = "`codex sandbox -P bench -C PROJECT`, profile: `:minimal`, `/usr`, `/etc` and itself `read`, `:workspace_roots` and `:slash_tmp` `write` (the program itself, without its Node wrapper; /tmp is the host's)"
    domains = Cannot("not tried: rules by name need its managed proxy")

    def prepare(self):
        found = sorted((self.place.peers / "node_modules" / "@openai").glob("codex-*/vendor/*/bin/codex"))
        if not found:
            self.cannot = Cannot("not installed from npm")
            return
        self.program = found[0]
        settings = self.place.home / ".codex"
        settings.mkdir()
        paths = {":minimal": "read", "/usr": "read", "/etc": "read", ":workspace_roots": "write", ":slash_tmp": "write",
                 str(settings / "tmp"): "read", str(self.program.parents[4]): "read"}
        lines = ["[permissions.bench.filesystem]"] + ["%s = %s" % (json.dumps(path), json.dumps(access)) for path, access in paths.items()]
        (settings / "config.toml").write_text("\n".join(lines) + "\n")
        self.place.give(settings)

    def wrap(self, argv, workspace=None, paths=()):
        return [self.program, "sandbox", "-P", "bench", "-C", workspace or self.place.workspace, "--", *argv]


class Srt(Contender):
    name, label, slow = "srt", "srt", 20
    flags = "`srt --settings FILE -c …`: `denyRead` home, `allowRead` and `allowWrite` PROJECT, `allowWrite` /tmp (the host's), `allowedDomains` none"
    domains = None

    def prepare(self):
        self.program = self.place.peers / "node_modules" / ".bin" / "srt"
        if not self.program.exists():
            self.cannot = Cannot("not installed from npm")

    def version(self):
        package = self.place.peers / "node_modules" / NPM[0] / "package.json"
        return json.loads(package.read_text())["version"]

    def wrap(self, argv, workspace=None, paths=()):
        workspace = str(workspace or self.place.workspace)
        settings = self.place.home / ("srt-%s.json" % hashlib.sha256((workspace + repr(paths)).encode()).hexdigest()[:8])
        if not settings.exists():
            settings.write_text(json.dumps(dict(
                network=dict(allowedDomains=[], deniedDomains=[]),
                filesystem=dict(denyRead=[str(self.place.home)], allowRead=[workspace, *map(str, paths)], allowWrite=[workspace, "/tmp"], denyWrite=[]))))
        return [self.program, "--settings", settings, "-c", shlex.join(map(str, argv))]


ALL = (Bare, Pinfold, Bubblewrap, Firejail, Crun, Codex, Srt)


def confines(place, contender):
    """None, or why it must not be measured: the accesses that it allowed, or that it does not run here."""
    canary, allowed = place.home / "canary", place.workspace / "allowed"
    canary.write_text(SECRET)
    place.give(place.home)
    allowed.unlink(missing_ok=True)
    script = "cat %s 2>/dev/null; echo changed > %s; true > allowed" % (canary, canary)
    done = place.run(contender.wrap(["/bin/sh", "-c", script]))
    read, written = SECRET in done.stdout, canary.read_text() != SECRET
    worked = allowed.exists()
    for path in (canary, allowed):
        path.unlink(missing_ok=True)
    if contender.name == "bare":
        return None if read and written and worked else Cannot("the canary cannot be reached even without a sandbox: the check is worth nothing")
    if read or written:
        return Cannot("does not confine here: the canary was " + " and ".join(word for word, did in (("read", read), ("changed", written)) if did))
    if not worked:
        return Cannot("does not run here: " + last_line(done.stderr or done.stdout))
    return None


def gather(place):
    """All contenders, checked; one that is left out has the reason."""
    everyone = [kind(place) for kind in ALL]
    for contender in everyone:
        if contender.program and not contender.cannot and not shutil.which(str(contender.program)):
            contender.cannot = Cannot("not installed")
        contender.cannot = contender.cannot or confines(place, contender)
    return everyone


def node_version():
    node = shutil.which("node")
    return subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip() if node else ""


def folder_of(pinfold):
    return pathlib.Path(pinfold).resolve().parent.parent / "peers"
