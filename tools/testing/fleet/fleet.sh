# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For the tests of etrace push and etrace fleet.  Each runs in its own directory beside a server of
# server.sh, with its variables, $ETRACE (the program), $FLEET_DB (a prefix for the names of the
# test's databases) and $FIXTURES (recordings).  Each line "ok: NAME", "not ok: NAME" or "skip:
# NAME" is a result.
#
# In a test's header, "# server: KIND" names the server that it needs: debian, full, cluster.
# Without it the test runs with Debian's, and in make check-all also with a newer one.

FLEET=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=../answers/lib.sh
. "$FLEET/../answers/lib.sh"

# ask SQL [URL]: print the server's answer, as its user "default".
ask() { curl -sS -m 300 "${2:-$FLEET_URL}/?wait_end_of_query=1" --data-binary "$1"; }

# partial DATABASE [URL]: print builds that lack rows; there may be no tables.
partial()
{
	local what asks=()

	for what in step,steps file,files access,accesses; do
		asks+=("SELECT '${what#*,}', build, sum(x) AS counted, sum(y) AS stored FROM (
			SELECT build, toUInt64(${what#*,}) AS x, toUInt64(0) AS y FROM $1.build UNION ALL
			SELECT build, toUInt64(0) AS x, count() AS y FROM $1.${what%,*} GROUP BY build)
			GROUP BY build HAVING counted != stored")
	done
	ask "${asks[0]} UNION ALL ${asks[1]} UNION ALL ${asks[2]}" "${2:-}" | grep -Ev '^Code: (60|81)[,.]'
}

# prints NAME TEXT COMMAND...: passes if the command prints this text.
prints()
{
	local output

	output=$("${@:3}" 2>&1)
	[ "$output" = "$2" ] || printf 'printed:\n%s\nexpected:\n%s\n' "$output" "$2"
	[ "$output" = "$2" ]
	result $? "$1"
}

# push ARGUMENT...: etrace push without the user and password of the environment.
push() { env -u ETRACE_FLEET_USER -u ETRACE_FLEET_PASSWORD "$ETRACE" push "$@"; }

# ---- between the program and the server: proxy.py ----

# proxy_start NAME [ARGUMENT]...: start it in the background; it listens at PROXY_URL and writes
# each request to NAME.log.
proxy_start()
{
	local name=$1 _

	shift
	rm -f "$name.port" "$name.log"
	"$FLEET/proxy.py" --port-file "$name.port" --log "$name.log" --control "$name.control" \
		--to "${FLEET_URL#http://}" "$@" > "$name.messages" 2>&1 < /dev/null &
	PROXY_PID=$!
	for _ in $(seq 1200); do
		[ -s "$name.port" ] && break
		kill -0 "$PROXY_PID" 2> /dev/null || break
		sleep 0.05
	done
	PROXY=$name
	PROXY_PORT=$(cat "$name.port" 2> /dev/null)
	# shellcheck disable=SC2034
	PROXY_URL=http://127.0.0.1:$PROXY_PORT
	[ -n "$PROXY_PORT" ] || { cat "$name.messages"; return 1; }
}

# proxy MODE [ARGUMENT]...: set the mode for the next connections; see proxy.py.
proxy()
{
	echo "$*" > "$PROXY.control.new"
	mv "$PROXY.control.new" "$PROXY.control"
}

proxy_stop()
{
	kill "$PROXY_PID" 2> /dev/null
	wait "$PROXY_PID" 2> /dev/null
}
