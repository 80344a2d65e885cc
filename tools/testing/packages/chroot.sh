#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test the module's package in a chroot with a Debian that has a compiler, kernel headers and DKMS,
# as far as possible without a running kernel.
#
#	chroot.sh DEBS NEXT	directories with the packages, and with a later version of them

debs=$1 next=$2
headers=$(echo /usr/src/linux-headers-*-amd64)
release=${headers#/usr/src/linux-headers-}
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"

mkdir -p "/lib/modules/$release"
ln -sfn "$headers" "/lib/modules/$release/build"
touch "/lib/modules/$release/modules."{order,builtin}
depmod "$release"
version=$(dpkg-deb -f "$(echo "$debs"/etrace-dkms_*.deb)" Version)
later=$(dpkg-deb -f "$(echo "$next"/etrace-dkms_*.deb)" Version)
before

# Without openssl, DKMS makes no keys.
unsigned()
{
	mv /usr/bin/openssl /usr/bin/openssl.away
	apt install "$debs"/etrace-dkms_*.deb || return
	at_version "$version" && [ -z "$(modinfo -k "$release" -F signer etrace)" ] && [ ! -e /var/lib/dkms/mok.key ]
}
try "without keys, the module is built and not signed" unsigned
mv /usr/bin/openssl.away /usr/bin/openssl
try "purging etrace-dkms leaves no files" purged

own_key()
{
	openssl req -new -x509 -nodes -days 36500 -subj "/CN=This machine/" -newkey rsa:2048 \
		-keyout /var/lib/dkms/mok.key -outform DER -out /var/lib/dkms/mok.pub || return
	apt install "$debs"/etrace-dkms_*.deb && at_version "$version" && signed "This machine"
}
try "the module is signed with the machine's own key" own_key
group()
{
	getent group etrace && grep 'KERNEL=="etrace", GROUP="etrace", MODE="0660"' /usr/lib/udev/rules.d/*etrace*
}
try "the group etrace and its udev rule for /dev/etrace are installed" group
upgraded() { apt install "$next"/etrace-dkms_*.deb && at_version "$later" && signed "This machine"; }
try "an upgrade leaves only the new version, signed" upgraded
removed() { apt remove etrace-dkms && etrace_gone; }
try "removing etrace-dkms leaves no files of etrace" removed
try "purging etrace-dkms and its dependencies leaves no files at all" purged
done_with
