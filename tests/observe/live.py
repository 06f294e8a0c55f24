"""live.py: programs that must not notice that they are seen: nothing hangs, nothing fails that does not fail bare.

Invariant: a row says how it is known to have worked; patience is for broken machines, not for slow ones.
"""
PIPELINES = "i=0; while [ $i -lt 1000 ]; do echo $i | cat >out; i=$((i+1)); done; cat out"
# Calls are restarted after these handlers, as sigaction(2) promises, also while they wait for the supervisor. (Without SA_RESTART the
# kernel may interrupt a call that the supervisor has not read yet: docs/design/not-promised.md.)
INTERRUPTED = r"""
import os, signal
rang = 0
def ring(*_):
    global rang
    rang += 1
signal.signal(signal.SIGALRM, ring)
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
for i in range(3000):
    os.close(os.open("f", os.O_WRONLY | os.O_CREAT)); os.stat("f"); os.rename("f", "g"); os.unlink("g")
signal.setitimer(signal.ITIMER_REAL, 0)
print("whole" if rang else "undisturbed")
"""
STORM = r"""
import os
for wave in range(20):
    pids = []
    for i in range(40):
        pid = os.fork()
        if pid == 0:
            os.close(os.open("storm-%d" % i, os.O_CREAT | os.O_WRONLY, 0o600))
            if i % 3 == 0:
                os.kill(os.getpid(), 9)
            if i % 3 == 1:
                os.execv("/bin/true", ["true"])
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)
print("stormed")
"""
POOL = r"""
import multiprocessing, os
def work(i):
    with open("pool-%d" % i, "w") as f: f.write("x")
    os.unlink("pool-%d" % i)
    return i
if __name__ == "__main__":
    with multiprocessing.Pool(4) as pool: print(sum(pool.map(work, range(500))))
"""
NODE = r"""
const fs = require('fs'), cp = require('child_process');
const all = [];
for (let i = 0; i < 300; i++) all.push(fs.promises.writeFile('n' + i, 'x').then(() => fs.promises.unlink('n' + i)));
Promise.all(all).then(() => { cp.execFileSync('/bin/true'); console.log('noded'); });
"""
JAVA = r"""
import java.nio.file.*;
import java.util.stream.*;
class Many {
  public static void main(String[] a) throws Exception {
    IntStream.range(0, 300).parallel().forEach(i -> {
      try { Path p = Files.writeString(Path.of("j" + i), "x"); Files.delete(p); } catch (Exception e) { throw new RuntimeException(e); }
    });
    new ProcessBuilder("/bin/true").start().waitFor();
    System.out.println("javaed");
  }
}
"""
# A missing reader blocks one writer; no other process, and not the supervisor.
FIFO = r"""mkfifo one two; ln -s two to-two; (echo late > one) & (echo late > to-two) &
i=0; while [ $i -lt 200 ]; do : > f$i; i=$((i+1)); done; cat one two; wait; echo unblocked"""
JOBS = r"""set -m; sleep 0.1 & sleep 0.1 & jobs >/dev/null; fg %1 >/dev/null; wait
(kill -STOP $BASHPID; echo went on) & until [ "$(cut -d' ' -f3 /proc/$!/stat)" = T ]; do sleep 0.05; done
kill -CONT $!; while kill -0 $! 2>/dev/null; do wait $! 2>/dev/null; done; echo jobs"""

# name, program it needs, command, its last output; the backend on which it does not work, observed or not.
ROWS = [
    ("1000 pipelines of dash", "dash", ["dash", "-c", PIPELINES], "999"),
    ("signals during a call", "/usr/bin/python3", ["/usr/bin/python3", "-c", INTERRUPTED], "whole"),
    ("a storm of forks", "/usr/bin/python3", ["/usr/bin/python3", "-c", STORM], "stormed"),
    ("a pool of python", "/usr/bin/python3", ["/usr/bin/python3", "pool.py"], "124750", "landlock"),  # has no /dev/shm, and says so
    ("node", "node", ["node", "-e", NODE], "noded"),
    ("java", "java", ["java", "-XX:TieredStopAtLevel=1", "Many.java"], "javaed"),
    ("go", "go", ["sh", "-c", "go list -deps fmt | tail -1"], "fmt"),
    ("job control", "bash", ["bash", "-c", JOBS], "jobs"),
    ("a pipe without a reader yet", "sh", ["sh", "-c", FIFO], "unblocked"),
]
FILES = {"pool.py": POOL, "Many.java": JAVA}
