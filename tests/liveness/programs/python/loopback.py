"""A server and a client on the loopback device of the same sandbox, by address and by name."""
import http.server
import socket
import threading
import urllib.request

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for host in ("127.0.0.1", "localhost"):
    with urllib.request.urlopen("http://%s:%d/" % (host, server.server_port), timeout=10) as answer:
        assert answer.status == 200
here, there = socket.socketpair(socket.AF_UNIX)
here.sendall(b"x")
assert there.recv(1) == b"x"
listener = socket.socket(socket.AF_UNIX)
listener.bind("socket")
listener.listen()
client = socket.socket(socket.AF_UNIX)
client.connect("socket")
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"u", udp.getsockname())
assert udp.recv(1) == b"u"
print("tcp, udp and unix sockets: fine")
