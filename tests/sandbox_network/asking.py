"""asking.py: approval requests for names and addresses without a grant, while their query or connection waits."""
import contextlib
import re
import time

from world import PUBLIC, SECRET

# An address of this host needs a grant as an address, under any name.
NEAR = ("--net", PUBLIC + ":80", "--net", PUBLIC + ":7001")
CONNECT = "exec 3<>/dev/tcp/%s/%d && cat <&3"
SWAP = r"""
import ctypes, os, socket, struct, sys, threading
good, bad = (struct.pack("=H", socket.AF_INET) + struct.pack(">H", 7001) + socket.inet_aton(a) + bytes(8) for a in sys.argv[1:3])
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(good, 16)
def connect(address):
    s = socket.socket(); code = libc.connect(s.fileno(), address, 16); return s, code
for first in (good, bad):
    s, code = connect(ctypes.create_string_buffer(first, 16)); print("first", code, flush=True); s.close()
stop, swaps = False, 0
def swap():
    global swaps
    while not stop or swaps < 1000000:
        ctypes.memmove(buffer, bad if swaps % 2 else good, 16); swaps += 1
t = threading.Thread(target=swap); t.start()
done = 0
for i in range(2000):
    s, code = connect(buffer); done += code == 0; s.close()
stop = True; t.join(); print("swaps", swaps, "connected", done)
"""


def calls_wait(world):
    """Elsewhere only names are asked about at once; connections when the command has ended."""
    return world.backend in ("auto", "native")


def check_a_name_granted_while_its_query_waits(world):
    for key, flags in (("s", NEAR), ("o", NEAR), ("s", (*NEAR, "--net", "other.test"))):
        with contextlib.closing(world.asked("curl -sS --max-time 60 http://public.test/page; echo ended $?", *flags)) as one:
            one.wait_for(r"wants to connect.*what\s+public\.test")
            if key == "o":
                time.sleep(6)  # longer than a name server may take
            one.answer(key)
            one.wait_for(SECRET + ".*ended 0")
            one.end()
            assert one.text.count("wants to") == 1, one.text


def check_a_name_refused(world):
    with contextlib.closing(world.asked("curl -sS http://public.test/page; curl -sS http://public.test/page; echo ended $?")) as one:
        one.wait_for("wants to connect")
        one.answer("d")
        one.wait_for("ended 6")
        one.end()
        assert one.text.count("wants to") == 1 and SECRET not in one.text, one.text
        assert "public.test" in one.text.split("denied")[-1], one.text
    assert "more.public.test" not in world.names.asked


def check_once_is_over_with_its_connection(world):
    script = "curl -sS http://public.test/page; sleep 2.5; curl -sS http://public.test/page; echo ended $?"
    with contextlib.closing(world.asked(script, *NEAR)) as one:
        one.wait_for("wants to connect")
        one.answer("o")
        one.wait_for(SECRET)
        one.wait_for("wants to connect")
        one.answer("d")
        one.wait_for("ended 6")
        one.end()


def check_another_port_of_a_granted_name(world):
    if not calls_wait(world):
        return
    with contextlib.closing(world.asked(CONNECT % ("public.test", 7001), "--net", "public.test", *NEAR)) as one:
        one.wait_for(r"wants to connect.*what\s+public\.test:7001")
        one.answer("s")
        one.wait_for(SECRET)


def check_an_address(world):
    if not calls_wait(world):
        return
    with contextlib.closing(world.asked(CONNECT % (PUBLIC, 7001))) as one:
        one.wait_for(r"wants to connect.*what\s+" + re.escape(PUBLIC) + ":7001")
        one.answer("s")
        one.wait_for(SECRET)


def check_a_denied_name_is_not_asked_about(world):
    with contextlib.closing(world.asked("curl -sS http://more.public.test/; echo ended $?", "--net", "*.public.test", "--net",
                                        "!more.public.test")) as one:
        one.wait_for("ended 6")
        one.end()
        assert "wants to" not in one.text, one.text


def check_an_address_swapped_a_million_times(world):
    """Row 18, for addresses: one is granted, the other refused."""
    if not calls_wait(world):
        return
    before = world.elsewhere.accepted
    with contextlib.closing(world.asked(f"python3 -c '{SWAP}' {PUBLIC} 10.77.0.2")) as one:
        one.wait_for("wants to connect")
        one.answer("s")
        one.wait_for("first 0")
        one.wait_for("wants to connect")
        one.answer("d")
        one.wait_for("first -1")
        found = one.wait_for(r"swaps (\d+) connected (\d+)", 600)
        one.end()
    assert int(found[1]) >= 1000000 and int(found[2]) > 10, found[0]
    assert world.elsewhere.accepted == before
