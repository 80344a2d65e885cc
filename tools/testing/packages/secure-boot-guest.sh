#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest with Secure Boot: follow the instructions of etrace doctor literally.
#
#	secure-boot-guest.sh before|between|after	relative to the enrolment of the key

release=$(uname -r)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
here=/payload/payload

mkdir -p /var/tmp/modules/{upper,work} /var/cache/ccache /root/made
[ ! -e "$here/ccache" ] || cp -r "$here/ccache/." /var/cache/ccache/
modprobe -a overlay efivarfs
mount -t overlay -o "lowerdir=/lib/modules,upperdir=/var/tmp/modules/upper,workdir=/var/tmp/modules/work" \
	overlay /lib/modules
ln -s "/usr/src/linux-headers-$release" "/lib/modules/$release/build"
depmod
mount -t efivarfs efivarfs /sys/firmware/efi/efivars
apt install "$here"/debs/etrace_*.deb > /tmp/output 2>&1 || { cat /tmp/output; exit 1; }
dpkg -i "$here"/debs/{mokutil,libefivar1,libkeyutils1}_*.deb > /tmp/output 2>&1 || { cat /tmp/output; exit 1; }
cd /root/made || exit

# placed MODULE DIR: install it in this directory, as the only one.
placed()
{
	local dir=/lib/modules/$release/$2

	rm -rf "/lib/modules/$release/updates"
	mkdir -p "$dir" && cp "$1" "$dir/" && depmod
}

secure() { mokutil --sb-state; cat /sys/kernel/security/lockdown; mokutil --sb-state | grep -x 'SecureBoot enabled'; }

# refused: the module does not load, and etrace doctor does not claim that it does.
refused()
{
	local status

	etrace doctor --backend=module > /tmp/findings
	status=$?
	cat /tmp/findings
	[ "$status" = 1 ] && ! modprobe etrace
}

# follow_advice: run the commands below the line about the signature.
follow_advice()
{
	awk '/^(BAD|note) *signature/ { on = 1; next } !/^ / { on = 0 } on' /tmp/findings | sed 1d | sed 's/^ *//' > /tmp/todo
	cat /tmp/todo
	grep -q 'mokutil --import' /tmp/todo || return
	# mokutil asks for a password, twice
	printf 'password\npassword\n' | bash -ex /tmp/todo
}

by_bpf()
{
	etrace run -v --strict -o /tmp/b.fxt -- sh -c 'cat /etc/hostname' 2>&1 | grep 'backend bpf' &&
		etrace report /tmp/b.fxt | grep -F 'The trace is complete'
}

loads()
{
	etrace doctor --backend=module || return
	etrace run -v --strict --backend=module -o /tmp/a.fxt -- sh -c 'cat /etc/hostname' && etrace report /tmp/a.fxt
}

case $1 in
before)
	try "Secure Boot is enabled" secure
	placed "$here/etrace.ko" updates
	try "the kernel refuses an unsigned module, and doctor knows" refused
	try "etrace run records with BPF" by_bpf
	try "the commands that etrace doctor advises for an own build succeed" follow_advice
	cp "/lib/modules/$release/updates/etrace.ko" own.ko
	rm -rf "/lib/modules/$release/updates"
	try "DKMS builds the module" apt install "$here"/debs/etrace-dkms_*.deb
	try "the module is signed with the key that DKMS made" signed "DKMS module signing key"
	try "the kernel refuses a module signed with a key not enrolled" refused
	try "the commands that etrace doctor advises for DKMS succeed" follow_advice
	cp "/lib/modules/$release/updates/dkms/etrace.ko" dkms.ko
	mokutil --list-new | grep Subject:
	cp -r /root/made /results/ ;;
between)
	echo "the firmware does not ask for a key" ;;
after)
	mokutil --list-enrolled | grep Subject:
	try "Secure Boot is enabled" secure
	placed "$here/etrace.ko" updates
	try "the kernel still refuses an unsigned module" refused
	placed "$here/made/own.ko" updates
	mv /lib/modules/"$release"/updates/{own,etrace}.ko && depmod
	try "the module signed as etrace doctor advised loads and records" loads
	placed "$here/made/dkms.ko" updates/dkms
	mv /lib/modules/"$release"/updates/dkms/{dkms,etrace}.ko && depmod
	try "the module signed by DKMS loads and records" loads ;;
esac
done_with
