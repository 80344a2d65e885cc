#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace why: known chains; and how all commands treat paths and traces.

. "${0%/*}/../lib.sh"
trace=$FIXTURES/ninja/module.fxt.zst
out=/build/ninja/out src=/build/ninja/src

programs()
{
	python3 -c '
import json, os, sys
for line in sys.stdin:
    print(*[os.path.basename(c["by"]["arguments"][0]) for c in json.loads(line)["chain"]])'
}

check "a database is written" etrace db -o build.db "$trace"
for from in "$trace" build.db; do
	etrace why --json "$from" $out/app $src/tools/words.txt | programs > chain
	echo 'ld ranlib ar as cc1 maketable' > expected
	same "${from##*/}: the chain from words.txt to app is right" chain expected
	etrace why "$from" $out/table.h > made
	check "${from##*/}: why names the command that wrote table.h" \
		grep -q "written by .*maketable .*words.txt" made
	check "${from##*/}: why names ninja as the caller" grep -q "called by  ninja " made
	etrace why "$from" $out/table.h $out/maketable > made
	check "${from##*/}: an input that is not data is shown with its class" \
		grep -q '/maketable (program)$' made
	check "${from##*/}: a data file is shown without a class" \
		grep -qx "  from  *$src/tools/words.txt" <(etrace why "$from" $out/table.h $src/tools/words.txt)
	ends 2 "${from##*/}: why has status 2 if the output does not depend on the input" \
		etrace why "$from" $src/tools/words.txt $out/app
	ends 2 "${from##*/}: an unknown path is an error" etrace deps "$from" $out/ap
	etrace deps "$from" $out/ap 2> message
	check "${from##*/}: an unknown path gets a suggestion" \
		grep -q "similar names: $out/app" message
done

# Validate each JSON answer against its schema.
{
	etrace deps --json --all "$trace"
	etrace rdeps --json --all build.db
	etrace why --json "$trace" $out/app
	etrace why --json "$trace" $out/app $src/tools/words.txt
	etrace time --json "$trace"
	etrace time --json --by=output build.db
	etrace time --json --by=directory build.db
	etrace diff --json "$FIXTURES/jobs-4/module.fxt.zst" "$FIXTURES/jobs-tool/module.fxt.zst"
	etrace diff --json "$trace" "$FIXTURES/rebuild-touched/module.fxt.zst"
	etrace rebuilt --json "$FIXTURES/rebuild-old/module.fxt.zst" \
		"$FIXTURES/rebuild-flag/module.fxt.zst"
	for fault in incbin generated writers changes network outside future; do
		etrace check --json --make "$FIXTURES/wrong-$fault/rules" --depfiles "$FIXTURES/wrong-$fault" \
			--map "$FIXTURES/wrong-$fault=/build/wrong/out" "$FIXTURES/wrong-$fault/bpf.fxt.zst"
	done
} > answers.json
check "the JSON of all answers matches its schema" \
	"$ANSWERS/../unit/json_schema.py" --part "$ANSWERS/../../../Documentation/answers.schema.json" answers.json

# A truncated trace is answered as far as it goes, and reported as incomplete.
zstd -dcq "$trace" > whole.fxt
head -c $(($(stat -c %s whole.fxt) * 2 / 3)) whole.fxt > cut.fxt
ends 1 "db has status 1 for a truncated trace" etrace db -o cut.db cut.fxt
ends 1 "deps has status 1 for a database of a truncated trace" etrace deps cut.db $out/table.h
etrace deps cut.db $out/table.h 2> message > inputs
check "deps warns that answers may be missing" grep -q "may be missing" message
echo $src/tools/words.txt > expected
same "deps lists the inputs that a truncated trace has" inputs expected

ends 2 "deps refuses a file that is not a database" etrace deps "$ANSWERS/lib.sh" $out/app
sqlite3 other.db "CREATE TABLE t (a)"
ends 2 "db does not replace another program's database" etrace db -o other.db "$trace"
ends 2 "deps refuses another program's database" etrace deps other.db $out/app
etrace db -o new.db "$trace"
sqlite3 new.db "PRAGMA user_version = 99"
ends 2 "deps refuses a database of another version" etrace deps new.db $out/app
ends 0 "db replaces a database of another version" etrace db -o new.db "$trace"
ends 0 "deps reads the replaced database" etrace deps new.db $out/app

# The examples of the man pages.
examples()
{
	sed -n "/^\.SH EXAMPLES/,/^\.SH SEE/s/^\(etrace\|sqlite3\) .*/&/p" \
		"$ANSWERS/../../../Documentation/$1" | sed 's/\\-/-/g'
}
cp "$trace" build.fxt.zst
zstd -dqf build.fxt.zst
for page in etrace-deps.1 etrace-why.1 etrace-db.1 etrace-compdb.1 etrace-time.1; do
	while read -r line; do
		case $line in
		*' -o '*) check "the example in $page works: $line" bash -c "$line" ;;
		*) check "the example in $page works: $line" bash -c "$line | grep -q ." ;;
		esac
	done < <(examples "$page")
done
sed -n '/^SELECT/,/;$/p' "$ANSWERS/../../../Documentation/etrace-db.5" > queries.sql
check "the queries in etrace-db.5 work" bash -c "sqlite3 build.db < queries.sql | grep -q maketable"

# A file that was not made: blame the program that failed to make it, not one that only needed it.
mkdir failed
echo 'int a(void) { return 1 }' > failed/a.c
echo 'int main(void) { return 0; }' > failed/b.c
(cd failed && etrace run -q --backend=strace -o ../failed.fxt -- \
	sh -c 'gcc -c a.c -o gone.o; gcc -c b.c -o gone.o; rm gone.o; gcc -c a.c; gcc -c a.c -o sub/a.o; gcc -c b.c -o none/b.o; gcc a.o b.c -o p; cat gone' > /dev/null 2>&1)
while read -r file text; do
	etrace deps failed.fxt "failed/$file" 2>&1 | sed 's/.*: it was not made: //' > ours
	echo "$text, with exit status 1" > expected
	sed -i 's/^[a-z0-9_]*-linux-gnu-//; s/^ld[.a-z]* /ld /' ours
	same "failed build: deps says why $file was not made" expected ours
done <<- 'END'
	a.o cc1 failed on it
	sub/a.o cc1 failed on it
	none/b.o as failed on it
	p ld failed on it
	gone cat failed without it
END
temporary=$(etrace-read --to json failed.fxt | grep -o '"/tmp/cc[^"/]*\.o"' | tail -n 1 | tr -d '"')
etrace deps failed.fxt "$temporary" > ours
check "failed build: a temporary file read by a failed program has inputs" \
	grep -q '/failed/b\.c$' ours
etrace deps failed.fxt failed/gone.o > ours
check "failed build: a file made on the second try and removed has inputs" \
	grep -q '/failed/b\.c$' ours
etrace why failed.fxt failed/a.o > ours
check "failed build: why says why a file was not made" \
	grep -q '^  not made: .*cc1 failed on it, with exit status 1$' ours
