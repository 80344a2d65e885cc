#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: a build traced by strace at the same time: both record the same events
# requires: strace, gcc, make, perl, python3
#
# Run a build, and then a few programs that make each kind of call, under strace with
# one log per process and under etrace at the same time, so that both see the same
# processes.
# strace_compare.py compares them process by process, event by event.
#
# LONG=y: a build with more compilations.

set -u
cd "$(dirname "$0")" || exit 1
. ./lib/shell.sh

need strace gcc make perl python3
plan 4

work=$(mktemp -d /tmp/etrace.XXXXXX)
trap 'unload; rm -rf "$work"' EXIT
size=(1 2 14)
[ "${LONG:-}" != y ] || size=()
./project.sh "$work/project" "${size[@]}" > "$work/log" 2>&1 || bail "project.sh failed"
mkdir "$work/tree"

# Files that are created, changed or closed, and programs that run and exit. With --all, also who
# read and wrote, queries, and other calls for descriptors and sockets, which would be too much
# for a whole build.
calls=execve,execveat,fork,vfork,clone,clone3,open,openat,openat2,creat,close
calls+=,close_range,dup,dup2,dup3,fcntl,pipe,pipe2,rename,renameat,renameat2
calls+=,link,linkat,symlink,symlinkat,mount,move_mount,umount2,exit,exit_group
calls+=,mkdir,mkdirat,mknod,mknodat,truncate,ftruncate,chmod,fchmod,fchmodat
calls+=,chown,lchown,fchown,fchownat
calls+=,utimensat,unlink,unlinkat,rmdir,chdir,fchdir,chroot
more=read,readv,pread64,preadv,preadv2,recvfrom,recvmsg,write,writev,pwrite64
more+=,pwritev,pwritev2,sendto,sendmsg,sendmmsg,fallocate,sendfile,splice
more+=,copy_file_range,mmap,ioctl,memfd_create,socket,socketpair,connect,bind
more+=,accept,accept4,unshare,setns,access,faccessat,faccessat2,newfstatat,statx
more+=,readlink,readlinkat,getdents64,getrandom,uname,sched_getaffinity,sysinfo

# run_both CALLS DIRECTORY COMMAND...: run it under both in "$work/run", a new copy of the
# directory. Status: the command's.
run_both()
{
	local calls=$1 status strace

	rm -rf "$work/pid" "$work/go" "$work/strace" "$work/run"
	mkdir "$work/strace"
	cp -a "$2" "$work/run"
	load 32768 record=probes,dirs
	# So that failed calls are compared, too.
	extended Y
	# -y: paths of descriptors; -X raw: numbers instead of names of flags. The shell that
	# execs the command waits until it is traced.
	# shellcheck disable=SC2016
	strace -ff --seccomp-bpf -o "$work/strace/pid" -y -X raw -s 1000000 -e signal=KILL \
		-e trace="$calls" \
		bash -c 'cd "$2"; echo $$ > "$1/pid"; until [ -e "$1/go" ]; do :; done; exec "${@:3}"' \
		bash "$work" "$work/run" "${@:3}" > "$work/log" 2>&1 &
	strace=$!
	until [ -s "$work/pid" ]; do
		kill -0 $strace || bail "strace ended"
		sleep 0.2
	done
	trace "$(cat "$work/pid")" || bail "cannot trace"
	touch "$work/go"
	wait $strace
	status=$?
	trace 0
	return $status
}

# Whether a string was on a page that the kernel was moving: BPF cannot wait for such a page, and
# counts the string as unread (Documentation/bpf.md).
page_moved() { is_bpf && [ "$(counter strings_unread)" != 0 ]; }

# compare NAME CALLS OPTION DIRECTORY COMMAND...: run it in a copy of the directory, and compare.
compare()
{
	local name=$1 calls=$2 option=$3 status tries=1

	while run_both "$calls" "${@:4}"; status=$?; page_moved && [ $tries -lt 3 ]; do
		echo "# strace could not read a string: trying again"
		unload
		tries=$((tries + 1))
	done
	[ $status = 0 ] && grep -q '^all done' "$work/log" && nothing_lost
	result $? "$name" || tail -n 5 "$work/log" | sed 's/^/# /'
	read_trace > "$work/trace"
	# shellcheck disable=SC2086
	python3 strace_compare.py $option "$work/strace" "$work/trace"
	result $? "strace_and_etrace_agree_on_$name"
	unload
}

compare build "$calls" "" "$work/project" make -j2
compare changes "$calls,$more" --all "$work/tree" "$PWD/changes.sh" "$work/run"
finish
