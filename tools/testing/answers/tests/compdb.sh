#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace compdb lists the same compilations as CMake, ninja, Meson and make.

. "${0%/*}/../lib.sh"

for by in module bpf; do
	for name in ninja all meson; do
		etrace compdb --no-configure -o ours "$FIXTURES/$name/$by.fxt.zst" 2> log
		check "$name by $by: as compile_commands.json" \
			"$ANSWERS/same-commands" ours "$FIXTURES/$name/compile_commands.json"
	done
	# ninja lists all of its edges, not only compilations
	etrace compdb "$FIXTURES/ninja/$by.fxt.zst" > ours
	check "ninja by $by: all are in ninja -t compdb" \
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
	etrace compdb -o ours "$FIXTURES/make/$by.fxt.zst" 2> said
	grep -v '/args.c"' ours > others
	check "make by $by: each compilation that make -n lists, a source in each" \
		"$ANSWERS/same-commands" others expected.json
	# this recording predates COLLECT_GCC_OPTIONS, and its @files are not on this machine
	check "make by $by: what cc1 was given of @files that are gone" \
		grep -q '/args.c","arguments":\["gcc","-D","FLAG=1",.*"-c","-o",.*,"args.c"' ours
	check "make by $by: that it may not be all of them" grep -q 'an @file has changed since it was read' said
	check "make by $by: each pair of source and output that Bear found" python3 - ours \
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
	check "of which there are some" test "$(grep -c '"file"' ours)" -ge 12

	# Checks of configure are compilations, too, unless --no-configure is given.
	etrace compdb "$FIXTURES/configure/$by.fxt.zst" > ours
	check "configure by $by: its checks are there" grep -q conftest.c ours
	etrace compdb --no-configure "$FIXTURES/configure/$by.fxt.zst" > ours
	check "configure by $by: only what was built without them" \
		test "$(grep -c '"file"' ours) $(grep -c main.c ours)" = "1 1"
done

# All styles have the same content.
trace=$FIXTURES/ninja/module.fxt.zst
etrace compdb "$trace" > ours
for style in cmake bear; do
	etrace compdb --style=$style "$trace" > styled
	check "style $style says the same" "$ANSWERS/same-commands" styled ours
done
etrace compdb --style=cmake "$trace" > styled
check "style cmake has CMake's outputs" grep -q '"output":"CMakeFiles/app.dir/app/main.cc.o"' styled

# Links and archives, with their inputs.
etrace compdb --links "$trace" > links
check "links: the program" grep -q '"output":"/build/ninja/out/app","inputs":.*libshapes.a' links
check "links: the archive" grep -q '"output":"/build/ninja/out/libshapes.a","inputs":.*circle.c.o' links
check "links: once each" test "$(grep -c '"output":"/build/ninja/out/app"' links)" = 1

# Existing entries stay, except for those that were compiled again.
cat > compile_commands.json <<- 'END'
	[{"directory": "/elsewhere", "file": "x.c", "command": "cc -c x.c", "output": "x.o"},
	 {"directory": "/build/ninja/out", "file": "/build/ninja/src/app/main.cc", "command": "old",
	  "output": "CMakeFiles/app.dir/app/main.cc.o"}]
END
check "update" etrace compdb --update compile_commands.json "$trace"
check "what was there stays" grep -q /elsewhere compile_commands.json
check "what is made anew is replaced" bash -c '! grep -q "\"old\"" compile_commands.json'
check "and the rest is added" test "$(grep -c '"file"' compile_commands.json)" = 9
cp compile_commands.json once
etrace compdb --update compile_commands.json "$trace"
same "the same again changes nothing" once compile_commands.json
echo '{' > bad.json
ends 2 "a file that is no list is refused" etrace compdb --update bad.json "$trace"
echo '{' > expected
same "and left as it is" bad.json expected

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
	check "run again: $object.o is the same" cmp "first/$object.o" "build/make/out/$object.o"
done
check "clang-tidy reads the list" clang-tidy -p . --quiet --checks=-*,clang-analyzer-core.* \
	"$here/build/make/src/add.c"
for source in add main; do
	clangd --check="$here/build/make/src/$source.c" --compile-commands-dir="$here" > clangd.log 2>&1
	result $? "clangd opens $source.c"
	check "with its command" grep -q "Compile command from CDB is: .*$source.c" clangd.log
done

# With wrappers: one entry for each object, whether the compiler ran or not.
for by in module bpf; do
	for name in ccache-cold ccache-hit ccache-link wrapper-script wrapper-env wrapper-sudo; do
		etrace compdb "$FIXTURES/$name/$by.fxt.zst" > ours 2> log
		check "$name by $by: one for each source" test "$(grep -c '"file"' ours) $(
			grep -c '/src/answer.c","arg' ours) $(grep -c '/src/main.c","arg' ours)" = "2 1 1"
	done
	etrace compdb "$FIXTURES/wrapper-libtool/$by.fxt.zst" > ours
	check "wrapper-libtool by $by: with and without -fPIC" \
		test "$(grep -c '"file"' ours) $(grep -c fPIC ours)" = "4 2"
done
