#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# server: cluster
#
# Builds on two shards of two replicas: any server can be asked and pushed to, and any can be down.

. "${0%/*}/../fleet.sh"

traces=("$FIXTURES"/{make,flows,ninja,cmake,meson,jobs-4,wrong-script,wrong-none}/module.fxt.zst)
read -ra urls <<< "$FLEET_URLS"
read -ra pids <<< "$FLEET_PIDS"

# to STATUS URL [ARGUMENT]...: push; print nothing if it ends with this status.
to()
{
	local want=$1 url=$2 status

	push --database "$FLEET_DB" --begin 2026-11-20 "${@:3}" "$url" "${traces[@]}" > messages 2>&1
	status=$?
	[ "$status" = "$want" ] || { echo "exit status $status, expected $want"; cat messages; }
}

# until_prints SECONDS TEXT COMMAND...: wait until the command prints this; replicas lag a little.
until_prints()
{
	local output _

	for _ in $(seq $((10 * $1))); do
		output=$("${@:3}" 2>&1)
		[ "$output" = "$2" ] && return
		sleep 0.1
	done
	printf 'printed:\n%s\nexpected:\n%s\n' "$output" "$2"
	return 1
}

prints "push --init --cluster creates the tables and stores the builds" \
	"" to 0 "$FLEET_URL" --init --cluster "$FLEET_CLUSTER"
for i in 0 1 2 3; do
	check "server $i sees all builds" \
		until_prints 120 8 ask "SELECT count() FROM $FLEET_DB.build" "${urls[i]}"
	check "server $i sees all their rows" until_prints 120 "" partial "$FLEET_DB" "${urls[i]}"
done
here() { for url; do ask "SELECT uniq(build) FROM $FLEET_DB.build_local" "$url"; done | xargs; }
check "builds are distributed over both shards" \
	test "$(here "${urls[0]}" "${urls[2]}" | awk '$1 > 0 && $2 > 0 && $1 + $2 == 8')"

for url in "${urls[@]}"; do
	prints "push to ${url##*:} finds the builds stored" "" to 0 "$url"
	check "push to ${url##*:} reports them as already stored" \
		test "$(grep -c 'already stored' messages)" = 8
done
prints "push --init --cluster again succeeds" "" to 0 "$FLEET_URL" --init --cluster "$FLEET_CLUSTER"
prints "after a second --init, all builds are complete" "" partial "$FLEET_DB" "$FLEET_URL"

# ---- pushes to all servers at the same time ----

clear()
{
	local table

	for table in build step file access; do
		ask "TRUNCATE TABLE $FLEET_DB.${table}_local ON CLUSTER $FLEET_CLUSTER" > /dev/null
	done
}
clear
check "the tables are empty before the simultaneous pushes" \
	until_prints 120 0 ask "SELECT count() FROM $FLEET_DB.build"
ids=() status=0
for url in "${urls[@]}"; do
	push --database "$FLEET_DB" --begin 2026-11-20 "$url" "${traces[@]}" > "messages.${#ids[@]}" 2>&1 &
	ids+=($!)
done
for id in "${ids[@]}"; do
	wait "$id" || status=$?
done
prints "pushes to all servers at once succeed" 0 echo $status
for i in 0 1 2 3; do
	check "server $i sees each build once after simultaneous pushes" \
		until_prints 120 8 ask "SELECT count() FROM $FLEET_DB.build" "${urls[i]}"
	check "server $i sees all rows after simultaneous pushes" \
		until_prints 120 "" partial "$FLEET_DB" "${urls[i]}"
done

# ---- one server is down ----

clear
check "the tables are empty before a server is stopped" \
	until_prints 120 0 ask "SELECT count() FROM $FLEET_DB.build"
kill -9 "${pids[3]}"
prints "push succeeds while a replica is down" "" to 0 "$FLEET_URL"
prints "all builds are visible while a replica is down" 8 ask "SELECT count() FROM $FLEET_DB.build"
"$(PATH=$PATH:/usr/sbin command -v clickhouse-server)" --config-file="$FLEET_DIR/3/config.xml" > log 2>&1 < /dev/null &
again=$!
check "a replica that returns gets all builds" \
	until_prints 240 8 ask "SELECT count() FROM $FLEET_DB.build" "${urls[3]}"
check "a replica that returns gets all rows" until_prints 240 "" partial "$FLEET_DB" "${urls[3]}"
kill "$again"
wait "$again"
