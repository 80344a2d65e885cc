#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: all outputs of one run have the same content, which agrees with strace

# Numbers and names without blanks need no quotes.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib.sh"

workload='
	for i in 1 2 3; do echo "$i" > "file $i"; mv "file $i" "moved $i"; done
	ln "moved 1" linked; ln -s nowhere dangling
	mkdir d; cd d; cat ../linked; cd ..
	printf "%2000s" x | cat > long
	sh -c "exit 9"
	(exec -a "argv	with
newline" cat /dev/null)
	/bin/true "" "a b" "$(printf "%5000s" y)" "$(printf "\377\376")"
	rm -f linked'

# shellcheck disable=SC2086
all_outputs()
{
	local all="x.fxt x.etrace x.json x.fxt.gz x.fxt.zst x.etrace.gz x.json.zst" f o=

	for f in $all; do o="$o -o $f"; done
	"$etrace" run --strict $o -- bash -c "$workload" > out 2> err
	is "status" $? 0
	for f in x.fxt x.fxt.gz x.fxt.zst x.etrace.gz; do
		lines $f > got
		is "status for $f" $? 0
		cmp got x.etrace || fail "$f converts to different lines"
	done
	zstd -dcq x.json.zst | cmp - x.json || fail "x.json.zst differs from x.json"
	"$reader" --to json x.etrace > got.json
	cmp got.json x.json || fail "x.json differs from the converted lines"
	for f in $all; do
		is "mode of $f" "$(stat -c %a $f)" 600
		case $f in
		*json*) ;;
		*)	"$etrace" report --json $f > $f.report
			is "report of $f" $? 0
			cmp $f.report x.fxt.report || fail "report of $f differs" ;;
		esac
	done
	has x.fxt.report '"complete":true'
	has x.fxt.report '"status":0'
	"$reader" --check x.fxt > check 2>&1 || { fail "etrace-read --check finds errors in x.fxt"; head check; }
}

# The output says where it was recorded, and when: the last event is at the time of the run.
machine_and_time()
{
	local begin at times

	begin=$(date +%s)
	"$etrace" run -q -o x.json -- true
	is "status" $? 0
	has x.json "\"host\":\"$(uname -n)\",\"kernel\":\"$(uname -r)\""
	times=$(sed -n 's/^{"event":"session","time_ns":\([0-9]*\),.*"realtime":\([0-9]*\),.*/\1 + \2/p' x.json)
	at=$(((${times:-0}) / 1000000000))
	[ "$at" -ge "$begin" ] && [ "$at" -le "$(date +%s)" ] || fail "recorded at $at, after $begin"
}

format_option()
{
	"$etrace" run -q --to etrace -o odd.name -o odd.gz -- true
	is "status" $? 0
	has odd.name "!PP|"
	gzip -dc odd.gz > got
	cmp got odd.name || fail "the compressed output differs"
}

# A second opinion: strace's programs, arguments and exit statuses.
strace_has_same_programs()
{
	command -v strace > /dev/null || { skip "no strace"; return; }
	mkdir a b
	(cd a && "$etrace" run -q --strict -o ../x.json -- bash -c "$workload" > /dev/null)
	# One file for each task: in a single file, calls of other tasks may split a line.
	(cd b && strace -ff -e trace=execve,exit_group -s 100000 -o ../x.strace bash -c "$workload" > /dev/null)
	cat x.strace.* > x.strace
	sed -n 's/.*execve("\([^"]*\)".* = 0$/\1/p' x.strace | xargs -n1 basename | sort > strace.programs
	sed -n 's/^{"event":"exec".*"path":"\([^"]*\)".*/\1/p' x.json | xargs -n1 basename | sort > etrace.programs
	# strace shows the path that was executed, etrace the file that runs.
	sed 's/^sh$/dash/' strace.programs | sort > tmp && mv tmp strace.programs
	cmp strace.programs etrace.programs || { fail "the programs differ from those of strace"; diff strace.programs etrace.programs; }
	sed -n 's/.*exited with \([0-9]*\) .*/\1/p' x.strace | sort -n > strace.statuses
	sed -n 's/^{"event":"exit".*"status":\([0-9]*\).*/\1/p' x.json |
		awk '{ print ($1 > 255 ? int($1 / 256) : $1) }' | sort -n > etrace.statuses
	cmp strace.statuses etrace.statuses || fail "the exit statuses differ from those of strace"
}

finish all_outputs machine_and_time format_option strace_has_same_programs
