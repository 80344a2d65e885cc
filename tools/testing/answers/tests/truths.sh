#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds of many kinds, with each backend that has recorded them: compared with their own tools, or
# with what is true by construction (projects/*/truth, where "?" marks known limits, with reasons).

. "${0%/*}/../lib.sh"

# The backend that recorded it.
backend=strace

# deps_match NAME BASE TRUTH WHAT [OPTION]...: whether etrace deps WHAT (--leaves, --direct) gives that
deps_match()
{
	local name=$1 base=$2 truth=$3 what=$4
	etrace deps "$what" --all --json "$FIXTURES/$name/$backend.fxt.zst" > "$name.ours" 2> log ||
		cat log
	"$ANSWERS/compare" "${@:5}" "$base" "$truth" "$name.ours"
}

# truth_matches NAME WHAT [OPTION]...: the same, with the project's truth by construction
truth_matches() { deps_match "$1" "/build/$1" "$FIXTURES/$1/truth" "--$2" --known "${@:3}"; }
check_truth()
{
	local backend trace

	for trace in "$FIXTURES/$1"/*.fxt.zst; do
		backend=$(basename "$trace" .fxt.zst)
		check "$1, $backend: the $2 dependencies are those of the project's truth" \
			truth_matches "$@"
	done
}

# known_failure NAME COMMAND...: a check known to fail: skipped as long as it does.
known_failure()
{
	if "${@:2}" > log 2>&1; then
		result 0 "$1"
	else
		echo "skip: $1: known to fail, $(wc -l < log) differences"
	fi
}

for trace in "$FIXTURES"/*/strace.fxt.zst; do
	ends 0 "$(basename "$(dirname "$trace")")/strace: the trace is complete" etrace report "$trace"
done
for trace in "$FIXTURES"/{copies,reflinks,tokens,ways}/{module,bpf}.fxt.zst; do
	ends 0 "${trace#"$FIXTURES/"}: the trace is complete" etrace report "$trace"
done

# Cargo: rustc lists sources but no libraries; cargo also lists the build script, a program.
F=$FIXTURES/cargo
"$ANSWERS/ninja-deps" --make /build/cargo/src "$F"/*-*.d > truth
check "cargo: the sources of crates are those in rustc's depfiles" \
	deps_match cargo /build/cargo truth --direct --known --no-input '*.rlib' --no-input '*.rmeta'
"$ANSWERS/ninja-deps" --make /build/cargo/src "$F/app.d" > truth
check "cargo: the sources of the program are those in cargo's depfile" \
	deps_match cargo /build/cargo truth --leaves --known --no-input '*/table.rs' --no-input '*/build.rs'
check_truth cargo leaves

# Each worker of node got its job before another worker answered.
check_truth node leaves
check_truth tokens leaves
check_truth jobserver leaves
check_truth copies leaves
check_truth reflinks leaves
check_truth java leaves
for part in shapes app; do
	"$ANSWERS/truth-of" javac /build/java "$FIXTURES/java/verbose-$part"
done > truth
check "java: the direct inputs are those that javac -verbose lists" \
	deps_match java /build/java truth --direct --known

check_truth fortran leaves
check_truth modules leaves
# For ninja, module files are not inputs: they come from the dyndep file.
"$ANSWERS/ninja-deps" /build/modules "$FIXTURES/modules/deps" > deps
check "modules: the direct inputs are those of ninja -t deps" \
	deps_match modules /build/modules deps --direct --known --no-input '*.gcm'
check_truth cmake-modules leaves
"$ANSWERS/ninja-deps" /build/cmake-modules/out "$FIXTURES/cmake-modules/deps" > deps
check "cmake-modules: the direct inputs are those of ninja -t deps" \
	deps_match cmake-modules /build/cmake-modules deps --direct --known
check_truth autotools leaves
for dir in lib app; do
	"$ANSWERS/ninja-deps" --make /build/autotools/out/$dir "$FIXTURES/autotools/lists/$dir"/.deps/*
done > depfiles
# libtool writes the .lo, a script that names both objects.
sed -n 's|/lib/\([^/"]*\)\.lo"|/lib/.libs/\1.o"|p; s|\.lo"|.o"|; p' depfiles > objects
check "autotools: the direct inputs of $(wc -l < objects) objects are those in their depfiles" \
	deps_match autotools /build/autotools objects --direct --known

for name in cached-cold cached-hit; do
	check "$name: the leaves are those of the project's truth" \
		deps_match $name /build/cached "$FIXTURES/$name/truth" --leaves --known
	"$ANSWERS/ninja-deps" /build/cached/out "$FIXTURES/$name/deps" > deps
	check "$name: the direct inputs are those of ninja -t deps" \
		deps_match $name /build/cached deps --direct --known
done

"$ANSWERS/truth-of" tsc /build/script "$FIXTURES/tsc/list" > truth
check "tsc: the direct inputs are those of --listFiles" \
	deps_match tsc /build/script truth --direct --no-output '*/list'
"$ANSWERS/truth-of" esbuild /build/script "$FIXTURES/esbuild/meta.json" > truth
check "esbuild: the direct inputs are those in its metafile" \
	deps_match esbuild /build/script truth --direct --known
"$ANSWERS/truth-of" go /build/go "$FIXTURES/go/list-deps" > truth
# go itself lists packages for its linker, and has already read all that it might need (a limit).
check "go: the leaves are those of go list -deps" \
	deps_match go /build/go truth --leaves --known --no-input '*/go.mod' \
	--no-input '*_test.go' --no-input '/build/go/cache/*'
"$ANSWERS/truth-of" tex /build/latex "$FIXTURES/latex/main.fls" > truth
check "latex: the direct inputs are those in the .fls file" \
	deps_match latex /build/latex truth --direct --known
"$ANSWERS/truth-of" scons /build/scons "$FIXTURES/scons/tree" > truth
check "scons: the direct inputs are those of --tree=all" \
	deps_match scons /build/scons truth --direct --known \
	--no-output '*/lib' --no-output '*/installed*'
check_truth scons leaves
check_truth dune direct

# Ways in which data gets from file to file: all outputs are listed.
ways() { deps_match ways /build/ways "$FIXTURES/ways/truth" --leaves "$@"; }
for backend in module bpf strace; do
	# A message to a name (sendto) has no event, but etrace warns that data came from
	# elsewhere.
	check "ways, $backend: the leaves are those of the project's truth" \
		ways --no-output '*/sent1'
	etrace deps "$FIXTURES/ways/$backend.fxt.zst" /build/ways/out/sent1 > log 2>&1
	check "ways, $backend: deps warns that the source of datagrams is unknown" \
		grep -q 'is not known' log
	check "ways, $backend: the dependencies of a file written through a connection are known" \
		etrace deps "$FIXTURES/ways/$backend.fxt.zst" /build/ways/out/crowd1
done

# rdeps_reverses_deps NAME: rdeps finds each output from each of its inputs
rdeps_reverses_deps()
{
	etrace deps --all --json "$FIXTURES/$1/strace.fxt.zst" > all 2> log
	etrace rdeps --all --json "$FIXTURES/$1/strace.fxt.zst" > back 2> log
	python3 - <<- 'END'
		import json, sys
		back = {}
		for line in open("back"):
		    row = json.loads(line)
		    back[row["input"]] = set(row["outputs"])
		missing = [(i, row["output"]) for row in map(json.loads, open("all"))
		         for i in row["inputs"] if i != row["output"] not in back.get(i, ())]
		for pair in missing:
		    print(*pair, sep=" does not lead to ")
		sys.exit(bool(missing))
	END
}
# Names with several versions: cargo, latex; links to files from before the build: ways.
for name in cargo latex ways copies java modules cmake-modules jobserver node tokens fortran autotools scons go; do
	check "$name: rdeps is the reverse of deps" rdeps_reverses_deps $name
done

# What etrace check finds in clean builds.  findings_are NAME FINDING... -- OPTION...: exactly these
findings_are()
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

# set_lists NAME DIR: set the options for the project's lists, which were in that directory
set_lists() { lists=$FIXTURES/$1/lists; ninja_options=(--ninja "$lists" --map "$lists=$2"); }

check "ways: check finds only network use" findings_are ways "network None" --
check "latex: check finds nothing, also for files that the system generates" findings_are latex --
etrace db -o other.db "$FIXTURES/latex/strace.fxt.zst"
sqlite3 other.db "UPDATE file SET path = CAST(replace(CAST(path AS TEXT), '/var/lib/texmf', '/var/lib/other')
	AS BLOB) WHERE CAST(path AS TEXT) LIKE '/var/lib/texmf%'"
etrace check other.db > output
check "latex: check finds files that belong to nothing installed" \
	grep -q '^outside: /var/lib/other: 5 files' output
set_lists modules /build/modules
check "modules: check finds nothing" findings_are modules -- "${ninja_options[@]}"
set_lists cmake-modules /build/cmake-modules/out
check "cmake-modules: check finds nothing" findings_are cmake-modules -- "${ninja_options[@]}"
check "cmake-modules: check finds nothing without ninja's lists" findings_are cmake-modules --
set_lists fortran /build/fortran/out
# CMake 3.25 does not know that one source includes another.
check "fortran: check finds only the undeclared include" \
	findings_are fortran "undeclared /build/fortran/src/pi.inc" -- "${ninja_options[@]}"
echo 'outside /root/.cache/ccache/*' > allowed
for name in cached-cold cached-hit; do
	set_lists $name /build/cached/out
	check "$name: check finds nothing except the allowed cache" \
		findings_are $name -- "${ninja_options[@]}" --allow allowed
done
gzip -dc "$FIXTURES/autotools/rules.gz" > rules
set_lists autotools /build/autotools/out
check "autotools: check finds nothing" findings_are autotools -- --make rules --depfiles "$lists" \
	--map "$lists=/build/autotools/out"
