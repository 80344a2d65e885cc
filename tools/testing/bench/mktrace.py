#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make a trace for measurements: a long build as trace_pipe shows it.

usage: mktrace.py [--events N] [--processes N] [--seed N] [--plain] > FILE

A make runs jobs, --processes at a time: each is forked,
executes a compiler with a long command line, opens and closes headers, writes
an object file, renames it and exits.  The numbers of live processes and of files
do not depend on the number of events.  The same arguments give the same bytes.
"""
import argparse
import random
import sys


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--events", type=int, default=1000000)
    ap.add_argument("--processes", type=int, default=16)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--plain", action="store_true", help="no columns of ftrace")
    args = ap.parse_args()
    rnd = random.Random(args.seed)
    out = sys.stdout.buffer
    buf = []
    size = 0
    now = 1000 * 10**9
    seq = 1
    make = (1 << 22) | 4000
    events = 0
    headers = ["/usr/include/%s/%s_%d.h" % (d, n, i)
               for d in ("linux", "asm-generic", "x86_64-linux-gnu/bits", "c++/12")
               for n in ("types", "config", "stddef", "errno", "string_view")
               for i in range(400)]

    def event(upid, comm, name, lines):
        nonlocal now, size, events
        now += rnd.randrange(500, 20000)
        def prefix(i):
            t = now + i
            return "%d,%d,%d,%d!" % (upid, upid % 8, t // 10**9, t % 10**9)

        if args.plain:
            text = prefix(0) + lines[0] + "\n"
        else:
            text = "%16s-%-7d [%03d] d..2. %5d.%06d: etrace_%s: %s%s\n" % (
                comm, upid & 0x3fffff, upid % 8, now // 10**9,
                now % 10**9 // 1000, name, prefix(0), lines[0])
        for i, line in enumerate(lines[1:], 1):
            text += prefix(i) + line + "\n"
        buf.append(text)
        size += len(text)
        events += 1
        if size > 1 << 20:
            out.write("".join(buf).encode())
            buf.clear()
            size = 0

    def op(upid, comm, path, flags, fd):
        event(upid, comm, "open",
              ["Open|fnamesize=%d,forigsize=%d,flags=%d,mode=%d,fd=%d" % (
                  len(path), len(path), flags, 438 if flags else 0, fd),
               "FN|" + path, "FO|" + path])

    def job():
        """Emit the events of one compilation, a step at a time."""
        nonlocal seq
        seq += 1
        upid = (seq << 22) | (4001 + seq % 30000)
        n = rnd.randrange(5000)
        event(make, "make", "clone", ["SysClone|flags=18874385", "SchedFork|pid=%d" % upid])
        yield
        argv = (["gcc", "-O2", "-g", "-Wall", "-Iinclude"] +
                ["-DCONFIG_%d=%d" % (i, n) for i in range(rnd.randrange(5, 40))] +
                ["-c", "-o", "src/file%d.o" % n, "src/file%d.c" % n])
        event(upid, "make", "exec",
              ["New_proc|argsize=%d,prognameisize=12,prognamepsize=12,cwdsize=11" %
               sum(len(a) + 1 for a in argv), "PI|/usr/bin/gcc", "PP|/usr/bin/gcc",
               "CW|/home/build"] +
              ["A[%d]%s" % (i, a) for i, a in enumerate(argv)] + ["End_of_args|"])
        yield
        for _ in range(rnd.randrange(10, 60)):
            # almost every file includes a few of the headers; most headers are rare
            op(upid, "gcc", headers[int(len(headers) * rnd.random() ** 3)], 0, 3)
            yield
            event(upid, "gcc", "close", ["Close|fd=3"])
            yield
        tmp, obj = "/home/build/src/.tmp%d" % n, "/home/build/src/file%d.o" % n
        op(upid, "gcc", tmp, 577, 4)
        yield
        event(upid, "gcc", "close", ["Close|fd=4"])
        yield
        event(upid, "gcc", "rename",
              ["RenameFrom|fnamesize=%d" % len(tmp), "RF|" + tmp,
               "RenameTo|fnamesize=%d" % len(obj), "RT|" + obj])
        yield
        event(upid, "gcc", "exit", ["Exit|status=0"])

    jobs = []
    while events < args.events:
        while len(jobs) < args.processes:
            jobs.append(job())
        i = rnd.randrange(len(jobs))
        # a task emits a few events before another one does
        for _ in range(rnd.randrange(1, 5)):
            if next(jobs[i], jobs) is jobs:
                jobs.pop(i)
                break
    out.write("".join(buf).encode())


main()
