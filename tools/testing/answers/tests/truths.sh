#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds of many kinds, with each backend that has recorded them: compared with their own tools, or
# with what is true by construction (projects/*/truth, where "?" marks known limits, with reasons).

. "${0%/*}/../lib.sh"

# The backend that recorded it.
by=strace

# exact NAME BASE TRUTH WHAT [OPTION]...: whether etrace deps WHAT (--leaves, --direct) gives that
exact()
{
	local name=$1 base=$2 truth=$3 what=$4
	etrace deps "$what" --all --json "$FIXTURES/$name/$by.fxt.zst" > "$name.ours" 2> log ||
		cat log
	"$ANSWERS/compare" "${@:5}" "$base" "$truth" "$name.ours"
}

# built NAME WHAT [OPTION]...: the same, with the project's truth by construction
built() { exact "$1" "/build/$1" "$FIXTURES/$1/truth" "--$2" --known "${@:3}"; }
holds()
{
	local by trace

	for trace in "$FIXTURES/$1"/*.fxt.zst; do
		by=$(basename "$trace" .fxt.zst)
		check "$1, by $by: $2 by construction" built "$@"
	done
}

# yet NAME COMMAND...: a check known to fail: skipped as long as it does.
yet()
{
	if "${@:2}" > log 2>&1; then
		result 0 "$1"
	else
		echo "skip: $1: not yet, $(wc -l < log) differences"
	fi
}

for trace in "$FIXTURES"/*/strace.fxt.zst; do
	ends 0 "$(basename "$(dirname "$trace")") is complete" etrace report "$trace"
done
for trace in "$FIXTURES"/{copies,reflinks,tokens,ways}/{module,bpf}.fxt.zst; do
	ends 0 "${trace#"$FIXTURES/"} is complete" etrace report "$trace"
done

# Cargo: rustc lists sources but no libraries; cargo also lists the build script, a program.
F=$FIXTURES/cargo
"$ANSWERS/ninja-deps" --make /build/cargo/src "$F"/*-*.d > truth
check "cargo: the sources of crates as in rustc's depfiles" \
	exact cargo /build/cargo truth --direct --known --no-input '*.rlib' --no-input '*.rmeta'
"$ANSWERS/ninja-deps" --make /build/cargo/src "$F/app.d" > truth
check "cargo: the sources of the program as in cargo's depfile" \
	exact cargo /build/cargo truth --leaves --known --no-input '*/table.rs' --no-input '*/build.rs'
holds cargo leaves

# Each worker of node got its job before another worker answered.
holds node leaves
holds tokens leaves
holds jobserver leaves
holds copies leaves
holds reflinks leaves
holds java leaves
for part in shapes app; do
	"$ANSWERS/truth-of" javac /build/java "$FIXTURES/java/verbose-$part"
done > truth
check "java: direct inputs as javac -verbose says" exact java /build/java truth --direct --known

holds fortran leaves
holds modules leaves
# For ninja, module files are not inputs: they come from the dyndep file.
"$ANSWERS/ninja-deps" /build/modules "$FIXTURES/modules/deps" > deps
check "modules: direct inputs as ninja -t deps" \
	exact modules /build/modules deps --direct --known --no-input '*.gcm'
holds cmake-modules leaves
"$ANSWERS/ninja-deps" /build/cmake-modules/out "$FIXTURES/cmake-modules/deps" > deps
check "cmake-modules: direct inputs as ninja -t deps" \
	exact cmake-modules /build/cmake-modules deps --direct --known
holds autotools leaves
for dir in lib app; do
	"$ANSWERS/ninja-deps" --make /build/autotools/out/$dir "$FIXTURES/autotools/lists/$dir"/.deps/*
done > depfiles
# libtool writes the .lo, a script that names both objects.
sed -n 's|/lib/\([^/"]*\)\.lo"|/lib/.libs/\1.o"|p; s|\.lo"|.o"|; p' depfiles > objects
check "autotools: direct inputs of $(wc -l < objects) objects as in their depfiles" \
	exact autotools /build/autotools objects --direct --known

for name in cached-cold cached-hit; do
	check "$name: leaves by construction" exact $name /build/cached "$FIXTURES/$name/truth" --leaves --known
	"$ANSWERS/ninja-deps" /build/cached/out "$FIXTURES/$name/deps" > deps
	check "$name: direct inputs as ninja -t deps" \
		exact $name /build/cached deps --direct --known
done

"$ANSWERS/truth-of" tsc /build/script "$FIXTURES/tsc/list" > truth
check "tsc: as --listFiles" exact tsc /build/script truth --direct --no-output '*/list'
"$ANSWERS/truth-of" esbuild /build/script "$FIXTURES/esbuild/meta.json" > truth
check "esbuild: as its metafile" exact esbuild /build/script truth --direct --known
"$ANSWERS/truth-of" go /build/go "$FIXTURES/go/list-deps" > truth
# go itself lists packages for its linker, and has already read all that it might need (a limit).
check "go: as go list -deps" exact go /build/go truth --leaves --known --no-input '*/go.mod' \
	--no-input '*_test.go' --no-input '/build/go/cache/*'
"$ANSWERS/truth-of" tex /build/latex "$FIXTURES/latex/main.fls" > truth
check "latex: as the .fls" exact latex /build/latex truth --direct --known
"$ANSWERS/truth-of" scons /build/scons "$FIXTURES/scons/tree" > truth
check "scons: as --tree=all" exact scons /build/scons truth --direct --known \
	--no-output '*/lib' --no-output '*/installed*'
holds scons leaves
holds dune direct

# Ways in which data gets from file to file: all outputs are listed.
ways() { exact ways /build/ways "$FIXTURES/ways/truth" --leaves "$@"; }
for by in module bpf strace; do
	# A message to a name (sendto) has no event, but etrace warns that data came from
	# elsewhere.
	check "ways, by $by: leaves by construction" ways --no-output '*/sent1'
	etrace deps "$FIXTURES/ways/$by.fxt.zst" /build/ways/out/sent1 > log 2>&1
	check "ways, by $by: what came in datagrams is said not to be known" grep -q 'is not known' log
	check "ways, by $by: of a connection both ends are known" \
		etrace deps "$FIXTURES/ways/$by.fxt.zst" /build/ways/out/crowd1
done

# reverse NAME: rdeps finds each output from each of its inputs
reverse()
{
	etrace deps --all --json "$FIXTURES/$1/strace.fxt.zst" > all 2> log
	etrace rdeps --all --json "$FIXTURES/$1/strace.fxt.zst" > back 2> log
	python3 - <<- 'END'
		import json, sys
		back = {}
		for line in open("back"):
		    row = json.loads(line)
		    back[row["input"]] = set(row["outputs"])
		lacks = [(i, row["output"]) for row in map(json.loads, open("all"))
		         for i in row["inputs"] if i != row["output"] not in back.get(i, ())]
		for pair in lacks:
		    print(*pair, sep=" does not lead to ")
		sys.exit(bool(lacks))
	END
}
# Names with several versions: cargo, latex; links to files from before the build: ways.
for name in cargo latex ways copies java modules cmake-modules jobserver node tokens fortran autotools scons go; do
	check "$name: rdeps is the reverse of deps" reverse $name
done

# What etrace check finds in clean builds.  finds NAME FINDING... -- OPTION...: exactly these
finds()
{
	local name=$1 expected=()
	shift
	while [ "$1" != -- ]; do
		expected+=("$1")
		shift
	done
	etrace check --json "${@:2}" "$FIXTURES/$name/strace.fxt.zst" 2>&1 |
		python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(row["finding"], row.get("path"))' > findings
	diff <(printf '%s\n' "${expected[@]}" | sed '/^$/d') findings
}

# with NAME DIR: set the options for the project's lists, which were in that directory
with() { lists=$FIXTURES/$1/lists; by_ninja=(--ninja "$lists" --map "$lists=$2"); }

check "ways: only that messages came, by whom is not known" finds ways "network None" --
check "latex: nothing is found: what the system makes of its own is none" finds latex --
etrace db -o other.db "$FIXTURES/latex/strace.fxt.zst"
sqlite3 other.db "UPDATE file SET path = CAST(replace(CAST(path AS TEXT), '/var/lib/texmf', '/var/lib/other')
	AS BLOB) WHERE CAST(path AS TEXT) LIKE '/var/lib/texmf%'"
etrace check other.db > said
check "latex: but what is of nothing installed is outside" grep -q '^outside: /var/lib/other: 5 files' said
with modules /build/modules
check "modules: nothing is found" finds modules -- "${by_ninja[@]}"
with cmake-modules /build/cmake-modules/out
check "cmake-modules: nothing is found" finds cmake-modules -- "${by_ninja[@]}"
check "cmake-modules: nothing is found without lists" finds cmake-modules --
with fortran /build/fortran/out
# CMake 3.25 does not know that one source includes another.
check "fortran: an include that nobody declares, and nothing that CMake makes of its own" \
	finds fortran "undeclared /build/fortran/src/pi.inc" -- "${by_ninja[@]}"
echo 'outside /root/.cache/ccache/*' > allowed
for name in cached-cold cached-hit; do
	with $name /build/cached/out
	check "$name: nothing is found but the cache" finds $name -- "${by_ninja[@]}" --allow allowed
done
gzip -dc "$FIXTURES/autotools/rules.gz" > rules
with autotools /build/autotools/out
check "autotools: nothing is found" finds autotools -- --make rules --depfiles "$lists" \
	--map "$lists=/build/autotools/out"
