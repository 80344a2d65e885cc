#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace deps and rdeps agree with the compilers' own lists.

. "${0%/*}/../lib.sh"

# Only the outputs that the truth lists.
only_known()
{
	local outputs
	outputs=$(sed 's/^\({"output":"[^"]*"\).*/\1/' "$2")
	grep -F -- "$outputs" "$1"
}

for name in ninja meson all; do
	base=/build/$name/out
	[ "$name" != all ] || base=$(sed -n 's/.*"directory": "\(.*\)",/\1/p' "$FIXTURES/all/compile_commands.json" | head -n 1)
	for backend in module bpf; do
		[ -n "$base" ] || continue
		"$ANSWERS/ninja-deps" "$base" "$FIXTURES/$name/$backend.deps" > truth
		etrace deps --direct --all --json "$FIXTURES/$name/$backend.fxt.zst" > all 2> log
		only_known all truth > ours
		same "$name, $backend: the direct inputs of $(wc -l < truth) objects are those of ninja -t deps" \
			ours truth
	done
done

# Plain lines, without the program that used a file: the same objects.
for name in ninja meson; do
	"$ANSWERS/plain" "$FIXTURES/$name/module.fxt.zst" > plain.etrace
	check "$name: the plain lines do not say which programs use a file" \
		bash -c "! grep -qE '!(Use|OpenFile)' plain.etrace"
	"$ANSWERS/ninja-deps" /build/$name/out "$FIXTURES/$name/module.deps" > truth
	etrace deps --direct --all --json plain.etrace > all 2> log
	only_known all truth > ours
	same "$name, plain lines: the direct inputs are those of ninja -t deps" ours truth
done

# make's depfiles.
for backend in module bpf; do
	# left.d and right.d have paths relative to another directory
	"$ANSWERS/ninja-deps" --make /build/make/src "$FIXTURES/make/"[!lr]*.d > truth
	"$ANSWERS/ninja-deps" --make /build/make/out "$FIXTURES/make/"{left,right}.d >> truth
	LC_ALL=C sort -o truth truth
	etrace deps --direct --all --json "$FIXTURES/make/$backend.fxt.zst" > all
	# gcc reads files of arguments but does not list them
	check "make, $backend: @files are inputs" \
		grep -q '/args.o","inputs":.*/args.rsp".*/more.rsp"' all
	only_known all truth | sed 's|"/build/make/src/[a-z]*\.rsp",||g' > ours
	same "make, $backend: the direct inputs of $(wc -l < truth) objects are those of gcc -MD" \
		ours truth
	check "make, $backend: at least 5 objects are compared" test "$(wc -l < truth)" -ge 5
done

for backend in module bpf; do
	for name in wrapper-script wrapper-env wrapper-sudo; do
		"$ANSWERS/ninja-deps" --make /build/wrappers/out "$FIXTURES/$name/"*.d > truth
		etrace deps --direct --all --json "$FIXTURES/$name/$backend.fxt.zst" > all 2> log
		only_known all truth > ours
		same "$name, $backend: the direct inputs are those of gcc -MD" ours truth
	done
	"$ANSWERS/ninja-deps" --make /build/configure/out "$FIXTURES/configure/main.d" > truth
	etrace deps --direct --all --json "$FIXTURES/configure/$backend.fxt.zst" > all
	only_known all truth > ours
	same "configure, $backend: the direct inputs are those of gcc -MD" ours truth
done

# Activity of a program that a trace does not show: warn only if the program took part.
etrace db -o all.db "$FIXTURES/wrapper-sudo/module.fxt.zst"
output=$(sqlite3 all.db "SELECT CAST(path AS TEXT) FROM file WHERE CAST(path AS TEXT) GLOB '*/main.o'")
for row in "2 a socket" "16 another mount namespace"; do
	cp all.db "${row%% *}.db"
	# the last program has nothing to do with the output
	sqlite3 "${row%% *}.db" "UPDATE exec SET unseen = ${row%% *} WHERE id = (SELECT max(id) FROM exec)"
	etrace deps "${row%% *}.db" "$output" > text 2> messages
	echo "${row#* }: $? $(grep -c "another mount namespace: " messages)" >> unseen
done
printf '%s\n' 'a socket: 0 0' 'another mount namespace: 1 1' > expected
same "deps warns of an unrelated program only for another mount namespace" unseen expected
