#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace report: the first page begins with what matters, and says what the other
# commands say.

. "${0%/*}/../lib.sh"

# section TITLE FILE: the lines below it.
section() { sed -n "/^$1/,/^\$/p" "$2" | sed '1d;/^$/d'; }

# agrees FIXTURE BACKEND: with the summary of all events and etrace time.
agrees()
{
	local trace=$FIXTURES/$1/$2.fxt.zst of="of $1 by $2"

	etrace report "$trace" > page
	etrace db -o page.db "$trace"
	check "a database says the same, $of" bash -c "etrace report page.db | cmp - page"
	check "the verdict comes first, $of" bash -c "head -n 1 page | grep -qx 'The trace is complete: .*'"
	check "the command is told, $of" \
		grep -qxF "Recorded: $(sqlite3 page.db "SELECT value FROM meta WHERE key = 'command'")" page
	etrace report --json "$trace" > counts.json
	etrace time --json --by=output --top=5 "$trace" > time.json
	check "numbers agree, $of" python3 - page counts.json time.json << 'END2'
import json, re, sys
page = open(sys.argv[1]).read()
counts, time = (json.load(open(f)) for f in sys.argv[2:])
m = re.search(r"^(\d+) programs run by (\d+) processes in ([0-9.]+) s(?:, ([0-9.]+) s of processor time)?; ([0-9.]+) programs", page, re.M)
expected = (str(counts["events_by_kind"]["exec"]), "%.3f" % (time["wall_ns"] / 1e9),
            "%.3f" % (time["cpu_ns"] / 1e9), "%.2f" % time["working"])
got = (m[1], m[3], m[4], m[5])
assert got == expected, (got, expected)
slow = re.search(r"^Slowest by output:\n.*\n((?:  .*\n)+)", page, re.M)[1].splitlines()
outputs = [(line.split()[0], line.split(None, 4)[4]) for line in slow]
assert outputs == [("%.3f" % (s["total_ns"] / 1e9), s["output"]) for s in time["slowest"]], outputs
END2
	check "what everybody reads is not there, $of" bash -c "! grep -q 'ld.so.cache\|/libc' page"
}
for backend in module bpf; do
	agrees make $backend
	agrees meson $backend
done

for backend in module bpf; do
	etrace report "$FIXTURES/wrong-outside/$backend.fxt.zst" > page
	section "Outside of" page | awk '{ print $1, $2 }' | sort > outside
	printf 'read /root/outside.h\nwritten /var/local/prog\n' > expected
	same "what is outside, by $backend" outside expected
	etrace report "$FIXTURES/wrong-network/$backend.fxt.zst" > page
	check "the network, by $backend" grep -qx "Addresses of the network that were tried: 2" page
	etrace report --top 1 "$FIXTURES/configure/$backend.fxt.zst" > page
	for list in "Slowest by output" "Slowest by program" "Failed"; do
		section "$list" page | grep -vc "total s" > n
		check "--top 1 of '$list', by $backend" grep -qx 1 n
	done
	section Failed page > failed
	check "who failed, by $backend" grep -q "  [1-9][0-9]*  .*: exit status 1$" failed
done

for bad in 0 -1 x 1000001 ''; do
	ends 2 "--top '$bad' is refused" etrace report --top "$bad" "$FIXTURES/make/bpf.fxt.zst"
done

# A trace that is cut is told as far as it goes.
zstd -dcq "$FIXTURES/make/module.fxt.zst" > whole.fxt
head -c $(($(stat -c %s whole.fxt) * 2 / 3)) whole.fxt > cut.fxt
ends 1 "a cut trace" bash -c "etrace report cut.fxt > page"
check "and it says so first" bash -c "head -n 1 page | grep -qx 'The trace is NOT complete:'"
check "with what is missing" bash -c "sed -n 2p page | grep -q '^  [1-9]'"
check "and tells the rest" grep -q "^Slowest by output" page
ends 1 "a database of it" bash -c "etrace db -o cut.db cut.fxt; etrace report cut.db > page.db.txt"
same "says the same" page page.db.txt
ends 2 "a database has no events to count" etrace report --json page.db
ends 2 "nor is one of standard input" bash -c "etrace report < page.db"
etrace report --json whole.fxt > a.json
etrace-read --stats --json whole.fxt > b.json
same "--json is that of etrace-read" a.json b.json

cp whole.fxt build.fxt
while read -r line; do
	check "etrace-report.1: $line" bash -c "$line | grep -q '^Slowest by output'"
done < <(sed -n 's/^etrace report .*/&/p' "$ANSWERS/../../../Documentation/etrace-report.1" | sed 's/\\-/-/g')
