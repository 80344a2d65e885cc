#!/usr/bin/python3 -SIB
# SPDX-License-Identifier: GPL-2.0
"""Ways of copying that a shell does not have; the truth lines are of flows."""

import mmap
import os
import sys


def child(command, stdin, stdout):
    """Run it to its end; the descriptors are closed here."""
    pid = os.fork()
    if not pid:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.execvp(command[0], command)
    os.close(stdin)
    os.close(stdout)
    os.waitpid(pid, 0)


def mapped(source, target):
    """Read by a mapping, written by a mapping."""
    with open(source, "rb") as f, open(target, "w+b") as t:
        m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
        t.truncate(len(m))
        o = mmap.mmap(t.fileno(), len(m))
        o[:] = m[:]
        o.close()
        m.close()


def sent(source, target):
    with open(source, "rb") as f, open(target, "wb") as t:
        os.sendfile(t.fileno(), f.fileno(), 0, 100)


def ranged(source, target):
    with open(source, "rb") as f, open(target, "wb") as t:
        os.copy_file_range(f.fileno(), t.fileno(), 100)


def spliced(source, target):
    r, w = os.pipe()
    with open(source, "rb") as f, open(target, "wb") as t:
        n = os.splice(f.fileno(), w, 100)
        os.splice(r, t.fileno(), n)
    os.close(r)
    os.close(w)


def in_memory(source, target):
    """Through a file without a name, which a child inherits."""
    fd = os.memfd_create("between", 0)
    with open(source, "rb") as f:
        os.write(fd, f.read())
    os.lseek(fd, 0, os.SEEK_SET)
    child(["cat"], fd, os.open(target, os.O_WRONLY | os.O_CREAT, 0o644))


def through_child(source, target):
    """A program that writes to its child and reads what that makes of it."""
    to_r, to_w = os.pipe()
    from_r, from_w = os.pipe()
    with open(source, "rb") as f:
        os.write(to_w, f.read())
    os.close(to_w)
    child(["sort"], to_r, from_w)
    with open(target, "wb") as t:
        t.write(os.read(from_r, 100))


def positions(source, target):
    """pread and pwrite."""
    fd = os.open(source, os.O_RDONLY)
    out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.pwrite(out, os.pread(fd, 100, 0), 0)
    os.close(fd)
    os.close(out)


def by_vector(source, target):
    """readv and writev, by descriptors that were moved."""
    fd = os.open(source, os.O_RDONLY)
    os.dup2(fd, 40)
    os.close(fd)
    out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(out, 41)
    os.close(out)
    part = [bytearray(3), bytearray(20)]
    os.readv(40, part)
    os.writev(41, part)
    os.close(40)
    os.close(41)


def relative(source, target):
    """By names below a directory's descriptor."""
    here = os.open(".", os.O_DIRECTORY)
    there = os.open(os.path.dirname(source), os.O_DIRECTORY)
    fd = os.open(os.path.basename(source), os.O_RDONLY, dir_fd=there)
    out = os.open(target, os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=here)
    os.write(out, os.read(fd, 100))
    for each in (fd, out, here, there):
        os.close(each)


def unread(source, target):
    """Opened, not read: no input.  Then the one that counts."""
    with open("../in/a", "rb"), open(source, "rb") as f, open(target, "wb") as t:
        t.write(f.read())


WAYS = {
    "mapped": mapped, "sent": sent, "ranged": ranged, "spliced": spliced, "memory": in_memory,
    "child": through_child, "positions": positions, "vector": by_vector, "relative": relative,
    "unread": unread,
}
WAYS[sys.argv[1]](*sys.argv[2:])
