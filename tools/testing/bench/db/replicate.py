#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make a long trace from a short one by repeating its build.

usage: replicate.py ROUNDS < LINES > LINES

Each round has its own tasks and times, and its own names and inodes for the tree
that is built (/build) and for temporary files; the files of the system stay the
same.  LINES are in the format of "etrace-read --to etrace".
"""
import re
import sys

PID_BITS = 22
NS = 10**9
TREES = re.compile(rb"/build/|/tmp/cc")
LINE = re.compile(rb"^(\d+),(\d+),(\d+),(\d+)!(.*\n)$", re.S)
CHILD = re.compile(rb"^(SchedFork\|pid=)(\d+)(.*)$", re.S)
INODE = re.compile(rb"^(OpenFile\|dev=\d+,ino=)(\d+)(.*)$", re.S)


def parts(lines):
    """Yield for each line: a format string, its numbers, and what each number is."""
    own = False
    for line in lines:
        m = LINE.match(line)
        upid, cpu, sec, ns, data = int(m[1]), m[2], int(m[3]), m[4], m[5]
        if data.startswith((b"FN|", b"FO|")):
            own = bool(TREES.search(data))
        child, inode = CHILD.match(data), INODE.match(data)
        values, keys = [upid, sec], ["upid", "sec"]
        text = b"%%d,%s,%%d,%s!" % (cpu, ns)
        if child or (inode and own):
            head, number, tail = (child or inode).groups()
            text += head + b"%d" + tail.replace(b"%", b"%%")
            values.append(int(number))
            keys.append("upid" if child else "ino")
        else:
            text += data.replace(b"%", b"%%")
        yield text, values, keys


def main():
    rounds = int(sys.argv[1])
    found = list(parts(sys.stdin.buffer.readlines()))
    tasks = max(v[0] for _, v, _ in found) >> PID_BITS
    times = [v[1] for _, v, _ in found]
    inodes = max((v[2] for _, v, k in found if k[-1] == "ino"), default=0)
    step = {"upid": tasks + 1 << PID_BITS, "sec": max(times) - min(times) + 1, "ino": inodes + 1}
    text = b"".join(t for t, _, _ in found)
    values = [v for _, vs, _ in found for v in vs]
    steps = [step[k] for _, _, ks in found for k in ks]
    # new names have the same length, since lines contain their sizes
    cuts = TREES.split(text)
    names = TREES.findall(text)
    for r in range(rounds):
        new = {b"/build/": b"/b%04d/" % r, b"/tmp/cc": b"/t%04d/" % r}
        out = [cuts[0]]
        for name, cut in zip(names, cuts[1:]):
            out += (new[name], cut)
        sys.stdout.buffer.write(b"".join(out) %
                                tuple(v + r * s for v, s in zip(values, steps)))


main()
