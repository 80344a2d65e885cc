# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the tests of the packages, in a guest (guest.sh) and in a directory (chroot.sh):
# results, apt, leftovers.  $release is the kernel's.

set -u
: "${release:?}"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
results=0 failed=0

# try NAME COMMAND...: print a result, after the output of the command.
try()
{
	local name=$1 verdict=ok
	shift
	results=$((results + 1))
	"$@" > /tmp/output 2>&1 || { verdict="not ok" failed=1; }
	tail -n 30 /tmp/output | cut -c 1-200 | sed 's/^/# /'
	echo "$verdict $results $name ($SECONDS s)"
}

# Cache the objects of the module with ccache, because compiling takes ten minutes in a guest; DKMS
# does everything else again.
apt()
{
	DEBIAN_KERNEL_USE_CCACHE=y CCACHE_DIR=/var/cache/ccache apt-get -q -y --no-install-recommends "$@"
}

# List all files, except for logs of apt and dpkg, files that they and depmod regenerate, the key
# with which DKMS signs all modules, backups by programs that add users, and files in memory; also
# the hashes of files in /etc, and users and groups.
files()
{
	find / /lib/modules -xdev \( -path /tmp -o -path /run -o -path /proc -o -path /payload -o -path /results \
		-o -path '/var/cache/apt' -o -path '/var/cache/ccache' -o -path '/var/cache/debconf' \
		-o -path /var/cache/ldconfig -o -path /var/log/apt -o -path '/var/log/dpkg.log' \
		-o -path /var/lib/apt -o -path /root/build -o -path /var/tmp/modules \
		-o -path /etc/ld.so.cache -o -path '/etc/*-' -o -path /etc/.pwd.lock \
		-o -path '/var/lib/dpkg/*-old' -o -path '/var/lib/dkms/mok.*' \
		-o -path '/lib/modules/*/modules.*' -o -path '/usr/lib/modules/*/modules.*' \
		-o -name '*.pyc' \) -prune -o -print | sort -u
	find /etc -type f ! -path /etc/ld.so.cache ! -path '/etc/*-' ! -path /etc/.pwd.lock -exec sha256sum {} + | sort -k 2
	find /tmp /run -name '*etrace*'
	grep -sl etrace "/lib/modules/$release"/modules.*
	getent passwd
	getent group
}

# before: note what exists without the packages.
before()
{
	touch /var/tmp/before
	dpkg-query -W -f '${Package}\n' | sort > /var/tmp/before.packages
	files > /var/tmp/before
}

unloaded() { ! grep -s '^etrace ' /proc/modules; }

# etrace_gone: after removal without purge, nothing of etrace is left; only dependencies of its
# packages may remain.
etrace_gone()
{
	unloaded || return
	dkms status | grep etrace && return 1
	files | diff /var/tmp/before - | grep '^[<>].*etrace' > /tmp/left
	# except for dpkg's data about a package that is not purged, and the group, which has
	# members
	! grep -v -e '^> /var/lib/dpkg/info/' -e '^> etrace:[^:]*:[0-9]*:' /tmp/left
}

# purged: purge the packages with their dependencies; nothing is left at all.
purged()
{
	# shellcheck disable=SC2046
	apt purge $(dpkg-query -W -f '${Package}\n' | sort | comm -13 /var/tmp/before.packages -) || return
	unloaded || return
	dkms status | grep . && return 1
	files | diff /var/tmp/before -
}

# signed NAME: the installed module is signed by NAME, with the machine's key.
signed()
{
	local serial

	modinfo -k "$release" etrace | grep -E '^(filename|version|sig|signer)'
	serial=$(openssl x509 -inform der -in /var/lib/dkms/mok.pub -noout -serial)
	[ "$(modinfo -k "$release" -F signer etrace)" = "$1" ] &&
		[ "$(modinfo -k "$release" -F sig_key etrace | tr -d ':\n')" = "${serial#serial=}" ]
}

# at_version VERSION: this version is built, and no other.
at_version()
{
	dkms status etrace
	[ "$(dkms status etrace | grep -c .)" = 1 ] && dkms status etrace | grep "^etrace/$1, $release,.*: installed" &&
		[ "$(modinfo -k "$release" -F version etrace)" = "$1" ] &&
		[ "$(echo /usr/src/etrace-*)" = "/usr/src/etrace-$1" ] &&
		[ "$(find /lib/modules/ -name 'etrace.ko*' | wc -l)" = 1 ]
}

# done_with: finish the results.
done_with()
{
	echo "1..$results"
	exit "$failed"
}
