# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the scripts of this directory share: where things are kept, how they
# complain, and an apt of their own that knows other Debian suites without
# touching the machine's configuration or packages.

set -euo pipefail
export LC_ALL=C

VM_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(cd "$VM_DIR/../../.." && pwd)
# This machine's release.  Guests have the same one, for what is built here runs
# there.
HOST_SUITE=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# Everything that was fetched or can be made again.
CACHE=${ETRACE_CACHE:-$TOP/build/vm}

say() { echo "${0##*/}: $*" >&2; }
die() { say "$*"; exit 1; }

mkdir -p "$CACHE"
CACHE=$(cd "$CACHE" && pwd)

# locked NAME: hold the lock of that name until this shell ends, so that two
# runs side by side make a thing once.
locked()
{
	exec {lock_fd}>"$CACHE/.lock-$1"
	flock -n "$lock_fd" || { say "waiting for another run ($1)"; flock "$lock_fd"; }
}

# mirror SUITE: the base address of a suite, derived from what the machine's
# own apt uses for its release.
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

# apt_private SUITES COMMAND...: run an apt command that sees the suites of a
# comma-separated list, and nothing else.  "src:" before it: source packages.
apt_private()
{
	local kind=deb suites=$1 dir suite uri
	shift
	if [[ $suites == src:* ]]; then
		kind="deb-src"
	fi
	dir=$CACHE/apt/${suites//[:,]/-}
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
		-o Dir::Cache="$dir/cache" -o APT::Architecture=amd64 \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Acquire::PDiffs=false -o Acquire::Retries=3 "${@:2}"
}

# bootstrap SUITE DIR PACKAGES LOG: a minimal Debian with these packages.
bootstrap()
{
	local uri proxy

	[ "$(id -u)" = 0 ] || die "making a Debian of $1 needs root (debootstrap): sudo $0"
	uri=$(mirror "$1") || die "no Debian mirror among the sources of this machine's apt (/etc/apt/sources.list)"
	proxy=$(apt-config shell x Acquire::http::Proxy | sed "s/^x='\(.*\)'\$/\1/")
	rm -rf "$2"
	${proxy:+env "http_proxy=$proxy"} debootstrap --variant=minbase \
		--include="${3// /,}" "$1" "$2" "$uri" > "$4" 2>&1 ||
		die "debootstrap failed: $(tail -n3 "$4") (all of it: $4)"
	rm -rf "$2"/var/cache/apt/* "$2"/var/lib/apt/lists/*
}

# apt_update SUITES [force]: fetch the package index unless it is there.
apt_update()
{
	local name=${1//[:,]/-}

	(
		locked "apt-$name"
		[ "${2:-}" = force ] || [ ! -e "$CACHE/apt/$name/updated" ] || exit 0
		apt_private "$1" apt-get update >&2 || die "cannot fetch the package index of $1"
		touch "$CACHE/apt/$name/updated"
	)
}

# apt_depends SUITES PACKAGE REGEX: the dependencies of a package, newest
# version, that match.
apt_depends()
{
	apt_private "$1" apt-cache show --no-all-versions "$2" 2>/dev/null |
	sed -n 's/^Depends: //p' | tr , '\n' | sed 's/^ *//; s/ .*//' | grep -E "$3" || true
}

# apt_unpack SUITES DIR PACKAGE...: download packages and unpack them there.
# Whatever else they depend on is the caller's business.
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

# mkfs_dir DIR IMAGE LABEL [SPARE_MB]: an ext4 image with the content of a
# directory, made without mounting anything and moved into place whole.
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
