#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace check finds exactly one fault in builds that have one, and nothing in builds that have
# none.

. "${0%/*}/../lib.sh"

# Convert the output of "ninja -t deps" to a depfile.
cat > depfile.py <<'END2'
import sys
def quoted(s): return s.replace(" ", "\\ ").replace("#", "\\#")
for line in sys.stdin:
    line = line.rstrip("\n")
    if line.startswith("    "):
        print(" \\\n  " + quoted(line[4:]), end="")
    elif line:
        print("\n" + quoted(line.split(": #deps")[0]) + ":", end="")
print()
END2

cat > findings.py <<'END2'
import json, sys
for line in sys.stdin:
    f = json.loads(line)
    print(f["finding"], f.get("path", f.get("address")), "W" if f["what"] in ("written", "removed") else "")
END2

# check_findings NAME TRACE FINDING... -- OPTION...: check that exactly these are found.
check_findings()
{
	local name=$1 trace=$2 expected=() status=0
	shift 2
	while [ "$1" != -- ]; do
		expected+=("$1")
		shift
	done
	shift
	etrace check --json "$@" "$trace" > json || status=$?
	[ $status = $((${#expected[@]} ? 3 : 0)) ]
	result $? "$name: exit status"
	python3 findings.py < json | sed 's/ $//' > findings
	printf '%s\n' "${expected[@]}" | sed '/^$/d' > expected
	same "$name: exactly the expected findings" findings expected
	cat json >> all.json
}

# check_ninja NAME FINDING...: check with ninja's lists.
check_ninja()
{
	local from=$FIXTURES/wrong-ninja-$1
	rm -rf lists
	mkdir lists
	cp "$from/build.ninja" lists/build.ninja
	cp "$from/$backend.ninja_deps" lists/.ninja_deps
	check_findings "$backend: ninja with fault '$1'" \
		"$from/$backend.fxt.zst" "${@:2}" -- --ninja lists --map lists=/build/wrong/out
}

# check_make NAME FINDING...: check with the lists of make and the compiler.
check_make()
{
	local from=$FIXTURES/wrong-$1
	check_findings "$backend: make with fault '$1'" "$from/$backend.fxt.zst" "${@:2}" -- \
		--make "$from/rules" --depfiles "$from/*.d" --map "$from=/build/wrong/out"
	# Without the rules, only part of what is undeclared or unordered can be seen.
	[ "$1" = generated ] ||
		check_findings "$backend: make with fault '$1', depfiles only" \
			"$from/$backend.fxt.zst" "${@:2}" -- \
			--depfiles "$from/*.d" --map "$from=/build/wrong/out"
}

for backend in module bpf; do
	check_ninja none
	check_ninja edge "race /build/wrong/out/made.h"
	check_ninja incbin "undeclared /build/wrong/src/bytes.bin"
	check_ninja script "undeclared /build/wrong/src/script.ld"
	check_ninja writers "writers /build/wrong/out/stamp"

	check_make none
	check_make incbin "undeclared /build/wrong/src/bytes.bin"
	check_make script "undeclared /build/wrong/src/script.ld"
	check_make generated "race /build/wrong/out/made.h"
	check_make writers "writers /build/wrong/out/stamp"
	check_make changes "overwritten /build/wrong/src/shared.h"
	check_make network "network 127.0.0.1:8765" "network 127.0.0.1:9"
	check_make outside "outside /root/outside.h" "outside /var/local/prog W"
	check_make future "clock /build/wrong/src/other.c"

	# Clean builds: CMake and Meson with ninja, with all that they declare.
	for name in ninja all meson; do
		rm -rf lists
		mkdir -p lists/CMakeFiles
		cp "$FIXTURES/$name/build.ninja" lists/
		: > lists/CMakeFiles/rules.ninja
		deps=$FIXTURES/$name/$backend.deps
		python3 depfile.py < "$deps" > lists/deps.d
		out=/build/${name/all/ninja}/out
		check_findings "$backend: clean build '$name' with ninja's lists" \
			"$FIXTURES/$name/$backend.fxt.zst" -- \
			--ninja lists --depfiles lists/deps.d --map "lists=$out"
	done
	# A plain makefile: what make looked for counts as declared.
	check_findings "$backend: clean build 'make'" "$FIXTURES/make-probes/$backend.fxt.zst" -- \
		--depfiles "$FIXTURES/make/*.d" --map "$FIXTURES/make=/build/make/out"
	# Depfiles do not list files that only a makefile names.
	check_findings "$backend: build 'make', depfiles only" "$FIXTURES/make/$backend.fxt.zst" \
		"undeclared /build/make/src/args.rsp" "undeclared /build/make/src/more.rsp" \
		"undeclared /build/make/src/pair.c" "undeclared /build/make/src/probe.c" -- \
		--depfiles "$FIXTURES/make/*.d" --map "$FIXTURES/make=/build/make/out"
	# Clean builds without lists: sequential, parallel, and incremental.
	for name in cmake configure flows jobs-1 jobs-4 packages meson-setup wrapper-libtool \
			rebuild-old rebuild-touched rebuild-flag rebuild-missing; do
		check_findings "$backend: clean build '$name' without lists" \
			"$FIXTURES/$name/$backend.fxt.zst" --
	done
done

check "every finding names the commands involved" python3 -c '
import json
rows = [json.loads(l) for l in open("all.json")]
for r in rows:
    assert r["by"]["arguments"], r
    assert ("made_by" in r) == (r["finding"] == "race") and ("first" in r) == (r["finding"] == "writers"), r
    assert r["finding"] != "undeclared" or r["output"].startswith("/build/"), r
assert {r["finding"] for r in rows} == {"undeclared", "race", "writers", "overwritten", "outside", "network", "clock"}'

# What --allow lists is not a finding.
trace=$FIXTURES/wrong-outside/module.fxt.zst
printf '# of this machine\n\noutside /root/*\n' > allow
check_findings "--allow for one kind" "$trace" "outside /var/local/prog W" -- --allow allow
printf 'network /root/*\n/var/local/*\n' > allow
check_findings "--allow for any kind" "$trace" "outside /root/outside.h" -- --allow allow
check_findings "two --tree options" \
	"$trace" "outside /root/outside.h" -- --tree /build/wrong --tree /var/local
check_findings "one --tree option" "$FIXTURES/wrong-none/module.fxt.zst" "outside /build/wrong/src" -- \
	--tree /build/wrong/out
check "a finding outside the tree lists its files" python3 -c '
import json
r = json.load(open("json"))
assert [m["path"].split("/")[-1] for m in r["members"]] == ["Makefile", "main.c", "other.c", "shared.h"], r
assert {m["what"] for m in r["members"]} == {"read"} and r["what"] == "read" and r["more"], r'

# Missing, damaged and hostile lists.
ends 2 "a directory without build.ninja is an error for --ninja" etrace check --ninja . "$trace"
ends 2 "a pattern without depfiles is an error" etrace check --depfiles '*.none' "$trace"
ends 2 "a directory without .cmd files is an error for --kbuild" etrace check --kbuild . "$trace"
ends 2 "a file that make did not print is an error for --make" etrace check --make allow "$trace"
ends 2 "a missing file for --allow is an error" etrace check --allow none "$trace"
ends 2 "an invalid --map is a usage error" etrace check --map x "$trace"
mkdir -p damaged
printf 'include build.ninja\n' > damaged/build.ninja
ends 2 "a build.ninja that includes itself is an error" etrace check --ninja damaged "$trace"
printf 'rule a\n  command = $x $$ ${b\n  x = $x\nbuild\nbuild x: a $\n y || $\nbuild $: : nothing\n???\nx = $x$' > damaged/build.ninja
for n in 0 5 12 16 17 40 100; do
	head -c $n "$FIXTURES/wrong-ninja-none/module.ninja_deps" > damaged/.ninja_deps
	check "ninja's files, damaged at byte $n, are read and reported" \
		bash -c "etrace check --ninja damaged '$trace' > text 2> err
		[ \$? = 3 ] && grep -q 'build.ninja: line 8: ' err"
done
head -c 60 "$FIXTURES/wrong-ninja-none/module.ninja_deps" > damaged/.ninja_deps
etrace check --ninja damaged "$trace" > text 2> err
check "the offset of damage in .ninja_deps is reported" grep -q 'ninja_deps: offset 56: ' err
for n in 1 30 333; do
	head -c $n "$FIXTURES/wrong-none/rules" > damaged/rules
	(head -c $n "$FIXTURES/wrong-none/main.d"; echo ' \ ') > damaged/x.d
	check "depfiles damaged at byte $n are read" \
		bash -c "etrace check --depfiles damaged '$trace' > text; [ \$? = 3 ]"
done

# Kbuild's .cmd files, for the objects that have them.
mkdir kbuild
tar -C kbuild --zstd -xf "$FIXTURES/kernel/cmd.tar.zst"
kbuild_findings()
{
	etrace check --json --kbuild kbuild --map kbuild=/build/linux "$FIXTURES/kernel/module.fxt.zst" |
		python3 -c '
import json, os, sys
for line in sys.stdin:
    f = json.loads(line)
    head, tail = os.path.split(f.get("output", ""))
    if os.path.exists(head.replace("/build/linux", "kbuild") + "/." + tail + ".cmd"):
        print(f["finding"], f["path"])'
}
kbuild_findings > findings
same "kernel: check finds nothing with Kbuild's .cmd files" findings /dev/null
sed -i '/int_pow\.c/d' kbuild/lib/math/.int_pow.o.cmd
kbuild_findings > findings
echo "undeclared /build/linux/lib/math/int_pow.c" > expected
same "kernel: a source missing from a .cmd file is found" findings expected

# The examples of the man page.
zstd -dqo build.fxt "$FIXTURES/wrong-ninja-edge/module.fxt.zst"
rm -rf out
mkdir out
cp "$FIXTURES/wrong-ninja-edge/build.ninja" out/
cp "$FIXTURES/wrong-ninja-edge/module.ninja_deps" out/.ninja_deps
line=$(sed -n 's/^etrace check .*/&/p' "$ANSWERS/../../../Documentation/etrace-check.1" | sed 's/\\-/-/g')
check "the example in etrace-check.1 works: $line" \
	bash -c "$line | grep -q '^race: /build/wrong/out/made.h'"
