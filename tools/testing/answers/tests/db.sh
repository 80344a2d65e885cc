#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace db: what is left if it is killed, runs out of space or reads a damaged trace, and how it
# treats files that are not its databases.

. "${0%/*}/../lib.sh"
trace=$FIXTURES/make/module.fxt.zst
object=/build/make/out/large.o

etrace db -o whole.db "$trace"
etrace deps whole.db $object > whole.inputs
check "a database has inputs of an object" test -s whole.inputs
check "a finished database leaves no other files" test "$(echo whole.db*)" = whole.db

query() { sqlite3 "$1" "$2" 2> /dev/null; }

# Lists are parsed once, not again for each row of another.
check "edges are looked up with an index" \
	grep -q 'SEARCH r USING AUTOMATIC .*INDEX (exec=' <(query whole.db \
	"EXPLAIN QUERY PLAN SELECT input FROM edge WHERE output = 7")

# Enough builds that rows are committed before the end; the reader waits for more.
zstd -dcq "$trace" > whole.fxt
etrace-read --to etrace -o lines whole.fxt
"$ANSWERS/../bench/db/replicate.py" 120 < lines > long
mkfifo rest
etrace db --from etrace -o killed.db - < rest 2> /dev/null &
pid=$!
exec 9> rest
cat long >&9
for _ in $(seq 600); do
	[ "$(stat -c %s killed.db-part)" -lt 2000000 ] || break
	sleep 0.1
done
kill -9 $pid
wait $pid 2> /dev/null
exec 9>&-
check "an unfinished database and its journal have mode 600" \
	test "$(stat -c %a killed.db-part* | sort -u)" = 600
etrace deps killed.db-part /b0002/make/out/large.o > inputs 2> message
check "a killed writer's database: a query has status 1" test $? = 1
check "a killed writer's database: a query warns that answers may be missing" \
	grep -q "may be missing" message
sed 's|^/build/|/b0002/|' whole.inputs > expected
same "a killed writer's database: the stored inputs are right" inputs expected
check "a killed writer's database is sound" \
	test "$(query killed.db-part 'PRAGMA integrity_check')" = ok
check "a killed writer's database has more than 10000 rows" \
	test "$(query killed.db-part 'SELECT count(*) FROM access')" -gt 10000
ends 0 "a killed writer's database can be replaced" etrace db -o killed.db "$trace"
check "a killed writer's journal is removed" test "$(echo killed.db*)" = killed.db

# Killed at any point: while it writes rows, indexes or compilations.  The point is not known, but
# longer and longer delays reach all of them, and the checks hold at any.
unsound=
for i in $(seq 12); do
	rm -f at.db*
	etrace db --from etrace -o at.db long 2> /dev/null &
	pid=$!
	sleep "$(awk -v i="$i" 'BEGIN { print i * i * 0.02 }')"
	kill -9 $pid 2> /dev/null
	wait $pid 2> /dev/null
	# an incomplete database has another name
	[ -e at.db ] || mv at.db-part at.db 2> /dev/null
	[ ! -e at.db-part-journal ] || mv at.db-part-journal at.db-journal
	[ ! -s at.db ] || [ "$(query at.db 'PRAGMA integrity_check')" = ok ] || unsound+=" $i"
	etrace deps at.db /b0002/make/out/large.o > inputs 2> /dev/null
	case $? in
	0|1|2) ;;
	*) unsound+=" $i" ;;
	esac
	# a database that claims to be complete is
	[ "$(query at.db "SELECT value FROM meta WHERE key = 'complete'")" != 1 ] ||
		cmp -s inputs expected || unsound+=" $i"
done
check "a database is sound wherever its writer was killed${unsound:+:$unsound}" test -z "$unsound"

# Damaged traces: what can be read is stored, the status is 1, and "complete" is 0.
size=$(stat -c %s whole.fxt)
bad=
for i in $(seq 8); do
	cp whole.fxt damaged.fxt
	printf '\377\377\377\377\377\377\377\377' | dd of=damaged.fxt bs=1 \
		seek=$((size * i / 9)) conv=notrunc status=none
	etrace db -o damaged.db damaged.fxt 2> /dev/null
	status=$?
	[ $status = 1 ] || [ $status = 0 ] || bad+=" $i"
	[ "$(query damaged.db 'PRAGMA integrity_check')" = ok ] || bad+=" $i"
	[ "$(query damaged.db "SELECT value FROM meta WHERE key = 'complete'")" = $((1 - status)) ] ||
		bad+=" $i"
done
check "damaged traces give sound databases${bad:+:$bad}" test -z "$bad"
grep -v '!CloseRead' lines | awk 'NR % 97' > torn
ends 1 "a trace with missing lines has exit status 1" etrace db --from etrace -o torn.db torn
check "a trace with missing lines: the database says what is missing" \
	test "$(query torn.db "SELECT count(*) FROM meta WHERE key = 'missing'
	AND length(value) > 0")" = 1

# No space, no directory, no trace.
ends 2 "a full disk is an error" \
	bash -c 'ulimit -f 64; trap "" XFSZ; exec etrace db -o full.db whole.fxt'
ends 2 "a missing output directory is an error" etrace db -o no/such.db whole.fxt
ends 2 "a missing trace is an error" etrace db -o none.db no-such-trace
check "deps works without a usable TMPDIR" bash -c \
	'TMPDIR=/no/such etrace deps whole.fxt '$object' | cmp - whole.inputs'

# Files that are not databases, or incomplete ones.
head -c 3000 whole.db > cut.db
ends 2 "a truncated database is an error" etrace deps cut.db $object
cp whole.db torn.db
dd if=/dev/urandom of=torn.db bs=4096 seek=3 count=40 conv=notrunc status=none
etrace deps torn.db $object > /dev/null 2> message
check "a damaged database is reported" test $? = 2 -a -s message
echo text > text.db
ends 2 "a file that is not a database is refused as output" etrace db -o text.db "$trace"
check "a file that is not a database is left unchanged" grep -q text text.db
: > empty.db
ends 0 "an empty file is replaced" etrace db -o empty.db "$trace"

# Failed lookups: the same from events and from rows, at the same times.
for trace in "$FIXTURES"/make-probes/{module,bpf}.fxt.zst "$FIXTURES/configure/bpf.fxt.zst"; do
	etrace-read --to json "$trace" | python3 -c '
import errno, json, os, sys
for line in sys.stdin:
	e = json.loads(line)
	if e["event"] in ("open_failed", "exec_failed") or \
	   e["event"] in ("stat", "access", "readlink") and e.get("failed"):
		print(e["time_ns"], getattr(errno, e["error"]), os.path.normpath(e["path"]))
' | sort > expected
	etrace db -o misses.db "$trace"
	sqlite3 -separator ' ' misses.db "SELECT a.at + m.value, a.error, a.path FROM accesses AS a
		JOIN meta AS m ON m.key = 'begin' WHERE a.how = 'miss'" | sort > found
	check "${trace#"$FIXTURES"/}: more than 500 failed lookups are stored" test "$(wc -l < found)" -gt 500
	same "${trace#"$FIXTURES"/}: the failed lookups are those of the trace" found expected
	# attributed to its exec, before it wrote: rule 4 also holds for files not found
	sqlite3 misses.db "SELECT count(*) FROM misses AS m JOIN exec AS e ON e.id = m.exec
		WHERE m.at < e.at OR m.at > e.until" > outside
	check "${trace#"$FIXTURES"/}: each failed lookup happened while its program ran" grep -qx 0 outside
done

# Where and when it was recorded, if the recording has it: rows of meta.  That date is the date of
# the build, whatever its files say.
etrace db -o old.db "$FIXTURES/make/module.fxt.zst"
sqlite3 old.db "SELECT key FROM meta WHERE key IN ('host', 'kernel', 'realtime')" > found
check "a trace without host and kernel gives no such rows" test ! -s found
etrace-read --to etrace "$FIXTURES/make/module.fxt.zst" | awk '
	/!Session[|]/ { sub(/,complete=/, ",hostsize=5,kernelsize=5&"); $0 = $0 ",realtime=2000000000000000000" }
	{ print }
	/!VT[|]/ {
		split($0, at, /[,!]/)
		task = at[1] "," at[2] "," at[3] ","
		print task at[4] + 1 "!VH|box 1"
		print task at[4] + 2 "!VK|6.1.0"
	}' > where
ends 0 "host and kernel: the lines are converted to FXT" etrace-read -o where.fxt where
etrace-read --to etrace where.fxt > back
check "host and kernel: converting back gives the same lines" cmp where back
etrace db -o where.db where.fxt
sqlite3 where.db "SELECT CAST(value AS TEXT) FROM meta WHERE key IN ('host', 'kernel', 'realtime')
	ORDER BY key" > found
same "host and kernel are rows of the table meta" \
	found <(printf '%s\n' 'box 1' 6.1.0 2000000000000000000)
end=$(sqlite3 where.db "SELECT sum(value) / 1000000000 FROM meta
	WHERE key IN ('begin', 'end', 'realtime')")
check "attest uses the recorded date of the build" grep -qF \
	"\"created\":\"$(date -u -d "@$end" +%FT%TZ)\"" <(etrace attest where.db 2> /dev/null)
