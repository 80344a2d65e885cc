#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# server: full
#
# The server's disk is full while a file takes up its space, and not after the file is removed.

. "${0%/*}/../fleet.sh"

put() { ask "INSERT INTO $FLEET_DB.t SELECT rand64(number) FROM system.numbers LIMIT 100000"; }

ask "CREATE DATABASE $FLEET_DB"
ask "CREATE TABLE $FLEET_DB.t (n UInt64) ENGINE = MergeTree ORDER BY n"
prints "rows can be inserted while there is space" "" put
head -c 100M /dev/zero > "$FLEET_DATA/taken" 2> message
check "the disk can be filled" grep -q 'No space' message
check "on a full disk, the server reports that it has no space" grep -q 'Code: 75\|Code: 243' <(put)
rm "$FLEET_DATA/taken"
prints "rows can be inserted after space was freed" "" put
prints "exactly the accepted rows are stored" 200000 ask "SELECT count() FROM $FLEET_DB.t"
