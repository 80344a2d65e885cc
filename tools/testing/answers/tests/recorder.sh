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

ends 127 "there is no such command" run -o new.fxt -- no-such-command
check "and nothing is left of it" test -z "$(ls -A)"
run -o a.fxt -- true
cp a.fxt first
printf '#!/no/such/program\n' > script
chmod +x script
for command in no-such-command ./first /tmp ./script; do
	run -o a.fxt -o b.db -o c.html -- "$command" 2> told
	check "$command: it is not run" test $? -ge 126
	check "$command: the recording before is there" cmp a.fxt first
	check "$command: nothing else is" test "$(echo a.* b.* c.*)" = "a.fxt b.* c.*"
	check "$command: it is said in one line" test "$(wc -l < told)" = 1
done
ends 127 "a command that ends with 127" run -o a.fxt -- sh -c 'exit 127'
check "was run, and is recorded" test "$(cmp -s a.fxt first; echo $?)" = 1
check "and the recording before is kept" cmp a.fxt.old first
run -o b.db -- true
cp b.db first.db
run -o b.db -- sh -c 'exit 0'
check "a database before is kept" cmp b.db.old first.db
check "modes" test "$(stat -c %a a.fxt a.fxt.old b.db b.db.old | sort -u)" = 600
mkdir taken.fxt.old
ends 125 "the old one cannot be kept" sh -c ': > taken.fxt; echo x > taken.fxt; exec etrace run -q --backend=strace -o taken.fxt -- touch ran'
check "and the command is not run" test ! -e ran

# ---- the command is stopped, and goes on ----

for sig in STOP TSTP TTIN TTOU; do
	# continue the command after its stop, which only its state in /proc shows
	# shellcheck disable=SC2016
	ends 9 "SIG$sig, and SIGCONT from somebody else" timeout 300 etrace run -q --backend=strace \
		-o stop.fxt -- sh -c 'pid=$$
			(for i in $(seq 1200); do
				grep -q "^State:.[tT] " /proc/$pid/status && break; sleep 0.05; done
			 kill -CONT $pid) & kill -'$sig' $$; exit 9'
done

# ---- where the output goes ----

mkdir real
echo before > real/a.etrace
ln -s real/a.etrace link.etrace
ends 0 "a link" run -o link.etrace -- true
check "stays" test -L link.etrace
check "and what it leads to is the recording" grep -q '!VT|' real/a.etrace
check "kept beside it" grep -q before real/a.etrace.old
mkfifo pipe.json pipe.db
cat pipe.json > through &
ends 0 "a pipe" run -o pipe.json -- true
finish $!
check "is a pipe" test -p pipe.json
check "all comes through it" grep -q '"event":"session"' through
cat pipe.db > through.db &
ends 0 "a database into a pipe" run -o pipe.db -- true
finish $!
check "is a pipe yet" test -p pipe.db
ends 0 "and comes through it" etrace report through.db
# the recording appears when the command runs, and grows
# shellcheck disable=SC2016
ends 0 "it is there while the command runs" run -o grows.fxt -- sh -c '
	for i in $(seq 600); do [ -s grows.fxt ] && exit; sleep 0.05; done; exit 1'
check "no more is left" test -z "$(find . -name '*-part')"
ends 125 "attach: who is not there" etrace attach 4194303
check "is said in one line" test "$(etrace attach 4194303 2>&1)" = \
	"etrace: attach 4194303: no such process"
