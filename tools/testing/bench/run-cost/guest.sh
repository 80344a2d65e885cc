#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: compile files of etrace's own programs, untraced and traced, and print
# "NAME NANOSECONDS" for each run.

set -eu

FILES=30
ROUNDS=3		# times each of them is compiled in a run
here=$(dirname "$0")
cp -a "$1" /tmp/source
cd /tmp/source
insmod "$here/etrace.ko"

# The files that compile; the first round also warms the caches.
cat > /tmp/compile <<- END
	for round in $(seq -s ' ' $ROUNDS); do
		for file in \$(cat /tmp/files); do
			gcc -std=gnu17 -D_GNU_SOURCE -I. -O0 -c -o /tmp/out.o "\$file"
		done
	done
END
# Those that compile with the headers there are; this also warms the caches.
for file in */*.c; do
	gcc -std=gnu17 -D_GNU_SOURCE -I. -O0 -c -o /tmp/out.o "$file" 2> /dev/null &&
		echo "$file"
done | head -n $FILES > /tmp/files
[ -s /tmp/files ] || { echo "nothing compiles" >&2; exit 1; }
echo "# $(($(wc -l < /tmp/files) * ROUNDS)) compilations in a run"

measure()
{
	local name=$1 from to
	shift
	from=$(date +%s%N)
	"$@" > /dev/null 2>&1
	to=$(date +%s%N)
	echo "$name $((to - from))"
}

# The first of anything warms caches.
etrace=$here/etrace
by() { "$etrace" run -q "--backend=$1" -o /tmp/trace.fxt -- "${@:2}"; }
by module true
by bpf true
strace -f -o /tmp/trace.strace true
sh /tmp/compile

measure none sh /tmp/compile
measure etrace by module sh /tmp/compile
echo "# $(stat -c %s /tmp/trace.fxt) bytes of FXT"
measure bpf by bpf sh /tmp/compile
measure strace-bpf strace -f --seccomp-bpf -o /tmp/trace.strace sh /tmp/compile
measure strace strace -f -o /tmp/trace.strace sh /tmp/compile
measure none sh /tmp/compile
# What a session takes, however long it is.
measure true true
measure short by module true
measure short-bpf by bpf true

# The probes alone: the session of the parameter, with nobody reading.
echo 65536 > /sys/kernel/tracing/buffer_size_kb
measure module sh -c 'echo $$ > /sys/module/etrace/parameters/root_pid; exec sh /tmp/compile'
