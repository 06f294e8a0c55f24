# server.py: answers each line of JSON with one: the least that a server over stdio does.
import json
import sys

for line in sys.stdin:
    print(json.dumps({"echo": json.loads(line), "by": "python"}), flush=True)
