#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace run --hash, with strace: no wrong hash, however files are changed; and what the hashes
# tell, from the recording to the answers.

. "${0%/*}/../lib.sh"

command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null ||
	{ echo "skip: strace cannot trace here"; exit; }
export XDG_CACHE_HOME=$PWD/cache
run() { etrace run -q --hash --hash-cache="$PWD/hashes" --backend=strace "$@"; }
torture=$ANSWERS/../selftests/run

check "the program that changes files is built" \
	gcc -std=gnu17 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -o hashed "$torture/hashed.c"
# During seed 2, the recorder is stopped most of the time.
for seed in 1 2; do
	mkdir -p "d$seed"/{truth,locks}
	rm -f recorder
	[ $seed = 1 ] || ./hashed stop recorder &
	for n in 0 1 2; do
		head -c 4096 /dev/urandom > "d$seed/outside-$n"
	done
	./hashed outside "d$seed" &
	ends 0 "seed $seed: the program that changes files is recorded" \
		run -o t.db -- sh -c \
		"echo \$PPID > recorder; exec '$PWD/hashed' all d$seed 30 $seed"
	touch "d$seed/stop"
	wait
	check "seed $seed: no recorded hash is wrong" python3 "$torture/hashed.py" t.db "d$seed"
done

# hash_of DB FILE: the hash in the database of the file that has this name at the end
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
ends 0 "a build is recorded in three formats" \
	run -o ../first.fxt -o ../first.etrace -o ../first.json -- sh -c "$build"
cp a.o first.o
etrace db -o ../first.db ../first.fxt
for f in a.c n.h a.o a stamp moved; do
	check "$f: the hash is recorded" \
		test "$(hash_of ../first.db "$PWD/$f")" = "$(sha256sum < $f | cut -d' ' -f1)"
done
etrace-read --to fxt -o ../of-lines.fxt ../first.etrace
etrace db -o ../of-lines.db ../of-lines.fxt
etrace-read --to etrace ../first.fxt | grep -c '!HS|' > ../in-fxt
grep -c '!HS|' ../first.etrace > ../in-lines
same "FXT and lines have the same number of hashes" ../in-fxt ../in-lines
check "converting from lines to FXT keeps the hash" \
	test "$(hash_of ../of-lines.db "$PWD/a.o")" = "$(hash_of ../first.db "$PWD/a.o")"
check "the JSON has the hash" \
	grep -q "\"sha256\":\"$(hash_of ../first.db "$PWD/a.o")\"" ../first.json

# a change of mode or owner explains a later ctime, and does not change the content
ends 0 "a build that changes modes and owners is recorded" run -o ../owner.db -- sh -c \
	'echo o > o; chown "$(id -u)" o; cat o > p; chgrp "$(id -g)" o; chmod 600 o; ln -s p l; chown "$(id -u)" l; cat l'
for f in o p; do
	check "$f: the hash is recorded after a change of owner or mode" \
		test "$(hash_of ../owner.db "$PWD/$f")" = "$(sha256sum < $f | cut -d' ' -f1)"
done
check "a change of owner does not make a new version" \
	test 1 = "$(sqlite3 ../owner.db "SELECT count(*) FROM version v
	JOIN file f ON f.id = v.file WHERE f.path = CAST('$PWD/o' AS BLOB) AND v.made IN (1, 2)")"
check "changes of owner are recorded, also through a link" \
	test "o p " = "$(sqlite3 ../owner.db "SELECT DISTINCT
	replace(CAST(f.path AS TEXT), '$PWD/', '') FROM change c JOIN file f ON f.id = c.file
	JOIN word w ON w.of = 'what' AND w.number = c.what WHERE w.word = 'chown' ORDER BY 1" | tr '\n' ' ')"

# a large file is hashed after the build has ended
ends 0 "a build with a large file is recorded" \
	run -o ../large.etrace -- sh -c 'head -c 100000000 /dev/zero > large'
rm large
check "the times of the events never decrease" \
	awk -F'[,!]' '$3 < s || ($3 == s && $4 < ns) { exit 1 } { s = $3; ns = $4 }' ../large.etrace
check "a large file that is made last is hashed" \
	grep -q '^[0-9,]*!HS|a993f8c574e0fea8c1cdcbcd9408d9e2e107ee6e4d120edcfa11decd53fa0cae' ../large.etrace

touch a.c
ends 0 "the same build is recorded again" run -o ../second.fxt -- sh -c "$build"
ends 3 "diff finds that the two builds differ" \
	bash -c 'etrace diff ../first.fxt ../second.fxt > ../diff'
check "diff names the time stamp as the root" grep -q '^1. .*/stamp: different content' ../diff
check "diff names no other root" bash -c '! grep -v stamp ../diff | grep "^[0-9]*\. "'
check "rebuilt does not give a touched file as a cause" \
	bash -c '! etrace rebuilt ../first.fxt ../second.fxt | grep "a.c.*time"'

ends 0 "attest --slsa succeeds with recorded hashes" \
	bash -c 'etrace attest --slsa ../second.fxt > ../slsa.json'
check "attest --slsa says that it is complete" grep -q '"complete":true' ../slsa.json
ends 0 "attest --omnibor succeeds with recorded hashes" \
	bash -c 'etrace attest --omnibor ../omnibor ../second.fxt > ../list'
blob() { { printf 'blob %s\0' "$(stat -c %s "$1")"; cat "$1"; } | sha256sum | cut -d' ' -f1; }
manifest=$(awk -F'\t' -v f="$PWD/a.o" '$1 == f { sub(/.*:/, "", $3); print $3 }' ../list)
check "the manifest of a.o names a.c and n.h" \
	bash -c "f=../omnibor/manifests/gitoid_blob_sha256/${manifest:0:2}/${manifest:2}
	grep -q $(blob a.c) \$f && grep -q $(blob n.h) \$f"
cd ..

# What a program that is not recorded changes
echo old > in
# a few clock ticks before the recording, so that the times differ
sleep 0.1
# Before the change, even a slow recorder has looked at the file.
# After it, the next read comes a few clock ticks later.
(until [ -e src/begun ]; do sleep 0.05; done; sleep 4; echo new > in; sleep 0.1; touch src/changed) &
ends 0 "a build whose input is changed from outside is recorded" run -o changed.fxt -- sh -c \
	'cat in > one; touch src/begun; until [ -e src/changed ]; do sleep 0.05; done; cat in > two'
wait
etrace check changed.fxt > findings
check "check finds the input that was changed between two reads" grep -q "$PWD/in" findings
(until [ -e src/made ]; do sleep 0.05; done; sleep 4; echo longer > made; touch src/written) &
ends 0 "a build whose output is changed from outside is recorded" run -o foreign.fxt -- sh -c \
	'echo x > made; cat made > one; touch src/made; until [ -e src/written ]; do sleep 0.05; done; sleep 1; cp made two'
wait
etrace check foreign.fxt > findings
check "check finds the changed output, with its writer and reader" \
	[ "$(grep -A2 /made: findings)" = \
	"changed: $PWD/made: held something else later, and the build did not change it
  first   sh -c 'echo x > made; cat made > one; touch src/made; until [ -e src/written ]; do sleep 0.05; done; sleep 1; cp made two'
  then    cp made two" ]

# If not all programs saw the same content, there is no hash, however fast the recorder is.
# version_hashes DB FILE MADE...: hashes of the versions of FILE with these values of "made", oldest
# first; "-" if none
version_hashes()
{
	local db=$1 file=$2

	shift 2
	sqlite3 "$db" "SELECT coalesce((SELECT c.sha256 FROM content c WHERE c.version = v.id
		ORDER BY c.rowid DESC LIMIT 1), '-') FROM version v JOIN file f ON f.id = v.file
		WHERE f.path = CAST('$PWD/$file' AS BLOB) AND v.made IN ($(echo "$*" | tr ' ' ',')) ORDER BY v.at" |
		tr '\n' ' '
}
ends 0 "a build that reads a file while it is written is recorded" run -o early.db -- sh -c \
	'exec 3> early; echo one >&3; cat early > one; echo two >&3; exec 3>&-; cat early > two'
check "a file read while it was written has no hash" \
	test "$(version_hashes early.db early 1)" = "- "
check "files made from a half-written file have hashes" \
	test "$(version_hashes early.db one 1)$(version_hashes early.db two 1)" = \
	"$(sha256sum < one | cut -d' ' -f1) $(sha256sum < two | cut -d' ' -f1) "
check "the reason for a missing hash is recorded" \
	test "$(sqlite3 early.db "SELECT why_not FROM content WHERE why_not LIKE 'read while %'")"
ends 0 "a program that reads the file it is writing is recorded" \
	run -o own.db -- bash -c 'exec 3> own; echo one >&3; read -r x < own; exec 3>&-'
check "a file read by its own writer has a hash" \
	test "$(version_hashes own.db own 1)" = "$(sha256sum < own | cut -d' ' -f1) "

cat > mapped.c <<'X'
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0644);
	char *at;

	if (ftruncate(fd, 4096))
		return 1;
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*at = 'a';
	close(fd);
	if (system("cat mapped > before"))
		return 1;
	*at = 'b';
	return 0;
}
X
check "the program that maps a file is built" gcc -O2 -o map mapped.c
ends 0 "a build that reads a file while it is mapped is recorded" \
	run -o mapped.db -- sh -c './map; cat mapped > after'
check "a file that was read while it was mapped has no hash" \
	test "$(version_hashes mapped.db mapped 1 2 | tr -d ' -')" = ""

echo one > again
ends 0 "a build that rewrites a file that is open is recorded" run -o again.db -- sh -c \
	'exec 3< again; sh -c "echo two > again"; cat <&3 > late'
check "a file rewritten while open has no hash of its old content" \
	test "$(version_hashes again.db again 0)" = "- "
check "a file rewritten while open has the hash of its new content" \
	test "$(version_hashes again.db again 1)" = "$(sha256sum < again | cut -d' ' -f1) "

# The second time, the recorder is stopped until both have used the file.
for signal in 0 STOP; do
	rm -f name other names.db recorder
	echo old > name
	ln name other
	(until [ -s recorder ]; do sleep 0.02; done; sleep 1; kill -CONT "$(cat recorder)") &
	ends 0 "SIG$signal: a build that writes a file through another name is recorded" \
		run -o names.db -- sh -c "echo \$PPID > recorder; kill -$signal \$PPID
			cat name > a; echo new > other; sleep 1.1; cat name > b"
	wait
	sqlite3 names.db "SELECT coalesce((SELECT c.sha256 FROM content c WHERE c.version = a.version ORDER BY c.rowid DESC LIMIT 1), '-')
		FROM access a JOIN file f ON f.id = a.file WHERE f.path = CAST('$PWD/name' AS BLOB) AND a.how = 1 ORDER BY a.at" > reads
	check "SIG$signal: the first read of a file with two names has the right hash, or none" \
		grep -qx -e - -e "$(sha256sum < a | cut -d' ' -f1)" <(head -n 1 reads)
	check "SIG$signal: the second read of a file with two names has the right hash, or none" \
		grep -qx -e - -e "$(sha256sum < b | cut -d' ' -f1)" <(tail -n 1 reads)
done

mkdir -p mnt
echo outside > mnt/f
if unshare -rm mount -t tmpfs none mnt 2> /dev/null; then
	ends 0 "a build in its own mount namespace is recorded" \
		run -o mounted.db -- unshare -rm sh -c \
		'mount -t tmpfs none mnt; echo inside > mnt/f; cat mnt/f > seen'
	check "a file in another mount namespace has no hash" \
		test "$(version_hashes mounted.db mnt/f 0 1 2 | tr -d ' -')" = ""
else
	echo "skip: mount namespaces are not available"
fi
