#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Print the lines of a build that fails: failing.py [earlier] > LINES

make runs test, whose status is only an answer, then gcc twice; the second cc1 fails.
"earlier" prints a build before it, in which cc1 was faster, and ld ran instead of the second gcc.
"""
import sys

# program, index of its parent, arguments, start and end in s, status, kind of failure
PROGRAMS = [
    ("make", -1, ["make"], 0, 10, 2, "passed on"),
    ("sh", 0, ["sh", "-c", "if test -e none; then echo; fi; gcc -c good.c"], 1, 4, 0, ""),
    ("test", 1, ["test", "-e", "none"], 1.5, 2, 1, "answer"),
    ("gcc", 1, ["gcc", "-c", "good.c"], 2, 4, 0, ""),
    ("cc1", 3, ["cc1", "good.c", "-o", "/tmp/good.s"], 2.5, 3.9, 0, ""),
    ("gcc", 0, ["gcc", "-c", "bad.c"], 5, 9, 1, "passed on"),
    ("cc1", 5, ["cc1", "bad.c", "-o", "/tmp/bad.s"], 5.5, 8.5, 1, "first"),
]
EARLIER = [
    ("make", -1, ["make"], 0, 10, 0, ""),
    PROGRAMS[1], PROGRAMS[2],
    ("gcc", 1, ["gcc", "-c", "good.c"], 2, 4, 0, ""),
    ("cc1", 3, ["cc1", "good.c", "-o", "/tmp/good.s"], 3.5, 3.9, 0, ""),
    ("ld", 0, ["ld", "-o", "prog"], 5, 9, 0, ""),
]
USED = 0.5              # processors that each program uses while it lives
MEMORY = 16 << 20       # bytes of the first program; the second has twice that, and so on


def main():
    events = []

    def upid(i):
        return (i + 1) << 22 | 100 + i

    def event(at, of, *lines):
        events.append((at, upid(of), lines))

    programs = EARLIER if sys.argv[1:] == ["earlier"] else PROGRAMS
    for i, (name, parent, args, begin, end, status, _) in enumerate(programs):
        path = "/usr/bin/" + name
        if parent >= 0:
            event(begin - 0.001, parent, "SchedFork|pid=%d" % upid(i))
        event(begin, i, "New_proc|argsize=%d,prognameisize=%d,prognamepsize=%d,cwdsize=4" % (
            sum(len(a) + 1 for a in args), len(path), len(path)),
            "PI|" + path, "PP|" + path, "CW|/src",
            *("A[%d]%s" % arg for arg in enumerate(args)), "End_of_args|")
        event(end, i, "Exit|status=%d" % status, "ExitTime|utime=%d,stime=0,maxrss=%d,minflt=0,majflt=0"
              % (round((end - begin) * USED * 1e9), (i + 1) * MEMORY))
    for at, of, lines in sorted(events, key=lambda e: e[0]):
        for k, line in enumerate(lines):
            ns = int(at * 1e9) + k + 5_000_000_000
            print("%d,0,%d,%09d!%s" % (of, ns // 10**9, ns % 10**9, line))


if __name__ == "__main__":
    main()
