"""cases.py: the attempts, and the denial that each must give.

Invariant: a case that expects a denial succeeds bare; one that expects an ordinary failure fails bare as well.
Not here: running them (run), the world that they are tried in (world.py).

Each case is a line of Python with these names: W (the workspace, where it starts), R (shown, read-only), H (not shown), all of
them bytes; and the names that `probe` defines. {W}, {R} and {H} stand for the paths in the expected denials.
"""
import collections

# what: operation and resource, or "" for no denial; named: as the program wrote it, or None where it is the resource itself.
# bare: whether it works without the sandbox. mode: fast, or full alone. root: the expected denial for root, where it differs.
Case = collections.namedtuple("Case", "name code what named bare mode not_on root")


def case(name, code, what="", named=None, bare=True, mode="fast", not_on="", root=None):
    return Case(name, code, what, named, bare, mode, not_on.split(), root)


SOCKETS = "landlock"  # has no unix sockets, nor any others, before ABI 9
BROKER = "landlock"  # changes attributes on the caller's behalf, and reports protected paths itself

CASES = [
    # Before anything is moved, where that works.
    case("read a protected file", "os.open(b'.git/hooks/pre-commit', os.O_RDONLY); os.stat(b'.git/hooks')"),
    # Denied attempts, once by each way to name the path.
    case("write", "write(R + b'/write')", "write {R}/write"),
    case("write by ..", "write(R + b'/dir/../dotdot')", "write {R}/dotdot", "{R}/dir/../dotdot"),
    case("write by a symlink", "write(b'link-file')", "write {R}/linked", "link-file"),
    case("write by a symlink to the directory", "write(b'link-dir/through')", "write {R}/through", "link-dir/through"),
    case("write by a symlink to nothing yet", "create(b'link-new')", "create {R}/link-new", "link-new"),
    case("write by dirfd", "os.open(b'by-fd', os.O_WRONLY, dir_fd=opened(R))", "write {R}/by-fd", "by-fd"),
    case("write by dirfd and ..", "os.open(b'../by-fd2', os.O_WRONLY, dir_fd=opened(R + b'/dir'))", "write {R}/by-fd2", "../by-fd2"),
    case("write after chdir", "inside(R + b'/dir', lambda: write(b'../by-cwd'))", "write {R}/by-cwd", "../by-cwd"),
    case("write by /proc/self/fd of a directory", "write(b'/proc/self/fd/%d/by-proc' % opened(R))", "write {R}/by-proc", True),
    case("write by /proc/self/fd of a file", "write(b'/proc/self/fd/%d' % opened(R + b'/reopened'))", "write {R}/reopened", True),
    case("write by /dev/fd", "write(b'/dev/fd/%d' % opened(R + b'/reopened2'))", "write {R}/reopened2", True),
    case("write by /proc/self/cwd", "inside(R, lambda: write(b'/proc/self/cwd/by-proc-cwd'))", "write {R}/by-proc-cwd", True),
    case("write by a long name", "write(LONG + b'/long')", "write {LONG}/long"),
    case("write by a name that is not UTF-8", "write(R + b'/caf\\xe9')", "write {R}/caf\ufffd"),
    case("write by a name with control characters", "write(R + b'/a\\n\\x1b[2J')", "write {R}/a\n\x1b[2J"),
    case("append", "os.open(R + b'/append', os.O_WRONLY | os.O_APPEND)", "write {R}/append"),
    case("read and write", "os.open(R + b'/both', os.O_RDWR)", "write {R}/both"),
    case("truncate", "os.truncate(R + b'/truncated', 0)", "write {R}/truncated"),
    case("chmod", "os.chmod(R + b'/mode', 0o600)", "write {R}/mode", not_on=BROKER),
    case("chown", "os.chown(R + b'/owner', os.getuid(), os.getgid())", "write {R}/owner", not_on=BROKER),
    case("times", "os.utime(R + b'/times', (1, 1))", "write {R}/times", not_on=BROKER),
    case("create", "create(R + b'/new')", "create {R}/new"),
    case("create without a name", "os.open(R + b'/tmpfile', os.O_TMPFILE | os.O_RDWR)", "create {R}/tmpfile"),
    case("mkdir", "os.mkdir(R + b'/made')", "create {R}/made"),
    case("mkdir by dirfd", "os.mkdir(b'made2', dir_fd=opened(R))", "create {R}/made2", "made2"),
    case("mkfifo", "os.mkfifo(R + b'/pipe')", "create {R}/pipe"),
    case("symlink", "os.symlink(b'x', R + b'/symlink')", "create {R}/symlink"),
    case("link", "os.link(R + b'/write', R + b'/hardlink')", "create {R}/hardlink"),
    case("rename", "os.rename(R + b'/old', R + b'/old2')", "rename {R}/old"),
    case("rename away", "os.rename(b'mine', R + b'/theirs')", "rename {R}/theirs"),
    case("rename by dirfd", "os.rename(b'old3', b'old4', src_dir_fd=opened(R), dst_dir_fd=opened(R))", "rename {R}/old3", "old3"),
    case("unlink", "os.unlink(R + b'/gone')", "delete {R}/gone"),
    case("rmdir", "os.rmdir(R + b'/empty')", "delete {R}/empty"),
    case("write to a hidden file", "write(H + b'/write')", "write {H}/write"),
    case("create in a hidden directory", "create(H + b'/new')", "create {H}/new"),
    case("mkdir in a hidden directory", "os.mkdir(H + b'/dir/made')", "create {H}/dir/made"),
    case("unlink a hidden file", "os.unlink(H + b'/gone')", "delete {H}/gone"),
    case("a symlink to a hidden file", "write(b'link-hidden')", "write {H}/linked", "link-hidden"),
    case("execute a hidden program", "execute(H + b'/program')", "exec {H}/program"),
    case("execute a hidden program by ..", "execute(b'../hidden/program2')", "exec {H}/program2", "../hidden/program2"),
    case("connect to a hidden socket", "connect(H + b'/socket')", "connect {H}/socket", not_on=SOCKETS),
    case("connect to a hidden socket by ..", "connect(b'../hidden/socket2')", "connect {H}/socket2", "../hidden/socket2", not_on=SOCKETS),
    case("bind where it may only read", "bind(b'../ro/bound')", "bind {R}/bound", "../ro/bound", not_on=SOCKETS),
    case("connect by IPv4", "reach('192.0.2.7', 443)", "connect 192.0.2.7:443", bare=None, not_on=SOCKETS),
    case("connect by IPv6", "reach('2001:db8::7', 80)", "connect [2001:db8::7]:80", bare=None, not_on=SOCKETS),
    case("connect by UDP", "reach('192.0.2.8', 53, socket.SOCK_DGRAM)", "send 192.0.2.8:53", bare=None, not_on=SOCKETS),
    case("write to a protected file", "write(b'.git/hooks/pre-commit')", "write {W}/.git/hooks/pre-commit", ".git/hooks/pre-commit", not_on=BROKER),
    case("rename what holds it", "os.rename(b'.git', b'moved')", "rename {W}/.git", ".git", bare=None, not_on=BROKER),
    case("create a protected name", "os.mkdir(b'.vscode')", "create {W}/.vscode", ".vscode"),
    # Allowed attempts.
    case("write in the workspace", "create(b'mine2'); write(b'mine2'); os.rename(b'mine2', b'mine3'); os.unlink(b'mine3')"),
    case("make and remove in the workspace", "os.mkdir(b'd'); os.symlink(b'x', b'd/l'); os.unlink(b'd/l'); os.rmdir(b'd')"),
    case("attributes in the workspace", "create(b'mine4'); os.chmod(b'mine4', 0o644); os.utime(b'mine4')"),
    case("write in the private tmp", "create(TMP + b'/pf-observe-own'); os.unlink(TMP + b'/pf-observe-own')"),
    case("write to devices", "write(b'/dev/null'); write(b'/dev/zero')"),
    case("execute", "execute(b'/bin/true')"),
    case("read a shown file", "os.open(R + b'/write', os.O_RDONLY); os.stat(R + b'/dir'); os.listdir(R)"),
    case("sockets of its own", "own_socket()", not_on=SOCKETS),
    case("loopback", "reach('127.0.0.1', 9)", bare=False, not_on=SOCKETS),
    # What fails without the sandbox, too.
    case("write to nothing", "write(R + b'/none')", bare=False),
    case("create in nothing", "create(R + b'/none/new')", bare=False),
    case("create in nothing hidden", "create(H + b'/none/new')", bare=False),
    case("create an existing file", "os.open(R + b'/write', os.O_WRONLY | os.O_CREAT | os.O_EXCL)", bare=False),
    case("mkdir an existing directory", "os.mkdir(R + b'/dir')", bare=False),
    case("write to a directory", "write(R + b'/dir')", bare=False),
    case("write below a file", "create(R + b'/write/x')", bare=False),
    case("unlink nothing", "os.unlink(R + b'/none')", bare=False),
    case("unlink a directory", "os.unlink(R + b'/dir')", bare=False),
    case("rmdir a file", "os.rmdir(R + b'/write')", bare=False),
    case("rmdir a full directory", "os.rmdir(R + b'/dir')", bare=False),
    case("rename nothing", "os.rename(R + b'/none', R + b'/none2')", bare=False),
    case("execute nothing", "execute(H + b'/none')", bare=False),
    case("execute a file that is no program", "execute(H + b'/write')", bare=False),
    case("connect to nothing", "connect(H + b'/none')", bare=False),
    case("read nothing hidden", "os.open(H + b'/none', os.O_RDONLY)", bare=False),
    case("write to another user's file", "write(R + b'/root-only')", bare=False, root="write {R}/root-only"),
    case("write to another user's hidden file", "write(H + b'/root-only')", bare=False, root="write {H}/root-only"),
    # Reading.
    case("read a hidden file", "os.open(H + b'/read', os.O_RDONLY)", "read {H}/read", mode="full"),
    case("read by ..", "os.open(b'../hidden/read2', os.O_RDONLY)", "read {H}/read2", "../hidden/read2", mode="full"),
    case("read by a symlink", "os.open(b'link-read', os.O_RDONLY)", "read {H}/read3", "link-read", mode="full"),
    case("read by dirfd", "os.open(b'hidden/read4', os.O_RDONLY, dir_fd=opened(b'..'))", "read {H}/read4", "hidden/read4", mode="full",
         not_on="landlock"),  # where the directory around it cannot be opened
    case("stat a hidden file", "os.stat(H + b'/stat')", "read {H}/stat", mode="full", not_on="landlock"),  # names are seen there
    case("readlink a hidden link", "os.readlink(H + b'/a-link')", "read {H}/a-link", mode="full", not_on="landlock"),
    case("chdir to a hidden directory", "inside(H + b'/dir', lambda: None)", "read {H}/dir", mode="full", not_on="landlock"),
]
