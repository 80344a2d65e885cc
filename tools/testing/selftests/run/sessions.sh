#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: sessions are isolated, nest, and end with their owner

# Numbers and names without blanks need no quotes.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib.sh"

# Four sessions at the same time, each with a tight loop: none sees the files of another.
four_sessions_at_once()
{
	local i j pids=()

	for i in 1 2 3 4; do
		"$etrace" run -q --strict -o $i.etrace -- bash -c "
			for n in {1..40}; do : > file-$i-\$n; cat file-$i-\$n; done" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || fail "the exit status of a session is $?"
	done
	for i in 1 2 3 4; do
		is "files of session $i" "$(grep -c "!FN|.*/file-$i-" $i.etrace)" 80
		is "runs of cat in session $i" "$(grep -c '!PP|.*/cat$' $i.etrace)" 40
		for j in 1 2 3 4; do
			[ $i = $j ] || hasnt $i.etrace "file-$j-"
		done
	done
	wait_for no_sessions || fail "a session is still open"
}

nested_sessions()
{
	"$etrace" run -q --strict -o outer.etrace -- sh -c "
		cat /etc/hostname;
		$etrace run -q --strict -o inner.etrace -- sh -c 'cat /etc/passwd'
		cat /etc/group" > out
	is "status" $? 0
	has inner.etrace "!FN|/etc/passwd"
	hasnt inner.etrace "!FN|/etc/group"
	hasnt inner.etrace "!FN|/etc/hostname"
	has outer.etrace "!FN|/etc/hostname"
	has outer.etrace "!FN|/etc/passwd"
	has outer.etrace "!FN|/etc/group"
	is "programs in the inner trace" "$(programs inner.etrace | tr '\n' ' ')" "dash cat "
}

at_least() { [ "$(lines "$2" | grep -c '!FN|/etc/hostname')" -ge "$1" ]; }

# A killed recorder leaves no session, and the files that it wrote can be read.
recorder_killed()
{
	local pid n

	"$etrace" run -q -o k.fxt -o k.etrace -o k.json -o k.fxt.gz -o k.fxt.zst -- \
		sh -c 'echo $$ > began; while :; do cat /etc/hostname; sleep 0.02; done' > /dev/null &
	pid=$!
	wait_for test -s began || fail "the recording does not start"
	for f in k.etrace k.fxt k.fxt.gz k.fxt.zst; do
		wait_for at_least 20 $f || fail "$f has no or too few events"
	done
	kill -9 $pid
	wait $pid 2> /dev/null
	n=$(grep -c 'etc/hostname' k.etrace)
	kill "$(cat began)" || fail "the command was ended together with the recorder"
	wait_for no_sessions || fail "a session is still open"
	# An open session would pin the module.
	is "uses of the module" "$(cat /sys/module/etrace/refcnt)" 0
	[ "$n" -ge 20 ] || fail "only $n events are in k.etrace"
	for f in k.fxt k.fxt.gz k.fxt.zst; do
		lines $f > $f.lines
		is "status for $f" $? 1
		at_least 20 $f.lines || fail "$f has too few events"
	done
	is "status of report" "$(status "$etrace" report k.fxt)" 1
	has out "NOT complete"
	is "malformed lines of JSON" "$(sed '$d' k.json | grep -vc '^{"event":.*}$')" 0
}

# The files contain everything except the last second, although nobody ended them.
files_written_while_recording()
{
	local pid

	"$etrace" run -q -o s.etrace -o s.fxt.zst -- \
		sh -c 'cat /etc/passwd; exec sleep 1000' > /dev/null &
	pid=$!
	for f in s.etrace s.fxt.zst; do
		wait_for in_lines $f '!FN|/etc/passwd' || fail "$f has no or too few events"
	done
	kill $pid
	wait $pid
	is "status" $? 143
}

# A daemon that outlives the command is named, and is no longer traced.
daemon_outlives_command()
{
	"$etrace" run -o d.etrace -- sh -c '
		setsid sh -c "echo \$\$ > daemon; exec sleep 1000" > /dev/null 2>&1 &
		until [ -s daemon ] && grep -q "(sleep) S" "/proc/$(cat daemon)/stat"; do sleep 0.05; done
		exit 4' 2> err
	is "status" $? 4
	has err "sleep [$(cat daemon)]"
	has err "outlives"
	wait_for no_sessions || fail "the session stays open while the daemon runs"
	kill "$(cat daemon)" || fail "the daemon was ended"
	hasnt d.etrace "Exit|status=15"
}

attach_and_stop()
{
	local pid tracer

	bash -c 'while :; do cat /etc/hostname > /dev/null; sleep 0.05; done' &
	pid=$!
	"$etrace" attach -q -o a.fxt -o a.etrace $pid &
	tracer=$!
	wait_for grep -q '!PP|.*/cat$' a.etrace || fail "nothing has been recorded"
	kill -INT $tracer
	wait $tracer
	is "status after Ctrl-C" $? 0
	kill -0 $pid || fail "the process was ended together with attach"
	has a.etrace "!TN|bash"
	lines a.fxt > got
	cmp -s got a.etrace || fail "the FXT file converts to different lines"
	"$etrace" report a.fxt > got
	is "status of report" $? 0
	has got cat
	# attach ends when the process exits.
	"$etrace" attach -q -o b.etrace $pid &
	tracer=$!
	wait_for grep -q '!FN|/etc/hostname' b.etrace || fail "nothing has been recorded"
	kill $pid
	wait $tracer
	is "status of attach when the process exits" $? 0
	wait $pid 2> /dev/null
	has b.etrace "Exit|"
	is "status of attach to a process that has exited" \
		"$(status "$etrace" attach -o c.fxt $pid)" 125
	# It names what failed meanwhile, and reports nothing if the process itself succeeds.
	mkfifo go
	for end in 3 0; do
		sh -c "read -r _ < go; cat nothing; exit $end" 2> /dev/null &
		pid=$!
		"$etrace" attach -o d.fxt $pid 2> err &
		tracer=$!
		wait_for grep -q 'recording process' err || fail "attach does not start"
		echo > go
		wait $tracer
		if [ $end = 3 ]; then
			has err "FAILED since the recording began: cat failed first"
			has err "  more: etrace explain d.fxt"
		else
			hasnt err FAILED
			hasnt err more:
		fi
	done
}

# In a pid namespace, the kernel's pids belong to other processes, whose names must not be used.
# With its own /proc the names are right; with another /proc there are none.
pid_namespace()
{
	local backend=$1

	# Use up some pids, so that they differ from the machine's.
	cat > inside <<- 'END'
		for i in 1 2 3 4 5 6 7 8 9; do true & done; wait
		cp "$(command -v sleep)" victim
		./victim 300 & victim=$!
		# By its arguments: in another /proc it has another number.
		until pgrep -r S -f '^./victim 300' > /dev/null; do sleep 0.05; done
		"$etrace" attach --backend="$backend" -o "$name.etrace" $victim 2> "$name.err" & tracer=$!
		until grep -q 'recording process' "$name.err"; do sleep 0.05; done
		kill $victim; wait $victim; wait $tracer
		"$etrace" run --backend="$backend" -o "$name-left.etrace" -- sh -c './victim 301 & echo $! > left
			until pgrep -r S -f "^./victim 301" > /dev/null; do sleep 0.05; done' 2> "$name-left.err"
		kill "$(cat left)"
	END
	export etrace backend name=own
	unshare -pf --mount-proc bash inside > out 2>&1 || fail "attach or run fails in a pid namespace: $(cat out)"
	hasnt own.err "lacks their names"
	is "name of the process" "$(sed -n 's/.*!TN|//p' own.etrace)" victim
	is "arguments of the process" "$(sed -n 's/.*!TA|//p' own.etrace)" "./victim 300"
	has own.etrace '!TP|'"$PWD/victim"
	has own-left.err "victim [$(cat left)] outlives the command"

	name=other
	unshare -pf bash inside > out 2>&1 || fail "attach or run fails in a pid namespace with another /proc: $(cat out)"
	has other.err "the trace lacks the names of 1 of 1 tasks: /proc is not that of this pid namespace"
	is "name of the process with another /proc" "$(sed -n 's/.*!TN|//p' other.etrace)" ""
	hasnt other.etrace '!TA|'
	has other-left.err "victim [$(cat left)] outlives the command"

	# Seen from outside, a process that lives on in a namespace has its outside pid.
	"$etrace" run --backend="$backend" -o out.etrace -- sh -c 'unshare -pf --mount-proc ./victim 302 &
		until pgrep -r S -f "^./victim 302" > left; do sleep 0.05; done' 2> err
	has err "victim [$(cat left)] outlives the command"
	# The first process of a namespace accepts no other signal.
	pkill -KILL -f '^./victim 302'
}
pid_namespace_module() { pid_namespace module; }
pid_namespace_bpf() { by_bpf pid_namespace; }

finish pid_namespace_module pid_namespace_bpf four_sessions_at_once nested_sessions recorder_killed files_written_while_recording daemon_outlives_command attach_and_stop
