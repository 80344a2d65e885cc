#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace affected: what ninja remakes after a header was touched, new files, changes listed by git,
# and tests, by their commands and by their CTest names.

. "${0%/*}/../lib.sh"

old=$FIXTURES/rebuild-old
for by in module bpf; do
	etrace affected --format=list "$old/$by.fxt.zst" /build/rebuild/src/include/shapes.h |
		sed -n 's,^/build/rebuild/out/,,p' | grep -v '^\.ninja\|/\.' | sort > is
	# The lines of "ninja -d explain": "ninja explain: PATH is dirty".
	sed -n 's/^ninja explain: \(.*\) is dirty$/\1/p' "$FIXTURES/rebuild-touched/$by.explained" | sort -u > was
	same "$by: as ninja says" was is
done

# A source tree in git, its outputs, and two tests.
mkdir -p src/a src/b src/t out
echo '#define X 1' > src/b/foo.h
echo one > src/one.txt
echo two > src/two.txt
echo unused > src/unused.txt
echo listed > src/t/there
cat > src/build.sh <<'END'
cat one.txt > ../out/one
cat two.txt > ../out/two
ls t > ../out/list
cat a/foo.h b/foo.h > ../out/foo 2> /dev/null
(cd t; cat ../a/.././a/up.h there > ../../out/up 2> /dev/null)
ln -s ../src/nobody.txt ../out/link
/usr/bin/python3 memory.py
cat CTestTestfile.cmake > /dev/null
/bin/grep -q one ../out/one
/bin/grep -q two ../out/two
END
cat > src/memory.py <<'END'
import os
fd = os.memfd_create("copy")
os.write(fd, open("memory.txt", "rb").read())
out = os.open("../out/memory", os.O_CREAT | os.O_WRONLY, 0o644)
os.sendfile(out, fd, 0, 7)
END
echo memory > src/memory.txt
cat > src/CTestTestfile.cmake <<'END'
add_test([=[first one]=] "/bin/grep" "-q" "one" "../out/one")
set_tests_properties([=[first one]=] PROPERTIES  LABELS "x")
add_test(second "/bin/grep" "-q" "two" "../out/two")
END
(
	cd src || exit
	git -c init.defaultBranch=main init -q
	git add -A
	git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q -m a
)
(cd src && etrace run -q --backend=strace --record=dirs,probes --to fxt -o ../x.fxt -- sh build.sh)

# affects NAME EXPECTED ARGUMENT...: check the outputs, joined in one line.
affects()
{
	(cd src && etrace affected --format=list ../x.fxt "${@:3}") 2> err | sed 's,.*/,,' | paste -sd' ' > is
	echo "$2" > was
	same "$1" was is
}

affects "one file" one one.txt
affects "what nobody read affects nothing" "" unused.txt
affects "a file that was looked for in vain" foo a/foo.h
affects "one that was asked for by way of .." up a/up.h
affects "what a symbolic link leads to, and nobody read" link nobody.txt
affects "what went through memory, and was copied from there" memory memory.txt
affects "a file in a directory that was listed" list t/new.txt
affects "a file in one that was not" "" b/new.txt
echo more >> src/two.txt
affects "what git says has changed" two --git HEAD
echo 'not there before' > src/a/foo.h
affects "and what it does not track" "foo two" --git HEAD
rm src/one.txt
affects "and what is gone" "foo one two" --git HEAD
(cd src && etrace affected --git HEAD --format=ctest ../x.fxt) > is
printf '%s\n' "first one" second > was
same "tests by their names" was is
(cd src && etrace affected --tests '/bin/grep *' --format=list ../x.fxt two.txt) > is
echo "/bin/grep -q two ../out/two" > was
same "tests by their commands" was is
mv src moved
(cd moved && etrace affected --map "$PWD=$OLDPWD/src" --format=list ../x.fxt two.txt) | sed 's,.*/,,' > is
echo two > was
same "a tree that has moved" was is
ends 2 "no file" etrace affected x.fxt
ends 2 "no such revision" sh -c 'cd moved && etrace affected --git nosuch ../x.fxt'
(cd moved && etrace affected --json ../x.fxt two.txt --map "$PWD=$OLDPWD/src") > json
check "JSON" python3 -c '
import json
a = json.load(open("json"))
assert [p.rsplit("/", 1)[1] for p in a["outputs"]] == ["two"], a
assert len(a["commands"]) >= 2 and a["tests"] == [], a'

# A trace without directory listings.
(cd moved && etrace run -q --backend=strace -o ../y.fxt -- sh -c 'cat two.txt > ../out/two')
ends 1 "what was not recorded" sh -c 'cd moved && etrace affected ../y.fxt new.txt'
