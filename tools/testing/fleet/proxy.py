#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A proxy that simulates faults between an HTTP client and its server.

proxy.py --to HOST:PORT --port-file FILE --control FILE --log FILE [--cert PEM --key KEY]

The proxy listens on a free port of 127.0.0.1, which it writes to the port file; with a
certificate, it uses TLS.  It forwards each request.  The control file selects a fault.  The
proxy reads it before each request, and restarts its counters when it changes (rename another
file to its name):

  pass              no fault
  reset             reset each connection before reading from it
  cut N             cut the connection, in both directions, at the N-th byte of all bodies;
                    only once
  cut-each N        cut it at the N-th byte of each body that is long enough
  lose K [COUNT]    forward COUNT requests (default: 1) from the K-th on, but drop their
                    answers
  status CODE K [COUNT]   answer COUNT requests from the K-th on with CODE, and do not
                    forward them
  half K            pass on half of the K-th answer
  slow N            forward N bytes of bodies per second
  stall K           from the K-th request on, neither forward nor answer
  kill-before K PIDFILE   kill the process when the K-th request arrives
  kill-after K PIDFILE    kill it when the server has answered the K-th request; drop the answer
  kill-at N PIDFILE       kill it when N bytes of bodies have been forwarded

The log has a line with a JSON object for each request: n (since the control file changed), url,
size and begin of the body, headers (names), mode, did (what the proxy did), status.
"""

import argparse
import http.client
import json
import os
import signal
import socket
import ssl
import struct
import sys
import threading
import time

CHUNK = 4096


class Cut(Exception):
    """Ends the connections of a request."""


class Control:
    """The words of the control file, and the counters since it changed."""

    def __init__(self, path, log):
        self.path = path
        self.log = open(log, "a", buffering=1)
        self.lock = threading.Lock()
        self.seen = None
        self.words = ["pass"]
        self.requests = self.bytes = 0
        self.done = False

    def look(self):
        """Return the words, read again if the file has changed."""
        with self.lock:
            try:
                st = os.stat(self.path)
                seen = (st.st_ino, st.st_mtime_ns)
                if seen != self.seen:
                    with open(self.path) as f:
                        self.words = f.read().split() or ["pass"]
                    self.seen = seen
                    self.requests = self.bytes = 0
                    self.done = False
            except FileNotFoundError:
                pass
            return self.words

    def request(self):
        with self.lock:
            self.requests += 1
            return self.requests

    def count(self, n):
        """Add n bytes.  Return their number before."""
        with self.lock:
            self.bytes += n
            return self.bytes - n

    def once(self):
        with self.lock:
            first = not self.done
            self.done = True
            return first

    def write_log(self, **what):
        with self.lock:
            self.log.write(json.dumps(what) + "\n")


def kill(path):
    with open(path) as f:
        pid = int(f.read())
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def reset(sock):
    """Reset a connection; data that is still in transit is lost."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    sock.close()


def read_head(f):
    """Return a request's method, URL and headers, None at the end of the connection."""
    first = f.readline(1 << 20)
    if not first.endswith(b"\r\n"):
        return None
    headers = http.client.parse_headers(f)
    method, url, _ = first.decode("latin1").split(" ", 2)
    return method, url, headers


def body_of(f, headers):
    """Yield the pieces of the body."""
    if headers.get("Expect", "").lower() == "100-continue":
        raise ValueError("a program that waits before it sends a body is not handled")
    if "Transfer-Encoding" in headers:
        raise ValueError("a body of pieces is not handled")
    left = int(headers.get("Content-Length", 0))
    while left:
        piece = f.read1(min(left, CHUNK))
        if not piece:
            raise Cut("the program")
        left -= len(piece)
        yield piece


class Connection:
    """A connection from the program; each request gets its own one to the server."""

    def __init__(self, sock, control, to):
        self.sock = sock
        self.control = control
        self.to = to

    def serve(self):
        if self.control.look()[0] == "reset":
            self.control.write_log(did="reset")
            reset(self.sock)
            return
        f = self.sock.makefile("rb")
        try:
            while self.one(f):
                pass
        except (Cut, OSError, ValueError, ssl.SSLError, http.client.HTTPException) as e:
            print(f"proxy: {type(e).__name__}: {e}", file=sys.stderr)
        f.close()
        reset(self.sock)

    def one(self, f):
        """Serve one request.  Return whether more may follow."""
        head = read_head(f)
        if head is None:
            return False
        method, url, headers = head
        mode, *args = self.control.look()
        entry = {"n": self.control.request(), "url": url, "headers": list(headers.keys()),
                "mode": mode, "did": "cut", "size": 0, "begin": ""}
        try:
            return self.handle(f, mode, args, entry, (method, url, headers))
        finally:
            self.control.write_log(**entry)

    def is_at(self, args, n):
        """Return whether request n is one of COUNT from the K-th on; args: K [COUNT]."""
        first = int(args[0])
        return first <= n < first + (int(args[1]) if len(args) > 1 else 1)

    def handle(self, f, mode, args, entry, head):
        method, url, headers = head
        n = entry["n"]
        if mode == "kill-before" and n == int(args[0]):
            kill(args[1])
            entry["did"] = "killed"
            return False
        if mode == "stall" and n >= int(args[0]):
            entry["did"] = "stalled"
            while self.sock.recv(1 << 16):
                pass
            return False
        if mode == "status" and self.is_at(args[1:], n):
            for piece in body_of(f, headers):
                entry["size"] += len(piece)
            entry["did"] = "status"
            text = b"the proxy is overloaded\n"
            self.sock.sendall(b"HTTP/1.1 %s Somehow\r\nContent-Length: %d\r\n\r\n%s"
                              % (args[0].encode(), len(text), text))
            return True

        server = socket.create_connection(self.to)
        try:
            self.send(server, f, mode, args, entry, head)
            status, answer, rest = self.answer(server, method)
        finally:
            server.close()
        entry["status"] = status
        if mode == "kill-after" and n == int(args[0]):
            kill(args[1])
            entry["did"] = "killed"
            return False
        if mode == "lose" and self.is_at(args, n):
            entry["did"] = "lost"
            return False
        if mode == "half" and n == int(args[0]):
            entry["did"] = "half"
            self.sock.sendall(answer + rest[:len(rest) // 2])
            return False
        entry["did"] = "passed"
        self.sock.sendall(answer + rest)
        return True

    def send(self, server, f, mode, args, entry, head):
        """Forward a request."""
        method, url, headers = head
        lines = [f"{method} {url} HTTP/1.1"]
        lines += [f"{k}: {v}" for k, v in headers.items() if k.lower() != "connection"]
        lines += ["Connection: close", "", ""]
        server.sendall("\r\n".join(lines).encode("latin1"))
        for piece in body_of(f, headers):
            if not entry["size"]:
                entry["begin"] = piece[:300].decode("latin1")
            before = self.control.count(len(piece))
            if mode == "cut-each":
                before = entry["size"]
            if mode in ("cut", "cut-each", "kill-at"):
                at = int(args[0])
                if before < at <= before + len(piece) and (mode == "cut-each" or self.control.once()):
                    server.sendall(piece[:at - before])
                    entry["size"] += at - before
                    if mode == "kill-at":
                        kill(args[1])
                        entry["did"] = "killed"
                    raise Cut(f"at byte {at}")
            if mode == "slow":
                time.sleep(len(piece) / int(args[0]))
            try:
                server.sendall(piece)
            except OSError:
                # the server has answered before it read everything; go on
                pass
            entry["size"] += len(piece)

    def answer(self, server, method):
        """Return the server's answer: its status, and its head and body as bytes."""
        r = http.client.HTTPResponse(server, method=method)
        r.begin()
        body = r.read()
        lines = [f"HTTP/1.1 {r.status} {r.reason}"]
        lines += [f"{k}: {v}" for k, v in r.getheaders()
                  if k.lower() not in ("connection", "transfer-encoding", "content-length", "keep-alive")]
        lines += [f"Content-Length: {len(body)}", "", ""]
        return r.status, "\r\n".join(lines).encode("latin1"), body


def main():
    p = argparse.ArgumentParser()
    for name in ("to", "port-file", "control", "log"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--cert")
    p.add_argument("--key")
    a = p.parse_args()

    host, port = a.to.rsplit(":", 1)
    control = Control(a.control, a.log)
    context = None
    if a.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(a.cert, a.key)
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    with open(a.port_file + ".new", "w") as f:
        print(listener.getsockname()[1], file=f)
    os.rename(a.port_file + ".new", a.port_file)

    def serve(sock):
        if context:
            try:
                sock = context.wrap_socket(sock, server_side=True)
            except (OSError, ssl.SSLError) as e:
                control.write_log(did="no TLS", why=str(e))
                sock.close()
                return
        Connection(sock, control, (host, int(port))).serve()

    while True:
        sock, _ = listener.accept()
        threading.Thread(target=serve, args=(sock,), daemon=True).start()


main()
