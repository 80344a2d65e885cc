# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sources of programs that are built and traced: zlib for the demo, GNU patch for the recording
# that make bench uses. Needs vm/lib.sh.

# shellcheck disable=SC2034
PROGRAM="patch"
SUITE="src:bookworm"		# the same build on every machine

# upstream PROGRAM DIR: put the upstream source, from the Debian source package, into DIR
upstream()
{
	local tmp

	[ ! -e "$2" ] || return 0
	apt_update "$SUITE"
	tmp=$(mktemp -d "$CACHE/source.XXXXXX")
	mkdir -p "$(dirname "$2")" "$tmp/tree"
	(
		cd "$tmp"
		apt_private "$SUITE" apt-get source --download-only "$1" >&2
		tar -x --no-same-owner -C tree --strip-components=1 -f "$1"_*.orig.tar.*[!c]
	) && mv "$tmp/tree" "$2" || {
		rm -rf "$tmp"
		die "cannot get the source of $1"
	}
	rm -rf "$tmp"
}

# configured DIR: put the configured source of $PROGRAM into DIR. Configuring would take most of
# the time in the guest, so it is done outside and is not traced.
configured()
{
	[ ! -e "$1" ] || return 0
	rm -rf "$1.new"
	upstream "$PROGRAM" "$1.new"
	(cd "$1.new" && ./configure) > "$CACHE/configure.log" 2>&1 || {
		tail -n 5 "$CACHE/configure.log" >&2
		die "cannot configure $PROGRAM (all of it: $CACHE/configure.log)"
	}
	mv "$1.new" "$1"
}
