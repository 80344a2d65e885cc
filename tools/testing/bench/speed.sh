#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# usage: speed.sh ETRACE-READ TRACE CPU
#
# How fast a trace is read on one core. Each row is the best of five runs by CPU time (user and
# system), so that other load on the machine matters little; wc -l is the minimum for any
# reader.
set -eu
read=$1 trace=$2 cpu=$3
size=$(stat -c %s "$trace")
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# CPU time in seconds, the best of five
best() {
	for _ in 1 2 3 4 5; do
		# shellcheck disable=SC2069
		taskset -c "$cpu" env time -f "%U %S" "$@" 2>&1 >/dev/null | tail -n 1
	done | awk '{ t = $1 + $2; if (NR == 1 || t < b) b = t } END { print b }'
}

row() {
	name=$1
	shift
	t=$(best "$@")
	awk -v n="$name" -v s="$size" -v t="$t" \
		'BEGIN { printf("%-12s %8.2f s %8.0f MB/s\n", n, t, (t > 0 ? (s / 1e6) / t : 0)) }'
	[ "$name" != "wc -l" ] || wc=$t
	[ "$name" != "--to fxt" ] || fxt=$t
}

cat "$trace" >/dev/null		# into the page cache
echo "$trace: $((size / 1000000)) MB, $(wc -l <"$trace") lines, processor $cpu"
row "wc -l" wc -l "$trace"
row "--to fxt" "$read" --to fxt "$trace"
row "--to etrace" "$read" --to etrace "$trace"
row "--to json" "$read" --to json "$trace"
row "--stats" "$read" --stats "$trace"
# the target: a tenth of wc -l's speed or 300 MB/s, whichever is less
awk -v s="$size" -v w="$wc" -v f="$fxt" 'BEGIN {
	mark = w > 0 ? (s / 1e7) / w : 300
	if (mark > 300)
		mark = 300
	got = (s / 1e6) / f
	printf("mark for --to fxt: %.0f MB/s, reached: %.0f MB/s (%s)\n", mark, got,
	       (got >= mark ? "yes" : "no"))
}'
