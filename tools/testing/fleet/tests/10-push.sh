#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The rows that etrace push writes, and its messages.

. "${0%/*}/../fleet.sh"

db=$FLEET_DB
unset ETRACE_FLEET_URL ETRACE_FLEET_USER ETRACE_FLEET_PASSWORD

# p ARGUMENT...: push into the test's database.
p() { "$ETRACE" push --database "$db" "$@"; }

# row SQL: print the answer, with blanks between columns
row() { ask "$1" | tr '\t' ' '; }

# fixture NAME: make the database NAME.db
fixture() { "$ETRACE" db -o "$1.db" "$FIXTURES/$1/bpf.fxt.zst" > /dev/null 2>&1; }

for name in make flows ccache-cold jobs-1 jobs-4 cmake; do
	fixture "$name"
done

# ---- tables ----

ends 2 "push without tables exits with 2" p "$FLEET_URL" make.db
prints "push without tables names --init" \
	"etrace push: $FLEET_URL/: there are no tables in database $db: run etrace push --init" \
	p "$FLEET_URL" make.db
prints "--init creates the tables" \
	"$FLEET_URL/: database $db: tables of version 1 made" p --init "$FLEET_URL"
prints "--init again reports that the tables exist" \
	"$FLEET_URL/: database $db: the tables are there, version 1" p --init "$FLEET_URL"
ask "INSERT INTO $db.schema_rows SELECT toUInt32(2), now(), '9'"
ends 2 "push to tables of a later version exits with 2" p "$FLEET_URL" make.db
ends 2 "--init on tables of a later version exits with 2" p --init "$FLEET_URL"
ask "DROP DATABASE $db"
# an --init that was interrupted is completed
ask "CREATE DATABASE $db"
ask "CREATE TABLE $db.schema_rows (version UInt32, made DateTime, etrace String)
	ENGINE = MergeTree() ORDER BY version"
prints "--init completes an interrupted --init" \
	"$FLEET_URL/: database $db: tables of version 1 made" \
	p --init "$FLEET_URL"

# ---- builds, each once ----

id=$(p --json "$FLEET_URL" make.db |
	python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["build"], r["name"], r["before"])')
check "--json prints the id, the name and that the build is new" \
	grep -Eqx '[0-9a-f-]{36} make.db False' <<< "$id"
id=${id%% *}
prints "a build that is stored is not stored again" \
	"make.db: already stored as $id" p "$FLEET_URL" make.db
prints "the trace of a stored database is not stored again" \
	"$FIXTURES/make/bpf.fxt.zst: already stored as $id" \
	p "$FLEET_URL" "$FIXTURES/make/bpf.fxt.zst"
prints "the same build twice in one push is stored once" "cmake.db: stored as X
cmake.db: already stored as X" eval 'p "$FLEET_URL" cmake.db cmake.db | sed "s/ as .*/ as X/"'
ends 0 "several builds are pushed to the URL in ETRACE_FLEET_URL" \
	env ETRACE_FLEET_URL="$FLEET_URL" "$ETRACE" push -q --database "$db" flows.db ccache-cold.db
prints "each build is stored once" "4 4" row "SELECT count(), uniq(build) FROM $db.build"
prints "no step is stored twice" 0 ask "SELECT count() FROM (
	SELECT build, id FROM $db.step GROUP BY build, id HAVING count() > 1)"

# ---- rows, computed in another way ----

# dump COLUMNS TABLE NAME ORDER: print these columns of the build NAME.db
dump() { ask "SELECT $1 FROM $db.$2 WHERE build IN (SELECT build FROM $db.build WHERE name = '$3.db') ORDER BY $4"; }

for name in make flows ccache-cold cmake; do
	"$FLEET/rows.py" access $name.db > want
	dump 'step, file, toUInt8(how), toUInt8(class), bytes, at' access $name 'step, file, how' > is
	check "$name: there are over 100 accesses to compare" test "$(wc -l < want)" -gt 100
	same "$name: the stored accesses match the database" want is
	"$FLEET/rows.py" step $name.db > want
	dump 'id, parent, at, program, cwd' step $name id > is
	same "$name: the stored steps match the database" want is
	"$FLEET/rows.py" file $name.db > want
	dump "id, path, indexOf(['data', 'pipe', 'program', 'loader', 'config', 'probe', 'dir'], class) - 1,
		existed, kept" file $name id > is
	same "$name: the stored files match the database" want is
	prints "$name: the counts in the build's row match" "1 1 1" row "SELECT
		steps = (SELECT count() FROM $db.step WHERE build IN (SELECT build FROM $db.build WHERE name = '$name.db')),
		files = (SELECT count() FROM $db.file WHERE build IN (SELECT build FROM $db.build WHERE name = '$name.db')),
		accesses = (SELECT count() FROM $db.access WHERE build IN (SELECT build FROM $db.build WHERE name = '$name.db'))
		FROM $db.build WHERE name = '$name.db'"
done
prints "the build's row has its project, command, times and status" \
	"make	/build/make	make -C src -j2	bpf	13836048984	3076	0	1" ask "SELECT
	project, root, command, backend, took, events, status, complete FROM $db.build
	WHERE name = 'make.db'"

# ---- options that describe a build ----

ends 0 "push accepts --host, --project, --tag, --begin and --tree" \
	p -q --host h1 --project 'a "b" \ c' --tag branch=main \
	--tag 'note=a b=c' --begin 2026-01-02T03:04:05Z --tree /build "$FLEET_URL" jobs-1.db
prints "these options are stored in the build's row" \
	"2026-01-02|2026-01-02 03:04:05|h1|a \"b\" \\ c|['branch=main','note=a b=c']|/build" \
	ask "SELECT concat(toString(day), '|', toString(toDateTime(begin, 'UTC')), '|', host, '|', project,
	'|', toString(tags), '|', root) FROM $db.build WHERE name = 'jobs-1.db' FORMAT TabSeparatedRaw"
prints "date, host and project are stored in each step" \
	"1 1" row "SELECT uniq(day, host, project), min(host = 'h1') FROM $db.step
	WHERE build IN (SELECT build FROM $db.build WHERE name = 'jobs-1.db')"
prints "paths below --tree are relative to it" 1 ask "SELECT min(cwd = './jobs') FROM $db.step
	WHERE parent = 0 AND build IN (SELECT build FROM $db.build WHERE name = 'jobs-1.db')"
for bad in "--tag x" "--tag =x" "--begin never" "--compress lzma" "--timeout 0" "--retries x" \
	"--cluster c" "--init --database a-b" "--no-such"; do
	# shellcheck disable=SC2086
	ends 2 "push refuses $bad" p $bad "$FLEET_URL" jobs-4.db
done
ends 2 "push without a URL exits with 2" p jobs-4.db
ends 2 "push without builds exits with 2" p "$FLEET_URL"
prints "refused pushes store nothing" 0 ask "SELECT count() FROM $db.build WHERE name = 'jobs-4.db'"

# ---- faulty builds ----

cp jobs-4.db undated.db
sqlite3 undated.db "UPDATE version SET mtime = NULL; DELETE FROM meta WHERE key = 'realtime';
	UPDATE meta SET value = 4 WHERE key = 'begin'"
prints "push asks for --begin if the trace has no date" \
	"etrace push: undated.db: its trace does not say when the build began; give --begin
etrace push: 0 of 1 builds are stored; push them all again: none is stored twice" \
	p "$FLEET_URL" undated.db
ends 0 "push --begin accepts a trace without a date" p -q --begin yesterday "$FLEET_URL" undated.db
cp jobs-4.db part.db
sqlite3 part.db "UPDATE meta SET value = 0 WHERE key = 'complete'; UPDATE meta SET value = 5 WHERE key = 'begin'"
ends 1 "push of an incomplete trace exits with 1" p -q "$FLEET_URL" part.db
prints "an incomplete build is stored as incomplete" \
	0 ask "SELECT complete FROM $db.build WHERE name = 'part.db'"
head -c 5000 jobs-4.db > cut.db
echo nothing > none.fxt
ends 2 "push with damaged files exits with 2" p -q "$FLEET_URL" cut.db none.fxt jobs-4.db
prints "push with damaged files stores the good ones" \
	1 ask "SELECT count() FROM $db.build WHERE name = 'jobs-4.db'"
cp make.db odd.db
sqlite3 odd.db "UPDATE meta SET value = 6 WHERE key = 'begin'; UPDATE file SET path =
	CAST(path || x'270a09005c220d80ff3b2d2d' AS BLOB) WHERE path = CAST('/build/make/src/add.c' AS BLOB)"
ends 0 "push accepts a file name of arbitrary bytes" p -q "$FLEET_URL" odd.db
prints "a file name of arbitrary bytes is stored unchanged" \
	2E2F7372632F6164642E63270A09005C220D80FF3B2D2D \
	ask "SELECT hex(path) FROM $db.file WHERE path LIKE './src/add.c%'
	AND build IN (SELECT build FROM $db.build WHERE name = 'odd.db')"

ends 0 "push accepts --from and --bits-of-real-pid" \
	p -q --from fxt --bits-of-real-pid 22 "$FLEET_URL" "$FIXTURES/jobs-16/bpf.fxt.zst"
ends 2 "push with the wrong --from exits with 2" \
	p -q --from swap "$FLEET_URL" "$FIXTURES/jobs-flag/bpf.fxt.zst"

# ---- the machine of the build ----

# Its files: an unchanged source, a changed one, a program, a package.
cp make.db machine.db
sqlite3 machine.db "UPDATE meta SET value = 9 WHERE key = 'begin'"
is() { sqlite3 machine.db "SELECT v.$2 FROM version AS v JOIN file AS f ON f.id = v.file WHERE v.made = 0
	AND v.size IS NOT NULL AND CAST(f.path AS TEXT) = '/build/make/src/$1'"; }
mkdir -p root/build/make/src root/usr/bin root/var/lib/dpkg/info
for file in add.c mul.c; do
	head -c "$(is $file size)" /dev/zero | tr '\0' x > root/build/make/src/$file
	touch -d "@$(is $file mtime | sed 's/.........$/.&/')" root/build/make/src/$file
done
echo >> root/build/make/src/mul.c
echo tool > root/usr/bin/dash
printf 'Package: dash\nStatus: install ok installed\nVersion: 1.2-3\nArchitecture: amd64\n\n' > root/var/lib/dpkg/status
echo /usr/bin/dash > root/var/lib/dpkg/info/dash.list
# a file without a recorded size and time is only trusted if it is older than the build
ends 0 "push --hash --root reads the files of the machine" \
	p -q --hash --root root --begin 2030-01-01 "$FLEET_URL" machine.db
ends 0 "push --hash accepts files newer than the build" eval 'cp machine.db before.db;
	sqlite3 before.db "UPDATE meta SET value = 10 WHERE key = '\''begin'\''"
	p -q --hash --root root --begin 2026-01-01 "$FLEET_URL" before.db'
# file NAME PATH COLUMNS: print these columns of a file
file() { row "SELECT $3 FROM $db.file WHERE path = '$2' AND build IN (SELECT build FROM $db.build WHERE name = '$1.db')"; }
sha() { sha256sum "$1" | cut -d' ' -f1; }
prints "an unchanged file is hashed" \
	"$(sha root/build/make/src/add.c)" file machine ./src/add.c sha256
prints "a changed file is not hashed" "" file machine ./src/mul.c sha256
prints "a file that is gone is not hashed" "" file machine ./src/args.c sha256
prints "a program has its current size, hash, package and version" \
	"5 $(sha root/usr/bin/dash) dash 1.2-3" file machine /usr/bin/dash \
	'size, sha256, package, version'
prints "a program newer than the build has no size and hash" \
	"\\N  dash" file before /usr/bin/dash 'size, sha256, package'
prints "the build's row says that files were hashed, and the package manager" \
	"1 dpkg" row "SELECT hashed, packages FROM $db.build WHERE name = 'machine.db'"
prints "without --hash, no file is hashed and no package looked up" \
	"0 " row "SELECT hashed, packages FROM $db.build WHERE name = 'make.db'"

# ---- equal steps ----

db=${FLEET_DB}_same
p -q --init "$FLEET_URL"
ends 0 "two builds of the same sources are pushed" \
	p -q --programs-by-name "$FLEET_URL" jobs-1.db jobs-4.db
prints "two builds of the same sources have equal step hashes" \
	"46 23 1" row "SELECT count(), uniq(command_hash, inputs_hash),
	min(inputs_hash != 0) FROM $db.step WHERE id = step"
prints "fleet cache lists the repeated steps once" 23 eval '"$ETRACE" fleet --url "$FLEET_URL" \
	--database $db --since 2020-01-01 --limit 100 cache --json | grep -c "\"times\":2"'

# Clones whose files have different times: equal by their contents.
db=${FLEET_DB}_clones
p -q --init "$FLEET_URL"
failing=([3]=y)
for clone in 1 2 3; do
	mkdir clone$clone
	printf 'int main(void) { return 0; }\n' > clone$clone/a.c
	printf 'int b;\n' > clone$clone/b.c
	printf 'prog: a.o b.o\n\tgcc -o prog a.o b.o\n\t-[ -z "$$FAILS" ] || exit 5\n%%.o: %%.c\n\tgcc -c $<\n' \
		> clone$clone/Makefile
	(cd clone$clone && FAILS=${failing[clone]:-} "$ETRACE" run -q --hash --hash-cache="$PWD/../hashes" --backend=strace \
		-o ../clone$clone.fxt -- make -s)
done
ends 0 "builds of three clones are pushed" p -q "$FLEET_URL" clone[123].fxt
prints "clones with equal contents have equal step hashes" \
	"9 3 1" row "SELECT count(), uniq(command_hash, inputs_hash),
	min(inputs_hash != 0) FROM $db.step WHERE id = step AND label LIKE 'gcc%'"
prints "fleet flaky finds a step that failed with the same inputs" "1 3 3" eval '"$ETRACE" fleet \
	--url "$FLEET_URL" --database $db --since 2020-01-01 flaky --json |
	python3 -c "import json, sys
for line in sys.stdin:
	row = json.loads(line)
	print(row[\"failed\"], row[\"times\"], row[\"builds\"])"'

# ---- on the wire ----

db=$FLEET_DB
cp make.db packed.db
for how in none gzip; do
	sqlite3 packed.db "UPDATE meta SET value = value + 1 WHERE key = 'begin'"
	ends 0 "push --compress $how succeeds" p -q --compress $how "$FLEET_URL" packed.db
done
prints "builds pushed with different compression are stored" \
	"2 1" row "SELECT count(), uniq(accesses) FROM $db.build WHERE name = 'packed.db'"

# ---- rows that must not count ----

before=$(ask "SELECT count() FROM $db.step_rows")
for table in step file access; do
	ask "INSERT INTO $db.${table}_rows (part, day, build, pushed) SELECT toUInt64(number + 1),
		toDate('2026-01-01'), toUUID('00000000-0000-0000-0000-000000000001'),
		now() - if(number < 1500, 86500, 100) FROM system.numbers LIMIT 1503"
done
prints "rows without a build are not visible" 0 ask "SELECT count() FROM $db.step WHERE
	build = '00000000-0000-0000-0000-000000000001'"
prints "--sweep removes old rows without a build" \
	"$FLEET_URL/: database $db: 1500 rows of table step removed
$FLEET_URL/: database $db: 1500 rows of table file removed
$FLEET_URL/: database $db: 1500 rows of table access removed" p --sweep "$FLEET_URL"
for _ in $(seq 600); do
	[ "$(ask "SELECT count() FROM $db.access_rows WHERE build = '00000000-0000-0000-0000-000000000001'")" = 3 ] && break
	sleep 0.2
done
prints "--sweep keeps new rows and rows of builds" \
	"$((before + 3))" ask "SELECT count() FROM $db.step_rows"
