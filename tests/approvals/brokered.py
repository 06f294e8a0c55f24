"""brokered.py: calls that the supervisor makes for a command: each acts on the file that was judged, on no other, and as the command's own call would have."""
import os
import stat
import struct

from races import build

QUESTION = r"wants to (\w+)"

# A granted directory below the working directory's mount: mkdir() with a relative name is made for the command, while a second thread
# exchanges the new directory for a link to a file that nothing shows.
EXCHANGER = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int stop;
static atomic_long exchanged;
static int granted = AT_FDCWD;
static void *exchange(void *unused) {
  while (!stop) exchanged += syscall(SYS_renameat2, granted, "new", granted, "link", 2) == 0;
  return unused;
}
int main(int count, char **words) {
  const char *directory = words[1], *victim = words[2];
  const int rounds = atoi(words[3]), bare = count > 4;
  umask(0);
  if (chdir(directory) != 0 || mkdir("first", 0755) != 0) return perror("first"), 2;
  // By the whole path: this one sees the grant.
  granted = open(directory, O_RDONLY | O_DIRECTORY);
  if (granted < 0 || symlinkat(victim, granted, "link") != 0) return perror("link"), 2;
  pthread_t thread;
  pthread_create(&thread, 0, exchange, 0);
  int made = 0;
  struct stat info;
  for (int i = 0; i < rounds; ++i) {
    if (bare && stat(victim, &info) == 0 && (info.st_mode & 0777) == 0777) break;
    if (mkdir("new", 0777) == 0) {
      ++made;
      if (bare) chmod("new", 0777);  // what the broker must not do
    }
    // The two names hold the directory and the link, in one order or the other, or the link alone.
    unlinkat(granted, "new", 0);
    unlinkat(granted, "link", 0);
    unlinkat(granted, "new", AT_REMOVEDIR);
    unlinkat(granted, "link", AT_REMOVEDIR);
    symlinkat(victim, granted, "link");
  }
  stop = 1;
  pthread_join(thread, 0);
  printf("made %d exchanged %ld\n", made, (long)exchanged);
  return 0;
}
"""


def check_a_new_directory_exchanged_for_a_link(world):
    victim = world.home / "victim"
    victim.write_text("of the user's\n")
    program = build(world, "exchanger", EXCHANGER)
    place = world.outside / "folder"

    def clear(mode):
        for entry in place.iterdir():
            entry.rmdir() if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        victim.chmod(mode)
        world.own()

    clear(0o600)
    bare = world.quietly(program, place, victim, "5000000", "bare")
    assert bare.returncode == 0 and stat.S_IMODE(victim.stat().st_mode) == 0o777, bare
    clear(0o600)
    one = world.start(program, str(place), str(victim), "2000", flags=("--ask", "terminal", "--read", str(world.outside)))
    one.wait_for(QUESTION)
    one.answer("s")
    found = one.wait_for(r"made (\d+) exchanged (\d+)", 600)
    assert one.end() == 0 and one.text.count("wants to") == 1, one.text
    print("        %s made, %s exchanged" % found.groups())
    assert int(found[1]) > 500 and int(found[2]) > 20, found[0]
    assert stat.S_IMODE(victim.stat().st_mode) == 0o600, oct(victim.stat().st_mode)


# Every call with a relative name; each says what came of it.
RELATIVE = r"""
import os, socket, sys
os.umask(0o027)
os.chdir(sys.argv[1])
def attempt(name, call):
    try:
        call()
        print(name, 'done', flush=True)
    except OSError as e:
        print(name, 'failed', os.strerror(e.errno), flush=True)
attempt('create', lambda: os.close(os.open('made', os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)))
attempt('sealed', lambda: os.write(os.open('sealed', os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o444), b'text'))
attempt('mkdir', lambda: os.mkdir('sub', 0o777))
attempt('chmod', lambda: os.chmod('made', 0o751))
attempt('utime', lambda: os.utime('made', (1000, 2000)))
attempt('link', lambda: os.link('made', 'second'))
attempt('symlink', lambda: os.symlink('made', 'soft'))
attempt('mkfifo', lambda: os.mkfifo('pipe', 0o666))
attempt('truncate', lambda: os.truncate('made', 7))
attempt('rename', lambda: os.rename('sub', 'moved'))
listener = socket.socket(socket.AF_UNIX)
attempt('bind', lambda: listener.bind('socket'))
listener.listen(1)
attempt('connect', lambda: socket.socket(socket.AF_UNIX).connect('socket'))
attempt('bind again', lambda: socket.socket(socket.AF_UNIX).bind('socket'))
def unnamed():
    file = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o666)
    os.write(file, b'text')
    assert os.pread(file, 4, 0) == b'text' and os.fstat(file).st_nlink == 0 and os.fstat(file).st_mode & 0o777 == 0o640
attempt('unnamed', unnamed)
attempt('fchmod', lambda: os.fchmod(os.open('changed', os.O_RDONLY), 0o601))
attempt('replace', lambda: os.rename('second', 'sealed'))
attempt('unlink', lambda: os.unlink('gone'))
attempt('rmdir full', lambda: os.rmdir('full'))
attempt('rmdir', lambda: os.rmdir('empty'))
attempt('steal', lambda: os.link('../file', 'stolen'))
print('ended', os.listdir('.') and 1)
"""
DONE = ("create", "sealed", "mkdir", "chmod", "utime", "link", "symlink", "mkfifo", "truncate", "rename", "replace", "unlink", "rmdir", "bind", "connect",
        "unnamed", "fchmod")


def check_relative_names_after_a_yes_for_the_session(world):
    """Once below the mount that the caller works in, and once at its root, where that mount itself becomes writable."""
    place = world.outside / "folder"
    for shown in (world.outside, place):
        for name in ("full", "full/in", "empty"):
            (place / name).mkdir()
        (place / "gone").write_text("")
        (place / "changed").write_text("")
        world.own()
        one = world.start("/usr/bin/python3", "-c", RELATIVE, str(place), flags=("--ask", "terminal", "--read", str(shown), "--read", "/usr"))
        one.wait_for(QUESTION)
        one.answer("s")
        one.wait_for("ended 1")
        assert one.end() == 0 and one.text.count("wants to") == 1, one.text
        for name in DONE:
            assert f"{name} done" in one.text, (shown, name, one.text)
        assert "rmdir full failed Directory not empty" in one.text, one.text
        assert "bind again failed Address already in use" in one.text, one.text
        assert "steal failed" in one.text and not (place / "stolen").exists(), one.text
        found = {each.name for each in place.iterdir()}
        assert found == {"made", "sealed", "moved", "soft", "pipe", "full", "socket", "changed"}, found
        assert stat.S_ISSOCK((place / "socket").stat().st_mode) and stat.S_IMODE((place / "socket").stat().st_mode) == 0o750
        assert stat.S_IMODE((place / "changed").stat().st_mode) == 0o601
        made = (place / "made").stat()
        assert stat.S_IMODE(made.st_mode) == 0o751 and made.st_size == 7 and made.st_nlink == 2, made
        assert (place / "sealed").stat().st_ino == made.st_ino and os.readlink(place / "soft") == "made"
        assert stat.S_IMODE((place / "moved").stat().st_mode) == 0o750
        assert stat.S_ISFIFO((place / "pipe").stat().st_mode) and stat.S_IMODE((place / "pipe").stat().st_mode) == 0o640
        for each in place.iterdir():
            os.system(f"rm -rf '{each}'")


def check_a_setgid_directory_and_a_default_acl_apply_to_new_files(world):
    """The kernel gives a new directory its mode, not a chmod afterwards: that would take away setgid and widen an access list."""
    place = world.outside / "folder"
    place.chmod(0o2755)
    everyone = 0xffffffff
    entries = [(0x01, 7, everyone), (0x04, 0, everyone), (0x20, 0, everyone)]  # the owner, its group, others
    try:
        os.setxattr(place, "system.posix_acl_default", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries))
        listed = True
    except OSError:
        listed = False  # a file system without such lists
    one = world.sh(f"umask 0; cd {place} && mkdir sub && echo x > text; echo ended $?", flags=("--ask", "terminal", "--read", str(world.outside)))
    one.wait_for(QUESTION)
    one.answer("s")
    one.wait_for("ended 0")
    one.end()
    wanted = (0o2700, 0o600) if listed else (0o2777, 0o666)
    assert (stat.S_IMODE((place / "sub").stat().st_mode), stat.S_IMODE((place / "text").stat().st_mode)) == wanted, one.text


def check_shell_tools_in_a_directory_that_becomes_writable(world):
    place = world.outside / "folder"
    script = ("cd %s && echo one > made && chmod 640 made && ln made second && ln -s made soft && mkfifo pipe && truncate -s 2 made && "
              "rm second pipe && rm -r soft && mv made moved && mkdir -p a/b && rm -r a; echo ended $?") % place
    one = world.sh(script, flags=("--ask", "terminal", "--read", str(place)))
    one.wait_for(QUESTION)
    one.answer("s")
    one.wait_for("ended 0")
    assert one.end() == 0 and one.text.count("wants to") == 1, one.text
    assert [each.name for each in place.iterdir()] == ["moved"] and (place / "moved").read_text() == "on", one.text


def check_protected_names_in_a_directory_that_becomes_writable(world):
    """The directory's own mount becomes writable; names in it are protected and hidden before that."""
    place = world.outside / "folder"
    world.quietly("git", "init", "-q", str(place))
    (place / "hidden").write_text("canary\n")
    world.own()
    one = world.sh(f"cd {place} && echo x > made; echo x >> .git/config; mv .git g; echo x > .git/hooks/pre-commit; cat hidden; echo ended",
                   flags=("--ask", "terminal", "--read", str(place), "--hide", str(place / "hidden")))
    one.wait_for(QUESTION)
    one.answer("s")
    while True:
        found = one.wait_for(r"then Enter: |ended\s")
        if "ended" in found[0]:
            break
        one.seen = found.start()
        one.answer("d")
    one.end()
    assert (place / "made").exists() and "canary" not in one.text, one.text
    assert "x\n" not in (place / ".git/config").read_text().splitlines(True) and not (place / ".git/hooks/pre-commit").exists(), one.text


def check_a_protected_file_is_not_replaced_for_once(world):
    """What takes its place could be written through a descriptor or a second name that the command kept."""
    world.quietly("git", "init", "-q", str(world.workspace))
    (world.workspace / ".env").write_text("the hidden text\n")
    world.own()
    before = (world.workspace / ".git/config").read_text()
    for script in ("echo x > next; mv -f next .git/config", "python3 -c 'import os; os.unlink(\".git/config\")'",
                   "python3 -c 'import os; os.rename(\".git/config\", \"taken\")'", "echo x > next; python3 -c 'import os; os.rename(\"next\", \".env\")'"):
        one = world.sh(f"{script} || echo refused; echo ended")
        one.wait_for(QUESTION)
        asked = one.wait_for(r"(.*)then Enter: ")[1]
        assert "not offered once" in asked and "[o]" not in asked and "[s]" in asked, asked
        one.seen -= len("then Enter: ")
        one.answer("d")
        one.wait_for("refused.*ended")
        one.end()
    assert (world.workspace / ".git/config").read_text() == before and (world.workspace / ".env").read_text() == "the hidden text\n"
