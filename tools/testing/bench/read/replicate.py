#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make a long recording from a short one by repeating its build.

usage: replicate.py DATA OUT ROUNDS

DATA has a recording of one build (../record/run), compressed with xz: the text
from the module and the raw pages of the ring buffers behind it.  OUT gets
"trace", "pages.0", "pages.1" and "formats" of ROUNDS such builds, one after the
other.  Each has its own tasks and times, and its own names for the tree that is
built and for temporary files; the files of the system stay the same.  The text
and the pages contain the same events.
"""
import lzma
import os
import re
import struct
import sys

PAGE = 4096
PID_BITS = 22
TREE = b"/root/patch"
TEMPORARY = b"/tmp/cc"
NS = 10**9


def unpacked(data, name):
    with lzma.open(os.path.join(data, name + ".xz")) as f:
        return f.read()


class Shift:
    """Map the tasks, times and names of the recording to those of a round."""

    def __init__(self, number, tasks, seconds):
        self.upid = number * tasks << PID_BITS
        self.seconds = number * seconds
        self.tree = b"/root/p%04d" % number
        self.temporary = b"/tmp/%02d" % number

    def names(self, data):
        return data.replace(TREE, self.tree).replace(TEMPORARY, self.temporary)


PREFIX = re.compile(rb"^(.{16}-\d+ +\[\d+\] \S+ +)?(?:(\d+)(\.\d{6}: etrace_\w+: ))?"
                    rb"(\d+),(\d+),(\d+),(\d+)!(.*)$", re.S)
CHILD = re.compile(rb"^(SchedFork\|pid=)(\d+)(.*)$", re.S)


def measure(lines):
    """Return the number of tasks and the number of whole seconds that a round needs."""
    upids, times = [], []
    for line in lines:
        m = PREFIX.match(line)
        if m:
            upids.append(int(m[4]))
            times.append(int(m[6]))
    return (max(upids) >> PID_BITS) + 1, max(times) - min(times) + 2


def text_round(lines, shift, out):
    for line in lines:
        m = PREFIX.match(line)
        if not m:
            if not line.startswith(b"#"):
                sys.exit("not understood: %r" % line)
            continue
        columns, sec, event, upid, cpu, time, ns, data = m.groups()
        child = CHILD.match(data)
        if child:
            data = child[1] + b"%d" % (int(child[2]) + shift.upid) + child[3]
        if columns:
            out.write(columns)
            out.write(b"%d" % (int(sec) + shift.seconds) + event)
        out.write(b"%d,%s,%d,%s!" % (int(upid) + shift.upid, cpu,
                                     int(time) + shift.seconds, ns))
        out.write(shift.names(data))


def fields_to_shift(formats):
    """Return for each event id the offsets of its 64-bit tasks and of its 64-bit times."""
    fields = {}
    for text in formats.split("==end\n"):
        ident = re.search(r"^ID: (\d+)$", text, re.M)
        if not ident:
            continue
        found = re.findall(r"field:u64 (\w+);\s+offset:(\d+);", text)
        fields[int(ident[1])] = (
            [int(at) for name, at in found if name in ("upid", "child", "target")],
            [int(at) for name, at in found if name in ("time", "since")])
    return fields


def records(page, base):
    """Yield the offset of the data of each record in a page of the ring buffer."""
    (commit,) = struct.unpack_from("=Q", page, base + 8)
    at = base + 16
    end = at + (commit & 0xfffff)
    while at < end:
        (head, first) = struct.unpack_from("=II", page, at)
        kind = head & 31
        if kind == 29:          # padding
            if not head >> 5:
                return
            at += 4 + first
        elif kind >= 30:        # an extended or absolute time
            at += 8
        elif kind:
            yield at + 4
            at += 4 + 4 * kind
        else:
            yield at + 8
            at += 4 + (first + 3) // 4 * 4


def pages_round(pages, places, shift, out):
    data = bytearray(shift.names(pages))
    for base in range(0, len(data), PAGE):
        (ts,) = struct.unpack_from("=Q", data, base)
        struct.pack_into("=Q", data, base, ts + shift.seconds * NS)
    for at, add in places:
        (v,) = struct.unpack_from("=Q", data, at)
        struct.pack_into("=Q", data, at, v + (shift.seconds * NS if add else shift.upid))
    out.write(data)


def main():
    data, to, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    lines = unpacked(data, "trace").splitlines(keepends=True)
    formats = unpacked(data, "formats")
    shifts = [Shift(i, *measure(lines)) for i in range(rounds)]
    assert len(shifts[-1].names(TREE + TEMPORARY)) == len(TREE + TEMPORARY)
    with open(os.path.join(to, "trace"), "wb") as out:
        for shift in shifts:
            text_round(lines, shift, out)
    with open(os.path.join(to, "formats"), "wb") as out:
        out.write(formats)
    fields = fields_to_shift(formats.decode())
    for name in ("pages.0", "pages.1"):
        pages = unpacked(data, name)
        places = []
        for base in range(0, len(pages), PAGE):
            for at in records(pages, base):
                tasks, times = fields[struct.unpack_from("=H", pages, at)[0]]
                places += [(at + off, False) for off in tasks]
                places += [(at + off, True) for off in times]
        with open(os.path.join(to, name), "wb") as out:
            for shift in shifts:
                pages_round(pages, places, shift, out)


main()
