#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: run ./cost for each row of the table and print "NAME:" and its columns. Where a
# few instructions matter, the minimum of three runs: other work of the kernel varies by a
# dozen.
#
#   guest.sh ETRACE.KO [ETRACE]
#
# ETRACE: the program, for the BPF rows.

set -eu
cd "$(dirname "$0")"
module=$1
trace=/sys/kernel/tracing/instances/bench

row() { echo "$1:$("${@:2}")"; }
least()
{
	for _ in 1 2 3; do "${@:2}"; done |
	awk -v name="$1" '
		{ for (i = 1; i <= NF; i++) if (NR == 1 || $i < least[i]) least[i] = $i }
		END {
			printf "%s:", name
			for (i = 1; i <= NF; i++)
				printf "%s%d", (i > 1 ? " " : ""), least[i]
			print ""
		}'
}

load()
{
	insmod "$module" instance=bench "$@"
	echo 16384 > $trace/buffer_size_kb
}
unload()
{
	rmmod etrace
	rmdir $trace
}

mount -t tmpfs bench /mnt
cp /etc/hostname /mnt/
./cost > /dev/null			# caches, once
least nothing ./cost
least filtered-nothing ./cost filtered

load
least idle ./cost
unload

# Another process is traced; later none is.
sleep 1000 &
other=$!
load root_pid=$other
least untraced ./cost
least filtered-untraced ./cost filtered
kill $other
wait $other || true
sleep 3
least idle-again ./cost
unload

load
traced() { bash -c "echo \$\$ > /sys/module/etrace/parameters/root_pid; exec ./cost"; }
row traced traced
# The text is made when it is read.
records=$(cat /sys/module/etrace/counters/records)
./cost read $trace/trace_pipe > /tmp/lines 2> /tmp/instructions
echo "# printing, in the reader: $(($(cat /tmp/instructions) / records)) instructions a record ($records records, $(grep -c '!' /tmp/lines) lines)"
lost=$(cat /sys/module/etrace/counters/lost_records)
over=$(cat /sys/module/etrace/counters/overwritten)
[ "$lost $over" = "0 0" ] || { echo "lost: $lost, overwritten: $over" >&2; exit 1; }
unload

load
row session ./cost session
unload

if [ $# -gt 1 ]; then
	"$2" run -q --backend=bpf -o /tmp/other.fxt -- sh -c '> /tmp/begun; exec sleep 1000' &
	other=$!
	until [ -e /tmp/begun ]; do sleep 0.1; done
	least bpf-untraced ./cost
	kill $other
	wait $other || true
	row bpf "$2" run -q --strict --backend=bpf -o /tmp/trace.fxt -- ./cost
fi

# strace's own calls run on the same CPU and count. Calls with "?" do not exist on all
# architectures.
row strace strace -f -o /dev/null ./cost
row strace-bpf strace -f --seccomp-bpf -o /dev/null \
	-e trace=execve,execveat,?fork,?vfork,clone,clone3,?open,openat,openat2,?creat,close,close_range,dup,?dup2,dup3,fcntl,?pipe,pipe2,?rename,renameat,renameat2,?link,linkat,?symlink,symlinkat,mount,umount2,exit,exit_group \
	./cost
