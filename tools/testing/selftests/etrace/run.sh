#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run the selftests in this script's directory, as root on the kernel to be tested,
# and report them as one KTAP with the tests' own output nested in it.
#
#   run.sh [ETRACE.KO [TEST]...]
#   ETRACE_BACKEND=bpf run.sh ['' [TEST]...]	bpf-serve instead of the module
#
# With BPF, some tests run again with task storage often refused: "TEST,refused".
# Without TESTs, all run except those that match the pattern $SKIP.
#
# Exit status: 0 if none failed, 1 if one did, 4 if all were skipped.

set -u
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] && export ETRACE_MODULE=$1 && shift
timeout=$(sed -n 's/^timeout=//p' settings)

if [ $# -gt 0 ]; then
	tests=("$@")
else
	mapfile -t tests < tests
	often=(exec exec_32 clone clone_32 exit exit_32 open open_32 close close_32 dup dup_32
		comm comm_32 uring uring_32 life ways)
	[ "${ETRACE_BACKEND:-}" = bpf ] && tests+=("${often[@]/%/,refused}")
	for i in "${!tests[@]}"; do
		# shellcheck disable=SC2053
		[[ ${tests[i]} != ${SKIP:-} ]] || unset "tests[i]"
	done
fi

# With BPF, start a server for all tests that leave it unchanged, because loading takes longer
# than most of them. It must not keep a test's pipe open as its output.
shared=/run/etrace-selftest-shared server=
serve()
{
	[ "${ETRACE_BACKEND:-}" = bpf ] || return
	[ "$(ask value root_pid)" = 0 ] && return
	[ -z "$server" ] || kill "$server" 2> /dev/null
	./bpf-serve $shared.socket $shared.lines "" "" > $shared.log 2>&1 &
	server=$!
	until ask extended N > /dev/null; do
		kill -0 $server || { cat $shared.log; exit 1; }
		sleep 0.2
	done
}
ask() { ./bpf-serve --ask $shared.socket "$*"; }

# This file exists while a test program has left the module loaded for the next one.
export ETRACE_SHARED=$shared.module
parameters=/sys/module/etrace/parameters instance=/sys/kernel/tracing/instances/etrace_selftest
rm -f $ETRACE_SHARED
unload_shared() { [ ! -e $ETRACE_SHARED ] || { rm $ETRACE_SHARED; rmmod etrace && rmdir $instance; }; }

# Print a test's output one level deeper.
nest() { sed -u 's/^/# /'; }

echo "KTAP version 1"
echo "1..${#tests[@]}"
n=0 passed=0 failed=0
for test in "${tests[@]}"; do
	n=$((n + 1))
	start=$SECONDS
	if [[ $test == *,refused ]]; then
		if [ -z "${ETRACE_REFUSE_STORAGE:-}" ]; then
			export ETRACE_REFUSE_STORAGE=3
			[ -z "$server" ] || { kill "$server"; wait "$server"; } 2> /dev/null
		elif [ "$(ask counter storage_refused)" = 0 ]; then
			echo "ok $n $test # SKIP no task storage is used here"
			continue
		fi
	fi
	serve
	[[ $test != *.sh ]] || unload_shared
	timeout -k 5 "$timeout" "./${test%,refused}" 2>&1 < /dev/null | nest
	status=${PIPESTATUS[0]}
	# Clean up what a test has left behind, for the next one.
	[ -d $parameters ] || [ ! -e $ETRACE_SHARED ] || rm $ETRACE_SHARED
	if [ -d $parameters ] && [ ! -e $ETRACE_SHARED ]; then
		echo "# $test left the module loaded"
		[ "$status" = 0 ] && status=1
		rmmod etrace
	elif [ -e $ETRACE_SHARED ] && read -r root < $parameters/root_pid && [ "$root" != 0 ]; then
		echo "# $test left $root traced"
		[ "$status" = 0 ] && status=1
	fi
	case $status in
	0|4) ;;
	*) unload_shared ;;
	esac
	if [ -n "$server" ] && others=$(pgrep -x bpf-serve | grep -vx "$server"); then
		echo "# $test left bpf-serve running"
		[ "$status" = 0 ] && status=1
		xargs kill <<< "$others"
	fi
	if [ -n "$server" ] && root=$(ask value root_pid) && [ "$root" != 0 ]; then
		echo "# $test left $root traced"
		[ "$status" = 0 ] && status=1
	fi
	[ -e $ETRACE_SHARED ] || [ ! -d $instance ] || rmdir $instance
	case $status in
	0) echo "ok $n $test"; passed=$((passed + 1)) ;;
	4) echo "ok $n $test # SKIP" ;;
	124|137) echo "not ok $n $test # TIMEOUT $timeout seconds"; failed=$((failed + 1)) ;;
	*) echo "not ok $n $test # exit=$status"; failed=$((failed + 1)) ;;
	esac
	echo "# $test took $((SECONDS - start)) s"
done
[ -z "$server" ] || kill "$server"
unload_shared || { echo "# the module that tests have shared cannot be unloaded"; failed=1; }
[ "$failed" = 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 4
