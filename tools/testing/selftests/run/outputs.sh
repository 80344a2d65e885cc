#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: output files are locked, checked at the end, and do not block each other

# Numbers and names without blanks need no quotes.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib.sh"

# A command that runs until the test tells it to end.
WAIT='echo > begun; until [ -e over ]; do sleep 0.05; done'

opens() { grep -c '!FN|/etc/hostname$' "$1"; }

# No other recording can use the file of a running one.
output_locked()
{
	local pid s tracer

	"$etrace" run --strict -- sh -c "$WAIT; cat /etc/hostname" > out.1 2> err.1 &
	pid=$!
	wait_for test -e begun || fail "the recording does not start"
	is "status of a second run to the same file" "$(status "$etrace" run touch ran)" 125
	has err "etrace.fxt: another recording"
	is "status of an attach to the same file" "$(status "$etrace" attach $$)" 125
	has err "etrace.fxt: another recording"
	ln etrace.fxt hard.fxt
	is "status of a run to a hard link of the file" \
		"$(status "$etrace" run -o free.json -o hard.fxt touch ran)" 125
	[ -e ran ] && fail "the command was run in spite of an error"
	is "status of a run to another file" \
		"$(status "$etrace" run --strict -o free.json touch ran)" 0
	touch over
	wait $pid
	is "status" $? 0
	has err.1 "; complete"
	lines etrace.fxt > got
	is "status of the reader" $? 0
	has got '!FN|/etc/hostname'
	# Afterwards the file is free, even if the recorder was killed.
	rm begun over
	"$etrace" run -q -- sh -c "$WAIT" &
	pid=$!
	wait_for test -e begun || fail "the recording does not start"
	kill -9 $pid
	wait $pid 2> /dev/null
	touch over
	is "status after the recorder was killed" "$(status "$etrace" run --strict true)" 0
	# An attach locks its file as well.
	sleep 1000 &
	s=$!
	"$etrace" attach -q -o a.json $s &
	tracer=$!
	wait_for test -s a.json || fail "attach writes no events"
	is "status of a run to the file of an attach" "$(status "$etrace" run -o a.json true)" 125
	kill $s
	wait $tracer
	is "status of attach" $? 0
}

# Changes of the file by the command are reported, and are an error with --strict.
output_removed_or_replaced()
{
	local row name what want

	# the file appears when the command has started, which may have done something by then
	for row in "t.fxt:rm t.fxt:it no longer exists" "t.etrace.gz:mv t.etrace.gz x:it no longer exists" \
		"t.json.zst:mv old t.json.zst:another file" "t.etrace:until [ -s t.etrace ]; do sleep 0.05; done; echo > t.etrace:somebody else"; do
		IFS=: read -r name what want <<< "$row"
		touch old
		is "status after $what" "$(status "$etrace" run --strict -o $name -- \
			sh -c "until [ -e $name ]; do sleep 0.05; done; $what")" 123
		has err "NOT COMPLETE"
		has err "$name: incomplete: "
		has err "$want"
	done
	is "status without --strict" "$(status "$etrace" run -q -- sh -c \
		'until [ -e etrace.fxt ]; do sleep 0.05; done; rm -f *.fxt; exit 4')" 4
	has err "the trace is not complete"
	has err "etrace.fxt: incomplete: "
}

# The last line reports an error of the file, however late it occurs.
output_write_errors()
{
	is "status for /dev/full" "$(status "$etrace" run --strict --to etrace -o /dev/full true)" 123
	has err "NOT COMPLETE"
	has err "/dev/full: incomplete: No space left on device"
	mkfifo pipe.json
	{ head -c 1 pipe.json > first; echo > gone; } &
	is "status when the reader of a pipe exits" \
		"$(status "$etrace" run --strict -o pipe.json -o w.etrace -- \
		sh -c "$BIN/calls 1000; until [ -e gone ]; do sleep 0.05; done; $BIN/calls 1000")" 123
	wait $!
	has err "NOT COMPLETE"
	has err "pipe.json: incomplete: Broken pipe"
	is "opens in the other output" "$(opens w.etrace)" 2000
	is "status with a pipe that has no reader" \
		"$(status "$etrace" run -o pipe.json touch ran)" 125
	has err "pipe.json: is a pipe that nobody reads"
	[ -e ran ] && fail "the command was run in spite of an error"
}

# A process has the pipe open but does not read.
output_reader_stalls()
{
	local sig pid

	mkfifo pipe.etrace
	exec 9<> pipe.etrace
	for sig in INT TERM HUP; do
		env --default-signal=INT "$etrace" run --strict -o pipe.etrace -o w.etrace -- \
			sh -c "$BIN/calls 3000; touch ended" 2> err.$sig > out 9<&- &
		pid=$!
		wait_for grep -q "waiting until pipe.etrace is written" err.$sig || fail "etrace does not wait for the pipe's reader"
		[ -e ended ] || fail "the command was blocked by the full pipe"
		is "opens in the other output" "$(opens w.etrace)" 3000
		kill -$sig $pid
		wait $pid
		is "status after SIG$sig" $? 123
		has err.$sig "NOT COMPLETE"
		has err.$sig "pipe.etrace: incomplete: it did not accept all data"
		has err.$sig "  w.etrace"
		rm -f ended w.etrace
	done
	# The signal that ends the command is enough.
	"$etrace" run -o pipe.etrace -- \
		sh -c "$BIN/calls 3000; touch ended; exec sleep 1000" 2> err > out 9<&- &
	pid=$!
	wait_for test -e ended || fail "the command was blocked by the full pipe"
	kill -TERM $pid
	wait $pid
	is "status of the command" $? 143
	has err "NOT COMPLETE"
	# A late reader gets everything; first remove what the previous runs left in the pipe.
	dd if=pipe.etrace of=left iflag=nonblock bs=64k 2> /dev/null
	"$etrace" run --strict -o pipe.etrace -- sh -c "$BIN/calls 3000" 2> err.late > out 9<&- &
	pid=$!
	wait_for grep -q "waiting until pipe.etrace is written" err.late || fail "etrace does not wait for the pipe's reader"
	cat pipe.etrace > late.etrace 9<&- &
	wait_for test -s late.etrace || fail "nothing arrives through the pipe"
	exec 9<&-
	wait $pid
	is "status" $? 0
	wait $!
	is "opens that arrived through the pipe" "$(opens late.etrace)" 3000
	has late.etrace "VT|complete"
}

# The command's limits apply only to the command, and the recorder survives its own.
# shellcheck disable=SC2016
resource_limits()
{
	is "status under a hard limit of file sizes" \
		"$(ulimit -f 64; status "$etrace" run -o f.etrace -o g.fxt.gz -- \
		sh -c "$BIN/calls 3000; exit 7")" 7
	has err "NOT COMPLETE"
	has err "f.etrace: incomplete: File too large"
	is "status under a hard limit with --strict" \
		"$(ulimit -f 64; status "$etrace" run --strict -o f.etrace -- \
		sh -c "$BIN/calls 3000; exit 7")" 123
	is "status under a soft limit of file sizes" \
		"$(ulimit -S -f 64; status "$etrace" run --strict -o f.etrace -- \
		sh -c "$BIN/calls 3000; exit 7")" 7
	is "opens recorded under a soft limit" "$(opens f.etrace)" 3000
	is "status of a command that exceeds its limit" \
		"$(ulimit -f 64; status "$etrace" run --strict -- \
		sh -c 'ulimit -c 0; exec head -c 200000 /dev/zero > big')" 153
	is "limits of the command" "$(
		for l in f n t v d l; do ulimit -$l 900000; ulimit -S -$l 800000; done
		"$etrace" run -q -- bash -c 'for l in f n t v d l; do
			echo $l $(ulimit -S -$l) $(ulimit -H -$l); done' | tr '\n' ' ')" \
		"$(printf '%s 800000 900000 ' f n t v d l)"
	is "CPU time limit of the recorder" "$(ulimit -t 50; "$etrace" run -q -- \
		sh -c 'grep "cpu time" /proc/$PPID/limits' | awk '{ print $4 }')" unlimited
}

finish output_locked output_removed_or_replaced output_write_errors output_reader_stalls resource_limits
