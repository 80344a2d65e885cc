#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The process "build" of a Fuchsia trace keeps the rules of viewers and agrees with etrace time,
# and the ten questions of Documentation/examples/build.sql have answers.  Perfetto's
# trace_processor, if installed, must agree.

. "${0%/*}/../lib.sh"
query=$ANSWERS/../perfetto/query
examples=$ANSWERS/../../../Documentation/examples

cat > build.py <<'END'
import json, subprocess, sys

answer = json.load(open("answer"))
records = [json.loads(line) for line in open("records")]
BUILD = 0x7fff0000
names, bad = {}, []
lanes, path = {}, []
for r in records:
    if r["record"] == "kernel object" and r["koid"] >= BUILD:
        names[r["koid"]] = r["name"]
    if r["record"] != "event" or r["thread"]["process"] != BUILD:
        continue
    thread = r["thread"]["thread"]
    if r["event"] != "duration complete":
        continue
    if names[thread].startswith("lane "):
        lanes.setdefault(thread, []).append((r["timestamp"], r["end_time"]))
    elif names[thread] == "critical path":
        path.append((r["timestamp"], r["end_time"]))
if not lanes or names.get(BUILD) not in ("build", "critical path"):
    bad.append("there are no lanes")
# as many lanes as programs that ran at the same time, with the total time of all of them
widths = answer["width_ns"]
most = max(i for i, ns in enumerate(widths) if ns)
if len(lanes) != most:
    bad.append("%d lanes for %d programs at once" % (len(lanes), most))
total = sum(end - begin for lane in lanes.values() for begin, end in lane)
# "gcc -pipe": in a trace of that format, it is not known that as waits for cc1 (fxt-mapping.md)
pipes = sys.argv[1:] == ["pipes"]
if total < sum(i * ns for i, ns in enumerate(widths)) if pipes else total != sum(i * ns for i, ns in enumerate(widths)):
    bad.append("%d ns in lanes, not %d" % (total, sum(i * ns for i, ns in enumerate(widths))))
for lane in lanes.values():
    if any(a[1] > b[0] for a, b in zip(lane, lane[1:])):
        bad.append("slices of a lane overlap")
# the critical path: the same times, except where a child began to run its program
begin = path[0][0]
ends = {row["to_ns"] for row in answer["critical"]}
if any(end - begin not in ends for _, end in path) and not pipes:
    bad.append("the critical path has segments that etrace time does not know")
if path[-1][1] - begin != answer["wall_ns"] or any(a[1] != b[0] for a, b in zip(path, path[1:])):
    bad.append("the critical path has holes")
if bad:
    sys.exit("\n".join(bad))
END

# queries_answered FILE.fxt: each of the ten has a table, and those that must not be empty have rows
queries_answered()
{
	"$query" "$examples/build.sql" "$1" > tables || return
	awk 'BEGIN { RS = ""; FS = "\n" } { rows[NR] = NF - 1 } END {
		for (i = 1; i <= 10; i++)
			if (i != 5 && i != 6 && rows[i] < 1) { print "question " i ": no rows"; bad = 1 }
		exit bad || NR != 10
	}' tables
}

for fixture in jobs-4 ninja cmake; do
	pipes=()
	[ $fixture != jobs-4 ] || pipes=(pipes)
	for backend in module bpf; do
		trace=$FIXTURES/$fixture/$backend.fxt.zst
		[ -f "$trace" ] || continue
		etrace-read -o all.fxt "$trace"
		etrace-read --from fxt-records --to json all.fxt > records
		etrace time --json "$trace" > answer
		check "$fixture, $backend: the process 'build' agrees with etrace time" \
			python3 build.py "${pipes[@]}"
		check "$fixture, $backend: the FXT passes etrace-read --check" \
			etrace-read --check all.fxt
		check "$fixture, $backend: converting to FXT and back gives the same lines" cmp \
			<(etrace-read --to etrace "$trace") <(etrace-read --to etrace all.fxt)
		check "$fixture, $backend: the ten queries of build.sql have answers" \
			queries_answered all.fxt
		etrace-read --to fxt --view -o part.fxt "$trace"
		etrace-read --from fxt-records --to json part.fxt > records
		check "$fixture, $backend: a view has the same process 'build'" \
			python3 build.py "${pipes[@]}"
	done
done

if command -v trace_processor_shell > shell; then
	etrace-read -o all.fxt "$FIXTURES/jobs-4/module.fxt.zst"
	"$query" "$examples/build.sql" all.fxt | awk NF > ours
	trace_processor_shell -q "$examples/build.sql" all.fxt | tr -d '"' | tr ',' '\t' | awk NF > trace-processor
	same "trace_processor gives the same answers" ours trace-processor
fi
