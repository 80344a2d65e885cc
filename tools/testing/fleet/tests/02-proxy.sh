#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# server: debian
#
# proxy.py breaks the connection between a program and its server in the ways that it describes.

. "${0%/*}/../fleet.sh"

ask "CREATE DATABASE $FLEET_DB"
ask "CREATE TABLE $FLEET_DB.t (n UInt64) ENGINE = MergeTree ORDER BY n"
insert="query=INSERT%20INTO%20$FLEET_DB.t%20FORMAT%20TabSeparated"
seq 10001 20000 > rows
proxy_start between

# put: send 60,000 bytes of rows through the proxy; print the status.
put() { curl -s -m "${LONGEST:-120}" -o answer -w '%{http_code}' "$PROXY_URL/?$insert" --data-binary @rows; }
rows() { ask "SELECT count() FROM $FLEET_DB.t"; }
# did: print what happened to the last request.
did() { tail -n 1 between.log | python3 -c 'import json, sys; print(json.load(sys.stdin)["did"])'; }

says "it hands on" 200 put
says "what came is there" 10000 rows
check "a statement stands in the log" grep -q "INSERT%20INTO.*\"size\": 60000.*\"begin\": \"10001" between.log

proxy cut 30002
says "it cuts in the middle of a row" 000 put
says "after so many bytes" 1 grep -c '"size": 30002,' between.log
says "once" 200 put

proxy lose 2
before=$(rows)
says "the first answer comes" 200 put
says "the second does not" 000 put
says "and it was done" $((before + 20000)) rows
says "the third comes" 200 put

proxy half 1
says "half of an answer comes" "xy failed" bash -c "curl -s -m 120 -d \"SELECT 'xyz'\" '$PROXY_URL' || echo ' failed'"

before=$(rows)
proxy status 503 1 2
says "it answers itself" 503 put
says "twice" 503 put
says "without doing it" "$before" rows
says "then it hands on" 200 put

# No event shows that there is no answer: wait for a time.
proxy stall 1
LONGEST=1 says "it does not answer" 000 put
says "and did not hand on" $((before + 10000)) rows

proxy slow 60000
start=${EPOCHREALTIME/./}
says "it is slow" 200 put
check "a second for so many bytes" test $((${EPOCHREALTIME/./} - start)) -gt 900000

proxy reset
says "it resets" 000 put
says "that is told" reset did

for mode in before after at; do
	sleep 1000 &
	echo $! > pid
	proxy "kill-$mode" 1 pid
	put > /dev/null
	wait $! 2> /dev/null
	says "it kills: $mode" 137 echo $?
done
proxy_stop
says "nobody listens" 7 bash -c "curl -s '$PROXY_URL'; echo \$?"
