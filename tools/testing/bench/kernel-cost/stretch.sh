#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: the longest times that calls keep the CPU, with nothing loaded and traced:
# "NAME:EXEC CLOSE_RANGE" for each; the maximum of six runs, since only some of them hit the
# kernel's own longest stretch.
#
#   stretch.sh ETRACE.KO [ETRACE]
#
# ETRACE: the program, for BPF.

set -eu
cd "$(dirname "$0")"
trace=/sys/kernel/tracing/instances/bench

most()
{
	for _ in 1 2 3 4 5 6; do "${@:2}"; done |
	awk -v name="$1" '
		{ for (i = 1; i <= 2; i++) if ($i > most[i]) most[i] = $i }
		END { printf "%s:%d %d\n", name, most[1], most[2] }'
}

./stretch > /dev/null			# caches, once
most stretch-untraced ./stretch
insmod "$1" instance=bench
# It is not necessary to keep the records of a million closes.
echo 1024 > $trace/buffer_size_kb
most stretch-traced \
	bash -c 'echo $$ > /sys/module/etrace/parameters/root_pid; exec ./stretch'
[ "$(cat /sys/module/etrace/counters/strings_cut)" = 0 ] || { echo "arguments are cut" >&2; exit 1; }
[ "$(cat /sys/module/etrace/counters/lost_fds)" = 0 ] || { echo "descriptors are lost" >&2; exit 1; }
[ "$(cat /sys/module/etrace/counters/records)" -gt 1000000 ] || { echo "records are missing" >&2; exit 1; }
rmmod etrace
[ $# -lt 2 ] ||
	echo "stretch-bpf:$("$2" run -q --strict --backend=bpf -b 256M -o /tmp/trace.etrace -- ./stretch)"
