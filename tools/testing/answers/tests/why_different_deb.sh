#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace why-different: a Debian package that is built twice, in two directories, with other
# variables and numbers of CPUs, as reprotest does.  LONG=y: takes minutes with strace.

. "${0%/*}/../lib.sh"

[ -n "${LONG:-}" ] || { echo "skip: needs LONG=y"; exit; }
command -v dh strace dpkg-buildpackage > /dev/null || { echo "skip: debhelper or strace is not installed"; exit; }
strace -o /dev/null true 2> /dev/null || { echo "skip: strace cannot trace here"; exit; }
PATH=$(dirname "$(command -v etrace)"):/usr/bin:/bin:/usr/sbin:/sbin
TOP=$(pwd -P)

# write_package DIR RULES: write its source; RULES are lines of debian/rules
write_package()
{
	mkdir -p "$1/debian/source"
	cat > "$1/hello.c" <<- 'E'
		#include "version.h"
		#include <stdio.h>
		int main(void) { puts(VERSION); return 0; }
	E
	printf 'hello: hello.c version.h\n\tgcc $(CFLAGS) -g -o $@ hello.c\nversion.h:\n\t%s\nclean:\n\trm -f hello version.h\n' \
		"$3" > "$1/Makefile"
	printf '#!/usr/bin/make -f\n%s\n%%:\n\tdh $@\noverride_dh_auto_install:\n\tinstall -D hello debian/planted/usr/bin/hello\n' \
		"$2" > "$1/debian/rules"
	chmod +x "$1/debian/rules"
	printf 'Source: planted\nSection: misc\nPriority: optional\nMaintainer: A B <a@example.org>\nBuild-Depends: debhelper-compat (= 13)\nStandards-Version: 4.6.2\n\nPackage: planted\nArchitecture: any\nDepends: ${shlibs:Depends}, ${misc:Depends}\nDescription: a test\n A test.\n' \
		> "$1/debian/control"
	printf 'planted (1.0) unstable; urgency=low\n\n  * A test.\n\n -- A B <a@example.org>  Wed, 01 Jan 2025 00:00:00 +0000\n' \
		> "$1/debian/changelog"
	echo '3.0 (native)' > "$1/debian/source/format"
}

# record_package DIR VARIABLE...: record the build in DIR.fxt beside it
record_package()
{
	(cd "$1/planted" && env -i PATH="$PATH" "${@:2}" etrace run --hash --hash-cache="$TOP/hashes" --record=env \
		--backend=strace -o "$1.fxt" -- dpkg-buildpackage -b -us -uc -d) > "$1.log" 2>&1 || cat "$1.log"
}

# build_twice NAME RULES VERSION: build twice in the directories of NAME
build_twice()
{
	write_package "$TOP/$1/first/planted" "$2" "$3"
	write_package "$TOP/$1/elsewhere/second/planted" "$2" "$3"
	record_package "$TOP/$1/first" LANG=C.UTF-8 TZ=UTC USER=one HOME="$TOP"
	(umask 0002; record_package "$TOP/$1/elsewhere/second" LANG=C LC_ALL=C.UTF-8 TZ=Asia/Tokyo USER=two HOME=/nonexistent \
		CAPTURED=yes taskset -c 0)
	deb=$1/elsewhere/second/planted_1.0_$(dpkg --print-architecture).deb
	check "$1: the package is built" [ -s "$deb" ]
}

# first_cause NAME FILE: print the cause that is named first
first_cause()
{
	etrace why-different --json "$TOP/$1/first.fxt" "$TOP/$1/elsewhere/second.fxt" "$TOP/$2" |
		python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["causes"][0]["cause"])'
}

build_twice good "" "echo '#define VERSION \"1.0\"' > \$@"
check "a reproducible package is the same in both builds" cmp good/first/planted_1.0_*.deb "$deb"
etrace why-different good/first.fxt good/elsewhere/second.fxt "$deb" > output 2>&1
result $(($? != 3)) "a reproducible package: why-different finds no difference"

build_twice time "" "echo '#define VERSION \"'\$\$(date +%s)'\"' > \$@"
check "a package that contains the time: the first cause is the time" \
	[ "$(first_cause time "$deb")" = time ]

build_twice path "export DEB_BUILD_MAINT_OPTIONS = reproducible=-all" "echo '#define VERSION \"'\$\$PWD'\"' > \$@"
check "a package that contains its directory: the first cause is the build path" \
	[ "$(first_cause path "$deb")" = build-path ]
