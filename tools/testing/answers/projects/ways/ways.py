#!/usr/bin/python3 -SIB
# SPDX-License-Identifier: GPL-2.0
"""Ways of moving data that a shell does not have; cases calls them and has the truth."""

import ctypes
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time


def run(command, stdin, stdout):
    """A program with these descriptors, which are closed here."""
    pid = os.fork()
    if not pid:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.closerange(3, 64)
        os.execvp(command[0], command)
    os.close(stdin)
    os.close(stdout)
    return pid


def create(name):
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)


def read(name):
    with open(name, "rb") as f:
        return f.read()


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)


def temporary(source, target):
    """By a temporary file, which a child writes by its name."""
    with tempfile.NamedTemporaryFile(dir=".") as f:
        subprocess.run(["sort", "-o", f.name, source], check=True)
        write(target, f.read())


def pair_to(source, target):
    """To a child's standard input, by a socket pair."""
    ours, theirs = socket.socketpair()
    pid = run(["sort"], theirs.detach(), create(target))
    ours.sendall(read(source))
    ours.close()
    os.waitpid(pid, 0)


def pair_from(source, target):
    """From a child's standard output."""
    ours, theirs = socket.socketpair()
    pid = run(["sort", source], os.open("/dev/null", os.O_RDONLY), theirs.detach())
    write(target, ours.recv(100))
    os.waitpid(pid, 0)


def pair_back(source, target):
    """Both ways by one pair: a program at one end, at the other one that writes, then one that reads."""
    ours, theirs = socket.socketpair()
    fd = theirs.detach()
    sort = run(["sort"], os.dup(fd), fd)
    ours.set_inheritable(True)
    begin = f"import socket,sys;s=socket.socket(fileno={ours.fileno()});"
    for rest in ("s.sendall(open(sys.argv[1],'rb').read());s.shutdown(1)",
                 "open(sys.argv[2],'wb').write(s.recv(100))"):
        subprocess.run([sys.executable, "-SIBc", begin + rest, source, target],
                       close_fds=False, check=True)
    os.waitpid(sort, 0)


def packets(source, target):
    """SOCK_SEQPACKET, by sendmsg and recvmsg, between a process and what it forked."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if not pid:
        theirs.sendmsg([read(source)])
        os._exit(0)
    write(target, ours.recvmsg(100)[0])
    os.waitpid(pid, 0)


CLIENT = ("import socket,sys;s=socket.socket(socket.AF_UNIX);s.connect('socket');"
          "s.sendall(sys.argv[1].encode());open(sys.argv[2],'wb').write(s.recv(100))")


def listen():
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket")
    server.listen()
    return server


def answer(own):
    """In a process of its own."""
    if not os.fork():
        own.sendall(read(own.recv(100)))
        os._exit(0)


def clients(files):
    """Each asks for a file and writes the answer."""
    for i in range(0, len(files), 2):
        yield subprocess.Popen([sys.executable, "-SIBc", CLIENT, *files[i:i + 2]])


def serve(*files):
    """A server with a name, and one client after the other."""
    server = listen()
    for client in clients(files):
        own, _ = server.accept()
        answer(own)
        own.close()
        os.wait()
        client.wait()
    os.remove("socket")


def crowd(*files):
    """All have connected before one is accepted, by several processes."""
    server = listen()
    waiting = list(clients(files))
    time.sleep(1)
    for client in waiting:
        if not os.fork():
            answer(server.accept()[0])
            os.wait()
            os._exit(0)
    for client in waiting:
        client.wait()
        os.wait()
    os.remove("socket")


def receive(target):
    """Datagrams to a name."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    server.bind("datagrams")
    write(target, server.recv(100))
    os.remove("datagrams")


def send(source, connects=False):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    data = read(source)
    while True:
        try:
            if connects:
                client.connect("datagrams")
                client.send(data)
            else:
                client.sendto(data, "datagrams")
            return
        except OSError:
            os.sched_yield()


def unnamed(source, target):
    """O_TMPFILE and linkat."""
    data = read(source)
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o644)
    os.write(fd, data)
    libc = ctypes.CDLL(None)
    if libc.linkat(-100, b"/proc/self/fd/%d" % fd, -100, target.encode(), 0x400):
        sys.exit("linkat")


def memory(source, target):
    """A memfd, filled by a child, copied by another."""
    fd = os.memfd_create("between", 0)
    os.waitpid(run(["sort"], os.open(source, os.O_RDONLY), os.dup(fd)), 0)
    os.lseek(fd, 0, os.SEEK_SET)
    os.waitpid(run(["cat"], fd, create(target)), 0)


def each(copy, files):
    """One process copies them all."""
    for i in range(0, len(files), 2):
        source, target = os.open(files[i], os.O_RDONLY), create(files[i + 1])
        copy(source, target)
        os.close(source)
        os.close(target)


def by_pipe(source, target):
    out, into = os.pipe()
    os.splice(source, into, 100)
    os.splice(out, target, 100)
    os.close(out)
    os.close(into)


def after(source, target, other):
    """Reads another file when all is written, and closes then."""
    fd = create(target)
    os.write(fd, read(source))
    read(other)
    os.close(fd)


def swap(one, other):
    """RENAME_EXCHANGE"""
    if ctypes.CDLL(None).renameat2(-100, one.encode(), -100, other.encode(), 2):
        sys.exit("renameat2")


def pool(*files):
    """Two slots for three children: tokens in a pipe, which they give back."""
    out, into = os.pipe()
    os.write(into, b"++")
    children = []
    for i in range(0, len(files), 2):
        token = os.read(out, 1)
        children.append(os.fork())
        if not children[-1]:
            pid = run(["sort"], os.open(files[i], os.O_RDONLY), create(files[i + 1]))
            os.waitpid(pid, 0)
            os.write(into, token)
            os._exit(0)
    for pid in children:
        os.waitpid(pid, 0)


WAYS = {
    "pair_to": pair_to, "pair_from": pair_from, "pair_back": pair_back, "packets": packets,
    "serve": serve, "temporary": temporary, "crowd": crowd, "receive": receive, "send": send,
    "unnamed": unnamed, "memory": memory,
    "ranged": lambda *f: each(lambda s, t: os.copy_file_range(s, t, 100), f),
    "sendfile": lambda *f: each(lambda s, t: os.sendfile(t, s, 0, 100), f),
    "spliced": lambda *f: each(by_pipe, f),
    "read": lambda *f: each(lambda s, t: os.write(t, os.read(s, 100)), f),
    "tree": shutil.copytree, "after": after, "swap": swap, "pool": pool,
}
WAYS[sys.argv[1]](*sys.argv[2:])
