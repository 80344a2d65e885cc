# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions that the shell tests share: results as KTAP, the module and its instance or,
# with ETRACE_BACKEND=bpf, bpf-serve in the tests' directory instead of both.

INSTANCE=/sys/kernel/tracing/instances/etrace_selftest
MODULE=${ETRACE_MODULE:-./etrace.ko}
SOCKET=/run/etrace-selftest.socket
LINES_OF_BPF=/run/etrace-selftest.lines
results=0 failures=0

is_bpf() { [ "${ETRACE_BACKEND:-}" = bpf ]; }
# ask WORD...: send a command to bpf-serve, and print its answer.
ask() { ./bpf-serve --ask $SOCKET "$*"; }

# skip REASON: skip the whole test, because it cannot run here.
skip() { echo "1..0 # SKIP $*"; exit 4; }

# bail REASON: end the test, because a precondition is missing or broken.
bail() { echo "Bail out! $*"; exit 1; }

# need PROGRAM...: skip the test if one of them is missing.
need()
{
	local program

	[ "$(id -u)" = 0 ] || skip "must be root"
	[ -d "${INSTANCE%/*}" ] || skip "no ${INSTANCE%/*}: mount tracefs there"
	is_bpf || [ -r "$MODULE" ] || skip "no $MODULE: set ETRACE_MODULE to its path"
	for program; do
		command -v "$program" > /dev/null || skip "no $program"
	done
}

plan() { echo "TAP version 13"; echo "1..$1"; }

# result STATUS NAME: report a case; 0 is a pass.
result()
{
	results=$((results + 1))
	if [ "$1" = 0 ]; then
		echo "ok $results $2"
	else
		echo "not ok $results $2"
		failures=$((failures + 1))
		return 1
	fi
}

finish() { [ "$failures" = 0 ]; exit; }

# load KB [PARAMETER...]: load the module into the instance, with a buffer of that size for each
# processor. BPF supports only the parameter record.
load()
{
	local record=" ${*:2}"

	[[ $record == *" record="* ]] && record=${record##* record=} || record=
	if is_bpf; then
		rm -f $SOCKET
		./bpf-serve $SOCKET $LINES_OF_BPF "${record%% *}" "" > /dev/null &
		until ask extended N > /dev/null; do
			kill -0 $! || bail "bpf-serve ended"
			sleep 0.2
		done
		return
	fi
	insmod "$MODULE" instance="${INSTANCE##*/}" "${@:2}" || bail "insmod failed"
	echo "$1" > $INSTANCE/buffer_size_kb || bail "no buffer of $1 KB"
	echo 0 > $INSTANCE/options/context-info
	echo > $INSTANCE/trace
}

unload()
{
	if is_bpf; then
		[ ! -e $SOCKET ] || ask quit > /dev/null
		return
	fi
	[ -d /sys/module/etrace/parameters ] && rmmod etrace
	[ ! -d $INSTANCE ] || rmdir $INSTANCE
}

# trace PID: also trace the process and its descendants; 0: stop tracing.
trace()
{
	if is_bpf; then
		[ "$(ask root_pid "$1")" = 0 ]
	else
		echo "$1" > /sys/module/etrace/parameters/root_pid
	fi
}

# extended Y|N: set the parameter.
extended()
{
	if is_bpf; then
		[ "$(ask extended "$1")" = 0 ]
	else
		echo "$1" > /sys/module/etrace/parameters/extended
	fi
}

counter()
{
	if is_bpf; then
		ask counter "$1"
	else
		cat "/sys/module/etrace/counters/$1"
	fi
}

# Whether nothing was lost or guessed.
nothing_lost()
{
	local name n

	for name in lost_records lost_disabled lost_tasks lost_fds \
		strings_unread strings_cut overwritten hooks_missed; do
		n=$(counter $name)
		[ "$n" = 0 ] || { echo "# $name is $n"; return 1; }
	done
}

# Print the instance's records without waiting for more.
read_trace()
{
	if is_bpf; then
		cat $LINES_OF_BPF
		return
	fi
	dd if=$INSTANCE/trace_pipe iflag=nonblock bs=64k 2> /dev/null
	true
}
