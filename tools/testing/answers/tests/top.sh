#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace top and etrace run --top, in terminals of tmux: the builds wait at pipes until the test
# has seen what it expects.

. "${0%/*}/../lib.sh"
begin_builds

command -v tmux > /dev/null || { echo "skip: tmux is not installed"; exit; }
views=0
tmux() { command tmux -L "etrace-$$-$views" -f /dev/null "$@"; }
# end what the last build left, which would wait for ever
end_all()
{
	local p

	tmux kill-server 2> /dev/null
	for p in go.*; do
		[ -p "$p" ] && exec 9<> "$p" && echo >&9
	done
}
trap end_all EXIT
unset NO_COLOR TMUX

# view COLS ROWS COMMAND [VAR=VALUE]...: run it in a terminal of that size; it prints its status
# when it ends.
view()
{
	tmux kill-server 2> /dev/null
	# use a new server: one that is ending would take the next session with it
	views=$((views + 1))
	tmux new-session -d -s view -x "$1" -y "$2" \
		"env ${*:4} bash -c 'stty sane; $3; echo ended: \$?; exec sleep 1000'"
}
screen() { tmux capture-pane -p -t view; }
keys() { tmux send-keys -t view "$@"; }

# check_screen NAME TEXT: check that it appears on the screen.
check_screen()
{
	local i
	for ((i = 0; i < 200; i++)); do
		screen > shown
		grep -qF -- "$2" shown && break
		sleep 0.1
	done
	[ $i -lt 200 ] || { echo "'$2' is missing on the screen:"; cat shown; }
	[ $i -lt 200 ]
	result $? "$1"
}

# A build of a.c, b.c and c.c; each step waits first until the test lets it go.
printf 'int a(void) { return 1; }\n' > a.c
printf 'int b(void) { return 1; }\n' > b.c
printf 'int c(void) { return 1; }\n' > c.c
printf 'all: a.o b.o c.o\n%%.o: %%.c\n\t@head -n 1 go.$* > /dev/null\n\tgcc -c -o $@ $<\n' > Makefile
mkfifo go.a go.b go.c
go() { timeout 60 sh -c "echo > go.$1"; }

# record [WORD]...: start a recording in the background, and set recorder.
record()
{
	rm -f ./*.o build.fxt*
	etrace run -q --backend=strace -o build.fxt "$@" > log 2>&1 &
	recorder=$!
	until_done test -s build.fxt
}

# ---- a file that is being written ----

record make -j2
view 80 24 'etrace top build.fxt'
check_screen "80x24: running programs are shown" 'head -n 1 go.b'
check_screen "80x24: two programs run, longest first" '2 running   longest first'
grep -q '2 running, [1-9] waiting' shown
result $? "80x24: waiting programs are counted"
[ "$(wc -l < shown)" = 24 ] && [ "$(awk '{ if (length > n) n = length } END { print n }' shown)" -le 80 ]
result $? "80x24: the view fits"
check_screen "without --before, the time left is unknown" 'time left: unknown'
tmux resize-window -t view -x 200 -y 50
check_screen "200x50: the table of classes is shown" 'ended        now   1 min   5 min   in all'
grep -q 'go.a .* other ' shown || grep -q 'compile .*0 .*0' shown
result $? "200x50: both tables have rows"
tmux resize-window -t view -x 40 -y 10
check_screen "40x10: the view adapts to a small terminal" 'etrace top  make'
tmux resize-window -t view -x 80 -y 24
check_screen "80x24: the view adapts to a larger terminal" 'q quit  / search'
go a
check_screen "a finished output is shown" "$builds/a.o"
check_screen "the next step is shown" 'head -n 1 go.c'
keys / 'cc1 a.c' Enter
check_screen "the search finds programs that have ended" '1 program with "cc1 a.c"'
keys Down Enter
check_screen "a program's page has its exit status" 'exit status 0'
check_screen "a program's page has its files" "$builds/a.c"
check_screen "a program's page has its directory" "directory    $builds"
keys Escape Escape
check_screen "Escape returns to the first page" '2 running   longest first'
keys '?'
check_screen "? shows the help" 'end the view; the build goes on'
keys '?' q
check_screen "q ends the view" 'ended: 0'
kill -0 $recorder
result $? "q does not end the build"

view 80 24 "etrace top $recorder"
check_screen "top accepts the recorder's PID" 'head -n 1 go.b'
go b
go c
check_screen "the end of the build is shown" 'the build has succeeded'
finish $recorder
result $? "the recorder exits with status 0"
grep -q 'ended: 0' <(screen)
[ $? = 1 ]
result $? "the view stays after the end of the build"
keys q
check_screen "q ends the view after the end of the build" 'ended: 0'
view 80 24 'etrace top build.fxt'
check_screen "a finished recording can be viewed" 'the build has succeeded'

# ---- failures, characters and colours ----

printf 'int a(void) { return x; }\n' > a.c
record make -j2
go a
view 100 24 'etrace top build.fxt' TERM=screen-256color LC_ALL=C.UTF-8
check_screen "a failure is shown while others run" '1 failure so far'
check_screen "a failure is shown with its program, source and command" \
	"cc1 a.c: exit status 1 (gcc -c -o a.o a.c in $builds)"
tmux capture-pane -e -p -t view | grep -q $'\033\[[0-9;]*31m.*failure'
result $? "failures are red"
tmux resize-window -t view -x 160 -y 40
check_screen "UTF-8: bars use block characters" '█'
view 160 40 'etrace top build.fxt' TERM=vt100 LC_ALL=C
check_screen "C locale: bars use #" '#'
! screen | LC_ALL=C grep -q '[^ -~]'
result $? "C locale: the view is ASCII"
! tmux capture-pane -e -p -t view | grep -q $'\033\[[0-9;]*3[0-7]m'
result $? "vt100: there are no colours"
tmux capture-pane -e -p -t view | grep -q $'\033\[[0-9;]*1[;m]'
result $? "vt100: there is bold text"
view 100 24 'etrace top build.fxt' TERM=screen-256color NO_COLOR=1
check_screen "NO_COLOR: failures are shown" '1 failure so far'
! tmux capture-pane -e -p -t view | grep -q $'\033\[[0-9;]*3[0-7]m'
result $? "NO_COLOR: there are no colours"
go b
check_screen "the failure of the build is shown with its status" 'the build has failed: status 2'
check_screen "failures are still shown after the end of the build" '1 failure'
finish $recorder
[ $? = 2 ]
result $? "the recorder exits with the failed build's status"

# ---- compressed ----

printf 'int a(void) { return 1; }\n' > a.c
rm -f ./*.o
etrace run -q --backend=strace -o build.fxt.zst -o build.fxt.gz make -j2 > log 2>&1 &
recorder=$!
until_done test -s build.fxt.gz
for end in zst gz; do
	view 80 24 "etrace top build.fxt.$end"
	check_screen "$end: a recording can be viewed while it is written" 'head -n 1 go.b'
done
go a
check_screen "gz: the view is updated" "$builds/a.o"
go b
go c
check_screen "gz: the end of the build is shown" 'the build has succeeded'
finish $recorder

# ---- run --top ----

rm -f ./*.o
mv build.fxt.zst old.fxt.zst
view 80 24 'etrace run --backend=strace -o build.fxt --top make -j2'
check_screen "run --top shows running programs" '2 running   longest first'
keys q
check_screen "run --top: after q, the progress line is shown" 'etrace: 0:'
go a
check_screen "run --top: after q, the build goes on" 'gcc -c -o a.o a.c'
go b
go c
check_screen "run --top: after q, the recording is completed" 'complete'
check_screen "run --top exits with the command's status" 'ended: 0'
check "run --top: the recording is complete" etrace report build.fxt

rm -f ./*.o
printf 'int c(void) { return x; }\n' > c.c
view 80 24 'etrace run --backend=strace -o build.fxt --top --before old.fxt.zst make -j2'
go a
go b
check_screen "run --top --before shows the time left" 'about '
go c
check_screen "run --top ends with the command" 'ended: 2'
check_screen "run --top: after the end, the command's output is shown" "c.c:1:"

# ---- errors ----

check "without a terminal, top reports that there is none" bash -c \
	'setsid etrace top build.fxt 2> messages; [ $? = 125 ] && grep -q "etrace: top: no terminal" messages'
rm -f ./*.o
check "without a terminal, run --top does not run the command" bash -c \
	'setsid etrace run --backend=strace --top touch was-run 2> messages
	 [ $? = 125 ] && grep -q "no terminal" messages && [ ! -e was-run ]'
ends 125 "a missing file is an error" etrace top nowhere.fxt
ends 125 "a file that is not a trace is an error" etrace top Makefile
ends 125 "a process that does not exist is an error" etrace top 99999999
ends 125 "--before without --top is a usage error" etrace run --before old.fxt.zst true
view 80 24 'etrace top build.fxt' TERM=nothing-known
check_screen "an unknown terminal type is an error" 'ended: 125'
check "an unknown terminal type is reported" \
	grep -q 'TERM=nothing-known: ncurses cannot use this' shown
view 80 24 'etrace top --before Makefile build.fxt'
check_screen "--before with a file that is not a trace is an error" 'ended: 125'

# ---- a recorder that is killed: last, because its build goes on ----

record make -j2
view 80 24 'etrace top build.fxt'
check_screen "a build is shown before its recorder is killed" 'head -n 1 go.a'
kill -KILL $recorder
check_screen "a killed recorder is reported" 'the recording was cut off'
# its status is 128 plus the signal
wait $recorder 2> /dev/null || :
