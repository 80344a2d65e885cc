#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: etrace run with sudo: user of the command, owner of the files

# Numbers and names without blanks need no quotes.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib.sh"

groupadd builders 2> /dev/null
useradd -m -G builders builder 2> /dev/null
id builder > /dev/null 2>&1 || { echo "1..0 # SKIP cannot add a user"; exit $KSFT_SKIP; }
echo "builder ALL=(root) NOPASSWD: $BIN/etrace" > /etc/sudoers.d/etrace-test
trap 'cd /; rm -rf "$work" /etc/sudoers.d/etrace-test' EXIT

as_builder() { setpriv --reuid builder --regid builder --init-groups env HOME=/home/builder "$@"; }
run() { as_builder sudo -n "$etrace" run -q "$@"; }

command_runs_as_caller()
{
	chown builder .
	run -o id.fxt -- id -u > got
	is "uid of the command" "$(cat got)" "$(id -u builder)"
	run -o id.fxt -- id -G > got
	is "groups of the command" "$(cat got)" "$(id -G builder)"
	run -o id.fxt -- sh -c 'echo $HOME $USER $LOGNAME' > got
	is "HOME, USER and LOGNAME of the command" "$(cat got)" "/home/builder builder builder"
	run -o id.fxt -- grep -E '^Cap(Eff|Prm)' /proc/self/status > got
	is "capabilities of the command" "$(sort -u < <(awk '{print $2}' got))" 0000000000000000
	is "owner of the trace" "$(stat -c %U id.fxt)" builder
	is "mode of the trace" "$(stat -c %a id.fxt)" 600
	programs id.fxt > got
	is "programs in the trace" "$(cat got)" grep
}

user_option()
{
	chown builder .
	run -u root -o root.fxt -- id -u > got
	is "uid with -u root" "$(cat got)" 0
	run -u nobody -o nobody.fxt -- id -un > got
	is "user with -u nobody" "$(cat got)" nobody
	run -u 65534 -o nobody.fxt -- id -un > got
	is "user with -u 65534" "$(cat got)" nobody
	is "owner of the trace" "$(stat -c %U nobody.fxt)" builder
	"$etrace" run -q -u builder -o x.fxt -- id -un > got
	is "user with -u when root runs it without sudo" "$(cat got)" builder
	is "owner of the trace of root" "$(stat -c %U x.fxt)" root
	"$etrace" run -q -o x.fxt -- id -u > got
	is "uid of root without sudo" "$(cat got)" 0
}

# sudo etrace does not write files that the caller may not write.
no_writes_beyond_callers_rights()
{
	echo precious > precious.etrace
	chmod 644 precious.etrace
	run -o precious.etrace -- true > out 2> err
	is "status" $? 125
	is "content of root's file" "$(cat precious.etrace)" precious
	has err "ermission denied"
	chown builder .
	ln -s "$work/no_writes_beyond_callers_rights/precious.etrace" link.etrace
	run -o link.etrace -- true > out 2> err
	is "status through a link" $? 125
	is "content of root's file" "$(cat precious.etrace)" precious
}

refused_without_rights()
{
	local s=0

	chown builder .
	as_builder "$etrace" run --backend=module -o x.fxt -- touch ran > out 2> err || s=$?
	is "status without sudo" $s 125
	[ -e ran ] && fail "the command was run in spite of an error"
	is "result of opening /dev/etrace" "$(as_builder python3 -c '
import errno, os
try:
	os.open("/dev/etrace", os.O_RDWR)
	print("opened")
except OSError as e:
	print(errno.errorcode[e.errno])')" EPERM
}

# The caller owns the page of a build, and runs the program that shows it.
page_opened_as_caller()
{
	local opener=/usr/local/bin/xdg-open

	chown builder .
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho "$(id -un) $*" > %s\n' "$PWD/opened" > $opener
	chmod 755 $opener
	as_builder DISPLAY=:7 sudo -n "$etrace" run -q --open -o b.fxt -- sh -c 'exit 7' > out 2> err
	is "status with --open" $? 7
	wait_for test -s opened
	is "user and page of the opener" "$(cat opened)" "builder $PWD/b.html"
	is "owner of the page" "$(stat -c %U b.html)" builder
	hasnt err "page:"
	rm opened
	run --open -o b.fxt -o named.html -- true > out 2> err
	is "messages with --open but no desktop session" "$(cat err)" "page: $PWD/named.html"
	DISPLAY=:7 "$etrace" run -q --open -- true > out 2> err
	is "messages with --open for root" "$(cat err)" "page: $PWD/etrace.html"
	[ -e opened ] && fail "the page was opened: $(cat opened)"
	rm $opener
}

with_caps()
{
	setpriv --reuid builder --regid builder --init-groups --inh-caps="$1" \
		--ambient-caps="$1" env HOME=/home/builder "${@:2}"
}

# Capabilities instead of root.
capabilities_suffice()
{
	with_caps +perfmon true || { skip "setpriv cannot set CAP_PERFMON"; return; }
	chown builder .
	[ -e /dev/etrace ] || insmod "$BIN/etrace.ko"
	with_caps +perfmon "$etrace" run -q --strict --backend=module -b 2M \
		-o one.etrace -- cat /etc/hostname > out 2> err
	is "status" $? 0
	has one.etrace "!FN|/etc/hostname"
	wait_for no_sessions || fail "a session is still open"
	with_caps +perfmon "$etrace" doctor --backend=module > out
	has out "ok    rights"
	has out "ok    module session"
	is "status without the capability" \
		"$(status as_builder "$etrace" run --backend=module touch ran)" 125
	[ -e ran ] && fail "the command was run in spite of an error"
	has err CAP_PERFMON
}

as_member() { setpriv --reuid member --regid member --init-groups env HOME=/home/member "$@"; }
record() { as_member "$etrace" run --backend=module "$@"; }

# Members of the device's group can trace their own processes, and no others.
group_members()
{
	groupadd tracers 2> /dev/null
	useradd -m -G tracers member 2> /dev/null
	chown member .
	[ -e /dev/etrace ] || insmod "$BIN/etrace.ko"
	chgrp tracers /dev/etrace && chmod 660 /dev/etrace
	record -q --strict -o own.etrace -- sh -c 'cat /etc/hostname; exec true' > out 2> err
	is "status" $? 0
	is "messages with -q" "$(cat err)" ""
	is "owner of the trace" "$(stat -c %U own.etrace)" member
	has own.etrace "!FN|/etc/hostname"
	has own.etrace "|/usr/bin/true"
	is "status of doctor" "$(status as_member "$etrace" doctor --backend=module)" 0
	has out "as a member of the group of /dev/etrace"
	hasnt out BAD
	is "status for a user outside the group" \
		"$(status as_builder "$etrace" run --backend=module -o x.fxt -- true)" 125
	wait_for no_sessions || fail "a session is still open"
	record -b 1G -o x.fxt -- true > out 2> err
	is "status with a buffer of 1 GiB" $? 125
	has err "cannot allocate buffers"
}

# Set-user-ID and set-group-ID programs work as usual, and their actions are not visible.
group_members_setuid_programs()
{
	local kind dumpable

	chown member .
	dumpable=$(cat /proc/sys/fs/suid_dumpable)
	echo 1 > /proc/sys/fs/suid_dumpable
	for kind in u g; do
		install -g shadow -m 755 "$(command -v sh)" "sh-$kind"
		chmod "$kind+s" "sh-$kind"
		record -o $kind.etrace -- sh -c "cat /etc/hostname; ./sh-$kind -pc 'cat /etc/shadow' > got; cat /etc/issue" > out 2> err
		is "status" $? 0
		diff got /etc/shadow > diffs || fail "the program with mode $kind+s does not work"
		has $kind.etrace "!FN|/etc/hostname"
		has $kind.etrace "!FN|/etc/issue"
		hasnt $kind.etrace "!FN|/etc/shadow"
		hasnt err "; complete"
	done
	echo "$dumpable" > /proc/sys/fs/suid_dumpable
}

group_members_other_processes()
{
	local pid

	chown member .
	sleep 600 & pid=$!
	is "status of attach to a process of root" \
		"$(status as_member "$etrace" attach --backend=module -o x.fxt $pid)" 125
	kill $pid
	setpriv --reuid member --regid member --init-groups sleep 600 & pid=$!
	wait_for grep -q sleep /proc/$pid/comm
	is "status of attach to a process that it did not start" \
		"$(status as_member "$etrace" attach --backend=module -o x.fxt $pid)" 125
	kill $pid
	# A descriptor of root's session stays root's; a member's stays a member's.
	is "results of adding tasks through the descriptor" "$(as_member python3 -c '
import errno, fcntl, os, struct
fd = os.open("/dev/etrace", os.O_RDWR)
fcntl.ioctl(fd, 0xc018e701, bytearray(struct.pack("<4IQ", 6, 0, 0, 0, 0)))
for pid in 1, os.getppid():
	try:
		fcntl.ioctl(fd, 0x4004e702, struct.pack("<i", pid))
		print("added")
	except OSError as e:
		print(errno.errorcode[e.errno])
fcntl.ioctl(fd, 0x4004e702, struct.pack("<i", os.getpid()))
print("itself")' | xargs)" "EPERM EPERM itself"
}

# Nor are names below a directory that the member may not search.
group_members_hidden_names()
{
	chown member .
	mkdir -m 700 secret
	touch secret/plan
	ln -s plan secret/link
	record -q -o names.etrace -- sh -c "ln -s $PWD/secret/link mine; cat $PWD/secret/plan" > out 2> err
	has names.etrace "$PWD/secret/link"
	lines names.etrace | grep -v "cat $PWD" > got
	is "symlink targets below the secret directory" "$(grep -c "FN2*|.*secret/plan" got)" 0
}

finish command_runs_as_caller user_option no_writes_beyond_callers_rights refused_without_rights page_opened_as_caller capabilities_suffice \
	group_members group_members_setuid_programs group_members_other_processes group_members_hidden_names
