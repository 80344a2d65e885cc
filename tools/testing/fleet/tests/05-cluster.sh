#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# server: cluster
#
# The test cluster is as server.sh describes it: two shards of two replicas.

. "${0%/*}/../fleet.sh"

prints "the cluster has two shards of two replicas" "1 1
1 2
2 1
2 2" ask "SELECT concat(toString(shard_num), ' ', toString(replica_num)) FROM system.clusters
	WHERE cluster = '$FLEET_CLUSTER' ORDER BY shard_num, replica_num"
ask "CREATE DATABASE $FLEET_DB ON CLUSTER $FLEET_CLUSTER" > made
ask "CREATE TABLE $FLEET_DB.here ON CLUSTER $FLEET_CLUSTER (n UInt64) ENGINE =
	ReplicatedMergeTree('/clickhouse/tables/{shard}/$FLEET_DB/here', '{replica}') ORDER BY n" >> made
ask "CREATE TABLE $FLEET_DB.all ON CLUSTER $FLEET_CLUSTER (n UInt64) ENGINE =
	Distributed($FLEET_CLUSTER, $FLEET_DB, here, n)" >> made
prints "a statement ON CLUSTER runs on all four servers" 12 grep -c '^127.0.0.1' made
check "rows can be inserted into the distributed table" \
	test -z "$(ask "INSERT INTO $FLEET_DB.all SELECT number FROM system.numbers LIMIT 100")"

# here: print the number of rows on each server.
here()
{
	local url

	for url in $FLEET_URLS; do
		ask "SELECT count() FROM $FLEET_DB.here" "$url"
	done | xargs
}
for _ in $(seq 1200); do
	[ "$(here)" = "50 50 50 50" ] && break
	sleep 0.1
done
prints "each server has half of the rows" "50 50 50 50" here
prints "a query on any server sees all rows" \
	100 ask "SELECT count() FROM $FLEET_DB.all" "${FLEET_URLS##* }"
