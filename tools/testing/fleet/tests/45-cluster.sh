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

	push --database "$FLEET_DB" --begin 2026-11-20 "${@:3}" "$url" "${traces[@]}" > said 2>&1
	status=$?
	[ "$status" = "$want" ] || { echo "ended with $status, not $want"; cat said; }
}

# until_says SECONDS TEXT COMMAND...: wait until the command prints this; replicas lag a little.
until_says()
{
	local said _

	for _ in $(seq $((10 * $1))); do
		said=$("${@:3}" 2>&1)
		[ "$said" = "$2" ] && return
		sleep 0.1
	done
	printf 'says\n%s\nnot\n%s\n' "$said" "$2"
	return 1
}

says "tables are made on all" "" to 0 "$FLEET_URL" --init --cluster "$FLEET_CLUSTER"
for i in 0 1 2 3; do
	check "server $i has all builds" until_says 120 8 ask "SELECT count() FROM $FLEET_DB.build" "${urls[i]}"
	check "with all their rows" until_says 120 "" partial "$FLEET_DB" "${urls[i]}"
done
here() { for url; do ask "SELECT uniq(build) FROM $FLEET_DB.build_local" "$url"; done | xargs; }
check "each shard has some" test "$(here "${urls[0]}" "${urls[2]}" | awk '$1 > 0 && $2 > 0 && $1 + $2 == 8')"

for url in "${urls[@]}"; do
	says "from each server, they are there" "" to 0 "$url"
	check "which is told" test "$(grep -c 'already stored' said)" = 8
done
says "making them again changes nothing" "" to 0 "$FLEET_URL" --init --cluster "$FLEET_CLUSTER"
says "and nothing is twice" "" partial "$FLEET_DB" "$FLEET_URL"

# ---- pushes to all servers at the same time ----

clear()
{
	local table

	for table in build step file access; do
		ask "TRUNCATE TABLE $FLEET_DB.${table}_local ON CLUSTER $FLEET_CLUSTER" > /dev/null
	done
}
clear
check "there is none" until_says 120 0 ask "SELECT count() FROM $FLEET_DB.build"
ids=() status=0
for url in "${urls[@]}"; do
	push --database "$FLEET_DB" --begin 2026-11-20 "$url" "${traces[@]}" > "said.${#ids[@]}" 2>&1 &
	ids+=($!)
done
for id in "${ids[@]}"; do
	wait "$id" || status=$?
done
says "pushed to all at once" 0 echo $status
for i in 0 1 2 3; do
	check "server $i has each once" until_says 120 8 ask "SELECT count() FROM $FLEET_DB.build" "${urls[i]}"
	check "with its rows" until_says 120 "" partial "$FLEET_DB" "${urls[i]}"
done

# ---- one server is down ----

clear
check "there is none again" until_says 120 0 ask "SELECT count() FROM $FLEET_DB.build"
kill -9 "${pids[3]}"
says "a replica that is away is not waited for" "" to 0 "$FLEET_URL"
says "all is there without it" 8 ask "SELECT count() FROM $FLEET_DB.build"
"$(PATH=$PATH:/usr/sbin command -v clickhouse-server)" --config-file="$FLEET_DIR/3/config.xml" > log 2>&1 < /dev/null &
again=$!
check "it has all when it is back" until_says 240 8 ask "SELECT count() FROM $FLEET_DB.build" "${urls[3]}"
check "and their rows" until_says 240 "" partial "$FLEET_DB" "${urls[3]}"
kill "$again"
wait "$again"
