#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace check on builds that strace records here, below a temporary directory. For each kind of
# finding: one correct build, and the same build with one fault.

. "${0%/*}/../lib.sh"

if ! etrace doctor --backend=strace > output; then
	echo "skip: strace: $(head -n 1 output)"
	exit
fi
export LC_ALL=C TMPDIR=$PWD/temporary
mkdir temporary
top=$(pwd -P)

# record_build NAME DIRECTORY COMMAND...: record it as NAME.fxt, with the options in $extra
extra=()
record_build()
{
	check "$1: the recording is complete" \
		env -C "$2" etrace run -q --strict --backend=strace "${extra[@]}" \
		-o "$top/$1.fxt" -- "${@:3}"
}

# check_findings NAME OPTION... -- FINDING...: check that exactly these findings are reported (kind,
# and path below here), and the same for the database.
check_findings()
{
	local name=$1 options=() status=0
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	etrace check --json "${options[@]}" "$name.fxt" > json || status=$?
	[ $status = $((${#@} ? 3 : 0)) ]
	result $? "$name${options[*]:+ ${options[*]}}: exit status"
	python3 -c '
import json, sys
for line in sys.stdin:
    f = json.loads(line)
    print(f["finding"], (f.get("path") or f.get("variable")).removeprefix(sys.argv[1] + "/"))
' "$top" < json > ours
	printf '%s\n' "$@" | sed '/^$/d' > expected
	same "$name${options[*]:+ ${options[*]}}: exactly the expected findings" ours expected
	etrace db -o as.db "$name.fxt"
	etrace check --json "${options[@]}" as.db > from-db
	etrace check "${options[@]}" "$name.fxt" > text
	etrace check "${options[@]}" as.db > text-from-db
	check "$name${options[*]:+ ${options[*]}}: a database gives the same JSON" cmp json from-db
	check "$name${options[*]:+ ${options[*]}}: a database gives the same text" \
		cmp text text-from-db
	cat json >> all.json
}

# ---- depfiles, as automake's makefiles have them ----

mkdir -p auto/lib/.deps
echo 'int a(void) { return A; }' > auto/lib/a.c
sed -i '1i #include "a.h"' auto/lib/a.c
echo '#define A 1' > auto/lib/a.h
echo '# dummy' > auto/lib/.deps/a.Po
cat > auto/Makefile <<'END'
all: lib/a.o
include lib/.deps/a.Po
lib/a.o: lib/a.c
	gcc -MT lib/a.o -MD -MP -MF lib/.deps/a.Tpo -c -o lib/a.o lib/a.c
	mv -f lib/.deps/a.Tpo lib/.deps/a.Po
END
env -C auto make -np > auto.rules
record_build auto auto make
check_findings auto --
check_findings auto --make auto.rules --
check_findings auto --make auto.rules --depfiles auto --
touch auto/lib/a.h
env -C auto make -np > again.rules
record_build again auto make
check_findings again --
check_findings again --make again.rules --
# A compiler that lists nothing.
sed -i 's/-MT .* -MF [^ ]*//; /mv -f/d' auto/Makefile
echo '# dummy' > auto/lib/.deps/a.Po
rm auto/lib/a.o
env -C auto make -np > none.rules
record_build none auto make
check_findings none --make none.rules -- "undeclared auto/lib/a.h"
# A depfile on the disk that lacks a file counts more than the fact that there is one.
printf 'lib/a.o: lib/a.c\n' > short.Po
check_findings auto --make auto.rules --depfiles short.Po --map "$top/short.Po=$top/auto/lib/.deps/a.Po" -- \
	"undeclared auto/lib/a.h"

# One depfile for two objects that are made in no particular order is a fault.
mkdir one
echo 'int a;' > one/a.c
echo 'int b;' > one/b.c
printf 'all: a.o b.o\n-include deps\n%%.o: %%.c\n\tgcc -MMD -MF deps -c -o $@ $<\n' > one/Makefile
env -C one make -np > one.rules 2> /dev/null
record_build one one make
check_findings one --make one.rules -- "writers one/deps"

# As automake's, but one depfile for two objects that are made in order.
mkdir two
echo 'int a;' > two/a.c
echo 'int b;' > two/b.c
printf 'all: a.o b.o\nb.o: a.o\n%%.o: %%.c\n\tgcc -MMD -MF $@.T -c -o $@ $<\n\tmv $@.T deps\n' > two/Makefile
env -C two make -np > two.rules
record_build two two make
check_findings two --make two.rules --

# "make -n" stops where a real make would have made a file: targets that it has not reached may
# have rules.  The target in the depfile has one in any case.
mkdir -p gives-up/lib gives-up/app
echo 'int l;' > gives-up/lib/l.c
echo 'int l_of;' > gives-up/app/own.h
for file in a b; do
	printf '#include "own.h"\nint main(void) { return 0; }\n' > gives-up/app/$file.c
done
printf 'all:\n\t$(MAKE) -C lib\n\t$(MAKE) -C app\n' > gives-up/Makefile
printf 'l.a: l.o\n\tar rc l.a l.o\n' > gives-up/lib/Makefile
cat > gives-up/app/Makefile <<'END'
all: a b
a: a.o ../lib/l.a
	gcc -o a a.o ../lib/l.a
b: b.o ../lib/l.a
	gcc -o b b.o ../lib/l.a
%.o: %.c
	gcc -MD -MF $*.T -c -o $@ $<
	mv $*.T $*.d
a.d b.d:
	echo > $@
include a.d b.d
END
env -C gives-up make -np > gives-up.rules 2> /dev/null
rm -f gives-up/app/*.d
env -C gives-up make -npk > goes-on.rules 2> /dev/null
rm -f gives-up/app/*.d
record_build gives-up gives-up make -j2
check_findings gives-up --make goes-on.rules --
check_findings gives-up --make gives-up.rules --
check_findings gives-up --make gives-up.rules --depfiles gives-up/app --
etrace check --make gives-up.rules gives-up.fxt > output
check "gives-up: the number of steps left out is printed" \
	grep -q '^[12] steps\? left out, .*make -npk' output

# ---- several programs write one file ----

mkdir log
record_build log log sh -c 'exec 3> log; /bin/echo begun >&3; sleep 1.5; /bin/echo done >&3'
check_findings log --

# ---- makes that call makes, and several lines of one rule ----

mkdir -p many/sub
cat > many/Makefile <<'END'
all: x
x: built
	$(MAKE) -C sub x
	cp sub/x x
built: in
	echo begun > built
	grep -q begun built
	(cat built; echo more) > built.new
	mv -f built.new built
END
echo in > many/in
printf 'x: ../in\n\tcp ../in x\n\techo done > mark; rm mark\n\techo done > mark; rm mark\n' > many/sub/Makefile
env -C many make -np > many.rules 2> /dev/null
record_build many many make -j2
check_findings many --
check_findings many --make many.rules --

# A recipe for two files runs twice, in parallel.
mkdir both
echo in > both/in
printf 'all: a b\na b: in\n\tcat in > a; sleep 1; cat in > b\n' > both/Makefile
env -C both make -np > both.rules
record_build both both make -j2
check_findings both -- "writers both/a" "writers both/b"
check_findings both --make both.rules -- "writers both/a" "writers both/b"
# Unless one target depends on the other.
echo 'a: b' >> both/Makefile
env -C both make -B -np > both.rules
record_build ordered both make -B -j2
check_findings ordered --make both.rules -- "own-input both/b"

# make waits for what it runs and reads itself; names that begin with a dot are treated like
# others.
mkdir dot-name
echo old > dot-name/.name
cat > dot-name/Makefile <<'END'
tried := $(shell echo x > try; cat try; rm try)
again := $(shell echo y > try; cat try; rm try)
was := $(shell cat .name)
all: .name
	echo $(tried) $(again) $(was) > all
.name: new
	rm .name
	cp new .name
END
echo new > dot-name/new
env -C dot-name make -np > dot-name.rules
record_build dot-name dot-name make -j2
check_findings dot-name --
check_findings dot-name --make dot-name.rules --
# If another step reads it, it counts as a source.
sed -i '/^was/d; s/^\techo.*/\tcat .name > all/; s/^all:.*/& first/; s/^.name: new/& first/' dot-name/Makefile
printf 'first:\n\tcat .name > first\n' >> dot-name/Makefile
env -C dot-name make -B -np > dot-name.rules
record_build renamed dot-name make -B
check_findings renamed -- "overwritten dot-name/.name"
check_findings renamed --make dot-name.rules -- "undeclared dot-name/.name"

# Lines of one rule make and use files that have rules in another make.
mkdir -p parts/{lib,prog}
echo in > parts/lib/in
printf 'all:\n\t$(MAKE) -C lib\n\t$(MAKE) -C prog\n' > parts/Makefile
printf 'lib: in\n\tcp in part\n\tcat part > lib\n' > parts/lib/Makefile
printf 'prog: ../lib/part\n\tcat $< > $@\n../lib/part: ../lib/in\n\tcp $< $@\n' > parts/prog/Makefile
env -C parts make -np > parts.rules
record_build parts parts make
check_findings parts --make parts.rules --

# Makes that are called one after the other write the same file; then the same without any order.
mkdir -p in-order/sub
printf 'all: one two\ntwo: one\none two:\n\t$(MAKE) -C sub $@\n' > in-order/Makefile
printf 'one:\n\techo $@ > count\n\techo > made\ntwo:\n\techo $@ > count\n\tcat made > two\n' > in-order/sub/Makefile
record_build in-order in-order make -j2
check_findings in-order --
sed -i 's/cat made/echo/' in-order/sub/Makefile
record_build no-order in-order make -B -j2
check_findings no-order -- "writers in-order/sub/count"

# ---- sources beside the directory of the build, and tools elsewhere ----

mkdir -p beside/{src,include,out} tools/{bin,lib,include}
echo '#define H 1' > beside/include/h.h
printf '#include "h.h"\nint main(void) { return H; }\n' > beside/src/m.c
printf 'all: m\nm: m.o\n\tgcc -o m m.o\nm.o: %s/beside/src/m.c\n\tgcc -I%s/beside/include -c -o m.o $<\n' \
	"$top" "$top" > beside/out/Makefile
record_build beside beside/out make
check_findings beside --
printf '#!/bin/sh\n. %s/tools/lib/flags\nexec gcc $flags "$@"\n' "$top" > tools/bin/tcc
chmod +x tools/bin/tcc
echo "flags=-I$top/tools/include" > tools/lib/flags
for i in 1 2 3 4 5; do
	echo "#define T$i" > tools/include/t$i.h
	echo "#include <t$i.h>" >> beside/src/m.c
done
sed -i 's/gcc/tcc/' beside/out/Makefile
rm beside/out/m.o
PATH=$top/tools/bin:$PATH record_build tools beside/out make
check_findings tools -- "outside tools"
check "tools: the finding lists the files of the tools" python3 -c '
import json
f = json.load(open("json"))
assert len(f["members"]) == 7 and f["what"] == "read or used" and f["more"] == 2, f
assert {m.get("class") for m in f["members"]} == {"data", "program"}, f'

# Steps whose working directory is above the sources: that directory belongs to the project.
mkdir -p above/{src/lib,out}
echo 'int a;' > above/src/lib/a.c
echo version > above/src/version
printf 'all: a.o version\na.o: %s/a.c\n\tgcc -c -o $@ $<\nversion:\n\tcd %s && cat version > %s/version\n' \
	"$top/above/src/lib" "$top/above/src" "$top/above/out" > above/out/Makefile
record_build above above/out make
check_findings above --
sed -i 's/cd [^ ]* .. cat /cat ..\/src\//' above/out/Makefile
record_build apart above/out make -B
check_findings apart -- "outside above/src/version"
# make is called from elsewhere.
mkdir elsewhere
record_build called elsewhere make -B -C ../above/out
check_findings called -- "outside above/src/version"

# Files left outside: in a cache, and not.
mkdir -p kept home/.cache
printf 'all:\n\techo > ../home/.cache/x\n\tcat ../home/.cache/x > y\n' > kept/Makefile
echo old > home/.cache/old
record_build kept kept make
check_findings kept --
printf 'all:\n\techo > ../home/x\n\tcat ../home/.cache/old > y\n' > kept/Makefile
record_build left kept make
check_findings left -- "outside home/x"

# ---- directories and variables ----

mkdir -p variables/dir
touch variables/dir/one
cat > variables/Makefile <<'END'
all: list word
list:
	ls dir > list
word:
	for i in 1; do echo "$$WORD '$$OWN' $$i"; done > word
	echo '$$NOT' > other
	SET=1; echo "$$SET $${SET}" >> other
END
record_build variables-ignored variables env WORD=x OWN=y SET=z make
check_findings variables-ignored --
rm variables/list variables/word
extra=("--record=dirs,env")
WORD=x OWN=y NOT=n SET=z record_build variables variables make
extra=()
check_findings variables -- "listing variables/dir" "environment OWN" "environment WORD"

# ---- ninja: dyndep files, what rules say and steps do ----

# check_ninja NAME FINDING...: build the file NAME.ninja and check the findings
check_ninja()
{
	mkdir -p "$1"
	cp "$1.ninja" "$1/build.ninja"
	echo in > "$1/in"
	echo other > "$1/other"
	record_build "$1" "$1" ninja -j2
	check_findings "$1" --ninja "$1" -- "${@:2}"
}

if ! command -v ninja > /dev/null; then
	echo "skip: ninja is not installed"
	exit
fi

# What a module depends on is only found out during the build, as with Fortran and C++.
cat > modules.ninja <<'END'
rule scan
  command = printf 'ninja_dyndep_version = 1\nbuild a.o | a.mod: dyndep\nbuild b.o: dyndep | a.mod\n' > $out; cat gen/info > /dev/null
rule object
  command = $do; echo > $out
  dyndep = gen/deps.dd
build gen/deps.dd: scan in
build a.o: object in || gen/deps.dd
  do = sleep 0.1; echo > a.mod
build b.o: object other || gen/deps.dd
  do = cat a.mod > /dev/null
END
mkdir -p modules/gen
echo left by a generator > modules/gen/info
check_ninja modules
check "modules: the order is removed from the dyndep file" \
	sed -i 's/: dyndep | a.mod/: dyndep/' modules/gen/deps.dd
check_findings modules --ninja modules -- "race modules/a.mod"
rm modules/gen/deps.dd
check_findings modules --ninja modules --

cat > early.ninja <<'END'
rule r
  command = cat g > $out 2> /dev/null || echo none > $out; sleep 1
rule w
  command = sleep 1; echo gen > $out
build o: r in
build g: w in
END
check_ninja early "early early/g"
check_findings early -- "early early/g"
# The writer of g waits for the step that looked for it.
sed 's/^build g: w in/& o/' early.ninja > later.ninja
check_ninja later

cat > by-product.ninja <<'END'
rule two
  command = echo > $out; echo > more
rule copy
  command = cp $in $out
rule last
  command = cat more $in > $out
build made: two in
build between: copy made
build end: last between
END
check_ninja by-product "by-product by-product/more"
sed 's/^build end: last between/build name: phony made\nbuild end: last between | name/' \
	by-product.ninja > declared.ninja
check_ninja declared
sed 's/^build end: last between/build end: last other/; s/= cat more/= sleep 1; cat more/' \
	by-product.ninja > loose.ninja
check_ninja loose "race loose/more"

cat > not-made.ninja <<'END'
rule one
  command = echo > one
rule none
  command = echo $out > /dev/null
build one | two: one in
build always: none in
build name: phony always
build lost: none other
END
check_ninja not-made "not-made not-made/lost" "not-made not-made/two"

cat > own-input.ninja <<'END'
rule own
  command = cat $in > $out; echo more >> other
build out: own in other
END
check_ninja own-input "own-input own-input/other"
sed 's/>> other/> third/; s/in other/in/' own-input.ninja > own-none.ninja
check_ninja own-none

check "findings of all kinds occur and name their commands" python3 -c '
import json
rows = [json.loads(l) for l in open("all.json")]
for r in rows:
    assert r["by"]["arguments"], r
    assert ("made_by" in r) == (r["finding"] in ("race", "early", "by-product")), r
assert {r["finding"] for r in rows} == {"undeclared", "race", "early", "listing", "environment",
    "writers", "overwritten", "own-input", "by-product", "not-made", "outside"}, rows'

# An input whose content differs when it is read again, although the build did not write to it.
mkdir changed
cat > changed/build.sh <<'END2'
cat edited replaced same named moved
: > ready
while [ -e ready ]; do sleep 0.05; done
mv other moved
cat edited replaced same named moved
echo x > out
cat out
: > shown
while [ ! -e go ]; do sleep 0.05; done
cat out edited
END2
for name in edited replaced same named moved other; do
	echo $name > changed/$name
done
cp -a changed before
# replace FILE TEXT: put another file in its place
replace() { echo "$2" > changed/new && mv changed/new "changed/$1"; }
(
	until_done test -e changed/ready
	echo edited, longer > changed/edited
	replace replaced 'something else'
	replace same same
	rm changed/ready
	until_done test -e changed/shown
	replace out y
	: > changed/go
) &
record_build changed changed sh build.sh
wait
hashed changed.db changed.fxt
# What the recorder would have seen earlier: the helper only sees the final contents.
python3 - <<'END2'
import hashlib, sqlite3
db = sqlite3.connect("changed.db")
def versions(name):
    return db.execute("SELECT v.id FROM version AS v JOIN file AS f ON f.id = v.file"
                      " WHERE CAST(f.path AS TEXT) LIKE '%/changed/' || ? ORDER BY v.at", (name,)).fetchall()
def add_content(version, at, text):
    db.execute("INSERT INTO content VALUES (?, ?, ?, ?, NULL)", (
        version, at, hashlib.sha256(text).hexdigest(),
        hashlib.sha256(b"blob %d\0" % len(text) + text).hexdigest()))
for name in ("replaced", "same", "moved", "out"):
    first = versions(name)[0][0]
    db.execute("DELETE FROM content WHERE version = ?", (first,))
    add_content(first, 0, {"out": b"x"}.get(name, name.encode()) + b"\n")
(edited,), = versions("edited")
# hashed after the first program had read it, and after the second one
at = [row[0] for row in db.execute("SELECT at FROM exec WHERE program IN (SELECT id FROM file WHERE"
                                   " CAST(path AS TEXT) LIKE '%/cat') ORDER BY at")]
db.execute("DELETE FROM content WHERE version = ?", (edited,))
add_content(edited, at[1] - 1, b"edited\n")
add_content(edited, at[3], b"edited, longer\n")
db.commit()
END2
etrace check --json changed.db > json
sed 's/^/,/; 1s/,/[/; $s/$/]/' json | python3 -c '
import json, os, sys
rows = [r for r in json.load(sys.stdin) if r["finding"] == "changed"]
for r in rows:
    assert r["what"] == "held something else later, and the build did not change it", r
    assert r["first"]["exec"] < r["by"]["exec"] and not r["more"], r
    print(os.path.basename(r["path"]), *r["by"]["arguments"][1:2])' > ours
printf '%s\n' 'edited edited' 'out out' 'replaced edited' > truth
same "inputs that changed between two reads are found" ours truth
check "the JSON matches its schema" "$ANSWERS/../unit/json_schema.py" --part \
	"$ANSWERS/../../../Documentation/answers.schema.json" json
etrace check changed.db > text
check "a changed input is printed with its first and second reader" \
	[ "$(grep -A2 '/replaced: ' text | sed 's/ [^ ]*\/replaced/ replaced/')" = \
	"changed: replaced: held something else later, and the build did not change it
  first   cat edited replaced same named moved
  then    cat edited replaced same named moved" ]
etrace check changed.fxt > text
check "without contents, no changed inputs are found" sh -c '! grep -q ^changed: text'

# ---- sources that the build changes ----

mkdir -p sources/.git
echo one | tee sources/moved sources/gone sources/edited sources/.git/config > sources/kept
record_build sources sources sh -c 'cat moved gone edited kept .git/config > all; mv moved old
	echo two >> .git/config
	mv edited was; sed s/one/two/ was > edited; python3 -c "
import os
os.rename(\"kept\", \"kept.orig\")
open(\"kept\", \"w\").write(open(\"kept.orig\").read() * 2)"; rm gone'
etrace check sources.fxt | sed -n 's,^overwritten: .*/\([a-z]*: \),\1,p' | sort > ours
printf '%s\n' 'edited: a source that was removed' 'gone: a source that was removed' \
	'kept: a source that was changed' 'moved: a source that was removed' > truth
same "sources that were moved, removed or replaced are found" ours truth

# ---- the network ----

mkdir network
cat > network/takes.py <<- 'END'
	import socket
	taken = socket.socket()
	taken.bind(("127.0.0.1", 0))
	again = socket.socket()
	try:
	    again.bind(("127.0.0.1", taken.getsockname()[1]))
	except OSError:
	    pass
END
record_build network network python3 takes.py
etrace check --json network.fxt | grep '"finding":"network"' > json
check "network: only the address that was bound is found" [ "$(wc -l < json)" = 1 ]
check "network: the address is described as reachable" \
	grep -q '"address":"127.0.0.1:0","what":"can be reached there"' json
