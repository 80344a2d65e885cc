#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check that two recordings of one workload are equal except for times and upids.

usage: compare.py [--ignore SUBSTRING]... [--known FILE] [--arm64] FIRST SECOND

Tasks are identified by their place in the tree: the third child of the second child
of the root. Each task must have the same lines in the same order. The root's lines
begin with its first execve. Exit 1 if the recordings differ.

FILE has known differences, as "PLACE -LINE" of the first recording and "PLACE +LINE" of
the second. These are patterns of the shell; all of them must match. --arm64: the first
recording has the flags of open(2) of arm64, the second those of x86.

Values that differ in every run are not compared: resource usage except the bytes that a
process read and wrote; inodes and times of files.
"""
import difflib
import fnmatch
import re
import sys


VARIES = re.compile(rb"\b(utime|stime|maxrss|minflt|majflt|rbytes|wbytes|ino|mtime)=-?\d+")

# Flags whose values are swapped between arm64 and x86: O_DIRECTORY and O_DIRECT, O_NOFOLLOW and
# O_LARGEFILE.
SWAPPED = ((0o40000, 0o200000), (0o100000, 0o400000))


def other_flags(flags):
    for a, b in SWAPPED:
        if bool(flags & a) != bool(flags & b):
            flags ^= a | b
    return flags


def read(name):
    """Return the lines of each task, in order, and the upid of the first execve."""
    tasks, root = {}, None
    with open(name, "rb") as f:
        for line in f:
            if b" [LOST " in line:
                print(f"{name}: {line.decode().strip()}")
                continue
            m = re.match(rb"(\d+),\d+,\d+,\d+!(.*)$", line, re.S)
            if not m:
                sys.exit(f"{name}: not a line of the format: {line[:80]!r}")
            upid, data = int(m.group(1)), m.group(2).rstrip(b"\n")
            if root is None and data.startswith(b"New_proc|"):
                root = upid
                tasks[upid] = []
            tasks.setdefault(upid, []).append(data)
    return tasks, root


def by_place(name, arm64=False):
    tasks, root = read(name)
    places, queue = {}, [(root, "root")]
    while queue:
        upid, place = queue.pop()
        lines, children = [], 0
        for data in tasks.pop(upid, []):
            if data.startswith(b"SchedFork|pid="):
                children += 1
                child = f"{place}.{children}"
                queue.append((int(data[14:]), child))
                data = b"SchedFork|pid=" + child.encode()
            if re.match(rb"[A-Z][a-z]+(Time|Io|File|Socket|Peer)\|", data):
                data = VARIES.sub(rb"\1=", data)
            if arm64 and data.startswith(b"Open"):
                data = re.sub(rb"(?<=\bflags=)\d+", lambda m: b"%d" % other_flags(int(m[0])), data)
            lines.append(re.sub(rb"/proc/\d+", b"/proc/PID", data))
        places[place] = lines
    return places, sum(map(len, tasks.values()))


class Known:
    """The known differences, and how often each was found."""

    def __init__(self, name):
        self.patterns = {}
        if name:
            with open(name, encoding="utf-8") as f:
                self.patterns = {s.rstrip("\n"): 0 for s in f if s.strip() and s[0] != "#"}

    def explains(self, place, x, y):
        x, y = ([d.decode(errors="backslashreplace") for d in side] for side in (x, y))
        good = True
        for line in list(difflib.unified_diff(x, y, lineterm="", n=0))[2:]:
            if line.startswith("@@"):
                continue
            for p in self.patterns:
                if fnmatch.fnmatchcase(f"{place} {line}", p):
                    self.patterns[p] += 1
                    break
            else:
                print(f"unknown difference: {place} {line[:200]}")
                good = False
        return good

    def unseen(self):
        return [p for p, n in self.patterns.items() if not n]


def main(args):
    ignore, known, arm64 = [], Known(None), False
    while args and args[0] in ("--ignore", "--known", "--arm64"):
        if args[0] == "--arm64":
            arm64 = True
            args = args[1:]
            continue
        if args[0] == "--known":
            known = Known(args[1])
        else:
            ignore.append(args[1].encode())
        args = args[2:]
    (a, left_a), (b, left_b) = by_place(args[0], arm64), by_place(args[1])
    bad = 0
    for place in sorted(a.keys() | b.keys()):
        x = [d for d in a.get(place, []) if not any(i in d for i in ignore)]
        y = [d for d in b.get(place, []) if not any(i in d for i in ignore)]
        if x == y or (known.patterns and known.explains(place, x, y)):
            continue
        bad += 1
        # Print the first difference, with a few lines around it.
        n = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
        print(f"{place}: {len(x)} and {len(y)} lines, different from line {n}")
        for i in range(max(0, n - 3), n + 3):
            for sign, side in ("<", x), (">", y):
                if i < len(side) and (i >= n or sign == "<"):
                    print(f"  {sign if i >= n else ' '} {side[i][:200]!r}")
    for pattern in known.unseen():
        bad += 1
        print(f"known difference did not occur: {pattern}")
    lines = sum(map(len, a.values()))
    print(f"{len(a)} and {len(b)} tasks, {lines} and {sum(map(len, b.values()))} lines; "
          f"{bad} tasks differ; {left_a} and {left_b} lines of tasks outside the tree")
    return 1 if bad or not lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
