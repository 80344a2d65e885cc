#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The options of etrace compdb, on small builds that are recorded here with strace.

. "${0%/*}/../lib.sh"

begin_builds

# recorded NAME [OPTION]...: record a script for sh (standard input), run in directory NAME
recorded()
{
	mkdir "$1"
	cat > "$1.sh"
	check "$1: the build is recorded" env -C "$1" \
		etrace run -q --backend=strace "${@:2}" -o "$builds/$1.fxt" -- sh "$builds/$1.sh"
}

# count PATTERN FILE: the number of lines that match
count() { grep -c -e "$1" "$2"; }

# ---- --style=cmake: as clang and a shell parse it ----

recorded quote << 'END'
echo 'int x;' > a.c
gcc "-DC='/'" '-DS="a b"' -DE= '-DD=a\b' '-DX=$HOME`' "-DY=it's" '-DN=1 \
2' '-DT=a	b' '-DU=\\' -I '' -c a.c
END
etrace compdb quote.fxt > arguments
etrace compdb --style=cmake quote.fxt > cmake
check "style cmake: a shell splits the command into the arguments" python3 - <<- 'END'
	import json, shlex
	ours, cmake = [json.load(open(name)) for name in ("arguments", "cmake")]
	assert len(ours) == 1 and "" in ours[0]["arguments"], ours
	assert shlex.split(cmake[0]["command"]) == ours[0]["arguments"], cmake
END

recorded bytes << 'END'
name=$(printf 'a\377.c')
echo 'int x;' > "$name"
gcc -c "$name" -o a.o
END
etrace compdb -o ours bytes.fxt 2> log
check "bytes: a name that is not UTF-8 is reported" grep -q -a 'not UTF-8' log
check "bytes: the output is valid JSON" python3 -m json.tool ours

# ---- --update ----

recorded update << 'END'
echo 'int x;' > a.c
echo 'int y;' > b.c
gcc -c a.c
gcc -c b.c -o b2.o
END
dir=$builds/update
cat > list << END
[{"directory": "$dir", "file": "a.c", "command": "no output"},
 {"directory": "$dir", "file": "a.c", "command": "same", "output": "./a.o"},
 {"directory": "$dir", "file": "a.c", "command": "stays", "output": "other.o"},
 {"directory": "$dir", "file": "b.c", "command": "stays", "output": "a.o"},
 {"directory": "$dir", "file": "x.c", "command": "stays"},
 {"directory": "$dir", "file": "x.c", "command": "stays too"}]
END
check "update: a list is updated" etrace compdb --update list update.fxt
check "update: entries match by file and output, or by file if they have no output" \
	test "$(count '"stays' list) $(count 'same\|no output' list) $(count '"file"' list)" = "4 0 6"
: > list
check "update: an empty file counts as an empty list" etrace compdb --update list update.fxt
check "update: an empty list gets all entries" test "$(count '"file"' list)" = 2
mkdir behind
ln -s behind/list link
check "update: a dangling symbolic link is accepted" etrace compdb --update link update.fxt
check "update: a dangling symbolic link is kept, and its target is written" \
	test -L link -a -s behind/list
check "update: the list can be written to another file" etrace compdb --update none -o to update.fxt
check "update: with another output, a missing list is not made" test ! -e none -a -s to
printf '[{"directory": "/x",\n  "file": 1x}]' > list
cp list expected
ends 2 "update: a damaged file is refused" etrace compdb --update list update.fxt
etrace compdb --update list update.fxt 2> log
check "update: a damaged file is reported with its line" grep -q 'list: line 2, byte 32: ' log
same "update: a damaged file is left unchanged" expected list

rm list
for i in 1 2 3 4 5 6 7 8; do
	recorded "at-once-$i" <<- END
		echo 'int x;' > $i.c
		gcc -c $i.c
	END
done
pids=()
for i in 1 2 3 4 5 6 7 8; do
	etrace compdb --update list "at-once-$i.fxt" &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	finish "$pid"
	result $? "update: each of eight at once succeeds"
done
check "update: eight at once give a list with all entries" test "$(count '"file"' list)" = 8
check "update: eight at once leave no other files" test "$(echo list*)" = list

# Another process has the list locked, and replaces the file.
echo '[{"directory": "/x", "file": "before.c"}]' > list
echo '[{"directory": "/x", "file": "meanwhile.c"}]' > other
(
	exec 9< list
	flock 9
	touch locked
	sleep 1
	mv other list
) &
until_done test -e locked
check "update: a list that is locked is waited for" etrace compdb --update list update.fxt
wait
check "update: a list that was replaced while locked is read again" \
	test "$(count before list) $(count meanwhile list) $(count '"file"' list)" = "0 1 3"

# ---- --exists ----

recorded exists << 'END'
echo 'int x;' > gone.c
echo 'int y;' > here.c
gcc -c gone.c
gcc -c here.c
rm gone.c
END
etrace compdb --exists exists.fxt > ours
check "exists: a source that is gone has no entry" \
	test "$(count 'gone\.c' ours) $(count 'here\.c' ours)" = "0 1"

# ---- --config ----

recorded config << 'END'
mkdir src tests tests/keep
for s in src/a tests/b tests/keep/c d; do echo 'int x;' > $s.c; done
ln -s ../src tests/link
printf '#!/bin/sh\nexec gcc "$@"\n' > mycc
printf '#!/bin/sh\ncat "$2" > "$4"\n' > transform
printf '#!/bin/sh\nshift\nexec "$@"\n' > runner
chmod +x mycc transform runner
gcc -c src/a.c -o a.o
gcc -c tests/b.c -o b.o
gcc -O2 -c tests/keep/c.c -o c.o
gcc -O0 -c tests/keep/c.c -o c.o
gcc -c tests/link/a.c -o l.o
./transform -c d.c -o d.o
sh ./transform -c d.c -o e.o
echo '-DFROM_FILE tests/b.c' > file
gcc @file -c d.c
END
dir=$builds/config
# configured: write the list to ours, with the configuration on standard input
configured()
{
	cat > config.yml
	etrace compdb --config config.yml config.fxt > ours 2> log
}

# as in Bear's manual, except for paths
check "config: all keys of Bear 4 are accepted" configured << END
schema: "4.1"
intercept:
  mode: wrapper
compilers:
  - path: /usr/bin/nonesuch
    as: clang
  - path: $dir/transform
    as: gcc
  - path: tcc
    ignore: true
sources:
  only_existing_files: true
  directories:
    - path: $dir/tests
      action: exclude
    - path: $dir/tests/keep
      action: include
duplicates:
  match_on:
    - file
    - output
format:
  paths:
    directory: canonical
    file: canonical
  entries:
    use_array_format: true
    include_output_field: false
  arguments:
    from_response_files: true
    from_environment: true
END
check "config: the last matching directory decides" \
	test "$(count 'src/a\.c' ours) $(count 'b\.c' ours) $(count 'keep/c\.c' ours)" = "1 0 1"
check "config: the first of duplicates stays" grep -q '"-O2"' ours
check "config: a compiler declared by path is known, also through a shell" \
	test "$(count '"./transform",.*d\.c"' ours)" = 2
check "config: outputs are left out" test "$(count '"output"' ours)" = 0

check "config: from_response_files: false is accepted" configured <<- 'END'
	format: {arguments: {from_response_files: false}}
END
check "config: @files are kept, also in the entries of their sources" \
	test "$(count '"arguments":\["gcc","@file","-c","d.c"\]' ours) $(count '"gcc","@file","-c"\]' ours)" = "1 1"
check "config: a compiler declared by name is accepted" configured <<- 'END'
	compilers: [{path: transform, as: gnu}]
END
check "config: a compiler declared by name is known, also through a shell" \
	test "$(count '"./transform",.*d\.c"' ours)" = 2
check "config: commands with different options are no duplicates" \
	test "$(count 'keep/c\.c"' ours)" = 2
check "config: ignoring a compiler by name is accepted" configured <<- 'END'
	compilers: [{path: gcc, ignore: true}]
END
check "config: a compiler ignored by name has no entries" test "$(cat ours)" = "[]"
check "config: ignoring a compiler by a path with links is accepted" configured <<- END
	compilers: [{path: $(command -v gcc), ignore: yes}]
END
check "config: a compiler ignored by a path with links has no entries" test "$(cat ours)" = "[]"

check "config: relative paths and commands are accepted" configured <<- 'END'
	format: {paths: {file: relative}, entries: {use_array_format: false}}
END
check "config: an entry has relative paths and a command" \
	grep -q '"command":"gcc -c src/a.c -o a.o","file":"src/a.c","output":"a.o"' ours
check "config: canonical paths are accepted" configured <<- 'END'
	format: {paths: {file: canonical}}
END
check "config: canonical paths follow symbolic links" \
	test "$(count '"file":"'"$dir"'/src/a\.c"' ours)" = 2

# refused LINE WORDS: the configuration on standard input is rejected
refused()
{
	configured
	status=$?
	check "config: an error in line $1 is reported: $2" grep -q "config.yml: line $1: .*$2" log
	check "config: an error gives status 2 and no output" test "$status" = 2 -a ! -s ours
}
refused 3 "unknown key: colour" <<- 'END'
	# none such
	format:
	  colour: red
END
refused 2 "unknown compiler family; known are .*gcc.*clang" <<- 'END'
	compilers:
	  - {path: x, as: nonesuch}
END
refused 2 "as: gcc" <<- 'END'
	compilers:
	  - path: nonesuch
END
refused 2 "true or false" <<- 'END'
	sources:
	  only_existing_files: maybe
END
refused 3 "include exclude" <<- 'END'
	sources:
	  directories:
	    - {path: /x, action: drop}
END
refused 1 "4.0 4.1" <<< 'schema: 3'
refused 2 "" <<- 'END'
	format: {paths:
	  ]
END
refused 1 "directory file arguments" <<< 'duplicates: {match_on: []}'
ends 2 "config: a missing file is an error" etrace compdb --config nonesuch config.fxt

# ---- --no-configure ----

recorded trials << 'END'
echo 'int x;' > real.c
echo 'int y;' > ztest1.c
gcc -c ztest1.c
gcc -shared -o ztest1.so ztest1.o 2> /dev/null
rm -f ztest1*
echo 'int main() { return 0; }' > crypt.c
gcc -o /dev/null crypt.c
rm crypt.c
echo 'nonsense' > failed.c
gcc -c failed.c 2> config.log
rm failed.c
echo 'int puts(const char *); int main() { return puts("4") < 0; }' > size.c
gcc size.c -o size
value=$(./size)
rm size size.c
echo "#define SIZE $value" > config.h
echo 'int checked;' > checked.c
gcc -fsyntax-only checked.c
rm checked.c
mkdir -p CMakeFiles/3.0/CompilerIdOBJC
(cd CMakeFiles/3.0/CompilerIdOBJC && echo 'int z;' > id.c && gcc -c id.c)

gcc -c real.c -o gone.o
rm gone.o
gcc -c real.c -o real.o
for way in archived linked copied stays; do
	echo "int $way;" > $way.c
	gcc -c $way.c
done
ar rc library.a archived.o
gcc -shared -o library.so linked.o
cp copied.o installed
echo 'int puts(const char *); int main() { return puts("int t;") < 0; }' > generator.c
gcc generator.c -o generator
./generator > table.c
rm archived.? linked.? copied.? generator generator.c stays.c
END
etrace compdb trials.fxt > all
etrace compdb --no-configure trials.fxt > ours
for trial in ztest1 crypt failed size checked id; do
	check "no-configure: without it, $trial has an entry" grep -q "/$trial\.c\"" all
	check "no-configure: $trial is left out as a trial" test "$(count "/$trial\.c\"" ours)" = 0
done
for source in archived linked copied generator stays; do
	check "no-configure: $source has an entry, because its output is used" \
		grep -q "/$source\.c\"" ours
done
check "no-configure: a source that stays keeps both entries" test "$(count '/real\.c"' ours)" = 2

# ---- variables of the environment ----

export CPATH=$builds/environment/inc: C_INCLUDE_PATH=$builds/environment/c
export CPLUS_INCLUDE_PATH=$builds/environment/cpp
recorded environment << 'END'
mkdir inc c cpp
echo '#define Q 1' > inc/q.h
echo '#define R 1' > c/r.h
echo '#define S 1' > cpp/s.h
echo '#define T 1' > t.h
printf '#include <q.h>\n#include <r.h>\n#include <t.h>\nint a = Q + R + T;\n' > a.c
printf '#include <q.h>\n#include <s.h>\nint b = Q + S;\n' > b.cc
printf '#include <r.h>\n.long R\n' > s.S
gcc -c s.S
gcc -c a.c
clang -o a2.o -c -- a.c
g++ -c b.cc
CPATH= C_INCLUDE_PATH= CPLUS_INCLUDE_PATH= gcc -c -Iinc -Icpp b.cc -o b2.o
END
unset CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH
check "environment: compdb succeeds" etrace compdb -o ours environment.fxt
check "environment: entries give the same objects without the variables" python3 - <<- 'END'
	import json, os, subprocess
	entries = json.load(open("ours"))
	for e in entries:
	    first = open(e["output"], "rb").read()
	    os.remove(e["output"])
	    subprocess.run(e["arguments"], cwd=e["directory"], check=True)
	    assert open(e["output"], "rb").read() == first, e
	args = {os.path.basename(e["output"]): " ".join(e["arguments"]) for e in entries}
	top = os.getcwd() + "/environment/"
	assert args["a.o"] == f"gcc -c a.c -I {top}inc -I . -isystem {top}c", args
	assert args["a2.o"] == f"clang -o a2.o -c -I {top}inc -I . -isystem {top}c -- a.c", args
	assert args["b.o"] == f"g++ -c b.cc -I {top}inc -I . -isystem {top}cpp", args
	assert args["b2.o"] == "gcc -c -Iinc -Icpp b.cc -o b2.o", args
END
(cd environment && etrace run -q --no-env --backend=strace -o ../without.fxt -- gcc -c a.c -Iinc -Ic -I.)
etrace compdb without.fxt 2> log > ours
check "environment: compdb reports that variables were not recorded" grep -q 'were not recorded' log
etrace db -o without.db without.fxt 2> log
check "environment: db does not report that variables were not recorded" test ! -s log
etrace compdb environment.fxt 2> log > ours
check "environment: nothing is reported if variables were recorded" test ! -s log
echo 'format: {arguments: {from_environment: false}}' > config.yml
etrace compdb --config config.yml environment.fxt > ours
check "environment: from_environment: false adds no options" test "$(count isystem ours)" = 0

# ---- --explain ----

recorded explain << 'END'
echo 'int x;' > a.c
echo '#define H' > h.h
echo '#include "h.h"' > b.c
echo 'nonsense' > bad.c
printf '#!/bin/sh\ncp "$2" "$4"\n' > mycc
printf '#!/bin/sh\nexit 0\n' > gcc-13
chmod +x mycc gcc-13
gcc -c a.c
gcc -c a.c
gcc -E a.c -o a.i
gcc -M a.c > a.d
gcc -x c -c - -o s.o < a.c
./mycc -c a.c -o m.o
./gcc-13 -c a.c -o n.o
gcc -c b.c
cat b.c > /dev/null
gcc -c bad.c 2> /dev/null
gcc -c missing.c 2> /dev/null
gcc a.o -shared -o a.so
exit 0
END
cd explain || exit
# explains NAME FILE [OPTION]...: check the reasons, in the order of standard input
explains()
{
	cat > ../expected
	etrace compdb --explain "${@:2}" ../explain.fxt 2> ../log |
		sed -n 's/^    //p' | sed "s|$builds/explain/||g" > ../reasons
	same "explain: the reasons are right for $1" ../expected ../reasons
}
explains "a source" a.c <<- 'END'
	entry, to a.o
	part of: gcc -c a.c
	left out, as a duplicate of: gcc -c a.c
	part of: gcc -c a.c
	no entry: it only preprocesses (--preprocess has it)
	part of: gcc -E a.c -o a.i
	no entry: it only lists dependencies
	part of: gcc -M a.c
	no entry: what it compiles is its standard input
	not a compiler that is known
	no entry: it has a compiler's name, but nothing that it ran read this source
END
etrace compdb --explain a.c ../explain.fxt > ../ours
check "explain: the text says how to declare a compiler" grep -q 'compilers: .*as: gcc' ../ours
echo 'compilers: [{path: mycc, as: gcc}, {path: gcc, ignore: true}]' > ../config.yml
etrace compdb --config ../config.yml --explain a.c ../explain.fxt > ../ours
check "explain: a compiler declared with --config has an entry" \
	grep -q '^    entry, to .*/m.o$' ../ours
check "explain: ignored compilers are listed" \
	test "$(count 'left out: ignored by the conf' ../ours)" = 4
explains "a header" h.h <<- 'END'
	a header, not a main source, of b.c; part of: gcc -c b.c
END
explains "a source read by an unknown program" b.c --exists --no-configure <<- 'END'
	entry, to b.o
	part of: gcc -c b.c
	not a compiler that is known
END
explains "a source that failed to compile" bad.c <<- 'END'
	entry, to bad.o; it failed, with exit status 1
	part of: gcc -c bad.c; it failed, with exit status 1
END
explains "a missing source named on a compiler's command line" missing.c <<- 'END'
	entry, to missing.o; it failed, with exit status 1
	part of: gcc -c missing.c; it failed, with exit status 1
END
etrace compdb --explain missing.c ../explain.fxt > ../ours
check "explain: a missing source is not read by any program" \
	grep -q '^  no program read it$' ../ours
etrace compdb --explain missing.c --exists ../explain.fxt > ../ours
check "explain: --exists leaves out a missing source" grep -q 'left out: the source is gone' ../ours
etrace compdb --explain a.so ../explain.fxt > ../ours
check "explain: a library is not read by any program" grep -q 'no program read it' ../ours
ends 2 "explain: a file that is not in the build is an error" \
	etrace compdb --explain nonesuch.c ../explain.fxt
cd ..
for file in a.c h.h bad.c a.so; do
	etrace compdb --json --explain explain/$file explain.fxt
done > answers.json
check "explain: the JSON matches its schema" "$ANSWERS/../unit/json_schema.py" --part \
	"$ANSWERS/../../../Documentation/answers.schema.json" answers.json
check "explain: the JSON has all reasons" \
	test "$(grep -o '"why":"[a-z-]*"' answers.json | sort | uniq -c |
	tr -s ' \n' ' ')" = ' 1 "why":"depends" 1 "why":"duplicate" 2 "why":"entry" 1 "why":"header" 1 "why":"no-compiler" 1 "why":"not-read" 5 "why":"part" 1 "why":"preprocesses" 1 "why":"standard-input" '
