# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the scripts of this directory: the places of files, error messages, and a private apt
# that knows other Debian suites without touching the machine's configuration or packages.

set -euo pipefail
export LC_ALL=C

VM_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(cd "$VM_DIR/../../.." && pwd)
# This machine's release.  Guests have the same one, because they run what is built here.
HOST_SUITE=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# Files that were fetched or can be made again.
CACHE=${ETRACE_CACHE:-$TOP/build/vm}

# The differences between the architectures of guests, with Debian's names: the name of a kernel
# package ends in one.  This machine's is amd64; for others, Debian's cross compiler is used.
# shellcheck disable=SC2034
use_arch()
{
	# qemu 7.2 caches translated code by virtual address.  With randomized addresses it would
	# translate the C library again for each program, which is three quarters of the time of an
	# exec.
	local same_addresses=norandmaps

	ARCH=$1
	case $ARCH in
	amd64)
		cross= cross32= kbuild_arch=x86_64 qemu=qemu-system-x86_64
		# "max" has SMAP and SMEP, which reveal careless accesses to user memory.  Without
		# cx16: qemu 7.2 sets wrong flags after cmpxchg16b, which crashes the slab
		# allocator of 6.12.  Without erms: TCG executes rep movsb byte by byte, one
		# instruction each; fsrm, which qemu 10 has, must be off, too: with it alone 6.1
		# does not boot.
		machine=(-cpu "max,la57=off,-cx16,-erms,-fsrm")
		# The CPUs' time stamp counters agree.  If the guest tests that on a busy host, it
		# may conclude otherwise and use a clock that is ten times slower; and if it is not
		# scheduled while it tests its timer, it considers the timer broken and panics.
		boot="tsc=reliable no_timer_check $same_addresses"
		# ttyS0 is for the command.
		ports=(-serial chardev:out -serial chardev:log -serial chardev:status)
		console=ttyS1 status=ttyS2 ;;
	arm64)
		cross=aarch64-linux-gnu- cross32=arm-linux-gnueabihf-gcc kbuild_arch=arm64 qemu=qemu-system-aarch64
		# With the architecture's own algorithm, pointer authentication takes half of TCG's
		# time.
		machine=(-machine virt -cpu "max,pauth-impdef=on,sve=off")
		boot=$same_addresses
		# The machine has one port, which is for the kernel.
		ports=(-serial chardev:log -device "pci-serial,chardev=out" -device "pci-serial,chardev=status")
		console=ttyAMA0 status=ttyS1 ;;
	*)
		die "no guests of architecture '$ARCH': lib.sh knows amd64 and arm64" ;;
	esac
}

say() { echo "${0##*/}: $*" >&2; }
die() { say "$*"; exit 1; }

use_arch amd64

# use_compilers: from here on, call the compilers for $ARCH by their names.
use_compilers()
{
	local dir

	[ -n "$cross" ] || return 0
	dir=$("$VM_DIR/unpacked" "$ARCH" compilers) || exit
	export PATH=$dir/usr/bin:$PATH LD_LIBRARY_PATH=$dir/usr/lib/x86_64-linux-gnu
}

# for_arch NAME: a name in the cache for a file that each architecture has.
for_arch() { [ "$ARCH" = amd64 ] && echo "$1" || echo "$1-$ARCH"; }

mkdir -p "$CACHE"
CACHE=$(cd "$CACHE" && pwd)

# locked NAME: hold the lock of that name until this shell ends, so that two runs in parallel make
# a file only once.
locked()
{
	exec {lock_fd}>"$CACHE/.lock-$1"
	flock -n "$lock_fd" || { say "waiting for another run ($1)"; flock "$lock_fd"; }
}

# mirror SUITE: print the base address of a suite, derived from what the machine's own apt uses for
# its release.
mirror()
{
	local like=$HOST_SUITE

	[[ $1 == *-security ]] && like=$like-security
	# Before the first apt-get update the origin is not known.
	apt-get indextargets --format '$(COMPONENT) $(CODENAME) $(RELEASE) $(REPO_URI) $(ORIGIN)' \
		'Created-By: Packages' 2> /dev/null |
	awk -v like="$like" '
		$1 == "main" && ($2 == like || $3 == like) && ($NF == "Debian" || NF < 5) {
			uri = $(NF < 5 ? NF : NF - 1)
			exit
		}
		END { print uri; exit !uri }'
}

# apt_private SUITES COMMAND...: run an apt command that only sees the suites of a comma-separated
# list.  With the prefix "src:", it sees their source packages.
apt_private()
{
	local kind=deb suites=$1 dir suite uri
	shift
	if [[ $suites == src:* ]]; then
		kind="deb-src"
	fi
	dir=$CACHE/apt/$(for_arch "${suites//[:,]/-}")
	if [ ! -e "$dir/sources.list" ]; then
		mkdir -p "$dir"/{lists/partial,cache/archives/partial}
		: > "$dir/status"
		for suite in $(tr , ' ' <<< "${suites#src:}"); do
			uri=$(mirror "$suite") || {
				say "apt of this machine has no mirror of the kind that $suite needs: going without"
				continue
			}
			echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
		done > "$dir/sources.list.new"
		[ -s "$dir/sources.list.new" ] ||
			die "no Debian mirror among the sources of this machine's apt (/etc/apt/sources.list)"
		mv "$dir/sources.list.new" "$dir/sources.list"
	fi
	"$1" -qq \
		-o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State::lists="$dir/lists" -o Dir::State::status="$dir/status" \
		-o Dir::Cache="$dir/cache" -o APT::Architecture="$ARCH" -o APT::Architectures="$ARCH" \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Acquire::PDiffs=false -o Acquire::Retries=3 "${@:2}"
}

# bootstrap SUITE DIR PACKAGES LOG: make a minimal Debian with these packages.  One of another
# architecture configures itself with qemu's user mode emulation, which the kernel starts through
# binfmt_misc: it is mounted in the namespace here, unless it is already set up.
bootstrap()
{
	local uri proxy

	[ "$(id -u)" = 0 ] || die "making a Debian of $1 needs root (debootstrap): sudo $0"
	uri=$(mirror "$1") || die "no Debian mirror among the sources of this machine's apt (/etc/apt/sources.list)"
	proxy=$(apt-config shell x Acquire::http::Proxy | sed "s/^x='\(.*\)'\$/\1/")
	rm -rf "$2"
	# shellcheck disable=SC2016
	${proxy:+env "http_proxy=$proxy"} unshare -m bash -ec '
		arch=$1; shift
		at=/proc/sys/fs/binfmt_misc
		if [ "$arch" != amd64 ]; then
			[ -e "$at/register" ] || mount -t binfmt_misc binfmt_misc "$at"
			[ -e "$at/qemu-aarch64" ] || printf "%s" ":qemu-aarch64:M::$1:$2:/usr/bin/qemu-aarch64-static:F" > "$at/register"
		fi
		shift 2
		exec debootstrap "$@"
	' bash "$ARCH" '\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' \
		'\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' \
		--arch="$ARCH" --variant=minbase \
		--include="${3// /,}" "$1" "$2" "$uri" > "$4" 2>&1 ||
		die "debootstrap failed: $(tail -n3 "$4") (all of it: $4)"
	rm -rf "$2"/var/cache/apt/* "$2"/var/lib/apt/lists/*
}

# apt_update SUITES [force]: fetch the package index unless it exists.
apt_update()
{
	local name

	name=$(for_arch "${1//[:,]/-}")
	(
		locked "apt-$name"
		[ "${2:-}" = force ] || [ ! -e "$CACHE/apt/$name/updated" ] || exit 0
		apt_private "$1" apt-get update >&2 || die "cannot fetch the package index of $1"
		touch "$CACHE/apt/$name/updated"
	)
}

# apt_depends SUITES PACKAGE REGEX: print the dependencies of the newest version of a package that
# match.
apt_depends()
{
	apt_private "$1" apt-cache show --no-all-versions "$2" 2>/dev/null |
	sed -n 's/^Depends: //p' | tr , '\n' | sed 's/^ *//; s/ .*//' | grep -E "$3" || true
}

# apt_unpack SUITES DIR PACKAGE...: download packages and unpack them there.  The caller handles
# their dependencies.
apt_unpack()
{
	local suites=$1 dir=$2 tmp deb
	shift 2
	tmp=$(mktemp -d "$CACHE/fetch.XXXXXX")
	(cd "$tmp" && apt_private "$suites" apt-get download "$@") >&2 || {
		rm -rf "$tmp"
		return 1
	}
	mkdir -p "$dir"
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$dir" || return 1
	done
	rm -rf "$tmp"
}

# apt_closure SUITES PACKAGE...: print the packages and all their dependencies, as if nothing was
# installed, one a line.
apt_closure()
{
	apt_private "$1" apt-get install -s --no-install-recommends "${@:2}" |
		sed -n 's/^Inst \([^ ]*\) .*/\1/p'
}

# merge_usr DIR: merge /usr in unpacked packages, as Debian does: the directories of the root
# become links into /usr.
merge_usr()
{
	local name

	for name in lib bin sbin lib64; do
		[ ! -L "$1/$name" ] || continue
		mkdir -p "$1/usr/$name" "$1/$name"
		cp -a "$1/$name/." "$1/usr/$name/"
		rm -rf "${1:?}/$name"
		ln -s "usr/$name" "$1/$name"
	done
}

# mkfs_dir DIR IMAGE LABEL [SPARE_MB]: make an ext4 image with the content of a directory, without
# mounting anything, and move it into place when it is complete.
mkfs_dir()
{
	local kb inodes

	kb=$(du -sk --apparent-size "$1" | cut -f1)
	inodes=$(find "$1" | wc -l)
	rm -f "$2.new"
	truncate -s "$(((kb * 5 / 4 + inodes * 5 + 4096) + ${4:-0} * 1024))K" "$2.new"
	mkfs.ext4 -q -F -L "$3" -d "$1" -E root_owner=0:0,lazy_itable_init=1 \
		-O ^has_journal -m 0 -N $((inodes + 1000 + ${4:-0} * 60)) "$2.new"
	debugfs -w -R 'rmdir lost+found' "$2.new" > /dev/null 2>&1
	mv "$2.new" "$2"
}
