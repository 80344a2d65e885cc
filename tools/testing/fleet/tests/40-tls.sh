#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# server: debian
#
# Authentication: certificates are always checked; passwords are sent in headers, and appear
# nowhere else.

. "${0%/*}/../fleet.sh"

trace=$FIXTURES/make/module.fxt.zst
pusher=(--user "$FLEET_PUSHER" --password-file "$FLEET_PUSHER_FILE")
reader=(--user "$FLEET_READER" --password-file "$FLEET_READER_FILE")
secret=$(cat "$FLEET_PUSHER_FILE")

# to STATUS URL ARGUMENT...: push; print nothing if it ends with this status, otherwise its
# messages, which are also in said.
to()
{
	local want=$1 url=$2 status

	push --database "$FLEET_DB" --begin 2026-11-20 --timeout 60 --retries 0 "${@:3}" "$url" "$trace" > said 2>&1
	status=$?
	[ "$status" = "$want" ] || { echo "ended with $status, not $want"; cat said; }
	! grep -F "$secret" said
}

# ---- certificates ----

says "who signed it is not known: refused" "" to 2 "$FLEET_HTTPS" --init "${pusher[@]}"
check "for that reason" grep -q 'certificate' said
says "somebody else is trusted: refused" "" to 2 "$FLEET_HTTPS" --init "${pusher[@]}" \
	--cacert "$FLEET_CERTS/other-ca.pem"
check "and not tried again, for that does not go away" test "$(grep -c 'tried again' said)" = 0
says "who signed it is trusted: pushed" "" to 0 "$FLEET_HTTPS" --init "${pusher[@]}" --cacert "$FLEET_CACERT"
says "it is there" 1 ask "SELECT count() FROM $FLEET_DB.build"
says "the file of these is not there" "" to 2 "$FLEET_HTTPS" "${pusher[@]}" --cacert /nothing/there
check "which is told" grep -q '/nothing/there\|certificate' said
says "it is no file of these" "" to 2 "$FLEET_HTTPS" "${pusher[@]}" --cacert "$trace"
says "it is another name of that machine: refused" "" to 2 "${FLEET_HTTPS/localhost/127.0.0.1}" \
	"${pusher[@]}" --cacert "$FLEET_CACERT"

for name in other old; do
	proxy_start "$name" --cert "$FLEET_CERTS/$name.pem" --key "$FLEET_CERTS/$name.key"
	says "a certificate that is $name: refused" "" to 2 "https://localhost:$PROXY_PORT" "${pusher[@]}" \
		--cacert "$FLEET_CACERT"
	check "before anything is said" test -z "$(grep '"url"' $name.log)"
	proxy_stop
done
proxy_start tls --cert "$FLEET_CERTS/localhost.pem" --key "$FLEET_CERTS/localhost.key"
says "one that is neither: taken" "" to 0 "https://localhost:$PROXY_PORT" "${pusher[@]}" --cacert "$FLEET_CACERT"
ask "TRUNCATE TABLE $FLEET_DB.build_rows"
proxy cut-each 2000
says "by TLS, a connection is cut: 2" "" to 2 "https://localhost:$PROXY_PORT" "${pusher[@]}" --cacert "$FLEET_CACERT"
check "and it says which build is not there" grep -q 'module.fxt.zst: not pushed' said
proxy_stop

# ---- users ----

proxy_start http
says "no password" "" to 2 "$PROXY_URL" --user "$FLEET_PUSHER"
check "which is told, and what to do" grep -q -- '--password-file' said
says "a wrong one" "" to 2 "$PROXY_URL" --user "$FLEET_PUSHER" --password-file "$FLEET_READER_FILE"
says "who may only read does not push" "" to 2 "$PROXY_URL" "${reader[@]}"
check "which is told" grep -q 'needs more privileges' said
says "who may write does" "" to 0 "$PROXY_URL" "${pusher[@]}"
says "it is there" 1 ask "SELECT count() FROM $FLEET_DB.build"
says "and who may only read is told so" "" to 0 "$PROXY_URL" "${reader[@]}"

ask "TRUNCATE TABLE $FLEET_DB.build_rows"
ETRACE_FLEET_USER=$FLEET_PUSHER ETRACE_FLEET_PASSWORD=$secret "$ETRACE" push --database "$FLEET_DB" \
	--begin 2026-11-20 "$PROXY_URL" "$trace" > said 2>&1
says "the environment says who" 0 echo $?
check "that is sent" grep -q '"X-ClickHouse-Key"' http.log
check "but in no URL" test -z "$(grep -F "$secret" http.log; grep -i '"url": "[^"]*\(password\|user=\)' http.log)"

proxy stall 1
"$ETRACE" push --database "$FLEET_DB" "${pusher[@]}" --timeout 100 "$PROXY_URL" "$trace" > said 2>&1 &
pid=$!
for _ in $(seq 1200); do
	tr '\0' ' ' < "/proc/$pid/cmdline" > cmdline
	grep -q -- --database cmdline && break
	sleep 0.05
done
check "who lists processes sees none" test -z "$(grep -F "$secret" cmdline)"
check "though that is its line" grep -q -- --password-file cmdline
kill $pid
wait $pid 2> /dev/null
proxy_stop

says "a password in the URL" "" to 2 "http://$FLEET_PUSHER:$secret@127.0.0.1:1"
check "is refused" grep -q 'holds a password' said
says "by http to another machine" "" to 2 http://build.example:8123 "${pusher[@]}"
check "it is not sent" grep -q 'use https://' said
