# mach_o.py: prints the libraries that a Mach-O file loads, and fails if one of them is not the system's own, or if a
# program for arm64 has no signature, without which it would not start.
#   python3 tests/platforms/mach_o.py FILE
import struct
import sys

LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB = 0xC, 0x80000018, 0x8000001F
CODE_SIGNATURE, ARM64 = 0x1D, 0x0100000C

data = open(sys.argv[1], "rb").read()
magic, cpu, _sub, kind, commands = struct.unpack_from("<5I", data)
if magic != 0xFEEDFACF or kind != 2:
    sys.exit("not a 64-bit Mach-O program")
at, found, signed = 32, [], False
for _ in range(commands):
    command, size = struct.unpack_from("<2I", data, at)
    if command in (LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB):
        (offset,) = struct.unpack_from("<I", data, at + 8)
        found.append(data[at + offset : at + size].split(b"\0")[0].decode())
    signed = signed or command == CODE_SIGNATURE
    at += size
print(*found, sep="\n")
if found != ["/usr/lib/libSystem.B.dylib"]:
    sys.exit("links more, or less, than libSystem")
if cpu == ARM64 and not signed:
    sys.exit("is not signed")
print("%d library" % len(found))
