"""rows.py: where Pinfold is nested, and what each backend is expected to do there.

Invariant: the expected result of a backend by name is exact, for root and for an ordinary user. `auto` may do whatever some backend
can do: it works if one of them works. A backend without a line here may work or refuse; the checks inside hold for it all the same.
Not here: making the environments (environments.py), judging (run).
"""
from collections import namedtuple

import environments

# ends: a time-out must also end processes that hidepid keeps out of the listing of /proc.
Row = namedtuple("Row", "name make native ends", defaults=[False])

WORKS = "works"
# Part of the reason that a refusal must give, for native.
NAMESPACES = "making the sandbox's namespaces"
NO_PROC = "mapping the user into the sandbox"
PROC = "mounting a private /proc"


def both(expected):
    return {"root": expected, "user": expected}


ROWS = [
    Row("nothing", environments.nothing, both(WORKS)),
    Row("pinfold run", environments.pinfold, both(NAMESPACES)),
    # Run by root, bwrap makes parts of /proc read-only by mounts: then the kernel shows no whole one to others.
    Row("bwrap", environments.bwrap, {"root": PROC, "user": WORKS}),
    Row("bwrap --disable-userns", environments.bwrap_without_user_namespaces, both(NAMESPACES)),
    Row("unshare -Ur", environments.unshare_user, both(WORKS)),
    Row("unshare -Ur --mount --pid --fork --mount-proc", environments.unshare_more, both(WORKS)),
    Row("chroot", environments.chroot, both(NAMESPACES)),
    # Without a pid namespace nothing could end the run's processes: landlock refuses, too.
    Row("an empty /proc", environments.empty_proc, both(NO_PROC)),
    Row("a /proc with hidepid=invisible", environments.proc_with("hidepid=invisible"), both(WORKS), ends=True),
    # Also for root, whose group hidepid=invisible exempts.
    Row("a /proc with hidepid=ptraceable", environments.proc_with("hidepid=ptraceable"), both(WORKS), ends=True),
    Row("a /proc with subset=pid", environments.proc_with("subset=pid"), both(WORKS), ends=True),
    Row("container, nothing masked", environments.container_open, both(WORKS)),
    Row("container, /proc masked", environments.container_masked, both(PROC)),
    Row("container, /proc masked, usual filter", environments.container_usual, both(NAMESPACES)),
]
