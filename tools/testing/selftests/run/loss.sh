#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: nothing is lost with default settings; losses are counted exactly

# Numbers and names without blanks need no quotes.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib.sh"

# field FILE NAME: a number that the recorder wrote at the end
field() { sed -n "s/.*!Session|.*[|,]$2=\([0-9]*\).*/\1/p" "$1"; }

# A buffer of one page cannot hold all records while the reader is stopped. The total is known
# from the same run without loss and with as many outputs, because execve records each descriptor
# of the recorder that it closes.
loss_reported()
{
	local s=0 all lost there reports calls="$BIN/calls 20000"
	# The reader gets some time, so that later records fit and may report the loss; the
	# numbers are right however long it takes.
	local workload="kill -STOP \$PPID; $calls; kill -CONT \$PPID; sleep 0.3"

	"$etrace" run -b 64M --strict -o whole.etrace -o whole.fxt -o whole.json -- \
		sh -c "$workload" > out 2> err || fail "records were lost with a buffer of 64 MiB"
	all=$(field whole.etrace records)
	"$etrace" run -b 4096 --strict -o loss.etrace -o loss.fxt -o loss.json -- \
		sh -c "$workload" > out 2> err || s=$?
	is "status under --strict" $s 123
	has err "NOT COMPLETE"
	lost=$(field loss.etrace lost)
	there=$(field loss.etrace arrived)
	# A report of a loss is an additional record.
	reports=$(grep -c '\[LOST ' loss.etrace)
	note "$all records without loss; $there arrived, of these $reports report a loss; $lost lost"
	[ "$lost" -gt 30000 ] || fail "only $lost records are reported as lost"
	is "sum of records that arrived and were lost" $((there - reports + lost)) "$all"
	is "whether some opens were lost" \
		"$(($(grep -c '!FN|/etc/hostname$' loss.etrace) < 2000))" 1
	for f in loss.etrace loss.fxt; do
		is "status of report for $f" "$(status "$etrace" report $f)" 1
		has out "NOT complete"
		has out "$lost records lost: a buffer was full"
	done
	has loss.json '"complete":0'
	is "status without --strict" "$(status "$etrace" run -b 4096 -o l2.fxt -- \
		sh -c "kill -STOP \$PPID; $BIN/calls 2000; kill -CONT \$PPID; exit 6")" 6
	has err "NOT COMPLETE"
}

# An impossible size is refused with a message that says what is possible.
buffer_too_large()
{
	is "status of -b 16G by BPF" "$(status "$etrace" run --backend=bpf -b 16G true)" 125
	is "message for -b 16G" \
		"$(cat err)" "etrace: cannot allocate a buffer of 16384 MiB: BPF programs have one for all processors, of 1024 MiB at most; give a smaller size with -b"
	if [ "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" -lt 1000000 ]; then
		is "status of -b 1G by BPF" "$(status "$etrace" run --backend=bpf -b 1G true)" 125
		has err "etrace: cannot allocate a buffer of 1048576 KiB for the BPF programs: "
		has err "; give a smaller size with -b"
	fi
	is "status of -b 16G" "$(status "$etrace" run --backend=module -b 16G true)" 125
	has err "; give a smaller size with -b"
}

# A task that continues after a loss reports it in place: when, in which task, how many records.
loss_position()
{
	# On one processor, until a record made after the loss is in the file: then this buffer
	# has been emptied, and the last record of the task is not lost.  No program is started
	# here.  ($name, because the file also contains this text as an argument.)
	# shellcheck disable=SC2016
	"$etrace" run -b 4096 -o p.etrace -o p.fxt -- taskset -c 0 bash -c '
		mkfifo nobody; exec 9<> nobody; name=issue
		kill -STOP $PPID
		for ((i = 0; i < 4000; i++)); do : < /etc/hostname; done
		kill -CONT $PPID
		until mapfile -t there < p.etrace && [[ ${there[*]} == *"!FN|/etc/$name"* ]]; do
			: < /etc/$name
			read -rt 0.05 -u 9
		done; exit 0' 2> err
	is "status" $? 0
	has err " of bash ["
	is "sum of the losses reported in the trace" "$(sed -n 's/.*\[LOST \([0-9]*\) EVENTS\]/\1/p' p.etrace |
		awk '{ sum += $1 } END { print sum + 0 }')" "$(field p.etrace lost)"
	is "first of the loss report and the next open" \
		"$(grep -oE 'LOST|FN./etc/issue' p.etrace | head -n 1)" LOST
	"$reader" --to etrace p.fxt 2> lines.err > got
	cmp got p.etrace || fail "the FXT file converts to different lines"
}

# stress SECONDS: record a program on each processor that only opens and closes a file, and set
# $sum to the number of opens.
stress()
{
	local n i

	n=$(nproc)
	rm -f n.*
	"$etrace" run --strict -v -o all.etrace -- sh -c "
		for i in \$(seq $n); do $BIN/calls -s $1 > n.\$i & done; wait" 2> err
	status=$?
	sed 's/^/# /' err
	sum=0
	for i in n.*; do sum=$((sum + $(cat "$i"))); done
}

# The duration is fixed: the buffers must be read for longer than it takes to fill them, however
# fast the machine is. If the machine does not let the recorder run for a while, records are lost;
# then the recorder says so, and gets another chance.
no_loss()
{
	local tries=0 status sum

	stress "${ETRACE_LOSS_SECONDS:-10}"
	while [ $status = 123 ] && [ $((tries += 1)) -lt 3 ]; do
		has err 'records written that did not arrive'
		stress "${ETRACE_LOSS_SECONDS:-10}"
	done
	is "status" $status 0
	has err complete
	is "opens in the trace" "$(grep -c '!FN|/etc/hostname$' all.etrace)" "$sum"
	is "whether there is a close for each open" \
		"$(($(grep -c '!Close|fd=3$' all.etrace) >= sum))" 1
}

# A full disk is reported at once; the command and other outputs continue.
# shellcheck disable=SC2016
disk_full()
{
	mkdir small
	mount -t tmpfs -o size=64k tmpfs small
	"$etrace" run --strict -o small/a.fxt -o whole.etrace -- \
		sh -c "$BIN/calls 5000"'
			for i in $(seq 2400); do grep -q "small/a.fxt: No space" err && break; sleep 0.05; done
			touch end; exit 2' > out 2> err
	is "status under --strict" $? 123
	[ -e end ] || fail "the command stopped when the disk was full"
	has err "small/a.fxt: No space left on device"
	has err "NOT COMPLETE"
	has err "small/a.fxt: incomplete: No space left on device"
	lines small/a.fxt > got
	is "whether the file on the full disk has over 100 opens" \
		"$(($(grep -c '!FN|/etc/hostname$' got) > 100))" 1
	is "opens in the other output" "$(grep -c '!FN|/etc/hostname$' whole.etrace)" 5000
	"$etrace" run -q -o small/b.fxt.gz -- sh -c "$BIN/calls 50; exit 3" 2> err > out
	is "status without --strict" $? 3
	umount small
}

# A copy of the block device, which is what a crash of the machine would leave now, contains the
# recording so far.
survives_crash()
{
	local good=0

	cp disk.img crashed.img
	mount -o loop crashed.img crashed || return
	grep -qF '!FN|/etc/passwd' crashed/p.etrace || good=1
	in_lines crashed/p.fxt '!FN|/etc/passwd' || good=1
	umount crashed
	return $good
}

power_loss()
{
	local pid

	modprobe loop 2> /dev/null
	truncate -s 64M disk.img
	mkfs.ext4 -q disk.img || { skip "no ext4"; return; }
	mkdir disk crashed
	mount -o loop disk.img disk 2> err || { skip "no loop devices: $(cat err)"; return; }
	"$etrace" run -q -o disk/p.etrace -o disk/p.fxt -- \
		sh -c 'cat /etc/passwd; exec sleep 1000' > /dev/null &
	pid=$!
	wait_for survives_crash || fail "no events survive a crash"
	kill $pid
	wait $pid
	umount disk
}

finish loss_reported buffer_too_large loss_position no_loss disk_full power_loss
