#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: etrace run: exit statuses, standard streams, signals

# Numbers and names without blanks need no quotes.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib.sh"

exit_status()
{
	is "status of true" "$(status "$etrace" run true)" 0
	is "status of exit 7" "$(status "$etrace" run sh -c 'exit 7')" 7
	is "status of exit 255" "$(status "$etrace" run sh -c 'exit 255')" 255
	for sig in 1 2 3 6 9 11 15; do
		# shellcheck disable=SC2016
		is "status of a command ended by signal $sig" \
			"$(status "$etrace" run sh -c "ulimit -c 0; kill -$sig \$\$")" $((128 + sig))
	done
}

command_cannot_run()
{
	is "status of a missing command" "$(status "$etrace" run ./nosuch)" 127
	has err nosuch
	is "status of a command not in PATH" "$(status "$etrace" run no-such-command)" 127
	is "status of a file that is not executable" "$(status "$etrace" run /etc/passwd)" 126
	is "status of a directory" "$(status "$etrace" run /tmp)" 126
	# No command was started, and the existing recording is kept.
	[ -e etrace.fxt ] && fail "a recording was written although no command ran"
	"$etrace" run -q true
	cp etrace.fxt before
	is "status of a missing command" "$(status "$etrace" run ./nosuch)" 127
	cmp etrace.fxt before || fail "the previous recording was changed"
	is "recordings" "$(echo etrace.fxt*)" etrace.fxt
	# A command that itself exits with 127 was run.
	is "status of exit 127" "$(status "$etrace" run sh -c 'exit 127')" 127
	cmp -s etrace.fxt before && fail "the command that exits with 127 was not recorded"
	cmp etrace.fxt.old before || fail "the previous recording was not kept as etrace.fxt.old"
}

# Another process stops and continues the command.
# shellcheck disable=SC2016
stopped_and_continued()
{
	local sig

	for sig in STOP TSTP; do
		# the process that continues it must wait for the stop, which nothing announces
		is "status after SIG$sig" "$(status timeout 300 "$etrace" run --backend="$1" --strict -- sh -c '
			pid=$$
			(until grep -q "^State:.[tT] " /proc/$pid/status; do sleep 0.05; done; kill -CONT $pid) &
			kill -'$sig' $$; exit 9')" 9
	done
}
stopped_and_continued_module() { stopped_and_continued module; }
stopped_and_continued_bpf() { by_bpf stopped_and_continued; }

# shellcheck disable=SC2016
errors_before_start()
{
	local args

	for args in "" "-b 12 touch ran" "-o - touch ran" "-u no-such-user touch ran" \
		"-o /no/such/place.fxt touch ran" "-o name-without-format touch ran" \
		"--progress=sometimes touch ran" "--to nothing touch ran" "--no-such-option touch ran" \
		"--record=probes,what touch ran" "--record= touch ran" "--record=dirs, touch ran" \
		"--keep-env= touch ran" "--keep-env=A=1 touch ran" "--keep-env=A,,B touch ran" \
		"-o same.fxt -o ./same.fxt touch ran"; do
		# shellcheck disable=SC2086
		is "status with arguments '$args'" "$(status "$etrace" run $args)" 125
		[ -s err ] || fail "no error message for arguments '$args'"
	done
	[ -e ran ] && fail "the command was run in spite of an error"
	# There is no strace in any directory of this PATH.
	mkdir -m 777 open
	is "status without privileges" \
		"$(PATH=/none status /usr/bin/setpriv --reuid 65534 --clear-groups --inh-caps=-all "$etrace" run -o open/no.fxt /usr/bin/touch open/ran)" 125
	[ -e open/ran ] && fail "the command was run although it could not be traced"
	has err "root"
	has err "strace is not installed"
}

# Without any privileges, auto uses strace and says so.
strace_backend()
{
	local unprivileged=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)

	chmod 777 .
	echo words > a
	chmod 644 a
	is "status" "$(status "${unprivileged[@]}" "$etrace" run -o a.etrace sh -c 'cat a > b; exit 7')" 7
	has err "recording with strace"
	has err "complete"
	is "content of the output" "$(cat b)" words
	is "inputs of the output" "$("$etrace" deps a.etrace "$PWD/b")" "$PWD/a"
	is "status of a missing command with strace" \
		"$(status "$etrace" run --backend=strace no-such-program)" 127
	is "status of a file that cannot be executed with strace" \
		"$(status "$etrace" run --backend=strace ./a)" 126
	# A text without #! is run by sh, as a shell does.
	printf 'echo "$0 $*"; exit 3\n' > plain
	chmod +x plain
	is "status of a script without #!" \
		"$(status "$etrace" run --backend=strace ./plain a "b c")" 3
	is "arguments of that script" "$(cat out)" "./plain a b c"
	is "status of a command ended by SIGTERM" \
		"$(status "$etrace" run --backend=strace sh -c 'kill -TERM $$')" 143
	is "status of attach with strace" "$(status "$etrace" attach --backend=strace $$)" 125
	has err "etrace run"
}

standard_streams()
{
	printf 'a\nb' | "$etrace" run -q -- cat > got 2> err
	is "data from standard input to standard output" "$(od -c got)" "$(printf 'a\nb' | od -c)"
	is "messages with -q" "$(cat err)" ""
	"$etrace" run -q -- sh -c 'echo to-out; echo to-err >&2' > got 2> err
	is "standard output" "$(cat got)" to-out
	is "standard error" "$(cat err)" to-err
	"$etrace" run -- true > got 2> err
	is "standard output of a command that prints nothing" "$(cat got)" ""
	has err complete
	# The command inherits none of etrace's descriptors.
	"$etrace" run -q -- sh -c 'ls /proc/self/fd | wc -l' > got
	is "number of descriptors of the command" "$(cat got)" "$(sh -c 'ls /proc/self/fd | wc -l')"
}

# shellcheck disable=SC2016
signals_forwarded()
{
	local sig pid

	for sig in INT TERM HUP QUIT USR1; do
		# A shell's background jobs ignore SIGINT and SIGQUIT.
		env --default-signal=INT,QUIT timeout 300 "$etrace" run -q -- bash -c '
			trap "echo got-'$sig' > caught; kill \$!; exit 3" '$sig'
			sleep 1000 & echo $PPID > ready; wait' &
		pid=$!
		wait_for test -s ready || fail "the command does not start"
		kill -$sig "$(cat ready)"
		wait $pid
		is "status after SIG$sig" $? 3
		is "signal that the command received" "$(cat caught 2>&1)" "got-$sig"
		rm -f ready caught
	done
}

ignored_signals_inherited()
{
	# An inherited SIG_IGN is passed on to the command, and etrace still gets its status.
	(trap '' CHLD PIPE INT; exec "$etrace" run -q -- sh -c 'grep SigIgn /proc/self/status; exit 5') > got
	is "status" $? 5
	(trap '' CHLD PIPE INT; sh -c 'grep SigIgn /proc/self/status; exit 5') > wanted
	is "signals that the command ignores" "$(cat got)" "$(cat wanted)"
}

output_file_mode()
{
	umask 022
	echo old > etrace.fxt
	chmod 644 etrace.fxt
	"$etrace" run -q true
	is "mode of an overwritten file" "$(stat -c %a etrace.fxt)" 600
	"$etrace" run -q -o new.etrace true
	is "mode of a new file" "$(stat -c %a new.etrace)" 600
}

help_and_version()
{
	for sub in "" run attach report doctor; do
		# shellcheck disable=SC2086
		is "$sub --help" "$(status "$etrace" $sub --help)" 0
		has out Usage
		# shellcheck disable=SC2086
		is "$sub --version" "$(status "$etrace" $sub --version)" 0
		has out etrace
		is "standard error of $sub --version" "$(cat err)" ""
	done
}

# A killed process is reported by name, and is a failure in every form of the trace.
# shellcheck disable=SC2016
signal_exits_reported()
{
	cp "$(command -v sleep)" victim
	"$etrace" run --backend="$1" -o k.etrace -o k.fxt -o k.json -- sh -c '
		ulimit -c 0
		sh -c "kill -SEGV \$\$"
		./victim 1000 & echo $! > pid
		until grep -q "(victim) S" /proc/$!/stat; do sleep 0.05; done; kill -USR1 $!; wait $!
		python3 -c "
import os, signal, threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
os.kill(os.getpid(), signal.SIGKILL)"
		exit 3' > out 2> err
	is "status" $? 3
	has err "sh ["
	has err "] was ended by SIGSEGV"
	has err "victim [$(cat pid)] was ended by SIGUSR1"
	is "processes reported as ended by a signal" "$(grep -c ' was ended by ' err)" 3
	is "signal exits in JSON" \
		"$(grep -c '"event":"exit".*"status":0,"signal":"SIG\(SEGV\|USR1\)","core":0' k.json)" 2
	"$reader" --to etrace k.fxt 2> lines.err > got
	cmp got k.etrace || fail "the FXT file converts to different lines"
	is "signal exits in lines" "$(grep -c '!ExitSignal|signal=\(11\|10\),core=0' got)" 2
	"$etrace" report k.fxt > got
	has got "Failed, or ended by a signal:"
	has got "victim: SIGUSR1"
	"$etrace" report --json k.fxt > got
	has got '{"program":"victim","signal":10,"signal_name":"SIGUSR1","times":1}'
	has got '"killed_processes":3'
	is "status" "$(status "$etrace" run -q --backend="$1" sh -c 'kill -SEGV $$')" 139
	is "messages with -q" "$(cat err)" ""
}
signal_exits_reported_module() { signal_exits_reported module; }
signal_exits_reported_bpf() { by_bpf signal_exits_reported; }

# Calls made through an io_uring are not recorded, and the recording does not claim to be
# complete.
io_uring_reported()
{
	local s=0

	cp "$BIN/calls" ringer
	"$BIN/calls" -u > fd || { skip "this kernel has no io_uring"; return; }
	"$etrace" run --backend="$1" --strict -o u.etrace -o u.fxt -o u.json -- \
		sh -c './ringer -u > fd; exit 5' > out 2> err || s=$?
	is "status under --strict" $s 123
	has err "NOT COMPLETE"
	has err "  1 io_uring set up: not everything done through these is recorded"
	is "reports of the task that set up an io_uring" \
		"$(grep -c '^  ringer \[[0-9]*\] set up an io_uring$' err)" 1
	is "IoUring events in the trace" "$(grep -c "!IoUring|fd=$(cat fd)\$" u.etrace)" 1
	has u.json "{\"event\":\"io_uring\""
	"$reader" --to etrace u.fxt 2> lines.err > got
	cmp got u.etrace || fail "the FXT file converts to different lines"
	is "status of report" "$(status "$etrace" report u.fxt)" 1
	has out "NOT complete"
	has out "  1  ringer"
	is "status without --strict" "$(status "$etrace" run -q --backend="$1" ./ringer -u)" 0
	has err "ringer ["
}
io_uring_reported_module() { io_uring_reported module; }
io_uring_reported_bpf() { by_bpf io_uring_reported; }

# Events that are recorded only on request.
record_options()
{
	local backend=$1 names

	mkdir "d.$backend"
	# shellcheck disable=SC2016
	names='stat -L absent; readlink link; [ -r absent ]; ls d.'$backend'; cat absent; exec ./absent'
	ln -sf target link
	"$etrace" run -q --backend="$backend" -o n.etrace -- sh -c "$names" > out 2> err
	is "recorded opens that failed" "$(grep -c "!NO|$PWD/absent\$" n.etrace)" 1
	is "recorded execs that failed" "$(grep -c "!NX|$PWD/./absent\$" n.etrace)" 1
	hasnt n.etrace '!Stat|'
	hasnt n.etrace '!Readlink|'
	hasnt n.etrace '!Getdents|'
	hasnt n.etrace '!Env|'
	"$etrace" run -q --backend="$backend" --record=probes --record dirs,probes \
		-o r.etrace -o r.fxt -o r.json -- sh -c "$names" > out 2> err
	has r.etrace "!PS|$PWD/absent"
	has r.etrace '!StatFailed|'
	has r.etrace "!PL|$PWD/link"
	has r.etrace '!PT|target'
	has r.etrace "!GD|$PWD/d.$backend"
	has r.json '"event":"stat"'
	has r.json '"event":"readlink"'
	has r.json '"event":"open_failed"'
	"$reader" --to etrace r.fxt 2> lines.err > got
	cmp got r.etrace || fail "the FXT file converts to different lines"
	"$etrace" run -q --backend="$backend" --record=dirs -o d.etrace -- sh -c "$names" > out 2> err
	has d.etrace "!GD|$PWD/d.$backend"
	hasnt d.etrace '!Stat|'
	GITHUB_TOKEN=unseen KEPT_TOKEN=seen A_KEY='seen, too' http_proxy=http://me:unseen@h "$etrace" run -q \
		--backend="$backend" --record=env --keep-env=KEPT_TOKEN --keep-env A_KEY,B --strict \
		-o e.etrace -o e.fxt -o e.json -- sh -c 'PLAIN=plain exec true' > out 2> err
	is "status with --record=env" $? 0
	hasnt e.etrace unseen
	hasnt e.fxt unseen
	hasnt e.json unseen
	hasnt e.etrace '!GD|'
	is "hidden values of GITHUB_TOKEN" \
		"$(grep -A 2 '!Env|.*,hidden=1$' e.etrace | grep -A 1 '!EN|GITHUB_TOKEN$' | grep -c '!EV|\*\*\*$')" 2
	is "visible values of KEPT_TOKEN (--keep-env)" \
		"$(grep -A 1 '!EN|KEPT_TOKEN$' e.etrace | grep -c '!EV|seen$')" 2
	is "visible values of A_KEY (--keep-env)" \
		"$(grep -A 1 '!EN|A_KEY$' e.etrace | grep -c '!EV|seen, too$')" 2
	is "values of a variable that only one program has" \
		"$(grep -A 1 '!EN|PLAIN$' e.etrace | grep -c '!EV|plain$')" 1
	has e.etrace '!VE|*'
	has e.json '"hidden":1,"name":"http_proxy","value":"http://me:***@h"'
	"$reader" --to etrace e.fxt 2> lines.err > got
	cmp got e.etrace || fail "the FXT file converts to different lines"
	GITHUB_TOKEN=unseen CPATHS=unseen CPAT=unseen LONG=$(head -c 100000 /dev/zero | tr '\0' x) \
		CL='http://me:unseen@h' "$etrace" run -q --backend="$backend" --strict -o l.etrace \
		-- sh -c 'export CPATH=/a:/b; unset CL; SDKROOT= exec true' > out 2> err
	is "status with compiler variables" $? 0
	is "variables recorded by default" "$(grep '!E[NV]|' l.etrace | cut -d'!' -f2 | paste -d' ' - - | sort | tr '\n' ' ')" \
		'EN|CL EV|http://me:***@h EN|CPATH EV|/a:/b EN|SDKROOT EV| '
	has l.etrace ',CPATH,C_INCLUDE_PATH,'
	CPATH=unseen "$etrace" run -q --backend="$backend" --no-env --strict -o n.etrace -- true > out 2> err
	hasnt n.etrace '!Env|'
	has n.etrace ',envsize=0,'
	"$etrace" run -q --backend="$backend" --record=output --strict -o p.etrace -o p.fxt -o p.json -- \
		sh -c 'sh -c "echo fine"; printf "a\0b\n"; exit 3' > out 2> err
	is "status with --record=output" $? 3
	is "output recorded of the failing program only" \
		"$(sed -n 's/^{"event":"output",.*,\("fd":.*\)}$/\1/p' p.json)" \
		'"fd":1,"bytes":4,"text":"a�b\n","text_hex":"6100620a"'
	"$reader" --to etrace p.fxt 2> lines.err > got
	cmp got p.etrace || fail "the FXT file converts to different lines"
	"$etrace" run -q --backend="$backend" --record=output=all -o p.json -- \
		sh -c 'sh -c "echo fine"; printf "a\0b\n"; exit 3' > out 2> err
	is "output events with --record=output=all" \
		"$(grep -c '^{"event":"output",.*"fd":1,' p.json)" 2
	is "status with an unknown --record" "$(status "$etrace" run --record=nothing true)" 125
	has err "--record=nothing: must be a list, separated by commas, of probes, dirs, env"
}
record_options_module() { record_options module; }
record_options_bpf() { by_bpf record_options; }

finish stopped_and_continued_module stopped_and_continued_bpf record_options_module record_options_bpf io_uring_reported_module io_uring_reported_bpf signal_exits_reported_module signal_exits_reported_bpf exit_status command_cannot_run errors_before_start strace_backend standard_streams signals_forwarded ignored_signals_inherited output_file_mode help_and_version
