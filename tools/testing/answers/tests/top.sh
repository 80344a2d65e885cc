#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace top and etrace run --top, in terminals of tmux: the builds wait at pipes until the test
# has seen what it expects.

. "${0%/*}/../lib.sh"
begin_builds

command -v tmux > /dev/null || { echo "skip: there is no tmux"; exit; }
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

# sees NAME TEXT: check that it appears on the screen.
sees()
{
	local i
	for ((i = 0; i < 200; i++)); do
		screen > shown
		grep -qF -- "$2" shown && break
		sleep 0.1
	done
	[ $i -lt 200 ] || { echo "'$2' is not there:"; cat shown; }
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
sees "80x24: programs that run" 'head -n 1 go.b'
sees "both, longest first" '2 running   longest first'
grep -q '2 running, [1-9] waiting' shown
result $? "those that wait"
[ "$(wc -l < shown)" = 24 ] && [ "$(awk '{ if (length > n) n = length } END { print n }' shown)" -le 80 ]
result $? "80x24: in its bounds"
sees "without an earlier recording" 'time left: unknown'
tmux resize-window -t view -x 200 -y 50
sees "200x50: classes beside it" 'ended        now   1 min   5 min   in all'
grep -q 'go.a .* other ' shown || grep -q 'compile .*0 .*0' shown
result $? "200x50: both columns"
tmux resize-window -t view -x 40 -y 10
sees "40x10: still there" 'etrace top  make'
tmux resize-window -t view -x 80 -y 24
sees "and back" 'q quit  / search'
go a
sees "what was finished" "$builds/a.o"
sees "what comes next" 'head -n 1 go.c'
keys / 'cc1 a.c' Enter
sees "the search finds those that have ended" '1 program with "cc1 a.c"'
keys Down Enter
sees "a program's page" 'exit status 0'
sees "its files" "$builds/a.c"
sees "its directory" "directory    $builds"
keys Escape Escape
sees "the first page again" '2 running   longest first'
keys '?'
sees "help" 'end the view; the build goes on'
keys '?' q
sees "q ends the view" 'ended: 0'
kill -0 $recorder
result $? "and not the build"

view 80 24 "etrace top $recorder"
sees "by the recorder's PID" 'head -n 1 go.b'
go b
go c
sees "a build that ends" 'the build has succeeded'
finish $recorder
result $? "with status 0"
grep -q 'ended: 0' <(screen)
[ $? = 1 ]
result $? "the view stays"
keys q
sees "until q" 'ended: 0'
view 80 24 'etrace top build.fxt'
sees "a recording that is over" 'the build has succeeded'

# ---- failures, characters and colours ----

printf 'int a(void) { return x; }\n' > a.c
record make -j2
go a
view 100 24 'etrace top build.fxt' TERM=screen-256color LC_ALL=C.UTF-8
sees "a failure while others run" '1 failure so far'
sees "which, on what, by which command" "cc1 a.c: exit status 1 (gcc -c -o a.o a.c in $builds)"
tmux capture-pane -e -p -t view | grep -q $'\033\[[0-9;]*31m.*failure'
result $? "in red"
tmux resize-window -t view -x 160 -y 40
sees "UTF-8: bars" '█'
view 160 40 'etrace top build.fxt' TERM=vt100 LC_ALL=C
sees "C locale: bars" '#'
! screen | LC_ALL=C grep -q '[^ -~]'
result $? "C locale: nothing but ASCII"
! tmux capture-pane -e -p -t view | grep -q $'\033\[[0-9;]*3[0-7]m'
result $? "vt100: no colours"
tmux capture-pane -e -p -t view | grep -q $'\033\[[0-9;]*1[;m]'
result $? "vt100: bold"
view 100 24 'etrace top build.fxt' TERM=screen-256color NO_COLOR=1
sees "NO_COLOR: failures" '1 failure so far'
! tmux capture-pane -e -p -t view | grep -q $'\033\[[0-9;]*3[0-7]m'
result $? "NO_COLOR: no colours"
go b
sees "a build that fails" 'the build has failed: status 2'
sees "what failed stays" '1 failure'
finish $recorder
[ $? = 2 ]
result $? "the recorder's status"

# ---- compressed ----

printf 'int a(void) { return 1; }\n' > a.c
rm -f ./*.o
etrace run -q --backend=strace -o build.fxt.zst -o build.fxt.gz make -j2 > log 2>&1 &
recorder=$!
until_done test -s build.fxt.gz
for end in zst gz; do
	view 80 24 "etrace top build.fxt.$end"
	sees "$end: while it is written" 'head -n 1 go.b'
done
go a
sees "gz: goes on" "$builds/a.o"
go b
go c
sees "gz: its end" 'the build has succeeded'
finish $recorder

# ---- run --top ----

rm -f ./*.o
mv build.fxt.zst old.fxt.zst
view 80 24 'etrace run --backend=strace -o build.fxt --top make -j2'
sees "run --top" '2 running   longest first'
keys q
sees "what make printed, and the progress line" 'etrace: 0:'
go a
sees "the recording goes on" 'gcc -c -o a.o a.c'
go b
go c
sees "to its end" 'complete'
sees "with the command's status" 'ended: 0'
check "the recording is whole" etrace report build.fxt

rm -f ./*.o
printf 'int c(void) { return x; }\n' > c.c
view 80 24 'etrace run --backend=strace -o build.fxt --top --before old.fxt.zst make -j2'
go a
go b
sees "--before: the time remaining" 'about '
go c
sees "the view ends with the command" 'ended: 2'
sees "what it printed is there" "c.c:1:"

# ---- errors ----

check "without a terminal: said" bash -c \
	'setsid etrace top build.fxt 2> said; [ $? = 125 ] && grep -q "etrace: top: no terminal" said'
rm -f ./*.o
check "run --top without a terminal: nothing is run" bash -c \
	'setsid etrace run --backend=strace --top touch was-run 2> said
	 [ $? = 125 ] && grep -q "no terminal" said && [ ! -e was-run ]'
ends 125 "a file that is not there" etrace top nowhere.fxt
ends 125 "what is no trace" etrace top Makefile
ends 125 "a process that is not there" etrace top 99999999
ends 125 "--before without --top" etrace run --before old.fxt.zst true
view 80 24 'etrace top build.fxt' TERM=nothing-known
sees "an unknown terminal" 'ended: 125'
check "is said" grep -q 'TERM=nothing-known: ncurses cannot use this' shown
view 80 24 'etrace top --before Makefile build.fxt'
sees "--before: no trace" 'ended: 125'

# ---- a recorder that is killed: last, because its build goes on ----

record make -j2
view 80 24 'etrace top build.fxt'
sees "before" 'head -n 1 go.a'
kill -KILL $recorder
sees "a recorder that was killed" 'the recording was cut off'
# its status is 128 plus the signal
wait $recorder 2> /dev/null || :
