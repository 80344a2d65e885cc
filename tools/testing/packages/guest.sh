#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest that has a compiler, kernel headers and DKMS, and nothing of etrace: test its packages
# as a user handles them, from the installation to the complete removal.
#
#	guest.sh DEBS NEXT	directories with the packages, and with a later version of them
#
# The guest has no network: the packages' dependencies are in apt's cache.

debs=$1 next=$2
release=$(uname -r)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"

# Modules are on a read-only disk.
writable_modules()
{
	mkdir -p /var/tmp/modules/{upper,work}
	modprobe overlay
	mount -t overlay -o "lowerdir=/lib/modules,upperdir=/var/tmp/modules/upper,workdir=/var/tmp/modules/work" \
		overlay /lib/modules
	ln -s "/usr/src/linux-headers-$release" "/lib/modules/$release/build"
	depmod
}

# recorded TRACE BACKEND: it was recorded with this backend, is complete, and has the inputs of
# hello.
recorded()
{
	tail -n 20 /tmp/run.log
	grep -q "backend $2" /tmp/run.log &&
		etrace report "$1" | grep -F "The trace is complete" &&
		etrace deps --direct "$1" "$PWD/hello.o" | grep -x "$PWD/hello.c"
}

# build TRACE [OPTION]...: record the build of a program.
build()
{
	rm -f hello hello.o
	etrace run -v --strict -o "$@" -- make > /tmp/run.log 2>&1
}

mkdir -p /root/build
cd /root/build || exit
printf 'hello: hello.o\n\tgcc -o $@ $<\nhello.o: hello.c\n\tgcc -c $<\n' > Makefile
printf '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n' > hello.c
mkdir -p /var/cache/ccache
[ ! -e /payload/packages/ccache ] || cp -r /payload/packages/ccache/. /var/cache/ccache/
version=$(dpkg-deb -f "$(echo "$debs"/etrace_*.deb)" Version)
later=$(dpkg-deb -f "$(echo "$next"/etrace_*.deb)" Version)
writable_modules
before

try "apt installs the package etrace" apt install "$debs"/etrace_*.deb
by_bpf() { build bpf.fxt && recorded bpf.fxt bpf; }
try "etrace run records with BPF right after the installation" by_bpf
try "etrace doctor --backend=bpf succeeds" etrace doctor --backend=bpf
try "the manual page of etrace run is installed" test -s /usr/share/man/man1/etrace-run.1.gz

sample()
{
	apt install "$debs"/libetrace1_*.deb "$debs"/libetrace-dev_*.deb pkg-config || return
	# shellcheck disable=SC2046
	gcc -o who-opens /usr/share/doc/etrace/examples/who-opens.c $(pkg-config --cflags --libs libetrace) &&
		./who-opens bpf.fxt | grep hello.c
}
try "a program built with libetrace-dev reads a trace" sample

by_module()
{
	apt install "$debs"/etrace-dkms_*.deb && at_version "$version" &&
		build module.fxt && recorded module.fxt module
}
try "etrace-dkms builds the module, and etrace run records with it" by_module
try "the module is signed with the key that DKMS made" signed "DKMS module signing key"
try "the module is unloaded after the recording" unloaded

# as NAME COMMAND...: run it as this user
as() { setpriv --reuid "$1" --regid "$1" --init-groups env HOME=/tmp "${@:2}"; }

# Members of the group can record their own commands once the module is loaded; other users cannot.
member()
{
	/lib/systemd/systemd-udevd --daemon || return
	useradd -M -G etrace member && useradd -M stranger && mkdir /tmp/member &&
		cp Makefile hello.c /tmp/member && chown -R member /tmp/member && modprobe etrace || return
	udevadm settle
	stat -c '%a %U %G' /dev/etrace | tee /dev/stderr | grep -x '660 root etrace' || return
	(
		cd /tmp/member || exit
		as stranger etrace run --backend=module -o /tmp/stranger.fxt -- true && exit 1
		as member etrace run -v --strict --backend=module -o member.fxt -- make > /tmp/run.log 2>&1
		recorded member.fxt module
	) || { cat /tmp/run.log; return 1; }
	rmmod etrace
	udevadm control --exit
	userdel member
	userdel stranger
	rm -rf /tmp/member
	unloaded
}
try "members of the group etrace can record with the module, others cannot" member

# during COMMAND...: run it in the middle of a recording.
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
	during apt install "$next"/etrace_*.deb "$next"/etrace-dkms_*.deb \
		"$next"/libetrace1_*.deb "$next"/libetrace-dev_*.deb || return
	recorded during.fxt module || return
	etrace --version
	etrace --version | grep -F "$later" && at_version "$later" && signed "DKMS module signing key"
}
try "a recording that runs during an upgrade is complete" upgraded
again() { build again.fxt && recorded again.fxt module; }
try "the new version records with the module" again

# A module that a shell has loaded and configured by hand: while it traces, it counts as a running
# recording.
by_hand()
{
	modprobe etrace && echo $$ > /sys/module/etrace/parameters/root_pid || return
	apt remove etrace-dkms || return
	grep '^etrace ' /proc/modules || { echo "the module was unloaded while it traced"; return 1; }
	echo 0 > /sys/module/etrace/parameters/root_pid
	rmmod etrace && ! modinfo etrace
}
try "removing etrace-dkms keeps the module while root_pid traces" by_hand
idle()
{
	apt install "$next"/etrace-dkms_*.deb && modprobe etrace && apt remove etrace-dkms && unloaded
}
try "removing etrace-dkms unloads an idle module" idle
removed()
{
	apt install "$next"/etrace-dkms_*.deb || return
	during apt remove etrace-dkms && recorded during.fxt module && ! modinfo etrace && unloaded
}
try "a recording that runs while etrace-dkms is removed is complete" removed
try "without etrace-dkms, etrace run records with BPF" by_bpf
all_removed() { apt remove etrace libetrace1 libetrace-dev && etrace_gone; }
try "removing all packages leaves no files of etrace" all_removed
try "purging all packages leaves no files at all" purged
done_with
