#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: a build traced by strace at the same time: both say the same
# requires: strace, gcc, make, perl, python3
#
# The build runs under strace, which is told to write one file for each
# process, and under etrace at once, so that both see the same processes.
# strace_compare.py compares them process by process, event by event.

set -u
cd "$(dirname "$0")" || exit 1
. ./lib/shell.sh

need strace gcc make perl python3
plan 2

work=$(mktemp -d /tmp/etrace.XXXXXX)
trap 'unload; rm -rf "$work"' EXIT
./project.sh "$work/project" > "$work/log" 2>&1 || bail "project.sh failed"
mkdir "$work/strace"

load 32768
# So that what failed is compared, too.
extended Y
calls=execve,execveat,fork,vfork,clone,clone3,open,openat,openat2,creat,close
calls+=,close_range,dup,dup2,dup3,fcntl,pipe,pipe2,rename,renameat,renameat2
calls+=,link,linkat,symlink,symlinkat,mount,umount2,exit,exit_group
# -y: names of descriptors; -X raw: numbers, not names of flags.  The shell
# that becomes make waits until it is traced.
# shellcheck disable=SC2016
strace -ff --seccomp-bpf -o "$work/strace/pid" -y -X raw -s 1000000 -e signal=KILL \
	-e trace=$calls \
	bash -c 'cd "$1/project"; echo $$ > "$1/pid"; until [ -e "$1/go" ]; do :; done; exec make -j2' \
	bash "$work" > "$work/log" 2>&1 &
until [ -s "$work/pid" ]; do
	kill -0 $! || bail "strace ended"
	sleep 0.2
done
trace "$(cat "$work/pid")" || bail "cannot trace"
touch "$work/go"
wait $!
status=$?
trace 0
[ $status = 0 ] && grep -q '^all done' "$work/log" && nothing_lost
result $? "build" || tail -n 5 "$work/log" | sed 's/^/# /'

read_trace > "$work/trace"
python3 strace_compare.py "$work/strace" "$work/trace"
result $? "strace_and_etrace_agree"
finish
