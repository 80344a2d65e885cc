#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace rebuilt agrees with ninja's own explanations.

. "${0%/*}/../lib.sh"

cat > steps.py <<'END2'
import json, os, sys
for line in open("answer"):
    row = json.loads(line)
    for output in row["outputs"]:
        if sys.argv[1] == "files":
            print(output)
        for r in row["reasons"]:
            if sys.argv[1] == "why" and not r["reason"] == "made":
                print(os.path.basename(output), r["reason"], os.path.basename(r.get("path", "-")))
        if sys.argv[1] == "why" and not row["reasons"]:
            print(os.path.basename(output), "none")
END2

# check_rebuilt OLD NEW REASON...: check that the steps are those that ninja explains, for these
# reasons (inputs that were remade are left out).
check_rebuilt()
{
	local new=$FIXTURES/rebuild-$2 explained
	explained=$new/explained
	[ -e "$explained" ] || explained=$new/$backend.explained
	etrace rebuilt --json "$FIXTURES/rebuild-$1/$backend.fxt.zst" "$new/$backend.fxt.zst" > answer
	result $? "$backend: $1, $2: rebuilt succeeds"
	cat answer >> answers.json
	sed -n 's|^ninja explain: \(.*\) is dirty$|/build/rebuild/out/\1|p' "$explained" |
		sort -u > expected
	python3 steps.py files | sort > outputs
	same "$backend: $1, $2: the rebuilt outputs are those that ninja explains" outputs expected
	python3 steps.py why | sort > reasons
	printf '%s\n' "${@:3}" | sed '/^$/d' | sort > expected
	same "$backend: $1, $2: the reasons are right" reasons expected
}

for backend in module bpf; do
	check_rebuilt old nothing
	check_rebuilt old touched "circle.c.o input shapes.h" "square.c.o input shapes.h" \
		"names.c.o input shapes.h" "main.cc.o input shapes.h"
	check_rebuilt old flag "main.cc.o command -" "main.cc.o input config.h" \
		"main.cc.o input shapes.h" "options.c.o command -" "options.c.o input config.h" \
		"print.cc.o command -" "print.cc.o input config.h" "app input libshapes.a"
	# With a build in between, its outputs are changed inputs, too; steps that the old build did
	# not run are new.
	check_rebuilt touched missing "libshapes.a missing libshapes.a" "app input main.cc.o" \
		"app input options.c.o" "app input print.cc.o"
	check_rebuilt flag command "stack.cc.o new -" "libshapes.a new -" "main.cc.o command -" \
		"print.cc.o command -" "app command -"
done

# Each remade input names the step that made it.
check "a rebuilt input has the step that made it" python3 -c '
import json
for line in open("answers.json"):
    for r in json.loads(line)["reasons"]:
        assert (r["reason"] == "made") == ("by" in r), r'
etrace rebuilt "$FIXTURES/rebuild-old/module.fxt.zst" "$FIXTURES/rebuild-touched/module.fxt.zst" > text
check "the text names the changed input" \
	grep -q '^  input /build/rebuild/src/include/shapes.h: changed or touched$' text
etrace rebuilt "$FIXTURES/rebuild-flag/module.fxt.zst" "$FIXTURES/rebuild-command/module.fxt.zst" > text
check "the text has the added argument of a changed command" grep -qx '    + -DEXTRA=1' text
etrace db -o touched.db "$FIXTURES/rebuild-touched/module.fxt.zst"
sqlite3 touched.db "UPDATE version SET mtime = 1704067200000000000 WHERE file =
	(SELECT id FROM file WHERE path = CAST('/build/rebuild/src/include/shapes.h' AS BLOB))"
etrace rebuilt "$FIXTURES/rebuild-old/module.fxt.zst" touched.db > text
check "the text says if no reason was found" grep -q '^  no reason found$' text
ends 2 "a single trace is a usage error" etrace rebuilt touched.db

# A declared input that no program reads: ninja still runs the step again because of it.
mkdir declared
cat > declared/build.ninja <<'END'
rule copy
  command = cp from $out
rule touch
  command = echo x > $out
build out: copy from | order
build order: touch base
END
touch declared/from declared/base
record_declared()
{
	(cd declared && etrace run -q --backend=strace -o "../$1.fxt" -- ninja > /dev/null)
}
record_declared d1
sleep 0.1
touch declared/base
record_declared d2
etrace rebuilt --ninja declared d1.fxt d2.fxt > text
check "--ninja: a declared input that was changed is a reason" \
	grep -q '^  declared, but not read: .*/declared/base: changed or touched$' text
check "--ninja: a declared input that was rebuilt is a reason" \
	grep -q '^  declared, but not read: .*/declared/order: rebuilt$' text
etrace rebuilt d1.fxt d2.fxt > text
check "without --ninja, declared inputs are no reason" sh -c '! grep -q declared, text'

# Steps without outputs run each time.
mkdir nothing
printf '%s\n' 'x := $(shell uname -m; uname -s)' 'y := $(shell uname -r)' 'all: out' '	@cat in out > /dev/null' \
	'out: in' '	cp in out' > nothing/Makefile
echo 1 > nothing/in
for i in n1 n2; do
	(cd nothing && rm -f out && etrace run -q --backend=strace -o "../$i.fxt" -- make > /dev/null)
done
etrace rebuilt n1.fxt n2.fxt > text
check "steps that made no file are counted" [ "$(sed 's|/[^ ]*/nothing/||' text)" = "out
  by cp in out
  its output was missing: out
/bin/sh -c 'cat in out > /dev/null'
  its input was rebuilt: out
2 steps made no file and ran for no known reason, such as \$(shell) in a makefile; --json lists all" ]

# The first build started above the directory where the second one runs.
etrace run -q --backend=strace -o above.fxt -- make -BC nothing > /dev/null
echo 12 > nothing/in
(cd nothing && etrace run -q --backend=strace -o ../in-it.fxt -- make > /dev/null)
etrace rebuilt above.fxt in-it.fxt > text
check "builds started in a directory and above it are the same tree" \
	grep -q '^  input .*/nothing/in: different size$' text

# The examples of the man page.
zstd -dqo old.fxt "$FIXTURES/rebuild-old/module.fxt.zst"
zstd -dqo build.fxt "$FIXTURES/rebuild-touched/module.fxt.zst"
line=$(sed -n 's/^etrace rebuilt .*/&/p' "$ANSWERS/../../../Documentation/etrace-rebuilt.1" | sed 's/\\-/-/g')
check "the example in etrace-rebuilt.1 works: $line" bash -c "$line | grep -q ."

# By content, if both recordings have it.
mkdir content
cat > content/Makefile <<'END2'
all: app other reader
app: app.o lib.o
	cat app.o lib.o > app
app.o: app.c app.h
	./copy app.c app.o
lib.o: lib.c
	./copy lib.c lib.o
other: order
	echo x > other
reader: order
	cat order > reader
END2
printf '#!/bin/sh\ncat < $1 > $2; cat app.h > /dev/null\n' > content/copy
chmod +x content/copy
for name in app.c app.h lib.c order; do
	echo $name > content/$name
done
# record_build NAME: record the build, with and without the contents of its files.
record_build()
{
	(cd content && etrace run -q --backend=strace -o "../$1.fxt" -- make > /dev/null) > output 2>&1 || cat output
	hashed "$1.db" "$1.fxt"
}
# check_reasons NAME OLD NEW REASON...: check these, each with its output, its file and its change.
check_reasons()
{
	etrace rebuilt --json "${options[@]}" "$2" "$3" > answer
	cat answer >> content.json
	python3 -c '
import json, os
for row in map(json.loads, open("answer")):
    for r in row["reasons"]:
        print(os.path.basename(row["outputs"][0]), r["reason"], os.path.basename(r.get("path", "-")), r.get("change", "-"))
' | sort > reasons
	printf '%s\n' "${@:4}" | sed '/^$/d' | sort > expected
	same "$1" reasons expected
}
options=()
record_build full
sleep 0.1
touch content/app.c
record_build touched
check_reasons "by time: a touched file is a reason" \
	full.fxt touched.fxt "app.o input app.c time" "app made app.o -"
check_reasons "by content: a touched file is no reason" full.db touched.db
etrace rebuilt full.db touched.db > text
top=$(pwd -P)/content
head='  no reason found: only written or touched, with the same content:'
check "by content: a touched file is named" grep -qx "$head $top/app.c" text
check "by content: an input that was rebuilt with the same content is named" \
	grep -qx "$head $top/app.o" text
check "by content: no note says that files are compared by time" sh -c '! grep -q "^files are" text'
etrace rebuilt full.fxt touched.fxt > text
check "by time: one last line says that no contents were recorded" \
	[ "$(tail -n 1 text)|$(grep -c '^files are' text)" = \
	"files are compared by size and time of last change: the builds recorded no contents (etrace run --hash)|1" ]
check "the JSON has the kind of comparison and the touched files" python3 -c '
import json, os
rows = list(map(json.loads, open("content.json")))
assert [r.get("by") for r in rows] == ["time stamps"] * 2 + ["content"] * 2, rows
assert [[os.path.basename(p) for p in r.get("touched", [])] for r in rows] == [[], [], ["app.c"], ["app.o"]], rows'
cp touched.db part.db
sqlite3 part.db "DELETE FROM content WHERE version IN (SELECT v.id FROM version AS v JOIN file AS f ON f.id = v.file
	WHERE CAST(f.path AS TEXT) = '$top/app.c')"
check_reasons "by content: a file without recorded content is compared by time" \
	full.db part.db "app.o input app.c time"
check "the JSON says that content and time were compared" \
	sh -c 'head -n 1 answer | grep -q "\"by\":\"both\""'
# Different content of the same size and time; app.c is touched so that make has a reason.
touch -r content/app.h stamp
echo h.ppa > content/app.h
touch -r stamp content/app.h
touch content/app.c
record_build other
check_reasons "by content: a change that keeps size and time is a reason" \
	touched.db other.db "app.o input app.h content"
check_reasons "by time: a change that keeps size and time is not found" \
	touched.fxt other.fxt "app.o input app.c time" "app made app.o -"
etrace rebuilt touched.db other.db > text
check "the text says that the content differs" grep -qx "  input $top/app.h: different content" text
echo more >> content/app.c
record_build made
check_reasons "by content: an input that was rebuilt with other content is a reason" \
	other.db made.db "app.o input app.c size" \
	"app made app.o content"
# A program.
touch -r content/copy stamp
sed -i 's/app\.h/lib.c/' content/copy
touch -r stamp content/copy
touch content/lib.c
record_build program
check_reasons "by content: a changed program is a reason" \
	full.db program.db "lib.o program copy content" "app input app.o size"
# Declared inputs that are not read.
make -C content -npq > rules
touch content/order
record_build declared
options=(--make rules --map "$top=$top")
check_reasons "by time: a declared input that was touched is a reason" \
	full.fxt declared.fxt "other declared order time" "reader input order time"
check_reasons "by content: a declared input that was touched is no reason" full.db declared.db
options=()
check "the JSON matches its schema" \
	"$ANSWERS/../unit/json_schema.py" --part "$ANSWERS/../../../Documentation/answers.schema.json" content.json
