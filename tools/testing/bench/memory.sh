#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# usage: memory.sh ETRACE-READ TRACE LONGER-TRACE
#
# Memory must follow what lives at once, and a report's the names that it counts,
# not the length of the trace: the peak of the longer one is at most 20 % above
# that of the other.  To FXT it also follows the programs, of which lanes and the
# critical path are made in the end: 450 bytes for each.
set -eu
read=$1
status=0

peak() {
	env time -f %M "$@" 2>&1 >/dev/null | tail -n 1
}

programs() {
	grep -ac '!Exit|' "$1"
}

more=$((($(programs "$3") - $(programs "$2")) * 450 / 1024))
for to in "--to fxt" "--to etrace" "--to json" "--stats"; do
	# shellcheck disable=SC2086
	a=$(peak "$read" $to "$2")
	# shellcheck disable=SC2086
	b=$(peak "$read" $to "$3")
	verdict=ok
	[ "$to" = "--to fxt" ] || more=0
	[ "$b" -le $((a * 12 / 10 + more)) ] || { verdict="MORE THAN 20 % ABOVE"; status=1; }
	printf '%-12s %8d kB %8d kB  %s\n' "$to" "$a" "$b" "$verdict"
done
exit $status
