#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace compdb lists the same compilations as CMake, ninja, Meson and make.

. "${0%/*}/../lib.sh"

for backend in module bpf; do
	for name in ninja all meson; do
		etrace compdb --no-configure -o ours "$FIXTURES/$name/$backend.fxt.zst" 2> log
		check "$name, $backend: the entries are those of compile_commands.json" \
			"$ANSWERS/same-commands" ours "$FIXTURES/$name/compile_commands.json"
	done
	# ninja lists all of its edges, not only compilations
	etrace compdb "$FIXTURES/ninja/$backend.fxt.zst" > ours
	check "ninja, $backend: all entries are in ninja -t compdb" \
		"$ANSWERS/same-commands" --part ours "$FIXTURES/ninja/compdb.json"

	# The commands that make -n prints.
	python3 - "$FIXTURES/make/make-n" > expected.json <<- 'END'
		import json, shlex, sys
		none = {"-E", "-M", "-MM", "--version", "-dumpmachine", "-print-file-name=libc.a"}
		rows = []
		for line in open(sys.argv[1]):
		    directory = "/build/make/src"
		    for part in line.split("&&"):
		        words = shlex.split(part)
		        if words[:1] == ["cd"]:
		            directory = words[1]
		        if words[:1] != ["gcc"] or none & set(words):
		            continue
		        if "@args.rsp" in words:
		            continue
		        sources = [w for w in words if w.endswith((".c", ".S"))]
		        for source in sources:
		            out = words[words.index("-o") + 1] if "-o" in words else \
		                source.rpartition("/")[2][:-1] + "o"
		            rows.append({"directory": directory, "file": source, "output": out,
		                         "arguments": [w for w in words
		                                       if w not in sources or w == source]})
		json.dump(rows, sys.stdout)
	END
	etrace compdb -o ours "$FIXTURES/make/$backend.fxt.zst" 2> messages
	grep -v '/args.c"' ours > others
	check "make, $backend: the entries are the compilations of make -n" \
		"$ANSWERS/same-commands" others expected.json
	# this recording predates COLLECT_GCC_OPTIONS, and its @files are not on this machine
	check "make, $backend: an entry with lost @files has cc1's arguments" \
		grep -q '/args.c","arguments":\["gcc","-D","FLAG=1",.*"-c","-o",.*,"args.c"' ours
	check "make, $backend: a changed @file is reported" \
		grep -q 'an @file has changed since it was read' messages
	check "make, $backend: all sources and outputs that Bear found have entries" python3 - ours \
		"$FIXTURES/make/bear.json" <<- 'END'
		import json, os, sys
		def pairs(name):
		    return {(e["directory"], e["file"], e.get("output") or os.path.join(
		        e["directory"], os.path.basename(e["file"])[:-1] + "o"))
		        for e in json.load(open(name)) if e["file"][-2:] in (".c", ".S")}
		ours, bears = map(pairs, sys.argv[1:])
		assert len(bears) >= 12, bears
		sys.exit(str(bears - ours) if bears - ours else 0)
	END
	check "make, $backend: there are at least 12 entries" test "$(grep -c '"file"' ours)" -ge 12

	# Checks of configure are compilations, too, unless --no-configure is given.
	etrace compdb "$FIXTURES/configure/$backend.fxt.zst" > ours
	check "configure, $backend: the checks of configure have entries" grep -q conftest.c ours
	etrace compdb --no-configure "$FIXTURES/configure/$backend.fxt.zst" > ours
	check "configure, $backend: --no-configure leaves out the checks" \
		test "$(grep -c '"file"' ours) $(grep -c main.c ours)" = "1 1"
done

# All styles have the same content.
trace=$FIXTURES/ninja/module.fxt.zst
etrace compdb "$trace" > ours
for style in cmake bear; do
	etrace compdb --style=$style "$trace" > styled
	check "style $style has the same entries" "$ANSWERS/same-commands" styled ours
done
etrace compdb --style=cmake "$trace" > styled
check "style cmake has CMake's outputs" grep -q '"output":"CMakeFiles/app.dir/app/main.cc.o"' styled

# Links and archives, with their inputs.
etrace compdb --links "$trace" > links
check "links: the program is listed with its inputs" \
	grep -q '"output":"/build/ninja/out/app","inputs":.*libshapes.a' links
check "links: the archive is listed with its inputs" \
	grep -q '"output":"/build/ninja/out/libshapes.a","inputs":.*circle.c.o' links
check "links: the program is listed once" \
	test "$(grep -c '"output":"/build/ninja/out/app"' links)" = 1

# Existing entries stay, except for those that were compiled again.
cat > compile_commands.json <<- 'END'
	[{"directory": "/elsewhere", "file": "x.c", "command": "cc -c x.c", "output": "x.o"},
	 {"directory": "/build/ninja/out", "file": "/build/ninja/src/app/main.cc", "command": "old",
	  "output": "CMakeFiles/app.dir/app/main.cc.o"}]
END
check "update: a list is updated" etrace compdb --update compile_commands.json "$trace"
check "update: other entries stay" grep -q /elsewhere compile_commands.json
check "update: an entry that was compiled again is replaced" \
	bash -c '! grep -q "\"old\"" compile_commands.json'
check "update: new entries are added" test "$(grep -c '"file"' compile_commands.json)" = 9
cp compile_commands.json once
etrace compdb --update compile_commands.json "$trace"
same "update: a second update changes nothing" once compile_commands.json
echo '{' > bad.json
ends 2 "update: a file that is not a list is refused" etrace compdb --update bad.json "$trace"
echo '{' > expected
same "update: a file that is not a list is left unchanged" bad.json expected

# Running an entry again gives the same object; clang's tools can read the list.
mkdir -p build/make
cp -r "$ANSWERS/projects/make" build/make/src
mkdir build/make/out
here=$PWD
check "the project builds here" make -s -C build/make/src OUT="$here/build/make/out"
etrace compdb "$FIXTURES/make/module.fxt.zst" | grep -v '/args.c"' | sed "s|/build/make|$here/build/make|g" > compile_commands.json
cp -r build/make/out first
python3 - > again.log 2>&1 <<- 'END'
	import json, os, subprocess
	for entry in json.load(open("compile_commands.json")):
	    os.path.exists(entry["output"]) and os.remove(entry["output"])
	    subprocess.run(entry["arguments"], cwd=entry["directory"], check=True)
END
for object in main add mul quick start small large left right; do
	check "running its entry again gives the same $object.o" \
		cmp "first/$object.o" "build/make/out/$object.o"
done
check "clang-tidy reads the list" clang-tidy -p . --quiet --checks=-*,clang-analyzer-core.* \
	"$here/build/make/src/add.c"
for source in add main; do
	clangd --check="$here/build/make/src/$source.c" --compile-commands-dir="$here" > clangd.log 2>&1
	result $? "clangd opens $source.c"
	check "clangd uses the entry of $source.c" \
		grep -q "Compile command from CDB is: .*$source.c" clangd.log
done

# With wrappers: one entry for each object, whether the compiler ran or not.
for backend in module bpf; do
	for name in ccache-cold ccache-hit ccache-link wrapper-script wrapper-env wrapper-sudo; do
		etrace compdb "$FIXTURES/$name/$backend.fxt.zst" > ours 2> log
		check "$name, $backend: each source has one entry" test "$(grep -c '"file"' ours) $(
			grep -c '/src/answer.c","arg' ours) $(grep -c '/src/main.c","arg' ours)" = "2 1 1"
	done
	etrace compdb "$FIXTURES/wrapper-libtool/$backend.fxt.zst" > ours
	check "wrapper-libtool, $backend: there are entries with and without -fPIC" \
		test "$(grep -c '"file"' ours) $(grep -c fPIC ours)" = "4 2"
done
