"""fetch: Debian's kernels, by an apt configuration of our own; nothing of the system's is changed.

Invariant: apt verifies downloads with the system's own archive key; they are kept below `folder`.
Not here: which kernels (guests.py).
"""
import dataclasses
import json
import lzma
import os
import re
import subprocess
import time

import guests

ARCHIVE_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
LOOK_AGAIN_S = 7 * 24 * 3600


class CannotFetch(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Kernel:
    release: str
    image: str  # vmlinuz
    loop: str  # loop.ko, or "" when it is built in


def run(argv, cwd=None):
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        words = " ".join((done.stderr or done.stdout).split())
        raise CannotFetch(f"{argv[0]}: {words[-300:] or f'exit {done.returncode}'}")
    return done.stdout


def system_archive():
    """The mirror that this machine uses for Debian itself."""
    targets = run(["apt-get", "indextargets", "--format", "$(REPO_URI)|$(RELEASE)", "Created-By: Packages"])
    for line in targets.splitlines():
        uri, release = line.split("|")
        if "security" not in uri + release and re.fullmatch(r"[a-z]+(-updates)?", release):
            return uri
    raise CannotFetch("apt knows no Debian archive on this machine")


class Apt:
    def __init__(self, folder):
        self.folder = folder
        self.complaints = []
        for name in ("lists/partial", "cache/archives/partial", "debs"):
            os.makedirs(f"{folder}/{name}", exist_ok=True)
        self.options = [
            "-qq",
            *("-o", f"Dir::Etc::sourcelist={folder}/sources.list"),
            *("-o", "Dir::Etc::sourceparts=-"),
            *("-o", f"Dir::State::lists={folder}/lists"),
            *("-o", f"Dir::Cache={folder}/cache"),
            *("-o", "Acquire::Retries=3"),
            *("-o", "Acquire::Languages=none"),
            *("-o", f"APT::Sandbox::User={'root' if os.geteuid() == 0 else ''}"),
        ]

    def update(self):
        uri = system_archive()
        signed = f" [signed-by={ARCHIVE_KEYS}]" if os.path.exists(ARCHIVE_KEYS) else ""
        with open(f"{self.folder}/sources.list", "w", encoding="utf-8") as file:
            for suite in guests.SUITES:
                file.write(f"deb{signed} {uri} {suite} main\n")
        # A missing suite must not fail the others; its packages are missing below, and apt's output is kept.
        done = subprocess.run(["apt-get", *self.options, "update"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
        self.complaints = [line for line in done.stderr.splitlines() if line.startswith(("E:", "W:"))]

    def names(self):
        return run(["apt-cache", *self.options, "pkgnames", "linux-"]).split()

    def download(self, packages):
        """Files of these packages; those that are there already are not fetched again."""
        for line in run(["apt-get", *self.options, "--print-uris", "download", *packages]).splitlines():
            name = line.split("'")[2].split()[0]
            if not os.path.exists(f"{self.folder}/debs/{name}"):
                package = name.split("_")[0].replace("%2b", "+")
                run(["apt-get", *self.options, "download", package], cwd=f"{self.folder}/debs")
            yield f"{self.folder}/debs/{name}"


def find_file(root, pattern):
    for folder, _, names in os.walk(root):
        for name in names:
            if re.fullmatch(pattern, name):
                return os.path.join(folder, name)
    return ""


def extract(apt, release, packages):
    place = f"{apt.folder}/{release}"
    for deb in apt.download(packages):
        os.makedirs(place, exist_ok=True)
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as unpacked:
            words = ["tar", "-x", "-C", place, "--wildcards", "*/vmlinuz*", "*/drivers/block/loop.ko*"]
            # tar fails for a pattern without a match in this package; the check for missing files is below.
            subprocess.run(words, stdin=unpacked.stdout, stderr=subprocess.DEVNULL, check=False)
    image = find_file(place, r"vmlinuz.*")
    if not image:
        raise CannotFetch(f"no vmlinuz in {' '.join(packages)}")
    loop = find_file(place, r"loop\.ko(\.xz)?")
    if loop.endswith(".xz"):
        with lzma.open(loop) as packed, open(loop[:-3], "wb") as plain:
            plain.write(packed.read())
        os.remove(loop)
        loop = loop[:-3]
    return Kernel(release, image, loop)


def kernels(folder, wanted, look_again):
    """For each name of KERNELS that is wanted: its Kernel, or why there is none."""
    folder = os.path.abspath(folder)
    index = f"{folder}/kernels.json"
    known = {}
    if os.path.exists(index) and not look_again and time.time() - os.path.getmtime(index) < LOOK_AGAIN_S:
        with open(index, encoding="utf-8") as file:
            known = {name: Kernel(**fields) for name, fields in json.load(file).items()}
    found = {name: kernel for name, kernel in known.items() if os.path.exists(kernel.image)}
    missing = [name for name in wanted if name not in found]
    if not missing:
        return found
    apt = Apt(folder)
    try:
        apt.update()
        names = apt.names()
    except (CannotFetch, OSError) as error:
        return found | {name: f"cannot be fetched: {error}" for name in missing}
    for name in missing:
        pattern = re.compile(guests.KERNELS[name])
        releases = [match[1] for match in map(pattern.fullmatch, names) if match]
        if not releases:
            said = "".join(f"; apt: {line}" for line in apt.complaints[:2])
            found[name] = f"cannot be fetched: no package {guests.KERNELS[name]} in {', '.join(guests.SUITES)}{said}"
            continue
        release = max(releases, key=guests.version_key)
        parts = [f"linux-{part}-{release}" for part in ("image", "binary", "modules")]
        try:
            found[name] = extract(apt, release, [part for part in parts if part in names])
        except (CannotFetch, OSError) as error:
            found[name] = f"cannot be fetched: {error}"
    with open(index, "w", encoding="utf-8") as file:
        good = {name: dataclasses.asdict(kernel) for name, kernel in found.items() if isinstance(kernel, Kernel)}
        json.dump(good, file, indent=1)
    return found
