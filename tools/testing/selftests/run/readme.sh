#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: the commands that README lists for use by hand work as described

. "$(dirname "$0")/lib.sh"

# Print the commands below the line of README that begins with $1.
recipe() { awk -v from="$1" 'on && /^    /; on && /^[^ ]/ { exit } index($0, from) == 1 { on = 1 }' "$BIN/README.md"; }

readme_without_etrace_run()
{
	[ ! -d /sys/module/etrace ] || rmmod etrace || fail "the module cannot be unloaded"
	recipe "Or by hand" > typed
	is "commands of README that read the trace" "$(grep -c trace_pipe typed)" 1
	mkdir bin
	cp "$reader" bin/
	printf '#!/bin/sh\nfor i in 1 2 3; do cat /etc/hostname > built-$i; done\n' > bin/make
	chmod +x bin/make
	cp "$BIN/etrace.ko" .
	# Run them in a separate shell, as typed by a user; the first one that fails ends it.
	PATH=$PWD/bin:$PATH bash -e < typed > out 2> err || fail "the commands of README fail: $(tail -n 3 err)"
	echo 1408 > "$TRACING/buffer_size_kb"
	[ ! -d /sys/module/etrace ] || fail "the module is still loaded"
	is "programs in the trace" "$(programs build.trace | sort | uniq -c | xargs)" "3 cat 1 make"
	is "files that were built, in the trace" "$(grep -c '!FN|.*/built-[123]$' build.trace)" 3
	hasnt build.trace trace_pipe
	is "counters of lost records that are 0" "$(grep -c '/lost_.*:0$' out)" 4
	[ "$(sed -n 's/.*\/records://p' out)" -gt 20 ] || fail "the counters are missing or too low: $(cat out)"
	lines build.fxt > got
	is "status of etrace-read" $? 0
	lines build.trace > wanted
	cmp got wanted || fail "the FXT file converts to different lines"
}

finish readme_without_etrace_run
