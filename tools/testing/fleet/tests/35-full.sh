#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# server: full
#
# The server's disk is full before a push or in the middle of one, and then has space again.

. "${0%/*}/../fleet.sh"

traces=("$FIXTURES"/{make,flows,kernel}/module.fxt.zst)

# to STATUS ARGUMENT...: push; print nothing if it ends with this status.
to()
{
	local want=$1 status

	push --database "$FLEET_DB" --begin 2026-11-20 --retries 2 "${@:2}" "$FLEET_URL" "${traces[@]}" > messages 2>&1
	status=$?
	[ "$status" = "$want" ] || { echo "exit status $status, expected $want"; cat messages; }
}

# fill BYTES: leave this much space on the disk.
fill()
{
	head -c 100M /dev/zero > "$FLEET_DATA/taken" 2> /dev/null
	truncate -s "-$1" "$FLEET_DATA/taken"
}

push --database "$FLEET_DB" --init "$FLEET_URL" > /dev/null
wrong=
for room in 0 100000 300000 600000 1000000; do
	fill "$room"
	to 2 > ended
	[ ! -s ended ] || { wrong+=" $room"; cat ended; }
	cp messages "messages.$room"
	rm "$FLEET_DATA/taken"
	seen=$(ask "SELECT count() FROM $FLEET_DB.build")
	[ "$seen" = 0 ] || wrong+=" $room:$seen"
done
prints "on a full disk, push exits with 2 and no build is visible" "" echo "$wrong"
check "on a full disk, push reports the reason" grep -qi 'no space\|disk is full' messages.0
prints "on a full disk, push reports each build as not pushed" \
	3 grep -c 'not pushed' messages.300000
# a push that waits for space gets it
fill 100000
: > messages
{
	for _ in $(seq 1200); do
		grep -q 'tried again' messages && break
		sleep 0.1
	done
	rm "$FLEET_DATA/taken"
} &
prints "a push succeeds if space is freed while it retries" "" to 0 --retries 6
wait
prints "a push that waited for space stores all builds" 3 ask "SELECT count() FROM $FLEET_DB.build"
rows() { ask "SELECT count() FROM $FLEET_DB.$1"; }
prints "a push that waited for space stores each row once" \
	"$(ask "SELECT sum(steps), sum(files), sum(accesses) FROM $FLEET_DB.build" | tr '\t' '\n')" \
	eval 'rows step; rows file; rows access'
