"""races.py: names that change while they are judged, and a supervisor that dies while it waits."""
import os
import re
import subprocess
import time

SWAPPER = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char path[4096];
static const char *names[2];
static atomic_long swaps;
static atomic_int stop;
// The kernel and the supervisor may read any mixture of the two names: both are of one length.
static void *swap(void *unused) {
  for (long i = 0; !stop || swaps < 1000000; ++i, ++swaps) memcpy(path, names[i & 1], strlen(names[0]) + 1);
  return unused;
}
int main(int count, char **words) {
  (void)count;
  names[0] = words[1];
  names[1] = words[2];
  const long wanted = atol(words[3]);
  const int flags = atoi(words[4]) ? O_WRONLY : O_RDONLY;
  char text[64];
  for (int i = 0; i < 2; ++i) {  // both are asked about, once
    int fd = open(names[i], flags);
    printf("first %d %s\n", i, fd >= 0 ? "opened" : "refused");
    if (fd >= 0) close(fd);
  }
  fflush(stdout);
  strcpy(path, names[0]);
  pthread_t thread;
  pthread_create(&thread, 0, swap, 0);
  long opened = 0, refused = 0, canary = 0;
  for (long i = 0; i < wanted; ++i) {
    int fd = open(path, flags);
    if (fd < 0) { ++refused; continue; }
    ++opened;
    ssize_t size = flags == O_RDONLY ? read(fd, text, sizeof text) : write(fd, "x", 1);
    if (flags == O_RDONLY && size > 0 && memmem(text, (size_t)size, "canary", 6)) ++canary;
    close(fd);
  }
  stop = 1;
  pthread_join(thread, 0);
  printf("swaps %ld opened %ld refused %ld canary %ld\n", (long)swaps, opened, refused, canary);
  return canary != 0;
}
"""


def build(world, name, source):
    path = world.workspace / name
    (world.workspace / f"{name}.c").write_text(source)
    subprocess.run(["gcc", "-O1", "-D_GNU_SOURCE", "-pthread", "-o", path, f"{path}.c"], check=True)
    world.own()
    return str(path)


def check_a_path_swapped_a_million_times(world):
    """Row 18: one name is granted, the other refused, and a thread turns one into the other without end."""
    good, bad = world.outside / "good", world.outside / "evil"
    program = build(world, "swapper", SWAPPER)
    for writes in (0, 1):
        good.write_text("good\n")
        bad.write_text("canary\n")
        world.own()
        bare = subprocess.run([program, str(good), str(bad), "20000", "0"], capture_output=True, check=False)
        assert bare.returncode == 1, bare  # without Pinfold the canary is reached
        one = world.start(program, str(good), str(bad), "60000", str(writes))
        one.wait_for("wants to")
        one.answer("s")
        one.wait_for("first 0 opened")
        one.wait_for("wants to")
        one.answer("d")
        one.wait_for("first 1 refused")
        found = one.wait_for(r"swaps (\d+) opened (\d+) refused (\d+) canary (\d+)", 600)
        one.end()
        swaps, opened, refused, canary = map(int, found.groups())
        print("        %d swaps, %d opened, %d refused" % (swaps, opened, refused))
        assert swaps >= 1000000 and opened > 100 and refused > 100 and canary == 0, found[0]
        assert bad.read_text() == "canary\n"


def check_a_path_swapped_while_once_is_answered(world):
    """The command gets the file of the request, even if the name in memory has changed."""
    good, bad = world.outside / "good", world.outside / "evil"
    good.write_text("good\n")
    bad.write_text("canary\n")
    program = build(world, "late", SWAPPER.replace("for (int i = 0; i < 2; ++i) {  // both", "if (0) for (int i = 0; i < 2; ++i) {  // both"))
    for _ in range(5):
        one = world.start(program, str(good), str(bad), "1", "0")
        wanted = one.wait_for(r"what\s+(\S+)")[1]
        one.answer("o" if wanted.endswith("good") else "d")
        found = one.wait_for(r"opened (\d+) refused (\d+) canary (\d+)", 600)
        one.end()
        assert found[3] == "0" and found[1] == ("1" if wanted.endswith("good") else "0"), (wanted, found[0])


def check_links_swapped_in_the_workspace(world):
    """A link in the workspace that points now at a granted file, now at a secret."""
    good, bad = world.outside / "good", world.outside / "evil"
    good.write_text("good\n")
    bad.write_text("canary\n")
    world.own()
    script = ("import os,sys,threading\n"
              "good,bad=sys.argv[1:]\n"
              "os.symlink(good,'a'); os.symlink(bad,'b'); os.symlink(good,'link')\n"
              "print('first', open(good).read().strip(), flush=True)\n"
              "try: open(bad)\n"
              "except OSError: print('refused', flush=True)\n"
              "stop=False\n"
              "def swap():\n"
              "  i=0\n"
              "  while not stop:\n"
              "    i+=1; os.symlink((good,bad)[i%2],'next'); os.rename('next','link')\n"
              "t=threading.Thread(target=swap); t.start(); hits=0\n"
              "for i in range(10000):\n"
              "  try:\n"
              "    if 'canary' in open('link').read(): hits+=1\n"
              "  except OSError: pass\n"
              "stop=True; t.join(); print('hits', hits)\n")
    one = world.start("/usr/bin/python3", "-c", script, str(good), str(bad))
    one.wait_for("wants to")
    one.answer("s")
    one.wait_for("first good")
    one.wait_for("wants to")
    one.answer("d")
    one.wait_for("refused")
    assert one.wait_for(r"hits (\d+)", 600)[1] == "0"
    one.end()


def processes_with(word):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if word.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def check_a_supervisor_killed_while_it_waits(world):
    """Row 17: no process survives, nothing is allowed."""
    for delay in (0.0, 0.01, 0.05, 0.2, 0.5):
        word = f"{world.base.name}-{delay}"
        one = world.sh(f": {word}; cat {world.outside}/file > {world.workspace}/got; sleep 1000")
        one.wait_for("wants to")
        time.sleep(delay)
        one.kill()
        end = time.monotonic() + 30
        while processes_with(word) and time.monotonic() < end:
            time.sleep(0.02)
        assert not processes_with(word), processes_with(word)
        got = world.workspace / "got"
        assert not got.exists() or got.read_text() == ""
        termios_is_sane(one)


def termios_is_sane(one):
    assert re.search("wants to", one.text)
