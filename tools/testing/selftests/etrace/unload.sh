#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: insmod and rmmod in a loop while make -j8 runs under trace
# requires: gcc, make, perl
#
# $ETRACE_UNLOADS: how often, 3 by default, 6 with LONG=y.

set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=lib/shell.sh
. ./lib/shell.sh

is_bpf && skip "there is no module to unload"
need gcc make perl
plan 3

work=$(mktemp -d /tmp/etrace.XXXXXX)
trap 'unload; rm -rf "$work"' EXIT
for i in 1 2; do
	./project.sh "$work/project$i" 1 3 5 > "$work/log" 2>&1 || bail "project.sh failed"
done

# Build one project after the other until the file "stop" exists.
builds()
{
	local i=1

	while [ ! -e "$work/stop" ]; do
		nice -n 10 make -j8 -C "$work/project$i" > "$work/make$i" 2>&1
		if ! grep -q '^all done' "$work/make$i"; then
			cp "$work/make$i" "$work/failed"
		fi
		clean "$work/project$i"
		i=$((3 - i))
	done
}
# Remove the results of a build; the project's own files are older than "log".
clean() { find "$1" -type f -newer "$work/log" -delete; find "$1" -type l -delete; }

find "$work"/project? -exec touch -h -d '1 hour ago' {} +
touch -d '1 minute ago' "$work/log"
builds &
builder=$!

status=0 records=0
loads=3
[ "${LONG:-}" != y ] || loads=6
for i in $(seq "${ETRACE_UNLOADS:-$loads}"); do
	insmod "$MODULE" instance="${INSTANCE##*/}" trace_thread_names=1 \
		root_pid="$builder" || status=1
	# Wait for a different number of records each time, so that the build is somewhere else.
	for _ in $(seq 1200); do
		n=$(counter records) && [ "$n" -lt $((i % 4 * 100 + 50)) ] || break
		sleep 0.1
	done
	n=$(counter records) || status=1
	records=$((records + n))
	rmmod etrace || status=1
	# Every other time the instance is kept with its content.
	[ $((i % 2)) = 0 ] || rmdir "$INSTANCE" || status=1
done
result $status "load_and_unload_during_builds"
[ $records -gt 0 ]
result $? "records_were_traced"
echo "# $records records, module loaded $i times"

touch "$work/stop"
wait $builder
[ ! -e "$work/failed" ]
result $? "builds_succeed" || tail -n 20 "$work/failed" | sed 's/^/# /'
finish
