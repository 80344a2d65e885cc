#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run the stages in tools/testing/stages one after the other, each with its own log, and count
# their results.
#
#   check.sh [STAGE]...      all stages, or these (their names without number)
#   check.sh --list          list the stages, with descriptions
#
# A stage is an executable NN-name that prints TAP or KTAP to standard output (other output is
# ignored).  The next stage starts when it ends, or when it writes to descriptor 9 and closes it:
# then the rest of it shares the CPUs with the next stage (lane() in tap.sh).  So stages that use
# all CPUs come first, then those with guests, then those that keep one CPU busy: small pieces fill
# the end of the run.  A result is an "ok" or "not ok" line; if they are nested, the innermost one.
# A stage without results counts as one result: passed with exit status 0, skipped with 4, failed
# otherwise.
#
# A stage that takes longer than 3,600 s (36,000 with LONG=y; STAGE_LIMIT) fails; it is ended with
# all processes that it started.
#
# The run ends with a table of times, also in build/check/times: elapsed seconds, CPU seconds, and
# the budgets for both from tools/testing/budgets.  A stage over its budget is reported, but does
# not fail.
#
# All failures are listed again at the end, with their last messages, for readers who only see that
# part.  The last line is "N passed, N failed" or "N passed, N failed, N skipped".
# Exit status 0 only if something passed and nothing failed.

set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
export BUILD=${BUILD:-$PWD/build} LONG=${LONG:-}
logs=$BUILD/check
stages=tools/testing/stages
limit=${STAGE_LIMIT:-3600${LONG:+0}}

# count LOG STATUS: print "PASSED FAILED SKIPPED".
count() { awk -v status="$2" -f tools/testing/count.awk "$1"; }

names=()
for file in "$stages"/[0-9][0-9]-*; do
	name=${file##*/??-}
	case ${1:-} in
	--list) printf '%-12s %s\n' "$name" "$(sed -n 's/^# description: //p' "$file")" ;;
	'') names+=("$file") ;;
	*) [[ " $* " == *" $name "* ]] && names+=("$file") ;;
	esac
done
[ "${1:-}" = --list ] && exit 0
if [ $# -gt 0 ] && [ ${#names[@]} != $# ]; then
	echo "check.sh: no such stage among: $*; there are:" >&2
	"$0" --list >&2
	exit 2
fi

mkdir -p "$logs"
begun=$(date +%s)
times=$logs/times
printf '%-14s%8s%8s%16s\n' stage wall CPU 'budget (s)' > "$times"

# took NAME WALL CPU: add a row to the table of times.
took()
{
	local wall cpu over=

	read -r wall cpu < <(awk -v name="$1" '$1 == name { print $2, $3 }' tools/testing/budgets)
	[ -z "${wall:-}" ] || [ "$LONG" ] || { [ "$2" -le "$wall" ] && [ "$3" -le "$cpu" ]; } ||
		over='  over its budget'
	printf '%-14s%8d%8d%9s%7s%s\n' "$1" "$2" "$3" "${wall:--}" "${cpu:--}" "$over" >> "$times"
}

passed=0 failed=0 skipped=0 failures= total_cpu=0

# report NAME PID: wait for a stage and print its results.
report()
{
	local name=$1 log=$logs/$1.log status p f s real user sys cpu

	wait "$2"
	status=$?
	read -r p f s < <(count "$log" "$status")
	read -r real user sys < "$logs/$name.time"
	cpu=$((user + sys)) total_cpu=$((total_cpu + cpu))
	printf '%-14s%4d passed %3d failed %3d skipped %5d s\n' "$name" "$p" "$f" "$s" "$real"
	took "$name" "$real" "$cpu"
	grep -a -E '^(# *)*ok .*# SKIP' "$log" | sed 's/^/    /' | head -n 20
	if [ "$f" != 0 ]; then
		# Each failure with the output before it, and the end of the log.
		{
			grep -a -E -B 15 '^(# *)*not ok' "$log" | head -n 200
			echo ...
			tail -n 10 "$log"
		} | tr -d '\0' | cut -c1-200 | sed 's/^/    | /'
		echo "    all of it: $log"
		failures+=$({ grep -a -E -B 2 '^(# *)*(not ok|Bail out!)' "$log" || tail -n 3 "$log"; } |
			tr -d '\0' | grep -a -Ev '^(--$|[# ]*ok )' | cut -c1-150 | head -n 10 | sed "s/^/    $name: /")$'\n'
	elif [ "$status" = 4 ]; then
		tail -n 1 "$log" | sed 's/^/    skipped: /'
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

running=()
for file in "${names[@]}"; do
	name=${file##*/??-}
	rm -f "$logs/$name.ready"
	mkfifo "$logs/$name.ready"
	{
		TIMEFORMAT='%0R %0U %0S'
		time tools/testing/limited "$limit" "$file" \
			9> "$logs/$name.ready" > "$logs/$name.log" 2>&1 < /dev/null
		status=$?
		[ "$status" != 124 ] || echo "not ok 0 $name: took longer than $limit s" >> "$logs/$name.log"
		exit "$status"
	} 2> "$logs/$name.time" &
	last=$!
	running+=("$name $last")
	goes_on=$(cat "$logs/$name.ready")
	rm "$logs/$name.ready"
	# Report stages that have ended in the meantime; at the end, all.
	left=()
	for stage in "${running[@]}"; do
		read -r name pid <<< "$stage"
		if [ "$file" = "${names[-1]}" ] || ! kill -0 "$pid" 2> /dev/null ||
			{ [ "$pid" = "$last" ] && [ -z "$goes_on" ]; }; then
			report "$name" "$pid"
		else
			left+=("$stage")
		fi
	done
	running=("${left[@]}")
done

took all $(($(date +%s) - begun)) "$total_cpu"
echo
cat "$times"
[ "$failed" = 0 ] || printf 'Failed:\n%s' "$failures"
if [ "$skipped" != 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ "$passed" -gt 0 ] && [ "$failed" = 0 ]
