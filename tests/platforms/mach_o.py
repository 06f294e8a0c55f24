# mach_o.py: prints the libraries that a Mach-O file loads, and fails if one of them is not the system's own.
#   python3 tests/platforms/mach_o.py FILE
import struct
import sys

LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB = 0xC, 0x80000018, 0x8000001F

data = open(sys.argv[1], "rb").read()
magic, _cpu, _sub, kind, commands = struct.unpack_from("<5I", data)
if magic != 0xFEEDFACF or kind != 2:
    sys.exit("not a 64-bit Mach-O program")
at, found = 32, []
for _ in range(commands):
    command, size = struct.unpack_from("<2I", data, at)
    if command in (LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB):
        (offset,) = struct.unpack_from("<I", data, at + 8)
        found.append(data[at + offset : at + size].split(b"\0")[0].decode())
    at += size
print(*found, sep="\n")
if found != ["/usr/lib/libSystem.B.dylib"]:
    sys.exit("links more, or less, than libSystem")
print("%d library" % len(found))
