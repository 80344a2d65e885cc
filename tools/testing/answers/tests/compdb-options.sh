#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace compdb and its options, on small builds that are recorded here and now by strace.

. "${0%/*}/../lib.sh"

if ! etrace doctor --backend=strace > said; then
	echo "skip: strace: $(head -n 1 said)"
	exit
fi
export LC_ALL=C
top=$(pwd -P)

# recorded NAME [OPTION]...: standard input is a script for sh, which runs in directory NAME
recorded()
{
	mkdir "$1"
	cat > "$1.sh"
	check "$1 is recorded" env -C "$1" \
		etrace run -q --backend=strace "${@:2}" -o "$top/$1.fxt" -- sh "$top/$1.sh"
}

# count PATTERN FILE: how many lines have it
count() { grep -c -e "$1" "$2"; }

# ---- --style=cmake: as clang and a shell read it ----

recorded quote << 'END'
echo 'int x;' > a.c
gcc "-DC='/'" '-DS="a b"' -DE= '-DD=a\b' '-DX=$HOME`' "-DY=it's" '-DN=1 \
2' '-DT=a	b' '-DU=\\' -I '' -c a.c
END
etrace compdb quote.fxt > arguments
etrace compdb --style=cmake quote.fxt > cmake
check "style cmake: a shell's words are the arguments" python3 - <<- 'END'
	import json, shlex
	ours, cmake = [json.load(open(name)) for name in ("arguments", "cmake")]
	assert len(ours) == 1 and "" in ours[0]["arguments"], ours
	assert shlex.split(cmake[0]["command"]) == ours[0]["arguments"], cmake
END

# ---- --update ----

recorded update << 'END'
echo 'int x;' > a.c
echo 'int y;' > b.c
gcc -c a.c
gcc -c b.c -o b2.o
END
dir=$top/update
cat > list << END
[{"directory": "$dir", "file": "a.c", "command": "no output"},
 {"directory": "$dir", "file": "a.c", "command": "same", "output": "./a.o"},
 {"directory": "$dir", "file": "a.c", "command": "stays", "output": "other.o"},
 {"directory": "$dir", "file": "b.c", "command": "stays", "output": "a.o"},
 {"directory": "$dir", "file": "x.c", "command": "stays"},
 {"directory": "$dir", "file": "x.c", "command": "stays too"}]
END
check "update" etrace compdb --update list update.fxt
check "update: by file and output; by file alone where an entry says no output" \
	test "$(count '"stays' list) $(count 'same\|no output' list) $(count '"file"' list)" = "4 0 6"
: > list
check "update: an empty file is an empty list" etrace compdb --update list update.fxt
check "update: with all entries" test "$(count '"file"' list)" = 2
mkdir behind
ln -s behind/list link
check "update: a symbolic link to nothing" etrace compdb --update link update.fxt
check "update: stays, and leads to the list" test -L link -a -s behind/list
check "update: into another file" etrace compdb --update none -o to update.fxt
check "update: and nothing is left of one that was not there" test ! -e none -a -s to
printf '[{"directory": "/x",\n  "file": 1x}]' > list
cp list expected
ends 2 "update: a damaged file is refused" etrace compdb --update list update.fxt
etrace compdb --update list update.fxt 2> log
check "update: with the line" grep -q 'list: line 2, byte 32: ' log
same "update: and left as it is" expected list

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
	wait "$pid"
	result $? "update: one of eight at once"
done
check "update: all of them are in the list" test "$(count '"file"' list)" = 8
check "update: no other file is left" test "$(echo list*)" = list

# ---- --exists ----

recorded exists << 'END'
echo 'int x;' > gone.c
echo 'int y;' > here.c
gcc -c gone.c
gcc -c here.c
rm gone.c
END
etrace compdb --exists exists.fxt > ours
check "exists: not that whose source is gone" \
	test "$(count 'gone\.c' ours) $(count 'here\.c' ours)" = "0 1"
