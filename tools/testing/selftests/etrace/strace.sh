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
plan 4

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

# What only the parameter extended shows: what is made and changed in the tree of
# files, by programs that do that all day.
extended Y || bail "no extended"
rm -f "$work/pid" "$work/go" "$work"/strace/*
cat > "$work/tree.sh" <<- 'END'
	cd "$1" || exit 1
	mkdir -p tree/a/b tree/c
	mkfifo tree/fifo
	mknod -m 640 tree/null c 1 3
	echo text > tree/a/file
	truncate -s 5000000000 tree/a/b/large
	truncate -s 3 tree/a/file
	touch -d @5.25 tree/a/file tree/c/new
	touch -m -d @7 tree/a/file
	chmod -R g+w,o-rwx tree/a
	ln -s ../a/file tree/c/link
	touch -h -d @9 tree/c/link
	cp -a tree/a tree/copy
	tar -C tree -cf tree.tar a c
	mkdir other
	tar -C other -xpf tree.tar
	install -D -m 711 tree/a/file other/x/y/file
	mkdir tree
	mkdir nothing/there
	chmod 600 absent
	(cd tree/a/../c && mkdir ../by-dots)
	perl -e 'mkdir "m", 0700; chdir "m"; mkdir "n"; chmod 0640, "../tree.tar";
		 utime 1, 2, "../tree.tar"; open(F, "+<", "../tree.tar");
		 truncate F, 10; chmod 0600, *F; truncate "../tree.tar", 11;
		 chdir "/"; chroot "/tmp"; chroot "absent"'
	rm -r tree other
	exit 0
END
calls=fork,vfork,clone,clone3,mkdir,mkdirat,mknod,mknodat,truncate,ftruncate
calls+=,chmod,fchmod,fchmodat,?fchmodat2,utimensat,chdir,fchdir,chroot
# shellcheck disable=SC2016
strace -ff -o "$work/strace/pid" -y -X raw -s 1000000 -e signal=KILL -e "trace=$calls" \
	bash -c 'echo $$ > "$1/pid"; until [ -e "$1/go" ]; do :; done; exec bash "$1/tree.sh" "$1"' \
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
[ $status = 0 ] && nothing_lost
result $? "tree" || tail -n 5 "$work/log" | sed 's/^/# /'
read_trace > "$work/trace"
python3 strace_compare.py --tree "$work/strace" "$work/trace"
result $? "strace_and_etrace_agree_on_the_tree"
finish
