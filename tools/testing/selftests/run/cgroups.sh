#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: tasks of a cgroup are recorded, no matter who starts them and when they join

. "$(dirname "$0")/lib.sh"

top=$work/cgroup2
mkdir "$top" && mount -t cgroup2 none "$top" || { echo "1..0 # SKIP no cgroup2"; exit "$KSFT_SKIP"; }
trap 'cd /; umount -l "$top"; rm -rf "$work"' EXIT

# make_cgroup NAME: create an empty cgroup
make_cgroup() { mkdir -p "$top/$1"; }

# leave_cgroup NAME: remove it once it is empty
leave_cgroup() { wait_for rmdir "$top/$1" || fail "cgroup $1 is not empty"; }

# shell NAME FILE: a shell that reads FILE each time NAME.go exists, and ends when NAME.end
# exists; its pid goes to NAME.pid
shell()
{
	sh -c 'echo $$ > '"$1"'.tmp; mv '"$1.tmp $1"'.pid
		until [ -e '"$1"'.end ]; do
			[ ! -e '"$1"'.go ] || { read -r line < '"$2"'; rm '"$1"'.go; }
			sleep 0.02
		done' &
	wait_for test -s "$1.pid"
}

move() { cat "$1.pid" > "$top/$2/cgroup.procs"; }

# read_file NAME: let that shell read its file
read_file() { : > "$1.go"; wait_for test ! -e "$1.go"; }

recording() { grep -q recording err; }

# Tasks that are in the cgroup, move into it, or start in it, also in a cgroup below; and no
# others.
joining_and_starting_in_cgroup()
{
	local backend=${1:-module} recorder upid

	make_cgroup ways
	make_cgroup ways/below
	make_cgroup elsewhere
	shell there /etc/hostname
	shell later /etc/passwd
	shell outside /etc/shells
	move there ways
	"$etrace" attach --backend="$backend" --strict -o 1.etrace -o 1.json --cgroup "$top/ways" 2> err &
	recorder=$!
	wait_for recording || fail "the recording does not start"
	read_file there
	read_file outside
	move later ways/below
	read_file later
	"$BIN/into" "$top/ways/below" cat /etc/group > out || fail "the exit status of into is $?"
	# once traced, it stays traced wherever it moves
	move later elsewhere
	read_file later
	: > there.end; : > later.end; : > outside.end
	wait_for rmdir "$top/ways/below" && wait_for rmdir "$top/ways" || fail "the cgroups are not empty"
	leave_cgroup elsewhere
	wait "$recorder"
	is "status" $? 0
	has err "complete"
	is "reads by the process that was in the cgroup" \
		"$(lines 1.etrace | grep -c '!FN|/etc/hostname')" 1
	is "reads by the process that moved into it" \
		"$(lines 1.etrace | grep -c '!FN|/etc/passwd')" 2
	is "reads by the process that started in it" \
		"$(lines 1.etrace | grep -c '!FN|/etc/group')" 1
	is "reads by a process outside" "$(lines 1.etrace | grep -c '!FN|/etc/shells')" 0
	# A task that joins later reports what it is: the shell, and its arguments.
	grep '"event":"join"' 1.json | grep later.pid > joins
	is "join events of that process" "$(wc -l < joins)" 1
	has joins "/dash\""
	has joins "\"cwd\":\"$PWD\""
	# Tasks that were already there are reported, too.
	has 1.json '"event":"present"'
	# Joining comes before everything else of the task.
	upid=$(lines 1.etrace | sed -n 's/,.*!JA\[2\].*later\.pid.*//p')
	lines 1.etrace | grep "^$upid," > its
	is "first line of that process" "$(sed -n '1s/.*!\(Join|\).*/\1/p' its)" "Join|"
	is "Joined lines of that process" "$(grep -c '!Joined|$' its)" 1
}

joining_and_starting_in_cgroup_by_bpf() { by_bpf joining_and_starting_in_cgroup; }

# Arguments that do not fit into the record of a joining task.
long_arguments_of_joining_task()
{
	local backend=${1:-module} recorder upid most script args size

	make_cgroup long
	most=$(printf '%3000s' '' | tr ' ' x)
	script='echo $$ > long.pid; until [ -e long.end ]; do sleep 0.02; done'
	args=(sh -c "$script" name "$most" "" $'with a\nnewline')
	"${args[@]}" &
	wait_for test -s long.pid
	"$etrace" attach --backend="$backend" --strict -o 1.etrace --cgroup "$top/long" 2> err &
	recorder=$!
	wait_for recording || fail "the recording does not start"
	move long long
	# it starts other processes until it has been added
	wait_for joined 1 || fail "the task does not join"
	: > long.end
	leave_cgroup long
	wait "$recorder"
	is "status" $? 0
	upid=$(lines 1.etrace | sed -n 's/,.*!Join|.*//p')
	lines 1.etrace | grep "^$upid," | sed 's/^[^!]*!//; /^Joined|/q' > got
	size=$(printf '%s\n' "${args[@]}" | wc -c)
	has got "Join|argsize=$size,"
	is "last lines of the join event" \
		"$(tail -n 5 got)" $'JA[5]\nJA[6]with a\nCont|newline\nCont_end|\nJoined|'
	# parts have at most 900 bytes
	sed -n 's/^JA\[4\]//p' got > parts
	is "length of the longest part of an argument" \
		"$(awk '{ if (length > most) most = length } END { print most }' parts)" 900
	is "total length of the longest argument" "$(tr -d '\n' < parts | wc -c)" 3000
	is "lines of exec events" "$(grep -c '^End_of_args|\|^A\[' got)" 0
}

long_arguments_of_joining_task_by_bpf() { by_bpf long_arguments_of_joining_task; }

# joined N: N tasks have joined, and have done something since
joined() { [ "$(lines 1.etrace | grep -c '!Join|')" = "$1" ]; }

# All threads of a process that is moved.
threads_join_with_process()
{
	local backend=${1:-module} recorder pid

	make_cgroup threads
	"$BIN/into" --threads go &
	pid=$!
	"$etrace" attach --backend="$backend" --strict -o 1.etrace --cgroup "$top/threads" 2> err &
	recorder=$!
	wait_for recording || fail "the recording does not start"
	echo "$pid" > "$top/threads/cgroup.procs"
	# BPF: its other threads are added by the reader, a little later
	wait_for joined 2 || fail "not all threads have joined"
	: > go
	wait_for in_lines 1.etrace '!FN|/etc/hostname' || fail "no event of the first thread"
	wait_for in_lines 1.etrace '!FN|/etc/passwd' || fail "no event of the other thread"
	rm go
	wait "$pid"
	leave_cgroup threads
	wait "$recorder"
	is "status" $? 0
	is "files that the first thread opened" "$(lines 1.etrace | grep -c '!FN|/etc/hostname')" 1
	is "files that the other thread opened" "$(lines 1.etrace | grep -c '!FN|/etc/passwd')" 1
	is "exits of threads" "$(lines 1.etrace | grep -c '!Exit|')" 2
	"$etrace" report 1.etrace > out 2> err || fail "etrace report exits with $?"
}

threads_join_with_process_by_bpf() { by_bpf threads_join_with_process; }

# A command lets a daemon do its work, which is not its descendant.
daemon_in_cgroup()
{
	local backend=${1:-module} daemon

	make_cgroup daemon
	rm -f jobs; mkfifo jobs
	"$BIN/into" "$top/daemon" sh -c 'while read -r job; do [ "$job" != end ] || exit 0; cat "$job" > got; : > done; done < jobs' &
	daemon=$!
	exec 9> ./jobs
	echo source > source
	"$etrace" run --backend="$backend" --strict -o 1.fxt --cgroup "$top/daemon" -- \
		sh -c 'echo "$PWD/source" >&9; until [ -e done ]; do sleep 0.02; done' 2> err
	is "status" $? 0
	hasnt err outlives
	echo end >&9
	exec 9>&-
	wait "$daemon"
	leave_cgroup daemon
	"$etrace" deps 1.fxt got > out 2> err || fail "etrace deps exits with $?: $(cat err)"
	has out "$PWD/source"
}

daemon_in_cgroup_by_bpf() { by_bpf daemon_in_cgroup; }

# The path as in /proc/PID/cgroup.
cgroup_path_as_in_proc()
{
	make_cgroup proc/er
	"$BIN/into" "$top/proc/er" sleep 1000 &
	wait_for grep -q . "$top/proc/er/cgroup.procs"
	is "status" "$(status "$etrace" run -q --cgroup "$(sed -n 's/^0:://p' "/proc/$(head -n 1 "$top/proc/er/cgroup.procs")/cgroup")" -o 1.etrace cat /etc/hostname)" 0
	kill "$(head -n 1 "$top/proc/er/cgroup.procs")"
	wait
	has 1.etrace "/sleep"
	leave_cgroup proc/er
	leave_cgroup proc
}

invalid_cgroups()
{
	local many=()

	is "status with a cgroup that does not exist" \
		"$(status "$etrace" run --cgroup "$top/nosuch" : )" 125
	has err "no such cgroup"
	is "status with a directory that is no cgroup" \
		"$(status "$etrace" run --cgroup "$work" : )" 125
	has err "not a directory of a cgroup2 file system"
	is "status of a cgroup with strace" \
		"$(status "$etrace" run --backend=strace --cgroup "$top" : )" 125
	has err "strace records only what it starts"
	for _ in {1..17}; do many+=(--cgroup "$top"); done
	is "status with too many cgroups" "$(status "$etrace" run -q "${many[@]}" : )" 125
	has err "more cgroups than a session can have"
	is "status of attach without a process or cgroup" "$(status "$etrace" attach)" 125
	has err "or a --cgroup"
	wait_for no_sessions || fail "a session is still open"
}

finish joining_and_starting_in_cgroup joining_and_starting_in_cgroup_by_bpf long_arguments_of_joining_task long_arguments_of_joining_task_by_bpf threads_join_with_process threads_join_with_process_by_bpf daemon_in_cgroup daemon_in_cgroup_by_bpf \
	cgroup_path_as_in_proc invalid_cgroups
