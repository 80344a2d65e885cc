# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The program that is built and traced by the demo, and of which make bench has
# a recording: GNU patch, as upstream ships it.  Needs vm/lib.sh.

# shellcheck disable=SC2034
PROGRAM="patch"
SUITE="src:bookworm"		# the same build on every machine

# configured DIR: the program's source, unpacked and configured there.  That
# is done outside of the guest and of the trace: it would take most of the time.
configured()
{
	local tmp

	[ ! -e "$1" ] || return 0
	apt_update "$SUITE"
	tmp=$(mktemp -d "$CACHE/source.XXXXXX")
	(
		cd "$tmp"
		apt_private "$SUITE" apt-get source --download-only "$PROGRAM" >&2
		# As upstream ships it: a patched Makefile.am would want automake.
		dpkg-source --no-check --skip-patches -x "$PROGRAM"_*.dsc tree
		cd tree && ./configure
	) > "$CACHE/configure.log" 2>&1 || {
		rm -rf "$tmp"
		tail -n 5 "$CACHE/configure.log" >&2
		die "cannot get or configure the source of $PROGRAM (all of it: $CACHE/configure.log)"
	}
	mkdir -p "$(dirname "$1")"
	mv "$tmp/tree" "$1"
	rm -rf "$tmp"
}
