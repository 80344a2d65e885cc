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

prints "the proxy forwards a request" 200 put
prints "the forwarded rows are stored" 10000 rows
check "the log has the statement, its size and its first rows" \
	grep -q "INSERT%20INTO.*\"size\": 60000.*\"begin\": \"10001" between.log

proxy cut 30002
prints "cut: the request fails in the middle of a row" 000 put
prints "cut: after the requested number of bytes" 1 grep -c '"size": 30002,' between.log
prints "cut: only once" 200 put

proxy lose 2
before=$(rows)
prints "lose 2: the first answer arrives" 200 put
prints "lose 2: the second answer is lost" 000 put
prints "lose 2: both requests were executed" $((before + 20000)) rows
prints "lose 2: the third answer arrives" 200 put

proxy half 1
prints "half: half of an answer arrives" \
	"xy failed" bash -c "curl -s -m 120 -d \"SELECT 'xyz'\" '$PROXY_URL' || echo ' failed'"

before=$(rows)
proxy status 503 1 2
prints "status: the proxy answers itself" 503 put
prints "status: the requested number of times" 503 put
prints "status: nothing was forwarded" "$before" rows
prints "status: later requests are forwarded" 200 put

# No event shows that there is no answer: wait for a time.
proxy stall 1
LONGEST=1 prints "stall: there is no answer" 000 put
prints "stall: nothing was forwarded" $((before + 10000)) rows

proxy slow 60000
start=${EPOCHREALTIME/./}
prints "slow: the request succeeds" 200 put
check "slow: 60,000 bytes take a second" test $((${EPOCHREALTIME/./} - start)) -gt 900000

proxy reset
prints "reset: the connection is reset" 000 put
prints "reset: the log says so" reset did

for mode in before after at; do
	sleep 1000 &
	echo $! > pid
	proxy "kill-$mode" 1 pid
	put > /dev/null
	wait $! 2> /dev/null
	prints "kill-$mode: the process is killed" 137 echo $?
done
proxy_stop
prints "the port is closed after the proxy has stopped" 7 bash -c "curl -s '$PROXY_URL'; echo \$?"
