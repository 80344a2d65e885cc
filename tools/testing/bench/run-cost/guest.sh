#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: compile some of etrace's own files, untraced and traced in turn, until
# ./judge.awk knows the overhead precisely enough. Prints a line for each run:
#
#   NAME INSTRUCTIONS INSTRUCTIONS-OF-THE-KERNEL-AFTERWARDS NANOSECONDS-OF-WAITING
#
# "NAME-true" is the same for a program that does nothing: the fixed cost of a session.

set -eu

FILES=8			# compilations in a run
ROUNDS=3		# at least
MOST_ROUNDS=12
here=$(dirname "$0")
etrace=$here/etrace
tracing=/sys/kernel/tracing
root_pid=/sys/module/etrace/parameters/root_pid
# The calls of a build that etrace records.
calls=execve,execveat,fork,vfork,clone,clone3,open,openat,openat2,creat,close,close_range
calls+=,dup,dup2,dup3,fcntl,pipe,pipe2,rename,renameat,renameat2,link,linkat,symlink,symlinkat
calls+=,exit,exit_group

insmod "$here/etrace.ko"
echo 65536 > $tracing/buffer_size_kb
# Everything is read and written in memory: waiting for the disk would take longer on a busy
# host.
cp -a "$1" /tmp/source
cd /tmp/source

# The first FILES files that compile with the headers of the guest.
for file in */*.c; do
	gcc -std=gnu17 -D_GNU_SOURCE -I. -O0 -c -o /tmp/out.o "$file" 2> /dev/null &&
		echo "$file"
done | head -n $FILES > /tmp/files
[ "$(wc -l < /tmp/files)" = $FILES ] || { echo "too few files compile" >&2; exit 1; }
cat > /tmp/compile <<- END
	for file in $(tr '\n' ' ' < /tmp/files); do
		gcc -std=gnu17 -D_GNU_SOURCE -I. -O0 -c -o /tmp/out.o "\$file"
	done
END

# Print the guest's time, which counts instructions, and how much of it was idle. While the CPU
# is idle, time does not count instructions but jumps to the next timer.
clock()
{
	awk '
		/^now at/ { now = $3 }
		/idle_sleeptime|iowait_sleeptime/ { sub(/.*:/, ""); idle += $1; n++ }
		END { if (n != 2) exit 1; printf "%.0f %.0f\n", now, idle }' /proc/timer_list ||
		{ echo "/proc/timer_list has no idle_sleeptime" >&2; exit 1; }
}
clock > /dev/null

by()
{
	case $1 in
	none)
		"${@:2}" ;;
	etrace)
		"$etrace" run -q --strict --backend=module -o /tmp/trace.fxt -- "${@:2}" ;;
	hash-first)
		rm -f /tmp/hashes-first
		"$etrace" run -q --strict --backend=module --hash --hash-cache=/tmp/hashes-first \
			-o /tmp/trace.fxt -- "${@:2}" ;;
	hash)
		# with the cache filled by the previous run
		"$etrace" run -q --strict --backend=module --hash --hash-cache=/tmp/hashes \
			-o /tmp/trace.fxt -- "${@:2}" ;;
	bpf)
		"$etrace" run -q --strict --backend=bpf -o /tmp/trace.fxt -- "${@:2}" ;;
	module)
		# The session of the module parameter: its records stay in the buffers.
		sh -c 'echo $$ > "$0"; exec "$@"' $root_pid "${@:2}"
		echo 0 > $root_pid ;;
	strace-bpf)
		strace -f --seccomp-bpf -e "trace=$calls" -o /tmp/trace.strace "${@:2}" ;;
	strace)
		strace -f -o /tmp/trace.strace "${@:2}" ;;
	esac
}

measure()	# NAME BY COMMAND...
{
	local name=$1 begun idle ended waited later slept

	read -r begun idle <<< "$(clock)"
	by "${@:2}" > /tmp/log 2>&1 || { cat /tmp/log >&2; exit 1; }
	read -r ended waited <<< "$(clock)"
	# Work that the kernel defers until the session is over, such as freeing memory.
	sleep 2
	read -r later slept <<< "$(clock)"
	echo "$name $((ended - begun - waited + idle)) $((later - ended - slept + waited))" \
		"$((waited - idle))" | tee -a /tmp/result
}

both()
{
	measure "$1" "$1" sh /tmp/compile
	measure "$1-true" "$1" true
}

# The first run of everything warms the caches.
for name in none etrace bpf module strace-bpf strace; do
	by $name true > /dev/null 2>&1
done
by none sh /tmp/compile
by hash sh /tmp/compile > /dev/null 2>&1

echo "files $FILES" | tee /tmp/result
both strace-bpf
both strace
for round in $(seq $MOST_ROUNDS); do
	for name in none etrace hash-first hash module bpf; do
		both $name
	done
	[ "$round" -ge $ROUNDS ] || continue
	known=0
	awk -f "$here/judge.awk" /tmp/result > /dev/null || known=$?
	[ $known = 2 ] || break
done
