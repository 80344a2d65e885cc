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

# differ NAME A B ROOT...: check that these are the roots; the status is 3, or 0 without any.
differ()
{
	local name=$1 status
	etrace diff --json "${options[@]}" "$2" "$3" > answer
	status=$?
	python3 roots.py < answer > roots
	printf '%s\n' "${@:4}" | sed '/^$/d' > expected
	same "$name" roots expected
	[ "$status" = "$([ -s expected ] && echo 3 || echo 0)" ]
	result $? "$name: status $status"
}

# changed NAME DB SQL...: copy a database and run the SQL on the copy.
changed()
{
	cp "$2" "$1"
	sqlite3 "$1" "${@:3}"
}

options=()
src=/build/jobs/src
for by in module bpf; do
	for name in 1 4 16 flag one-flag header tool; do
		etrace db -o "$name.db" "$FIXTURES/jobs-$name/$by.fxt.zst"
	done
	differ "$by: -j1 and -j4 are equal" 1.db 4.db
	differ "$by: so are -j4 and -j1" 4.db 1.db
	differ "$by: -j1 and -j16 are equal" 1.db 16.db
	differ "$by: a build and itself" tool.db tool.db
	differ "$by: a flag on the command line" 4.db flag.db "command - make"
	differ "$by: a flag in the makefile" 4.db one-flag.db "file time $src/Makefile"
	# The makefile was changed and changed back: the recordings cannot show that.
	differ "$by: a header of the same size" 4.db header.db "file time $src/asm.h"
	# So was the header: with times, etrace cannot know that it is the same again.
	options=(--sizes)
	differ "$by: another name of the compiler" 4.db tool.db "command - make"
	options=()
done

# The system's files in a chroot whose name differs each time.
for root in trixie-4711 trixie-12; do
	changed in-$root.db 4.db "UPDATE file SET path = CAST('/srv/$root' || path AS BLOB)
			WHERE CAST(path AS TEXT) GLOB '/usr/*' OR CAST(path AS TEXT) GLOB '/lib*/*';
		INSERT INTO file SELECT max(id) + 1, CAST('/srv/$root' AS BLOB) FROM file;
		INSERT INTO change (exec, what, file, at) SELECT 1, 13, max(id), 0 FROM file;"
done
differ "two chroots are equal" in-trixie-4711.db in-trixie-12.db
changed other-header.db in-trixie-12.db "UPDATE version SET size = size + 1 WHERE file =
	(SELECT id FROM file WHERE CAST(path AS TEXT) = '/srv/trixie-12/usr/include/stdc-predef.h')"
differ "but for what differs in them" in-trixie-4711.db other-header.db \
	"file size /srv/trixie-12/usr/include/stdc-predef.h"

etrace diff 4.db flag.db > text
check "the flag is shown" grep -q "^ *+ 'CFLAGS=-O2 -fPIC'" text
check "and what follows" grep -q "^different arguments.*main.c" text
check "of one command, which words" grep -q '^ *- -O1$' text

# As if something else had changed before the recording.
of() { echo "(SELECT id FROM file WHERE path = CAST('$1' AS BLOB))"; }
changed header2.db 4.db "UPDATE version SET size = size + 1 WHERE file = $(of $src/math.h)"
differ "a header of another size, read by many" 4.db header2.db "file size $src/math.h"
lib=/usr/lib/x86_64-linux-gnu/libisl.so.23.2.0
changed lib.db 4.db "UPDATE version SET size = size + 1 WHERE file = $(of $lib)"
differ "another library of the compiler" 4.db lib.db "file size $lib"
# A recording only has the name of a program.
changed cc1.db 4.db "UPDATE version SET size = size + 1 WHERE made = 1 AND file IN
	(SELECT id FROM file WHERE CAST(path AS TEXT) LIKE '/tmp/cc%.s')"
differ "another compiler of the same name" 4.db cc1.db "output content /tmp/cc*.s"
changed maker.db 4.db "UPDATE access_list SET list = (SELECT json_group_array(json(j.value))
	FROM json_each(list) AS j WHERE j.value ->> 2 <> 2 OR j.value ->> 0 NOT IN
	(SELECT id FROM version WHERE file = $(of /build/jobs/out/args.d)))" \
	"DELETE FROM version WHERE file = $(of /build/jobs/out/args.d)" \
	"UPDATE string SET s = CAST('-DSOME' AS BLOB) WHERE CAST(s AS TEXT) = '@args.rsp'"
differ "an output less, and another argument" 4.db maker.db "command - gcc"
changed touched.db 4.db "UPDATE version SET mtime = mtime + 1 WHERE file = $(of $src/Makefile)"
differ "a makefile that was touched, and nothing follows" 4.db touched.db
changed status.db 4.db "UPDATE exec SET status = 1 WHERE program = $(of /usr/bin/x86_64-linux-gnu-strip)"
differ "another status" 4.db status.db "status - strip"
changed output.db 4.db "UPDATE version SET size = size + 8 WHERE made = 1 AND file = $(of /build/jobs/out/add.o)"
differ "an output of another size, made of the same" 4.db output.db "output content /build/jobs/out/add.o"
strip=$(sqlite3 4.db "SELECT id FROM exec WHERE program = $(of /usr/bin/x86_64-linux-gnu-strip)")
changed less.db 4.db "DELETE FROM exec WHERE id = $strip" "DELETE FROM access_list WHERE exec = $strip"
differ "a command less" 4.db less.db "removed - strip"
differ "a command more" less.db 4.db "added - strip"

# The same build in another directory: its sources have other times.
moved='/home/me/the jobs'
changed moved.db 4.db \
	"UPDATE version SET mtime = mtime + 1 WHERE file IN
	 (SELECT id FROM file WHERE CAST(path AS TEXT) LIKE '/build/jobs/%')" \
	"UPDATE file SET path = CAST(replace(CAST(path AS TEXT), '/build/jobs', '$moved') AS BLOB)
	 WHERE CAST(path AS TEXT) LIKE '/build/jobs%'" \
	"UPDATE string SET s = CAST(replace(CAST(s AS TEXT), '/build/jobs', '$moved') AS BLOB)
	 WHERE instr(CAST(s AS TEXT), '/build/jobs')"
differ "in another directory" 4.db moved.db
options=(--map "/build/jobs=$moved")
differ "as it is told" 4.db moved.db
options=()

etrace diff --json --times 20 1.db 4.db > answer
result $? "other times are no difference"
ends 2 "what no map is" etrace diff --map /build 1.db 4.db
ends 2 "no such trace" etrace diff 1.db none.db

# The examples of the man page.
zstd -dqo old.fxt "$FIXTURES/jobs-4/module.fxt.zst"
zstd -dqo build.fxt "$FIXTURES/jobs-flag/module.fxt.zst"
line=$(sed -n 's/^etrace diff .*/&/p' "$ANSWERS/../../../Documentation/etrace-diff.1" | sed 's/\\-/-/g')
check "etrace-diff.1: $line" bash -c "$line | grep -q ."
etrace diff "$FIXTURES/ninja/module.fxt.zst" "$FIXTURES/make/module.fxt.zst" > once
etrace diff "$FIXTURES/ninja/module.fxt.zst" "$FIXTURES/make/module.fxt.zst" > again
same "the same in each run" once again

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
check "a variable is the root" grep -qx '   V: was 1, is 2' text
check "an output of the same size and another content" grep -q '/two/o: different content, because of 1$' text
check "one that is the same is not told" sh -c '! grep -q "two/p" text'
etrace diff --json 1.fxt 3.fxt > json
check "an output of another size, as JSON" python3 -c '
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
same "variables that both have recorded are compared" ours truth
rm two/o
etrace diff 1.fxt 2.fxt > text
check "what is not known is said" grep -q '^outputs:  1 of the same size could not be compared' text

# The variables that a differing program sets for the programs it calls, and their directory.
mkdir given
echo 'int main(void) { return X - X; }' > given/app.c
cat > given/build.sh <<'END'
gcc -DX=$1 -o app app.c
mkdir "in-$2" && cd "in-$2" && cat $3 > /dev/null
END
given() { (cd given && rm -rf in-* && etrace run -q --backend=strace -o "../given-$1.fxt" -- sh build.sh "${@:2}"); }
given 1 1 here '../app ../app.c'
given 2 2 there '../app.c ../app'
etrace diff given-1.fxt given-2.fxt > text
check "what a program gives to those that it calls is no root" [ "$(grep -c '^[0-9]*\. ' text)" = 1 ]
check "another directory, and another order" [ "$(grep -A3 ':  cat ' text)" = \
	"different arguments, different directory:  cat ../app.c ../app
    the same ones, in another order or number
    - in $PWD/given/in-here
    + in $PWD/given/in-there" ]

# Random names of temporary files, including files that were never made.
cat > given/drawn.sh <<'END'
mkdir .tmp_$$ && cp app.c .tmp_$$/x.c && cc -E .tmp_$$/x.c -DX=0 > .tmp_$$/x.i; rm -r .tmp_$$
dir=$(mktemp -d step-XXXXXX.dir) && cat app.c "$dir" "${dir%.dir}" "${dir%.dir}." > /dev/null 2>&1
rm -r $dir; dir=$(mktemp -d rustcXXXXXX) && cat app.c "$dir/x" > /dev/null 2>&1
rm -r $dir; echo kept > kept-$1
END
drawn() { (cd given && rm -f kept-* && etrace run -q --backend=strace -o "../drawn-$1.fxt" -- sh drawn.sh "$2"); }
drawn 1 7001
drawn 2 7001
drawn 3 7002
etrace diff drawn-1.fxt drawn-2.fxt > text
check "what is drawn anew in temporary names is no difference" sh -c '! grep -q "^1\.\|^different" text'
etrace diff drawn-1.fxt drawn-3.fxt > text
check "a name that stays counts" grep -q '^output:  .*/kept-7002: only in the second' text

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
check "arguments of a program, each in the directory of its build" \
	[ "$(grep -A2 '^different arguments.*:  cat ' text | sed 's/.*:  //')" = \
	"cat '$PWD/own two/a' '$PWD/own two/w-2' $PWD/own/a
    - $PWD/own/w-1
    + '$PWD/own two/w-2' $PWD/own/a" ]
check "words of a shell's command, also with a blank in the directory" \
	[ "$(grep -A2 '^different arguments:  /bin/sh ' text | sed 1d)" = "    - '\"$PWD/own/w-1\"'
    + '\"$PWD/own two/w-2\"' $PWD/own/a" ]
etrace diff --json own-1.fxt own-2.fxt > json
check "as JSON, too" python3 -c '
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
	(cd $dir && etrace run -q --backend=strace -o ../$dir.fxt -- make -k note) > said 2>&1
done
# failed WHERE WHICH ONE OTHER: WHICH failed, so some files exist only in WHERE
failed()
{
	etrace diff "$3.fxt" "$4.fxt" > text
	check "$2 failed: one root" [ "$(grep -c '^[0-9]*\. ' text)" = 1 ]
	check "and it is the source" grep -q '^1\. .*/x\.c: different size$' text
	check "which says who failed" grep -q "^   in the $2 cc1 failed on it, with exit status 1\$" text
	sed -n 's/^output:  .*\(works\)\//\1 /p' text > ours
	printf 'works %s\n' "app: only in the $1, because of 1" "note: only in the $1, because of 1" \
		"x.o: only in the $1, because of 1: in the $2 cc1 failed on it, with exit status 1" > truth
	sed -i 's/fails/works/' ours
	same "$2 failed: what was not made" ours truth
}
failed first second works fails
failed second first fails works
etrace diff --json works.fxt fails.fxt > json
check "who failed, as JSON" python3 -c '
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
	(cd $dir || exit; [ $dir = ends ] || : > dies; etrace run -q --backend=strace -o ../$dir.fxt -- sh b.sh) > said 2>&1
done
etrace diff ends.fxt dies.fxt > text
check "a script that was killed: one root" [ "$(grep -c '^[0-9]*\. ' text)" = 1 ]
check "and how" grep -q '^   in the second .* failed on it, with SIGSEGV$' text
check "and what it did not make" grep -q '/ends/p: only in the first, because of 1$' text

# By content, if both recordings have it: the same content is no difference, whatever the time.
mkdir held held/bin
cat > held/Makefile <<'END2'
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
make_lib() { echo "int value(void) { return $1; }" | gcc -shared -fPIC -o held/bin/libvalue.so -xc -; }
make_lib 3
# shellcheck disable=SC2016
gcc -o held/bin/cc cc.c -Lheld/bin -lvalue -Wl,-rpath,'$ORIGIN'
echo one > held/app.c
echo two > held/app.h
echo three > held/lib.c
# held NAME: record the build, with and without the contents of its files.
held()
{
	(cd held && PATH=$PWD/bin:$PATH etrace run -q --backend=strace -o "../$1.fxt" -- make -B > ../said) ||
		cat said
	hashed "$1.db" "$1.fxt"
}
# kept FILE COMMAND...: run the command, then restore the time of the file
kept()
{
	touch -r "held/$1" stamp
	"${@:2}"
	touch -r stamp "held/$1"
}
at=$(pwd -P)/held
held h1
touch held/app.h held/lib.c held/Makefile held/bin/cc
held h2
differ "content: only touched" h1.db h2.db
etrace diff h1.fxt h2.fxt > text
check "without it, by time" grep -q "^1\. $at/bin/cc: changed or touched$" text
line='files are compared by size and time of last change: the'
check "which is said once, at the end" [ "$(tail -n 1 text)|$(grep -c '^files are' text)" = \
	"$line builds recorded no contents (etrace run --hash)|1" ]
etrace diff h1.db h2.fxt > text
check "if the second has none" [ "$(tail -n 1 text)" = "$line second build recorded no contents (etrace run --hash)" ]
etrace diff h1.fxt h2.db > text
check "if the first has none" [ "$(tail -n 1 text)" = "$line first build recorded no contents (etrace run --hash)" ]
changed h2b.db h2.db "DELETE FROM content WHERE version IN
	(SELECT id FROM version WHERE file = $(of "$at/lib.c"))"
differ "content: where it is not known, by time" h1.db h2b.db "file time $at/lib.c"
etrace diff h1.db h2b.db > text
check "and that, too" grep -qx "${line%%:*} where no content was recorded" text
etrace diff h1.db h2.db > text
check "nothing is said if nothing went by it" [ ! -s text ]

kept app.h sh -c 'echo owt > held/app.h'
held h3
differ "content: another one of the same size and time" h2.db h3.db "file content $at/app.h"
etrace diff h2.fxt h3.fxt > text
check "of which nothing else knows" sh -c '! grep -q app.h: text'
options=(--sizes)
differ "content: with --sizes, too" h2.db h3.db "file content $at/app.h"
options=()
etrace diff h2.db h3.db > text
check "in words" grep -qx "1\. $at/app.h: its content differs" text
check "and what follows" grep -qx "output:  $at/app.o: different content, because of 1" text
check "and not what does not" sh -c '! grep -q lib.o text'
cat answer >> held.json
kept bin/libvalue.so make_lib 4
held h4
differ "content: a library" h3.db h4.db "file content $at/bin/libvalue.so"
kept bin/cc sed -i 's/app\.h/bpp.h/' held/bin/cc
kept app.h cp held/app.h held/bpp.h
held h5
differ "content: a program" h4.db h5.db "file content $at/bin/cc"
cat answer >> held.json

# Where a build stops being reproducible: everything is equal, except for the output.
cat > held/Makefile <<'END2'
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
echo 'int a = 1;' > held/app.c
printf '#!/bin/sh\ndate +%%s%%N\n' > held/say
chmod +x held/say
rm held/bin/cc
held s1
echo 'int a = 2;' > held/app.c
held s2
etrace diff s1.db s2.db > text
grep '^[0-9]\. \|^   by\|^   here\|^   this is' text > ours
cat > truth <<END2
1. $at/stamp.h: different content, made from the same inputs
   by  date +%s%N
   here the build stops being reproducible: its arguments, program, inputs and environment
2. $at/log: different content, made from the same inputs
   by  /bin/sh -c 'echo begun > log; date +%N | cat >> log; echo end >> log'
   this is not reproducible, either
3. $at/app.c: its content differs
END2
same "the steps that are not reproducible, and then the rest" ours truth
etrace diff --json s1.db s2.db > answer
cat answer >> held.json
check "which step it is, as JSON" python3 -c '
import json
roots = [r for r in map(json.loads, open("answer")) if "root" in r]
assert [r.get("reproducible") for r in roots] == [False, False, None], roots
assert [r["kind"] for r in roots] == ["output", "output", "file"], roots
assert {r["by"] for r in roots} == {"content"}, roots
assert roots[0]["second"]["arguments"] == ["date", "+%s%N"], roots'
# Three steps wrote a file: it is not known which one made the difference, so none is blamed.
cat > held/Makefile <<'END2'
log:
	echo begun > log
	date +%N >> log
	echo end >> log
END2
held l1
held l2
etrace diff l1.db l2.db > text
check "no step is blamed for what another may have done" sh -c \
	'grep -q "log: different content" text && ! grep -q reproducible text'
# If it is known, blame the one that wrote the first differing version.
at_log=$(of "$at/log")
for n in 1 2; do
	sqlite3 l$n.db "INSERT INTO content SELECT id, 1, CASE rank WHEN 1 THEN printf('%064d', 1) ELSE
		printf('%064d', 10 * rank + $n) END, printf('%064d', 1), NULL FROM
		(SELECT id, row_number() OVER (ORDER BY id) AS rank FROM version WHERE made AND file = $at_log)"
done
etrace diff l1.db l2.db > text
check "but the first of which it is known" grep -A1 '^   by  date +%N$\|^   by .*date +%N >> log.$' text
# A compiler that adds the time: it runs the same way, but a program that it calls differs.
cat > held/Makefile <<'END2'
app: app.o lib.o
	gcc -o app app.o lib.o
app.o: app.c
	cc -c app.c
lib.o: lib.c
	cc -c lib.c
END2
cat > held/bin/cc <<'END2'
#!/bin/sh
exec gcc -DAT="\"$(date +%N)\"" "$@"
END2
chmod +x held/bin/cc
echo 'int main(void) { return 0; }' > held/app.c
echo 'const char *at = __TIME__;' > held/lib.c
held c1
sleep 1.1
held c2
etrace diff c1.db c2.db > text
check "a wrapper that adds the time" [ "$(sed -n '4p;5s/:.*//p' text)" = \
	"   by  /bin/sh $at/bin/cc -c lib.c
   here the build stops being reproducible" ]
check "nothing but what holds another content goes on" grep -qx "output:  $at/app: different [a-z]*, because of 1" text
# Between the parts of a compiler is a temporary file that is gone, so the whole compiler is named.
ln -sf "$(command -v gcc)" held/bin/cc
held g1
sleep 1.1
held g2
etrace diff g1.db g2.db > text
check "a compiler that adds the time" [ "$(sed -n '1,2p' text)" = \
	"1. $at/lib.o: different content, made from the same inputs
   by  cc -c lib.c" ]
# A script that tries things with its own make, as cmake does: all of that belongs to it.
cat > held/Makefile <<'END2'
log: found
	date +%N > log
END2
cat > held/conf <<'END2'
#!/bin/sh
dir=$(mktemp -d try-XXXXXX)
printf 'all:\n\t@echo %s\n' "$dir" > "$dir/Makefile"
echo "found $(make -s -C "$dir")" > found
rm -r "$dir"
END2
chmod +x held/conf
# steps NAME COMMAND: record it, with contents
steps()
{
	(cd held && etrace run -q --backend=strace --no-env --hash -o "../$1.fxt" -- sh -c "$2" > ../said) || cat said
	etrace db -o "$1.db" "$1.fxt"
}
for n in 1 2; do
	steps t$n 'rm -f log; ./conf; make -s'
done
etrace diff t1.db t2.db > text
sed -n 's/^   by  //p; /^   here the build/p; /^   this is/p' text > ours
cat > truth <<'END2'
/bin/sh ./conf
   here the build stops being reproducible: its arguments, program, inputs and environment
date +%N
   this is not reproducible, either
END2
same "what came first is named first, with all that it called" ours truth
# What it reads after the call that differs is a consequence of it.
cat > held/conf <<'END2'
#!/bin/sh
cat $SOME a.in > found
read -r word < found
echo "$word" > seen
END2
echo one > held/a.in
for some in -n -E; do
	SOME=$some steps u$some './conf; cat seen'
done
etrace diff u-n.db u-E.db > text
check "a call that differs, by one that saw no difference before" [ "$(sed 's/^\(   here the build\).*/\1/;5q' text)" = \
	"1. different arguments:  cat -E a.in
    - -n
    + -E
   by  /bin/sh ./conf
   here the build" ]
etrace diff u-n.fxt u-E.fxt > text
check "without contents, too, who called it is said" grep -qx '   by  /bin/sh ./conf' text
etrace diff s1.fxt s2.fxt > text
check "without contents, nobody says so" sh -c '! grep -q reproducible text'
check "the JSON has its form" \
	"$ANSWERS/../unit/json_schema.py" --part "$ANSWERS/../../../Documentation/answers.schema.json" held.json
