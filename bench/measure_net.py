"""measure_net.py: the network by name: real programs through it, and the relay by itself.

Invariant: as measure_start.py. Not here: the servers and the clocks (net_programs.py, net_speed.py, net_load.cc), the budgets (rows.py).
"""
import json
import pathlib
import subprocess

import net_speed
from place import Cannot, Failed, last_line, sample

HERE = pathlib.Path(__file__).resolve().parent
SCALE = {"download": 1e-6, "upload": 1e-6, "connect": 1e3, "requests": 1, "start": 1e3}
WHERE = {"direct": "direct", "floor": "plainest relay", "relayed": "relayed"}


def programs(bench):
    srt = bench.contender("srt")
    words = [] if srt.cannot else ["--srt", str(srt.program)]
    done = subprocess.run([HERE / "net_programs.py", bench.place.bin / "pinfold", *words, "--rounds", str(2 if bench.quick else 7)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed("the network: " + last_line(done.stderr))
    return json.loads(done.stdout)


def by_name(row):
    def measure(bench):
        everything = bench.once(programs)
        found = {who: sample([number * SCALE[row] for number in each]) for who, each in everything[row].items()}
        others = {each.name: each.domains or Cannot(everything["cannot"].get(each.name, "not measured")) for each in bench.peers()}
        return bench.everyone({**others, **found})
    return measure


def relay(bench):
    place = bench.place
    return net_speed.samples(place.bin / "relay_driver", place.bin / "net_load", 2 if bench.quick else 7, place.become)


def relayed(row):
    def measure(bench):
        scale = 1e-3 if row == "connect" else 1
        return {WHERE[where]: sample([number * scale for number in numbers]) for where, numbers in bench.once(relay)[row].items()}
    return measure
