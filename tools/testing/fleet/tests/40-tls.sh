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
# messages, which are also in the file messages.
to()
{
	local want=$1 url=$2 status

	push --database "$FLEET_DB" --begin 2026-11-20 --timeout 60 --retries 0 "${@:3}" "$url" "$trace" > messages 2>&1
	status=$?
	[ "$status" = "$want" ] || { echo "exit status $status, expected $want"; cat messages; }
	! grep -F "$secret" messages
}

# ---- certificates ----

prints "push refuses a certificate of an unknown CA" "" to 2 "$FLEET_HTTPS" --init "${pusher[@]}"
check "push reports the certificate as the reason" grep -q 'certificate' messages
prints "push refuses a certificate of another CA than --cacert" \
	"" to 2 "$FLEET_HTTPS" --init "${pusher[@]}" \
	--cacert "$FLEET_CERTS/other-ca.pem"
check "push does not retry after a certificate error" test "$(grep -c 'tried again' messages)" = 0
prints "push with the CA in --cacert succeeds" \
	"" to 0 "$FLEET_HTTPS" --init "${pusher[@]}" --cacert "$FLEET_CACERT"
prints "the build pushed with --cacert is stored" 1 ask "SELECT count() FROM $FLEET_DB.build"
prints "push with a missing --cacert file fails" \
	"" to 2 "$FLEET_HTTPS" "${pusher[@]}" --cacert /nothing/there
check "push reports the missing --cacert file" grep -q '/nothing/there\|certificate' messages
prints "push with a --cacert file without certificates fails" \
	"" to 2 "$FLEET_HTTPS" "${pusher[@]}" --cacert "$trace"
prints "push refuses a certificate for another host name" \
	"" to 2 "${FLEET_HTTPS/localhost/127.0.0.1}" \
	"${pusher[@]}" --cacert "$FLEET_CACERT"

for name in other old; do
	proxy_start "$name" --cert "$FLEET_CERTS/$name.pem" --key "$FLEET_CERTS/$name.key"
	prints "push refuses the certificate $name.pem" \
		"" to 2 "https://localhost:$PROXY_PORT" "${pusher[@]}" \
		--cacert "$FLEET_CACERT"
	check "with the certificate $name.pem, no request is sent" \
		test -z "$(grep '"url"' $name.log)"
	proxy_stop
done
proxy_start tls --cert "$FLEET_CERTS/localhost.pem" --key "$FLEET_CERTS/localhost.key"
prints "push through the TLS proxy with a valid certificate succeeds" \
	"" to 0 "https://localhost:$PROXY_PORT" "${pusher[@]}" --cacert "$FLEET_CACERT"
ask "TRUNCATE TABLE $FLEET_DB.build_rows"
proxy cut-each 2000
prints "push through TLS exits with 2 if the connection is cut" \
	"" to 2 "https://localhost:$PROXY_PORT" "${pusher[@]}" --cacert "$FLEET_CACERT"
check "push reports the build that was not pushed" grep -q 'module.fxt.zst: not pushed' messages
proxy_stop

# ---- users ----

proxy_start http
prints "push without a password fails" "" to 2 "$PROXY_URL" --user "$FLEET_PUSHER"
check "push without a password names --password-file" grep -q -- '--password-file' messages
prints "push with a wrong password fails" \
	"" to 2 "$PROXY_URL" --user "$FLEET_PUSHER" --password-file "$FLEET_READER_FILE"
prints "push as a user who may only read fails" "" to 2 "$PROXY_URL" "${reader[@]}"
check "push reports that the user may not write" grep -q 'needs more privileges' messages
prints "push as a user who may write succeeds" "" to 0 "$PROXY_URL" "${pusher[@]}"
prints "the build pushed with user and password is stored" \
	1 ask "SELECT count() FROM $FLEET_DB.build"
prints "push of a stored build succeeds as a user who may only read" \
	"" to 0 "$PROXY_URL" "${reader[@]}"

ask "TRUNCATE TABLE $FLEET_DB.build_rows"
ETRACE_FLEET_USER=$FLEET_PUSHER ETRACE_FLEET_PASSWORD=$secret "$ETRACE" push --database "$FLEET_DB" \
	--begin 2026-11-20 "$PROXY_URL" "$trace" > messages 2>&1
prints "push takes user and password from the environment" 0 echo $?
check "the password is sent in a header" grep -q '"X-ClickHouse-Key"' http.log
check "the password is in no URL" \
	test -z "$(grep -F "$secret" http.log; grep -i '"url": "[^"]*\(password\|user=\)' http.log)"

proxy stall 1
"$ETRACE" push --database "$FLEET_DB" "${pusher[@]}" --timeout 100 "$PROXY_URL" "$trace" > messages 2>&1 &
pid=$!
for _ in $(seq 1200); do
	tr '\0' ' ' < "/proc/$pid/cmdline" > cmdline
	grep -q -- --database cmdline && break
	sleep 0.05
done
check "the password is not in the command line" test -z "$(grep -F "$secret" cmdline)"
check "the command line has --password-file" grep -q -- --password-file cmdline
kill $pid
wait $pid 2> /dev/null
proxy_stop

prints "push refuses a URL with a password" "" to 2 "http://$FLEET_PUSHER:$secret@127.0.0.1:1"
check "push reports the password in the URL" grep -q 'holds a password' messages
prints "push refuses to send a password over HTTP to another machine" \
	"" to 2 http://build.example:8123 "${pusher[@]}"
check "push names https in that case" grep -q 'use https://' messages
