#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Recorded here and now by strace: the truths of the flows, of gcc and of make; and the
# same from a log that somebody else has made with it.

. "${0%/*}/../lib.sh"

if ! etrace doctor --backend=strace > said; then
	echo "skip: strace: $(head -n 1 said)"
	exit
fi
export LC_ALL=C TMPDIR=$PWD
top=$(pwd -P)

# recorded NAME COMMAND...: by etrace, complete, and with the command's own status
recorded()
{
	check "$1 is recorded whole" etrace run -q --strict --backend=strace -o "$top/$1.fxt" -- "${@:2}"
}

# ---- every way in which data gets from file to file ----

mkdir flows
cp -r "$ANSWERS/projects/flows" flows/src
cp -r flows/src/in flows/in
# Older than what is made of them.
find flows -exec touch -h -d 2024-01-01T00:00:00Z {} +
cd flows || exit
src/flows truth | sort > ../truth
recorded flows src/flows run
cd ..
sed 's/^\({"output":"[^"]*",\).*/\1/' truth > outputs
etrace deps --leaves --all --json flows.fxt > all
grep -F -f outputs all | sort > ours
same "leaves of $(wc -l < truth) outputs of flows" ours truth

# ---- a build: what gcc and make say, and a log of strace's ----

mkdir build
cd build || exit
for i in 1 2 3; do
	printf '#include <stdio.h>\n#include "part.h"\nint part%d(void) { return puts(NAME); }\n' $i > part$i.c
done
echo '#define NAME "part"' > part.h
echo 'int part1(void); int main(void) { return part1(); }' > main.c
printf 'CFLAGS = -MMD -MF $@.d\nall: main\nlibparts.a: part1.o part2.o part3.o\n\tar rc $@ $^\nmain: main.o libparts.a\n\t$(CC) -o $@ $^\n' > Makefile
printf '#!/bin/sh -e\nmake -s "$@"\n' > wrapper
chmod +x wrapper
make -n | grep -c '\-c -o' > compiled
recorded build ./wrapper -j2
sed -e 's/^[^:]*://' -e 's/\\$//' part1.o.d | xargs realpath | grep -v '/part1.o$' | sort > ours-of-gcc
etrace deps --direct ../build.fxt "$top/build/part1.o" | sort > ours
sed -i '/^$/d' ours-of-gcc
# gcc leaves out the headers of the system with -MMD.
grep -v /usr/ ours > own
same "the sources of part1.o are those that gcc names" own ours-of-gcc
etrace deps --leaves ../build.fxt "$top/build/main" | grep "^$top" | sort > ours
printf '%s\n' main.c part.h part1.c part2.c part3.c | sed "s|^|$top/build/|" > truth
same "the sources of the program" ours truth
etrace compdb ../build.fxt > ../compdb.json
check "as many compile commands as make runs" python3 -c '
import json, sys
rows = json.load(open("../compdb.json"))
print(len(rows), open("compiled").read())
sys.exit(len(rows) != int(open("compiled").read()) or
         any(r["directory"] != sys.argv[1] for r in rows))' "$top/build"
etrace-read --to json ../build.fxt > events
check "a script is its interpreter, with the arguments that this gets" \
	grep -q '"argv":\["/bin/sh","-e","./wrapper","-j2"\]' events

find . -name '*.o' -delete -o -name '*.a' -delete -o -name main -delete
strace -f -y -ttt -s 131072 -o ../log ./wrapper -j2
for ask in "deps --leaves" "deps --direct"; do
	# shellcheck disable=SC2086
	etrace $ask ../build.fxt "$top/build/main" > live
	# shellcheck disable=SC2086
	etrace $ask ../log "$top/build/main" > of-log
	same "$ask of a log of strace -f" of-log live
done
etrace compdb ../log > of-log
check "compile commands of a log" python3 -c '
import json, sys
def rows(name):
    return sorted((r["directory"], r["file"]) for r in json.load(open(name)))
print(rows("of-log"), rows("../compdb.json"))
sys.exit(rows("of-log") != rows("../compdb.json"))'
find . -name '*.o' -delete -o -name '*.a' -delete -o -name main -delete
strace -ff -y -ttt -s 131072 -o ../each ./wrapper -j2
etrace-read -o ../each.fxt ../each.*
check "logs of strace -ff are read" test -s ../each.fxt
etrace deps --leaves ../each.fxt "$top/build/main" > of-logs
etrace deps --leaves ../build.fxt "$top/build/main" > live
same "leaves by logs of strace -ff" of-logs live
cd ..

# ---- nothing is left, and the command is as it would be without ----

check "nothing is left in TMPDIR" test -z "$(find . -maxdepth 1 -name 'etrace.*')"
ends 3 "the status of the command" etrace run -q --backend=strace -o s.fxt -- sh -c 'exit 3'
ends 143 "a command that a signal ended" etrace run -q --backend=strace -o s.fxt -- sh -c 'kill -TERM $$'
ends 127 "a command that is not there" etrace run -q --backend=strace -o s.fxt -- no-such-program
ends 126 "a command that cannot be run" etrace run -q --backend=strace -o s.fxt -- ./truth
ends 125 "attach, which strace cannot" etrace attach --backend=strace -o s.fxt $$
check "descriptors of ours do not reach the command" \
	test "$(etrace run -q --backend=strace -o s.fxt -- sh -c 'ls /proc/self/fd' | wc -l)" = \
	"$(sh -c 'ls /proc/self/fd' | wc -l)"

# What outlives the command is told, and lives on.
mkfifo end
# shellcheck disable=SC2016
etrace run --backend=strace -o s.fxt -- sh -c 'cat end > /dev/null 2>&1 & echo $! > pid
	until grep -q "(cat) [SD]" /proc/$!/stat; do sleep 0.05; done' 2> told
check "who outlives the command is told" grep -q "cat \[$(cat pid)\] outlives the command" told
check "and lives on" kill -0 "$(cat pid)"
echo 1<> end
for _ in $(seq 1200); do
	kill -0 "$(cat pid)" 2> /dev/null || break
	sleep 0.1
done
check "and ends by itself" sh -c "! kill -0 $(cat pid) 2> /dev/null"
