#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace fleet on five builds, whose rows are in data/, with answers worked out by hand. Some rows
# must not count: rows of a build that was pushed twice at the same time, and of a batch that was
# sent again.  21-query-cluster.sh does the same on a cluster.

. "${0%/*}/../fleet.sh"
export TZ=UTC
DB=${FLEET_DB:-q_query}_hand
on=() everywhere=
[ -z "${FLEET_CLUSTER:-}" ] || on=(--cluster "$FLEET_CLUSTER") everywhere=" ON CLUSTER $FLEET_CLUSTER"

# fleet QUERY [OPTION]...: ask about all the builds.
fleet()
{
	"$ETRACE" fleet "$@" --url "$FLEET_URL" --database "$DB"
}
all=(--since 2026-11-01 --until 2026-11-30)

# json FILTER QUERY [OPTION]...: ask for JSON, and print what jq's FILTER makes of each row.
json() { fleet "${@:2}" --json | tee -a answers.json | jq -r "$1"; }

ends 2 "fleet without tables exits with 2" fleet builds
check "fleet without tables names push --init" grep -q 'etrace push --init' <(fleet builds 2>&1)

check "push --init creates the tables" \
	"$ETRACE" push --init "${on[@]}" --database "$DB" "$FLEET_URL"
prints "fleet builds of an empty database" "no builds" fleet builds "${all[@]}"
prints "fleet cache of an empty database" \
	"no command ran twice with the same inputs" fleet cache "${all[@]}"

# fill TABLE: insert its rows, with the column names of the first line.
fill()
{
	local columns

	columns=$(head -n 1 "$FLEET/data/$1.tsv" | tr '\t' ',')
	{
		echo "INSERT INTO $DB.$1_rows ($columns) FORMAT TabSeparated"
		tail -n +2 "$FLEET/data/$1.tsv"
	} | curl -sS --data-binary @- "$FLEET_URL/?insert_distributed_sync=1"
}
for table in step file access build; do
	prints "rows can be inserted into $table" "" fill "$table"
done

# whole: whether each replica has all rows of its shard, so that it does not matter which one is
# asked.
whole()
{
	local table url all

	for table in step file access build; do
		all=$(($(wc -l < "$FLEET/data/$table.tsv") - 1))
		for url in $FLEET_URLS; do
			ask "SELECT count() FROM $DB.${table}_local" "$url"
		done | xargs > here
		read -r a b c d < here
		[ "$a $c $((a + c))" = "$b $d $all" ] || return
	done
}
if [ -n "$everywhere" ]; then
	for _ in $(seq 1200); do
		whole && break
		sleep 0.1
	done
	check "each replica has all rows of its shard" whole
fi

# ---- builds ----

prints "builds as a table, with --limit" \
"begin                      took  status  steps  host   project  name        tags          missing      files
2026-11-24 13:00:00      30.0 s       -      1  gamma  lib      it's \\ odd                                 2
2026-11-24 10:00:00  1 min 30 s       0      5  beta   app      full        branch=topic  events lost      3
There are more rows than the limit of 2; --limit N prints more" fleet builds "${all[@]}" --limit 2
prints "builds between --since and --until" "2026-11-23T10:00:00Z
2026-11-21T10:00:00Z" json .begin builds --since 2026-11-20T10:00:01 --until 2026-11-24T10:00
prints "a day as --until is included" "gamma beta" \
	eval 'json .host builds --since 2026-11-24 --until 2026-11-24 | xargs'
prints "builds of a --project" gamma json .host builds "${all[@]}" --project lib
prints "builds of a --host" \
	"2 0" eval 'json .status builds "${all[@]}" --host beta | sort -r | xargs'
prints "builds with each of two --tag" "alpha alpha" \
	eval 'json .host builds "${all[@]}" --tag branch=main --tag ci=1 | xargs'
prints "builds as JSON" \
	'{"fleet":"build","begin":"2026-11-20T10:00:00Z","took_ns":100000000000,"status":0,"steps":6,"host":"alpha","project":"app","name":"full","tags":["branch=main","ci=1"],"complete":true,"missing":"","files":5,"accesses":4,"kernel":"6.1.0","backend":"bpf","command":"make","root":"/home/ci/app","build":"00000000-0000-4000-8000-0000000000a0"}' \
	json tojson builds --since 2026-11-20 --until 2026-11-20
prints "quotes in an option cannot change the query" "no builds" \
	fleet builds "${all[@]}" --project "x' OR 'a' = 'a"
prints "backslashes in an option cannot change the query" \
	"no builds" fleet builds "${all[@]}" --host "\\' OR 1 = 1 --"

# ---- steps ----

outputs='"\(.project) \(.output) \(.median_ns / 1e9) \(.worst_ns / 1e9) \(.before_ns) \(.times)"'
prints "slowest steps" "app ./data.bin 10 10 null 2
lib ./main.o 7 7 null 1
app ./test.log 3 3 null 1
app ./main.o 2 3 null 3
app ./app 0.4 0.5 null 3" json "$outputs" slowest "${all[@]}"
# The three days before: one build whose steps did not fail.
prints "slower steps" "app ./main.o 3000000000 1000000000 2000000000 200 2 1" \
	json '"\(.project) \(.output) \(.median_ns) \(.before_ns) \(.change_ns) \(.change_percent) \(.times) \(.before_times)"' \
	slower --since 2026-11-23 --until 2026-11-25
prints "slower steps as a table" \
"median   worst  before   change     %  times  project  output
3.00 s  3.00 s  1.00 s  +2.00 s  +200      2  app      ./main.o" \
	fleet slower --since 2026-11-23 --until 2026-11-25

prints "repeated steps (cache)" "app cc main.o ./main.o 3000000000 5000000000 2 2 2
app ld app ./app 800000000 1300000000 3 3 2
8 17300000000 3 3800000000
network 2 20000000000
it failed 3 7200000000" json \
'if .fleet == "repeated" then "\(.project) \(.label) \(.output) \(.saved_ns) \(.took_ns) \(.times) \(.builds) \(.hosts)"
elif .fleet == "total" then "\(.steps) \(.took_ns) \(.again) \(.saved_ns)"
else "\(.reason) \(.steps) \(.took_ns)" end' cache "${all[@]}"
prints "flaky steps" '2 3 3 2 ["0","1","137"] 2026-11-24T10:00:00Z app run-tests ./test.log' json \
	'"\(.failed) \(.times) \(.builds) \(.hosts) \(.statuses) \(.last) \(.project) \(.label) \(.output)"' \
	flaky "${all[@]}"

# ---- files ----

prints "files that cause rebuilds" "lib ./src/main.c 7000000000 1 1
app ./src/main.c 2400000000 2 4
app ./src/100%_a.h 1000000000 2 1" json \
	'"\(.project) \(.path) \(.rebuild_ns) \(.rebuilds) \(.builds)"' rebuilds "${all[@]}"

users='if .fleet == "user" then "\(.begin[0:10]) \(.project) \(.path) \(.size_bytes) \(.mtime_ns) \(.sha256[0:4]) \(.steps)"
else "\(.builds) \(.project) \(.label) \(.output)" end'
users_of_main="2026-11-24 lib ./src/main.c null null abab 1
2026-11-24 app ./src/main.c 1234 1795000000000000000  1
2026-11-23 app ./src/main.c 1234 1795000000000000000  1
2026-11-21 app ./src/main.c 1234 1795000000000000000  1
2026-11-20 app ./src/main.c 1234 1795000000000000000  1
4 app cc main.o ./main.o
1 lib cc main.o ./main.o"
prints "users of a file" "$users_of_main" json "$users" users src/main.c "${all[@]}"
prints "users of files that match a pattern" \
	"$users_of_main" json "$users" users '*/ma?n.c' "${all[@]}"
prints "users with --limit: only steps of the listed builds" \
	"2026-11-24 lib ./src/main.c null null abab 1
1 lib cc main.o ./main.o" json "$users" users ./src/main.c "${all[@]}" --limit 1
prints "users: only * and ? are wildcards" "2026-11-23 app ./src/100%_a.h 10 1795000000000000000  1
1 app cc main.o ./main.o" json "$users" users 'src/100%_*' "${all[@]}"
prints "users of a file with a newline and a quote in its name" "2026-11-23 app ./src/it's
\\odd.h 30 1795000000000000000  0" json "$users" users "./src/it's
\\odd.h" "${all[@]}"
prints "users of a program" "2026-11-23 app /usr/bin/ld 40 1795000000000000000  1
1 app ld app ./app" json "$users" users /usr/bin/ld "${all[@]}"
prints "users of a file do not include the step that wrote it" \
	"2026-11-23 app ./main.o 5000 1795000001000000000  1
1 app ld app ./app" json "$users" users main.o "${all[@]}" --since 2026-11-23 --until 2026-11-23
prints "users: a process without output" "2026-11-23 app ./src/100xya.h 20 1795000000000000000  0
1 app make " json "$users" users src/100xya.h "${all[@]}"
prints "users of a file that no build used" "no build used it" fleet users src/none.c "${all[@]}"

package='if .fleet == "version" then "\(.package) \(.version) \(.builds) \(.hosts) \(.first[0:10]) \(.last[0:10])"
else "\(.begin[0:10]) \(.package) \(.version) \(.files) \(.host)" end'
prints "builds that used a package" "libc6-dev 2.36-9 1 1 2026-11-24 2026-11-24
libc6-dev:amd64 2.37-1 1 1 2026-11-24 2026-11-24
libc6-dev:amd64 2.36-9 3 2 2026-11-20 2026-11-23
2026-11-24 libc6-dev 2.36-9 1 gamma
2026-11-24 libc6-dev:amd64 2.37-1 1 beta
2026-11-23 libc6-dev:amd64 2.36-9 1 alpha
2026-11-21 libc6-dev:amd64 2.36-9 1 beta
2026-11-20 libc6-dev:amd64 2.36-9 1 alpha" json "$package" package libc6-dev "${all[@]}"
prints "builds that used a version of a package" "libc6-dev:amd64 2.37-1 1 1 2026-11-24 2026-11-24
2026-11-24 libc6-dev:amd64 2.37-1 1 beta" json "$package" package libc6-dev:amd64=2.37-1 "${all[@]}"
prints "a package that no build used" "no build used it" fleet package libc6 "${all[@]}"

prints "hosts with their builds and times" "alpha 2 0 110000000000 110000000000 2026-11-23T10:00:00Z
beta 2 1 90000000000 90000000000 2026-11-24T10:00:00Z
gamma 1 0 30000000000 30000000000 2026-11-24T13:00:00Z" json \
	'"\(.host) \(.builds) \(.failed) \(.median_ns) \(.worst_ns) \(.last)"' hosts "${all[@]}"

# ---- ways to ask ----

check "all JSON matches fleet.schema.json" \
	"$FLEET/../unit/json_schema.py" "$FLEET/../../../Documentation/fleet.schema.json" answers.json

# What --sql prints gives the same answer.
for query in builds slowest slower cache rebuilds "users src/main.c" "package libc6-dev" flaky hosts; do
	read -ra words <<< "$query"
	fleet "${words[@]}" "${all[@]}" --sql > asked.sql
	: > by-hand
	while IFS= read -r -d ';' sql; do
		[ -z "${sql//[[:space:]]/}" ] || ask "$sql FORMAT TabSeparated" >> by-hand
	done < asked.sql
	fleet "${words[@]}" "${all[@]}" --json > answer
	same "--sql: $query: the statement gives as many rows as fleet" \
		<(wc -l < answer) <(wc -l < by-hand)
	check "--sql: $query: the statement runs without errors" \
		bash -c '[ -s asked.sql ] && ! grep Exception by-hand'
done

prints "the URL is taken from ETRACE_FLEET_URL" "no builds" \
	env ETRACE_FLEET_URL="$FLEET_URL" "$ETRACE" fleet builds --database "$DB" --until 2026-11-02
prints "the view of steps can be queried" 3 \
	ask "SELECT count() FROM $DB.step WHERE output = './main.o' AND project = 'app' AND status = 0"
prints "the view of builds has each build once" \
	"5 5" ask "SELECT concat(toString(count()), ' ', toString(uniqExact(build))) FROM $DB.build"
prints "the views of files and accesses have each row once" \
	"18 16" ask "SELECT concat(toString(count()), ' ',
	toString((SELECT count() FROM $DB.access))) FROM $DB.file"
# The examples of etrace-fleet(5), with this database.
sed -n '/^SELECT/,/;$/p' "$FLEET/../../../Documentation/etrace-fleet.5" |
	sed "s/\\\\-/-/g; s/etrace\\./$DB./; s/today()/toDate('2026-11-25')/" > page.sql
examples=0
while IFS= read -r -d ';' sql; do
	[ -n "${sql//[[:space:]]/}" ] || continue
	examples=$((examples + 1))
	ask "$sql" > answer
	check "etrace-fleet(5): example $examples runs without errors" \
		bash -c '[ -s answer ] && ! grep Exception answer'
done < page.sql
prints "etrace-fleet(5) has four examples" 4 echo "$examples"
while read -r example; do
	check "etrace-fleet(1): fleet --help lists $example" \
		grep -q "^  $example " <("$ETRACE" fleet --help)
done < <(sed -n 's/^etrace fleet \([a-z]*\) .*/\1/p' "$FLEET/../../../Documentation/etrace-fleet.1" | sort -u)

ends 2 "an unknown query exits with 2" fleet nothing
ends 2 "users without a file exits with 2" fleet users
ends 2 "an extra argument exits with 2" fleet builds now
ends 2 "an unknown time exits with 2" fleet builds --since someday
ends 2 "--until before --since exits with 2" fleet builds --since today --until yesterday
ends 2 "an invalid database name exits with 2" \
	"$ETRACE" fleet builds --url "$FLEET_URL" --database 'x; DROP DATABASE y'
ends 2 "no URL exits with 2" env -u ETRACE_FLEET_URL "$ETRACE" fleet builds
ends 2 "a server that does not run exits with 2" \
	"$ETRACE" fleet builds --url http://127.0.0.1:1 --retries 0

ask "DROP DATABASE $DB$everywhere" > dropped
