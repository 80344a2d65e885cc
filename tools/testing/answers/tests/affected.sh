#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace affected: what ninja remakes after a header was touched, new files, changes listed by git,
# and tests, by their commands and by their CTest names.

. "${0%/*}/../lib.sh"

old=$FIXTURES/rebuild-old
for backend in module bpf; do
	etrace affected --format=list "$old/$backend.fxt.zst" /build/rebuild/src/include/shapes.h |
		sed -n 's,^/build/rebuild/out/,,p' | grep -v '^\.ninja\|/\.' | sort > ours
	# The lines of "ninja -d explain": "ninja explain: PATH is dirty".
	sed -n 's/^ninja explain: \(.*\) is dirty$/\1/p' "$FIXTURES/rebuild-touched/$backend.explained" | sort -u > expected
	same "$backend: a touched header affects what ninja rebuilds" expected ours
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

# check_affected NAME EXPECTED ARGUMENT...: check the outputs, joined in one line.
check_affected()
{
	(cd src && etrace affected --format=list ../x.fxt "${@:3}") 2> err | sed 's,.*/,,' | paste -sd' ' > ours
	echo "$2" > expected
	same "$1" expected ours
}

check_affected "a source affects its output" one one.txt
check_affected "a file that no program read affects nothing" "" unused.txt
check_affected "a new file that a program looked for affects its output" foo a/foo.h
check_affected "a new file that was looked for through .. affects its output" up a/up.h
check_affected "the missing target of a symbolic link affects the link" link nobody.txt
check_affected "a file copied through a memfd affects its output" memory memory.txt
check_affected "a new file in a listed directory affects the listing" list t/new.txt
check_affected "a new file in another directory affects nothing" "" b/new.txt
echo more >> src/two.txt
check_affected "--git: a changed file affects its output" two --git HEAD
echo 'not there before' > src/a/foo.h
check_affected "--git: an untracked file affects its output" "foo two" --git HEAD
rm src/one.txt
check_affected "--git: a deleted file affects its output" "foo one two" --git HEAD
(cd src && etrace affected --git HEAD --format=ctest ../x.fxt) > ours
printf '%s\n' "first one" second > expected
same "--format=ctest lists the names of affected tests" expected ours
(cd src && etrace affected --tests '/bin/grep *' --format=list ../x.fxt two.txt) > ours
echo "/bin/grep -q two ../out/two" > expected
same "--tests lists the commands of affected tests" expected ours
mv src moved
(cd moved && etrace affected --map "$PWD=$OLDPWD/src" --format=list ../x.fxt two.txt) | sed 's,.*/,,' > ours
echo two > expected
same "--map finds the outputs of a moved tree" expected ours
ends 2 "no files at all are a usage error" etrace affected x.fxt
ends 2 "an unknown revision is an error" sh -c 'cd moved && etrace affected --git nosuch ../x.fxt'
(cd moved && etrace affected --json ../x.fxt two.txt --map "$PWD=$OLDPWD/src") > json
check "the JSON lists the affected output, its commands and no tests" python3 -c '
import json
a = json.load(open("json"))
assert [p.rsplit("/", 1)[1] for p in a["outputs"]] == ["two"], a
assert len(a["commands"]) >= 2 and a["tests"] == [], a'

# A trace without directory listings.
(cd moved && etrace run -q --backend=strace -o ../y.fxt -- sh -c 'cat two.txt > ../out/two')
ends 1 "the exit status is 1 if directory listings were not recorded" \
	sh -c 'cd moved && etrace affected ../y.fxt new.txt'
