#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace time: builds whose times are known, and ninja's own log.

. "${0%/*}/../lib.sh"

cat > times.py <<'END'
import json, os, sys
kind, answer = sys.argv[1], json.load(open("answer"))
rows = answer["critical"]
bad = []
if kind == "covers":
    at = 0
    for row in rows:
        if row["from_ns"] != at or row["to_ns"] <= at:
            bad.append("a gap at %d" % at)
        at = row["to_ns"]
    if at != answer["wall_ns"] or sum(answer["width_ns"]) != answer["wall_ns"]:
        bad.append("sums: %d %d %d" % (at, sum(answer["width_ns"]), answer["wall_ns"]))
    if answer["endless_ns"] > answer["wall_ns"]:
        bad.append("slower with unlimited CPUs")
    saves = [r["saves_ns"] for r in answer["faster"]]
    if saves != sorted(saves, reverse=True) or not 0 < len(saves) <= 5:
        bad.append("faster: %s" % saves)
    if any(r["saves_ns"] > min(r["took_ns"], answer["wall_ns"]) for r in answer["faster"]):
        bad.append("saves more than it took: %s" % answer["faster"])
elif kind == "faster":
    # steps in sequence: the time each slept is the time it saves, in tenths of seconds
    got = [round(r["saves_ns"] / 1e8) for r in answer["faster"] if r["text"].startswith("sleep ")]
    want = [int(n) for n in sys.argv[2].split()]
    if len(got) != len(want) or any(not w <= g <= w + 2 for g, w in zip(got, want)):
        bad.append("faster: %s, not %s" % (got, want))
elif kind == "sleeps":
    # the programs that slept on the critical path, in tenths of seconds
    slept = [round((r["to_ns"] - r["from_ns"]) / 1e8) for r in rows
             if os.path.basename(r.get("program", "")) == "sleep" and
             r["to_ns"] - r["from_ns"] > 3e8]
    want = [int(n) for n in sys.argv[2].split()]
    if len(slept) != len(want) or any(not w <= s <= w + 2 for s, w in zip(slept, want)):
        bad.append("slept %s, not %s" % (slept, want))
elif kind == "adds-up":
    rows = sum(r["total_ns"] for r in answer["slowest"]) + answer.get("rest", {"total_ns": 0})["total_ns"]
    widths = sum(i * ns for i, ns in enumerate(answer["width_ns"]))
    if not rows == widths == answer["worked_ns"]:
        bad.append("sum of rows %d, sum of widths %d, total %d" % (rows, widths, answer["worked_ns"]))
elif kind == "worked":
    # PROGRAM=SECONDS...: all that ran for more than a millisecond
    got = {os.path.basename(r["program"]): r["total_ns"] / 1e9 for r in answer["slowest"]}
    want = {name: float(s) for name, s in (w.split("=") for w in sys.argv[2:])}
    if {n for n, s in got.items() if s > 1e-3} != set(want) or \
       any(abs(got[n] - s) > 1e-3 for n, s in want.items()):
        bad.append("worked: %s, not %s" % (got, want))
elif kind == "path":
    # PROGRAM=SECONDS=WHY[=FILE]...
    got = ["=".join([os.path.basename(r["program"]), "%.1f" % ((r["to_ns"] - r["from_ns"]) / 1e9), r["why"],
                     *([r["file"]] if "file" in r else [])])
           for r in rows if r["to_ns"] - r["from_ns"] > 1e6]
    if got != sys.argv[2:]:
        bad.append("path: %s, not %s" % (got, sys.argv[2:]))
elif kind == "unsure":
    if abs(answer["unsure_ns"] / 1e9 - float(sys.argv[2])) > 1e-3:
        bad.append("unsure: %d" % answer["unsure_ns"])
elif kind == "unlimited":
    if not float(sys.argv[2]) <= answer["endless_ns"] / 1e9 <= float(sys.argv[3]):
        bad.append("unlimited: %d" % answer["endless_ns"])
elif kind == "ninja":
    ours = {r["output"]: (r["from_ns"] / 1e6, r["to_ns"] / 1e6) for r in answer["slowest"]}
    log = []
    for line in open(sys.argv[2]):
        if not line.startswith("#"):
            start, end, _, name, _ = line.split("\t")
            log.append((float(start), float(end), os.path.join(sys.argv[3], name)))
    offsets, spread = [], []
    for start, end, name in log:
        if name not in ours:
            bad.append("missing: " + name)
            continue
        offsets += [ours[name][0] - start, ours[name][1] - end]
    median = sorted(offsets)[len(offsets) // 2] if offsets else 0
    # an emulated guest sometimes notices an end late
    far = [o - median for o in offsets if abs(o - median) > 10]
    if len(far) * 4 > len(offsets) or any(abs(o) > 50 for o in far):
        bad.append("offsets far from the median: %s ms" % far)
for line in bad:
    print(line)
sys.exit(bool(bad))
END

# Convert events, one a line, "SECONDS PROCESS WHAT [WORD...]", to a trace of lines.
cat > lines.py <<'END'
import sys

def number(process):
    return 4194304 * int(process) + 100 + int(process)

def use(verb, n):
    return ["Close%s|bytes=%s" % (verb, n)] if n else []

WHATS = {
    "exec": lambda path, *args: [
        "New_proc|argsize=%d,prognameisize=%d,prognamepsize=%d,cwdsize=2"
        % (sum(len(a) + 1 for a in args), len(path), len(path)), "PI|" + path, "PP|" + path, "CW|/w",
        *("A[%d]%s" % a for a in enumerate(args)), "End_of_args|"],
    "fork": lambda child: ["SchedFork|pid=%d" % number(child)],
    "pipe": lambda read, write: ["Pipe|fd1=%s,fd2=%s,flags=0" % (read, write)],
    "dup": lambda old, new: ["Dup|oldfd=%s,newfd=%s,flags=0" % (old, new)],
    "open": lambda path, fd, flags: [
        "Open|fnamesize=%d,forigsize=%d,flags=%s,mode=420,fd=%s" % (len(path), len(path), flags, fd),
        "FN|" + path, "FO|" + path],
    "close": lambda fd: ["Close|fd=" + fd],
    "read": lambda fd, bytes: ["Close|fd=" + fd, "CloseRead|bytes=" + bytes],
    "wrote": lambda fd, bytes: ["Close|fd=" + fd, "CloseWrote|bytes=" + bytes],
    # CPU time, in seconds
    "exit": lambda cpu=None: [
        "Exit|status=0", *(["ExitTime|utime=%d,stime=0,maxrss=0,minflt=0,majflt=0" % (float(cpu) * 1e9)]
                           if cpu else [])],
}
last = 0
for line in sys.stdin:
    if line.startswith("#") or not line.strip():
        continue
    at, process, what, *words = line.split()
    # simultaneous events happen in the order of the lines
    last = max(round(float(at) * 1e9), last)
    for text in WHATS[what](*words):
        print("%d,0,%d,%d!%s" % (number(process), last // 10**9, last % 10**9, text))
        last += 1
END

# time_events NAME [OPTION...] < EVENTS: make a trace of them, and write the output of etrace time
# to "answer".
time_events()
{
	python3 lines.py > "$1.etrace"
	etrace time --json --top=1000 "${@:2}" "$1.etrace" > answer
	check "$1: the critical path covers the whole time" python3 times.py covers
	check "$1: the times of all programs add up" python3 times.py adds-up
}

time_events parent <<'END'
0 1 exec /usr/bin/make make
0.1 1 fork 2
0.1 2 exec /usr/bin/python3 python3 gen.py
3.1 2 fork 3
3.1 3 exec /usr/bin/true true
3.3 3 exit
3.6 2 exit
3.7 1 exit
END
check "a parent works before and after its child" \
	python3 times.py worked make=0.2 python3=3.3 true=0.2

# like gcc -pipe: as reads while cc1 writes
record_gcc_pipe()
{
	time_events "$1" <<END
0 1 exec /usr/bin/gcc gcc -pipe -c a.c
0.2 1 pipe 3 4
0.4 1 fork 2
0.4 2 dup 4 1
0.4 2 close 3
0.4 2 close 4
0.4 2 exec /usr/bin/cc1 cc1 a.c
0.5 1 fork 3
0.5 3 dup 3 0
0.5 3 close 3
0.5 3 close 4
0.5 3 exec /usr/bin/as as -o a.o
0.6 1 close 3
0.6 1 close 4
8.0 2 wrote 1 100000
8.0 2 exit ${2-}
8.4 3 read 0 100000
8.4 3 exit ${3-}
8.5 1 exit ${4-}
END
}
record_gcc_pipe "pipe with a reader that uses little CPU" 7 0.5 0.4
check "a pipe's reader that uses little CPU waits" python3 times.py worked gcc=0.5 cc1=7.6 as=0.5
check "the critical path goes through the pipe's writer" python3 times.py path \
	gcc=0.4=begin cc1=7.5=started as=0.5=pipe gcc=0.1=ended
record_gcc_pipe "pipe with unknown CPU times"
check "with unknown CPU times, a pipe's reader waits while there is a writer" \
	python3 times.py worked gcc=0.5 cc1=7.6 as=0.4
check "with unknown CPU times, the wait is reported as unsure" python3 times.py unsure 7.5
record_gcc_pipe "pipe with two busy programs" 7.5 8 0.4
check "a pipe's reader that used the CPU meanwhile worked" \
	python3 times.py worked gcc=0.5 cc1=7.6 as=7.9
check "a pipe's busy reader is on the critical path" \
	python3 times.py path gcc=0.5=begin as=7.9=started gcc=0.1=ended

# yes | head -c 2000000000 | gzip: with the CPU time of each
record_pipeline()
{
	time_events "$1" <<END
0 1 exec /bin/sh sh
0.1 1 pipe 3 4
0.1 1 fork 2
0.1 2 dup 4 1
0.1 2 close 3
0.1 2 close 4
0.1 2 exec /usr/bin/yes yes
0.1 1 close 4
0.1 1 pipe 5 6
0.1 1 fork 3
0.1 3 dup 3 0
0.1 3 dup 6 1
0.1 3 close 3
0.1 3 close 5
0.1 3 close 6
0.1 3 exec /usr/bin/head head
0.1 1 close 3
0.1 1 close 6
0.1 1 fork 4
0.1 4 dup 5 0
0.1 4 close 5
0.1 4 exec /usr/bin/gzip gzip
0.1 1 close 5
10.1 3 read 0 2000000000
10.1 3 wrote 1 2000000000
10.1 3 exit ${3-}
10.1 2 wrote 1 2000065536
10.1 2 exit ${2-}
10.1 4 read 0 2000000000
10.1 4 exit ${4-}
10.1 1 exit ${2+0.1}
END
}
record_pipeline "full pipe" 0.5 0.4 9.5
check "a full pipe leaves no time unsure" python3 times.py unsure 0
check "the writers into a full pipe wait" python3 times.py worked sh=0.1 yes=0.5 head=0.4 gzip=9.5
record_pipeline "empty pipe" 9.5 0.4 0.3
check "the readers from an empty pipe wait" python3 times.py worked sh=0.1 yes=10 head=0.4 gzip=0.3

# tar | gzip: waiting for anything but the pipe counts as work
record_tar_pipe()
{
	time_events "$1" <<END
0 1 exec /bin/sh sh
0.1 1 pipe 3 4
0.1 1 fork 2
0.1 2 dup 4 1
0.1 2 close 3
0.1 2 close 4
0.1 2 exec /usr/bin/tar tar
0.1 1 close 4
0.1 1 fork 3
0.1 3 dup 3 0
0.1 3 close 3
0.1 3 exec /usr/bin/gzip gzip
0.1 1 close 3
10.1 2 wrote 1 $2
10.1 2 exit $3
10.1 3 read 0 $2
10.1 3 exit $4
10.1 1 exit
END
}
record_tar_pipe "slow disk" 1000000 1 3
check "if neither end of a pipe uses the CPU, one still works" \
	python3 times.py worked sh=0.1 tar=7 gzip=3
record_tar_pipe "pipe that is not full" 65536 1 9
check "a writer of less than a pipe holds never waits" python3 times.py worked sh=0.1 tar=10 gzip=9

time_events "parent that is busy while its child runs" <<'END'
0 1 exec /usr/bin/python3 python3
1 1 fork 2
1 2 exec /usr/bin/cc cc
9 2 exit 8
10 1 exit 5
END
check "a parent that used the CPU while its child ran worked" python3 times.py worked python3=5 cc=8
time_events "threads" <<'END'
0 1 exec /usr/bin/java java
1 1 fork 2
1 2 exec /usr/bin/cc cc
9 2 exit 8
10 1 exit 12
END
check "CPU time that threads may have used earlier does not count while the child runs" \
	python3 times.py worked java=2 cc=8

# nobody waits for data that is never read from the pipe: yes | conf
time_events "unread data" <<'END'
0 1 exec /bin/sh sh
0.1 1 pipe 3 4
0.1 1 fork 2
0.1 2 dup 4 1
0.1 2 close 3
0.1 2 close 4
0.1 2 exec /usr/bin/yes yes
0.1 1 fork 3
0.1 3 dup 3 0
0.1 3 close 3
0.1 3 close 4
0.1 3 exec /usr/bin/conf conf
0.1 1 close 3
0.1 1 close 4
5.1 3 read 0 10
5.1 3 exit
5.1 2 wrote 1 65546
5.1 2 exit
5.2 1 exit
END
check "a writer does not wait for data that is left unread in a pipe" \
	python3 times.py worked sh=0.2 yes=5 conf=5

# exec > >(tee log): a child waits for its parent, and not the other way round
time_events "child that waits for its parent" <<'END'
0 1 exec /bin/bash bash
0.1 1 pipe 3 4
0.1 1 fork 2
0.1 2 dup 3 0
0.1 2 close 3
0.1 2 close 4
0.1 2 exec /usr/bin/tee tee log
0.1 1 dup 4 1
0.1 1 close 3
0.1 1 close 4
4.1 1 fork 3
4.1 3 exec /usr/bin/cc cc
6.1 3 exit
7.1 1 wrote 1 100
7.1 2 read 0 100
7.2 2 exit
7.3 1 exit
END
check "a parent works while its child waits for its input" \
	python3 times.py worked bash=5.2 cc=2 tee=0.1

time_events "requests and replies" <<'END'
0 1 exec /bin/server server
0.1 1 pipe 3 4
0.1 1 pipe 5 6
0.1 1 fork 2
0.1 2 dup 3 0
0.1 2 dup 6 1
0.1 2 close 3
0.1 2 close 4
0.1 2 close 5
0.1 2 close 6
0.1 2 exec /bin/worker worker
0.1 1 close 3
0.1 1 close 6
5.1 2 read 0 100
5.1 2 wrote 1 100
5.1 2 exit
5.1 1 wrote 4 100
5.1 1 read 5 100
5.3 1 exit
END
check "if parent and child wait for each other, the parent waits" \
	python3 times.py worked server=0.3 worker=5

time_events "sleep" <<'END'
0 1 exec /bin/sh sh
0.1 1 fork 2
0.1 2 exec /usr/bin/sleep sleep 2
2.1 2 exit 0.001
2.2 1 exit 0.01
END
check "sleep counts as working" python3 times.py worked sh=0.2 sleep=2

# a needs 2 s, b 3 s; c begins when a ends, d when b does, and e when all have ended
make_events()
{
	cat <<END
0 1 exec /usr/bin/make make $1
0 1 fork 2
0 1 fork 3
0 2 exec /bin/a a
0 2 open /w/a.out 3 577
0 3 exec /bin/b b
0 3 open /w/b.out 3 577
2 2 wrote 3 10
2 2 exit
2 1 fork 4
2 4 exec /bin/c c
2 4 open /w/c.out 3 577
3 3 wrote 3 10
3 3 exit
3 1 fork 5
3 5 exec /bin/d d
3 5 open /w/d.out 3 577
4 4 wrote 3 10
4 4 exit
6 5 wrote 3 10
6 5 exit
6 1 fork 6
6 6 exec /bin/e e
6 6 open /w/d.out 3 0
6 6 open /w/e.out 4 577
7 6 read 3 10
7 6 wrote 4 10
7 6 exit
7 1 exit
END
}
time_events "two slots" < <(make_events -j2)
check "waiting for a job slot is distinguished from waiting for an input" \
	python3 times.py path b=3.0=started d=3.0=place e=1.0=needed=/w/d.out
etrace time "two slots.etrace" > text
check "waiting for a job slot is printed" grep -q "d /w/d.out  (waited for a free job slot)" text
for slots in "-j 4" --jobs=4 -j; do
	time_events "make $slots" < <(make_events "$slots")
	check "make $slots: with a free job slot, the reason is the order" \
		python3 times.py path b=3.0=started d=3.0=order e=1.0=needed=/w/d.out
done
time_events "unknown number of job slots" < <(make_events "")
check "an unknown number of job slots is the largest number in use" \
	python3 times.py path b=3.0=started d=3.0=place e=1.0=needed=/w/d.out
cat > make.db <<'END'
# Files

b.out:
#  Implicit rule search has not been done.

d.out: all-of-b
#  Implicit rule search has not been done.

all-of-b: b.out
END
printf 'CURDIR := /w\n' | cat - make.db > make.list
mkdir -p w
cat > w/build.ninja <<'END'
rule r
  command = r
build b.out: r
build all-of-b: phony b.out
build d.out: r || all-of-b
END
check_declared()
{
	time_events "dependencies declared for $1" "${@:2}" < <(make_events -j4)
	check "$1: a declared dependency is the reason for waiting" \
		python3 times.py path b=3.0=started d=3.0=needed=/w/b.out e=1.0=needed=/w/d.out
}
check_declared make --make=make.list
check_declared ninja --ninja=w --map=w=/w
sed -n '/^Critical/,$p' text | awk '{ printf "%.1f\n", $1 * 100 / 7 > "want"; print $6 > "got" }'
sed -i 1d want got
check "each row of the critical path has its percentage" \
	bash -c 'diff want got && [ "$(wc -l < got)" -gt 2 ]'
etrace time --longest "two slots.etrace" | sed -n '/^Critical/,$p' | awk 'NR > 1 { print $1 }' > longest
check "--longest sorts the critical path by time" \
	bash -c 'sort -rn longest | cmp - longest && [ "$(wc -l < longest)" -gt 2 ]'
ends 2 "a missing file for --make is an error" etrace time --make=none "two slots.etrace"

for backend in module bpf; do
	for name in sleep-1 sleep-2 sleep-4 ninja make meson all configure flows; do
		etrace time --json "$FIXTURES/$name/$backend.fxt.zst" > answer 2> log
		check "$name, $backend: the critical path covers the whole time" \
			python3 times.py covers
		case $name in
		sleep-1) check "$name, $backend: all four sleeps are on the critical path" \
			python3 times.py sleeps "10 20 15 5" ;;
		sleep-*) check "$name, $backend: the three sleeps that decide the time are on the critical path" \
			python3 times.py sleeps "10 20 5" ;;
		esac
		[ "$name" != sleep-1 ] ||
			check "$name, $backend: the sleeps to make faster are listed, longest first" \
				python3 times.py faster "20 15 10 5"
		check "$name, $backend: the times of all programs add up" python3 times.py adds-up
		[ "$name" != sleep-4 ] ||
			check "$name, $backend: the time with unlimited CPUs is right" \
				python3 times.py unlimited 3.5 4.2
	done
	for name in ninja meson; do
		etrace time --json --by=output --top 1000 "$FIXTURES/$name/$backend.fxt.zst" > answer 2> log
		check "$name, $backend: the times agree with .ninja_log" \
			python3 times.py ninja "$FIXTURES/$name/$backend.ninja_log" /build/$name/out
	done
done
etrace time "$FIXTURES/sleep-2/module.fxt.zst" > text
check "the text says why a sleep began when it did" \
	grep -q 'sleep .*(needed \|sleep .*(waited for a free job slot' text
awk '/^Slowest/ { on = 1; getline; next } on && !NF { exit } on { sum += $1 } END { printf "%.1f", sum }' text > sum
check "the average in the text is the sum of its rows" grep -q "running on average, $(cat sum)" text
etrace time --json --top=1 --ninja=w --map=w=/w "dependencies declared for ninja.etrace" >> answer
check "the JSON matches its schema" \
	"$ANSWERS/../unit/json_schema.py" --part "$ANSWERS/../../../Documentation/answers.schema.json" answer
ends 2 "an unknown key for --by is a usage error" \
	etrace time --by=size "$FIXTURES/sleep-2/module.fxt.zst"
