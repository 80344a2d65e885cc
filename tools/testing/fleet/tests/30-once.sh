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
			--init "${begin[@]}" "$@" "$PROXY_URL" "${traces[@]}" > said 2>&1
	) 2> /dev/null
	status=$?
	[ "$status" = "$want" ] || { echo "it ended with $status, not $want"; cat said; }
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
says "a push that nothing happens to" "" pushed 0 "$whole"
declare -A columns
for view in build step file access; do
	columns[$view]=$(columns $view)
done
state "$whole" > "$whole.state"
check "it has rows" grep -qE '^access: [0-9]{4} rows' "$whole.state"
says "of three builds" 3 ask "SELECT count() FROM $whole.build"
says "which are whole" "" partial "$whole"
ask "CREATE DATABASE ${FLEET_DB}_torn" > made
for view in build step file access; do
	ask "CREATE TABLE ${FLEET_DB}_torn.$view ENGINE = Memory AS SELECT * FROM $whole.$view" >> made
done
ask "INSERT INTO ${FLEET_DB}_torn.file SELECT * FROM $whole.file LIMIT 1" >> made
check "which is seen if they are not" grep -q '^files.*[0-9]' <(partial "${FLEET_DB}_torn")

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
check "it sends rows four times" test "$(wc -w <<< "$inserts")" = 4

says "the same again" "" pushed 0 "$whole"
check "says that they were there" test "$(grep -c 'already stored' said)" = 3
state "$whole" > got
same "and changes nothing" "$whole.state" got

packings="none gzip"
[ "${FLEET_VERSION%%.*}" -lt 20 ] || packings+=" zstd"
for packing in $packings; do
	says "rows are sent: $packing" "" pushed 0 "${FLEET_DB}_$packing" --compress "$packing"
	state "${FLEET_DB}_$packing" > got
	same "and are the same" "$whole.state" got
done

# ---- killed ----

requests() { seq "$@" "$requests"; }
at() { for ((i = 1; i <= $1; i++)); do echo "$2 $((bytes * i / ($1 + 1))) ${3:-}"; done; }
step=8
[ "${LONG:-}" != y ] || step=1
kill_after() { requests 1 $step | sed 's/.*/kill-after & pid/'; for i in $inserts; do echo "kill-after $i pid"; done | tail -n 3; }
all "killed when the server has done something, and pushed again" 137 kill_after
all "killed in the middle of rows, and pushed again" 137 at $((24 / step)) kill-at pid

# ---- lost and found ----

lose() { for i in 1 $inserts; do echo "lose $i"; done; }
all "done, but the answer is lost" 0 lose
half() { for i in 1 2; do echo "half $i"; done; }
all "half of an answer comes" 0 half
all "a connection is cut in the middle of rows" 0 at $((24 / step)) cut
busy() { for i in 1 $inserts; do echo "status 503 $i 2"; done; }
all "the server has no time" 0 busy
insert=${inserts%%[!0-9]*}

options=(--retries 1 --timeout 1)
after "a server that does not answer" 2 stall "$insert"
proxy stall 1
pushed 2 "${FLEET_DB}_stall" --retries 0 --timeout 1
check "it is told, once" test "$(grep -c 'timed out\|too slow\|not pushed' said)" -ge 1
check "and was waited for as long as was said" grep -q 'the last 1 seconds' said
after "a server that always refuses" 2 status 503 "$insert" 100
after "of which each insert is cut" 2 cut-each 5000

options=(--retries 0)
after "an answer that is lost, not tried again" 2 lose "${inserts##*[!0-9]}"
# data still moves, so there is no time-out
options=(--timeout 8)
start=${EPOCHREALTIME/./}
after "a slow network" 0 slow $((bytes / 10))
check "was slow" test $((${EPOCHREALTIME/./} - start)) -gt 9000000

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
says "four push the same at once" 0 echo $status
state "$both" > got
same "each build is there once" "$whole.state" got

# ---- leftovers ----

proxy_stop
left=${FLEET_DB}_left
says "nobody listens" "" pushed 2 "$left" --retries 0
check "it says where, and why" grep -q "$PROXY_URL.*[Cc]onnect" said
PROXY_URL=$FLEET_URL
says "somebody listens" "" pushed 0 "$left"
state "$left" > got
same "then all are there" "$whole.state" got

zstd -dcq make.fxt.zst | head -c 150000 > damaged.fxt
traces=(damaged.fxt flows.fxt.zst)
says "a damaged trace is pushed: 1" "" pushed 1 "${FLEET_DB}_damaged"
says "it is told what is missing, and not of the next one" "0 1
1 0" ask "SELECT concat(toString(complete), ' ', toString(length(missing) > 0))
	FROM ${FLEET_DB}_damaged.build ORDER BY complete"
traces=(nothing.fxt flows.fxt.zst)
says "a file is not there: 2" "" pushed 2 "${FLEET_DB}_nothing"
check "it is named" grep -q 'nothing.fxt: No such file' said
check "the next one is there" grep -q 'flows.fxt.zst: stored as' said
