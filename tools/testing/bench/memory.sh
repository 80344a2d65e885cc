#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# usage: memory.sh ETRACE-READ TRACE LONGER-TRACE
#
# Memory must depend on what is live at the same time, and for a summary on the names it counts,
# not on the length of the trace: the peak for the longer trace is at most 20 % above the other.
# Conversion to FXT also needs 450 bytes for each program, since lanes and the critical path are
# computed at the end.
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
