#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace run --hash, by strace: files that are changed in all ways have no wrong hash; and what
# is known by the hashes from the recording to the answers.

. "${0%/*}/../lib.sh"

command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null ||
	{ echo "skip: strace cannot trace here"; exit; }
export XDG_CACHE_HOME=$PWD/cache
run() { etrace run -q --hash --hash-cache="$PWD/hashes" --backend=strace "$@"; }
torture=$ANSWERS/../selftests/run

check "the program that changes files is built" \
	gcc -std=gnu17 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -o hashed "$torture/hashed.c"
for seed in 1 2; do
	mkdir -p "d$seed"/{truth,locks}
	for n in 0 1 2; do
		head -c 4096 /dev/urandom > "d$seed/outside-$n"
	done
	./hashed outside "d$seed" &
	outside=$!
	ends 0 "seed $seed: it is recorded" run -o t.db -- "$PWD/hashed" all "d$seed" 30 $seed
	touch "d$seed/stop"
	wait $outside
	check "seed $seed: no hash is wrong" python3 "$torture/hashed.py" t.db "d$seed"
done

# hash_of FILE: as the database has it, of what the name stands for in the end
hash_of()
{
	sqlite3 "$1" "SELECT c.sha256 FROM final n JOIN file f ON f.id = n.file
		JOIN content c ON c.version = n.version WHERE f.path = CAST('$2' AS BLOB)
		ORDER BY c.rowid DESC LIMIT 1"
}

mkdir src
printf '#include "n.h"\nint main(void) { return N; }\n' > src/a.c
echo '#define N 0' > src/n.h
cd src || exit
build='gcc -c a.c; gcc -o a a.o; ./a; date +%N > stamp; tr a-z A-Z < n.h > upper; mv upper moved'
ends 0 "a build" run -o ../first.fxt -o ../first.etrace -o ../first.json -- sh -c "$build"
cp a.o first.o
etrace db -o ../first.db ../first.fxt
for f in a.c n.h a.o a stamp moved; do
	check "$f: its hash" test "$(hash_of ../first.db "$PWD/$f")" = "$(sha256sum < $f | cut -d' ' -f1)"
done
etrace-read --to fxt -o ../of-lines.fxt ../first.etrace
etrace db -o ../of-lines.db ../of-lines.fxt
etrace-read --to etrace ../first.fxt | grep -c '!HS|' > ../in-fxt
grep -c '!HS|' ../first.etrace > ../in-lines
same "FXT has the hashes of the lines" ../in-fxt ../in-lines
check "through lines: the same hash" test "$(hash_of ../of-lines.db "$PWD/a.o")" = "$(hash_of ../first.db "$PWD/a.o")"
check "JSON has it, too" grep -q "\"sha256\":\"$(hash_of ../first.db "$PWD/a.o")\"" ../first.json

# a change of mode or owner explains a later ctime, and is no change of content
ends 0 "a build that changes modes and owners" run -o ../owner.db -- sh -c \
	'echo o > o; chown "$(id -u)" o; cat o > p; chgrp "$(id -g)" o; chmod 600 o; ln -s p l; chown "$(id -u)" l; cat l'
for f in o p; do
	check "$f: its hash, with another owner" test "$(hash_of ../owner.db "$PWD/$f")" = "$(sha256sum < $f | cut -d' ' -f1)"
done
check "another owner makes no other version" test 1 = "$(sqlite3 ../owner.db "SELECT count(*) FROM version v
	JOIN file f ON f.id = v.file WHERE f.path = CAST('$PWD/o' AS BLOB) AND v.made IN (1, 2)")"
check "the changes of owner are told, by a link too" test "o p " = "$(sqlite3 ../owner.db "SELECT DISTINCT
	replace(CAST(f.path AS TEXT), '$PWD/', '') FROM change c JOIN file f ON f.id = c.file
	JOIN word w ON w.of = 'what' AND w.number = c.what WHERE w.word = 'chown' ORDER BY 1" | tr '\n' ' ')"

# a large file is hashed after the build has ended
ends 0 "a large file" run -o ../large.etrace -- sh -c 'head -c 100000000 /dev/zero > large'
rm large
check "times never go back" awk -F'[,!]' '$3 < s || ($3 == s && $4 < ns) { exit 1 } { s = $3; ns = $4 }' ../large.etrace
check "the large file is hashed" grep -q '^[0-9,]*!HS|a993f8c574e0fea8c1cdcbcd9408d9e2e107ee6e4d120edcfa11decd53fa0cae' ../large.etrace

touch a.c
ends 0 "the same build again" run -o ../second.fxt -- sh -c "$build"
ends 3 "they differ" bash -c 'etrace diff ../first.fxt ../second.fxt > ../diff'
check "in the stamp" grep -q '^1. .*/stamp: different content' ../diff
check "and nowhere else" bash -c '! grep -v stamp ../diff | grep "^[0-9]*\. "'
check "a touched file is no cause" bash -c '! etrace rebuilt ../first.fxt ../second.fxt | grep "a.c.*time"'

ends 0 "an attestation" bash -c 'etrace attest --slsa ../second.fxt > ../slsa.json'
check "is complete" grep -q '"complete":true' ../slsa.json
ends 0 "input manifests" bash -c 'etrace attest --omnibor ../omnibor ../second.fxt > ../list'
blob() { { printf 'blob %s\0' "$(stat -c %s "$1")"; cat "$1"; } | sha256sum | cut -d' ' -f1; }
manifest=$(awk -F'\t' -v f="$PWD/a.o" '$1 == f { sub(/.*:/, "", $3); print $3 }' ../list)
check "that of a.o names a.c and n.h" bash -c "f=../omnibor/manifests/gitoid_blob_sha256/${manifest:0:2}/${manifest:2}
	grep -q $(blob a.c) \$f && grep -q $(blob n.h) \$f"
cd ..

# What a program outside of the recording changes
echo old > in
(until [ -e src/begun ]; do sleep 0.05; done; sleep 2; echo new > in; touch src/changed) &
ends 0 "an input that is changed between two reads" run -o changed.fxt -- sh -c \
	'cat in > one; touch src/begun; until [ -e src/changed ]; do sleep 0.05; done; cat in > two'
wait
etrace check changed.fxt > findings
check "is found" grep -q "$PWD/in" findings
(until [ -e src/made ]; do sleep 0.05; done; sleep 2; echo longer > made; touch src/written) &
ends 0 "a file that was made, and is changed between two reads" run -o foreign.fxt -- sh -c \
	'echo x > made; cat made > one; touch src/made; until [ -e src/written ]; do sleep 0.05; done; sleep 1; cp made two'
wait
etrace check foreign.fxt > findings
check "is found, with who wrote and who read it" [ "$(grep -A2 /made: findings)" = \
	"changed: $PWD/made: held something else later, and the build did not change it
  first   sh -c 'echo x > made; cat made > one; touch src/made; until [ -e src/written ]; do sleep 0.05; done; sleep 1; cp made two'
  then    cp made two" ]
