#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run in a guest as root, with the programs in this script's directory: tests the BPF
# backend on the running kernel, and compares it with the module if that is there, too.
#
# On 5.10, whose verifier checks each iteration of a loop, only some of the tests run,
# unless LONG is set.
#
# Exit status: 0 if none failed, 1 if one did.

set -u
cd "$(dirname "$0")" || exit 1
module=
[ ! -e etrace.ko ] || module=./etrace.ko
short=
case $(uname -r) in
5.10.*) [ -n "${LONG:-}" ] || short=y ;;
esac
work=/root/work out=/tmp/bpf
mkdir -p $work $out
n=0 failed=0

# ok STATUS NAME
ok()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}
skip() { n=$((n + 1)); echo "ok $n $1 # SKIP $2"; }
note() { sed 's/^/# /'; }

# recorded BACKEND FILE COMMAND...: record it in an empty directory
recorded()
{
	local backend=$1 file=$2 status
	shift 2
	mount -t tmpfs none $work
	./etrace run -q -b 16M --backend="$backend" -o "$file" -- "$@"
	status=$?
	umount $work
	return $status
}

# wait_for COMMAND...: repeat it until it succeeds, for at most four minutes
wait_for()
{
	local end=$((SECONDS + 240))

	until "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# Lines that depend on the recorder, for compare.py.
recorder=(--ignore Session --ignore 'VB|' --ignore 'VC|' --ignore 'VT' --ignore 'VH|' --ignore 'VK|')

echo "TAP version 13"
./bpf-record --check 2>&1 | note
ok "${PIPESTATUS[0]}" "all BPF programs load and attach"

[ -z "$module" ] || insmod "$module"
widths=(64 32)
[ -z "$short" ] || widths=(64)
# seen PATTERN FILE WHAT: tell the workload once the trace has a matching line.
seen() { wait_for grep -q "$1" "$2"; : > "$out/seen/$3"; }

for bits in "${widths[@]}"; do
	rm -rf $out/seen "$out/bpf$bits.etrace"
	mkdir $out/seen
	{
		seen "!SL|$work/sym\$" "$out/bpf$bits.etrace" names
		seen '!SL|/link$' "$out/bpf$bits.etrace" root
	} &
	seer=$!
	WORKLOAD_SEEN=$out/seen recorded bpf "$out/bpf$bits.etrace" "./workload$bits" $work 2>&1 | note
	ok "${PIPESTATUS[0]}" "BPF records the $bits-bit workload"
	kill $seer 2> /dev/null
	if [ -z "$module" ]; then
		skip "BPF and module record the $bits-bit workload alike" "no module"
		continue
	fi
	recorded module "$out/module$bits.etrace" "./workload$bits" $work 2>&1 | note
	python3 compare.py "${recorder[@]}" \
		"$out/module$bits.etrace" "$out/bpf$bits.etrace" | note
	ok "${PIPESTATUS[0]}" "BPF and module record the $bits-bit workload alike"
done

# Without the identity of files, marks of names that strace read from the program, and the
# resources a task used: strace cannot report them, or not always.
if [ -n "$module" ]; then
	flags=()
	[ "$(uname -m)" != aarch64 ] || flags=(--arm64)
	recorded strace "$out/strace64.etrace" ./workload64 $work 2>&1 | note
	ok "${PIPESTATUS[0]}" "strace records the 64-bit workload"
	python3 compare.py "${recorder[@]}" \
		--ignore 'ExitTime|' --ignore 'ExitIo|' --ignore 'OpenFile|' --ignore 'Marks|' \
		--known strace.known "${flags[@]}" "$out/module64.etrace" "$out/strace64.etrace" | note
	ok "${PIPESTATUS[0]}" "strace and module record it alike, except for known differences"
	rmmod etrace
fi

# A buffer that is far too small, and is not read for a while; after it has been read, a task
# that continues can report the loss.
cat > $out/many <<- 'END'
	kill -STOP $PPID
	i=0; while [ $i -lt 2000 ]; do : < /etc/passwd; i=$((i + 1)); done
	kill -CONT $PPID
	i=0; until grep -q LOST /tmp/bpf/small.etrace || [ $i = 1200 ]; do
		sleep 0.1; : < /etc/passwd; i=$((i + 1))
	done
END
./etrace run --strict --backend=bpf -b 4096 -o $out/small.etrace -- sh $out/many 2> $out/small
status=$?
note < $out/small | head -n 4
lost=$(sed -n 's/^ *\([0-9,]*\) records lost: a buffer was full$/\1/p' $out/small | tr -d ,)
[ $status = 123 ] && [ "${lost:-0}" -gt 0 ]
ok $? "lost records are counted, and run --strict fails (exit status $status)"
reported=$(sed -n 's/.*\[LOST \([0-9]*\) EVENTS\]/\1/p' $out/small.etrace | paste -sd+ | bc)
[ "${reported:-0}" -gt 0 ] && [ "$reported" -le "${lost:-0}" ]
ok $? "the trace reports losses where they happened ($reported of $lost records)"

if [ -n "$short" ]; then
	echo "1..$n"
	exit $failed
fi

# Without the module in its directory, auto uses BPF.
cp etrace $out/
$out/etrace run --backend=auto -v -o $out/auto.etrace -- true 2>&1 | grep -q 'backend bpf; not module'
ok $? "--backend=auto uses BPF without the module, and -v says why"

# What strace sees, too: programs, files, exit statuses.
cat > $out/build <<- 'END'
	cd $(mktemp -d)
	for i in 1 2 3; do echo "int f$i(void) { return $i; }" > f$i.c; done
	for i in 1 2 3; do gcc -c f$i.c; done
	ar rc f.a f1.o f2.o f3.o
	false
END
./etrace run -q --strict --backend=bpf -o $out/build.etrace -- \
	strace -ff -qq -o $out/strace -e trace=execve,openat,open sh $out/build
status=$?
cat $out/strace.* > $out/strace
[ $status = 1 ]
ok $? "a build is recorded without losses (exit status $status)"
grep -c 'execve(.* = 0$' $out/strace > $out/n1
grep -c 'New_proc|' $out/build.etrace > $out/n2
# etrace also sees strace itself.
[ $(($(cat $out/n1) + 1)) = "$(cat $out/n2)" ]
ok $? "BPF records as many programs as strace: $(cat $out/n1) and strace itself"
sed -n 's/^[0-9]* *execve("\([^"]*\)".* = 0$/\1/p' $out/strace | xargs -n1 realpath |
	sort > $out/programs1
sed -n 's/.*!PP|//p' $out/build.etrace | grep -v /strace | sort > $out/programs2
diff $out/programs1 $out/programs2 | note
ok "${PIPESTATUS[0]}" "BPF records the same programs as strace"
sed -n 's/^[0-9]* *openat(AT_FDCWD, "\(\/[^"]*\)".* = [0-9]*$/\1/p' $out/strace | sort -u > $out/files1
sed -n 's/.*!FO|//p' $out/build.etrace | sort -u > $out/files2
comm -23 $out/files1 $out/files2 > $out/missing
note < $out/missing
[ -s $out/files1 ] && [ ! -s $out/missing ]
ok $? "BPF records all $(wc -l < $out/files1) files that strace sees opened"

# Required privileges: two capabilities instead of root.
if setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+bpf,+perfmon \
	--ambient-caps=+bpf,+perfmon true 2> /dev/null; then
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+bpf,+perfmon \
		--ambient-caps=+bpf,+perfmon ./bpf-record -o /dev/null -- true 2> $out/caps.err
	status=$?
	note < $out/caps.err
	case $(uname -r) in
	5.*|6.[0-9].*)
		grep -q 'CAP_SYS_ADMIN: on kernels before 6.10' $out/caps.err
		ok $? "before 6.10, an error says that CAP_BPF and CAP_PERFMON are not enough" ;;
	*)
		ok $status "CAP_BPF and CAP_PERFMON are enough to record" ;;
	esac
else
	skip "CAP_BPF and CAP_PERFMON are enough to record" "setpriv cannot set them"
fi
setpriv --reuid=65534 --regid=65534 --clear-groups ./bpf-record --check 2>&1 | grep -q 'CAP_BPF and CAP_PERFMON'
ok $? "without capabilities, an error names the missing ones"

# Attach to a running process until it ends.
cat > $out/lives <<- 'END'
	until [ -e /tmp/bpf/go ]; do sleep 0.1; done
	ls / > /dev/null
	exit 3
END
sh $out/lives &
lives=$!
./etrace attach -q --strict --backend=bpf -o $out/attach.etrace $lives 2> $out/attach.err &
attached=$!
# The trace begins with the processes that already exist.
wait_for grep -q "Present|" $out/attach.etrace
touch $out/go
wait $attached
status=$?
note < $out/attach.err
ok $status "attach records a process until it ends"
grep -q '!Present|' $out/attach.etrace && grep -q '!PP|/usr/bin/ls' $out/attach.etrace &&
	grep -q '!Exit|status=3' $out/attach.etrace
ok $? "that trace has the process, the program it started, and its exit"

# Two sessions, one within the other; sessions end with their owner.
./etrace run -q --strict --backend=bpf -o $out/outer.etrace -- \
	./etrace run -q --strict --backend=bpf -o $out/inner.etrace -- ls / > /dev/null
ok $? "two nested sessions succeed"
grep -q '!PP|/usr/bin/ls' $out/outer.etrace && grep -q '!PP|/usr/bin/ls' $out/inner.etrace
ok $? "both nested sessions record the command"
# shellcheck disable=SC2016
./etrace run -q --backend=bpf -o $out/killed.etrace -- \
	sh -c 'echo $$ > /tmp/bpf/sleeps; exec sleep 1000' &
owner=$!
wait_for [ -s $out/sleeps ]
kill -KILL $owner
cat > $out/no-programs <<- 'END'
	import glob, sys
	left = []
	for f in glob.glob("/proc/[0-9]*/fdinfo/*"):
	    try:
	        if "prog_id:" in open(f).read():
	            left.append(f)
	    except OSError:
	        pass
	sys.exit(bool(left))
END
wait_for python3 $out/no-programs
ok $? "no BPF program remains after the owner of a session was killed"
kill "$(cat $out/sleeps)"

echo "1..$n"
exit $failed
