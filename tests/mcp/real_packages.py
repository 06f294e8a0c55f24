"""real_packages.py: the official servers, from npm, kept in the build directory.

Invariant: the first caller installs them, and the others wait for it.
Not here: their use.
"""
import fcntl
import pathlib
import subprocess

PACKAGES = {"server-everything": "2026.8.31", "server-filesystem": "2026.8.31", "server-memory": "2026.8.31", "server": "2.4.0"}


def modules_beside(program):
    """The node_modules with all of them; `program` is one of those that were built."""
    kept = pathlib.Path(program).resolve().parent.parent / ("mcp-servers-" + PACKAGES["server-everything"])
    modules = kept / "node_modules"
    kept.mkdir(parents=True, exist_ok=True)
    with open(kept / "npm.log", "a") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        if all((modules / "@modelcontextprotocol" / name / "package.json").exists() for name in PACKAGES):
            return modules
        wanted = ["@modelcontextprotocol/%s@%s" % each for each in PACKAGES.items()]
        code = subprocess.call(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(kept), *wanted],
                               stdout=log, stderr=log)
        if code != 0:
            print("npm could not install the servers: see %s" % log.name)
    return modules
