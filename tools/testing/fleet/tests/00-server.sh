#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# server: debian
#
# The test server is as server.sh describes it: the users' rights, with HTTP and with HTTPS.

. "${0%/*}/../fleet.sh"

# as USER FILE SQL: print the server's answer to this user, with HTTPS.
as()
{
	curl -sS -m 60 --cacert "$FLEET_CACERT" -H "X-ClickHouse-User: $1" \
		-H "X-ClickHouse-Key: $(cat "$2")" "$FLEET_HTTPS" --data-binary "$3"
}

prints "the server answers a query" 1 ask "SELECT 1"
check "the server creates a database" test -z "$(ask "CREATE DATABASE $FLEET_DB")"
prints "the pusher may create tables" "" as "$FLEET_PUSHER" "$FLEET_PUSHER_FILE" \
	"CREATE TABLE $FLEET_DB.t (n UInt8) ENGINE = MergeTree ORDER BY n"
prints "the reader may read" \
	0 as "$FLEET_READER" "$FLEET_READER_FILE" "SELECT count() FROM $FLEET_DB.t"
check "the reader may not drop tables" \
	grep -q 'Code: 164.*readonly' <(as "$FLEET_READER" "$FLEET_READER_FILE" \
	"DROP TABLE $FLEET_DB.t")
check "the reader needs a password" \
	grep -q 'Code: 19[34]\|Code: 516' <(as "$FLEET_READER" /dev/null "SELECT 1")
check "the system does not trust the server's certificate" \
	grep -q certificate <(curl -sS "$FLEET_HTTPS" 2>&1)
check "only its owner can read a password file" test "$(stat -c %a "$FLEET_PUSHER_FILE")" = 600
