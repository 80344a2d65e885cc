#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whatever happens to a push: visible builds are complete, and after a push has succeeded, each
# build is stored once, with the same rows as after an undisturbed push.

. "${0%/*}/../fleet.sh"

traces=()
for name in make flows wrong-script; do
	cp "$FIXTURES/$name/module.fxt.zst" "$name.fxt.zst"
	traces+=("$name.fxt.zst")
done
begin=(--begin 2026-11-20T12:00)

columns()	# VIEW
{
	ask "SELECT name FROM system.columns WHERE database = '$whole' AND table = '$1'
		AND name NOT IN ('pushed', 'parts') ORDER BY name FORMAT TabSeparated" | paste -sd,
}

# state DATABASE: print a line for each view.
state()
{
	local view asks=()

	for view in build step file access; do
		asks+=(--next -sS -m 60 "$FLEET_URL" -o "$view.rows"
			--data-binary "SELECT ${columns[$view]} FROM $1.$view FORMAT TabSeparated")
	done
	curl "${asks[@]:1}"
	for view in build step file access; do
		echo "$view: $(wc -l < "$view.rows") rows, $(sort "$view.rows" | md5sum)"
	done
}

# pushed STATUS DATABASE [ARGUMENT]...: push through the proxy; print the messages if it ends with
# another status.
pushed()
{
	local want=$1 db=$2 status

	shift 2
	(
		echo "$BASHPID" > pid
		exec env -u ETRACE_FLEET_USER -u ETRACE_FLEET_PASSWORD "$ETRACE" push --database "$db" \
			--init "${begin[@]}" "$@" "$PROXY_URL" "${traces[@]}" > messages 2>&1
	) 2> /dev/null
	status=$?
	[ "$status" = "$want" ] || { echo "exit status $status, expected $want"; cat messages; }
}

# after NAME STATUS MODE...: one result for a push that the proxy disturbs, and for one more push
# if it failed.
ncases=0
after()
{
	local name=$1 want=$2 db="${FLEET_DB}_$((++ncases))" wrong=

	shift 2
	proxy "$@"
	wrong=$(pushed "$want" "$db" "${options[@]}"; partial "$db")
	if [ "$want" != 0 ]; then
		proxy pass
		wrong+=$(pushed 0 "$db")
	fi
	state "$db" > got
	wrong+=$(diff "$whole.state" got)
	ask "DROP DATABASE $db"
	[ -z "$wrong" ] || printf '%s: %s\n' "$*" "$wrong"
	[ -z "$wrong" ]
	result $? "$name"
}

# all NAME STATUS COMMAND...: one result for all modes that the command prints, one a line.
all()
{
	local name=$1 want=$2 mode failed=0 n=0 line

	shift 2
	while read -r mode; do
		n=$((n + 1))
		# shellcheck disable=SC2086
		line=$(after "$mode" "$want" $mode)
		[[ $line == 'ok: '* ]] || { failed=1; printf '%s\n' "$line" | head -n 9 | sed 's/^/  /'; }
		ncases=$((ncases + 1))
	done < <("$@")
	[ "$n" -gt 0 ] || failed=1
	result "$failed" "$name ($n times)"
}

options=()
whole=${FLEET_DB}_whole
proxy_start between
prints "an undisturbed push succeeds" "" pushed 0 "$whole"
declare -A columns
for view in build step file access; do
	columns[$view]=$(columns $view)
done
state "$whole" > "$whole.state"
check "an undisturbed push stores rows" grep -qE '^access: [0-9]{4} rows' "$whole.state"
prints "an undisturbed push stores three builds" 3 ask "SELECT count() FROM $whole.build"
prints "an undisturbed push stores complete builds" "" partial "$whole"
ask "CREATE DATABASE ${FLEET_DB}_torn" > made
for view in build step file access; do
	ask "CREATE TABLE ${FLEET_DB}_torn.$view ENGINE = Memory AS SELECT * FROM $whole.$view" >> made
done
ask "INSERT INTO ${FLEET_DB}_torn.file SELECT * FROM $whole.file LIMIT 1" >> made
check "the check for complete builds detects missing rows" \
	grep -q '^files.*[0-9]' <(partial "${FLEET_DB}_torn")

# The requests that it sends, and their sizes.
requests=$(grep -c . between.log)
inserts=$(python3 -c '
import json
for line in open("between.log"):
    r = json.loads(line)
    if "INSERT" in r["url"]: print(r["n"])')
bytes=$(python3 -c '
import json
print(sum(json.loads(line)["size"] for line in open("between.log")))')
check "a push sends rows in four requests" test "$(wc -w <<< "$inserts")" = 4

prints "a push of the same builds succeeds" "" pushed 0 "$whole"
check "the second push reports all builds as stored" test "$(grep -c 'already stored' messages)" = 3
state "$whole" > got
same "a push of the same builds changes nothing" "$whole.state" got

packings="none gzip"
[ "${FLEET_VERSION%%.*}" -lt 20 ] || packings+=" zstd"
for packing in $packings; do
	prints "a push with --compress $packing succeeds" \
		"" pushed 0 "${FLEET_DB}_$packing" --compress "$packing"
	state "${FLEET_DB}_$packing" > got
	same "a push with --compress $packing stores the same rows" "$whole.state" got
done

# ---- killed ----

requests() { seq "$@" "$requests"; }
at() { for ((i = 1; i <= $1; i++)); do echo "$2 $((bytes * i / ($1 + 1))) ${3:-}"; done; }
step=8
[ "${LONG:-}" != y ] || step=1
kill_after() { requests 1 $step | sed 's/.*/kill-after & pid/'; for i in $inserts; do echo "kill-after $i pid"; done | tail -n 3; }
all "killed after a request, then pushed again" 137 kill_after
all "killed while sending rows, then pushed again" 137 at $((24 / step)) kill-at pid

# ---- lost and found ----

lose() { for i in 1 $inserts; do echo "lose $i"; done; }
all "the answer to an executed request is lost" 0 lose
half() { for i in 1 2; do echo "half $i"; done; }
all "only half of an answer arrives" 0 half
all "the connection is cut while sending rows" 0 at $((24 / step)) cut
busy() { for i in 1 $inserts; do echo "status 503 $i 2"; done; }
all "the server answers 503 twice" 0 busy
insert=${inserts%%[!0-9]*}

options=(--retries 1 --timeout 1)
after "the server never answers: the push fails, and a later one succeeds" 2 stall "$insert"
proxy stall 1
pushed 2 "${FLEET_DB}_stall" --retries 0 --timeout 1
check "a push reports that the server does not answer" \
	test "$(grep -c 'timed out\|too slow\|not pushed' messages)" -ge 1
check "a push waits as long as --timeout says" grep -q 'the last 1 seconds' messages
after "the server always answers 503: the push fails, and a later one succeeds" \
	2 status 503 "$insert" 100
after "every insert is cut: the push fails, and a later one succeeds" 2 cut-each 5000

options=(--retries 0)
after "an answer is lost with --retries 0: a later push succeeds" 2 lose "${inserts##*[!0-9]}"
# data still moves, so there is no time-out
options=(--timeout 8)
start=${EPOCHREALTIME/./}
after "a push through a slow network has no time-out" 0 slow $((bytes / 10))
check "the slow push took longer than the time-out" \
	test $((${EPOCHREALTIME/./} - start)) -gt 9000000

# ---- two pushes at the same time ----

proxy pass
both=${FLEET_DB}_both
push --database "$both" --init "$FLEET_URL" > /dev/null
for i in 1 2 3 4; do
	push --database "$both" "${begin[@]}" "$FLEET_URL" "${traces[@]}" > "both.$i" 2>&1 &
	pids[i]=$!
done
status=0
for i in 1 2 3 4; do
	wait "${pids[i]}" || status=$?
done
prints "four pushes of the same builds at once succeed" 0 echo $status
state "$both" > got
same "four pushes at once store each build once" "$whole.state" got

# ---- leftovers ----

proxy_stop
left=${FLEET_DB}_left
prints "a push fails if nothing listens at the URL" "" pushed 2 "$left" --retries 0
check "a failed push reports the URL and the reason" grep -q "$PROXY_URL.*[Cc]onnect" messages
PROXY_URL=$FLEET_URL
prints "a push succeeds once the server listens" "" pushed 0 "$left"
state "$left" > got
same "a push after a failed one stores all builds" "$whole.state" got

zstd -dcq make.fxt.zst | head -c 150000 > damaged.fxt
traces=(damaged.fxt flows.fxt.zst)
prints "a push of a damaged trace exits with 1" "" pushed 1 "${FLEET_DB}_damaged"
prints "only the damaged build is stored as incomplete" "0 1
1 0" ask "SELECT concat(toString(complete), ' ', toString(length(missing) > 0))
	FROM ${FLEET_DB}_damaged.build ORDER BY complete"
traces=(nothing.fxt flows.fxt.zst)
prints "a push with a missing file exits with 2" "" pushed 2 "${FLEET_DB}_nothing"
check "a push reports the missing file" grep -q 'nothing.fxt: No such file' messages
check "a push with a missing file stores the others" grep -q 'flows.fxt.zst: stored as' messages
