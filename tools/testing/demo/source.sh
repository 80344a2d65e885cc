# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sources of programs that are built and traced: zlib by the demo; GNU patch, of which
# make bench has a recording.  Needs vm/lib.sh.

# shellcheck disable=SC2034
PROGRAM="patch"
SUITE="src:bookworm"		# the same build on every machine

# upstream PROGRAM DIR: its source as upstream ships it, from its Debian source package.
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

# configured DIR: the source of $PROGRAM, configured there.  That is done outside of the
# guest and of the trace: it would take most of the time.
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
