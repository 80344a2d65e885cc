#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest that has a compiler, kernel headers and DKMS, and nothing of etrace: its
# packages, as a user has them, from their installation to the last trace of them.
#
#	guest.sh DEBS NEXT	what was built; the same as a later version
#
# The guest has no network: what the packages depend on lies in apt's cache.

set -u
debs=$1 next=$2
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
release=$(uname -r)
results=0 failed=0

# try NAME COMMAND...: a result; what the command says stands before it.
try()
{
	local name=$1 said=ok
	shift
	results=$((results + 1))
	"$@" > /tmp/said 2>&1 || { said="not ok" failed=1; }
	tail -n 30 /tmp/said | cut -c 1-200 | sed 's/^/# /'
	echo "$said $results $name ($SECONDS s)"
}

apt() { apt-get -q -y --no-install-recommends "$@"; }

# Modules come on a disk that cannot be written to.
writable_modules()
{
	mkdir -p /var/tmp/modules/{upper,work}
	modprobe overlay
	mount -t overlay -o "lowerdir=/lib/modules,upperdir=/var/tmp/modules/upper,workdir=/var/tmp/modules/work" \
		overlay /lib/modules
	ln -s "/usr/src/linux-headers-$release" "/lib/modules/$release/build"
	depmod
}

# All files, but for the diaries of apt, dpkg and DKMS and what lives in memory.
files()
{
	find / /lib/modules -xdev \( -path /tmp -o -path /run -o -path /payload -o -path /results \
		-o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /root/build \
		-o -path /var/tmp -o -path /etc/ld.so.cache -o -path '/var/lib/dpkg/*-old' \
		-o -path '/var/lib/dkms/mok.*' -o -path '*/modules.*' -o -name '*.pyc' \) -prune -o -print | sort
}

# recorded TRACE BACKEND: by this backend, whole, and it knows what hello is made from.
recorded()
{
	tail -n 20 /tmp/run.log
	grep -q "backend $2" /tmp/run.log &&
		etrace report "$1" | grep -F "The trace is complete" &&
		etrace deps --direct "$1" /root/build/hello.o | grep -x /root/build/hello.c
}

# build TRACE [OPTION]...: a program, recorded.
build()
{
	rm -f hello hello.o
	etrace run -v --strict -o "$@" -- make > /tmp/run.log 2>&1
}

mkdir -p /root/build
cd /root/build || exit
printf 'hello: hello.o\n\tgcc -o $@ $<\nhello.o: hello.c\n\tgcc -c $<\n' > Makefile
printf '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n' > hello.c
writable_modules
files > /tmp/before
dpkg-query -W -f '${Package}\n' > /tmp/before.packages

try "apt installs etrace" apt install "$debs"/etrace_*.deb
by_bpf() { build bpf.fxt && recorded bpf.fxt bpf; }
try "etrace run records by BPF at once" by_bpf
try "etrace doctor finds a way to record" etrace doctor --backend=bpf
try "there is a manual page" test -s /usr/share/man/man1/etrace-run.1.gz

sample()
{
	apt install "$debs"/libetrace1_*.deb "$debs"/libetrace-dev_*.deb pkg-config || return
	# shellcheck disable=SC2046
	gcc -o who-opens /usr/share/doc/etrace/examples/who-opens.c $(pkg-config --cflags --libs libetrace) &&
		./who-opens bpf.fxt | grep hello.c
}
try "a program is built with libetrace-dev, and reads the trace" sample

by_module()
{
	apt install "$debs"/etrace-dkms_*.deb && dkms status &&
		build module.fxt && recorded module.fxt module
}
try "etrace-dkms builds the module, and etrace run records by it" by_module
try "the module is signed" grep . <(modinfo -F signer etrace)
unloaded() { ! grep '^etrace ' /proc/modules; }
try "the module does not stay in the kernel" unloaded

# during COMMAND...: what a recording says in the middle of which that happens.
during()
{
	rm -f hello hello.o started go
	etrace run -v --strict -o during.fxt -- sh -c \
		'make hello.o; touch started; until [ -e go ]; do sleep 1; done; exec make' > /tmp/run.log 2>&1 &
	until [ -e started ]; do
		kill -0 $! || { cat /tmp/run.log; return 1; }
		sleep 1
	done
	"$@" || { touch go; return 1; }
	touch go
	wait $! || { cat /tmp/run.log; return 1; }
	grep "backend module" /tmp/run.log
}
upgraded()
{
	local version
	version=$(dpkg-deb -f "$(echo "$next"/etrace_*.deb)" Version)
	during apt install "$next"/etrace_*.deb "$next"/etrace-dkms_*.deb || return
	recorded during.fxt module || return
	etrace --version
	etrace --version | grep -F "$version" && dkms status && [ "$(dkms status etrace | wc -l)" = 1 ] &&
		dkms status etrace | grep -F "$version" && modinfo -F version etrace
}
try "an upgrade while a recording runs leaves that whole" upgraded
again() { build again.fxt && recorded again.fxt module; }
try "the new version records" again
removed() { during apt remove etrace-dkms && recorded during.fxt module && ! modinfo etrace; }
try "so does the removal of the module's package" removed
try "and by BPF it goes on" by_bpf

purged()
{
	# shellcheck disable=SC2046
	apt purge $(dpkg-query -W -f '${Package}\n' | grep -vxFf /tmp/before.packages) || return
	unloaded || return
	files > /tmp/after
	diff /tmp/before /tmp/after
}
try "the purge leaves nothing behind" purged
echo "1..$results"
exit "$failed"
