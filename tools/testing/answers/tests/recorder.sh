#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace run with strace, which needs no privileges: what remains if a command cannot be started,
# signals that stop it, and where outputs go.  The other backends share this code and are tested by
# the selftests in guests.

. "${0%/*}/../lib.sh"

command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null ||
	{ echo "skip: strace cannot trace here"; exit; }
run() { etrace run -q --backend=strace "$@"; }

# ---- the command cannot be started ----

ends 127 "a command that does not exist has exit status 127" run -o new.fxt -- no-such-command
check "a command that does not exist leaves no files" test -z "$(ls -A)"
run -o a.fxt -- true
cp a.fxt first
printf '#!/no/such/program\n' > script
chmod +x script
for command in no-such-command ./first /tmp ./script; do
	run -o a.fxt -o b.db -o c.html -- "$command" 2> messages
	check "$command: the exit status says that it was not run" test $? -ge 126
	check "$command: the previous recording is unchanged" cmp a.fxt first
	check "$command: no other files are left" test "$(echo a.* b.* c.*)" = "a.fxt b.* c.*"
	check "$command: one line is printed" test "$(wc -l < messages)" = 1
done
ends 127 "a command that exits with 127 keeps its status" run -o a.fxt -- sh -c 'exit 127'
check "a command that exits with 127 is recorded" test "$(cmp -s a.fxt first; echo $?)" = 1
check "the previous recording is kept as .old" cmp a.fxt.old first
run -o b.db -- true
cp b.db first.db
run -o b.db -- sh -c 'exit 0'
check "the previous database is kept as .old" cmp b.db.old first.db
check "recordings and databases have mode 600, also as .old" \
	test "$(stat -c %a a.fxt a.fxt.old b.db b.db.old | sort -u)" = 600
mkdir taken.fxt.old
ends 125 "etrace run fails if it cannot keep the previous recording" \
	sh -c ': > taken.fxt; echo x > taken.fxt; exec etrace run -q --backend=strace -o taken.fxt -- touch ran'
check "the command is not run if the previous recording cannot be kept" test ! -e ran

# ---- the command is stopped, and goes on ----

for sig in STOP TSTP TTIN TTOU; do
	# continue the command after its stop, which only its state in /proc shows
	# shellcheck disable=SC2016
	ends 9 "SIG$sig stops the command until another process sends SIGCONT" \
		timeout 300 etrace run -q --backend=strace \
		-o stop.fxt -- sh -c 'pid=$$
			(for i in $(seq 1200); do
				grep -q "^State:.[tT] " /proc/$pid/status && break; sleep 0.05; done
			 kill -CONT $pid) & kill -'$sig' $$; exit 9'
done

# ---- where the output goes ----

mkdir real
echo before > real/a.etrace
ln -s real/a.etrace link.etrace
ends 0 "a symbolic link is accepted as output" run -o link.etrace -- true
check "a symbolic link is kept" test -L link.etrace
check "the target of a symbolic link is the recording" grep -q '!VT|' real/a.etrace
check "the previous target of a symbolic link is kept beside it" grep -q before real/a.etrace.old
mkfifo pipe.json pipe.db
cat pipe.json > received &
ends 0 "a named pipe is accepted as output" run -o pipe.json -- true
finish $!
check "a named pipe is kept" test -p pipe.json
check "the recording is written to a named pipe" grep -q '"event":"session"' received
cat pipe.db > received.db &
ends 0 "a named pipe is accepted for a database" run -o pipe.db -- true
finish $!
check "a named pipe for a database is kept" test -p pipe.db
ends 0 "a database read from a named pipe can be reported" etrace report received.db
# the recording appears when the command runs, and grows
# shellcheck disable=SC2016
ends 0 "the recording is written while the command runs" run -o grows.fxt -- sh -c '
	for i in $(seq 600); do [ -s grows.fxt ] && exit; sleep 0.05; done; exit 1'
check "no unfinished files are left" test -z "$(find . -name '*-part')"
ends 125 "attach to a process that does not exist is an error" etrace attach 4194303
check "attach to a process that does not exist prints one line" \
	test "$(etrace attach 4194303 2>&1)" = \
	"etrace: attach 4194303: no such process"
