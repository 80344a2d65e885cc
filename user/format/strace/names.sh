#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1
#
# Writes st_names.def anew: the numbers of the constants that strace prints by name, as
# the headers of this machine have them.  Run it on x86, whose numbers the table has, when
# Linux has new flags; what these headers lack is kept, so old headers take nothing away.
#
#	user/format/strace/names.sh

set -eu
export LC_ALL=C
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each is read by itself: those of Linux and of the C library cannot always be had together.
headers="asm-generic/fcntl.h linux/fcntl.h linux/openat2.h linux/stat.h sys/stat.h
	linux/sched.h linux/close_range.h linux/memfd.h linux/mman.h sys/mman.h linux/mount.h
	sys/mount.h linux/fs.h asm/ioctls.h sys/socket.h linux/eventpoll.h sys/eventfd.h
	linux/timerfd.h sys/signalfd.h linux/inotify.h linux/fanotify.h linux/pidfd.h linux/prctl.h
	linux/seccomp.h linux/falloc.h fcntl.h unistd.h signal.h linux/userfaultfd.h
	linux/perf_event.h linux/random.h linux/ptrace.h linux/io_uring.h"
names='AF|AT|CLONE|CLOSE_RANGE|EFD|EPOLL|FALLOC_FL|FAN|FD|FS|FSMOUNT|FSOPEN|F|GRND|IN|IORING_SETUP|LOCK|MAP|MFD'
names+='|MNT|MOUNT|MOVE_MOUNT|MSG|MS|OPEN_TREE|O|PERF_FLAG|PIDFD|PROT|PR|PTRACE|RENAME|RESOLVE|RWF|SECCOMP'
names+='|SFD|SOCK|SPLICE_F|S|TFD|UFFD|UMOUNT|UTIME|[RWXF]'
names="($names)_[A-Z0-9_]+|SIG[A-Z0-9]+|FI[A-Z]+"

# read_header HEADER: "NAME VALUE" for each of its constants with such a name.
read_header()
{
	local c=$work/values.c bad

	echo "#include <$1>" | gcc -D_GNU_SOURCE -dM -E - |
		sed -nE "s/^#define ($names) .*/\1/p" | sort -u > "$work/found"
	{
		printf '#define _GNU_SOURCE\n#include <%s>\n' "$1"
		printf 'extern int printf(const char *, ...);\nint main(void)\n{\n'
		sed 's/.*/printf("& %#llx\\n", (long long)(0 | (&)));/' "$work/found"
		printf 'return 0;\n}\n'
	} > "$c"
	# what is no integer constant here does not compile, and is left out
	until bad=$(gcc -w -o "$work/values" "$c" 2>&1); do
		bad=$(sed -nE "s|^$c:([0-9]+):.*error:.*|\1d|p" <<< "$bad" | sort -u)
		[ -n "$bad" ] || { echo "$1 cannot be read" >&2; exit 1; }
		sed -i "$bad" "$c"
	done
	"$work/values"
}

for header in $headers; do
	read_header "$header"
done > "$work/all"
# of the C library for 64 bits these are 0; programs of 32 bits pass them
sed -i '/^O_LARGEFILE 0$/d; /^F_[GS]ETLKW\?64 /d; /^SIGRTM/d' "$work/all"
sort -u "$work/all" > "$work/new"
two=$(cut -d' ' -f1 "$work/new" | uniq -d)
[ -z "$two" ] || { echo "of two values: $two" >&2; exit 1; }
sed -n 's/^ST_NAME(\(.*\), \(.*\))$/\1 \2/p' st_names.def |
	awk 'NR == FNR { have[$1]; next } !($1 in have)' "$work/new" - > "$work/kept"
{
	sed -n '1,/^ \*\/$/p' st_names.def
	sort -k1,1 "$work/new" "$work/kept" | sed 's/\(.*\) \(.*\)/ST_NAME(\1, \2)/'
} > "$work/def"
cp "$work/def" st_names.def
