#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace time: builds whose times are known, and what ninja says of its own.

. "${0%/*}/../lib.sh"

cat > times.py <<'END'
import json, os, sys
kind, answer = sys.argv[1], json.load(open("answer"))
rows = answer["critical"]
bad = []
if kind == "tiles":
    at = 0
    for row in rows:
        if row["from_ns"] != at or row["to_ns"] <= at:
            bad.append("a hole at %d" % at)
        at = row["to_ns"]
    if at != answer["wall_ns"] or sum(answer["width_ns"]) != answer["wall_ns"]:
        bad.append("sums: %d %d %d" % (at, sum(answer["width_ns"]), answer["wall_ns"]))
    if answer["endless_ns"] > answer["wall_ns"]:
        bad.append("longer with more processors")
elif kind == "sleeps":
    # the programs that slept on the path, in tenths of seconds
    slept = [round((r["to_ns"] - r["from_ns"]) / 1e8) for r in rows
             if os.path.basename(r.get("program", "")) == "sleep" and
             r["to_ns"] - r["from_ns"] > 3e8]
    want = [int(n) for n in sys.argv[2].split()]
    if len(slept) != len(want) or any(not w <= s <= w + 2 for s, w in zip(slept, want)):
        bad.append("slept %s, not %s" % (slept, want))
elif kind == "endless":
    if not float(sys.argv[2]) <= answer["endless_ns"] / 1e9 <= float(sys.argv[3]):
        bad.append("endless: %d" % answer["endless_ns"])
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
            bad.append("no " + name)
            continue
        offsets += [ours[name][0] - start, ours[name][1] - end]
    middle = sorted(offsets)[len(offsets) // 2] if offsets else 0
    # an emulated guest is slow to take note of an end, now and then
    far = [o - middle for o in offsets if abs(o - middle) > 10]
    if len(far) * 4 > len(offsets) or any(abs(o) > 50 for o in far):
        bad.append("from the others: %s ms" % far)
for line in bad:
    print(line)
sys.exit(bool(bad))
END

for by in module bpf; do
	for name in sleep-1 sleep-2 sleep-4 ninja make meson all configure flows; do
		etrace time --json "$FIXTURES/$name/$by.fxt.zst" > answer 2> log
		check "$name by $by: the path has no holes" python3 times.py tiles
		case $name in
		sleep-1) check "$name by $by: all in a row" python3 times.py sleeps "10 20 15 5" ;;
		sleep-*) check "$name by $by: what decided" python3 times.py sleeps "10 20 5" ;;
		esac
		[ "$name" != sleep-4 ] ||
			check "$name by $by: with endless processors" python3 times.py endless 3.5 4.2
	done
	for name in ninja meson; do
		etrace time --json --by=output --top 1000 "$FIXTURES/$name/$by.fxt.zst" > answer 2> log
		check "$name by $by: as .ninja_log has it" \
			python3 times.py ninja "$FIXTURES/$name/$by.ninja_log" /build/$name/out
	done
done
etrace time "$FIXTURES/sleep-2/module.fxt.zst" > text
check "for a person" grep -q 'sleep .*it needed\|sleep .*when that ended' text
ends 2 "an unknown key" etrace time --by=size "$FIXTURES/sleep-2/module.fxt.zst"
