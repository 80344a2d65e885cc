#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace diff: equal builds do not differ; one change is one root.

. "${0%/*}/../lib.sh"

# Print one line for each root.
cat > roots.py <<'END2'
import json, os, re, sys
for line in sys.stdin:
    row = json.loads(line)
    if "root" in row:
        print(row["kind"], row.get("change", "-"),
              re.sub("/cc[A-Za-z0-9]{6}", "/cc*", row["path"]) if "path" in row else
              os.path.basename(row.get("second", row.get("first"))["arguments"][0]))
END2

# check_roots NAME A B ROOT...: check that these are the roots; the status is 3, or 0 without any.
check_roots()
{
	local name=$1 status
	etrace diff --json "${options[@]}" "$2" "$3" > answer
	status=$?
	python3 roots.py < answer > roots
	printf '%s\n' "${@:4}" | sed '/^$/d' > expected
	same "$name" roots expected
	[ "$status" = "$([ -s expected ] && echo 3 || echo 0)" ]
	result $? "$name: exit status"
}

# modify_copy NAME DB SQL...: copy a database and run the SQL on the copy.
modify_copy()
{
	cp "$2" "$1"
	sqlite3 "$1" "${@:3}"
}

options=()
src=/build/jobs/src
for backend in module bpf; do
	for name in 1 4 16 flag one-flag header tool; do
		etrace db -o "$name.db" "$FIXTURES/jobs-$name/$backend.fxt.zst"
	done
	check_roots "$backend: -j1 and -j4 are equal" 1.db 4.db
	check_roots "$backend: -j4 and -j1 are equal" 4.db 1.db
	check_roots "$backend: -j1 and -j16 are equal" 1.db 16.db
	check_roots "$backend: a build does not differ from itself" tool.db tool.db
	check_roots "$backend: a flag on make's command line is the only root" \
		4.db flag.db "command - make"
	check_roots "$backend: a flag in the makefile makes the makefile the only root" \
		4.db one-flag.db "file time $src/Makefile"
	# The makefile was changed and changed back: the recordings cannot show that.
	check_roots "$backend: a changed header of the same size is the only root" \
		4.db header.db "file time $src/asm.h"
	# So was the header: with times, etrace cannot know that it is the same again.
	options=(--sizes)
	check_roots "$backend: another compiler name on make's command line is the only root" \
		4.db tool.db "command - make"
	options=()
done

# The system's files in a chroot whose name differs each time.
for root in trixie-4711 trixie-12; do
	modify_copy in-$root.db 4.db "UPDATE file SET path = CAST('/srv/$root' || path AS BLOB)
			WHERE CAST(path AS TEXT) GLOB '/usr/*' OR CAST(path AS TEXT) GLOB '/lib*/*';
		INSERT INTO file SELECT max(id) + 1, CAST('/srv/$root' AS BLOB) FROM file;
		INSERT INTO change (exec, what, file, at) SELECT 1, 13, max(id), 0 FROM file;"
done
check_roots "builds in two chroots with different names are equal" in-trixie-4711.db in-trixie-12.db
modify_copy other-header.db in-trixie-12.db "UPDATE version SET size = size + 1 WHERE file =
	(SELECT id FROM file WHERE CAST(path AS TEXT) = '/srv/trixie-12/usr/include/stdc-predef.h')"
check_roots "a file that differs between two chroots is the only root" \
	in-trixie-4711.db other-header.db \
	"file size /srv/trixie-12/usr/include/stdc-predef.h"

etrace diff 4.db flag.db > text
check "the added flag is printed" grep -q "^ *+ 'CFLAGS=-O2 -fPIC'" text
check "a compile command that differs because of the flag is listed" \
	grep -q "^different arguments.*main.c" text
check "the removed argument of a command is printed" grep -q '^ *- -O1$' text

# As if something else had changed before the recording.
file_id() { echo "(SELECT id FROM file WHERE path = CAST('$1' AS BLOB))"; }
modify_copy header2.db 4.db "UPDATE version SET size = size + 1 WHERE file = $(file_id $src/math.h)"
check_roots "a header of another size is the only root of all commands that read it" \
	4.db header2.db "file size $src/math.h"
lib=/usr/lib/x86_64-linux-gnu/libisl.so.23.2.0
modify_copy lib.db 4.db "UPDATE version SET size = size + 1 WHERE file = $(file_id $lib)"
check_roots "a changed library of the compiler is the only root" 4.db lib.db "file size $lib"
# A recording only has the name of a program.
modify_copy cc1.db 4.db "UPDATE version SET size = size + 1 WHERE made = 1 AND file IN
	(SELECT id FROM file WHERE CAST(path AS TEXT) LIKE '/tmp/cc%.s')"
check_roots "other output of cc1 from the same inputs is the only root" \
	4.db cc1.db "output content /tmp/cc*.s"
modify_copy maker.db 4.db "UPDATE access_list SET list = (SELECT json_group_array(json(j.value))
	FROM json_each(list) AS j WHERE j.value ->> 2 <> 2 OR j.value ->> 0 NOT IN
	(SELECT id FROM version WHERE file = $(file_id /build/jobs/out/args.d)))" \
	"DELETE FROM version WHERE file = $(file_id /build/jobs/out/args.d)" \
	"UPDATE string SET s = CAST('-DSOME' AS BLOB) WHERE CAST(s AS TEXT) = '@args.rsp'"
check_roots "a missing output and another argument have one root: the command" \
	4.db maker.db "command - gcc"
modify_copy touched.db 4.db "UPDATE version SET mtime = mtime + 1 WHERE file = $(file_id $src/Makefile)"
check_roots "a makefile that was only touched is not a root" 4.db touched.db
modify_copy status.db 4.db "UPDATE exec SET status = 1 WHERE program = $(file_id /usr/bin/x86_64-linux-gnu-strip)"
check_roots "another exit status is the only root" 4.db status.db "status - strip"
modify_copy output.db 4.db "UPDATE version SET size = size + 8 WHERE made = 1 AND file = $(file_id /build/jobs/out/add.o)"
check_roots "an output of another size, made from the same inputs, is the only root" \
	4.db output.db "output content /build/jobs/out/add.o"
strip=$(sqlite3 4.db "SELECT id FROM exec WHERE program = $(file_id /usr/bin/x86_64-linux-gnu-strip)")
modify_copy less.db 4.db "DELETE FROM exec WHERE id = $strip" "DELETE FROM access_list WHERE exec = $strip"
check_roots "a removed command is the only root" 4.db less.db "removed - strip"
check_roots "an added command is the only root" less.db 4.db "added - strip"

# The same build in another directory: its sources have other times.
moved='/home/me/the jobs'
modify_copy moved.db 4.db \
	"UPDATE version SET mtime = mtime + 1 WHERE file IN
	 (SELECT id FROM file WHERE CAST(path AS TEXT) LIKE '/build/jobs/%')" \
	"UPDATE file SET path = CAST(replace(CAST(path AS TEXT), '/build/jobs', '$moved') AS BLOB)
	 WHERE CAST(path AS TEXT) LIKE '/build/jobs%'" \
	"UPDATE string SET s = CAST(replace(CAST(s AS TEXT), '/build/jobs', '$moved') AS BLOB)
	 WHERE instr(CAST(s AS TEXT), '/build/jobs')"
check_roots "a build in another directory is equal" 4.db moved.db
options=(--map "/build/jobs=$moved")
check_roots "a build in another directory is equal with --map" 4.db moved.db
options=()

etrace diff --json --times 20 1.db 4.db > answer
result $? "different durations (--times) are no difference"
ends 2 "an invalid --map is a usage error" etrace diff --map /build 1.db 4.db
ends 2 "a missing trace is an error" etrace diff 1.db none.db

# The examples of the man page.
zstd -dqo old.fxt "$FIXTURES/jobs-4/module.fxt.zst"
zstd -dqo build.fxt "$FIXTURES/jobs-flag/module.fxt.zst"
line=$(sed -n 's/^etrace diff .*/&/p' "$ANSWERS/../../../Documentation/etrace-diff.1" | sed 's/\\-/-/g')
check "the example in etrace-diff.1 works: $line" bash -c "$line | grep -q ."
etrace diff "$FIXTURES/ninja/module.fxt.zst" "$FIXTURES/make/module.fxt.zst" > once
etrace diff "$FIXTURES/ninja/module.fxt.zst" "$FIXTURES/make/module.fxt.zst" > again
same "two runs print the same" once again

# Outputs of the builds: each has its own directory, so that contents can be compared.
for dir in one two three; do
	mkdir "$dir"
	printf '%s\n' 'all: o p' 'o: a' "	cat a > o; echo \$\$V >> o" 'p: a' '	cp a p' > "$dir/Makefile"
	echo x > "$dir/a"
done
(cd one && V=1 etrace run -q --backend=strace --record=env -o ../1.fxt -- make > /dev/null)
(cd two && V=2 etrace run -q --backend=strace --record=env -o ../2.fxt -- make > /dev/null)
(cd three && V=33 etrace run -q --backend=strace --record=env -o ../3.fxt -- make > /dev/null)
etrace diff 1.fxt 2.fxt > text
check "an environment variable is printed as the root, with both values" \
	grep -qx '   V: was 1, is 2' text
check "an output of the same size but different content is listed" \
	grep -q '/two/o: different content, because of 1$' text
check "an output with the same content is not listed" sh -c '! grep -q "two/p" text'
etrace diff --json 1.fxt 3.fxt > json
check "the JSON has the variable as root and the output of another size" python3 -c '
import json
rows = [json.loads(line) for line in open("json")]
root, = [r for r in rows if "root" in r]
assert root["kind"] == "environment", root
assert root["variables"] == [{"name": "V", "first": "1", "second": "33"}], root
out, = [r for r in rows if "output" in r]
assert out["output"].endswith("/three/o") and out["change"] == "size" and out["by_root"] == 1, out'
# Nothing is known about a variable that only one of them recorded.
(cd two && V=2 CPATH=/c etrace run -q --backend=strace -o ../2c.fxt -- make > /dev/null)
(cd two && V=2 etrace run -q --backend=strace -o ../2d.fxt -- make > /dev/null)
(cd two && V=2 etrace run -q --backend=strace --no-env -o ../2n.fxt -- make > /dev/null)
for pair in '1.fxt 2c.fxt' '2c.fxt 1.fxt' '2c.fxt 2d.fxt' '2c.fxt 2n.fxt' '2n.fxt 1.fxt'; do
	# shellcheck disable=SC2086
	etrace diff $pair | grep '^   [A-Z_]*: '
done > ours
printf '   CPATH: %s\n' 'not set before, is /c' 'no longer set, was /c' 'no longer set, was /c' > truth
same "only variables that both traces recorded are compared" ours truth
rm two/o
etrace diff 1.fxt 2.fxt > text
check "the number of outputs that could not be compared is printed" \
	grep -q '^outputs:  1 of the same size could not be compared' text

# The variables that a differing program sets for the programs it calls, and their directory.
mkdir inherited
echo 'int main(void) { return X - X; }' > inherited/app.c
cat > inherited/build.sh <<'END'
gcc -DX=$1 -o app app.c
mkdir "in-$2" && cd "in-$2" && cat $3 > /dev/null
END
record_inherited() { (cd inherited && rm -rf in-* && etrace run -q --backend=strace -o "../inherited-$1.fxt" -- sh build.sh "${@:2}"); }
record_inherited 1 1 here '../app ../app.c'
record_inherited 2 2 there '../app.c ../app'
etrace diff inherited-1.fxt inherited-2.fxt > text
check "the script is the only root, not the programs it calls" \
	[ "$(grep -c '^[0-9]*\. ' text)" = 1 ]
check "a command with another directory and argument order is described" \
	[ "$(grep -A3 ':  cat ' text)" = \
	"different arguments, different directory:  cat ../app.c ../app
    the same ones, in another order or number
    - in $PWD/inherited/in-here
    + in $PWD/inherited/in-there" ]

# Random names of temporary files, including files that were never made.
cat > inherited/random.sh <<'END'
mkdir .tmp_$$ && cp app.c .tmp_$$/x.c && cc -E .tmp_$$/x.c -DX=0 > .tmp_$$/x.i; rm -r .tmp_$$
dir=$(mktemp -d step-XXXXXX.dir) && cat app.c "$dir" "${dir%.dir}" "${dir%.dir}." > /dev/null 2>&1
rm -r $dir; dir=$(mktemp -d rustcXXXXXX) && cat app.c "$dir/x" > /dev/null 2>&1
rm -r $dir; echo kept > kept-$1
END
record_random() { (cd inherited && rm -f kept-* && etrace run -q --backend=strace -o "../random-$1.fxt" -- sh random.sh "$2"); }
record_random 1 7001
record_random 2 7001
record_random 3 7002
etrace diff random-1.fxt random-2.fxt > text
check "random parts of temporary names are no difference" sh -c '! grep -q "^1\.\|^different" text'
etrace diff random-1.fxt random-3.fxt > text
check "a file with another name that is not deleted is a difference" \
	grep -q '^output:  .*/kept-7002: only in the second' text

# Each build has its own directory: arguments are shown as they were there.
for dir in own 'own two'; do
	mkdir "$dir"
	# shellcheck disable=SC2016
	printf '%s\n' 'all:' '	cat "$(CURDIR)/a" "$(CURDIR)/w-$(V)" $(W) > o; cp o "$(CURDIR)/p"' > "$dir/Makefile"
	touch "$dir/a" "$dir/w-1" "$dir/w-2"
done
(cd own && V=1 etrace run -q --backend=strace -o ../own-1.fxt -- make -s)
(cd 'own two' && V=2 W="${PWD% two}/a" etrace run -q --backend=strace -o ../own-2.fxt -- make -s)
etrace diff own-1.fxt own-2.fxt > text
check "differing arguments are printed with the directory of their build" \
	[ "$(grep -A2 '^different arguments.*:  cat ' text | sed 's/.*:  //')" = \
	"cat '$PWD/own two/a' '$PWD/own two/w-2' $PWD/own/a
    - $PWD/own/w-1
    + '$PWD/own two/w-2' $PWD/own/a" ]
check "differing words of a shell command are printed, also if the directory has a blank" \
	[ "$(grep -A2 '^different arguments:  /bin/sh ' text | sed 1d)" = "    - '\"$PWD/own/w-1\"'
    + '\"$PWD/own two/w-2\"' $PWD/own/a" ]
etrace diff --json own-1.fxt own-2.fxt > json
check "the JSON lists the removed and added arguments" python3 -c '
import json, os
cat, = [r for r in map(json.loads, open("json")) if "arguments_added" in r and
        r["second"]["arguments"][0] == "cat"]
assert cat["arguments_removed"] == [os.getcwd() + "/own/w-1"], cat
assert cat["arguments_added"] == [os.getcwd() + "/own two/w-2", os.getcwd() + "/own/a"], cat'

# A step that fails in only one of them is one root, with everything that was not made because of
# it.
for dir in works fails; do
	mkdir $dir
	printf '%s\n' 'app: x.o m.o' '	gcc -o app x.o m.o' 'note: app' '	echo done > note' > $dir/Makefile
	echo 'int main(void) { return 0; }' > $dir/m.c
	echo 'int x = 1;' > $dir/x.c
	echo 'int y = 1;' > $dir/y.c
done
echo 'int x = 1' > fails/x.c
for dir in works fails; do
	(cd $dir && etrace run -q --backend=strace -o ../$dir.fxt -- make -k note) > output 2>&1
done
# check_failed WHERE WHICH ONE OTHER: WHICH failed, so some files exist only in WHERE
check_failed()
{
	etrace diff "$3.fxt" "$4.fxt" > text
	check "a step failed in the $2 build: there is one root" \
		[ "$(grep -c '^[0-9]*\. ' text)" = 1 ]
	check "a step failed in the $2 build: the root is the source" \
		grep -q '^1\. .*/x\.c: different size$' text
	check "a step failed in the $2 build: the program and its status are printed" \
		grep -q "^   in the $2 cc1 failed on it, with exit status 1\$" text
	sed -n 's/^output:  .*\(works\)\//\1 /p' text > ours
	printf 'works %s\n' "app: only in the $1, because of 1" "note: only in the $1, because of 1" \
		"x.o: only in the $1, because of 1: in the $2 cc1 failed on it, with exit status 1" > truth
	sed -i 's/fails/works/' ours
	same "a step failed in the $2 build: files that were not made are listed" ours truth
}
check_failed first second works fails
check_failed second first fails works
etrace diff --json works.fxt fails.fxt > json
check "the JSON has the program that failed" python3 -c '
import json
rows = [json.loads(line) for line in open("json")]
root, = [r for r in rows if "root" in r]
assert root["failed_second"]["program"].endswith("/cc1") and "failed_first" not in root, root
outs = {r["output"].split("/")[-1]: r for r in rows if "output" in r}
assert outs["x.o"]["failed"]["program"].endswith("/cc1") and outs["x.o"]["change"] == "removed"
assert "failed" not in outs["app"] and outs["app"]["by_root"] == 1, outs["app"]'
# A script that ends early, by a signal.
for dir in ends dies; do
	mkdir $dir
	echo x > $dir/a
	# shellcheck disable=SC2016
	printf '%s\n' 'cat a > o' 'test -e dies && kill -SEGV $$' 'cat o > p' > $dir/b.sh
	(cd $dir || exit; [ $dir = ends ] || : > dies; etrace run -q --backend=strace -o ../$dir.fxt -- sh b.sh) > output 2>&1
done
etrace diff ends.fxt dies.fxt > text
check "a killed script is the only root" [ "$(grep -c '^[0-9]*\. ' text)" = 1 ]
check "a killed script: its signal is printed" \
	grep -q '^   in the second .* failed on it, with SIGSEGV$' text
check "a killed script: the file that it did not make is listed" \
	grep -q '/ends/p: only in the first, because of 1$' text

# By content, if both recordings have it: the same content is no difference, whatever the time.
mkdir content content/bin
cat > content/Makefile <<'END2'
all: app.o lib.o twice
app.o: app.c app.h
	cc -c app.c
lib.o: lib.c
	cc -c lib.c
twice: lib.o
	cat lib.o lib.o > twice
END2
# The compiler of this build only copies, and has a library of its own.
cat > cc.c <<'END2'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
int value(void);
int main(int argc, char **argv)
{
	char line[999], out[99];
	FILE *in = fopen(argv[2], "r"), *to;

	strcpy(out, argv[2]);
	out[strlen(out) - 1] = 'o';
	to = fopen(out, "w");
	while (fgets(line, sizeof(line), in))
		fputs(line, to);
	if (!strcmp(argv[2], "app.c") && (in = fopen("app.h", "r")) && fgets(line, sizeof(line), in))
		fputs(line, to);
	return fclose(to) || value() - value();
}
END2
make_lib() { echo "int value(void) { return $1; }" | gcc -shared -fPIC -o content/bin/libvalue.so -xc -; }
make_lib 3
# shellcheck disable=SC2016
gcc -o content/bin/cc cc.c -Lcontent/bin -lvalue -Wl,-rpath,'$ORIGIN'
echo one > content/app.c
echo two > content/app.h
echo three > content/lib.c
# record_build NAME: record the build, with and without the contents of its files.
record_build()
{
	(cd content && PATH=$PWD/bin:$PATH etrace run -q --backend=strace -o "../$1.fxt" -- make -B > ../output) ||
		cat output
	hashed "$1.db" "$1.fxt"
}
# keep_mtime FILE COMMAND...: run the command, then restore the time of the file
keep_mtime()
{
	touch -r "content/$1" stamp
	"${@:2}"
	touch -r stamp "content/$1"
}
top=$(pwd -P)/content
record_build h1
touch content/app.h content/lib.c content/Makefile content/bin/cc
record_build h2
check_roots "content: files that were only touched are no difference" h1.db h2.db
etrace diff h1.fxt h2.fxt > text
check "files without recorded content are compared by time" \
	grep -q "^1\. $top/bin/cc: changed or touched$" text
line='files are compared by size and time of last change: the'
check "the last line reports that neither build recorded contents, once" \
	[ "$(tail -n 1 text)|$(grep -c '^files are' text)" = \
	"$line builds recorded no contents (etrace run --hash)|1" ]
etrace diff h1.db h2.fxt > text
check "the last line reports that the second build recorded no contents" \
	[ "$(tail -n 1 text)" = "$line second build recorded no contents (etrace run --hash)" ]
etrace diff h1.fxt h2.db > text
check "the last line reports that the first build recorded no contents" \
	[ "$(tail -n 1 text)" = "$line first build recorded no contents (etrace run --hash)" ]
modify_copy h2b.db h2.db "DELETE FROM content WHERE version IN
	(SELECT id FROM version WHERE file = $(file_id "$top/lib.c"))"
check_roots "content: a file without recorded content is compared by time" \
	h1.db h2b.db "file time $top/lib.c"
etrace diff h1.db h2b.db > text
check "the report says that some files have no recorded content" \
	grep -qx "${line%%:*} where no content was recorded" text
etrace diff h1.db h2.db > text
check "nothing is printed if contents are recorded and equal" [ ! -s text ]

keep_mtime app.h sh -c 'echo owt > content/app.h'
record_build h3
check_roots "content: a change that keeps size and time is the only root" \
	h2.db h3.db "file content $top/app.h"
etrace diff h2.fxt h3.fxt > text
check "without recorded contents, that change is not found" sh -c '! grep -q app.h: text'
options=(--sizes)
check_roots "content: --sizes finds a change that keeps the size" \
	h2.db h3.db "file content $top/app.h"
options=()
etrace diff h2.db h3.db > text
check "a file whose content differs is printed as the root" \
	grep -qx "1\. $top/app.h: its content differs" text
check "the output made from the changed file is listed" \
	grep -qx "output:  $top/app.o: different content, because of 1" text
check "an output with the same content in both builds is not listed" sh -c '! grep -q lib.o text'
cat answer >> content.json
keep_mtime bin/libvalue.so make_lib 4
record_build h4
check_roots "content: a changed library is the only root" \
	h3.db h4.db "file content $top/bin/libvalue.so"
keep_mtime bin/cc sed -i 's/app\.h/bpp.h/' content/bin/cc
keep_mtime app.h cp content/app.h content/bpp.h
record_build h5
check_roots "content: a changed program is the only root" h4.db h5.db "file content $top/bin/cc"
cat answer >> content.json

# Where a build stops being reproducible: everything is equal, except for the output.
cat > content/Makefile <<'END2'
all: app.o stamp.h late log note
app.o: app.c
	gcc -c -x c app.c
stamp.h: say
	./say > stamp.h
late: stamp.h
	cp stamp.h late
log: say
	echo begun > log; date +%N | cat >> log; echo end >> log
note: log late
	cat log late > note
END2
echo 'int a = 1;' > content/app.c
printf '#!/bin/sh\ndate +%%s%%N\n' > content/say
chmod +x content/say
rm content/bin/cc
record_build s1
echo 'int a = 2;' > content/app.c
record_build s2
etrace diff s1.db s2.db > text
grep '^[0-9]\. \|^   by\|^   here\|^   this is' text > ours
cat > truth <<END2
1. $top/stamp.h: different content, made from the same inputs
   by  date +%s%N
   here the build stops being reproducible: its arguments, program, inputs and environment
2. $top/log: different content, made from the same inputs
   by  /bin/sh -c 'echo begun > log; date +%N | cat >> log; echo end >> log'
   this is not reproducible, either
3. $top/app.c: its content differs
END2
same "steps that are not reproducible are listed first, then changed sources" ours truth
etrace diff --json s1.db s2.db > answer
cat answer >> content.json
check "the JSON marks the steps that are not reproducible" python3 -c '
import json
roots = [r for r in map(json.loads, open("answer")) if "root" in r]
assert [r.get("reproducible") for r in roots] == [False, False, None], roots
assert [r["kind"] for r in roots] == ["output", "output", "file"], roots
assert {r["by"] for r in roots} == {"content"}, roots
assert roots[0]["second"]["arguments"] == ["date", "+%s%N"], roots'
# Three steps wrote a file: it is not known which one made the difference, so none is blamed.
cat > content/Makefile <<'END2'
log:
	echo begun > log
	date +%N >> log
	echo end >> log
END2
record_build l1
record_build l2
etrace diff l1.db l2.db > text
check "no step is blamed if several could have made the difference" sh -c \
	'grep -q "log: different content" text && ! grep -q reproducible text'
# If it is known, blame the one that wrote the first differing version.
log_id=$(file_id "$top/log")
for n in 1 2; do
	sqlite3 l$n.db "INSERT INTO content SELECT id, 1, CASE rank WHEN 1 THEN printf('%064d', 1) ELSE
		printf('%064d', 10 * rank + $n) END, printf('%064d', 1), NULL FROM
		(SELECT id, row_number() OVER (ORDER BY id) AS rank FROM version WHERE made AND file = $log_id)"
done
etrace diff l1.db l2.db > text
check "the step that wrote the first differing version is blamed" \
	grep -A1 '^   by  date +%N$\|^   by .*date +%N >> log.$' text
# A compiler that adds the time: it runs the same way, but a program that it calls differs.
cat > content/Makefile <<'END2'
app: app.o lib.o
	gcc -o app app.o lib.o
app.o: app.c
	cc -c app.c
lib.o: lib.c
	cc -c lib.c
END2
cat > content/bin/cc <<'END2'
#!/bin/sh
exec gcc -DAT="\"$(date +%N)\"" "$@"
END2
chmod +x content/bin/cc
echo 'int main(void) { return 0; }' > content/app.c
echo 'const char *at = __TIME__;' > content/lib.c
record_build c1
sleep 1.1
record_build c2
etrace diff c1.db c2.db > text
check "a wrapper that adds the time is blamed, not the compiler" \
	[ "$(sed -n '4p;5s/:.*//p' text)" = \
	"   by  /bin/sh $top/bin/cc -c lib.c
   here the build stops being reproducible" ]
check "an output linked from a differing object is attributed to it" \
	grep -qx "output:  $top/app: different [a-z]*, because of 1" text
# Between the parts of a compiler is a temporary file that is gone, so the whole compiler is named.
ln -sf "$(command -v gcc)" content/bin/cc
record_build g1
sleep 1.1
record_build g2
etrace diff g1.db g2.db > text
check "a compiler that adds the time is blamed as a whole" [ "$(sed -n '1,2p' text)" = \
	"1. $top/lib.o: different content, made from the same inputs
   by  cc -c lib.c" ]
# A script that tries things with its own make, as cmake does: all of that belongs to it.
cat > content/Makefile <<'END2'
log: found
	date +%N > log
END2
cat > content/conf <<'END2'
#!/bin/sh
dir=$(mktemp -d try-XXXXXX)
printf 'all:\n\t@echo %s\n' "$dir" > "$dir/Makefile"
echo "found $(make -s -C "$dir")" > found
rm -r "$dir"
END2
chmod +x content/conf
# record_steps NAME COMMAND: record it, with contents
record_steps()
{
	(cd content && etrace run -q --backend=strace --no-env --hash -o "../$1.fxt" -- sh -c "$2" > ../output) || cat output
	etrace db -o "$1.db" "$1.fxt"
}
for n in 1 2; do
	record_steps t$n 'rm -f log; ./conf; make -s'
done
etrace diff t1.db t2.db > text
sed -n 's/^   by  //p; /^   here the build/p; /^   this is/p' text > ours
cat > truth <<'END2'
/bin/sh ./conf
   here the build stops being reproducible: its arguments, program, inputs and environment
date +%N
   this is not reproducible, either
END2
same "the first script that is not reproducible is listed first, without what it called" ours truth
# What it reads after the call that differs is a consequence of it.
cat > content/conf <<'END2'
#!/bin/sh
cat $SOME a.in > found
read -r word < found
echo "$word" > seen
END2
echo one > content/a.in
for some in -n -E; do
	SOME=$some record_steps u$some './conf; cat seen'
done
etrace diff u-n.db u-E.db > text
check "a script with the same inputs is blamed for a call with other arguments" \
	[ "$(sed 's/^\(   here the build\).*/\1/;5q' text)" = \
	"1. different arguments:  cat -E a.in
    - -n
    + -E
   by  /bin/sh ./conf
   here the build" ]
etrace diff u-n.fxt u-E.fxt > text
check "without contents, the script that made the call is printed, too" \
	grep -qx '   by  /bin/sh ./conf' text
etrace diff s1.fxt s2.fxt > text
check "without contents, no step is called not reproducible" sh -c '! grep -q reproducible text'
check "the JSON matches its schema" \
	"$ANSWERS/../unit/json_schema.py" --part "$ANSWERS/../../../Documentation/answers.schema.json" content.json
